"""A step of learning modules inside Monty, ours and its own, on the same messages.

    python -m bench.monty_module                          # 77 objects of 1,000 nodes, Monty's module and ours
    python -m bench.monty_module --kinds monty,updater    # Monty's module with our updater, object by object

Needs tbp.monty in the same environment. Modules take turns, so that a busy moment of the machine hurts all;
`cpu` is the CPU time of all threads. All must believe in the same object and pose, or it ends with an error.
"""

from __future__ import annotations

import argparse
import json
import logging
import time
from typing import Any

import numpy as np

from bench import monty_walks as walks

#: steps that are not counted: hypotheses are made, and programs compiled
WARM_UP = 3
#: metres, and numbers of a rotation, by which two poses may differ: more than single precision takes
SAME = 1e-4
KINDS = ("monty", "fast", "fast32", "updater")


def module(kind: str, walk: Any) -> Any:
    from tbp.monty.frameworks.models.evidence_matching.learning_module import EvidenceGraphLM

    from saccade.monty import HypothesesUpdater, LearningModule

    if kind == "monty":
        made = EvidenceGraphLM(**walks.arguments())
    elif kind == "updater":
        made = EvidenceGraphLM(**walks.arguments(hypotheses_updater_class=HypothesesUpdater))
    else:
        made = LearningModule(dtype="float32" if kind == "fast32" else "float64", **walks.arguments())
    return walks.learn(made, walk)


def run(kinds: list[str], objects: int, nodes: int, steps: int) -> dict[str, Any]:
    walk = walks.work(objects, nodes, steps)
    modules = {kind: module(kind, walk) for kind in kinds}
    wall: dict[str, list[float]] = {kind: [] for kind in kinds}
    cpu: dict[str, list[float]] = {kind: [] for kind in kinds}
    for t in range(steps):
        for kind, lm in modules.items():
            given = [walks.message(walk, t)]
            began, began_cpu = time.perf_counter(), time.process_time()
            lm.matching_step(None, given)
            wall[kind].append(time.perf_counter() - began)
            cpu[kind].append(time.process_time() - began_cpu)
            lm.add_lm_processing_to_buffer_stats(lm_processed=True)
        first, *others = (lm.current_mlh for lm in modules.values())
        for other in others:
            if not _agree(first, other):
                raise SystemExit(f"step {t}: the modules believe in different things, {first} and {other}")
    report: dict[str, Any] = {"objects": objects, "nodes": nodes, "steps": steps}
    for kind in kinds:
        report[f"{kind}_ms"] = float(np.median(wall[kind][WARM_UP:]) * 1e3)
        report[f"{kind}_cpu_ms"] = float(np.median(cpu[kind][WARM_UP:]) * 1e3)
        if "monty" in kinds and kind != "monty":
            report[f"{kind}_ratio"] = report["monty_ms"] / report[f"{kind}_ms"]
            report[f"{kind}_ratio_cpu"] = report["monty_cpu_ms"] / report[f"{kind}_cpu_ms"]
    return report


def _agree(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two most likely hypotheses are of one object in one pose; modules number theirs as they
    like."""
    gaps = [
        np.abs(np.asarray(one["location"]) - np.asarray(other["location"])).max(),
        np.abs(one["rotation"].as_matrix() - other["rotation"].as_matrix()).max(),
    ]
    return bool(one["graph_id"] == other["graph_id"] and max(gaps) < SAME)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.monty_module", description="A step inside Monty.")
    parser.add_argument("--kinds", default="monty,fast", help=f"of {', '.join(KINDS)}, with commas")
    for name, default in (("objects", 77), ("nodes", 1000), ("steps", 14)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    strange = sorted(set(given.kinds.split(",")) - set(KINDS))
    if strange:
        raise SystemExit(f"--kinds {strange}: use some of {', '.join(KINDS)}")
    logging.disable(logging.CRITICAL)
    print(json.dumps(run(given.kinds.split(","), given.objects, given.nodes, given.steps), indent=1))


if __name__ == "__main__":
    main()
