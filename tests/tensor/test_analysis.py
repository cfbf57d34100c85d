"""Functions of analysis against NumPy and identities."""

from __future__ import annotations

import math

import numpy as np
import pytest

from saccade import Tensor
from saccade.graph.ops import Op

from .compare import agree

GRID = np.array([-30.0, -2.5, -1.0, -1e-6, -0.0, 0.0, 1e-6, 0.3, 1.0, 1.5, 2.5, 30.0], "float64")
EDGES = np.array([np.inf, -np.inf, np.nan])
NAMES = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
    "log1p": np.log1p, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
    "round": np.round, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit,
    "reciprocal": np.reciprocal, "square": np.square, "sinc": np.sinc, "deg2rad": np.deg2rad,
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_against_numpy(name: str, dtype: str) -> None:
    x = np.concatenate([GRID, EDGES]).astype(dtype)
    with np.errstate(all="ignore"):
        expected = NAMES[name](x)
    exact = dtype == "float64"
    agree(getattr(Tensor(x), name)(), expected, rtol=1e-13 if exact else 1e-6, atol=1e-15 if exact else 1e-7)


def test_integers_become_float32() -> None:
    assert Tensor([1, 4]).sqrt().dtype.name == "float32"
    assert Tensor([True]).exp().dtype.name == "float32"
    assert Tensor([1, 4]).floor().dtype.name == "int64"


@pytest.mark.parametrize("scale", [1e-12, 1e-5, 1.0, 1e5, 1e12])
def test_inverse_functions(scale: float) -> None:
    x = np.array([0.1, 0.5, 0.9]) * scale
    agree(Tensor(x).asinh(), np.arcsinh(x), rtol=1e-14)
    agree(Tensor(1 + x).acosh(), np.arccosh(1 + x), rtol=1e-10)
    agree(Tensor(x).log1p(), np.log1p(x), rtol=1e-14)
    agree(Tensor(x).hypot(Tensor(2 * x)), np.hypot(x, 2 * x), rtol=1e-14)


def test_activations() -> None:
    x = GRID
    sigmoid = 1 / (1 + np.exp(-x))
    agree(Tensor(x).sigmoid(), sigmoid)
    agree(Tensor(x).relu(), np.maximum(x, 0))
    agree(Tensor(x).silu(), x * sigmoid)
    agree(Tensor(x).softplus(), np.logaddexp(x, 0), rtol=1e-8)
    agree(Tensor(x).gelu(), np.array([0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x]))
    agree(Tensor(x).leaky_relu(0.1), np.where(x > 0, x, 0.1 * x))
    agree(Tensor(x).elu(), np.where(x > 0, x, np.expm1(x)))
    agree(Tensor(x).logsigmoid(), -np.logaddexp(-x, 0))
    agree(Tensor(x).hardtanh(), np.clip(x, -1, 1))
    with pytest.raises(ValueError, match="approximation 'fast'"):
        Tensor(x).gelu("fast")


def test_rounding() -> None:
    agree(Tensor([0.5, 1.5, 2.5, -0.5]).round(), np.array([0, 2, 2, -0.0], "float32"))
    agree(Tensor([1.2345]).round(decimals=2), np.array([1.23], "float32"))
    agree(Tensor([1234.0]).round(decimals=-2), np.array([1200.0], "float32"))
    agree(Tensor([-1.75]).frac(), np.array([-0.75], "float32"))


def test_nan_to_num() -> None:
    x = np.array([np.nan, np.inf, -np.inf, 1.0], "float32")
    agree(Tensor(x).nan_to_num(), np.nan_to_num(x))
    agree(Tensor(x).nan_to_num(1.0, 2.0, 3.0), np.array([1, 2, 3, 1], "float32"))


def test_half_types_are_computed_wide_and_rounded_once() -> None:
    x = np.array([10.0, -10.0, 300.0, 0.001], "float16")
    agree(Tensor(x).asinh(), np.arcsinh(x.astype("float64")).astype("float16"), rtol=1e-3)
    agree(Tensor(x).log1p().isfinite(), x > -1)
    agree(Tensor(x).silu(), (x / (1 + np.exp(-x.astype("float64")))).astype("float16"), rtol=1e-3)


def test_sinc_divides_once() -> None:
    """Near 0 it is a series, which all elements pay for: its divisions took longer than the sine."""
    x = Tensor(np.ones(3, "float32")).realize().sinc()
    assert sum(node.op is Op.DIV for node in x.node.toposort()) == 1
