"""The tests of the tensor front end, on the GPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.gpu
@pytest.mark.slow
def test_the_op_suite_passes_on_the_gpu() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=short", "tests/tensor"]
    result = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "SACCADE_DEVICE": "cuda"}, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout[-4000:]
