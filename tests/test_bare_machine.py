"""A machine with little: no compiler on the path, a home nobody can write to, 512 MB of memory, no GPU."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .patience import HANG

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory as Linux has them")
ROOT = Path(__file__).parents[1]
LIMIT = "import resource; resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20));"
# of this program alone: getrusage also counts what the process was before it
MOST = "open('/proc/self/status').read().split('VmHWM:')[1].split()[0]"


def ran(code: str, before: str = LIMIT) -> subprocess.CompletedProcess[str]:
    """A process with nothing in its environment but what keeps it from finding anything."""
    bare = {"PATH": "/nonexistent", "HOME": "/proc/nonexistent", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", before + code], env=bare, capture_output=True, text=True, timeout=HANG
    )


def test_tensors() -> None:
    code = """
import numpy as np
from saccade import Tensor, jit
x = Tensor(np.arange(1000.0, dtype=np.float32).reshape(10, 100))
print((x @ x.T).softmax(1).sum().item(), jit(lambda a: (a * 2).sum())(x).item())
"""
    done = ran(code)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "10.0 999000.0\n"
    assert done.stderr.count("cannot use the cache folder") == 1  # said once, and nothing is lost


def test_more_than_there_is_is_an_error_and_the_process_goes_on() -> None:
    code = """
import numpy as np
from saccade import Tensor
try:
    Tensor.ones(1 << 28).realize()
except MemoryError as error:
    print(error)
print(Tensor([1.0, 2.0]).sum().item())
"""
    done = ran(code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("\n3.0\n")
    assert "1073741824" in done.stdout or "1.1 GB" in done.stdout or "1 GiB" in done.stdout, done.stdout


def test_an_experiment(tmp_path: Path) -> None:
    settings = (
        "objects.limit=2 train.rotations=2 train.steps=20 eval.epochs=1 eval.min_steps=2 eval.max_steps=20"
    )
    chosen = [word for setting in settings.split() for word in ("--set", setting)]
    line = ["saccade", "run", "default", "--out", str(tmp_path / "run"), "--quiet", *chosen]
    code = f"import sys; sys.argv = {line!r}\nfrom saccade.cli.process import main\nmain()\n"
    code += f"print({MOST}, file=sys.stderr)"
    done = ran(code, "")  # addresses of threads' stacks and arenas are no memory yet
    assert done.returncode == 0, done.stderr
    assert int(done.stderr.split()[-1]) < 512 << 10
    assert (tmp_path / "run" / "summary.json").is_file()
