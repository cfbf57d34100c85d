"""More launches than the driver's queue holds, behind a kernel that does not end (or not soon).

A launch that finds the queue full waits inside the driver, where nobody can say what it waits for. The driver
of these tests ends the process where that would be for ever, and counts it where it is not (fake_streams.h).
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from .fake_gpu import CLOCK, NEEDS_A_DRIVER, REPLAYED, run

pytestmark = NEEDS_A_DRIVER

#: (what, how often) until the queue is longer than the driver's
WORK = """
from saccade.runtime.config import settings
from saccade.runtime.cuda.errors import CudaError
from saccade.tensor.jit.bound import bind

device = Device["cuda"]
tiny = device.plan([Launch(kernel("tiny"), ((0, 0),))], 1)
long = device.plan([Launch(kernel("one_of_many"), ((0, 0),))] * 1500, 1)
one = program(x)
call = bind(program, (x,), (one,))
call.run(), call.run()
queues = [device.new_queue() for _ in range(11)]
host = np.zeros(4, np.float32)

def on_streams():
    for queue in queues:
        queue.submit(tiny, [address(x)])

WORK = {
    "kernels": (lambda: tiny([address(x)]), 1500),
    "a plan of many kernels": (lambda: device.main.submit(long, [address(x)]), 1),
    "graphs": (lambda: program(x), 1500),
    "bound calls": (call.run, 1500),
    "copies": (lambda: device.main.copy(address(one), address(x), 4), 1500),
    "twelve streams": (on_streams, 1500),
}
"""


def test_whoever_queues_too_much_waits_where_it_can_be_given_up(driver: Path) -> None:
    code = """
        import threading
        import time

        for what, (work, times) in WORK.items():
            device.settle()
            hold()
            sleeps = clock.sleeps
            tiny([address(x)])  # it ends when somebody waits for it
            for _ in range(times):
                work()
            print(what, driver.fake_blocked(), clock.sleeps > sleeps)
        device.settle()
        launch = tiny._kernels[0]
        hold()
        for _ in range(1022):
            launch.launch(device.main.stream, 0, [address(x)])
        print(driver.fake_blocked())

        def release():
            while not driver.fake_blocked():
                time.sleep(0.001)
            driver.fake_release()

        threading.Thread(target=release).start()
        launch.launch(device.main.stream, 0, [address(x)])      # as it is without us
        print(driver.fake_blocked())
    """
    *out, before, after = run(driver, REPLAYED + WORK + CLOCK + textwrap.dedent(code)).splitlines()
    assert [line.rsplit(" ", 2)[1:] for line in out] == [["0", "True"]] * 6, out
    assert (before, after) == ("0", "1")


def test_a_full_queue_behind_an_endless_kernel_is_given_up(driver: Path, tmp_path: Path) -> None:
    code = """
        object.__setattr__(settings, "cuda_timeout", 0.2)
        device.settle()
        device.plan([Launch(kernel("endless_loop"), ((0, 0),))], 1)([address(x)])
        for what in ("kernels", "a plan of many kernels", "graphs", "bound calls", "copies"):
            work, times = WORK[what]
            try:
                for _ in range(times):
                    work()
                print(what, "was queued")
            except CudaError as error:
                print(error)
    """
    out = run(driver, REPLAYED + WORK + textwrap.dedent(code), TMPDIR=str(tmp_path)).splitlines()
    assert len(out) == 5
    for line in out:
        assert line.startswith("gave up after 0.2 s"), line
        assert "queued last: endless_loop" in line


@pytest.mark.parametrize("fault", ["fault", "hang"])
def test_the_kernel_is_named_whatever_was_queued_behind_it(driver: Path, tmp_path: Path, fault: str) -> None:
    code = f"""
        object.__setattr__(settings, "cuda_timeout", 0.2)
        names = [f"kernel_{{number}}" for number in range(60)]
        plans = [device.plan([Launch(kernel(name), ((0, 0),))], 1) for name in names]
        device.settle()
        driver.fake_fault(b"{fault}", ctypes.c_long(205), ctypes.c_long({700 if fault == "fault" else -1}))

        def work():
            for number in range(800):
                plans[number // 3 % 60]([address(x)])
            device.settle()

        for attempt in (work, lambda: kernel("another")):
            try:
                attempt()
            except CudaError as error:
                told = str(error).replace(",", " ").split()
                print(error.lost, "kernel_8" in told, sum(word.startswith("kernel_") for word in told))
    """
    out = run(driver, REPLAYED + WORK + textwrap.dedent(code), TMPDIR=str(tmp_path)).splitlines()
    assert len(out) == 2
    for line in out:
        lost, is_named, names = line.split()
        assert (lost, is_named) == ("True", "True")
        assert int(names) <= (35 if fault == "hang" else 60), "of one that hangs, the batch is known"
