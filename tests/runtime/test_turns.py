"""Processes that want the same program take turns: one compiles it, the others read it."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from saccade.runtime.cache import turns
from saccade.runtime.cache.cache import Cache
from saccade.runtime.cache.folder import MARKER, claim
from saccade.runtime.cache.turns import turn
from saccade.runtime.cpu import build as build_module
from saccade.runtime.cpu.build import build
from saccade.runtime.cuda import compiler
from saccade.runtime.program import Source

from ..patience import HANG
from .fake_gpu import NEEDS_A_DRIVER, printed


def needs_a_driver(test: Callable[..., None]) -> Callable[..., None]:
    for mark in NEEDS_A_DRIVER:
        test = mark(test)
    return test


KEYS = "1" * 64, "2" * 64
pytestmark = pytest.mark.skipif(os.name != "posix", reason="locks of open files are those of Linux")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    claim(tmp_path / "cache")
    return tmp_path / "cache"


def test_a_turn_that_is_taken_is_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By another thread as by another process; other keys, and the same later, are free at once."""
    waiting, told = threading.Event(), []
    monkeypatch.setattr(turns.time, "sleep", lambda seconds: waiting.set())

    def second() -> None:
        with turn(folder, KEYS[0]) as waited:
            told.append((waited, open_turn))

    open_turn = True
    with turn(folder, KEYS[0]) as first:
        thread = threading.Thread(target=second)
        thread.start()
        assert waiting.wait(HANG)
        with turn(folder, KEYS[1]) as other:
            pass
        open_turn = False
    thread.join(HANG)
    with turn(folder, KEYS[0]) as again:
        pass
    assert (first, other, again, told) == (False, False, False, [(True, False)])


def test_whoever_waits_too_long_goes_on_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "PATIENCE", 0.02)
    with turn(folder, KEYS[0]), turn(folder, KEYS[0]) as waited:
        assert waited
    with turn(folder, KEYS[0]) as waited:
        assert not waited


def test_what_was_made_before_the_turn_came_is_told(folder: Path) -> None:
    Cache(folder, 1 << 20).put(KEYS[0], b"made")
    with turn(folder, KEYS[0]) as made:
        assert made


def test_nobody_waits_for_those_who_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def sleep(seconds: float) -> None:
        raise AssertionError("it was waited for")

    monkeypatch.setattr(turns.time, "sleep", sleep)
    Cache(folder, 1 << 20).put(KEYS[0], b"made")
    with turn(folder, KEYS[0]) as first, turn(folder, KEYS[0]) as second:
        assert [first, second] == [True, True]


def test_turns_of_keys_that_begin_alike_are_taken_inside_each_other(folder: Path) -> None:
    other = KEYS[0][:8] + KEYS[1][8:]
    with turn(folder, KEYS[0]), turn(folder, other) as waited:
        assert not waited


@pytest.mark.parametrize("missing", ["folder", "tag", "no folder"])
def test_without_a_folder_of_ours_nobody_waits(folder: Path, missing: str) -> None:
    if missing == "tag":
        (folder / MARKER).unlink()
    where = {"folder": folder / "none", "tag": folder, "no folder": None}[missing]
    with turn(where, KEYS[0]) as first, turn(where, KEYS[0]) as second:
        assert [first, second] == [False, False]


def _together(work: Callable[[Any, Any], None]) -> int:
    """How often four processes that begin at the same time count, in all."""
    context = multiprocessing.get_context("fork")
    barrier, counted = context.Barrier(4), context.Value("i", 0)
    made = [context.Process(target=work, args=(barrier, counted)) for _ in range(4)]
    for process in made:
        process.start()
    for process in made:
        process.join(HANG)
    assert [process.exitcode for process in made] == [0] * 4
    return int(counted.value)


def test_processes_that_begin_together_compile_a_kernel_once(folder: Path, kernels: Any) -> None:
    source, real = kernels.get("add", 10).source, build_module.compile_object

    def work(barrier: Any, compiled: Any) -> None:
        def counting(name: str, text: str, quick: bool) -> bytes:
            with compiled.get_lock():
                compiled.value += 1
            return real(name, text, quick)

        build_module.compile_object = counting
        barrier.wait(HANG)
        build([source], Cache(folder, 1 << 30))

    assert _together(work) == 1


def test_processes_that_begin_together_compile_kernels_of_a_gpu_once(folder: Path) -> None:
    sources = [Source(name, f"// {name}", 1, 1, grid=1, block=32) for name in ("a", "b", "c")]

    def work(barrier: Any, compiled: Any) -> None:
        def counting(source: Source, arch: str) -> bytes:
            with compiled.get_lock():
                compiled.value += 1
            return source.text.encode()

        compiler.compile_cubin = counting
        barrier.wait(HANG)
        cubins = compiler.build(sources, "sm_90a", Cache(folder, 1 << 30))
        assert cubins == [b"// a", b"// b", b"// c"]

    assert _together(work) == 3


#: so many processes compute the same of two arrays on a GPU; the kernels that were written, in all
WRITTEN = """
import multiprocessing
import sys
import numpy as np
import saccade.runtime.cuda.compiler as compiler
import saccade.tensor.programs.prepare as prepare
from saccade import Tensor

compiler.compile_cubin = lambda source, arch: b"no code"
context = multiprocessing.get_context("fork")
number = int(sys.argv[1])
barrier, written = context.Barrier(number), context.Value("i", 0)
real = prepare.source_for

def counting(kernel, device):
    with written.get_lock():
        written.value += 1
    return real(kernel, device)

def work():
    prepare.source_for = counting
    a, b = (Tensor(np.ones((5, 7), np.float32), device="cuda").realize() for _ in range(2))
    barrier.wait()
    ((a @ b.T).exp().sum(0) + 1).realize()

made = [context.Process(target=work) for _ in range(number)]
for process in made:
    process.start()
for process in made:
    process.join()
print(sum(process.exitcode for process in made), written.value)
"""


@needs_a_driver
def test_processes_that_begin_together_lower_a_program_of_a_gpu_once(tmp_path: Path, driver: Path) -> None:
    def told(processes: str) -> str:
        cache = tmp_path / processes
        claim(cache)
        return printed(WRITTEN, processes, LD_LIBRARY_PATH=str(driver), SACCADE_CACHE=str(cache))

    alone = told("1")
    assert alone.startswith("0 ")
    assert told("3") == alone


#: what is imported when the first turn of a program begins, and what was imported before it
IMPORTED = """
import sys
import numpy as np
import saccade.runtime.cuda.compiler as compiler
import saccade.tensor.programs.realize as realize
from saccade import Tensor

compiler.compile_cubin = lambda source, arch: b"no code"
names, found, real = ("saccade.codegen.compile", "saccade.codegen.cuda.source"), [], realize.turn

def turn(folder, key):
    found.append([name in sys.modules for name in names])
    return real(folder, key)

realize.turn = turn
print([name in sys.modules for name in names])
(Tensor(np.ones(5, np.float32), device="cuda") + 1).realize()
print(found[0])
"""


@needs_a_driver
def test_nobody_waits_for_another_process_to_import_the_compiler(tmp_path: Path, driver: Path) -> None:
    told = printed(IMPORTED, LD_LIBRARY_PATH=str(driver), SACCADE_CACHE=str(tmp_path / "cache"))
    assert told.splitlines() == ["[False, False]", "[True, True]"]
