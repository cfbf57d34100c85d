"""Programs that a GPU fails under, each the same on every device.

    results = PROGRAMS["replayed"]("cuda", attempt)      # attempt(work) -> what `work` gives

A program says where a failed piece of work may be tried again: `attempt` calls what it is given, and calls it
once more if that raises. What came before has to be as it was, so the results are those of every device."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from saccade import Device, Tensor, jit, stream
from saccade.runtime.memory.buffer import Buffer
from saccade.tensor.jit.bound import Bound, Inbox, bind
from saccade.tensor.jit.trace import buffer_of

Array = np.ndarray[Any, Any]
#: calls what it is given
Attempt = Callable[[Callable[[], Any]], Any]
Program = Callable[[str, Attempt], list[Array]]


def numbers(*shape: int, dtype: str = "float32") -> Array:
    """Whole numbers between -6 and 6: sums of them are the same on every device."""
    return (np.arange(np.prod(shape)) * 7 % 13 - 6).reshape(shape).astype(dtype)


def shuffled(x: Tensor) -> Tensor:
    """Three kernels, of which two leave their result in the arena."""
    for _ in range(3):
        x = (x.flip(0) + 1).contiguous()
    return x


def mapped(device: str, attempt: Attempt) -> list[Array]:
    x = attempt(lambda: Tensor(numbers(40), device=device).realize())
    return [attempt(lambda: (x * 2 + 1).numpy())]


def reduced(device: str, attempt: Attempt) -> list[Array]:
    x = attempt(lambda: Tensor(numbers(6, 70), device=device).realize())
    return [attempt(lambda: x.sum(1).numpy()), attempt(lambda: (x - x.amax(0)).sum().numpy())]


def multiplied(device: str, attempt: Attempt) -> list[Array]:
    a = attempt(lambda: Tensor(numbers(12, 20), device=device).realize())
    b = attempt(lambda: Tensor(numbers(20, 8), device=device).realize())
    return [attempt(lambda: (a @ b).numpy())]


def ordered(device: str, attempt: Attempt) -> list[Array]:
    x = attempt(lambda: Tensor(numbers(3, 40), device=device).realize())
    values, places = x.sort(1)
    attempt(lambda: Tensor.realize(values, places))
    return [attempt(values.numpy), attempt(places.numpy)]


def chained(device: str, attempt: Attempt) -> list[Array]:
    x = attempt(lambda: Tensor(numbers(50), device=device).realize())
    return [attempt(lambda: shuffled(x).numpy()) for _ in range(2)]


def replayed(device: str, attempt: Attempt) -> list[Array]:
    """More sets of addresses than graphs are kept."""
    function = jit(shuffled)
    inputs = [attempt(lambda n=n: Tensor(numbers(50) + n, device=device).realize()) for n in range(6)]
    kept = [attempt(lambda x=x: function(x)) for _ in range(2) for x in inputs]
    return [attempt(result.numpy) for result in kept]


def numbered(device: str, attempt: Attempt) -> list[Array]:
    """Numbers that change from call to call: from the third value on, words that a kernel is given."""
    function = jit(lambda x, number: x.flip(0) * number)
    x = attempt(lambda: Tensor(numbers(30), device=device).realize())
    kept = [attempt(lambda n=n: function(x, n)) for n in range(2, 8)]
    return [attempt(result.numpy) for result in kept]


def stepped(device: str, attempt: Attempt) -> list[Array]:
    """A state that each call changes in place, and random numbers: a call that fails leaves both alone."""
    Tensor.manual_seed(11)
    before = Device.default
    attempt(lambda: setattr(Device, "default", device))  # where keys are made
    state = attempt(lambda: Tensor(numbers(16), device=device).realize())

    @jit
    def step() -> Tensor:
        nonlocal state
        state += 1
        return state + Tensor.randint(0, 100, (16,)).cast("float32")

    try:
        results = [attempt(attempt(step).numpy) for _ in range(4)]
        return [*results, attempt(state.numpy)]
    finally:
        Device.default = before


def looped(device: str, attempt: Attempt) -> list[Array]:
    """Two bound calls whose states are each other's, with what the host sends and reads, as in the cortex."""

    @jit
    def step(state: Tensor, given: Tensor) -> tuple[Tensor, Tensor]:
        return state.flip(0) + given[:8], given * 2 + state[:1]

    state = attempt(lambda: Tensor(numbers(8), device=device).realize())
    boxes = [attempt(lambda: Inbox((16,), "float32", device)) for _ in range(2)]
    for box in boxes:
        box.array[:] = 1
        attempt(box.send)
    one = attempt(lambda: step(state, boxes[0].tensor))
    two = attempt(lambda: step(one[0], boxes[1].tensor))
    calls = [
        bind(step, (two[0], boxes[0].tensor), one, [boxes[0]], 1),
        bind(step, (one[0], boxes[1].tensor), two, [boxes[1]], 1),
    ]
    results = []
    for number in range(6):
        call, box = calls[number % 2], boxes[number % 2]
        assert isinstance(call, Bound)
        attempt(box.ready)
        box.array[:] = number
        attempt(call.run)
        results.append(attempt(lambda call=call: call.read().copy()))
    return results


def on_streams(device: str, attempt: Attempt) -> list[Array]:
    x = attempt(lambda: Tensor(numbers(30), device=device).realize())
    left, right = attempt(lambda: stream(device=device)), attempt(lambda: stream(device=device))
    results = []
    for number in range(3):
        with left:
            a = attempt(lambda n=number: (x + n).realize())
        with right:
            b = attempt(lambda a=a, n=number: (a * 2 + x.flip(0) * n).realize())
        attempt(lambda: left.wait(right))
        with left:
            c = attempt(lambda a=a, b=b: (a + b).realize())
        del a, b  # of one stream, read by another: their memory is used again
        results.append(attempt(lambda c=c: (c - x).numpy()))
    attempt(left.synchronize)
    return results


def copied(device: str, attempt: Attempt) -> list[Array]:
    """More than the pinned pieces hold, there and back, twice."""
    many = numbers(2_400_000)
    results = []
    for number in range(2):
        array = many + number
        x = attempt(lambda array=array: Tensor(array, device=device).realize())
        results.append(attempt(x.numpy))
    return results


def pinned(device: str, attempt: Attempt) -> list[Array]:
    """Copies from and to memory of the host that the device reaches by itself."""
    if not device.startswith("cuda"):
        return [numbers(40) + 1, numbers(40)]
    x = attempt(lambda: Tensor(numbers(40), device=device).realize())
    runtime: Any = Device[device]
    y = attempt(lambda: (x + 1).realize())
    out = attempt(lambda: runtime.pinned(160))
    queue = runtime.queue
    attempt(lambda: queue.copy_out(out.address, buffer_of(y.node).address, 160))
    attempt(queue.synchronize)
    results = [out.array((40,), "float32").copy()]
    given = attempt(lambda: runtime.pinned(160))
    given.array((40,), "float32")[:] = numbers(40)
    target = Buffer(40, buffer_of(x.node).dtype, device)
    attempt(lambda: target.address)
    attempt(partial(queue.copy_in, target.address, given.address, 160))
    del given  # the copy may not have happened yet
    return [*results, attempt(target.numpy)]


def shared(device: str, attempt: Attempt) -> list[Array]:
    """Memory that another library reads, and memory of another library."""
    if not device.startswith("cuda"):
        return [numbers(24) * 3, numbers(24)]
    x = attempt(lambda: Tensor(numbers(24), device=device).realize())
    borrowed = attempt(lambda: Tensor.from_dlpack(x))
    y = attempt((borrowed * 3).realize)
    del borrowed  # its owner gets it back after the kernel that reads it
    return [attempt(y.numpy), attempt(x.numpy)]


def between(device: str, attempt: Attempt) -> list[Array]:
    """From one GPU to another and back."""
    x = attempt(lambda: Tensor(numbers(24), device=device).realize())
    y = attempt(lambda: x.to("cuda:1" if device.startswith("cuda") else device).realize())
    z = attempt(lambda: (y + 1).realize())
    return [attempt(lambda: z.to(device).numpy())]


PROGRAMS: dict[str, Program] = {
    program.__name__: program
    for program in (
        mapped, reduced, multiplied, ordered, chained, replayed, numbered, stepped, looped, on_streams,
        copied, pinned, shared, between,
    )
}  # fmt: skip


def straight(work: Callable[[], Any]) -> Any:
    """An attempt at work that succeeds."""
    return work()
