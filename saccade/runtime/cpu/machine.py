"""What this machine has: the vector registers that kernels are shaped for, its caches and its cores, as text.

>>> host_registers()
Registers(bytes=16, count=32, dots=frozenset({'sdot', 'udot'}))
>>> describe_host()
'neoverse-n1, 2 threads, 32 registers of 16 bytes, caches of 64 KiB, 1 MiB, 32 MiB'
"""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from ..config import settings

#: Pieces of a loop that a thread gets on average where nobody says more: enough to even out threads that are
#: held up.
PIECES_PER_THREAD: Final = 8


@dataclass(frozen=True)
class Registers:
    """`count` vector registers of `bytes` each. dots: instructions that add four products of bytes to each
    lane of 32 bits, or add up two in one of 16 (`pmaddubsw`). by_lane: a multiplication takes a factor from
    one lane of a register (NEON); elsewhere a lone factor is broadcast as it is loaded, and taking it out of
    a lane costs a shuffle. masks: a load leaves out lanes that a mask names, at no cost (AVX-512). picks:
    one instruction takes each lane from any of sixteen numbers (AVX-512)."""

    bytes: int
    count: int
    dots: frozenset[str] = frozenset()
    by_lane: bool = True
    masks: bool = False
    picks: bool = False

    @property
    def byte_shuffle(self) -> str:
        """What takes each byte of a register from any of sixteen: `pshufb` (SSSE3, which `pmaddubsw` came
        with), `tbl` (NEON), or nothing."""
        if self.dots & {"pmaddubsw", "vpdpbusd"}:
            return "pshufb"
        return "tbl" if self.by_lane else ""


NEON = Registers(16, 32)
SSE = Registers(16, 16, frozenset({"pmaddubsw"}), by_lane=False)
AVX2 = Registers(32, 16, frozenset({"pmaddubsw"}), by_lane=False)
AVX512 = Registers(64, 32, frozenset({"pmaddubsw"}), by_lane=False, masks=True, picks=True)


_assumed: ContextVar[Registers | None] = ContextVar("_assumed", default=None)


def host_registers() -> Registers:
    """What kernels are shaped for: the registers of this machine, unless others are assumed."""
    return _assumed.get() or _found_registers()


@contextmanager
def assuming(registers: Registers) -> Iterator[None]:
    """Shape kernels for another machine inside the block. What was shaped before is not shaped anew."""
    token = _assumed.set(registers)
    try:
        yield
    finally:
        _assumed.reset(token)


@cache
def _found_registers() -> Registers:
    """NEON, AVX-512, AVX2, or the least x86-64 has."""
    if platform.machine().lower() in ("arm64", "aarch64"):
        return replace(NEON, dots=_arm_dots())
    flags = _flags("flags")
    if not flags:  # not Linux: AVX2 has been everywhere for ten years
        flags = frozenset({"avx2"})
    kind = AVX512 if "avx512f" in flags else AVX2 if "avx2" in flags else SSE
    return replace(kind, dots=_x86_dots(kind, flags))


def _x86_dots(kind: Registers, flags: frozenset[str]) -> frozenset[str]:
    """VNNI, or what registers of this kind have of it. The first AVX-512 had no instructions for bytes."""
    if "avx_vnni" in flags or {"avx512_vnni", "avx512vl"} <= flags:
        return frozenset({"vpdpbusd"})
    needed = "avx512bw" if kind is AVX512 else "avx2" if kind is AVX2 else "ssse3"
    return kind.dots if needed in flags else frozenset()


def _arm_dots() -> frozenset[str]:
    flags = _flags("Features")
    if platform.system() == "Darwin":  # every Apple processor of 64 bits for desktops has them
        flags = frozenset({"asimddp"})
    signed = ("sdot", "udot") if "asimddp" in flags else ()
    return frozenset((*signed, *(("usdot",) if "i8mm" in flags else ())))


def _flags(called: str) -> frozenset[str]:
    """What Linux says the processor has; nothing elsewhere."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return frozenset()
    line = next((text for text in lines if text.startswith(called)), "")
    return frozenset(line.split())


def cache_sizes(folder: Path = Path("/sys/devices/system/cpu/cpu0/cache")) -> list[int]:
    """Bytes of the caches for data, nearest first; none where the system does not tell."""
    found: dict[int, int] = {}
    for each in sorted(folder.glob("index*")):
        try:
            level, kind, size = ((each / name).read_text().strip() for name in ("level", "type", "size"))
        except OSError:  # a container may hide some of them
            continue
        if kind != "Instruction" and size.endswith("K"):
            found[int(level)] = int(size[:-1]) * 1024
    return [found[level] for level in sorted(found)]


@cache
def near_caches() -> tuple[int, int]:
    """Bytes of a core's first and second cache for data; where nobody tells, the least any has today."""
    found = cache_sizes()
    return (found[0], found[1]) if len(found) > 1 else (32 * 1024, 256 * 1024)


def describe_host() -> str:
    """The processor in a line."""
    import llvmlite.binding as llvm

    registers = host_registers()
    parts = [
        llvm.get_host_cpu_name(),
        f"{settings.threads} thread{'s' if settings.threads > 1 else ''}",
        f"{registers.count} registers of {registers.bytes} bytes",
    ]
    caches = [f"{n >> 20} MiB" if n % (1 << 20) == 0 else f"{n >> 10} KiB" for n in cache_sizes()]
    return ", ".join([*parts, f"caches of {', '.join(caches)}"] if caches else parts)
