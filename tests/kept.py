"""Code that LLVM and NVRTC made of the same text in an earlier session.

    keep_code()     # from here on `build.compile_object` and `compile_cubin` ask this folder first

A compiler makes the same code of the same text, so long as its version, its options and the processor are
the same: all of them are in the key, and the file of ours that calls it. What our compiler does (schedules,
texts, recipes) is done again in every session, see `conftest`. `SACCADE_TESTS_KEPT=off` compiles it all.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest

#: where it lies, and for how many seconds after somebody asked for it last
FOLDER: Final = Path(tempfile.gettempdir()) / f"saccade-kept-{getattr(os, 'getuid', int)()}"
LONG: Final = 3 * 24 * 3600
_DIGEST: Final = sha256().digest_size


def keep_code() -> None:
    """In this process compilers are asked only for what nobody asked for before."""
    if os.environ.get("SACCADE_TESTS_KEPT") == "off":
        return
    from saccade.runtime.cpu import build  # who reads the settings: the environment is set by now
    from saccade.runtime.cuda import compiler

    with suppress(OSError):
        FOLDER.mkdir(mode=0o700, exist_ok=True)
    patch = pytest.MonkeyPatch()
    patch.setattr(build, "compile_object", kept(_llvm, build.compile_object))
    patch.setattr(compiler, "compile_cubin", kept(_nvrtc, compiler.compile_cubin))


def kept(version: Callable[[], str], compile_: Callable[..., bytes]) -> Callable[..., bytes]:
    """The same function of what it is given: the code comes from the folder where it is there."""

    def found_or_made(*given: Any) -> bytes:
        parts = [version(), *map(repr, given)]
        path = FOLDER / sha256("\0".join(parts).encode()).hexdigest()
        with suppress(OSError):
            data = path.read_bytes()
            if sha256(data[_DIGEST:]).digest() == data[:_DIGEST]:
                os.utime(path)
                return data[_DIGEST:]
        code = compile_(*given)
        with suppress(OSError), tempfile.NamedTemporaryFile(dir=FOLDER, delete=False) as file:
            file.write(sha256(code).digest() + code)
            file.close()
            os.replace(file.name, path)
        return code

    return found_or_made


@cache
def _llvm() -> str:
    from saccade.runtime.cpu import build, engine

    return f"{_text_of(engine)} {build.llvm_version()} {build.processor()}"


@cache
def _nvrtc() -> str:
    from cuda.bindings import nvrtc

    from saccade.runtime.cuda import compiler

    return f"{_text_of(compiler)} {nvrtc.nvrtcVersion()}"


def _text_of(module: Any) -> str:
    return Path(module.__file__).read_text()


def forget_old() -> None:
    """What nobody asked for in three days goes: drawn programs are others every time."""
    with suppress(OSError):
        for entry in os.scandir(FOLDER):
            if time.time() - entry.stat().st_mtime > LONG:
                os.unlink(entry)
