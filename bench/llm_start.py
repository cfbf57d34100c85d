"""From the command to the first token, and the memory of a loaded model.

    first_token(path, rounds=5)     # {"wall": 0.8, "work": 0.9}: seconds, the best of some processes
    memory(path)                    # {"file": ..., "cache": ..., "peak": ...}: bytes

`first_token` starts `saccade chat` in a pipe, warm: its programs and the byte code of its modules are on
disk. `work` is the processor time of all its threads until then. `memory` counts what a process holds above
what it held with everything imported, at the worst moment and at its end, while a prompt of 512 tokens is
read and 64 are made; the cache counts as far as it was written to.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

QUESTION = b"What is the capital of France?"
PROMPT, MADE = 512, 64

_MEMORY = """
import json, re, sys
from pathlib import Path
import saccade.llm.serving.conversation, saccade.runtime.cpu.device
from saccade.llm.files.load import load
from saccade.llm.generation.generate import Generator
from saccade.llm.generation.text import Options

def held(kind):
    return int(re.search(kind + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024

before = held("VmRSS")
loaded = load(sys.argv[1], activations="int8")
after = held("VmRSS")
generator = Generator(loaded.model, loaded.tokenizer)
made = sum(1 for _ in generator.stream([5] * int(sys.argv[2]), Options(max_tokens=int(sys.argv[3]))))
config = loaded.model.config
cache = 8 * config.layers * config.kv_heads * config.head_width * (int(sys.argv[2]) + made)
print(json.dumps({
    "cache": cache, "loaded": after - before, "peak": held("VmHWM") - before, "end": held("VmRSS") - before,
}))
"""


def _environment() -> dict[str, str]:
    """That of this process, in which modules are compiled once."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def first_token(path: Path, rounds: int) -> dict[str, float]:
    """Seconds until `saccade chat` writes something, the best of so many processes after the first."""
    best = {"wall": float("inf"), "work": float("inf")}
    for number in range(rounds + 1):
        command = [sys.executable, "-m", "saccade", "chat", str(path), "--max-tokens", "4"]
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment())
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(QUESTION)
        process.stdin.close()
        os.read(process.stdout.fileno(), 1)
        wall = time.perf_counter() - begin
        times = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        work = (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
        process.stdout.read()
        if process.wait() != 0:
            raise RuntimeError(f"saccade chat {path} ended with code {process.returncode}")
        if number:
            best = {"wall": min(best["wall"], wall), "work": min(best["work"], work)}
    return best


def memory(path: Path) -> dict[str, int]:
    """Bytes of the file, of the cache as far as it is used, and what a process holds for them."""
    command = [sys.executable, "-c", _MEMORY, str(path), str(PROMPT), str(MADE)]
    for _ in range(2):  # the first one may have to compile
        found = subprocess.run(command, capture_output=True, check=True, text=True, env=_environment())
    return {"file": path.stat().st_size, **json.loads(found.stdout)}


def tell(path: Path, rounds: int) -> None:
    """Print both."""
    times = first_token(path, rounds)
    told = f"{times['wall']:.2f} s, of processors {times['work']:.2f} s"
    print(f"{path.name:44s} first token  {told}", flush=True)
    found = memory(path)
    mega = {name: round(size / 1e6, 1) for name, size in found.items()}
    share = found["peak"] / (found["file"] + found["cache"])
    print(f"{path.name:44s} memory MB    {mega}, peak / (file + cache) {share:.2f}", flush=True)
