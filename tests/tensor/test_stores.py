"""Writes in place: what they cost, who sees them, who does not, and what is refused."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.explain import explain
from saccade.runtime.memory.buffer import Buffer
from saccade.runtime.null import counting, ledger
from saccade.runtime.watch.debug import Run, listening
from saccade.schedule.donate import COPIED_BACK
from saccade.tensor.jit.trace import buffer_of
from saccade.tensor.stores.storage import pending

MOVED_OUT = "the old contents are kept"


def ones(*shape: int, device: str | None = None) -> Tensor:
    return Tensor(np.ones(shape, np.float32), device=device)


def address(tensor: Tensor) -> int:
    tensor.realize()
    return buffer_of(tensor.node).address


def reasons(runs: list[Run]) -> list[str]:
    return [step.notes.reason for run in runs for step in run.recipe.steps]


def moved(runs: list[Run]) -> int:
    return sum(step.notes.nbytes for run in runs for step in run.recipe.steps)


@pytest.fixture(autouse=True)
def _nobody_else_writes() -> None:
    """Stores of earlier tests would only be in the way."""
    gc.collect()


# --- what it costs


def test_assigning_what_is_made_of_it_needs_no_other_memory() -> None:
    x = ones(1000, 1000, device="null").realize()
    ledger.start_over()
    alone = ledger.live
    with counting() as report:
        for _ in range(3):
            x.assign(x + 1)
            x.realize()
    assert report.peak_bytes == alone
    assert report.nbytes == 3 * 2 * 4_000_000


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.assign(x * 2),
        lambda x: x.add_(1),
        lambda x: x.zero_(),
        lambda x: x.copy_(ones(4, 6)),
        lambda x: x.__setitem__(2, 5.0),
        lambda x: x.__setitem__((slice(None), [1, 3]), 5.0),
        lambda x: x.masked_fill_(x > 0, 2.0),
        lambda x: x.clamp_(0, 1),
        lambda x: x.assign(x.T.contiguous().reshape(4, 6)),
        lambda x: x.assign(x.softmax(1)),
        lambda x: x.index_add_(0, [0, 1], ones(2, 6)),
        lambda x: x[1:3].mul_(3),
        lambda x: x.T[2].fill_(7),
        lambda x: x.normal_(),
    ],
)
def test_memory_stays(write: Callable[[Tensor], Any]) -> None:
    x = ones(4, 6)
    place = address(x)
    for _ in range(2):
        write(x)
        assert address(x) == place


def test_a_cache_is_updated_at_the_cost_of_the_slice() -> None:
    costs = []
    for length in (64, 4096):
        cache, new = ones(2, length, 8).realize(), ones(2, 1, 8)
        with listening() as runs:
            for t in range(3):
                cache[:, t : t + 1] = new
                cache.realize()
        costs.append(moved(runs))
    assert costs == [3 * 2 * 2 * 8 * 4] * 2  # three slices read, three written
    expected = np.ones((2, 4096, 8), np.float32)
    np.testing.assert_array_equal(cache.numpy(), expected)


def test_a_cache_is_updated_at_the_cost_of_the_slice_under_jit() -> None:
    @jit
    def step(cache: Tensor, new: Tensor) -> Tensor:
        cache[:, 5:6] = new
        return cache[:, 4:6].sum(1)

    costs = []
    for length in (64, 4096):
        cache = Tensor(np.zeros((2, length, 8), np.float32))
        place = address(cache)
        step(cache, ones(2, 1, 8))
        with listening() as runs:
            out = step(cache, ones(2, 1, 8))
        assert (out.tolist(), address(cache)) == ([[1.0] * 8] * 2, place)
        costs.append(moved(runs))
    assert costs[0] == costs[1]


def test_an_optimiser_keeps_its_addresses() -> None:
    shapes = [(7, 5), (5,), (3, 7)]
    rng = np.random.default_rng(0)
    state = [[Tensor(rng.random(s, np.float32)) for s in shapes] for _ in range(3)]
    slopes = [Tensor(rng.random(s, np.float32)) for s in shapes]
    expected = [[t.numpy().copy() for t in group] for group in state]

    @jit
    def adam(
        parameters: list[Tensor], means: list[Tensor], squares: list[Tensor], slopes: list[Tensor]
    ) -> None:
        for p, m, v, g in zip(parameters, means, squares, slopes, strict=True):
            m.assign(0.9 * m + 0.1 * g)
            v.assign(0.99 * v + 0.01 * g * g)
            p -= 0.1 * m / (v.sqrt() + 1e-8)

    places = [[address(t) for t in group] for group in state]
    for _ in range(10):
        adam(*state, slopes)
        for p, m, v, g in zip(*expected, slopes, strict=True):
            slope = g.numpy()
            m[:] = 0.9 * m + 0.1 * slope
            v[:] = 0.99 * v + 0.01 * slope * slope
            p -= 0.1 * m / (np.sqrt(v) + 1e-8)
        assert [[address(t) for t in group] for group in state] == places
    for group, wanted in zip(state, expected, strict=True):
        for found, array in zip(group, wanted, strict=True):
            np.testing.assert_allclose(found.numpy(), array, rtol=1e-5)
    assert adam.traces == 1


def test_state_that_a_function_captures_stays_where_it_is() -> None:
    total = ones(5).realize()

    @jit
    def count(x: Tensor) -> Tensor:
        total.assign(total + x)
        return total * 2

    place = address(total)
    for n in range(10):
        assert count(ones(5)).tolist() == [2.0 * (n + 2)] * 5
    assert address(total) == place
    total.zero_()
    assert count(ones(5)).tolist() == [2.0] * 5
    assert (address(total), count.traces) == (place, 1)


@pytest.mark.parametrize("length", [15, 16, 33, 1000, 1001])
def test_every_element_is_changed_once(length: int) -> None:
    """Vectors do not divide most lengths, and what is left over is not covered twice."""
    x = Tensor(np.arange(3 * length, dtype=np.float32).reshape(3, length))
    x.mul_(2).add_(Tensor(np.arange(length, dtype=np.float32))).realize()
    first = np.arange(3 * length, dtype=np.float32).reshape(3, length)
    np.testing.assert_array_equal(x.numpy(), first * 2 + np.arange(length, dtype=np.float32))


# --- who keeps the old contents


def test_a_value_that_waits_keeps_the_old_contents_and_has_a_copy_made() -> None:
    x = ones(6)
    place = address(x)
    doubled = x * 2
    x += 1
    with listening() as runs:
        x.realize()
    assert [reason for reason in reasons(runs) if MOVED_OUT in reason] != []
    assert address(x) == place
    assert (x.tolist(), doubled.tolist()) == ([2.0] * 6, [2.0] * 6)


def test_explain_names_who_the_copy_is_for() -> None:
    x = ones(2, 3).realize()
    waiting = (x + 5).sum(0)

    def write() -> None:
        x.mul_(2).realize()

    assert f"{MOVED_OUT} for a value that was computed from them: ADD of shape (2, 3)" in " ".join(
        str(explain(write)).replace("│", " ").split()
    )
    assert waiting.tolist() == [12.0] * 3


def test_no_copy_for_what_is_computed_with_the_write() -> None:
    x = ones(4, 5).realize()
    total, turned = x.sum(), x.T.contiguous()
    x += 1
    with listening() as runs:
        x.realize(total, turned)
    assert not any(MOVED_OUT in reason or reason == COPIED_BACK for reason in reasons(runs))
    assert (total.item(), turned.tolist(), x.tolist()) == (20.0, [[1.0] * 4] * 5, [[2.0] * 5] * 4)


def test_no_copy_for_what_nobody_has_any_more() -> None:
    x = ones(8).realize()
    with listening() as runs:
        for _ in range(3):
            dropped = x * 3
            del dropped
            x += 1
            x.realize()
    assert not any(MOVED_OUT in reason for reason in reasons(runs))


def test_a_value_of_the_new_contents_needs_no_copy_and_no_second_computation() -> None:
    x = ones(8).realize()
    x += 1
    later = x * 10
    with listening() as runs:
        x.realize()
        later.realize()
    assert len(runs) == 2
    assert not any(MOVED_OUT in reason for reason in reasons(runs))
    assert (x.tolist(), later.tolist()) == ([2.0] * 8, [20.0] * 8)
    x += 1  # now `later` is of the past, but computed
    assert (x.tolist(), later.tolist()) == ([3.0] * 8, [20.0] * 8)


def test_wanting_what_comes_after_a_store_does_it() -> None:
    x = ones(8).realize()
    x += 1
    later = x.sum()
    with listening() as runs:
        assert later.item() == 16.0
        assert x.tolist() == [2.0] * 8
    assert len(runs) == 1


def test_what_was_assigned_is_computed_once() -> None:
    x = ones(8).realize()
    new = x.exp()
    x.assign(new)
    with listening() as runs:
        x.realize()
        np.testing.assert_allclose(new.numpy(), np.full(8, np.e), rtol=1e-6)
    assert not any(MOVED_OUT in reason for reason in reasons(runs))
    x.zero_()
    np.testing.assert_allclose(new.numpy(), np.full(8, np.e), rtol=1e-6)
    assert x.tolist() == [0.0] * 8


def test_a_clone_and_a_copy_are_values_of_their_own() -> None:
    x = ones(4).realize()
    clone, copied, same = x.clone(), Tensor(x), Tensor([0.0] * 4).assign(x)
    x += 1
    assert [t.tolist() for t in (x, clone, copied, same)] == [[2.0] * 4, *[[1.0] * 4] * 3]
    copied += 5
    assert [t.tolist() for t in (x, clone, copied, same)] == [[2.0] * 4, [1.0] * 4, [6.0] * 4, [1.0] * 4]


def test_a_result_of_jit_is_not_handed_out_again_after_it_was_written_to() -> None:
    double = jit(lambda x: x * 2)
    for _ in range(4):
        result = double(ones(4))
        with listening() as runs:
            result.add_(1).realize()
        assert not any(MOVED_OUT in reason for reason in reasons(runs))
        assert (result.tolist(), double(ones(4)).tolist()) == ([3.0] * 4, [2.0] * 4)


def test_a_call_leaves_the_old_contents_to_who_waits_for_them() -> None:
    @jit
    def grow(x: Tensor) -> None:
        x += 1

    x = ones(4)
    grow(x)
    place = address(x)
    waiting = x * 10
    with listening() as runs:
        grow(x)
    assert sum(MOVED_OUT in reason for reason in reasons(runs)) == 1
    with listening() as runs:
        grow(x)
    assert not any(MOVED_OUT in reason for reason in reasons(runs))
    assert (waiting.tolist(), x.tolist(), address(x)) == ([20.0] * 4, [4.0] * 4, place)


def test_a_call_does_not_overwrite_what_has_the_same_value_by_chance() -> None:
    @jit
    def grow(x: Tensor) -> None:
        x += 1

    x = ones(4)
    other = Tensor(x)
    grow(x)
    grow(other)
    grow(other)
    assert (x.tolist(), other.tolist()) == ([2.0] * 4, [3.0] * 4)


def test_nothing_pending_is_left_behind() -> None:
    gc.collect()
    before = len(pending)
    x = ones(4).realize()
    x += 1
    x.realize()
    y = ones(4).realize()
    y += 1
    del y
    assert len(pending) == before


def test_writes_stay_on_their_device() -> None:
    x = ones(2, 3, device="interpreter")
    x.zero_()
    x[[1, 0], [2, 0]] = Tensor([5.0, 6.0], device="interpreter")
    x[0] += ones(3, device="interpreter")
    assert (x.device, x.tolist()) == ("interpreter", [[7.0, 1.0, 1.0], [0.0, 0.0, 5.0]])
    lazy = ones(3, device="interpreter") * 1
    assert lazy.zero_().device == "interpreter"


def test_another_buffer_on_the_same_memory() -> None:
    first = Buffer.from_numpy(np.arange(3.0))
    second = first.again()
    assert (second.address, second.numpy().tolist()) == (first.address, [0.0, 1.0, 2.0])


def test_a_view_that_would_be_a_copy_is_refused() -> None:
    """Writes to it would never reach the tensor."""
    x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with pytest.raises(ValueError, match="would be a copy: the elements of shape \\(3, 2\\)"):
        x.T.view(6)
    with pytest.raises(ValueError, match="use reshape"):
        x[:, 1:].view_as(Tensor.zeros(4))
    x.view(6)[1:3].zero_()
    x[:, :2].view(2, 2, 1).mul_(10)
    assert x.tolist() == [[10, 0, 0], [40, 50, 6]]
    assert x.T.reshape(6).tolist() == x.T.contiguous().view(6).tolist() == [10, 40, 0, 50, 0, 6]
