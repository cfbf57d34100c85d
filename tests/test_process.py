"""The command line as a process: signals at any moment, a reader that left, a device that is full.

Whatever happens there is at most one line of error, never a traceback, and the exit code a shell expects.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from saccade.experiment.record.record import RunFolder

from .patience import HANG

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and devices are those of POSIX")

ROOT = Path(__file__).parents[1]
# The console script, which says on a descriptor of its own when it has begun to look after signals. Where
# SIGNAL is two numbers, the process gets the first as a signal when it has imported as many modules as the
# second says.
SCRIPT = """
import os, sys
from saccade.cli import signals
from saccade.cli.process import main

look_after_signals = signals.end_at_once
def begin():
    look_after_signals()
    if wanted := os.environ.get("SIGNAL"):
        sys.meta_path.insert(0, Finder(*map(int, wanted.split())))
    os.write({descriptor}, b"begun")

class Finder:
    def __init__(self, number, modules):
        self.number, self.modules = number, modules

    def find_spec(self, *module):
        if self.modules == 0:
            os.kill(os.getpid(), self.number)
        self.modules -= 1

signals.end_at_once = begin
sys.exit(main())
"""
SMALL = [
    "-s", "objects.names=mug", "-s", "train.rotations=1", "-s", "world.agent=surface", "-s", "eval.mode=none",
    "-s", "recording.plots=false",
]  # fmt: skip


def begun(*arguments: str, stdout: int = subprocess.DEVNULL, **environment: str) -> subprocess.Popen[str]:
    """A process of the command line that looks after signals by now."""
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(descriptor=writer), *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdout=stdout,
        stderr=subprocess.PIPE,
        pass_fds=[writer],
        text=True,
    )
    os.close(writer)
    assert os.read(reader, 5) == b"begun"
    os.close(reader)
    return process


def end_of(process: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit code and what was written to standard error."""
    _, errors = process.communicate(timeout=HANG)
    assert "Traceback" not in errors, errors
    assert "Exception ignored" not in errors, errors
    return process.returncode, errors


def test_nothing_is_imported_before_signals_are_looked_after() -> None:
    """Until then Ctrl-C is a traceback: in Python's own start, and while this package is found."""
    code = (
        "import sys; known = set(sys.modules); import saccade.cli.process; print(*set(sys.modules) - known)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    own = {"saccade", "saccade.cli", "saccade.cli.process", "saccade.cli.signals"}
    assert set(told.stdout.split()) - {"__future__", "_signal", "_thread"} == own


@pytest.mark.parametrize("moments", [(0, 60), pytest.param(range(0, 580, 14), marks=pytest.mark.slow)])
def test_signals_while_modules_are_imported(moments: Sequence[int]) -> None:
    """After so many modules, whatever time they take."""
    for moment, number in zip(moments, cycle([signal.SIGTERM, signal.SIGINT])):
        found = end_of(begun("resume", "nowhere", SIGNAL=f"{int(number)} {moment}"))
        assert found == (128 + number, "error stopped; go on with: saccade resume nowhere\n"), moment


@pytest.mark.slow
@pytest.mark.parametrize("moment", [0.02 * k for k in range(40)])
def test_signals_from_outside(moment: float) -> None:
    process = begun("resume", "nowhere")
    time.sleep(moment)
    process.send_signal(signal.SIGTERM)
    code, errors = end_of(process)
    line = "error stopped; go on with: saccade resume nowhere\n"
    assert (code == 128 + signal.SIGTERM and errors == line) or code < 2, (code, errors)


@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM])
def test_signals_during_a_run_name_the_way_on(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "run"
    process = begun("train", "--out", str(path), "-s", "train.steps=2000", *SMALL)
    while not (path / "run.json").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    code, errors = end_of(process)
    assert code == 128 + number
    assert errors.count("\n") == 1
    assert f"Go on with: saccade resume {path}" in errors
    RunFolder.open(path, write=True).close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_a_finaliser_is_not_lost(number: signal.Signals) -> None:
    """What is raised there goes nowhere."""
    script = f"""
import os, signal, time
from saccade.cli import signals

class Node:
    def __del__(self):
        os.kill(os.getpid(), {int(number)})

signals.end_at_once()
try:
    with signals.raising():
        Node()
        time.sleep(60)
except KeyboardInterrupt as error:
    raise SystemExit(signals.exit_code(error))
"""
    found = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=HANG,
    )
    assert (found.returncode, found.stderr) == (128 + number, "")


def commands(*fast: str) -> list[Any]:
    """Commands that print something, those that are not `fast` marked as slow."""
    every = [
        "--help", "--version", "run --help", "run --list", "run --print-config", "devices", "devices --json",
        "objects", "cache show", "check rules", "check --help", "show RUN",
        "compare RUN RUN --plot RUN/a.svg",
    ]  # fmt: skip
    return [each if each in fast else pytest.param(each, marks=pytest.mark.slow) for each in every]


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("runs") / "run"
    assert end_of(begun("train", "--out", str(path), "-s", "train.steps=5", *SMALL)) == (0, "")
    return str(path)


@pytest.mark.parametrize("line", commands("run --list", "--help"))
def test_a_reader_that_left_is_no_traceback(line: str, request: pytest.FixtureRequest) -> None:
    run = request.getfixturevalue("finished_run") if "RUN" in line else ""
    reader, writer = os.pipe()
    os.close(reader)
    process = begun(*line.replace("RUN", run).split(), stdout=writer)
    os.close(writer)
    assert end_of(process) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("line", commands("--help", "cache show"))
def test_a_full_device_is_one_line(line: str, request: pytest.FixtureRequest) -> None:
    run = request.getfixturevalue("finished_run") if "RUN" in line else ""
    with open("/dev/full", "wb") as full:
        code, errors = end_of(begun(*line.replace("RUN", run).split(), stdout=full.fileno()))
    assert (code, errors) == (1, "error cannot write the output: No space left on device\n")


def test_results_that_nobody_reads_are_in_the_run(tmp_path: Path) -> None:
    path = tmp_path / "run"
    reader, writer = os.pipe()
    os.close(reader)
    process = begun("train", "--out", str(path), "-s", "train.steps=5", *SMALL, stdout=writer)
    os.close(writer)
    code, errors = end_of(process)
    assert code == 141
    assert errors.count("\n") == 1
    assert f"saccade resume {path}" in errors
    assert json.loads((path / "summary.json").read_text())["complete"]


@pytest.mark.slow
def test_streams_that_the_caller_closed_are_not_missed() -> None:
    closing = "import os, sys; os.close(1); os.close(2); os.execv(sys.executable, sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", closing, sys.executable, "-m", "saccade", "run", "--list"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 0
