"""Dispatch never waits: not for a kernel that never ends, on the stand-in driver and on a card."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from saccade.runtime.program import Source

from ..codegen.cuda_emulator import COMPILER as CPLUSPLUS
from ..runtime.fake_gpu import NEEDS_A_DRIVER, build_driver, printed, run


def needs_a_driver(test: Callable[..., None]) -> Callable[..., None]:
    for mark in NEEDS_A_DRIVER:
        test = mark(test)
    return test


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a driver without a GPU; see `runtime.fake_gpu`."""
    folder = tmp_path_factory.mktemp("driver")
    build_driver(folder)
    return folder


#: `queue_up(device)` is to queue a kernel that takes longer than the test on each queue
DISPATCH = """
from saccade.cortex.modules.backend import make_backend
from saccade.runtime.config import settings
from tests.cortex.voters import VOTING, Voters

names = ("stacked", "streams", "group-streams")
every = {name: Voters(make_backend(name, device="cuda", voting=VOTING)) for name in names}
for voters in every.values():
    voters.warm_up()
device = Device["cuda"]
device.settle()
# what waits gives up before the kernels end, and is told of in `failures`
object.__setattr__(settings, "cuda_timeout", 0.3)
queue_up(device)
for name, voters in every.items():
    print(name, *(voters.dispatch(step).failures for step in (6, 7)))
print(*(queue.idle() for queue in device.queues))
print(sum(queue.sent.waits for queue in device.queues))
"""
#: two steps of five modules that vote, all of it queued while every queue is busy
DISPATCHED = ["stacked {} {}", "streams {} {}", "group-streams {} {}", "False " * 4 + "False", "0"]

ENDLESS = """
def queue_up(device):
    endless = device.plan([Launch(kernel("endless_loop"), ((0, 0),))], 1)
    for queue in device.queues:
        queue.submit(endless, [address(x)])
"""


@needs_a_driver
def test_votes_are_dispatched_behind_stuck_streams(driver: Path) -> None:
    assert run(driver, ENDLESS + DISPATCH).splitlines() == DISPATCHED


@needs_a_driver
def test_a_module_is_gathered_while_another_is_stuck(driver: Path) -> None:
    code = """
from saccade.cortex.modules.backend import make_backend
from saccade.runtime.config import settings
from tests.cortex.voters import Voters

voters = Voters(make_backend("streams", device="cuda"))
voters.warm_up()
device = Device["cuda"]
device.settle()
object.__setattr__(settings, "cuda_timeout", 0.3)
queue = device.queues[3]  # of the fourth module, as modules are told in order
queue.submit(device.plan([Launch(kernel("endless_loop"), ((0, 0),))], 1), [address(x)])
pending = voters.dispatch(6)
print(*voters.backend.gather(pending, ["lm0", "lm1", "lm2", "lm4"]), queue.idle())
try:
    voters.backend.gather(pending)
except RuntimeError as error:
    print(str(error)[:14])
"""
    assert run(driver, code).splitlines() == ["lm0 lm1 lm2 lm4 False", "gave up after "]


#: the first time kernels do nothing and are listed; the second time they are run, on the host
EMULATED = """
import sys
from saccade.cortex.modules.backend import make_backend
from tests.cortex.voters import VOTING, Voters, told
from tests.runtime.fault_kernels import code_of, collecting, library_of

compiler.compile_cubin = code_of

def voters_on(name, device):
    return Voters(make_backend(name, device=device, voting=VOTING))

if sys.argv[1] == "list":
    sources = []
    with collecting(sources):
        for name in ("streams", "group-streams"):
            voters_on(name, "cuda").warm_up(4)
    print(library_of(sources))
else:
    for name in ("sequential", "stacked", "streams", "group-streams"):
        device = "cpu" if name == "sequential" else "cuda"
        voters = voters_on(name, device)
        steps = [told(voters.backend.gather(voters.dispatch(step))) for step in range(4)]
        wanted = steps if device == "cpu" else wanted
        print(name, steps == wanted, len(set(map(repr, steps))))
"""


@pytest.mark.slow  # on the CPU `test_backend` compares the same
@pytest.mark.skipif(CPLUSPLUS is None, reason="needs a C++ compiler")
@needs_a_driver
def test_every_choice_of_streams_gives_the_bits_of_the_cpu(driver: Path, tmp_path: Path) -> None:
    cache = str(tmp_path)
    library = run(driver, EMULATED, "list", SACCADE_CACHE=cache).splitlines()[-1]
    out = run(driver, EMULATED, "run", SACCADE_CACHE=cache, FAKE_KERNELS=library).splitlines()
    assert out == ["sequential True 4", "stacked True 4", "streams True 4", "group-streams True 4"]


SPINNING = """
import numpy as np
from saccade import Device, Tensor
from saccade.runtime.program import Launch, Source
from saccade.tensor.jit.trace import buffer_of

TEXT = '''{text}'''

def queue_up(device):
    (program,) = device.compile([Source("spinning", TEXT, 1, 1, grid=1, block=32)])
    plan = device.plan([Launch(program, ((0, 0),))], 1)
    for queue in device.queues:
        queue.submit(plan, [buffer_of(x.node).address])

x = Tensor(np.zeros(8, np.float32), device="cuda").realize()
"""
#: a kernel of five seconds
SPIN = """
typedef unsigned long long u64;
extern "C" __global__ void spinning(const u64 *table, u64 a, u64 o) {
  u64 start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - start < 5000000000ull);
}
"""


@pytest.mark.gpu
def test_votes_are_dispatched_while_a_card_is_busy(tmp_path: Path) -> None:
    program = SPINNING.replace("{text}", SPIN) + DISPATCH
    assert printed(program, SACCADE_CACHE=str(tmp_path)).splitlines() == DISPATCHED


@pytest.mark.skipif(find_spec("cuda") is None, reason="needs cuda-bindings, with NVRTC")
def test_the_kernel_that_keeps_a_card_busy_compiles() -> None:
    from saccade.runtime.cuda.compiler import compile_cubin

    assert compile_cubin(Source("spinning", SPIN, 1, 1, grid=1, block=32), "sm_90a")
