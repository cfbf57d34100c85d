"""Several streams on a GPU, ours and torch's: kernels that take a tenth of a second show a missing wait."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, dtypes, stream, trace
from saccade.graph.node import hold
from saccade.runtime.device import Device
from saccade.runtime.memory.buffer import Buffer
from saccade.runtime.program import Launch, Source
from saccade.tensor.jit.trace import buffer_of

pytestmark = pytest.mark.gpu

SIZE = 1 << 16
SLOW = """
typedef unsigned long long u64;
extern "C" __global__ void slow_copy(const u64 *table, u64 a0, u64 o0, u64 a1, u64 o1) {
  float *out = (float *)((table ? table[a0] : a0) + o0), *in = (float *)((table ? table[a1] : a1) + o1);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  long long start = clock64();
  while (clock64() - start < 150000000) {}
  out[i] = in[i];
}
"""


@pytest.fixture(name="slow", scope="module")
def slow_fixture() -> Any:
    """A copy that takes its time: `slow(x)` is queued on the current stream."""
    device = Device["cuda"]
    (program,) = device.compile([Source("slow_copy", SLOW, SIZE, 2, grid=SIZE // 1024, block=1024)])
    plan: Any = device.plan([Launch(program, ((1, 0), (0, 0)))], 2)
    plan.inputs = 1

    def slow(x: Tensor) -> Tensor:
        out = Buffer(SIZE, dtypes.float32, "cuda")
        device.queue.submit(plan, [buffer_of(x.realize().node).address, out.address])
        return Tensor._of(hold(out, dtypes.float32, (SIZE,)))

    slow(full(0.0)).numpy()  # loaded
    return slow


def full(value: float) -> Tensor:
    return Tensor(np.full(SIZE, value, np.float32), device="cuda").realize()


def test_a_reader_waits_for_the_stream_that_writes(slow: Any) -> None:
    for value in range(3):
        x = full(value)
        with stream(device="cuda"):
            y = slow(x)
        with stream(device="cuda"):
            z = (y + 1).realize()
        assert (z + y).numpy().tolist()[::9999] == [2 * value + 1] * 7


def test_memory_is_not_used_again_while_another_stream_reads_it(slow: Any) -> None:
    owner, reader = stream(device="cuda"), stream(device="cuda")
    for value in range(3):
        with owner:
            x = (full(value) + 0).realize()
        address = buffer_of(x.node).address
        with reader:
            y = slow(x)
        with owner:
            del x
            gc.collect()
            others = [full(-1.0) for _ in range(4)]
            assert address in [buffer_of(other.node).address for other in others]
        assert (y.numpy() == value).all()


def test_streams_run_at_the_same_time(slow: Any) -> None:
    x = full(3.0)
    streams = [stream(device="cuda") for _ in range(3)]
    with trace() as timeline:
        results = []
        for each in streams:
            with each:
                results.append((slow(x) + 1).realize())
    for result in results:
        assert (result.numpy() == 4).all()
    rows = {span.row for span in timeline.spans if span.device == "cuda:0" and "copy" not in span.name}
    assert len(rows) == 3


def test_an_event_is_reached_when_the_work_before_it_is(slow: Any) -> None:
    with stream(device="cuda") as first:
        y = slow(full(1.0))
        event = first.record()
    assert not event.done()
    other = stream(device="cuda")
    other.wait(event)
    other.synchronize()
    assert event.done()
    assert first.done()
    assert (y.numpy() == 1).all()


# --- torch


@pytest.fixture(name="torch")
def torch_fixture() -> Any:
    return pytest.importorskip("torch")


@pytest.mark.parametrize("side", [False, True])
def test_we_wait_for_torch(torch: Any, side: bool) -> None:
    for value in range(3):
        tensor = torch.zeros(SIZE, device="cuda")
        torch.cuda.synchronize()
        theirs = torch.cuda.Stream() if side else torch.cuda.current_stream()
        with torch.cuda.stream(theirs):
            torch.cuda._sleep(150_000_000)
            tensor.fill_(value)
            x = Tensor.from_dlpack(tensor)
        assert buffer_of(x.node).address == tensor.data_ptr()
        assert ((x * 2).numpy() == 2 * value).all()


@pytest.mark.parametrize("side", [False, True])
def test_torch_waits_for_us(torch: Any, slow: Any, side: bool) -> None:
    for value in range(1, 4):
        y = slow(full(value))
        theirs = torch.cuda.Stream() if side else torch.cuda.current_stream()
        with torch.cuda.stream(theirs):
            tensor = torch.from_dlpack(y)
            doubled = tensor * 2
        theirs.synchronize()
        assert tensor.data_ptr() == buffer_of(y.node).address
        assert bool((doubled == 2 * value).all())


def test_memory_that_torch_still_reads_is_not_used_again(torch: Any) -> None:
    for value in range(3):
        y = (full(value) + 0).realize()
        tensor = torch.from_dlpack(y)
        torch.cuda._sleep(150_000_000)
        copied = tensor.clone()
        del tensor, y
        gc.collect()
        others = [full(-1.0) for _ in range(4)]
        torch.cuda.synchronize()
        assert bool((copied == value).all())
        assert others


def test_torch_gets_its_memory_back_after_we_read_it(torch: Any, slow: Any) -> None:
    for value in range(3):
        tensor = torch.full((SIZE,), float(value), device="cuda")
        torch.cuda.synchronize()
        x = Tensor.from_dlpack(tensor)
        y = slow(x)
        del tensor, x
        gc.collect()
        others = [torch.full((SIZE,), -1.0, device="cuda") for _ in range(4)]
        assert (y.numpy() == value).all()
        assert others
    device: Any = Device["cuda"]
    device.settle()
    device.debts.pay()
    assert not device.debts._open


def test_dtypes_and_layouts_pass(torch: Any) -> None:
    x = Tensor([1.0, 2.0], device="cuda").cast("bfloat16")
    assert torch.from_dlpack(x).dtype == torch.bfloat16
    turned = torch.arange(6, device="cuda").reshape(2, 3).T
    assert Tensor.from_dlpack(turned).tolist() == turned.tolist()
    with pytest.raises(ValueError, match="side by side"):
        Tensor.from_dlpack(torch.arange(6, device="cuda")[::2])
