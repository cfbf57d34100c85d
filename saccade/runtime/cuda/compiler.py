"""CUDA C++ in, cubin out: NVRTC, with the results kept on disk.

    >>> build([CudaSource("double", text, ...)], "sm_90a")
    [b'\\x7fELF...']

The key of a cubin is its text, its architecture and the options. The version of NVRTC is not part of it:
asking would load the compiler, which a process that finds everything in the cache never does, and a cubin
runs on every card of its architecture, whichever version made it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import repeat
from typing import Any, Final

from ..cache.cache import Cache, key_of, shared_cache
from ..cache.turns import turn
from ..config import settings
from ..program import CompileError, Source
from .interrupts import handlers_kept

#: Changes whenever the same text would compile to other code.
PIPELINE: Final = "nvrtc,1"
OPTIONS: Final = ("--std=c++17", "--disable-warnings")
#: Leaves out of the language what we never use, a sixth of the time of a small kernel, and the first version
#: that knows it. The code is the same, so it is no part of the key.
_MINIMAL: Final = ("--minimal", (12, 4))
_LINE: Final = re.compile(r"\((\d+)\): (?:error|catastrophic error)")


def architecture(major: int, minor: int) -> str:
    """The target for a compute capability: Hopper and later with their own instructions (sm_90a)."""
    return f"sm_{major}{minor}{'a' if major >= 9 else ''}"


def build(sources: Sequence[Source], arch: str, store: Cache | None = None) -> list[bytes]:
    """A cubin for each source, in order; equal texts are compiled once, several at a time, by one of the
    processes that want them."""
    store = shared_cache() if store is None else store
    keys = [_key(source, arch) for source in sources]
    found: dict[str, bytes] = {}
    missing: dict[str, Source] = {}
    for key, source in zip(keys, sources, strict=True):
        if key in found or key in missing:
            continue
        code = store.get(key)
        if code is None:
            missing[key] = source
        else:
            found[key] = code
    for key, code in zip(missing, _make_all(missing, arch, store), strict=True):
        found[key] = code
    return [found[key] for key in keys]


def forget(source: Source, arch: str, reason: str, store: Cache | None = None) -> None:
    """Drop a cubin that the driver refused: the next `build` compiles it."""
    (shared_cache() if store is None else store).discard(_key(source, arch), reason)


def _key(source: Source, arch: str) -> str:
    return key_of("cubin", PIPELINE, " ".join(OPTIONS), arch, source.name, source.text)


def _make_all(missing: Mapping[str, Source], arch: str, store: Cache) -> list[bytes]:
    """The cubins of sources by their keys, in order; each is left in the store."""
    if not missing:
        return []
    with handlers_kept():
        if len(missing) == 1:
            return [_made(key, source, arch, store) for key, source in missing.items()]
        with ThreadPoolExecutor(min(settings.threads, len(missing))) as threads:
            return list(threads.map(_made, missing, missing.values(), repeat(arch), repeat(store)))


def _made(key: str, source: Source, arch: str, store: Cache) -> bytes:
    """Compiled here, or by another process while this one waits."""
    with turn(store.usable_folder(), key) as made:
        code = store.get(key) if made else None
        if code is None:
            code = compile_cubin(source, arch)
            store.put(key, code)
    return code


def compile_cubin(source: Source, arch: str) -> bytes:
    """The cubin of one source, or CompileError with the compiler's messages and the lines they point at."""
    from cuda.bindings import nvrtc

    return _compiled(source, arch, nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN)


def compile_ptx(source: Source, arch: str) -> str:
    """The PTX of one source, for people."""
    from cuda.bindings import nvrtc

    virtual = arch.replace("sm_", "compute_")
    return _compiled(source, virtual, nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX).rstrip(b"\0").decode()


def _compiled(source: Source, arch: str, size: Callable[[Any], Any], get: Callable[..., Any]) -> bytes:
    from cuda.bindings import nvrtc

    program = _value(nvrtc.nvrtcCreateProgram(source.text.encode(), f"{source.name}.cu".encode(), 0, [], []))
    try:
        options = [o.encode() for o in (f"--gpu-architecture={arch}", *OPTIONS, *_quick_options())]
        (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            log = b" " * _value(nvrtc.nvrtcGetProgramLogSize(program))
            _value(nvrtc.nvrtcGetProgramLog(program, log))
            raise CompileError(source.name, source.text, _explain(log.rstrip(b"\0 ").decode(), source.text))
        code = b" " * _value(size(program))
        _value(get(program, code))
        return bytes(code)
    finally:
        nvrtc.nvrtcDestroyProgram(program)


@cache
def _quick_options() -> tuple[str, ...]:
    from cuda.bindings import nvrtc

    option, since = _MINIMAL
    status, *version = nvrtc.nvrtcVersion()
    return (option,) if status == nvrtc.nvrtcResult.NVRTC_SUCCESS and tuple(version) >= since else ()


def _value(result: tuple[Any, ...]) -> Any:
    from cuda.bindings import nvrtc

    if result[0] != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        text = nvrtc.nvrtcGetErrorString(result[0])[1].decode()
        raise RuntimeError(f"NVRTC, the CUDA compiler, failed: {text}; is nvidia-cuda-nvrtc installed?")
    return result[1] if len(result) > 1 else None


def _explain(log: str, text: str) -> str:
    lines = text.splitlines()
    told = [log]
    for number in dict.fromkeys(int(m[1]) for m in _LINE.finditer(log)):
        if 0 < number <= len(lines):
            told.append(f"line {number}: {lines[number - 1]}")
    return "\n".join(told)
