"""The process that runs cases: `python -m bench.sweep.worker DEVICE THREADS`.

It reads a JSON request a line and answers with a JSON line; `warm` leaves what was compiled on disk:

    {"do": "warm", "case": "sum of rows, 4096x1024, float32", "compile": true}   -> {"first": 0.4}
    {"do": "time", "case": ..., "compile": true, "rounds": 3, "seconds": 0.05}   -> {"ours": 1e-5, ...}

What raises is answered as {"error": "ValueError: ..."}. A crash or a hang is for who asked to notice.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from typing import Any

from bench.sweep.families import PROGRAMS
from bench.sweep.program import Case, cases_of


def answer(case: Case, device: str, request: dict[str, Any]) -> dict[str, Any]:
    from bench.sweep.measure import Duel

    start = time.perf_counter()
    with Duel(case, device, request["compile"] and case.shape == 0) as duel:
        if request["do"] == "warm":
            duel.run_ours()
            duel.run_ours()
            if duel.compiled is not None:
                duel.run_compiled()
            return {"first": time.perf_counter() - start}
        wrong = duel.wrong_by()
        if not wrong <= case.tolerance:
            return {"error": f"WRONG by {wrong:.2g} of the largest result"}
        told: dict[str, Any] = {"wrong": wrong, **duel.race(request["rounds"], request["seconds"])}
        if request.get("blame"):
            told |= duel.blame()
        return told


def prepare(threads: int) -> None:
    import torch

    torch.set_num_threads(threads)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True


def main(device: str, threads: str) -> None:
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    os.environ["OMP_NUM_THREADS"] = os.environ["SACCADE_THREADS"] = threads
    prepare(int(threads))
    known = {case.key: case for case in cases_of(PROGRAMS, device)}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = answer(known[request["case"]], device, request)
        except Exception as error:  # noqa: BLE001 (a failure is a row of the table)
            traceback.print_exc()
            said = str(error).strip().splitlines()
            reply = {"error": f"{type(error).__name__}: {said[0] if said else ''}"[:300]}
        replies.write(json.dumps(reply) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
