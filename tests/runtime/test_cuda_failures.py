"""What a GPU does to a program at worst, each time in a process of its own."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from .fake_gpu import printed

pytestmark = pytest.mark.gpu

PRELUDE = """
import time
import numpy as np
from saccade import Device, Tensor
from saccade.runtime.cuda.errors import CudaError
from saccade.runtime.program import Launch, Source

HEAD = "typedef unsigned long long u64; "
SIGNATURE = 'extern "C" __global__ void {}(const u64 *table, u64 a, u64 o) '
BODY = "{{ volatile unsigned *p = (volatile unsigned *)((table ? table[a] : a) + o); {} }}"

def launch(name, body):
    device = Device["cuda"]
    text = HEAD + SIGNATURE.format(name) + BODY.format(body)
    (program,) = device.compile([Source(name, text, 1, 1, grid=1, block=32)])
    global memory
    memory = device.allocate(4096)
    device.plan([Launch(program, ((0, 0),))], 1)([memory.address])

def attempt(name, work):
    start = time.perf_counter()
    try:
        print(name, "gave", work())
    except CudaError as error:
        print(name, "lost" if error.lost else "failed", time.perf_counter() - start < 8, error)

x = Tensor(np.ones(8, np.float32), device="cuda").realize()
known = (x + 1).numpy()
"""


def run(code: str, tmp_path: Path, **environment: str) -> list[str]:
    settings = {"SACCADE_CUDA_TIMEOUT": "2", "SACCADE_CACHE": str(tmp_path)}
    return printed(PRELUDE + textwrap.dedent(code), **(settings | environment)).splitlines()


ENDLESS = """
    launch("endless", "while (*p != 12345) {}")
    attempt("a value", lambda: (x + 1).numpy())
    attempt("a new kernel", lambda: (x * 7).numpy())
    attempt("an upload", lambda: Tensor(np.ones(9, np.float32), device="cuda").numpy())
    attempt("waiting", Device["cuda"].queue.synchronize)
"""


def test_an_endless_kernel_is_given_up_and_the_process_ends(tmp_path: Path) -> None:
    out = run(ENDLESS, tmp_path)
    assert len(out) == 4
    for line in out:
        assert "lost True gave up after 2 s" in line
        assert "endless" in line
    assert "while (*p != 12345)" in (tmp_path / "failed kernels" / "endless.cu").read_text()


def test_an_illegal_address_is_an_error_that_names_the_kernel(tmp_path: Path) -> None:
    code = """
        launch("wild", "*(volatile unsigned *)16 = p[0];")
        attempt("a value", lambda: (x + 1).numpy())
        attempt("an upload", lambda: Tensor(np.ones(9, np.float32), device="cuda").numpy())
    """
    out = run(code, tmp_path)
    assert len(out) == 2
    for line in out:
        assert "lost" in line
        assert "context is lost" in line
        assert "wild" in line


def test_out_of_memory_is_a_memory_error_and_nothing_else(tmp_path: Path) -> None:
    code = """
        device = Device["cuda"]
        blocks = []
        try:
            while True:
                blocks.append(device.allocate(4 << 30))
        except MemoryError as error:
            print(error)
        try:
            device.allocate(1 << 44)
        except MemoryError as error:
            print(error)
        count = len(blocks)
        blocks.pop()
        half = device.allocate(2 << 30)        # not of the size that was given back
        print(count > 0, (x + 2).numpy().tolist())
    """
    out = run(code, tmp_path)
    assert "4.0 GiB" in out[0]
    assert "16.0 TiB" in out[1]
    assert out[2] == "True [3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]"
