"""Movement against NumPy, the laws it obeys, and that nothing superfluous is built."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from saccade import Tensor
from saccade.graph.ops import Op

from .compare import agree

shapes = hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4)


def numbered(shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    return np.arange(int(np.prod(shape))).reshape(shape)


@given(
    shapes.flatmap(
        lambda s: st.tuples(st.just(s), hnp.basic_indices(s, allow_newaxis=True, allow_ellipsis=True))
    )
)
def test_basic_indices_are_numpys(case: tuple[tuple[int, ...], Any]) -> None:
    shape, index = case
    x = numbered(shape)
    agree(Tensor(x)[index], x[index])


@given(
    shapes.flatmap(
        lambda s: st.tuples(st.just(s), hnp.basic_indices(s, allow_newaxis=True, allow_ellipsis=True))
    )
)
def test_basic_assignment_is_numpys(case: tuple[tuple[int, ...], Any]) -> None:
    shape, index = case
    x = numbered(shape)
    ours = Tensor(x)
    ours[index] = -Tensor(x)[index] - 1
    x[index] = -x[index] - 1
    agree(ours, x)


@given(shapes.flatmap(lambda s: st.tuples(st.just(s), st.permutations(range(len(s))))))
def test_permuting_back_is_the_identity(case: tuple[tuple[int, ...], list[int]]) -> None:
    shape, axes = case
    x = Tensor(numbered(shape))
    there = x.permute(axes)
    assert there.permute(*np.argsort(axes).tolist()).node is x.node
    agree(there, numbered(shape).transpose(axes))


@given(shapes, st.data())
def test_padding_and_cropping_back_is_the_identity(shape: tuple[int, ...], data: st.DataObject) -> None:
    amounts = [data.draw(st.tuples(st.integers(0, 3), st.integers(0, 3))) for _ in shape]
    x = numbered(shape) + 1
    flat = [n for pair in reversed(amounts) for n in pair]
    padded = Tensor(x).pad(flat, value=-1)
    agree(padded, np.pad(x, amounts, constant_values=-1))
    agree(padded.pad([-n for n in flat]), x)


@given(shapes, st.integers(-5, 5), st.data())
def test_rolling(shape: tuple[int, ...], shift: int, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = numbered(shape)
    agree(Tensor(x).roll(shift, axis), np.roll(x, shift, axis))
    agree(Tensor(x).roll(shift), np.roll(x, shift))
    agree(Tensor(x).flip(axis).flip(axis), x)


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_padding_from_the_border(mode: str) -> None:
    x = numbered((3, 4))
    numpy_mode: Any = {"replicate": "edge", "circular": "wrap"}.get(mode, mode)
    agree(Tensor(x).pad((2, 3, 1, 2), mode), np.pad(x, ((1, 2), (2, 3)), numpy_mode))


def test_shapes() -> None:
    x, t = numbered((2, 3, 4)), Tensor(numbered((2, 3, 4)))
    agree(t.reshape(4, -1), x.reshape(4, -1))
    agree(t.flatten(1), x.reshape(2, 12))
    agree(t.unflatten(2, (2, -1)), x.reshape(2, 3, 2, 2))
    agree(t.unsqueeze(-1), x[..., None])
    agree(t.unsqueeze(0).squeeze(), x)
    agree(t.movedim(0, -1), np.moveaxis(x, 0, -1))
    agree(t.transpose(0, 2), x.swapaxes(0, 2))
    agree(t.T, x.T)
    agree(t.mT, x.swapaxes(-1, -2))
    agree(t.expand(5, 2, 3, 4), np.broadcast_to(x, (5, 2, 3, 4)))
    agree(t.repeat(1, 2, 3), np.tile(x, (1, 2, 3)))
    agree(t.tile(2), np.tile(x, 2))
    agree(t.diagonal(1, 1, 2), np.diagonal(x, 1, 1, 2))
    agree(t.diagonal(-1, 2, 0), np.diagonal(x, -1, 2, 0))
    agree(t.rot90(), np.rot90(x))
    agree(t.rot90(-1, (1, 2)), np.rot90(x, -1, (1, 2)))
    agree(t.unfold(2, 3, 1), np.lib.stride_tricks.sliding_window_view(x, 3, 2))


def test_pieces() -> None:
    x, t = numbered((7, 2)), Tensor(numbered((7, 2)))
    agree(t.split(3), (x[:3], x[3:6], x[6:]))
    agree(t.split([2, 5]), (x[:2], x[2:]))
    agree(t.chunk(3), (x[:3], x[3:6], x[6:]))
    agree(t.tensor_split(3), tuple(np.array_split(x, 3)))
    agree(t.unbind(1), (x[:, 0], x[:, 1]))
    agree(tuple(t), tuple(x))


def test_what_is_nothing_is_not_built() -> None:
    x = Tensor(numbered((2, 3)))
    for same in (
        x.reshape(2, 3),
        x.reshape(6).reshape(2, 3),
        x.permute(0, 1),
        x.T.T,
        x.expand(2, 3),
        x.pad((0, 0)),
        x[:],
        x[...],
        x.flip(0).flip(0),
        x.squeeze(),
        x.cast("int64"),
        x.neg().neg(),
    ):
        assert same.node is x.node
    assert x[1:][:, 1:].node.src[0] is x.node
    assert (Tensor.ones(3) + 1).node.src[0].src[0].op is Op.CONST


@pytest.mark.parametrize(
    ("program", "error", "words"),
    [
        (
            lambda x: x.reshape(5, -1),
            ValueError,
            r"cannot reshape \(3, 4\) to \(5, -1\): 12 is not divisible by 5",
        ),
        (lambda x: x.reshape(5, 2), ValueError, "12 elements do not fill 10"),
        (lambda x: x.reshape(-1, -1), ValueError, "at most one may be -1"),
        (lambda x: x.reshape(2.0, 6), TypeError, "sizes are integers"),
        (lambda x: x.permute(0, 0), ValueError, "name each of its 2 axes once"),
        (lambda x: x.permute(0, 5), IndexError, "axis 5 is out of range"),
        (lambda x: x.expand(3, 5), ValueError, r"cannot expand \(3, 4\) to \(3, 5\)"),
        (lambda x: x.unsqueeze(4), IndexError, "axis 4 is out of range"),
        (lambda x: x[3], IndexError, "index 3 is out of range for axis 0"),
        (lambda x: x[0, 0, 0], IndexError, "3 indices are too many"),
        (lambda x: x[::0], ValueError, "step 0"),
        (lambda x: x["a"], TypeError, "'a'"),
        (lambda x: x[1.5], TypeError, "1.5"),
        (lambda x: x.split(0), ValueError, "at least 1"),
        (lambda x: x.split([1, 1]), ValueError, "do not add up"),
        (lambda x: x.narrow(0, 2, 5), IndexError, "cannot take 5 elements"),
        (lambda x: x.pad((1,)), ValueError, "pairs"),
        (lambda x: x.pad(((1, 1), (0, 0))), ValueError, "in one row"),
        (lambda x: x.pad((1, 1), mode="mirror"), ValueError, "unknown padding mode 'mirror'"),
        (lambda x: x.pad((9, 0), mode="reflect"), ValueError, "at most 3"),
        (lambda x: x.flatten(1, 0), ValueError, "comes after"),
        (lambda x: x.unfold(0, 9, 1), ValueError, "windows of 9"),
        (lambda x: x.sum(1.5), TypeError, "an axis is an integer"),
        (lambda x: x.repeat(2), ValueError, "for every axis"),
    ],
)
def test_errors(program: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        program(Tensor.zeros(3, 4))


@pytest.mark.parametrize("mode", ["replicate", "reflect", "circular"])
@pytest.mark.parametrize("widths", [(-1, 2), (2, -1), (-2, -3), (-7, 3), (3, -7)])
def test_negative_widths_crop_at_the_border(mode: str, widths: tuple[int, int]) -> None:
    line, (before, after) = np.arange(8.0), widths
    grow = (max(before, 0), max(after, 0))
    crop = slice(max(-before, 0), None if after >= 0 else after)
    kept = line[crop]
    if mode == "circular":  # a ring closes where it was cut
        if max(grow) > len(kept):
            with pytest.raises(ValueError, match="mode 'circular': at most 1"):
                Tensor(line).pad(widths, mode=mode)
            return
        expected = np.pad(kept, grow, mode="wrap")
    else:
        expected = np.pad(line, grow, mode={"replicate": "edge", "reflect": "reflect"}[mode])[crop]
    agree(Tensor(line).pad(widths, mode=mode), expected)
    torch = pytest.importorskip("torch")
    theirs = torch.nn.functional.pad(torch.tensor(line).reshape(1, 1, 8), widths, mode=mode)
    agree(Tensor(line).reshape(1, 1, 8).pad(widths, mode=mode), theirs.numpy())


def test_a_stored_sum_that_is_padded_twice() -> None:
    # the mask of the outer padding must not be taken for that of the load below, which is the inner one's
    x = numbered((2, 5)).astype(np.float64)
    total = Tensor(x).sum(1)
    padded = total.pad((0, 1)).reshape(1, 3).pad((0, 0, 0, 2))
    padded.realize(total)
    expected = np.zeros((3, 3))
    expected[0, :2] = x.sum(1)
    agree(padded, expected)
