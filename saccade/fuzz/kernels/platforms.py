"""Kernels for processors that this machine is not: compiled by LLVM for all of them, run where emulated.

    source = source_on(kernel, PLATFORMS["x86-64-v4 linux"])
    code = compiled(source, PLATFORMS["x86-64-v4 linux"])        # an object file
    emulate(source, code, addresses, sizes)                      # of EMULATED; needs the package unicorn

A kernel is shaped for the vector registers of the platform, as it would be there. The emulator is a plain
x86-64 without AVX: it runs the code of `EMULATED`, placed by our own loader, on the memory of this process.
"""

from __future__ import annotations

import importlib.util
import mmap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...codegen.compile import shaped, source_of
from ...graph.kernel import Kernel
from ...runtime.cpu.engine import Target, compile_object
from ...runtime.cpu.loader import ElfImage
from ...runtime.cpu.machine import AVX2, AVX512, NEON, SSE, Registers, assuming
from ...runtime.program import Source


@dataclass(frozen=True)
class Platform:
    """A system and a processor, and how the object files of that system begin."""

    target: Target
    registers: Registers
    magic: bytes


_ELF, _MACHO, _COFF_X86, _COFF_ARM = b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\x64\x86", b"\x64\xaa"

PLATFORMS: Final = {
    "x86-64-v2 linux": Platform(Target("x86_64-unknown-linux-gnu", "x86-64-v2"), SSE, _ELF),
    "x86-64-v3 linux": Platform(Target("x86_64-unknown-linux-gnu", "x86-64-v3"), AVX2, _ELF),
    "x86-64-v4 linux": Platform(Target("x86_64-unknown-linux-gnu", "x86-64-v4"), AVX512, _ELF),
    "arm64 linux": Platform(Target("aarch64-unknown-linux-gnu", "cortex-a72"), NEON, _ELF),
    "arm64 apple": Platform(Target("arm64-apple-macosx13.0", "apple-m1"), NEON, _MACHO),
    "x86-64 apple": Platform(Target("x86_64-apple-macosx13.0", "x86-64-v3"), AVX2, _MACHO),
    "x86-64 windows": Platform(Target("x86_64-pc-windows-msvc", "x86-64-v3"), AVX2, _COFF_X86),
    "arm64 windows": Platform(Target("aarch64-pc-windows-msvc", "cortex-a72"), NEON, _COFF_ARM),
}
EMULATED: Final = PLATFORMS["x86-64-v2 linux"]


def source_on(kernel: Kernel, platform: Platform) -> Source:
    """The source of a kernel with the moves it has on a platform."""
    with assuming(platform.registers):
        return source_of(kernel, shaped.__wrapped__(kernel))  # what is known of kernels is known of this host


def compiled(source: Source, platform: Platform) -> bytes:
    """The object file for a platform; CompileError where LLVM cannot, AssertionError where it is none."""
    code = compile_object(source.name, source.text, source.quick, platform.target)
    if not code.startswith(platform.magic):
        raise AssertionError(f"for {platform.target.triple} the object begins with {code[:4]!r}")
    return code


def has_emulator() -> bool:
    return importlib.util.find_spec("unicorn") is not None


# --- running x86-64

_STACK: Final = 1 << 20
#: where a kernel returns to; nothing is there
_HOME: Final = 0x1000


class Leaves(Exception):
    """The code calls a function of its system, which the emulator does not have."""


def emulate(source: Source, code: bytes, addresses: Sequence[int], sizes: Sequence[int]) -> None:
    """Run all tasks of an x86-64 kernel on memory of this process: addresses, and how many bytes each has."""
    import unicorn
    from unicorn import x86_const as x86

    try:
        image = ElfImage(code)
    except OSError as error:  # halves without F16C, for one: a function of libgcc that other systems have not
        raise Leaves(str(error)) from None
    stack, scratch = np.zeros(_STACK, np.uint8), np.zeros(source.scratch + 128, np.uint8)
    params = np.array([*addresses, 0], np.uint64)
    memory = [image.extent, *zip(addresses, sizes, strict=True)]
    memory += [(each.ctypes.data, each.nbytes) for each in (stack, scratch, params)]
    machine: Any = unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_64)
    for start, end in _pages(memory):
        machine.mem_map_ptr(start, end - start, unicorn.UC_PROT_ALL, start)
    machine.mem_map(_HOME, mmap.PAGESIZE)
    top = (stack.ctypes.data + _STACK - 64) // 16 * 16 - 8
    machine.mem_write(top, _HOME.to_bytes(8, "little"))
    aligned = scratch.ctypes.data + -scratch.ctypes.data % 64
    for register, value in (
        (x86.UC_X86_REG_RSP, top),
        (x86.UC_X86_REG_RDI, params.ctypes.data),
        (x86.UC_X86_REG_RSI, 0),
        (x86.UC_X86_REG_RDX, source.tasks),
        (x86.UC_X86_REG_RCX, aligned),
    ):
        machine.reg_write(register, value)
    try:
        machine.emu_start(image.address(source.name), _HOME)
    except unicorn.UcError as error:
        if error.errno == unicorn.UC_ERR_FETCH_UNMAPPED:
            raise Leaves(f"{source.name} calls a function of its system") from None
        place = machine.reg_read(x86.UC_X86_REG_RIP) - image.extent[0]
        raise AssertionError(f"{source.name} on x86-64, at byte {place} of its code: {error}") from None


def _pages(memory: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pages that (address, bytes) lie on, as stretches that do not touch."""
    page = mmap.PAGESIZE
    found: list[tuple[int, int]] = []
    for address, nbytes in sorted(memory):
        start, end = address // page * page, -(-(address + nbytes) // page) * page
        if found and start <= found[-1][1]:
            start, before = found.pop()
            end = max(end, before)
        if end > start:
            found.append((start, end))
    return found
