"""Writes in place: what they cost, who sees them, who does not, and what is refused."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.explain import explain
from saccade.runtime.buffer import Buffer
from saccade.runtime.debug import Run, listening
from saccade.runtime.null import counting, ledger
from saccade.schedule.donate import COPIED_BACK
from saccade.tensor import stores as module
from saccade.tensor.storage import pending
from saccade.tensor.trace import buffer_of

MOVED_OUT = "the old contents are kept"


def ones(*shape: int, device: str = "cpu") -> Tensor:
    return Tensor(np.ones(shape, np.float32), device=device)


def address(tensor: Tensor) -> int:
    tensor.realize()
    return buffer_of(tensor.node).address


def reasons(runs: list[Run]) -> list[str]:
    return [step.notes.reason for run in runs for step in run.recipe.steps]


def moved(runs: list[Run]) -> int:
    return sum(step.notes.nbytes for run in runs for step in run.recipe.steps)


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


# --- who sees it


def test_views_see_writes_and_are_written_through() -> None:
    x = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))
    row, column, flat, turned = x[1], x[:, 2], x.reshape(-1), x.T
    inner = turned[1:3][:, 0]
    x += 100
    assert row.tolist() == [104.0, 105.0, 106.0, 107.0]
    assert column.tolist() == [102.0, 106.0, 110.0]
    row.zero_()
    flat[10:] = -1.0
    inner *= 2
    assert x.tolist() == [[100.0, 202.0, 204.0, 103.0], [0.0] * 4, [108.0, 109.0, -1.0, -1.0]]
    assert turned.tolist() == np.array(x.tolist()).T.tolist()
    x[0] += 1
    assert flat[:4].tolist() == [101.0, 203.0, 205.0, 104.0]


def test_views_of_what_is_not_computed_yet_share_too() -> None:
    x = ones(2, 3) + ones(2, 3)
    v = x[0]
    x += 1
    v[1] = 9.0
    assert (x.tolist(), v.tolist()) == ([[3.0, 9.0, 3.0], [3.0, 3.0, 3.0]], [3.0, 9.0, 3.0])


def test_a_view_of_a_lazy_value_costs_only_what_it_shows() -> None:
    x = Tensor.zeros(1 << 40, 2)
    v = x[5]
    assert v.realize().tolist() == [0.0, 0.0]
    v += 1
    assert (v.tolist(), x[4:7, 0].tolist()) == ([1.0, 1.0], [0.0, 1.0, 0.0])


def test_a_view_alone_lets_go_of_what_it_was_a_view_of() -> None:
    big = ones(1 << 16).realize()
    alive = buffer_of(big.node)
    part = big[:4]
    del big
    part.realize()
    assert buffer_of(part.node) is not alive
    assert part.storage is None
    graph = ones(1 << 16).exp()
    part = graph[:4].realize()
    assert part.storage is not None
    del graph
    assert part.storage is None  # nobody else shares it: the graph is gone


def test_reshaping_what_has_no_strides_for_it_is_a_copy() -> None:
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    copied, view = x.T.reshape(-1), x.T.reshape(3, 1, 2)
    x += 1
    assert copied.tolist() == [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]
    assert view[0, 0].tolist() == [1.0, 4.0]
    copied[0] = 50.0
    assert x[0, 0].item() == 1.0


def test_turning_a_tensor_in_place_keeps_what_it_shares() -> None:
    x = ones(2, 3).realize()
    other = x.T
    x.unsqueeze_(0).transpose_(1, 2)
    x[0, 1] = 5.0
    assert (x.shape, other.tolist()) == ((1, 3, 2), [[1.0, 1.0], [5.0, 5.0], [1.0, 1.0]])


def test_a_bitcast_of_one_width_is_a_view() -> None:
    x = Tensor(np.array([1.0, 2.0], np.float32))
    bits = x.view("int32")
    bits[0] = 0
    x[1] = -0.0
    assert (x.tolist(), bits.tolist()) == ([0.0, -0.0], [0, -(1 << 31)])


def test_a_function_sees_writes_through_views_of_what_it_captures() -> None:
    cache = Tensor(np.zeros((3, 4), np.float32))
    row = cache[1]

    @jit
    def put(x: Tensor) -> Tensor:
        row.assign(x)
        return cache.sum()

    place = address(cache)
    assert [put(ones(4) * n).item() for n in range(4)] == [0.0, 4.0, 8.0, 12.0]
    assert (cache[1].tolist(), row.tolist(), address(cache)) == ([3.0] * 4, [3.0] * 4, place)
    cache += 1
    assert put(ones(4)).item() == 12.0
    assert put.traces == 1


def test_a_function_given_a_tensor_and_its_view_does_what_it_says() -> None:
    def write(x: Tensor, v: Tensor) -> Tensor:
        x += 1
        v *= 10
        return x.sum()

    jitted = jit(write)
    for _ in range(3):
        x = ones(2, 3).realize()
        assert jitted(x, x[0]).item() == 3 * 20 + 3 * 2
        assert x.tolist() == [[20.0] * 3, [2.0] * 3]
        y, z = ones(2, 3), ones(3)
        assert (jitted(y, z).item(), z.tolist()) == (12.0, [10.0] * 3)


def test_a_function_that_writes_to_a_slice_of_a_tensor() -> None:
    @jit
    def grow(x: Tensor) -> None:
        x += 1

    whole = ones(3, 4).realize()
    for _ in range(2):
        grow(whole[1])
        grow(whole[:, 0])
    assert whole.tolist() == [[3.0, 1.0, 1.0, 1.0], [5.0, 3.0, 3.0, 3.0], [3.0, 1.0, 1.0, 1.0]]


def test_a_function_returns_the_tensor_it_wrote_to() -> None:
    @jit
    def grow(x: Tensor) -> Tensor:
        x += 1
        return x.reshape(2, 2)

    x = ones(4)
    seen = grow(x)
    x += 1
    assert (seen.tolist(), seen.shape) == ([[3.0, 3.0], [3.0, 3.0]], (2, 2))


# --- memory that others see


def test_numpy_sees_writes() -> None:
    x = ones(2, 3)
    array, part = x.numpy(), x[1].numpy()
    x += 1
    x[1, 2] = 7.0
    assert array.tolist() == [[2.0] * 3, [2.0, 2.0, 7.0]]
    assert part.tolist() == [2.0, 2.0, 7.0]
    part[0] = -1.0
    assert x[1, 0].item() == -1.0


def test_a_borrowed_array_is_written_and_keeps_its_old_contents_for_who_waits() -> None:
    array = np.zeros((3, 2), np.float32)
    x = Tensor.from_numpy(array)
    before = x + 1
    x.T[1] = 5.0
    x *= 2
    assert array.tolist() == [[0.0, 10.0]] * 3
    assert before.tolist() == [[1.0, 1.0]] * 3
    turned = Tensor.from_numpy(array.T)
    turned[0] = 3.0
    assert array[:, 0].tolist() == [3.0] * 3


def test_a_store_happens_though_the_tensor_is_dropped_where_others_see_it() -> None:
    array = np.zeros(3, np.float32)
    Tensor.from_numpy(array).add_(1)
    assert array.tolist() == [1.0] * 3


def test_torch_sees_writes() -> None:
    torch = pytest.importorskip("torch")
    theirs = torch.zeros(2, 3)
    ours = Tensor.from_dlpack(theirs)
    ours += 1
    ours[0] = 4.0
    assert theirs.tolist() == [[4.0] * 3, [1.0] * 3]
    lent = torch.from_dlpack(ours)
    ours.zero_()
    assert lent.tolist() == [[0.0] * 3] * 2


def test_a_call_writes_to_memory_that_numpy_sees() -> None:
    array = np.ones(4, np.float32)
    x = Tensor.from_numpy(array)

    @jit
    def double(x: Tensor) -> None:
        x *= 2

    for _ in range(3):
        double(x)
    assert array.tolist() == [8.0] * 4
    copied = Tensor(x)
    double(copied)
    assert (array.tolist(), copied.tolist()) == ([8.0] * 4, [16.0] * 4)


def test_two_tensors_on_one_array_are_not_taken_for_two_memories() -> None:
    array = np.ones(4, np.float32)

    def write(x: Tensor, y: Tensor) -> Tensor:
        x += 1
        return y * 10

    x, y = Tensor.from_numpy(array), Tensor.from_numpy(array)
    assert jit(write)(x, y).tolist() == [20.0] * 4


# --- what is refused, and what is left whole


def test_read_only_memory_is_refused() -> None:
    array = np.zeros(3, np.float32)
    array.flags.writeable = False
    x = Tensor.from_numpy(array)
    for write in (lambda: x.add_(1), lambda: x.__setitem__(0, 1.0), lambda: x[1:].zero_()):
        with pytest.raises(ValueError, match=r"read-only memory: use x = x.clone\(\)"):
            write()
    with pytest.raises(ValueError, match=r"read-only memory: use x = x.clone\(\)"):
        jit(lambda x: x.add_(1))(x)
    assert (array.tolist(), x.tolist()) == ([0.0] * 3, [0.0] * 3)
    x = x.clone()
    assert x.add_(1).tolist() == [1.0] * 3


def test_expanded_views_are_refused() -> None:
    x = ones(3).realize()
    wide = x.expand(2, 3)
    with pytest.raises(ValueError, match=r"view of shape \(2, 3\).*one place.*clone\(\)"):
        wide += 1
    with pytest.raises(ValueError, match="one place"):
        x.unfold(0, 2, 1).zero_()
    assert x.tolist() == [1.0] * 3
    wide[1] = 5.0  # one row is no two places
    assert (x.tolist(), wide.tolist()) == ([5.0] * 3, [[5.0] * 3] * 2)


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda x: x.assign(ones(3)), r"assign shape \(3,\) to a tensor of shape \(2, 3\)"),
        (lambda x: x.add_(ones(2, 2, 3)), r"add_ cannot change shape \(2, 3\) to \(2, 2, 3\)"),
        (lambda x: x.copy_(ones(4)), r"cannot expand \(4,\) to \(2, 3\)"),
        (lambda x: x.__setitem__(0, ones(2)), r"shape \(2,\) to a part of shape \(3,\)"),
        (lambda x: x.__setitem__(5, 1.0), "index 5 is out of range"),
        (lambda x: x.int().add_(0.5), "add_ cannot put float32 into a tensor of int32"),
    ],
)
def test_what_does_not_fit_changes_nothing(write: Callable[[Tensor], Any], message: str) -> None:
    x = ones(2, 3).realize()
    place = address(x)
    with pytest.raises((ValueError, TypeError, IndexError), match=message):
        write(x)
    assert (x.tolist(), address(x)) == ([[1.0] * 3] * 2, place)


def test_a_store_that_cannot_happen_leaves_everything_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = ones(4).realize(), ones(4).realize()
    waiting = x * 10
    x += y
    later = x * 2

    def no_memory(*_: object) -> None:
        raise MemoryError("no memory for a copy")

    with monkeypatch.context() as patched:
        patched.setattr(module, "move_out", no_memory)
        for wanted in (later, x):
            with pytest.raises(MemoryError, match="no memory for a copy"):
                wanted.realize()
    assert (waiting.tolist(), later.tolist(), x.tolist()) == ([10.0] * 4, [4.0] * 4, [2.0] * 4)


def test_a_call_that_fails_leaves_everything_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    @jit
    def grow(x: Tensor) -> None:
        x += 1

    x = ones(4)
    grow(x)
    waiting = x * 10

    def no_memory(*_: object) -> None:
        raise MemoryError("no memory for a copy")

    with monkeypatch.context() as patched:
        patched.setattr(module, "move_out", no_memory)
        with pytest.raises(MemoryError, match="no memory for a copy"):
            grow(x)
    assert (waiting.tolist(), x.tolist()) == ([20.0] * 4, [2.0] * 4)
    grow(x)
    assert (waiting.tolist(), x.tolist()) == ([20.0] * 4, [3.0] * 4)


@pytest.fixture(autouse=True)
def _nobody_else_writes() -> None:
    """Stores of earlier tests would only be in the way."""
    gc.collect()


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
