"""All that tensors can do, on the GPU: random programs against the oracle that the interpreter is held to
as well, and the tests of the tensor front end.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.fuzz import fuzz
from saccade.fuzz.programs.fuzz import describe

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.gpu


def test_random_programs_agree_with_the_oracle() -> None:
    report = fuzz(100, seed=31_000, device="cuda")
    assert not report.failures, describe(report.failures[0])
    assert report.known > 0.8 * report.elements


@pytest.mark.slow
def test_the_op_suite_passes_on_the_gpu() -> None:
    # in four processes: one takes more than five minutes, most of it in NVRTC
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=short", "-n", "4", "tests/tensor"]
    result = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "SACCADE_DEVICE": "cuda"}, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout[-4000:]
