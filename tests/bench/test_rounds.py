"""The processes around contenders: measured when they work, reported when they fail, replaced when dead."""

from __future__ import annotations

import dataclasses
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bench.cases import CASES
from bench.rounds import ContenderFailed, Settings, Stage, compare, measure_case
from bench.startup import STARTUPS, measure_startup
from bench.worker import Worker

QUICK = Settings(threads=1, quick=True, timeout=120)


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with Stage(QUICK) as opened:
        assert opened.open("numpy")
        yield opened


def test_numpy_is_measured_every_round(stage: Stage) -> None:
    figure = measure_case(stage, CASES["sum"])["numpy"]
    assert figure.error is None
    assert figure.seconds is not None
    assert len(figure.rounds) == QUICK.rounds
    assert min(figure.rounds) <= figure.seconds <= max(figure.rounds)


def test_a_failed_request_is_an_error_and_the_process_lives_on(stage: Stage) -> None:
    remote = stage.remote("numpy")
    with pytest.raises(ContenderFailed, match="unknown request 'dance'"):
        remote.ask(do="dance")
    assert remote.ask(do="hello")["version"] == np.__version__


def test_a_dead_process_is_a_failure_and_is_replaced(stage: Stage) -> None:
    remote = stage.remote("numpy")
    os.kill(remote.process.pid, signal.SIGKILL)
    with pytest.raises(ContenderFailed, match="ended with code"):
        remote.ask(do="hello")
    assert stage.remote("numpy").ask(do="hello")["missing"] is False


def test_a_hanging_process_is_given_up(stage: Stage) -> None:
    remote = stage.remote("numpy")
    remote.process.send_signal(signal.SIGSTOP)  # so that it cannot answer, however quick it is
    remote.timeout = 0.1
    with pytest.raises(ContenderFailed, match="no answer"):
        remote.ask(do="hello")


def test_a_missing_library_is_named_not_fatal() -> None:
    worker = Worker("numpy")
    worker.contender = dataclasses.replace(worker.contender, package="no_such_library")
    assert worker.answer({"do": "hello"}) == {"missing": True}


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ([np.ones(3, np.float32), np.ones(1)], "2 arrays instead of 1"),
        ([np.ones(4, np.float32)], "shape"),
        ([np.array([1, 1, 1.1], np.float32)], "off by"),
        ([np.array([1, 1, np.nan], np.float32)], "off by"),
        ([np.array([1, 2, 1])], "indices"),
    ],
)
def test_wrong_results_are_refused(given: list[np.ndarray], complaint: str, tmp_path: Path) -> None:
    output = tmp_path / "output.npz"
    np.savez(output, *given)
    with pytest.raises(ContenderFailed, match=complaint):
        compare([np.ones(3, given[0].dtype)], output, tolerance=1e-3)


def test_close_floats_and_tied_indices_are_accepted(tmp_path: Path) -> None:
    output = tmp_path / "output.npz"
    indices = np.arange(300)
    np.savez(output, np.array([1, 2.0001], np.float32), indices)
    indices[[4, 5]] = indices[[5, 4]]
    compare([np.array([1, 2], np.float32), indices], output, tolerance=1e-3)


def test_import_time_counts_from_before_the_interpreter() -> None:
    figures = measure_startup(STARTUPS["import"], ["numpy"], QUICK)
    assert figures["numpy"].seconds is not None
    assert figures["numpy"].seconds > 0
