"""Verdicts follow from times and targets, and a report is readable whatever failed."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from bench.case import Target, Work
from bench.machine import Machine
from bench.report import Report, Timing, show
from bench.rounds import Figure
from bench.structure import Count, count_new_programs

MACHINE = Machine(read=4e9, copy=2e9, flops=1e9)


def timing(ours: float | None, target: Target, **peers: float) -> Timing:
    mine = Figure(ours) if ours is not None else Figure(error="ValueError: no")
    return Timing("t", "a case", target, {"saccade": mine} | {name: Figure(s) for name, s in peers.items()})


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (timing(1.0, Target(ratio=1.0), numpy=1.5, torch=1.1), True),
        (timing(1.0, Target(ratio=1.0), numpy=1.5, torch=0.9), False),
        (timing(1.0, Target(ratio=0.8), torch=0.9), True),
        (timing(1.0, Target(ratio=1.0)), None),
        (timing(1.0, Target(ratio=3.0, against=("scipy",)), torch=0.1, scipy=3.1), True),
        (timing(0.2, Target(seconds=0.25)), True),
        (timing(0.3, Target(seconds=0.25), numpy=9.0), False),
        (timing(2.0, Target(ratio=4.0, seconds=3.0, against=("tinygrad",)), tinygrad=7.0), False),
        (timing(None, Target(ratio=0.1), torch=1.0), False),
    ],
)
def test_verdict(row: Timing, expected: bool | None) -> None:
    assert row.passed() is expected


def test_ratio_is_against_the_fastest_peer_that_counts() -> None:
    row = timing(2.0, Target(ratio=1.0), numpy=8.0, torch=4.0)
    assert row.best_peer() == ("torch", 4.0)
    assert row.ratio() == 2.0


def test_floor_is_the_slower_of_memory_and_arithmetic() -> None:
    assert MACHINE.floor(Work(reads=8 * 10**9, writes=0)) == 2.0
    assert MACHINE.floor(Work(reads=10**9, writes=10**9)) == 1.0
    assert MACHINE.floor(Work(reads=4, writes=4, flops=3 * 10**9)) == 3.0


def test_second_process_must_reuse_and_add_nothing() -> None:
    def warm(before: int, after: int) -> Figure:
        return Figure(0.1, details={"cache_files_before": before, "cache_files_after": after})

    assert count_new_programs(warm(20, 20)).passed
    assert not count_new_programs(warm(20, 21)).passed
    assert not count_new_programs(warm(0, 0)).passed
    assert not count_new_programs(Figure(error="MemoryError")).passed


def test_report_names_the_missing_and_the_failed() -> None:
    report = Report(MACHINE, 2, False, {"saccade": "0.1", "torch": "2"}, ["jax"])
    report.timings = [timing(None, Target(ratio=1.0), torch=1.0), timing(1.0, Target(ratio=1.0), torch=2.0)]
    report.counts = [Count("kernels", "kernels: [softmax]", "3", "1", False)]
    text = io.StringIO()
    show(report, Console(file=text, width=200))
    for expected in ("jax", "ValueError: no", "1 of 3 targets met", "2.00"):
        assert expected in text.getvalue()
    assert report.failed() == ["t", "kernels"]
    assert json.loads(json.dumps(report.as_json()))["cases"][1]["ratio"] == 2.0
