"""The list of what fails in the public suite: every pattern has a reason, and a reason is not forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from .array_api import EXPECTED, Tally, copied, read_expected


def test_the_list_is_read() -> None:
    expected = read_expected(EXPECTED.read_text())
    assert expected
    ids = "array_api_tests/test_special_cases.py::test_iop[__ifloordiv__(x1_i is -infinity and isfinite(x2_i)"
    (found,) = [e.reason for e in expected if e.pattern.search(ids)]
    assert "follows Python" in found
    with pytest.raises(ValueError, match="no reason stands over"):
        read_expected("test_a")


def test_figures() -> None:
    tally = Tally([])
    tally.outcomes.update(passed=3, expected=1, skipped=2)
    tally.failed_for["no complex numbers"] = 1
    assert tally.told().splitlines() == [
        "3 of 4 tests pass (75.0 %); 2 skipped",
        "     1 expected: no complex numbers",
    ]


def test_what_is_no_checkout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no checkout"):
        copied(tmp_path, tmp_path / "copy")
