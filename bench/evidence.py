"""How fast hypotheses are updated, against peers on the same data: `saccade bench evidence`, `python -m
bench.evidence`.

    python -m bench.evidence --objects 77 --nodes 1000 --hypotheses 2000 --neighbours 10 --peer monty --json
    python -m bench.evidence --modules 5 --objects 10 --updater burst --steps 500    # compilations, host time
    python -m bench.evidence --scale scaling.svg                                     # cost over sizes
    python -m bench.evidence --modules 16 --backend stacked,streams --device cuda    # backends in a table

One step is everything a learning module does with a percept: displace and test all hypotheses, find the
best one and the possible objects, read them back. The peers only update, so they are favoured. A peer runs in
a process of its own, in the environment given by `--peer-python`, on the same models and the same walk. Its
steps and ours are taken in turns, so that a busy moment of the machine hurts both.

| key | meaning |
|---|---|
| `ms_per_step`, `peer_ms_per_step` | medians over the steps after a warm-up of two |
| `ms_apart` | the same with all hypotheses read back between the steps (without a peer only) |
| `ratio` | peer_ms_per_step / ms_per_step: how many times faster we are |
| `ratio_fastest`, `ratio_cpu` | the same from the fastest steps, and from the CPU time of all threads |
| `in_range`, `peer_in_range` | share of hypotheses with a node in reach, mean over the steps |
| `evidence_differ` | share of hypotheses whose evidence is not the peer's to 1e-3 after the last step |
| `evidence_gap` | largest difference of an object's best evidence |
| `python_us_per_step` | median host time: CPU time of the calling thread less that in kernels |
| `python_us_warm` | the same with the kernels left out, which throw Python out of the caches |
| `compilations` | programs compiled in all |
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.evidence_data import Workload, make_workload
from bench.evidence_ours import EvidenceCase, Ours, Spent
from bench.peer_process import PeerError, PeerProcess, remedy
from saccade.cortex.modules.backend import BACKENDS

#: steps that are not counted: the first makes the hypotheses, the second compiles the update
WARM_UP = 2
#: the most hypotheses that may lie on the other side of a threshold than the peer's
MOST_DIFFERENT = 1e-3


def median_ms(seconds: Sequence[float]) -> float:
    return float(np.median(seconds[WARM_UP:]) * 1e3)


def least_ms(seconds: Sequence[float]) -> float:
    return float(np.min(seconds[WARM_UP:]) * 1e3)


def report_of(engine: Ours, spent: Sequence[Spent], watched: Sequence[Spent]) -> dict[str, Any]:
    """Our figures, once all steps are done and the evidence is compared: the last one runs no kernels. Only
    `watched` steps know their host time."""
    wall = [one.wall for one in spent]
    found = engine.host_seconds(len(spent) - 1)
    return {
        "python_us_warm": None if found is None else found * 1e6,
        "ms_per_step": median_ms(wall),
        "ms_fastest": least_ms(wall),
        "cpu_ms_per_step": median_ms([one.cpu for one in spent]),
        "python_us_per_step": median_ms([one.host for one in watched]) * 1e3,
        "python_us_fastest": least_ms([one.host for one in watched]) * 1e3,
        "first_steps_s": float(sum(wall[:WARM_UP])),
        "build_s": engine.built,
        "in_range": float(np.mean(engine.reached)) if engine.reached else None,
        "compilations": engine.compilations,
        "hypotheses_now": int(engine.result["m0"].counts.sum()),
    }


def run_ours(case: EvidenceCase, work: Workload) -> dict[str, Any]:
    """The walk with a look at all hypotheses between the steps, for `in_range`; then once more without, for
    the host's time; then without anything that measures but a clock."""
    engine = Ours(case, work)
    with engine.watched():
        apart = [engine.step(t) for t in range(case.steps)]
        told = {
            "ms_apart": median_ms([one.wall for one in apart]),
            "first_steps_s": float(sum(one.wall for one in apart[:WARM_UP])),
            "compilations": engine.compilations,
        }
        engine.reset()
        watched = [engine.step(t, look=False) for t in range(case.steps)]
    engine.reset()
    spent = [engine.step(t, look=False) for t in range(case.steps)]
    return report_of(engine, spent, watched) | told


def run_backends(case: EvidenceCase, names: Sequence[str]) -> list[dict[str, Any]]:
    """The same case with each backend, in processes of their own: queues and caches of one are not the
    other's."""
    reports = []
    for name in names:
        options = {k: v for k, v in (case.__dict__ | {"backend": name}).items() if v is not None}
        words = [word for k, v in options.items() for word in (f"--{k.replace('_', '-')}", str(v))]
        command = [sys.executable, "-m", "bench.evidence", *words, "--json"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            raise RuntimeError(f"backend {name!r} failed: {result.stderr.strip()[-500:]}")
        reports.append(json.loads(result.stdout.strip().splitlines()[-1]))
    return reports


COLUMNS = ("ms_per_step", "ms_fastest", "ms_apart", "python_us_per_step", "python_us_fastest", "in_range")


def table_of(reports: Sequence[dict[str, Any]]) -> str:
    """One line for each backend."""
    lines = [" ".join([f"{'backend':>12}", f"{'modules':>8}", *(f"{name:>20}" for name in COLUMNS)])]
    for one in reports:
        numbers = ["-" if one[name] is None else f"{one[name]:.4g}" for name in COLUMNS]
        lines.append(
            " ".join([f"{one['backend']:>12}", f"{one['modules']:>8}", *(f"{n:>20}" for n in numbers)])
        )
    return "\n".join(lines)


def run_both(case: EvidenceCase, work: Workload, peer: str, python: str) -> dict[str, Any]:
    """Our figures and the peer's, whose steps alternate with ours; PeerError if it cannot be run."""
    options = {
        "neighbours": case.neighbours,
        "poses": case.poses,
        "umbilical_start": case.poses != 2,
        "updater": case.updater,
        "threads": case.threads,
        "device": "cuda" if case.device and case.device.startswith("cuda") else "cpu",
    }
    with tempfile.TemporaryDirectory() as folder:
        path, saved = Path(folder) / "workload.npz", Path(folder) / "evidence.npz"
        work.save(str(path))
        command = [python, "-m", "bench.evidence_peer", peer, str(path), json.dumps(options)]
        with PeerProcess(command) as process:
            engine = Ours(case, work)
            spent, theirs = [], []
            with engine.watched():
                for t in range(case.steps):
                    spent.append(engine.step(t))
                    theirs.append(process.ask("step"))
            ended = process.ask(f"save {saved}")
        with np.load(saved) as file:
            evidence = [file[f"o{o}"] for o in range(case.objects)]
    same = compared(engine.evidence(), evidence)
    report = report_of(engine, spent, spent)
    # a peer updates one module; several modules cost it as many updates
    wall = [one["seconds"] * case.modules for one in theirs]
    cpu = [one["cpu_seconds"] * case.modules for one in theirs]
    report |= {
        "peer_ms_per_step": median_ms(wall),
        "ratio": median_ms(wall) / report["ms_per_step"],
        "ratio_fastest": least_ms(wall) / report["ms_fastest"],
        "ratio_cpu": median_ms(cpu) / report["cpu_ms_per_step"],
        "peer_in_range": ended["in_range"],
    }
    return report | same


def compared(ours: Sequence[np.ndarray[Any, Any]], theirs: Sequence[np.ndarray[Any, Any]]) -> dict[str, Any]:
    """Whether both computed the same thing: single precision may put a few on the other side of a
    threshold."""
    if [len(a) for a in ours] != [len(b) for b in theirs]:
        return {"evidence_differ": 1.0, "evidence_gap": None, "evidence_agrees": False}
    gap = np.abs(np.concatenate(ours) - np.concatenate(theirs))
    best = [abs(a.max() - b.max()) for a, b in zip(ours, theirs, strict=True) if len(a)]
    differ = float((gap > 1e-3).mean())
    return {
        "evidence_differ": differ,
        "evidence_gap": float(max(best)),
        "evidence_agrees": differ <= MOST_DIFFERENT,
    }


def bench_evidence(
    case: EvidenceCase, peer: str | None = None, peer_python: str | None = None
) -> dict[str, Any]:
    """One measurement as a flat object: ours, the peer's, and their ratio (how many times faster we are)."""
    work = make_workload(case.objects, case.nodes, case.steps, case.seed)
    report: dict[str, Any] = {**case.__dict__, "peer": peer, "peer_ms_per_step": None, "ratio": None}
    if peer is None:
        return report | run_ours(case, work)
    try:
        return report | run_both(case, work, peer, peer_python or sys.executable)
    except PeerError as error:
        return report | run_ours(case, work) | {"peer_error": str(error)}


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench.evidence", description="Hypothesis updates per second, against peers."
    )
    default = EvidenceCase()
    for name in ("objects", "nodes", "hypotheses", "neighbours", "modules", "steps", "threads", "seed"):
        parser.add_argument(f"--{name}", type=int, default=getattr(default, name))
    parser.add_argument("--updater", choices=("plain", "burst"), default=default.updater)
    parser.add_argument(
        "--backend",
        default=default.backend,
        help=f"auto, {', '.join(BACKENDS)}; several with commas between them are compared in a table",
    )
    parser.add_argument("--device", default=None)
    parser.add_argument("--dtype", choices=("float32", "float64"), default=default.dtype)
    parser.add_argument("--rotation-dtype", choices=("float32", "float64"), default=default.rotation_dtype)
    parser.add_argument("--peer", choices=("monty", "torch"), default=None)
    parser.add_argument(
        "--peer-python", default=None, help="the interpreter whose environment holds the peer"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--scale",
        type=Path,
        metavar="FILE.svg",
        help="measure growing numbers of objects, hypotheses and modules instead, and draw them",
    )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 where the peer that was asked for could not be run."""
    given = vars(parse(arguments))
    peer, python, as_json, picture = (given.pop(k) for k in ("peer", "peer_python", "json", "scale"))
    names = given["backend"].split(",")
    case = EvidenceCase(**(given | {"backend": names[0]}))
    if len(names) > 1:
        if peer is not None or picture is not None:
            raise SystemExit("several backends are compared with each other: leave out --peer and --scale")
        reports = run_backends(case, names)
        print(json.dumps({"backends": reports}) if as_json else table_of(reports))
        return 0
    if picture is None:
        report = bench_evidence(case, peer, python)
    else:
        from bench.evidence_scale import scale_to

        report = scale_to(case, picture)
    if as_json:
        print(json.dumps(report))
    else:
        for name, value in report.items():
            print(f"{name:>20}  {value:.4g}" if isinstance(value, float) else f"{name:>20}  {value}")
    if "peer_error" not in report:
        return 0
    print(remedy(peer, python or sys.executable, PeerError(report["peer_error"])), file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
