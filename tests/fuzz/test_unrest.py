"""Threads, forks and signals disturb no result; what would be disturbed is found, with one program."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

from saccade.fuzz.attacks import unrest
from saccade.fuzz.attacks.unrest import WAYS, Case, Failure, attack, drawn, run, smallest
from saccade.fuzz.programs.check import Array, run_on
from saccade.fuzz.programs.programs import Program
from saccade.runtime.cache.cache import Cache
from saccade.runtime.config import settings

from ..patience import HANG


@pytest.mark.parametrize("kind", WAYS)
def test_nothing_is_disturbed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before, put = settings.cache, Cache.put
    written: set[Path | None] = set()

    def noted(self: Cache, key: str, value: bytes) -> None:
        written.add(self.folder)
        put(self, key, value)

    monkeypatch.setattr(Cache, "put", noted)
    report = attack(kind, seed=1, count=2)
    assert report.cases == 2
    assert not report.failures, report.failures[0]
    assert settings.cache == before
    assert before not in written


@pytest.mark.slow
@pytest.mark.parametrize("kind", WAYS)
def test_nothing_is_disturbed_for_long(kind: str) -> None:
    report = attack(kind, seed=1000, count=60)
    assert not report.failures, report.failures[0]


@pytest.mark.parametrize("kind", WAYS)
def test_a_wrong_result_is_found_with_its_program(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = drawn(kind, 3)
    wrong = case.programs[-1]

    def disturbed(device: str, program: Program, arrays: list[Array]) -> list[Array]:
        found = run_on(device, program, arrays)
        return [np.zeros_like(each) + 1 for each in found] if program.seed == wrong else found

    monkeypatch.setattr(unrest, "run_on", disturbed)
    message = run(case)
    assert message is not None
    small = smallest(Failure(case, message))
    assert small.case == Case(kind, 3, (wrong,))
    assert f"program {wrong}" in small.message
    assert f"run(Case(kind={kind!r}, seed=3, programs=({wrong},)))" in str(small)


def test_a_process_hangs_that_sleeps_and_not_one_that_waits_for_a_core(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if "forks" not in WAYS:
        pytest.skip("this system does not fork")

    def slow(seconds: float) -> str:
        time.sleep(seconds)
        return "done"

    monkeypatch.setattr(unrest, "_PATIENCE", 0.1)
    assert "hangs" in unrest.Child(lambda _: slow(HANG)).end()
    began = time.perf_counter()
    monkeypatch.setattr(unrest, "queued", lambda process: time.perf_counter() - began)
    assert unrest.Child(lambda _: slow(0.5)).end() == "done"


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="the system does not tell")
def test_waiting_for_a_core_is_measured() -> None:
    """Two processes that compute on one core: about half of the time each of them waits."""
    child = unrest.Child(lambda tell: _computing_on_one_core(1.0))
    os.waitid(os.P_PID, child.process, os.WEXITED | os.WNOWAIT)  # it has ended, and is still known
    waited = unrest.queued(child.process)
    assert child.end() == ""
    assert waited > 0.1


def _computing_on_one_core(seconds: float) -> str:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    other = os.fork()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
    if other == 0:
        os._exit(0)
    os.waitpid(other, 0)
    return ""


def test_a_damaged_entry_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    if "signals" not in WAYS:
        pytest.skip("this system does not fork")
    kill = unrest.Child.kill

    def damaging(self: unrest.Child, number: int) -> str:
        told = kill(self, number)  # type: ignore[arg-type]
        assert settings.cache is not None
        for path in settings.cache.iterdir():
            if path.is_file() and len(data := path.read_bytes()) > 200:
                path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        return told

    monkeypatch.setattr(unrest.Child, "kill", damaging)
    # a child may be killed before it has written anything
    found = (run(drawn("signals", seed)) or "" for seed in range(12))
    assert any("entries of the cache are damaged" in message for message in found)
