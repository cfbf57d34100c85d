"""Writes in place: who sees them, what is refused, and what is left whole when a write fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.tensor.jit.trace import buffer_of
from saccade.tensor.programs import realize
from saccade.tensor.stores import stores as module


def ones(*shape: int, device: str | None = None) -> Tensor:
    return Tensor(np.ones(shape, np.float32), device=device)


def address(tensor: Tensor) -> int:
    tensor.realize()
    return buffer_of(tensor.node).address


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


@pytest.mark.host_memory
def test_numpy_sees_writes() -> None:
    x = ones(2, 3)
    array, part = x.numpy(), x[1].numpy()
    x += 1
    x[1, 2] = 7.0
    assert array.tolist() == [[2.0] * 3, [2.0, 2.0, 7.0]]
    assert part.tolist() == [2.0, 2.0, 7.0]
    part[0] = -1.0
    assert x[1, 0].item() == -1.0


@pytest.mark.host_memory
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


@pytest.mark.host_memory
def test_a_store_happens_though_the_tensor_is_dropped_where_others_see_it() -> None:
    array = np.zeros(3, np.float32)
    Tensor.from_numpy(array).add_(1)
    assert array.tolist() == [1.0] * 3


@pytest.mark.host_memory
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


@pytest.mark.host_memory
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


@pytest.mark.host_memory
def test_two_tensors_on_one_array_are_not_taken_for_two_memories() -> None:
    array = np.ones(4, np.float32)

    def write(x: Tensor, y: Tensor) -> Tensor:
        x += 1
        return y * 10

    x, y = Tensor.from_numpy(array), Tensor.from_numpy(array)
    assert jit(write)(x, y).tolist() == [20.0] * 4


def add(x: Tensor, y: Tensor) -> None:
    x += y


def add_reversed(x: Tensor, y: Tensor) -> None:
    x += y.flip(0)


@pytest.mark.host_memory
@pytest.mark.parametrize("how", [lambda f: f, jit], ids=["eager", "jit"])
def test_what_is_overwritten_is_read_first_through_another_tensor(how: Callable[[Any], Any]) -> None:
    array = np.arange(6, dtype=np.float32)
    how(add_reversed)(Tensor.from_numpy(array), Tensor.from_numpy(array))
    assert array.tolist() == [5.0] * 6
    array = np.arange(6, dtype=np.float32)
    how(add)(Tensor.from_numpy(array[1:]), Tensor.from_numpy(array[:-1]))  # memory that overlaps
    assert array.tolist() == [0.0, 1.0, 3.0, 5.0, 7.0, 9.0]
    lent = Tensor(np.arange(6, dtype=np.float32))
    array = lent.numpy()
    how(add_reversed)(lent, Tensor.from_numpy(array))
    assert (array.tolist(), lent.tolist()) == ([5.0] * 6, [5.0] * 6)


@pytest.mark.host_memory
def test_a_function_given_an_array_of_the_memory_it_writes_to() -> None:
    x = Tensor(np.arange(6, dtype=np.float32))
    array = x.numpy()
    jit(lambda x, y: add_reversed(x, Tensor(y)))(x, array)
    assert array.tolist() == [5.0] * 6


@pytest.mark.host_memory
@pytest.mark.parametrize("how", [lambda f: f, jit], ids=["eager", "jit"])
def test_who_waits_for_the_old_contents_through_another_tensor(how: Callable[[Any], Any]) -> None:
    array = np.arange(4, dtype=np.float32)
    x, y = Tensor.from_numpy(array), Tensor.from_numpy(array)
    waiting, dropped = y * 10, Tensor.from_numpy(array) * 100
    how(lambda x: x.add_(1))(x)
    assert (waiting.tolist(), dropped.tolist()) == ([0.0, 10.0, 20.0, 30.0], [0.0, 100.0, 200.0, 300.0])
    assert y.tolist() == x.tolist() == array.tolist() == [1.0, 2.0, 3.0, 4.0]
    y += 1
    assert x.tolist() == array.tolist() == [2.0, 3.0, 4.0, 5.0]


# --- what is refused, and what is left whole


@pytest.mark.host_memory
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


def test_a_store_that_does_not_compile_leaves_everything_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    x = ones(7, 3).realize()
    place, waiting = address(x), x * 10
    x.assign(x.cumsum(0) + 0.25)

    def no_compiler(*_: object) -> None:
        raise OSError("no compiler")

    with monkeypatch.context() as patched:
        patched.setattr(realize, "make_executable", no_compiler)
        with pytest.raises(OSError, match="no compiler"):
            x.realize()
    expected = np.cumsum(np.ones((7, 3), np.float32), 0) + 0.25
    np.testing.assert_array_equal(x.numpy(), expected)
    assert (waiting.tolist(), address(x)) == ([[10.0] * 3] * 7, place)
