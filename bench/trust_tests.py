"""Tests in a process of their own, with a line of JSON before and behind each: nothing is guessed of one that
was ended.

    python -m pytest -p bench.trust_tests -m gpu tests

    {"collected": ["tests/runtime/test_cuda_ops.py::test_add", ...]}
    {"at": "tests/runtime/test_cuda_ops.py::test_add"}
    {"test": "tests/runtime/test_cuda_ops.py::test_add", "outcome": "passed", "seconds": 0.4, "told": ""}

The lines alone are on stdout; what pytest and the tests print goes to stderr.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

#: characters of a failure that are kept
_TOLD = 3000
#: reports of the test that runs: its setup, the test, its teardown
_reports: list[pytest.TestReport] = []
# pytest imports this before it captures anything
_lines = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def _line(value: dict[str, Any]) -> None:
    _lines.write(json.dumps(value) + "\n")
    _lines.flush()


def pytest_collection_finish(session: pytest.Session) -> None:
    _line({"collected": [item.nodeid for item in session.items]})


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        told = str(report.longrepr)[-_TOLD:]
        _line({"test": report.nodeid, "outcome": "not collected", "seconds": 0.0, "told": told})


def pytest_runtest_logstart(nodeid: str) -> None:
    _reports.clear()
    _line({"at": nodeid})


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _reports.append(report)


def pytest_runtest_logfinish(nodeid: str) -> None:
    """A test has failed if any of its parts has, and was skipped if any was."""
    by_outcome = {report.outcome: report for report in _reports}
    worst = next(by_outcome[each] for each in ("failed", "skipped", "passed") if each in by_outcome)
    why = worst.longrepr[2] if isinstance(worst.longrepr, tuple) else worst.longrepr or ""
    seconds = round(sum(report.duration for report in _reports), 2)
    _line({"test": nodeid, "outcome": worst.outcome, "seconds": seconds, "told": str(why)[-_TOLD:]})
