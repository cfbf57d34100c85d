"""How fast hypotheses are updated, against peers on the same data: `saccade bench evidence`, `python -m
bench.evidence`.

    python -m bench.evidence --objects 77 --nodes 1000 --hypotheses 2000 --neighbours 10 --peer monty --json

One step is everything a learning module does with a percept: displace and test all hypotheses, find the
best one and the possible objects, read them back. The peers only update, so they are favoured. Times are
medians over the steps after a warm-up; compiling and building tables are reported apart. Peers run in a
process of their own, in the environment given by `--peer-python`, on the same models and the same walk;
`evidence_gap` shows how far their results are from ours.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.evidence_data import CHANNEL, Workload, make_workload
from saccade.cortex.backend import BACKENDS, SequentialBackend, make_backend
from saccade.cortex.bank import EvidenceBank
from saccade.cortex.group import Group, GroupInput, make_groups
from saccade.cortex.messages import Percept
from saccade.cortex.model import NodeSet, ObjectModel
from saccade.cortex.module import EvidenceModule
from saccade.cortex.settings import BurstSettings, EvidenceSettings, PlainSettings


@dataclass(frozen=True)
class EvidenceCase:
    """What is measured; names as on the command line."""

    objects: int = 77
    nodes: int = 1000
    hypotheses: int = 2000
    neighbours: int = 10
    modules: int = 1
    updater: str = "plain"
    backend: str = "stacked"
    device: str | None = None
    steps: int = 20
    dtype: str = "float32"
    rotation_dtype: str = "float64"
    threads: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        if self.hypotheses % self.nodes:
            raise ValueError(
                f"--hypotheses {self.hypotheses} must be a multiple of --nodes {self.nodes}: poses per node"
            )
        if self.steps < 3:
            raise ValueError(f"--steps must be at least 3, got {self.steps}")

    @property
    def poses(self) -> int:
        """Poses per node; other than 2 they come from a first percept without defined directions."""
        return self.hypotheses // self.nodes


def models_of(work: Workload) -> list[ObjectModel]:
    return [
        ObjectModel(
            f"o{o}",
            {
                CHANNEL: NodeSet(
                    work.positions[o],
                    work.vectors[o],
                    work.flags[o],
                    {"hsv": work.hsv[o], "principal_curvatures_log": work.curvatures[o]},
                )
            },
        )
        for o in range(len(work.positions))
    ]


def percept_of(work: Workload, t: int, case: EvidenceCase) -> Percept:
    return Percept(
        location=work.location[t],
        pose_vectors=work.pose[t],
        features={"hsv": work.felt_hsv[t], "principal_curvatures_log": work.felt_curvatures[t]},
        pose_fully_defined=not (t == 0 and case.poses != 2),
        sender=CHANNEL,
    )


def settings_of(case: EvidenceCase) -> EvidenceSettings:
    return EvidenceSettings(
        max_nneighbors=case.neighbours,
        umbilical_num_poses=case.poses,
        updater=BurstSettings() if case.updater == "burst" else PlainSettings(),
        dtype=case.dtype,
        rotation_dtype=case.rotation_dtype,
    )


def reached_share(bank: EvidenceBank, before: np.ndarray[Any, Any]) -> float:
    """Share of hypotheses that found a node in reach on the last step: those that did not lose exactly 1."""
    after = bank.state.evidence.numpy()
    there = np.arange(after.shape[-1]) < bank.state.counts.numpy()[..., None]
    return float(((after - before) > -1 + 1e-5)[there].mean())


def run_ours(case: EvidenceCase, work: Workload) -> dict[str, Any]:
    """Milliseconds per step of the whole dispatch and gather, and what it computed."""
    models = models_of(work)
    settings = settings_of(case)
    modules = [EvidenceModule(f"m{i}", (CHANNEL,), settings, models) for i in range(case.modules)]
    groups = make_groups(modules)
    backend = make_backend(case.backend, 1, case.device, groups=groups)
    began = time.perf_counter()
    seats = backend.seats(groups)
    built = time.perf_counter() - began
    times, python, reached = [], [], []
    result = None
    for t in range(case.steps):
        batch = groups[0].empty_batch(1)
        for m in range(case.modules):
            batch.put((0, m, 0), percept_of(work, t, case), modules[m].layouts[0])
        bank = seats[0].bank
        assert isinstance(bank, EvidenceBank)
        sampled = t > 0 and case.updater == "plain"
        before = bank.state.evidence.numpy().copy() if sampled else None
        spent, cpu, result = timed_step(backend, groups, GroupInput(batch))
        times.append(spent)
        python.append(cpu)
        if before is not None and before.shape == bank.state.evidence.shape:
            reached.append(reached_share(bank, before))
    assert result is not None
    warm = times[2:]
    return {
        "ms_per_step": float(np.median(warm) * 1e3),
        "python_us_per_step": float(np.median(python[2:]) * 1e6),
        "first_steps_s": float(sum(times[:2])),
        "build_s": built,
        "in_range": float(np.mean(reached)) if reached else None,
        "evidence": result["m0"].evidence[0].tolist(),
        "compilations": sum(getattr(seat.bank, "compilations", 0) for seat in seats),
        "hypotheses_now": int(result["m0"].counts.sum()),
    }


def timed_step(
    backend: SequentialBackend, groups: list[Group], given: GroupInput
) -> tuple[float, float, Any]:
    """Seconds of a step, seconds until dispatch returned (the host's own work where the device runs apart),
    results.
    """
    began = time.perf_counter()
    pending = backend.dispatch(groups, [given])
    dispatched = time.perf_counter()
    results = backend.gather(pending)
    return time.perf_counter() - began, dispatched - began, results


def run_peer(name: str, case: EvidenceCase, work: Workload, python: str) -> dict[str, Any]:
    """A peer's figures, or {"error": why}."""
    options = {
        "neighbours": case.neighbours,
        "poses": case.poses,
        "umbilical_start": case.poses != 2,
        "threads": case.threads,
        "device": "cuda" if case.device and case.device.startswith("cuda") else "cpu",
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "workload.npz"
        work.save(str(path))
        command = [python, "-m", "bench.evidence_peer", name, str(path), json.dumps(options)]
        root = Path(__file__).parents[1]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no output"}
    answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer


def bench_evidence(
    case: EvidenceCase, peer: str | None = None, peer_python: str | None = None
) -> dict[str, Any]:
    """One measurement as a flat object: ours, the peer's, and their ratio (how many times faster we are)."""
    work = make_workload(case.objects, case.nodes, case.steps, case.seed)
    ours = run_ours(case, work)
    report: dict[str, Any] = {**case.__dict__, **{k: v for k, v in ours.items() if k != "evidence"}}
    report |= {"peer": peer, "peer_ms_per_step": None, "ratio": None}
    if peer is not None:
        theirs = run_peer(peer, case, work, peer_python or sys.executable)
        if "error" in theirs:
            report["peer_error"] = theirs["error"]
        else:
            # a peer updates one module; several modules cost it as many updates
            report["peer_ms_per_step"] = theirs["ms_per_step"] * case.modules
            report["ratio"] = report["peer_ms_per_step"] / report["ms_per_step"]
            report["peer_in_range"] = theirs["in_range"]
            if case.updater == "plain":
                report["evidence_gap"] = float(np.abs(np.array(theirs["evidence"]) - ours["evidence"]).max())
    return report


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench.evidence", description="Hypothesis updates per second, against peers."
    )
    default = EvidenceCase()
    for name in ("objects", "nodes", "hypotheses", "neighbours", "modules", "steps", "threads", "seed"):
        parser.add_argument(f"--{name}", type=int, default=getattr(default, name))
    parser.add_argument("--updater", choices=("plain", "burst"), default=default.updater)
    parser.add_argument("--backend", choices=("auto", *BACKENDS), default=default.backend)
    parser.add_argument("--device", default=None)
    parser.add_argument("--dtype", choices=("float32", "float64"), default=default.dtype)
    parser.add_argument("--rotation-dtype", choices=("float32", "float64"), default=default.rotation_dtype)
    parser.add_argument("--peer", choices=("monty", "torch"), default=None)
    parser.add_argument(
        "--peer-python", default=None, help="the interpreter whose environment holds the peer"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    given = vars(parse(arguments))
    peer, python, as_json = given.pop("peer"), given.pop("peer_python"), given.pop("json")
    report = bench_evidence(EvidenceCase(**given), peer, python)
    if as_json:
        print(json.dumps(report))
        return
    for name, value in report.items():
        print(f"{name:>20}  {value:.4g}" if isinstance(value, float) else f"{name:>20}  {value}")


if __name__ == "__main__":
    main()
