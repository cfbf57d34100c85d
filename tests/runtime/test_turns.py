"""Processes that want the same program take turns: one compiles it, the others read it."""

from __future__ import annotations

import multiprocessing
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from saccade.runtime.cache import turns
from saccade.runtime.cache.cache import Cache
from saccade.runtime.cache.folder import MARKER, claim
from saccade.runtime.cache.turns import turn
from saccade.runtime.cpu import build as build_module
from saccade.runtime.cpu.build import build
from saccade.runtime.program import Source

from ..patience import HANG

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


@pytest.mark.parametrize("missing", ["folder", "tag", "no folder"])
def test_without_a_folder_of_ours_nobody_waits(folder: Path, missing: str) -> None:
    if missing == "tag":
        (folder / MARKER).unlink()
    where = {"folder": folder / "none", "tag": folder, "no folder": None}[missing]
    with turn(where, KEYS[0]) as first, turn(where, KEYS[0]) as second:
        assert [first, second] == [False, False]


def _builds(folder: Path, source: Source, barrier: Any, compiled: Any) -> None:
    real = build_module.compile_object

    def counted(name: str, text: str, quick: bool) -> bytes:
        with compiled.get_lock():
            compiled.value += 1
        return real(name, text, quick)

    build_module.compile_object = counted
    barrier.wait(HANG)
    build([source], Cache(folder, 1 << 30))


def test_processes_that_begin_together_compile_a_kernel_once(folder: Path, kernels: Any) -> None:
    context = multiprocessing.get_context("fork")
    source = kernels.get("add", 10).source
    barrier, compiled = context.Barrier(4), context.Value("i", 0)
    made = [context.Process(target=_builds, args=(folder, source, barrier, compiled)) for _ in range(4)]
    for process in made:
        process.start()
    for process in made:
        process.join(HANG)
    assert [process.exitcode for process in made] == [0] * 4
    assert compiled.value == 1
