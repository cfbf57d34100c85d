"""The server under load, with random weights: `python -m bench.llm_load [--shape 8b] [--clients 16]`.

    python -m bench.llm_load --shape 8b --format bf16 --device cuda --clients 16 --seconds 120

One client streams completions alone, then so many do at once; every fourth answer its client leaves early. It
tells tokens a second of both, requests that failed, and memory before and after. It needs starlette and
uvicorn, which may stand beside the source tree; the clients speak HTTP themselves, in a process of their own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from bench.llm_gpu import KINDS, SHAPES, RandomFile
from saccade.fuzz.files.tokenizer_corpus import json_tokenizers
from saccade.llm.files.load import LanguageModel
from saccade.llm.model.config import LlamaConfig
from saccade.llm.model.llama import Llama
from saccade.llm.serving.chat_template import ChatTemplate
from saccade.llm.serving.serve import Limits, make_app, make_engine
from saccade.llm.tokenizer.tokenizer import Tokenizer

#: tokens of an answer, at least and at most, and how often a client leaves before the end
SHORTEST, LONGEST, LEAVES = 16, 96, 0.25
PROMPT: Final = "the quick brown fox jumps over the lazy dog, and "


def random_model(sizes: LlamaConfig, kind: int, device: str) -> LanguageModel:
    """A model without a file; tokens that its tokenizer has no text for get one."""
    model = Llama(RandomFile(sizes, kind, device), sizes, Path("random"))
    told = json_tokenizers()["byte-level"]
    vocabulary = told["model"]["vocab"]
    vocabulary |= {f"token{n}": n for n in range(len(vocabulary), sizes.vocabulary)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        path.write_text(json.dumps(told))
        tokenizer = Tokenizer.from_json(path)
    return LanguageModel("random", model, tokenizer, ChatTemplate(None, tokenizer))


# --- clients


@dataclass
class Tally:
    """What clients saw. tokens: events of answers; left: answers that nobody waited for."""

    tokens: int = 0
    answers: int = 0
    left: int = 0
    failed: int = 0
    first: float = 0.0
    seconds: float = 0.0


async def stream(url: str, tally: Tally, luck: random.Random) -> None:
    """One answer, or the beginning of it."""
    place = urlsplit(url)
    wanted = luck.randint(SHORTEST, LONGEST)
    leaves = luck.randint(2, wanted) if luck.random() < LEAVES else None
    body = json.dumps(
        {"model": "-", "prompt": PROMPT * luck.randint(1, 3), "max_tokens": wanted, "stream": True,
         "temperature": 1.0, "seed": luck.randint(0, 1 << 30)}
    )  # fmt: skip
    begin = time.perf_counter()
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    try:
        head = (
            f"POST /v1/completions HTTP/1.1\r\nHost: {place.hostname}\r\nContent-Type: application/json\r\n"
        )
        writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())
        await writer.drain()
        status = (await reader.readline()).split()
        if status[1:2] != [b"200"]:
            raise ConnectionError(f"the server answered {b' '.join(status).decode()!r}")
        seen = 0
        async for line in reader:
            if line.startswith(b"data: [DONE]"):
                tally.answers += 1
                return
            if line.startswith(b"data: "):
                tally.first += time.perf_counter() - begin if not seen else 0.0
                seen += 1
                tally.tokens += 1
                if seen == leaves:
                    tally.left += 1
                    return
        raise ConnectionError("the answer ended in the middle")
    finally:
        writer.close()


async def client(url: str, number: int, until: float, tally: Tally) -> None:
    luck = random.Random(number)
    while time.perf_counter() < until:
        try:
            await stream(url, tally, luck)
        except (OSError, asyncio.IncompleteReadError) as error:
            tally.failed += 1
            print(f"client {number}: {error}", file=sys.stderr, flush=True)


async def clients(url: str, count: int, seconds: float) -> Tally:
    tally, begin = Tally(), time.perf_counter()
    await asyncio.gather(*(client(url, number, begin + seconds, tally) for number in range(count)))
    tally.seconds = time.perf_counter() - begin
    return tally


def load(url: str, count: int, seconds: float, device: str) -> float:
    """Run so many clients in another process; tokens a second."""
    command = [sys.executable, "-m", "bench.llm_load", "--url", url, "--clients", str(count)]
    out = subprocess.run([*command, "--seconds", str(seconds)], check=True, capture_output=True, text=True)
    print(out.stderr, end="", file=sys.stderr)
    seen = json.loads(out.stdout)
    rate: float = seen["tokens"] / seen["seconds"]
    waited = seen["first"] / max(seen["answers"] + seen["left"], 1)
    print(
        f"{count} clients, {seen['seconds']:.0f} s: {rate:.1f} tokens/s, {seen['answers']} answers, "
        f"{seen['left']} left early, {seen['failed']} failed, first token after "
        f"{waited * 1e3:.0f} ms; {memory(device)}",
        flush=True,
    )
    return rate


# --- the server


def memory(device: str) -> str:
    """Of this process, and of the card where there is one."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    told = f"{pages * 4096 / 1e6:.0f} MB here"
    if device.startswith("cuda"):
        from cuda.bindings import driver

        _, free, total = driver.cuMemGetInfo()
        told += f", {(total - free) / 1e9:.2f} GB on the card"
    return told


def serve(loaded: LanguageModel, limits: Limits) -> tuple[str, threading.Thread, Any]:
    """The address of a server in another thread, the thread, and what to tell to stop."""
    import uvicorn

    engine = make_engine(loaded, limits, lambda stage: print(stage, flush=True))
    app = make_app(loaded, engine, limits)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    return f"http://127.0.0.1:{port}", thread, server


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shape", choices=SHAPES, default="8b")
    parser.add_argument("--format", choices=KINDS, default="bf16")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--url", help="run the clients alone, against this address")
    given = parser.parse_args()
    if given.url:
        print(json.dumps(vars(asyncio.run(clients(given.url, given.clients, given.seconds)))))
        return
    begin = time.perf_counter()
    loaded = random_model(SHAPES[given.shape], KINDS[given.format], given.device)
    print(f"weights in {time.perf_counter() - begin:.1f} s; {memory(given.device)}", flush=True)
    url, thread, server = serve(loaded, Limits(slots=given.clients, capacity=512))
    print(f"ready after {time.perf_counter() - begin:.1f} s; {memory(given.device)}", flush=True)
    alone = load(url, 1, given.seconds / 6, given.device)
    for _ in range(2):  # two halves, so that memory that grows shows
        together = load(url, given.clients, given.seconds / 2, given.device)
    print(f"{given.clients} clients: {together / alone:.2f} times one", flush=True)
    server.should_exit = True
    thread.join(10)


if __name__ == "__main__":
    main()
