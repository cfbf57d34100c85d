"""What votes are worth, and which way of moving them: `saccade bench voting`, `python -m bench.voting`.

    python -m bench.voting --modules 5 --trials 20 --json

Several modules look at different spots of one object of one colour, which stands turned and shifted among
others like it. Every module walks on its own, with the noise of the reference's benchmarks (2 mm, 2 degrees,
0.1 of a log curvature). After every step: is the module's object right, and is its rotation within
`--degrees` of the truth? The same trials are run without votes and with votes moved both ways (see
`saccade.cortex.modules.vote`), once with evidence that adds up (weights 1 and 1), once with evidence that is
averaged (0.8 and 0.2).

`found` is the share of modules whose object and rotation are right after each step, `steps_to_find` the mean
number of steps until they stay right, counting the number of steps for those that never do.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.evidence_data import CHANNEL, make_workload
from bench.evidence_ours import models_of
from saccade.cortex.messages import Percept
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.modules.backend import SequentialBackend, StackedBackend
from saccade.cortex.modules.group import GroupInput, group_input, make_groups
from saccade.cortex.modules.module import EvidenceModule
from saccade.cortex.settings import EvidenceSettings

Floats = npt.NDArray[np.float64]
WEIGHTS = {"sum": (1.0, 1.0), "average": (0.8, 0.2)}
VOTES = ("off", "reference", "corrected")


@dataclass(frozen=True)
class VotingCase:
    """What is measured; names as on the command line."""

    modules: int = 5
    objects: int = 5
    nodes: int = 300
    steps: int = 8
    trials: int = 20
    degrees: float = 15.0
    seed: int = 0


@dataclass(frozen=True)
class Trial:
    """Models, the percepts of every module at every step, and the truth: the object's rotation."""

    models: list[ObjectModel]
    percepts: list[list[Percept]]  # [step][module]
    turn: Floats


def one_colour(model: ObjectModel) -> ObjectModel:
    nodes = model.channels[CHANNEL]
    features = {**nodes.features, "hsv": np.full((len(nodes), 3), 0.5)}
    return ObjectModel(
        model.name, {CHANNEL: NodeSet(nodes.positions, nodes.pose_vectors, nodes.fully_defined, features)}
    )


def make_trial(case: VotingCase, number: int) -> Trial:
    """The first object is shown; modules begin within 4 cm of each other and walk on their own."""
    rng = np.random.default_rng([case.seed, number])
    models = [
        one_colour(m) for m in models_of(make_workload(case.objects, case.nodes, 3, case.seed + number))
    ]
    shown = models[0].channels[CHANNEL]
    turn, shift = random_rotation(rng), rng.normal(size=3)
    around = np.linalg.norm(shown.positions - shown.positions[int(rng.integers(len(shown)))], axis=1)
    places = [int(rng.choice(np.flatnonzero(around < 0.04))) for _ in range(case.modules)]
    percepts = []
    for _ in range(case.steps):
        for m in range(case.modules):
            away = np.linalg.norm(shown.positions - shown.positions[places[m]], axis=1)
            places[m] = int(rng.choice(np.flatnonzero((away > 0.005) & (away < 0.03))))
        percepts.append([felt(shown, n, turn, shift, rng) for n in places])
    return Trial(models, percepts, turn)


def random_rotation(rng: np.random.Generator) -> Floats:
    q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return np.asarray(q * np.sign(np.linalg.det(q)))


def felt(nodes: NodeSet, n: int, turn: Floats, shift: Floats, rng: np.random.Generator) -> Percept:
    q, r = np.linalg.qr(np.eye(3) + np.radians(2) * rng.normal(size=(3, 3)))
    curvatures = nodes.features["principal_curvatures_log"][n] + 0.1 * rng.normal(size=2)
    return Percept(
        location=turn @ nodes.positions[n] + shift + 0.002 * rng.normal(size=3),
        pose_vectors=nodes.pose_vectors[n] @ turn.T @ (q * np.sign(np.diag(r))).T,
        features={"hsv": [0.5, 0.5, 0.5], "principal_curvatures_log": curvatures},
        sender=CHANNEL,
    )


class Voters:
    """Modules that hear each other, used for one trial after the other."""

    def __init__(self, case: VotingCase, vote: str, weights: str) -> None:
        self.case = case
        past, present = WEIGHTS[weights]
        self.settings = EvidenceSettings(
            vote_geometry="corrected" if vote == "off" else vote, past_weight=past, present_weight=present
        )
        names = [f"m{i}" for i in range(case.modules)]
        self.voting = {} if vote == "off" else {a: [b for b in names if b != a] for a in names}

    def run(self, trial: Trial) -> npt.NDArray[np.bool_]:
        """(steps, modules) whether object and rotation are right."""
        modules = [
            EvidenceModule(f"m{i}", (CHANNEL,), self.settings, trial.models) for i in range(self.case.modules)
        ]
        groups = make_groups(modules)
        backend: SequentialBackend = StackedBackend(voting=self.voting)
        found = []
        for percepts in trial.percepts:
            given: GroupInput = group_input(groups[0], {f"m{i}": [[p]] for i, p in enumerate(percepts)})
            results = backend.gather(backend.dispatch(groups, [given]))
            found.append([self._right(results[m.name].best[0], trial) for m in modules])
        return np.array(found)

    def _right(self, best: Any, trial: Trial) -> bool:
        cosine = np.clip((np.trace(best.rotation @ trial.turn) - 1) / 2, -1, 1)
        close = float(np.degrees(np.arccos(cosine))) <= self.case.degrees
        return bool(best.object == trial.models[0].name) and close


def steps_to_find(found: npt.NDArray[np.bool_]) -> float:
    """Mean over (steps, ...) of the steps after which all later ones are right."""
    steps = len(found)
    wrong_last = np.where(found, 0, np.arange(1, steps + 1)[:, None, None]).max(axis=0)
    return float(np.minimum(wrong_last + 1, steps).mean())


def bench_voting(case: VotingCase) -> dict[str, Any]:
    """One row per way of voting and of weighing."""
    trials = [make_trial(case, number) for number in range(case.trials)]
    rows = []
    for weights in WEIGHTS:
        for vote in VOTES:
            voters = Voters(case, vote, weights)
            found = np.stack([voters.run(trial) for trial in trials], axis=1)  # (steps, trials, modules)
            rows.append(
                {
                    "weights": weights,
                    "vote": vote,
                    "found": [round(float(share), 3) for share in found.mean(axis=(1, 2))],
                    "steps_to_find": round(steps_to_find(found), 2),
                }
            )
    return {**case.__dict__, "rows": rows}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="bench.voting", description="What votes are worth.")
    default = VotingCase()
    for name in ("modules", "objects", "nodes", "steps", "trials", "seed"):
        parser.add_argument(f"--{name}", type=int, default=getattr(default, name))
    parser.add_argument("--degrees", type=float, default=default.degrees, help="rotation error that is right")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = vars(parser.parse_args(arguments))
    as_json = given.pop("json")
    report = bench_voting(VotingCase(**given))
    if as_json:
        print(json.dumps(report))
        return
    print(f"{'weights':>8} {'vote':>10}  steps to find   found after each step")
    for row in report["rows"]:
        shares = " ".join(f"{share:5.2f}" for share in row["found"])
        print(f"{row['weights']:>8} {row['vote']:>10}  {row['steps_to_find']:13.2f}   {shares}")


if __name__ == "__main__":
    main()
