"""The settings of the runtime: one value, read once from the environment.

    >>> settings.threads          # cores this process may use, or SACCADE_THREADS
    2

| field | variable | meaning |
|---|---|---|
| threads | SACCADE_THREADS | threads that run kernels, the caller included |
| spin_us | SACCADE_SPIN_US | microseconds an idle worker watches for work before it sleeps |
| cache | SACCADE_CACHE | folder of the caches on disk, for them alone; `off` keeps them in memory |
| cache_bytes | SACCADE_CACHE_BYTES | size the folder may reach before old entries are removed |
| graph_nodes | SACCADE_GRAPH_NODES | operations compiled as one; a graph of more is cut into parts |
| graph_bytes | SACCADE_GRAPH_BYTES | bytes of values stored by such a graph; one of more is cut into parts |
| device | SACCADE_DEVICE | the default device; `auto` is a GPU that works, else the CPU |
| searched | SACCADE_SEARCHED | 1: kernels use the moves a search found for them; 0: heuristics only |
| search_results | SACCADE_SEARCH_RESULTS | a file of search results to use, beside those found here |
| cuda_timeout | SACCADE_CUDA_TIMEOUT | seconds after which work of a GPU that does not end is given up |
| cuda_check | SACCADE_CUDA_CHECK | 1: wait for each kernel of a GPU: errors name the one that failed |
| cuda_overlap | SACCADE_CUDA_OVERLAP | 0: a kernel of a GPU is started when the one before it has ended |
| mps | SACCADE_MPS | 0: processes that share a GPU do so without NVIDIA's Multi-Process Service |
| wgmma | SACCADE_WGMMA | 1: Hopper multiplies matrices by warpgroups; 0: by warps, as older cards do |
| tf32 | SACCADE_TF32 | 1: tensor cores multiply float32, rounded to 10 of its 23 bits; 0 (default): all |
| winograd | SACCADE_WINOGRAD | 1: GPUs convolve float32 in tiles where that is faster; 0: by direct sums |
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

#: More threads than this would only lengthen the queue for memory, and the pool's records are allocated for
#: it.
MOST_THREADS = 1024


@dataclass(frozen=True)
class Settings:
    """See the module's table."""

    threads: int
    spin_us: int
    cache: Path | None
    cache_bytes: int
    graph_nodes: int
    graph_bytes: int
    device: str
    searched: bool
    search_results: Path | None
    wgmma: bool
    cuda_timeout: int
    cuda_check: bool
    cuda_overlap: bool
    mps: bool
    tf32: bool
    winograd: bool


def available_cores() -> int:
    """Cores this process may run on: its affinity, less a container's CPU quota."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    quota = _cpu_quota()
    return max(1, min(cores, math.ceil(quota)) if quota else cores)


def _cpu_quota() -> float | None:
    """Cores granted by the control group (`docker --cpus=2` gives 2.0), None where there is no limit."""
    try:
        limit, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
    except (OSError, ValueError):  # not Linux, or version 1 groups: no quota is known
        return None
    return None if limit == "max" else int(limit) / int(period)


def default_cache_folder() -> Path:
    """Where this platform keeps caches of a user."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "saccade"


def _number(name: str, default: Callable[[], int], least: int, most: int) -> int:
    text = os.environ.get(name)
    if text is None or text == "":
        return default()
    try:
        value = int(text)
    except ValueError:
        raise ValueError(
            f"{name}={text!r} is not a whole number: set it to {least}..{most} or unset it"
        ) from None
    if not least <= value <= most:
        raise ValueError(f"{name}={value} is out of range: set it to {least}..{most} or unset it")
    return value


def read_settings() -> Settings:
    """The settings the environment asks for now."""
    cache = os.environ.get("SACCADE_CACHE")
    try:
        folder = None if cache == "off" else Path(cache) if cache else default_cache_folder()
    except RuntimeError:  # no home directory
        folder = None
    return Settings(
        threads=_number("SACCADE_THREADS", available_cores, 1, MOST_THREADS),
        spin_us=_number("SACCADE_SPIN_US", lambda: 50, 0, 1_000_000),
        cache=folder,
        cache_bytes=_number("SACCADE_CACHE_BYTES", lambda: 1 << 30, 0, 1 << 62),
        graph_nodes=_number("SACCADE_GRAPH_NODES", lambda: 4096, 1, 1 << 62),
        graph_bytes=_number("SACCADE_GRAPH_BYTES", lambda: 1 << 34, 1, 1 << 62),
        device=os.environ.get("SACCADE_DEVICE") or "auto",
        searched=bool(_number("SACCADE_SEARCHED", lambda: 1, 0, 1)),
        search_results=Path(results) if (results := os.environ.get("SACCADE_SEARCH_RESULTS")) else None,
        wgmma=bool(_number("SACCADE_WGMMA", lambda: 1, 0, 1)),
        cuda_timeout=_number("SACCADE_CUDA_TIMEOUT", lambda: 600, 1, 1_000_000),
        cuda_check=bool(_number("SACCADE_CUDA_CHECK", lambda: 0, 0, 1)),
        cuda_overlap=bool(_number("SACCADE_CUDA_OVERLAP", lambda: 1, 0, 1)),
        mps=bool(_number("SACCADE_MPS", lambda: 1, 0, 1)),
        tf32=bool(_number("SACCADE_TF32", lambda: 0, 0, 1)),
        winograd=bool(_number("SACCADE_WINOGRAD", lambda: 1, 0, 1)),
    )


settings = read_settings()
