"""Sources to loaded programs: from the cache on disk where possible, else compiled, several at a time.

    >>> double, halve = build([Source("double", ...), Source("halve", ...)])
    >>> double.address                            # of the native function

The key of an object is its text, the pipeline of `engine`, the version of LLVM, and the processor: a cache
folder shared between machines never gives one of them code it cannot run.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path

from ..cache.cache import Cache, key_of, shared_cache
from ..cache.turns import turn
from ..config import settings
from ..program import Source
from .engine import PIPELINE, compile_object
from .loader import Image, load


@dataclass(frozen=True, eq=False)
class CpuProgram:
    """A kernel in memory, ready to run."""

    source: Source
    address: int
    image: Image


def build(sources: Sequence[Source], store: Cache | None = None) -> list[CpuProgram]:
    """Programs for `sources`, in order; equal texts are compiled once."""
    store = shared_cache() if store is None else store
    keys = [
        key_of("object", PIPELINE, llvm_version(), processor(), str(source.quick), source.name, source.text)
        for source in sources
    ]
    images: dict[str, Image] = {}
    missing: dict[str, Source] = {}
    for key, source in zip(keys, sources, strict=True):
        if key in images or key in missing:
            continue
        image = store.load(key, partial(_placed, source.name))
        if image is None:
            missing[key] = source
        else:
            images[key] = image
    for key, image in zip(missing, _make_all(missing, store), strict=True):
        images[key] = image
    return [CpuProgram(s, images[k].address(s.name), images[k]) for k, s in zip(keys, sources, strict=True)]


def _placed(name: str, code: bytes) -> Image:
    """Object code in memory that has a function of that name."""
    image = load(code)
    image.address(name)
    return image


def _make_all(missing: Mapping[str, Source], store: Cache) -> list[Image]:
    """The images of sources by their keys, in order; each is left in the store."""
    keys, sources = list(missing), list(missing.values())
    if len(sources) <= 1 or settings.threads == 1:
        return [_made(key, source, store) for key, source in missing.items()]
    from concurrent.futures import (
        ThreadPoolExecutor,
    )  # 10 ms that a process without anything to compile is spared

    # longest first, so that no thread ends with a large one
    order = sorted(range(len(sources)), key=lambda i: -len(sources[i].text))
    with ThreadPoolExecutor(min(settings.threads, len(sources))) as threads:
        futures = {i: threads.submit(_made, keys[i], sources[i], store) for i in order}
        try:
            return [futures[i].result() for i in range(len(sources))]
        except BaseException:
            threads.shutdown(cancel_futures=True)
            raise


def _made(key: str, source: Source, store: Cache) -> Image:
    """Compiled here, or by another process while this one waits."""
    with turn(store.usable_folder(), key) as made:
        image = store.load(key, partial(_placed, source.name)) if made else None
        if image is None:
            code = compile_object(source.name, source.text, source.quick)
            image = load(code)
            store.put(key, code)
    return image


@cache
def llvm_version() -> str:
    """Which LLVM would compile, without loading it: llvmlite's file that says so."""
    found = find_spec("llvmlite")
    try:
        return Path(found.origin or "").with_name("_version.py").read_text() if found is not None else ""
    except OSError:
        return ""


@cache
def processor() -> str:
    """What tells processors with different instructions apart, without loading LLVM."""
    try:
        with Path("/proc/cpuinfo").open("rb") as file:
            first = file.read(8192).split(b"\n\n")[0].decode(errors="replace")
    except OSError:
        return f"{platform.system()} {platform.machine()} {platform.processor()}"
    wanted = ("model name", "flags", "features", "cpu implementer", "cpu part", "cpu variant", "isa")
    lines = [line for line in first.splitlines() if line.lower().startswith(wanted)]
    return "\n".join([platform.machine(), *lines])
