"""Five modules that vote, each with a sensor of its own on one of two small objects: for tests of backends.

backend = make_backend("streams", device="cuda", voting=VOTING)
voters = Voters(backend)
results = backend.gather(voters.dispatch(0))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from saccade.cortex.bank.results import ModuleResult
from saccade.cortex.messages import Percept
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.modules.backend import SequentialBackend
from saccade.cortex.modules.group import GroupInput, group_input, make_groups
from saccade.cortex.modules.module import EvidenceModule
from saccade.cortex.modules.pending import PendingStep
from saccade.cortex.settings import EvidenceSettings

NAMES = tuple(f"lm{number}" for number in range(5))
VOTING = {name: [other for other in NAMES if other != name] for name in NAMES}
NODES = 20


def model(name: str, seed: int) -> ObjectModel:
    random = np.random.default_rng(seed)
    normal = random.normal(size=(NODES, 3))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    first = np.cross(normal, [0.0, 0.0, 1.0])
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    pose = np.stack([normal, first, np.cross(normal, first)], axis=1)
    positions = normal * random.uniform(0.03, 0.05, (NODES, 1))
    features = {"hsv": random.random((NODES, 3)), "principal_curvatures_log": random.normal(size=(NODES, 2))}
    return ObjectModel(name, {"patch": NodeSet(positions, pose, np.ones(NODES, bool), features)})


class Voters:
    """The modules in two groups, whose settings differ a little, and what they sense at each step."""

    def __init__(self, backend: SequentialBackend) -> None:
        self.models = [model("anna", 1), model("bintje", 2)]
        settings = (EvidenceSettings(), EvidenceSettings(max_match_distance=0.012))
        self.groups = make_groups(
            [
                EvidenceModule(name, ["patch"], settings[number == 4], self.models)
                for number, name in enumerate(NAMES)
            ]
        )
        self.backend = backend
        backend.reset(self.groups)

    def _percept(self, node: int) -> Percept:
        nodes = self.models[1].channels["patch"]
        features = {name: values[node] for name, values in nodes.features.items()}
        return Percept(nodes.positions[node], nodes.pose_vectors[node], features, sender="patch")

    def inputs(self, step: int) -> list[GroupInput]:
        felt = {name: [[self._percept((3 * step + m) % NODES)]] for m, name in enumerate(NAMES)}
        return [group_input(group, {name: felt[name] for name in group.names}) for group in self.groups]

    def dispatch(self, step: int) -> PendingStep:
        return self.backend.dispatch(self.groups, self.inputs(step))

    def warm_up(self, steps: int = 6) -> None:
        """Until all that the next steps need is compiled, captured and pinned."""
        for step in range(steps):
            self.backend.gather(self.dispatch(step))


def told(results: dict[str, ModuleResult]) -> list[Any]:
    """All that the modules report, in a form that is equal only where every bit is."""
    found: list[Any] = []
    for name in NAMES:
        result = results[name]
        assert result.failure is None, result.failure
        arrays = (result.evidence, result.counts, result.prediction_error, result.possible_hypotheses)
        poses = [(b.object, b.id, b.location.tobytes(), b.rotation.tobytes()) for b in result.best if b]
        found.append((name, [a.tobytes() for a in arrays], poses, result.possible, result.terminal))
    return found
