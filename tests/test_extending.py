"""docs/extending.md: its diffs fit the sources as they are, and do what the page says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .patience import HANG

ROOT = Path(__file__).parents[1]

#: what the changed compiler is asked
PROGRAM = """
import numpy as np
from saccade import Tensor, grad
from saccade.codegen.moves.legal import IllegalMove

x = np.array([0.0, -0.0, 8, -27, 1e-40, 3e38, np.inf, -np.inf, np.nan, *np.linspace(-9, 9, 991)], np.float32)
found, wanted = Tensor(x).cbrt().numpy(), np.cbrt(x.astype(np.float64))
np.testing.assert_array_equal(np.signbit(found[:8]), np.signbit(wanted[:8]))
np.testing.assert_allclose(found, wanted, rtol=2e-7)
np.testing.assert_allclose(Tensor(x.astype(np.float64)).cbrt().numpy(), wanted, rtol=1e-15)
slope = grad(lambda x: x.cbrt().sum())(Tensor([8.0, -1.0])).numpy()
np.testing.assert_allclose(slope, [1 / 12, 1 / 3], rtol=1e-6)
np.testing.assert_array_equal(
    (Tensor(x) + 1).contiguous(moves=["reverse 0", "split 0 8 vector"]).numpy(), x + np.float32(1)
)
try:
    Tensor(x).cumsum(0).contiguous(moves=["reverse 7"]).realize()
except IllegalMove as error:
    print(error)
"""


@pytest.mark.host_memory
@pytest.mark.skipif(shutil.which("git") is None, reason="git applies the page's diffs")
def test_the_diffs_of_the_page_apply_and_work(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    diffs = re.findall(r"```diff\n(.*?)```", page, re.DOTALL)
    assert len(diffs) >= 7
    shutil.copytree(
        ROOT / "saccade", tmp_path / "saccade", ignore=shutil.ignore_patterns("__pycache__", "page")
    )
    # not inside a checkout that happens to be above the folder of tests
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent), "PYTHONPATH": str(tmp_path)}
    applied = subprocess.run(
        ["git", "apply", "--unidiff-zero", "-"],
        cwd=tmp_path, env=environment, input="\n".join(diffs), capture_output=True, text=True, timeout=HANG,
    )  # fmt: skip
    assert applied.returncode == 0, f"docs/extending.md is not up to date: {applied.stderr}"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=HANG,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "no axis 7" in done.stdout
