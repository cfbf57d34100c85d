"""Runs CUDA kernels on the host, for tests without a GPU: slow, and exact about what threads may do.

The text of a kernel is compiled as C++ with another prelude. The threads of a block are fibers of one thread; a barrier
or a shuffle switches to the next fiber until all have arrived, so a missing barrier shows as a wrong result and one that
not all threads reach ends the test.

    with emulated_gpu():
        (Tensor([1.0], device="cuda") + 1).numpy()
"""

from __future__ import annotations

import ctypes
import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from saccade.codegen.render.cuda_prelude import PRELUDE
from saccade.runtime.device import Device, Runnable
from saccade.runtime.host import HostDevice
from saccade.runtime.memory import allocate
from saccade.runtime.program import ARENA, Launch, Program, Source

SHIM = (Path(__file__).parent / "cuda_emulator.h").read_text()
COMPILER = shutil.which("g++") or shutil.which("clang++")


@cache
def _folder() -> Path:
    """Where compiled kernels are kept, with the shim compiled once for all of them."""
    key = hashlib.sha256(SHIM.encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"saccade-emulated-{key}"
    header = folder / "shim.h"
    if not header.with_suffix(".h.gch").exists():
        folder.mkdir(exist_ok=True)
        header.write_text(SHIM)
        _compile(["-x", "c++-header", "-o", str(folder / "part.gch"), str(header)])
        (folder / "part.gch").rename(header.with_suffix(".h.gch"))
    return folder


def _compile(arguments: list[str]) -> None:
    assert COMPILER is not None, "no C++ compiler"
    command = [COMPILER, "-std=c++17", "-O1", "-w", "-fPIC", "-ffp-contract=off", *arguments]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[:3000]


@dataclass(frozen=True, eq=False)
class EmulatedProgram:
    source: Source
    run: Any
    library: Any


def build(source: Source) -> EmulatedProgram:
    text = '#include "shim.h"\n' + source.text.replace(PRELUDE, "").replace("__restrict__", "")
    arguments = ", ".join(f"args[{i}]" for i in range(1 + 2 * (source.params + bool(source.workspace))))
    text += f"""
extern "C" int run(u64 *args, unsigned grid, unsigned block, unsigned shared) {{
  return run_grid(grid, block, shared, [=] {{ {source.name}((const u64 *){arguments}); }});
}}
"""
    folder = _folder()
    key = hashlib.sha256(text.encode()).hexdigest()[:32]
    path = folder / f"{key}.so"
    if not path.exists():
        unit, made = folder / f"{key}.cpp", folder / f"{key}.{id(source)}.part"
        unit.write_text(text)
        _compile(["-shared", "-o", str(made), str(unit)])
        made.rename(path)
    library = ctypes.CDLL(str(path))
    return EmulatedProgram(source, library.run, library)


class EmulatedPlan:
    def __init__(self, launches: Sequence[Launch], slots: int, arena: int) -> None:
        self.launches, self.slots, self.arena = launches, slots, arena

    def __call__(self, addresses: Sequence[int]) -> None:
        arena = allocate(max(self.arena, 1))
        for launch in self.launches:
            program = launch.program
            assert isinstance(program, EmulatedProgram)
            source = program.source
            args = [0]
            for slot, offset in launch.params:
                args += [arena.address if slot == ARENA else addresses[slot], offset]
            workspace = allocate(max(source.workspace, 1))
            if source.workspace:
                args += [workspace.address, 0]
            block = (ctypes.c_uint64 * len(args))(*args)
            failed = program.run(block, source.grid, source.block, source.shared)
            assert not failed, f"{source.name}: threads of a block wait at different barriers"


class EmulatedDevice(HostDevice):
    """Looks like the device "cuda:0"."""

    def __init__(self) -> None:
        super().__init__("cuda:0")

    def compile(self, sources: Sequence[Source]) -> list[Program]:
        return [build(s) for s in sources]

    def plan(self, launches: Sequence[Launch], slots: int, arena: int = 0) -> Runnable:
        return EmulatedPlan(launches, slots, arena)


@contextmanager
def emulated_gpu() -> Iterator[None]:
    """ "cuda:0" is the emulator inside the block."""
    before = Device._open.get("cuda:0")
    Device._open["cuda:0"] = EmulatedDevice()
    try:
        yield
    finally:
        if before is None:
            del Device._open["cuda:0"]
        else:
            Device._open["cuda:0"] = before
