"""Kernels for processors that this machine is not: compiled by LLVM for all of them, run where emulated.

    source = source_on(kernel, PLATFORMS["x86-64-v4 linux"])
    code = compiled(source, PLATFORMS["x86-64-v4 linux"])        # an object file
    emulate(source, code, addresses, sizes)                      # of EMULATED; needs the package unicorn

A kernel is shaped for the vector registers of the platform, as it would be there. The emulator is an x86-64
without AVX, or an arm64: it runs the code of `EMULATED`, placed by our own loader, on the memory of this
process.
"""

from __future__ import annotations

import importlib.util
import mmap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...codegen.compile import shaped, source_of
from ...graph.kernels.kernel import Kernel
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
#: Those whose code the emulator runs, by processor.
EMULATED: Final = {"x86-64": PLATFORMS["x86-64-v2 linux"], "arm64": PLATFORMS["arm64 linux"]}


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


# --- running x86-64 and arm64

_STACK: Final = 1 << 20
#: where a kernel returns to; nothing is there
_HOME: Final = 0x1000


class Leaves(Exception):
    """The code calls a function of its system, which the emulator does not have."""


def emulate(source: Source, code: bytes, addresses: Sequence[int], sizes: Sequence[int]) -> None:
    """Run all tasks of a kernel of `EMULATED` on memory of this process: addresses, and how many bytes each
    has."""
    import unicorn

    try:
        image = ElfImage(code)
    except OSError as error:  # halves without F16C, for one: a function of libgcc that other systems have not
        raise Leaves(str(error)) from None
    stack, scratch = np.zeros(_STACK, np.uint8), np.zeros(source.scratch + 128, np.uint8)
    params = np.array([*addresses, 0], np.uint64)
    memory = [image.extent, *zip(addresses, sizes, strict=True)]
    memory += [(each.ctypes.data, each.nbytes) for each in (stack, scratch, params)]
    processor = _x86_64() if code[_MACHINE_AT] == _X86_64 else _arm64()
    machine = processor.machine
    for start, end in _pages(memory):
        machine.mem_map_ptr(start, end - start, unicorn.UC_PROT_ALL, start)
    machine.mem_map(_HOME, mmap.PAGESIZE)
    aligned = scratch.ctypes.data + -scratch.ctypes.data % 64
    arguments = (params.ctypes.data, 0, source.tasks, aligned)
    for register, value in zip(processor.arguments, arguments, strict=True):
        machine.reg_write(register, value)
    processor.enter(stack.ctypes.data + _STACK - 64)
    try:
        machine.emu_start(image.address(source.name), _HOME)
    except unicorn.UcError as error:
        if error.errno == unicorn.UC_ERR_FETCH_UNMAPPED:
            raise Leaves(f"{source.name} calls a function of its system") from None
        place = machine.reg_read(processor.counter) - image.extent[0]
        raise AssertionError(
            f"{source.name} on {processor.name}, at byte {place} of its code: {error}"
        ) from None


#: Where an ELF file names its processor, and that of x86-64.
_MACHINE_AT, _X86_64 = 18, 62


@dataclass(frozen=True)
class _Processor:
    """An emulated processor: the registers of the first four arguments, the program counter, and how a
    function is entered with a stack that ends here, so that it returns to `_HOME`."""

    name: str
    machine: Any
    arguments: tuple[int, ...]
    counter: int
    enter: Callable[[int], None]


def _x86_64() -> _Processor:
    """A plain one, without AVX."""
    import unicorn
    from unicorn import x86_const as x86

    machine: Any = unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_64)

    def enter(end: int) -> None:
        top = end // 16 * 16 - 8
        machine.mem_write(top, _HOME.to_bytes(8, "little"))
        machine.reg_write(x86.UC_X86_REG_RSP, top)

    arguments = (x86.UC_X86_REG_RDI, x86.UC_X86_REG_RSI, x86.UC_X86_REG_RDX, x86.UC_X86_REG_RCX)
    return _Processor("x86-64", machine, arguments, x86.UC_X86_REG_RIP, enter)


def _arm64() -> _Processor:
    """A Cortex-A72 with its vector registers."""
    import unicorn
    from unicorn import arm64_const as arm

    machine: Any = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
    machine.ctl_set_cpu_model(arm.UC_CPU_ARM64_A72)

    def enter(end: int) -> None:
        machine.reg_write(arm.UC_ARM64_REG_CPACR_EL1, 3 << 20)  # vector instructions do not trap
        machine.reg_write(arm.UC_ARM64_REG_SP, end // 16 * 16)
        machine.reg_write(arm.UC_ARM64_REG_LR, _HOME)

    arguments = (arm.UC_ARM64_REG_X0, arm.UC_ARM64_REG_X1, arm.UC_ARM64_REG_X2, arm.UC_ARM64_REG_X3)
    return _Processor("arm64", machine, arguments, arm.UC_ARM64_REG_PC, enter)


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
