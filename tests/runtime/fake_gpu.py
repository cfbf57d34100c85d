"""Programs on a machine whose GPUs are those of a driver that runs nothing (fake_driver.c).

    run(driver, "print(Device['cuda'].name)")        # what it prints; `driver` is a fixture

Each program is a process of its own, because the driver is chosen when it starts; most are forked."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import textwrap
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from ..patience import HANG
from .forked_python import ForkedPython

HERE = Path(__file__).parent
COMPILER = next((found for name in ("cc", "gcc", "clang") if (found := shutil.which(name))), None)
NEEDS_A_DRIVER = [
    pytest.mark.skipif(
        sys.platform != "linux", reason="the driver of the tests is a shared library of Linux"
    ),
    pytest.mark.skipif(COMPILER is None, reason="needs a C compiler to build a driver without a GPU"),
    pytest.mark.skipif(find_spec("cuda") is None, reason='needs cuda-bindings: pip install "saccade[cuda]"'),
]

PRELUDE = """
import ctypes
import gc
import numpy as np
import saccade.runtime.cuda.compiler as compiler
from saccade import Device, Tensor, jit, stream
from saccade.runtime.program import Launch, Source
from saccade.tensor.jit.trace import buffer_of

compiler.compile_cubin = lambda source, arch: b"no code"
driver = ctypes.CDLL("libcuda.so.1")
driver.fake_log.restype = ctypes.c_char_p

def log():
    '''What the driver was asked to do since the last time, as words: 'launch 1 kernel'.'''
    lines = driver.fake_log().decode().splitlines()
    driver.fake_clear()
    return [line.strip() for line in lines]

def kernel(name, params=1, device="cuda"):
    (program,) = Device[device].compile([Source(name, f"// {name}", 1, params, grid=1, block=32)])
    return program

def address(tensor):
    return buffer_of(tensor.node).address

x = Tensor(np.arange(8, dtype=np.float32), device="cuda").realize()
"""


#: a program of several kernels that was called four times: it is replayed from now on
REPLAYED = """
@jit
def program(x):
    for _ in range(3):
        x = (x.flip(0) + 1).contiguous()  # another place: not one kernel with the one before
    return x

for _ in range(4):
    program(x)
"""

#: Whoever waits for the GPU asks this clock, so that no test depends on how fast the machine is. Each look at
#: it takes 20 ms. `clock.during` is called when somebody sleeps, which `clock.sleeps` counts.
CLOCK = """
import saccade.runtime.cuda.streams.event as event

class Clock:
    now, sleeps = 0.0, 0

    def perf_counter(self):
        self.now += 0.02
        return self.now

    def sleep(self, seconds):
        self.sleeps += 1
        self.during()

    def during(self):
        pass

clock = event.time = Clock()

def hold():
    '''The next kernel runs until somebody sleeps to wait for it.'''
    driver.fake_fault(b"hang", ctypes.c_long(1), ctypes.c_long(0))
    clock.during = driver.fake_release
"""


def build_driver(folder: Path) -> None:
    """The driver as the library that the bindings load from that folder."""
    assert COMPILER is not None
    command = [COMPILER, "-shared", "-fPIC", "-o", str(folder / "libcuda.so.1")]
    subprocess.run([*command, str(HERE / "fake_driver.c"), "-ldl", "-pthread"], check=True)


@cache
def _python(driver: Path) -> ForkedPython:
    python = ForkedPython({"LD_LIBRARY_PATH": str(driver), "SACCADE_CACHE": "off"})
    atexit.register(python.close)
    return python


def run(driver: Path, code: str, *arguments: str, **environment: str) -> str:
    """What a program prints on a machine whose GPUs are the driver's."""
    program = PRELUDE + textwrap.dedent(code)
    if arguments or environment:  # the settings are read when the package is imported
        settings = {"LD_LIBRARY_PATH": str(driver), "SACCADE_CACHE": "off"}
        return printed(program, *arguments, **(settings | environment))
    status, told, errors = _python(driver).run(program)
    assert status == 0, errors
    return told


def printed(program: str, *arguments: str, **environment: str) -> str:
    """What a program prints in a process of its own, in this environment and beside it `environment`."""
    result = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=os.environ | {"PYTHONPATH": str(HERE.parents[1])} | environment,
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout
