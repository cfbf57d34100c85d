"""The register file kernels are shaped for."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Registers:
    """`count` vector registers of `bytes` each."""

    bytes: int
    count: int


@cache
def host_registers() -> Registers:
    """What this machine has: NEON, AVX-512, AVX2, or the least x86-64 has."""
    if platform.machine().lower() in ("arm64", "aarch64"):
        return Registers(16, 32)
    flags = _x86_flags()
    if "avx512f" in flags:
        return Registers(64, 32)
    return Registers(32 if "avx2" in flags else 16, 16)


def _x86_flags() -> frozenset[str]:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:  # not Linux: AVX2 has been everywhere for ten years
        return frozenset({"avx2"})
    line = next((text for text in lines if text.startswith("flags")), "")
    return frozenset(line.split())
