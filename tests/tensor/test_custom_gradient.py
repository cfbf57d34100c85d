"""Functions with a gradient of their own, called by place and by keyword."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, custom_gradient, grad, jit, no_grad, vmap

W = np.array([1.0, -2.0, 3.0], np.float32)


@custom_gradient
def scaled(x: Tensor, times: float = 2.0, *, weight: Tensor, places: list[int] | None = None) -> Tensor:
    return x * weight * times


@scaled.backward
def _(slope: Tensor, x: Tensor, times: float = 2.0, *, weight: Tensor, places: Any = None) -> Any:
    """Not the gradient: what tells which argument came where."""
    shift = sum(places) if places else 0
    return {"weight": slope * 100 * times + shift, "x": slope * weight}


def slopes(function: Any, *values: Any) -> list[Any]:
    return [t.tolist() for t in grad(lambda given: function(*given).sum())([Tensor(v) for v in values])]


def test_keywords_that_are_tensors_and_that_are_not() -> None:
    both = [(W * 2).tolist(), [200.0] * 3]
    assert slopes(lambda x, w: scaled(x, weight=w), W, W * 2) == both
    assert slopes(lambda x, w: scaled(weight=w, x=x), W, W * 2) == both
    assert slopes(lambda x, w: scaled(x, times=3.0, weight=w), W, W) == [W.tolist(), [300.0] * 3]
    assert slopes(lambda x, w: scaled(x, 3.0, weight=w), W, W) == [W.tolist(), [300.0] * 3]
    assert slopes(lambda x, w: scaled(x, weight=w, places=[4, 5]), W, W) == [W.tolist(), [209.0] * 3]
    assert slopes(lambda x, w: scaled(x, weight=w, places=[4, 6]), W, W) == [W.tolist(), [210.0] * 3]
    with no_grad():
        assert scaled(Tensor(W), weight=Tensor(W)).tolist() == (2 * W * W).tolist()


def test_in_backward_in_jit_and_in_vmap() -> None:
    x, w = Tensor(W, requires_grad=True), Tensor(W * 2, requires_grad=True)
    scaled(x, weight=w).sum().backward()
    assert (x.grad.tolist(), w.grad.tolist()) == ((W * 2).tolist(), [200.0] * 3)
    traced = jit(grad(lambda x, w: scaled(x, weight=w, times=4.0).sum(), 1))
    for _ in range(2):
        assert traced(Tensor(W), Tensor(W)).tolist() == [400.0] * 3
    each = vmap(grad(lambda x, w: scaled(x, weight=w)), (0, 0))
    assert each(Tensor(W), Tensor(W * 2)).tolist() == (W * 2).tolist()


def test_a_gradient_for_some_of_them() -> None:
    f = custom_gradient(lambda a, *, b, c: a * b * c)
    f.backward(lambda slope, a, *, b, c: {"c": slope * 7})
    assert slopes(lambda a, b, c: f(a, c=c, b=b), W, W, W) == [[0.0] * 3, [0.0] * 3, [7.0] * 3]
    f.backward(lambda slope, a, *, b, c: (slope, slope * 2, slope * 3))  # in the order of parameters
    assert slopes(lambda a, b, c: f(a, c=c, b=b), W, W, W) == [[1.0] * 3, [2.0] * 3, [3.0] * 3]


def test_any_number_of_arguments() -> None:
    f = custom_gradient(lambda *terms, **more: sum(terms[1:], terms[0]) + more["z"] * more["y"])
    f.backward(lambda slope, *terms, **more: {"terms[1]": slope * 5, "z": slope * 6})
    found = slopes(lambda a, b, z: f(a, b, z=z, y=2.0), W, W, W)
    assert found == [[0.0] * 3, [5.0] * 3, [6.0] * 3]


def test_plain_values_are_told_apart() -> None:
    """Zeros by their sign, and a list by what is in it when the function is called."""
    f = custom_gradient(lambda x, sign, more: x * 1.0)
    f.backward(lambda slope, x, sign, more: slope * math.copysign(1.0, sign) * more[0])
    for sign in (0.0, -0.0):
        assert slopes(lambda x, sign=sign: f(x, sign, [3]), W) == [[math.copysign(3.0, sign)] * 3]
    more = [1]

    def changed(x: Tensor) -> Tensor:
        made = f(x, 0.0, more)
        more[0] = 9
        return made

    assert slopes(changed, W) == [[1.0] * 3]
    for _ in range(3):
        f(Tensor(W), math.nan, [1])
    assert len(f._names) == 4
    inside = ([1],)  # a list in a tuple is the caller's too
    made = custom_gradient(lambda x, more: x * 1.0)
    made.backward(lambda slope, x, more: slope * more[0][0])
    made(Tensor(W), inside)
    inside[0][0] = 9
    assert slopes(lambda x: made(x, ([1],)), W) == [[1.0] * 3]


def test_what_is_refused() -> None:
    x = Tensor(W)
    with pytest.raises(TypeError, match="scaled: missing a required argument: 'weight'"):
        scaled(x)
    with pytest.raises(TypeError, match="scaled: got an unexpected keyword argument 'size'"):
        scaled(x, weight=x, size=3)
    with pytest.raises(TypeError, match="argument 'places' of scaled holds a Tensor"):
        scaled(x, weight=x, places=[x])
    with pytest.raises(TypeError, match="argument 'times' of scaled holds a ndarray"):
        scaled(x, times=W, weight=x)
    f = custom_gradient(lambda x, *, y, n=1: x * y)
    f.backward(lambda slope, x, *, y, n=1: {"n": slope})
    with pytest.raises(ValueError, match="a cotangent for 'n', and its tensors are x, y"):
        grad(lambda x: f(x, y=x, n=2).sum())(x)
    g = custom_gradient(lambda x, *, y: x * 2)
    g.backward(lambda slope, x, *, y: slope)
    with pytest.raises(ValueError, match="from argument 'y'"):
        g(x, y=x)
