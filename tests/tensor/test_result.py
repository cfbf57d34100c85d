"""Results that nobody has any more are handed out again; all others have memory of their own."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.tensor.jit.trace import buffer_of
from saccade.tensor.programs.result import Result

X = np.arange(8, dtype=np.float32)


def place(x: Tensor) -> int:
    return buffer_of(x.node).address


def eager() -> Callable[[Tensor], Tensor]:
    return lambda x: (x * 2).realize()


def jitted() -> Callable[[Tensor], Tensor]:
    return jit(lambda x: x * 2)


@pytest.fixture(params=[eager, jitted])
def program(request: pytest.FixtureRequest) -> Callable[[Tensor], Tensor]:
    """One that was called before: its results may be handed out again."""
    made: Callable[[Tensor], Tensor] = request.param()
    for _ in range(6):
        made(Tensor(X).realize())
    return made


HOLDERS: dict[str, Callable[[Tensor], Any]] = {
    "tensor": lambda y: y,
    "node": lambda y: y.node,
    "parts": lambda y: y.node.src,
    "source": lambda y: y.node.src[0],
    "buffer": lambda y: buffer_of(y.node),
    "memory": lambda y: buffer_of(y.node)._owner,
    "sum": lambda y: y + 1,
    "view": lambda y: y.reshape(2, 4),
    "array": lambda y: y.numpy(),
    "capsule": lambda y: y.__dlpack__(),
}


@pytest.mark.parametrize("name", HOLDERS)
def test_a_result_is_handed_out_again_when_nothing_of_it_is_held(
    program: Callable[[Tensor], Tensor], name: str
) -> None:
    x = Tensor(X).realize()
    y = program(x)
    where, held = place(y), HOLDERS[name](y)
    del y
    kept = [program(x) for _ in range(6)]
    assert where not in map(place, kept)
    assert held is not None
    del held, kept
    gc.collect()


def test_a_dropped_result_is_the_next_one(program: Callable[[Tensor], Tensor]) -> None:
    x = Tensor(X).realize()
    places = {place(program(x)) for _ in range(20)}
    assert len(places) <= 3
    for _ in range(5):
        np.testing.assert_array_equal(program(x).numpy(), 2 * X)


def test_what_was_lent_is_seen_as_before_when_it_is_handed_out(program: Callable[[Tensor], Tensor]) -> None:
    x = Tensor(X).realize()
    for _ in range(8):
        y = program(x)
        array = y.numpy()
        array[0] = 7  # seen in y, as it is y's own memory
        assert y[0].item() == 7
        del y, array


def test_a_result_that_was_a_leaf_is_none_when_it_is_handed_out(program: Callable[[Tensor], Tensor]) -> None:
    x = Tensor(X).realize()
    for _ in range(8):
        y = program(x).requires_grad_()
        (y * 3).sum().backward()
        assert y.grad is not None
        del y
        assert (program(x) * 3).grad is None


def test_a_captured_result_is_not_taken_for_a_later_one() -> None:
    """Its value was read when the function was traced."""
    x = Tensor(X).realize()

    limits = {limit: Tensor([limit]).realize() for limit in (0.0, 100.0)}

    def flag(limit: float) -> Tensor:
        return (x.sum() > limits[limit]).realize()

    for _ in range(4):
        flag(0.0), flag(100.0)
    state = {"flag": flag(0.0)}

    @jit
    def chosen(y: Tensor) -> Tensor:
        return y + 1 if state["flag"] else y - 1

    for limit in (0.0, 100.0, 0.0, 100.0, 100.0, 0.0):
        state["flag"] = flag(limit)
        assert chosen(x)[0].item() == (1 if limit == 0.0 else -1)


def test_a_result_that_is_written_to_stays_its_owners(program: Callable[[Tensor], Tensor]) -> None:
    x = Tensor(X).realize()
    for _ in range(6):
        y = program(x)
        later = y + 1  # waits for the old contents
        y += 5
        z = program(x)
        np.testing.assert_array_equal(y.numpy(), 2 * X + 5)
        np.testing.assert_array_equal(later.numpy(), 2 * X + 1)
        np.testing.assert_array_equal(z.numpy(), 2 * X)


def test_large_results_are_not_kept() -> None:
    x = Tensor(np.zeros(1 << 16, np.float32)).realize()
    step = jit(lambda x: x + 1)
    step(x), step(x)
    found = [o for o in gc.get_objects() if isinstance(o, Result) and o.shape == (1 << 16,)]
    assert found
    assert not any(result._kept for result in found)
