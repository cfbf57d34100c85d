"""The GPU device itself; see tests/codegen for what its kernels compute."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.graph import dtypes
from saccade.runtime.device import Device
from saccade.runtime.memory.buffer import Buffer
from saccade.runtime.program import CompileError, Launch, Source
from saccade.runtime.stream import stream

pytestmark = pytest.mark.gpu

ADD_ONE = """
extern "C" __global__ void add_one(const unsigned long long *table, unsigned long long a0,
    unsigned long long o0,
                                   unsigned long long a1, unsigned long long o1) {
  float *out = (float *)((table ? table[a0] : a0) + o0), *in = (float *)((table ? table[a1] : a1) + o1);
  out[threadIdx.x] = in[threadIdx.x] + 1;
}
"""


@pytest.fixture(name="device")
def opened() -> Any:
    return Device["cuda"]


def add_one(device: Any) -> Any:
    (program,) = device.compile([Source("add_one", ADD_ONE, 32, 2, grid=1, block=32)])
    return program


def buffer_of(array: np.ndarray[Any, Any]) -> Buffer:
    made = Buffer(array.size, dtypes.of(array.dtype), "cuda")
    made.copy_from(array)
    return made


def test_copies_there_and_back(device: Any) -> None:
    array = np.arange(3_000_000, dtype=np.float32)  # more than one staging piece
    np.testing.assert_array_equal(buffer_of(array).numpy(), array)


def test_pinned_copies(device: Any) -> None:
    pinned = device.pinned(4096)
    pinned.array((1024,), np.float32)[:] = 7
    block = device.allocate(4096)
    device.queue.copy_in(block.address, pinned.address, 4096)
    back = np.empty(1024, np.float32)
    device.queue.copy_out(back.ctypes.data, block.address, 4096)
    device.queue.synchronize()
    assert (back == 7).all()


@pytest.mark.parametrize("length", [1, 2, 5])
def test_a_plan_replays_with_other_buffers(device: Any, length: int) -> None:
    program = add_one(device)
    launches = [Launch(program, ((1, 0), (0, 0)))] + [Launch(program, ((1, 0), (1, 0)))] * (length - 1)
    plan = device.plan(launches, 2)
    for start in (0.0, 10.0, 20.0, 20.0):
        x, y = buffer_of(np.full(32, start, np.float32)), buffer_of(np.zeros(32, np.float32))
        plan([x.address, y.address])
        np.testing.assert_array_equal(y.numpy(), np.full(32, start + length, np.float32))


def test_intermediates_live_in_the_arena(device: Any) -> None:
    program = add_one(device)
    plan = device.plan([Launch(program, ((-1, 256), (0, 0))), Launch(program, ((1, 0), (-1, 256)))], 2, 512)
    x, y = buffer_of(np.zeros(32, np.float32)), buffer_of(np.zeros(32, np.float32))
    plan([x.address, y.address])
    assert (y.numpy() == 2).all()


def test_freed_memory_is_used_again(device: Any) -> None:
    first = device.allocate(1 << 20)
    address = first.address
    del first
    assert device.allocate(1 << 20).address == address


def test_too_much_memory_is_a_memory_error(device: Any) -> None:
    with pytest.raises(MemoryError, match="TiB"):
        device.allocate(1 << 44)
    assert (Tensor([1.0], device="cuda") + 1).numpy() == 2  # and the process goes on


def test_a_source_that_does_not_compile_is_named(device: Any) -> None:
    with pytest.raises(CompileError, match="line 1: this is no C"):
        device.compile([Source("broken", "this is no C", 1, 0, grid=1, block=1)])


def test_queues_agree_with_one_queue(device: Any) -> None:
    x = Tensor(np.arange(1000, dtype=np.float32), device="cuda").realize()
    for _ in range(2):  # what was compiled for one queue runs on another
        with stream(device="cuda") as other:
            y = (x * 2).realize()
            assert other.queue is device.queue is not device.main
        np.testing.assert_array_equal(y.numpy(), np.arange(1000, dtype=np.float32) * 2)
        z = (y + x).realize()
        np.testing.assert_array_equal(z.numpy(), np.arange(1000, dtype=np.float32) * 3)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    ("rows", "keys", "width"), [(256, 256, 128), (200, 333, 64), (77, 130, 96), (64, 500, 256)]
)
def test_attention_is_that_of_float32(device: Any, rows: int, keys: int, width: int, causal: bool) -> None:
    rng = np.random.default_rng(rows)
    arrays = [rng.standard_normal((2, 3, n, width)).astype(np.float16) for n in (rows, keys, keys)]
    q, k, v = (Tensor(a, device="cuda") for a in arrays)
    ours = q.scaled_dot_product_attention(k, v, is_causal=causal).numpy().astype(np.float64)
    a, b, c = (x.astype(np.float64) for x in arrays)
    scores = a @ b.swapaxes(-1, -2) * width**-0.5
    scores = np.where(np.tri(rows, keys, dtype=bool), scores, -np.inf) if causal else scores
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    theirs = weights / weights.sum(-1, keepdims=True) @ c
    assert np.linalg.norm(ours - theirs) <= 2e-3 * np.linalg.norm(theirs)


def test_events_order_queues(device: Any) -> None:
    queue = device.new_queue()
    event = device.queue.record()
    queue.wait(event)
    queue.synchronize()
    assert event.done()


def test_there_are_only_so_many(device: Any) -> None:
    with pytest.raises(RuntimeError, match=rf"this machine has {device.count} GPU"):
        Device[f"cuda:{device.count}"]


def test_the_list_tells_which_card_it_is() -> None:
    (status,) = [status for status in Device.list() if status.name == "cuda:0"]
    assert status.usable
    assert "sm_" in status.about
    assert Device.canonical("auto") == "cuda:0"


@pytest.mark.parametrize("kernels", [1, 4])
def test_results_are_right_whether_they_are_kept_or_dropped(kernels: int) -> None:
    @jit
    def program(x: Tensor) -> Tensor:
        for _ in range(kernels):
            x = (x.flip(0) + 1).contiguous()  # another place: not one kernel with the one before
        return x

    inputs = [Tensor(np.full(4096, n, np.float32), device="cuda").realize() for n in range(5)]
    kept = []
    for turn in range(40):
        made, other = program(inputs[turn % 5]), program(inputs[0])
        read = (made * 2).realize()  # queued before the memory of `made` is handed out again
        if turn % 7 == 0:
            kept.append((turn % 5, made))
        del made
        again = program(inputs[(turn + 1) % 5])
        assert read.numpy().tolist() == [2.0 * (turn % 5 + kernels)] * 4096
        assert again.numpy()[0] == (turn + 1) % 5 + kernels
        assert other.numpy()[0] == kernels
    state = inputs[0]
    for _ in range(30):
        state = program(state)
    assert state.numpy()[-1] == 30 * kernels
    assert [made.numpy()[9] for _, made in kept] == [number + kernels for number, _ in kept]
