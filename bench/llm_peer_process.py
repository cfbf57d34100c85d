"""llama.cpp (by `llama-cpp-python`), asked line by line: the peer of `bench.llm_peers`.

python -m bench.llm_peer_process FILE THREADS CLOCK

`decode N`, `prompt N`: seconds for so many tokens; `logits FILE`: those of the ids in an .npy file, written
over it. It runs in an environment of its own and imports nothing of ours.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from typing import Any

import numpy as np

CONTEXT = 1024
SEED_TOKENS = 64


def say(found: dict[str, Any]) -> None:
    print(json.dumps(found), flush=True)


def main() -> None:
    path, threads, clock = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    now = time.process_time if clock == "work" else time.perf_counter
    with open(os.devnull, "w") as quiet, contextlib.redirect_stderr(quiet):
        from llama_cpp import Llama

        model = Llama(
            path, n_ctx=CONTEXT, n_threads=threads, n_threads_batch=threads, n_batch=512, logits_all=False,
            verbose=False,
        )  # fmt: skip
    random = np.random.default_rng(0)
    ids = random.integers(100, 40000, 512).tolist()
    say({"ready": True})
    for line in sys.stdin:
        what, argument = line.split()
        model.reset()
        if what == "prompt":
            begin = now()
            model.eval(ids[: int(argument)])
            say({"seconds": now() - begin})
        elif what == "decode":
            model.eval(ids[:SEED_TOKENS])
            begin = now()
            for id in ids[: int(argument)]:
                model.eval([id])
            say({"seconds": now() - begin})
        else:
            whole = Llama(path, n_ctx=CONTEXT, n_threads=threads, logits_all=True, verbose=False)
            given = np.load(argument).tolist()
            whole.eval(given)
            np.save(argument, np.array(whole.scores[: len(given)], np.float32))
            say({"tokens": len(given)})


if __name__ == "__main__":
    main()
