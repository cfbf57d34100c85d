"""Machine code of a recorded kernel: assembly of the CPU, PTX and, where a disassembler is there, SASS.

    machine_code("add_64x256", text, quick=False, architecture="")      # x86-64 or arm64 assembly
    machine_code("add_64x256", text, quick=False, architecture="sm_90a")

Nothing of it is recorded, so that recording costs nothing: the source is compiled again when somebody looks,
for this processor or for the card it was made for. A child process compiles, because a recording may come
from anybody and a compiler that is fed nonsense may end its process. Nothing of the result is run.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

#: Seconds a kernel may take to compile, and characters of code that a page is given.
_SECONDS: Final = 60
MOST_TEXT: Final = 2_000_000


@lru_cache(maxsize=64)
def machine_code(name: str, text: str, quick: bool, architecture: str) -> dict[str, str]:
    """`kind` ("assembly", "PTX", "PTX and SASS"), `target` and `text`; where there is none, `kind` is empty
    and `text` says why."""
    asked = json.dumps({"name": name, "text": text, "quick": quick, "architecture": architecture})
    command = [sys.executable, "-m", "saccade.viz.machine_code"]
    try:
        done = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return _none(f"compiling took more than {_SECONDS} s")
    if done.returncode != 0:
        why = done.stderr.strip().splitlines()[-1:] or [f"the compiler ended with code {done.returncode}"]
        return _none(why[0][:500])
    told: dict[str, str] = json.loads(done.stdout)
    return told | {"text": told["text"][:MOST_TEXT]}


def _none(why: str) -> dict[str, str]:
    return {"kind": "", "target": "", "text": f"there is no machine code: {why}"}


def _compiled(name: str, text: str, quick: bool, architecture: str) -> dict[str, str]:
    if architecture:
        return _of_gpu(name, text, architecture)
    if "define " not in text:
        return _none("this device runs kernels without compiling them")
    from saccade.runtime.cpu.engine import assembly_of

    import llvmlite.binding as llvm  # isort: skip

    target = f"{llvm.get_host_cpu_name()}, {llvm.get_process_triple().partition('-')[0]}"
    return {"kind": "assembly", "target": target, "text": assembly_of(name, text, quick)}


def _of_gpu(name: str, text: str, architecture: str) -> dict[str, str]:
    from saccade.runtime.cuda.compiler import compile_cubin, compile_ptx
    from saccade.runtime.program import Source

    source = Source(name, text, tasks=1, params=0)
    ptx = compile_ptx(source, architecture)
    tool = shutil.which("nvdisasm")
    if tool is None:
        return {"kind": "PTX", "target": architecture, "text": ptx}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(compile_cubin(source, architecture))
        sass = subprocess.run([tool, "-c", str(path)], capture_output=True, text=True, check=True).stdout
    return {"kind": "PTX and SASS", "target": architecture, "text": f"{sass}\n// PTX\n{ptx}"}


if __name__ == "__main__":
    asked: dict[str, Any] = json.load(sys.stdin)
    print(json.dumps(_compiled(**asked)))
