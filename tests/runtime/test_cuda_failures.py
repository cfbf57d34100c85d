"""What a GPU does to a program at worst, each time in a process of its own; only what ends by itself. The
whole fault plan is run on a driver without a GPU (`test_fault_plan`)."""

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
from saccade.tensor.jit.trace import buffer_of

HEAD = "typedef unsigned long long u64; "
SIGNATURE = 'extern "C" __global__ void {}(const u64 *table, u64 a, u64 o) '
BODY = "{{ volatile unsigned *p = (volatile unsigned *)((table ? table[a] : a) + o); {} }}"

def plan(name, body):
    device = Device["cuda"]
    text = HEAD + SIGNATURE.format(name) + BODY.format(body)
    (program,) = device.compile([Source(name, text, 1, 1, grid=1, block=32)])
    return device.plan([Launch(program, ((0, 0),))], 1)

def launch(name, body):
    global memory
    memory = Device["cuda"].allocate(4096)
    plan(name, body)([memory.address])

def attempt(name, work):
    start = time.perf_counter()
    try:
        print(name, "gave", work())
    except CudaError as error:
        print(name, "lost" if error.lost else "failed", time.perf_counter() - start < 8, error)

TIME = 'asm volatile("mov.u64 %0, %globaltimer;" : "=l"({}));'

def spin(name, seconds):
    turn = "do {" + TIME.format("now") + "} while (now - start < " + str(seconds * 10**9) + "ull);"
    launch(name, "u64 start, now; " + TIME.format("start") + turn)

x = Tensor(np.ones(8, np.float32), device="cuda").realize()
known = (x + 1).numpy()
"""


def run(code: str, tmp_path: Path, **environment: str) -> list[str]:
    settings = {"SACCADE_CUDA_TIMEOUT": "2", "SACCADE_CACHE": str(tmp_path)}
    return printed(PRELUDE + textwrap.dedent(code), **(settings | environment)).splitlines()


ENDLESS = """
    spin("endless", 20)
    attempt("a value", lambda: (x + 1).numpy())
    attempt("a new kernel", lambda: (x * 7).numpy())
    attempt("an upload", lambda: Tensor(np.ones(9, np.float32), device="cuda").numpy())
    attempt("waiting", Device["cuda"].queue.synchronize)
"""


def test_an_endless_kernel_is_given_up_and_the_process_ends(tmp_path: Path) -> None:
    """Endless for those who wait: it takes longer than they do all together."""
    out = run(ENDLESS, tmp_path)
    assert len(out) == 4
    for line in out:
        assert "lost True gave up after 2 s" in line
        assert "endless" in line
    assert "globaltimer" in (tmp_path / "failed kernels" / "endless.cu").read_text()


FULL = """
    tiny = plan("tiny", "if (threadIdx.x == 0) ++*p;")
    counted = Tensor(np.zeros(8, np.uint32), device="cuda").realize()
    where = buffer_of(counted.node).address
    queued = 0

    def fill():
        global queued
        while queued < 3000:
            tiny([where])
            queued += 1

    spin("spinning", 5)
    start = time.perf_counter()
"""


def test_a_full_launch_queue_is_waited_for(tmp_path: Path) -> None:
    code = """
        fill()
        waited = time.perf_counter() - start
        print(waited > 4, counted.numpy()[0] == 3000, (x + 1).numpy().tolist() == known.tolist())
    """
    out = run(textwrap.dedent(FULL) + textwrap.dedent(code), tmp_path, SACCADE_CUDA_TIMEOUT="60")
    assert out == ["True True True"]


def test_a_full_launch_queue_is_given_up_and_goes_on_when_it_can(tmp_path: Path) -> None:
    """If it waited inside the driver, it would be told of nothing before the kernel ends."""
    code = """
        attempt("filling it", fill)
        print(time.perf_counter() - start < 4, 800 <= queued < 1022)
        time.sleep(5)
        fill()
        print(counted.numpy()[0] == 3000, (x + 1).numpy().tolist() == known.tolist())
    """
    out = run(textwrap.dedent(FULL) + textwrap.dedent(code), tmp_path)
    assert out[0].startswith("filling it lost True gave up after 2 s")
    assert "queued last: spinning" in out[0]
    assert out[1:] == ["True True", "True True"]


@pytest.mark.parametrize("behind", [0, 300])
def test_an_illegal_address_is_an_error_that_names_the_kernel(tmp_path: Path, behind: int) -> None:
    code = f"""
        launch("wild", "*(volatile unsigned *)16 = p[0];")
        def several():
            for _ in range({behind}):
                (x + 1).realize()
            return (x + 1).numpy()
        attempt("a value", several)
        attempt("an upload", lambda: Tensor(np.ones(9, np.float32), device="cuda").numpy())
        attempt("a stream", Device["cuda"].new_queue)
    """
    out = run(code, tmp_path)
    assert len(out) == 3
    for number, line in enumerate(out):
        assert "lost" in line
        assert "context is lost" in line
        assert "wild" in line
        assert ("What happened first" in line) == (number > 0)


def test_an_allocator_that_refuses_at_every_place(tmp_path: Path) -> None:
    """Every program of the fault plan, refused at each call that takes memory."""
    command = "from tests.runtime.fault_card import *; refuse(ON_ONE_GPU)"
    assert printed(command, SACCADE_CACHE=str(tmp_path)) == ""


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
