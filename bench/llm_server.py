"""`saccade serve` under clients of the `openai` package, some of which leave early.

python -m bench.llm_server FILE [--clients 4] [--seconds 120]

One client alone first, for a tenth of the time; then all of them. Each asks again and again: streams of which
every fourth is left after a few tokens, whole answers, texts with a seed, JSON of a schema. It counts answers
that are whole, left and failed, tokens a second, and the memory of the server, which has to stay what it is
after the first third. The exit code is 1 where a request failed or memory grew by more than 5%.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

QUESTIONS = (
    "What is the capital of France?", "Write a haiku about the sea.", "Why is the sky blue?",
    "Count from one to ten in words.", "Name three rivers and say where they are.",
)  # fmt: skip
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 12}, "tall": {"type": "boolean"}},
    "required": ["name", "tall"],
}
GROWTH = 1.05


@dataclass
class Count:
    """What clients got."""

    whole: int = 0
    left: int = 0
    tokens: int = 0
    failed: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


def ask(client: Any, draw: random.Random, count: Count) -> None:
    """One request, of one of the kinds."""
    messages = [{"role": "user", "content": draw.choice(QUESTIONS)}]
    told: dict[str, Any] = {"model": "-", "messages": messages, "max_tokens": draw.randint(8, 48)}
    kind = draw.randrange(8)
    if kind == 0:
        form = {"type": "json_schema", "json_schema": {"name": "person", "schema": SCHEMA}}
        made = client.chat.completions.create(
            **told | {"max_tokens": 64}, temperature=0, response_format=form
        )
        if made.choices[0].finish_reason == "stop":
            json.loads(made.choices[0].message.content)
        tokens, left = made.usage.completion_tokens, False
    elif kind == 1:
        made = client.chat.completions.create(**told, temperature=0.8, seed=draw.randrange(100))
        tokens, left = made.usage.completion_tokens, False
    else:
        most = draw.randint(1, 6) if kind < 4 else None
        tokens, left = 0, False
        with client.chat.completions.create(**told, temperature=0, stream=True) as stream:
            for chunk in stream:
                tokens += bool(chunk.choices and chunk.choices[0].delta.content)
                if most is not None and tokens >= most:
                    left = True
                    break
    with count.lock:
        count.whole, count.left = count.whole + (not left), count.left + left
        count.tokens += tokens


def clients(address: str, number: int, seconds: float) -> Count:
    """So many clients for so long."""
    import openai

    count, end = Count(), time.monotonic() + seconds

    def work(seed: int) -> None:
        client = openai.OpenAI(base_url=f"{address}/v1", api_key="-", max_retries=0, timeout=120)
        draw = random.Random(seed)
        while time.monotonic() < end:
            try:
                ask(client, draw, count)
            except Exception as error:  # noqa: BLE001 - each is counted and told
                with count.lock:
                    count.failed.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return count


def resident(process: int) -> int:
    """Bytes that a process holds."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def watch(process: int, seen: list[int], end: threading.Event) -> None:
    while not end.wait(1.0):
        seen.append(resident(process))


def measure(address: str, process: int, number: int, seconds: float) -> int:
    """Ask, and print what came of it; the exit code."""
    alone = clients(address, 1, seconds / 10)
    seen, end = [resident(process)], threading.Event()
    watcher = threading.Thread(target=watch, args=(process, seen, end))
    watcher.start()
    begin = time.monotonic()
    found = clients(address, number, seconds)
    rate = found.tokens / (time.monotonic() - begin)
    end.set()
    watcher.join()
    one = alone.tokens / (seconds / 10)
    warm, last = max(seen[: len(seen) // 3 + 1]), max(seen[2 * len(seen) // 3 :])
    print(f"{number} clients, {seconds:g} s: {found.whole} whole, {found.left} left early, ", end="")
    print(f"{len(alone.failed) + len(found.failed)} failed")
    print(f"tokens/s {rate:.1f}, one client {one:.1f}, ratio {rate / max(one, 1e-9):.2f}")
    print(f"memory MB: first third at most {warm / 1e6:.1f}, last third {last / 1e6:.1f}", flush=True)
    for each in [*alone.failed, *found.failed][:5]:
        print(f"failed: {each}")
    return int(bool(alone.failed or found.failed) or last > GROWTH * warm)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=120.0)
    given = parser.parse_args()
    command = [sys.executable, "-m", "saccade", "serve", str(given.file), "--port", "0"]
    process = subprocess.Popen([*command, "--slots", str(given.clients)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line.startswith("listening at "):
            print("the server did not start")
            return 1
        return measure(line.split()[-1], process.pid, given.clients, given.seconds)
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    raise SystemExit(main())
