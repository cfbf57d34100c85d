"""Run the public suite of the array API standard, data-apis/array-api-tests, on `saccade.array_api`.

    python -m tests.peers.array_api /path/to/array-api-tests [arguments of pytest]

The checkout has its submodule array-api, and the packages of its requirements.txt are installed. The suite
runs from a copy: nothing is written to the checkout. What is expected to fail, and why, is in
array_api_expected.txt; anything else that fails is told at the end, and makes the exit status 1.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

SOMETIMES = "sometimes:"
EXPECTED = Path(__file__).with_name("array_api_expected.txt")


class Expected(NamedTuple):
    """Tests that fail, by a pattern of their ids, for a reason; those that fail `sometimes` draw numbers."""

    pattern: re.Pattern[str]
    reason: str
    sometimes: bool


def read_expected(text: str) -> list[Expected]:
    """Lines `# reason` or `# sometimes: reason`, each over the patterns it holds for."""
    found, reason = [], ""
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("#"):
            reason = line.removeprefix("#").strip()
        elif not reason:
            raise ValueError(f"no reason stands over the pattern {line!r}: write one as `# reason`")
        else:
            plain = reason.removeprefix(SOMETIMES)
            found.append(Expected(re.compile(line), plain.strip(), plain != reason))
    return found


class Tally:
    """Marks what is expected to fail, and counts what happened."""

    def __init__(self, expected: list[Expected]) -> None:
        self.expected = expected
        self.outcomes: Counter[str] = Counter()
        self.failed_for: Counter[str] = Counter()
        self.unexpected: list[str] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            known = next((e for e in self.expected if e.pattern.search(item.nodeid)), None)
            if known is not None:  # strict: what passes all at once is to leave the list
                item.add_marker(pytest.mark.xfail(reason=known.reason, strict=not known.sometimes))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and report.passed:
            return
        reason = getattr(report, "wasxfail", None)  # which pytest sets on reports of marked tests alone
        if reason is not None and report.skipped:
            self.outcomes["expected"] += 1
            self.failed_for[reason.removeprefix("reason: ")] += 1
        else:
            self.outcomes[report.outcome] += 1
            self.unexpected += [report.nodeid] if report.failed else []

    def told(self) -> str:
        """What passed, of all that the suite did not skip, and what did not."""
        passed, failed = self.outcomes["passed"], self.outcomes["expected"] + self.outcomes["failed"]
        share = 100 * passed / max(passed + failed, 1)
        lines = [
            f"{passed} of {passed + failed} tests pass ({share:.1f} %); {self.outcomes['skipped']} skipped"
        ]
        lines += [f"  {count:4} expected: {reason}" for reason, count in self.failed_for.most_common()]
        lines += [f"  not expected: {test}" for test in self.unexpected]
        return "\n".join(lines)


def copied(checkout: Path, to: Path) -> Path:
    """The suite in a folder of our own."""
    helpers = Path("array_api_tests", "dtype_helpers.py")
    if not (checkout / helpers).is_file():
        raise SystemExit(f"{checkout} is no checkout of array-api-tests: {helpers} is missing")
    if not (checkout / "array-api" / "src").is_dir():
        raise SystemExit(
            f"{checkout / 'array-api'} is empty: fetch the submodule (git submodule update --init)"
        )
    copy = to / "suite"
    shutil.copytree(checkout, copy, ignore=shutil.ignore_patterns(".git", "__pycache__"))
    return copy


def main(arguments: list[str]) -> int:
    if not arguments:
        raise SystemExit(f"give the checkout of array-api-tests:\n{__doc__}")
    os.environ.setdefault("ARRAY_API_TESTS_MODULE", "saccade.array_api")
    sys.path.insert(0, str(Path(__file__).parents[2]))
    tally = Tally(read_expected(EXPECTED.read_text()))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(copied(Path(arguments[0]).resolve(), Path(folder)))
        sys.path.insert(0, os.getcwd())
        chosen: list[Any] = ["-p", "no:cacheprovider", "--disable-deadline", *arguments[1:]]
        if not any(argument.startswith("array_api_tests") for argument in chosen):
            chosen.append("array_api_tests")
        status = int(pytest.main(["--rootdir", ".", "-c", "pytest.ini", *chosen], plugins=[tally]))
        os.chdir(Path(__file__).parent)
    print(tally.told())
    return status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
