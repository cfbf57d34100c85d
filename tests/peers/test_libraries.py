"""scikit-learn and SciPy take tensors, where they are installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_calls_of_libraries() -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("scipy")
    command = [sys.executable, "-W", "ignore", "-m", "tests.peers.libraries"]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" ok\n") > 60
