"""What surrounds NVRTC; `tests/codegen/test_cuda_render.py` compiles."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from saccade.runtime.cache.cache import Cache
from saccade.runtime.cuda import compiler, interrupts
from saccade.runtime.cuda.compiler import architecture, build
from saccade.runtime.program import Source

from ..patience import HANG


def source(name: str) -> Source:
    return Source(name, f"// {name}", 1, 0, grid=1, block=32)


@pytest.fixture(name="store")
def store_fixture(tmp_path: Path) -> Cache:
    return Cache(tmp_path, 1 << 20)


def test_architectures() -> None:
    assert [architecture(*version) for version in ((7, 5), (8, 0), (9, 0))] == ["sm_75", "sm_80", "sm_90a"]


def test_equal_texts_are_compiled_once(store: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def compile_cubin(each: Source, arch: str) -> bytes:
        compiled.append(f"{each.name} {arch}")
        return f"{each.name} {arch}".encode()

    monkeypatch.setattr(compiler, "compile_cubin", compile_cubin)
    wanted = [source("a"), source("b"), source("a")]
    assert build(wanted, "sm_80", store) == [b"a sm_80", b"b sm_80", b"a sm_80"]
    assert build(wanted, "sm_80", store) == [b"a sm_80", b"b sm_80", b"a sm_80"]
    assert sorted(compiled) == ["a sm_80", "b sm_80"]
    assert build([source("a")], "sm_90a", store) == [b"a sm_90a"]  # another card, other code


@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux handlers are watched")
@pytest.mark.parametrize("count", [1, 3])
def test_an_interrupt_is_pythons_while_the_compiler_has_a_handler(
    count: int, store: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    ignore = ctypes.c_void_p(1)

    def handler(libc: Any) -> int:
        return interrupts._handler(interrupts._current(libc.sigaction))

    def compile_cubin(each: Source, arch: str) -> bytes:
        if each.name == "k0":
            libc = ctypes.CDLL(None)
            ours = handler(libc)
            libc.signal(signal.SIGINT, ignore)  # as NVRTC does, unseen by Python
            end = time.monotonic() + HANG
            while handler(libc) != ours:  # put back by the thread that watches
                assert time.monotonic() < end
                time.sleep(0.001)
            os.kill(os.getpid(), signal.SIGINT)
        return b"code"

    monkeypatch.setattr(compiler, "compile_cubin", compile_cubin)
    names = [f"k{n}" for n in range(count)]

    def work() -> None:
        build([source(name) for name in names], "sm_80", store)
        time.sleep(HANG)

    with pytest.raises(KeyboardInterrupt):
        work()
