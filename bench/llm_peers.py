"""A language model on the CPU beside llama.cpp: tokens a second in turns, and how far both are from float64.

python -m bench.llm_peers FILE [--peer-python PYTHON] [--threads N] [--clock work|wall] [--rounds N]
                               [--server SECONDS]

All that is promised of a machine where nobody else works: `--threads 2 --clock wall --server 120`.

FILE as it is, and its weights in Q4_0 and Q8_0 (`llm_requantise.py`, beside it). `decode`: single tokens
after 64; `prompt`: 512 tokens at once. `--clock work` counts processor time, for machines where others work
too. `KL`: the mean divergence of the next token's distribution from that of a float64 forward pass in NumPy
over 512 tokens of text. Then the time from the command to a first token, and memory (`llm_start.py`), and
with `--server` four clients for so many seconds (`llm_server.py`). PYTHON is an interpreter with
`llama-cpp-python`; without it only ours is measured.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from bench import llm_start
from bench.llm_requantise import requantised
from bench.peer_process import PeerProcess

Array = np.ndarray[Any, Any]
TOKENS, SEED_TOKENS, DECODED = 512, 64, 32


class Ours:
    """The model, asked as the peer is."""

    def __init__(self, path: Path, now: Callable[[], float]) -> None:
        from saccade.llm import Llama

        self.now, self.model = now, Llama.from_gguf(path, "int8")
        self.cache = self.model.cache(1024)
        self.ids = np.random.default_rng(0).integers(100, 40000, TOKENS).tolist()

    def read(self, ids: list[int]) -> None:
        from saccade import Tensor
        from saccade.llm.generation.slots import WIDTHS

        for at in range(0, len(ids), WIDTHS[-1]):
            self.model.forward(Tensor([ids[at : at + WIDTHS[-1]]]), self.cache, last=True).numpy()

    def prompt(self, count: int) -> float:
        self.cache.lengths[:] = 0
        begin = self.now()
        self.read(self.ids[:count])
        return self.now() - begin

    def decode(self, count: int) -> float:
        from saccade import Tensor

        self.cache.lengths[:] = 0
        self.read(self.ids[:SEED_TOKENS])
        begin = self.now()
        for id in self.ids[:count]:
            self.model.forward(Tensor([[id]]), self.cache).numpy()
        return self.now() - begin

    def logits(self, ids: list[int]) -> Array:
        from saccade import Tensor

        cache = self.model.cache(1024)
        parts = [Tensor([ids[at : at + 128]]) for at in range(0, len(ids), 128)]
        return np.concatenate([self.model.forward(part, cache).numpy()[0] for part in parts])


def text_ids(path: Path) -> list[int]:
    """The first tokens of a page of ours."""
    from saccade.llm import Tokenizer

    page = Path(__file__).parents[1] / "docs" / "glossary.md"
    page = page if page.exists() else page.with_name("index.md")
    return Tokenizer.from_gguf(path).encode(page.read_text())[:TOKENS]


def divergence(exact: Array, found: Array) -> float:
    """The mean of KL(exact, found) over rows of logits."""

    def log_shares(logits: Array) -> Array:
        wide: Array = logits.astype(float)
        wide = wide - wide.max(-1, keepdims=True)
        shares: Array = wide - np.log(np.exp(wide).sum(-1, keepdims=True))
        return shares

    p, q = log_shares(exact), log_shares(found)
    return float((np.exp(p) * (p - q)).sum(-1).mean())


def reference(path: Path, ids: list[int]) -> Array:
    from saccade.llm import Gguf, LlamaConfig
    from tests.llm import numpy_llama

    file = Gguf(path)
    weights = {name: file[name].dequantised().numpy() for name in file}
    return numpy_llama.logits(weights, LlamaConfig.from_gguf(file), ids)


def measure(path: Path, given: argparse.Namespace) -> None:
    now = time.process_time if given.clock == "work" else time.perf_counter
    ours, ids = Ours(path, now), text_ids(path)
    exact = reference(path, ids) if given.kl else None
    best: dict[str, float] = {}
    with ExitStack() as stack:
        peer: PeerProcess | None = None
        if given.peer_python:
            command = [given.peer_python, "-m", "bench.llm_peer_process", str(path)]
            peer = stack.enter_context(PeerProcess([*command, str(given.threads), given.clock]))
        for _ in range(given.rounds):
            for what, count in (("decode", DECODED), ("prompt", TOKENS)):
                best[f"ours {what}"] = max(best.get(f"ours {what}", 0.0), count / getattr(ours, what)(count))
                if peer is not None:
                    rate = count / float(peer.ask(f"{what} {count}")["seconds"])
                    best[f"llama.cpp {what}"] = max(best.get(f"llama.cpp {what}", 0.0), rate)
        if exact is not None:
            best["ours KL"] = divergence(exact, ours.logits(ids))
            if peer is not None:
                with tempfile.TemporaryDirectory() as folder:
                    place = Path(folder) / "ids.npy"
                    np.save(place, np.array(ids))
                    peer.ask(f"logits {place}")
                    best["llama.cpp KL"] = divergence(exact, np.load(place))
    for what in ("decode", "prompt", "KL"):
        mine, other = best.get(f"ours {what}"), best.get(f"llama.cpp {what}")
        if mine is not None:
            beside = "" if other is None else f"   llama.cpp {other:9.4g}   ratio {mine / other:.2f}"
            print(f"{path.name:44s} {what:7s} ours {mine:9.4g}{beside}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--peer-python", default="")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--clock", choices=("work", "wall"), default="work")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--formats", default="Q4_1,Q4_0,Q8_0", help="the first is FILE itself")
    parser.add_argument("--server", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--no-kl", dest="kl", action="store_false")
    given = parser.parse_args()
    os.environ["SACCADE_THREADS"] = str(given.threads)
    own, *others = given.formats.split(",")
    paths = [given.file] if own else []
    for name in others:
        stem = given.file.stem.removesuffix(f".{own}")
        paths.append(requantised(given.file, given.file.with_name(f"{stem}.{name}.gguf"), name))
    for path in paths:
        measure(path, given)
    for path in paths:
        llm_start.tell(path, given.rounds)
    if given.server:
        command = [sys.executable, "-m", "bench.llm_server", str(given.file), "--seconds", str(given.server)]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
