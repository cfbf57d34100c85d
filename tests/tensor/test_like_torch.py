"""The same lambda on a torch tensor and on ours: names, keywords, broadcasting, promotion and values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor

from .compare import Array, same, value

torch = pytest.importorskip("torch")
F = torch.nn.functional

rng = np.random.default_rng(0)


def normal(*shape: int, dtype: str = "float32") -> Array:
    return rng.standard_normal(shape).astype(dtype)


def positive(*shape: int) -> Array:
    return (rng.random(shape) + 0.1).astype("float32")


def whole(*shape: int, low: int = -9, high: int = 10, dtype: str = "int64") -> Array:
    return rng.integers(low, high, shape).astype(dtype)


SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-8, -1e-8, 30.0, -30.0, np.inf, -np.inf, np.nan], "float32"
)
HALF = (normal(3, 4) * 2).astype("float16")
MASK = rng.random((3, 4)) > 0.5


def check(program: Callable[..., Any], *arrays: Any, **tolerance: Any) -> None:
    ours = program(*[Tensor(a) if isinstance(a, np.ndarray) else a for a in arrays])
    theirs = program(*[torch.from_numpy(a.copy()) if isinstance(a, np.ndarray) else a for a in arrays])
    same(value(ours), value(theirs), **tolerance)


UNARY = [
    "abs",
    "neg",
    "sign",
    "sqrt",
    "rsqrt",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "sigmoid",
    "relu",
    "erf",
    "floor",
    "ceil",
    "trunc",
    "round",
    "isnan",
    "isinf",
    "isfinite",
    "isposinf",
    "isneginf",
    "signbit",
    "logical_not",
    "square",
    "reciprocal",
    "nan_to_num",
    "deg2rad",
    "rad2deg",
    "sinc",
    "positive",
    "erfc",
    "erfinv",
    "lgamma",
    "digamma",
]


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str) -> None:
    check(lambda x: getattr(x, name)(), SPECIAL)
    check(lambda x: getattr(x, name)(), whole(5, low=1, high=9, dtype="int32"))


@pytest.mark.parametrize("name", ["abs", "sqrt", "exp", "log1p", "tanh", "sigmoid", "erf", "asinh", "floor"])
def test_unary_half(name: str) -> None:
    check(lambda x: getattr(x, name)(), HALF, rtol=2e-3, atol=1e-3)


ACTIVATIONS = {
    "gelu": lambda m, x: m.gelu(x),
    "gelu_tanh": lambda m, x: m.gelu(x, approximate="tanh"),
    "silu": lambda m, x: m.silu(x),
    "softplus": lambda m, x: m.softplus(x, beta=2.0),
    "leaky_relu": lambda m, x: m.leaky_relu(x, 0.2),
    "elu": lambda m, x: m.elu(x, 0.7),
    "celu": lambda m, x: m.celu(x, 0.7),
    "selu": lambda m, x: m.selu(x),
    "mish": lambda m, x: m.mish(x),
    "hardtanh": lambda m, x: m.hardtanh(x, -0.5, 0.7),
    "relu6": lambda m, x: m.relu6(x),
    "hardsigmoid": lambda m, x: m.hardsigmoid(x),
    "hardswish": lambda m, x: m.hardswish(x),
    "softsign": lambda m, x: m.softsign(x),
    "tanhshrink": lambda m, x: m.tanhshrink(x),
    "softshrink": lambda m, x: m.softshrink(x),
    "hardshrink": lambda m, x: m.hardshrink(x),
    "logsigmoid": lambda m, x: m.logsigmoid(x),
    "threshold": lambda m, x: m.threshold(x, 0.1, 20.0),
    "softmin": lambda m, x: m.softmin(x, -1),
    "glu": lambda m, x: m.glu(x, -1),
    "normalize": lambda m, x: m.normalize(x, dim=-1),
    "layer_norm": lambda m, x: m.layer_norm(x, (8,)),
    "rms_norm": lambda m, x: m.rms_norm(x, (8,)),
    "group_norm": lambda m, x: m.group_norm(x.reshape(2, 4, 6), 2),
    "instance_norm": lambda m, x: m.instance_norm(x.reshape(2, 4, 6)),
    "one_hot": lambda m, x: m.one_hot((x > 0).long(), 3),
    "pad": lambda m, x: m.pad(x, (1, 2, -1, 1), value=3.0),
    "reflect": lambda m, x: m.pad(x, (3, 2), mode="reflect"),
    "replicate": lambda m, x: m.pad(x, (3, 2), mode="replicate"),
    "circular": lambda m, x: m.pad(x, (3, 2), mode="circular"),
    "interpolate": lambda m, x: m.interpolate(x.reshape(1, 2, 4, 6), scale_factor=2),
    "interpolate_size": lambda m, x: m.interpolate(x.reshape(1, 2, 4, 6), size=(3, 9)),
    "unfold": lambda m, x: x.unfold(1, 3, 2),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_functional(name: str) -> None:
    x = normal(6, 8) * 2
    theirs = ACTIVATIONS[name](F, torch.from_numpy(x))
    same(value(ACTIVATIONS[name](Tensor, Tensor(x))), value(theirs))


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "fmod": lambda a, b: a.fmod(b),
    "trunc_div": lambda a, b: a.div(b, rounding_mode="trunc"),
    "maximum": lambda a, b: a.maximum(b),
    "minimum": lambda a, b: a.minimum(b),
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "alpha": lambda a, b: a.add(b, alpha=3),
    "where": lambda a, b: a.where(a > b, b),
    "logical_and": lambda a, b: a.logical_and(b),
    "logical_xor": lambda a, b: a.logical_xor(b),
    "isclose": lambda a, b: a.isclose(b.to(a.dtype)),
}


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("float32", "float32"),
        ("int32", "int32"),
        ("int64", "float32"),
        ("uint8", "int8"),
        ("float16", "int64"),
    ],
)
def test_binary(name: str, left: str, right: str) -> None:
    low = 0 if "uint8" in (left, right) else -9
    a, b = whole(3, 4, low=low).astype(left), whole(4, low=1).astype(right)
    check(BINARY[name], a, b, rtol=1e-3 if "float16" in (left, right) else 2e-5)


@pytest.mark.parametrize(
    "name", ["fmax", "fmin", "atan2", "hypot", "logaddexp", "copysign", "xlogy", "heaviside"]
)
def test_binary_float(name: str) -> None:
    grid = np.meshgrid(SPECIAL, SPECIAL)
    check(lambda a, b: getattr(a, name)(b), grid[0].copy(), grid[1].copy())


SCALAR: dict[str, Callable[[Any], Any]] = {
    "float_right": lambda x: x + 1.5,
    "float_left": lambda x: 1.5 - x,
    "int_left": lambda x: 7 - x,
    "rdiv": lambda x: 3 / x,
    "rfloordiv": lambda x: 30 // x,
    "rmod": lambda x: 30 % x,
    "bool": lambda x: x * True,
    "pow2": lambda x: x**2,
    "pow3": lambda x: x**3,
    "rpow": lambda x: 2.0**x,
    "clamp": lambda x: x.clamp(2, 5),
    "clamp_min": lambda x: x.clamp(min=2.5),
    "compare": lambda x: x > 3.5,
    "masked_fill": lambda x: x.masked_fill(x > 3, 1),
    "lerp": lambda x: (x / 2).lerp(x / 3, 0.25),
    "addcmul": lambda x: x.addcmul(x, x, value=2),
}


@pytest.mark.parametrize("name", SCALAR)
@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8", "float16"])
def test_scalars(name: str, dtype: str) -> None:
    check(SCALAR[name], np.arange(1, 7).astype(dtype), rtol=2e-3 if dtype == "float16" else 2e-5)


@pytest.mark.parametrize("exponent", [0, 1, -1, 2, -2, 0.5, -0.5, 3.7, -3])
def test_powers(exponent: float) -> None:
    check(lambda x: x**exponent, positive(5))


def test_integer_powers() -> None:
    check(lambda a, b: a**b, whole(40, low=-4, high=5), whole(40, low=-3, high=9))


def test_zero_dim_tensors_do_not_widen() -> None:
    for array, scalar in [
        (normal(3), np.array(2.0, "float64")),
        (whole(3, dtype="int8"), np.array(3, "int64")),
        (whole(3, dtype="int8"), np.array(3.5, "float64")),
        (np.array(1, "int32"), np.array(2.5, "float16")),
        (MASK, np.array(3, "int16")),
    ]:
        check(lambda a, b: a + b, array, scalar)
        check(lambda a, b: b * a, array, scalar)


def test_bits() -> None:
    a, b = whole(20, low=-99, high=99), whole(20, low=0, high=40)
    for program in (
        lambda a, b: a & b,
        lambda a, b: a | b,
        lambda a, b: a ^ b,
        lambda a, b: ~a,
        lambda a, b: a << b,
        lambda a, b: a >> b,
        lambda a, b: a >> 2,
        lambda a, b: a << 3,
        lambda a, b: 5 & b,
    ):
        check(program, a, b)
    check(lambda a, b: (a & b) | ~(a ^ b), MASK, ~MASK)
    check(lambda a, b: a + b, MASK, ~MASK)
    check(lambda a: a * 3, MASK)


REDUCE: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: x.sum(),
    "sum0": lambda x: x.sum(0),
    "sum12": lambda x: x.sum((1, 2)),
    "sum_keep": lambda x: x.sum(-1, keepdim=True),
    "prod": lambda x: x.prod(1),
    "amax": lambda x: x.amax((0, 2)),
    "amin": lambda x: x.amin(-1, keepdim=True),
    "max": lambda x: x.max(),
    "max_dim": lambda x: tuple(x.max(1)),
    "min_dim": lambda x: tuple(x.min(2, keepdim=True)),
    "argmax": lambda x: x.argmax(),
    "argmax1": lambda x: x.argmax(1),
    "argmin": lambda x: x.argmin(-1, keepdim=True),
    "any": lambda x: (x > 1).any(1),
    "all": lambda x: (x > -1).all(),
    "count": lambda x: (x > 0).count_nonzero(),
    "cumsum": lambda x: x.cumsum(1),
    "cumprod": lambda x: x.cumprod(-1),
    "cummax": lambda x: tuple(x.cummax(1)),
    "cummin": lambda x: tuple(x.cummin(0)),
    "sort": lambda x: tuple(x.sort(stable=True, dim=1)),
    "sort_down": lambda x: tuple(x.sort(stable=True, dim=-1, descending=True)),
    "argsort": lambda x: x.argsort(dim=0, stable=True),
    "diff": lambda x: x.diff(dim=1),
    "median": lambda x: x.median(-1).values,
    "kthvalue": lambda x: x.kthvalue(2, 1).values,
    "topk": lambda x: x.topk(3, 1).values,
    "topk_small": lambda x: x.topk(2, 2, largest=False).values,
    "unique": lambda x: x.round().unique(),
}


@pytest.mark.parametrize("name", REDUCE)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_reduce(name: str, dtype: str) -> None:
    x = (normal(2, 5, 3) * 3).astype(dtype)
    if dtype == "int32" and name == "unique":
        x = np.abs(x)
    check(REDUCE[name], x)


FLOAT_REDUCE: dict[str, Callable[[Any], Any]] = {
    "mean": lambda x: x.mean(),
    "mean1": lambda x: x.mean(1, keepdim=True),
    "var": lambda x: x.var(),
    "var1": lambda x: x.var(1, correction=0),
    "std": lambda x: x.std(-1, keepdim=True),
    "unbiased": lambda x: x.std(1, unbiased=False),
    "logsumexp": lambda x: x.logsumexp(1),
    "norm": lambda x: x.norm(),
    "norm1": lambda x: x.norm(1, dim=1),
    "norm3": lambda x: x.norm(3, dim=-1, keepdim=True),
    "norm_inf": lambda x: x.norm(float("inf"), dim=1),
    "softmax": lambda x: x.softmax(-1),
    "log_softmax": lambda x: x.log_softmax(1),
    "quantile": lambda x: x.quantile(0.3, 1),
    "logcumsumexp": lambda x: x.logcumsumexp(1),
    "nansum": lambda x: x.nansum(0),
}


@pytest.mark.parametrize("name", FLOAT_REDUCE)
def test_float_reduce(name: str) -> None:
    check(FLOAT_REDUCE[name], normal(2, 5, 3))


def test_half_sums_accumulate_in_float32() -> None:
    x = np.full(5000, 1.0009, "float16")
    check(lambda x: x.sum(), x)
    check(lambda x: x.mean(), x)


def test_reductions_of_nan_and_infinity() -> None:
    x = np.array([[1, np.nan, 2], [np.inf, 1, -np.inf], [-1, -2, -3]], "float32")
    for program in (
        lambda x: x.sum(1),
        lambda x: x.amax(1),
        lambda x: tuple(x.max(1)),
        lambda x: tuple(x.min(1)),
        lambda x: tuple(x.sort(1)),
        lambda x: tuple(x.sort(1, descending=True)),
        lambda x: x.logsumexp(1),
        lambda x: x.softmax(1),
        lambda x: tuple(x.cummax(1)),
        lambda x: x.median(1).values,
    ):
        check(program, x)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_reductions_of_nothing(shape: tuple[int, ...]) -> None:
    x = np.zeros(shape, "float32")
    for program in (
        lambda x: x.sum(),
        lambda x: x.sum(0),
        lambda x: x.prod(-1),
        lambda x: x.mean(),
        lambda x: x.any(),
        lambda x: x.all(),
        lambda x: x.cumsum(0),
        lambda x: x.logsumexp(0) if x.shape[0] else x.sum(0),
        lambda x: x.softmax(-1),
        lambda x: x + 1,
        lambda x: x.reshape(0, 7),
    ):
        check(program, x)


def test_zero_dim() -> None:
    x = np.array(2.5, "float32")
    for program in (
        lambda x: x.sum(),
        lambda x: x.sum(0),
        lambda x: x.max(),
        lambda x: x.argmax(),
        lambda x: x.mean(),
        lambda x: x.var(correction=0),
        lambda x: x.cumsum(0),
        lambda x: x.softmax(0),
        lambda x: x.sort().values,
        lambda x: x.unsqueeze(0),
        lambda x: x.flatten(),
        lambda x: x.expand(2, 3),
        lambda x: x[None],
        lambda x: x[...],
        lambda x: x.transpose(0, 0) if x.ndim else x,
        lambda x: x.squeeze(),
    ):
        check(program, x)


MOVE: dict[str, Callable[[Any], Any]] = {
    "reshape": lambda x: x.reshape(6, -1),
    "view": lambda x: x.view((4, 3, 2)),
    "permute": lambda x: x.permute(2, 0, 1),
    "transpose": lambda x: x.transpose(0, -1),
    "mT": lambda x: x.mT,
    "expand": lambda x: x[:, :1].expand(-1, 5, -1),
    "expand_new": lambda x: x.expand(2, 2, 3, 4),
    "flip": lambda x: x.flip(0, 2),
    "roll": lambda x: x.roll(2, 1),
    "roll2": lambda x: x.roll((1, -3), (0, 2)),
    "roll_flat": lambda x: x.roll(5),
    "squeeze": lambda x: x[:1].squeeze(0),
    "unsqueeze": lambda x: x.unsqueeze(-2),
    "flatten": lambda x: x.flatten(1),
    "unflatten": lambda x: x.unflatten(2, (2, -1)),
    "movedim": lambda x: x.movedim((0, 1), (2, 0)),
    "split": lambda x: x.split(3, 2),
    "split_sizes": lambda x: x.split([1, 0, 3], 2),
    "chunk": lambda x: x.chunk(3, 2),
    "tensor_split": lambda x: x.tensor_split(3, 2),
    "unbind": lambda x: x.unbind(1),
    "repeat": lambda x: x.repeat(2, 1, 1, 3),
    "tile": lambda x: x.tile((2, 2)),
    "interleave": lambda x: x.repeat_interleave(2, 1),
    "interleave_flat": lambda x: x.repeat_interleave(3),
    "diagonal": lambda x: x.diagonal(1, 1, 2),
    "diagonal_down": lambda x: x.diagonal(-1),
    "diagonal_far": lambda x: x.diagonal(9, 1, 2),
    "tril": lambda x: x.tril(),
    "triu": lambda x: x.triu(1),
    "diag": lambda x: x[0, 0].diag(1),
    "diag_embed": lambda x: x.diag_embed(),
    "narrow": lambda x: x.narrow(2, 1, 2),
    "select": lambda x: x.select(1, -1),
    "rot90": lambda x: x.rot90(3, (0, 2)),
    "int": lambda x: x[1],
    "negative": lambda x: x[-1, -2],
    "slice": lambda x: x[:, 1:, ::2],
    "ellipsis": lambda x: x[..., 0],
    "none": lambda x: x[:, None, 1, ..., None],
    "empty": lambda x: x[:, 3:1],
    "beyond": lambda x: x[:, -99:99],
    "list": lambda x: x[[1, 0, 1]],
    "two_lists": lambda x: x[[1, 0], [2, 0]],
    "apart": lambda x: x[[1, 0], :, [2, 0]],
    "int_and_list": lambda x: x[0, :, [2, 0]],
    "adjacent": lambda x: x[:, [2, 0], [1, -1]],
    "grid": lambda x: x[:, [[0, 1], [2, 2]]],
    "mask": lambda x: x[x > 0],
    "mask_front": lambda x: x[x.sum((1, 2)) > -99],
    "mask_pair": lambda x: x[:, (x > 0).any(0)],
    "none_list": lambda x: x[None, [1, 0]],
    "nonzero": lambda x: (x > 0).nonzero(),
    "masked_select": lambda x: x.masked_select(x < 0),
    "index_select": lambda x: x.index_select(2, (x[0, 0] * 0).long() + 1),
    "cumsum_of_slice": lambda x: x[:, ::2].cumsum(2),
    "outer": lambda x: x[0, 0].outer(x[1, 1]),
    "frac": lambda x: x.frac(),
    "trace": lambda x: x[0].trace(),
}


@pytest.mark.parametrize("name", MOVE)
def test_movement(name: str) -> None:
    check(MOVE[name], normal(2, 3, 4))


def assigned(change: Callable[[Any], None]) -> Callable[[Any], Any]:
    def program(x: Any) -> Any:
        copy = x.clone()
        change(copy)
        return copy

    return program


def _set(index: Any, value_of: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def change(x: Any) -> None:
        x[index(x) if callable(index) else index] = value_of(x)

    return assigned(change)


ASSIGN: dict[str, Callable[[Any], Any]] = {
    "int": _set(1, lambda x: 5.0),
    "slice": _set((slice(None), slice(1, 3)), lambda x: x[:, :2] * 0 + 7),
    "steps": _set((slice(None, None, 2), Ellipsis, slice(1, None, 2)), lambda x: 9),
    "broadcast": _set((Ellipsis, slice(0, 2)), lambda x: x[0, 0, :2]),
    "list": _set(([1, 0], [2, 0]), lambda x: x[:, 0]),
    "list_axis": _set((slice(None), [2, 0]), lambda x: 3.0),
    "mask": _set(lambda x: x > 0, lambda x: -1.0),
    "mask_values": _set(lambda x: x > 0, lambda x: x[x > 0] * 2),
    "mask_rows": _set(lambda x: x[:, 0, 0] > -99, lambda x: 4.0),
    "nothing": _set(slice(3, 1), lambda x: 1.0),
}


@pytest.mark.parametrize("name", ASSIGN)
def test_assignment(name: str) -> None:
    check(ASSIGN[name], normal(2, 3, 4))


def test_gather_and_scatter() -> None:
    x, src = normal(4, 5), normal(4, 5)
    index = whole(3, 4, low=0, high=4)
    once = np.argsort(rng.random((3, 5)), axis=1)[:, :3]
    check(lambda x, i: x.gather(0, i), x, index)
    check(lambda x, i: x.gather(1, i), x, index)
    check(lambda x, i: x.take_along_dim(i, 1), x[:3], index)
    check(lambda x, i: x.take(i), x, index)
    check(lambda x, i, s: x.scatter(1, i, s), x, once, src)
    check(lambda x, i: x.scatter(1, i, 2.5), x, once)
    check(lambda x, i, s: x.scatter_add(0, i, s), x, index, src)
    check(lambda x, i, s: x.index_add(0, i[0, :3], s[:3]), x, index, src)
    check(lambda x, i, s: x.index_add(1, i[0], s[:, :4], alpha=2), x, index, src)
    check(lambda x, i: x.index_fill(1, i[0], 4.0), x, index)
    check(lambda x, i, s: x.index_put((i[0], i[1]), s[0, :4], accumulate=True), x, index, src)
    for reduce in ("sum", "prod", "amax", "amin", "mean"):
        for include in (True, False):
            check(
                lambda x, i, s, r=reduce, k=include: x.scatter_reduce(0, i, s, r, include_self=k),
                x,
                index,
                src,
            )


def test_search_and_count() -> None:
    edges = np.sort(normal(7))
    check(lambda e, v: torch_or_ours(e).searchsorted(e, v), edges, normal(3, 4))
    check(lambda e, v: torch_or_ours(e).searchsorted(e, v, right=True), edges, edges.copy())
    check(lambda e, v: torch_or_ours(e).bucketize(v, e), edges, normal(5))
    check(lambda x: x.bincount(minlength=12), whole(20, low=0, high=9))
    check(lambda x: x.unique(return_inverse=True, return_counts=True), whole(20))
    rows = np.sort(normal(3, 6), axis=1)
    check(lambda e, v: torch_or_ours(e).searchsorted(e, v), rows, normal(3, 4))
    check(lambda x, n: x.repeat_interleave(n, 0), normal(3, 2), np.array([2, 0, 3]))


def torch_or_ours(x: Any) -> Any:
    return Tensor if isinstance(x, Tensor) else torch


PRODUCTS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((3, 4), (4, 5)),
    ((4,), (4,)),
    ((3, 4), (4,)),
    ((4,), (4, 5)),
    ((2, 3, 4), (4, 5)),
    ((2, 1, 3, 4), (5, 4, 2)),
    ((3, 4), (2, 4, 5)),
    ((4,), (2, 4, 5)),
    ((2, 3, 4), (4,)),
    ((0, 4), (4, 5)),
    ((3, 0), (0, 5)),
    ((0,), (0,)),
]


@pytest.mark.parametrize(("left", "right"), PRODUCTS)
def test_matmul(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    check(lambda a, b: a @ b, normal(*left), normal(*right))


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32"])
def test_matmul_dtypes(dtype: str) -> None:
    a, b = (normal(7, 9) * 3).astype(dtype), (normal(9, 5) * 3).astype(dtype)
    check(
        lambda a, b: a @ b,
        a,
        b,
        rtol=2e-3 if dtype == "float16" else 1e-6,
        atol=1e-2 if dtype == "float16" else 1e-9,
    )


EINSUMS = [
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("ij,jk", (3, 4), (4, 5)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("ii->i", (4, 4)),
    ("ii", (4, 4)),
    ("ij->ji", (3, 4)),
    ("ij->", (3, 4)),
    ("i,j->ij", (3,), (4,)),
    ("i,i->", (4,), (4,)),
    ("ij,jk,kl->il", (3, 4), (4, 5), (5, 2)),
    ("...ij,...jk->...ik", (2, 6, 3, 4), (6, 4, 5)),
    ("b...,b...->...", (2, 3, 4), (2, 3, 4)),
    ("bhqd,bhkd->bhqk", (2, 2, 3, 4), (2, 2, 5, 4)),
    ("ijk,jil->kl", (2, 3, 4), (3, 2, 5)),
    ("i,j,k->kji", (2,), (3,), (4,)),
    ("iij,j->ji", (3, 3, 4), (4,)),
    ("ab,cb->", (2, 3), (4, 3)),
]


@pytest.mark.parametrize("case", EINSUMS, ids=lambda c: c[0])
def test_einsum(case: tuple[Any, ...]) -> None:
    equation, *shapes = case
    check(lambda *xs: torch_or_ours(xs[0]).einsum(equation, *xs), *[normal(*s) for s in shapes])


def test_other_products() -> None:
    check(lambda a, b: a.mm(b), normal(3, 4), normal(4, 2))
    check(lambda a, b: a.bmm(b), normal(2, 3, 4), normal(2, 4, 2))
    check(lambda a, b: a.dot(b), normal(4), normal(4))
    check(lambda a, b: a.mv(b), normal(3, 4), normal(4))
    check(lambda a, b: a.cross(b, dim=-1), normal(5, 3), normal(5, 3))
    check(lambda a, b: a.kron(b), normal(2, 3), normal(3, 2))
    check(
        lambda a, b: torch_or_ours(a).tensordot(a, b, dims=([1, 0], [0, 1])), normal(3, 4, 2), normal(4, 3, 5)
    )
    check(lambda c, a, b: c.addmm(a, b, beta=0.5, alpha=2), normal(3, 2), normal(3, 4), normal(4, 2))
    check(lambda a, b: torch_or_ours(a).cdist(a, b), normal(4, 3), normal(5, 3), atol=1e-5)
    x, w, b = normal(2, 3, 4), normal(5, 4), normal(5)
    same(value(Tensor(x).linear(Tensor(w), Tensor(b))), value(F.linear(*map(torch.from_numpy, (x, w, b)))))


CONVS: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    ((2, 3, 9), (4, 3, 3), {}),
    ((2, 3, 8, 7), (4, 3, 3, 2), {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2)}),
    ((1, 4, 6, 6), (6, 2, 3, 3), {"groups": 2, "padding": "same"}),
    ((1, 4, 6, 6), (4, 1, 3, 3), {"groups": 4, "padding": 1}),
    ((1, 2, 4, 5, 3), (3, 2, 2, 3, 1), {"stride": 2, "padding": 1}),
    ((3, 8, 7), (4, 3, 3, 2), {}),
    ((2, 5, 4, 4), (3, 5, 1, 1), {}),
]


@pytest.mark.parametrize(("shape", "weights", "options"), CONVS)
def test_conv(shape: tuple[int, ...], weights: tuple[int, ...], options: dict[str, Any]) -> None:
    x, w, b = normal(*shape), normal(*weights), normal(weights[0])
    dims = len(weights) - 2
    theirs = getattr(F, f"conv{dims}d")(*map(torch.from_numpy, (x, w, b)), **options)
    ours = getattr(Tensor(x), f"conv{dims}d")(Tensor(w), Tensor(b), **options)
    same(value(ours), value(theirs), rtol=1e-4, atol=1e-5)


TRANSPOSED: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    ((2, 3, 5), (3, 4, 3), {}),
    ((1, 4, 5, 4), (4, 3, 3, 2), {"stride": 2, "padding": 1, "output_padding": 1}),
    ((1, 4, 5, 4), (4, 3, 3, 3), {"stride": (2, 3), "groups": 2, "dilation": 2}),
]


@pytest.mark.parametrize(("shape", "weights", "options"), TRANSPOSED)
def test_conv_transpose(shape: tuple[int, ...], weights: tuple[int, ...], options: dict[str, Any]) -> None:
    x, w = normal(*shape), normal(*weights)
    name = f"conv_transpose{len(weights) - 2}d"
    theirs = getattr(F, name)(torch.from_numpy(x), torch.from_numpy(w), **options)
    same(value(getattr(Tensor(x), name)(Tensor(w), **options)), value(theirs), rtol=1e-4, atol=1e-5)


POOLS: dict[str, Callable[[Any, Any], Any]] = {
    "max": lambda m, x: m.max_pool2d(x, 2),
    "max_padded": lambda m, x: m.max_pool2d(x, 3, stride=2, padding=1),
    "max_dilated": lambda m, x: m.max_pool2d(x, 2, stride=1, dilation=2),
    "max_ceil": lambda m, x: m.max_pool2d(x, 2, ceil_mode=True),
    "max_indices": lambda m, x: tuple(m.max_pool2d(x, 3, stride=2, padding=1, return_indices=True)),
    "max1": lambda m, x: m.max_pool1d(x[0], 3),
    "avg": lambda m, x: m.avg_pool2d(x, (2, 3)),
    "avg_padded": lambda m, x: m.avg_pool2d(x, 3, stride=2, padding=1),
    "avg_without_padding": lambda m, x: m.avg_pool2d(x, 3, stride=2, padding=1, count_include_pad=False),
    "avg_ceil": lambda m, x: m.avg_pool2d(x, 2, ceil_mode=True),
    "adaptive": lambda m, x: m.adaptive_avg_pool2d(x, (3, 1)),
    "adaptive_uneven": lambda m, x: m.adaptive_avg_pool2d(x, (4, 5)),
    "adaptive_max": lambda m, x: m.adaptive_avg_pool1d(x[0], 2),
}


@pytest.mark.parametrize("name", POOLS)
def test_pool(name: str) -> None:
    x = normal(2, 3, 6, 7)
    same(value(POOLS[name](Tensor, Tensor(x))), value(POOLS[name](F, torch.from_numpy(x))))


LOSSES: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "mse": lambda m, x, y, c: m.mse_loss(x, y),
    "l1": lambda m, x, y, c: m.l1_loss(x, y, reduction="sum"),
    "smooth_l1": lambda m, x, y, c: m.smooth_l1_loss(x, y),
    "huber": lambda m, x, y, c: m.huber_loss(x, y, delta=0.7),
    "bce": lambda m, x, y, c: m.binary_cross_entropy(x.sigmoid(), y.sigmoid()),
    "bce_logits": lambda m, x, y, c: m.binary_cross_entropy_with_logits(x, y.sigmoid()),
    "kl": lambda m, x, y, c: m.kl_div(x.log_softmax(1), y.softmax(1), reduction="batchmean"),
    "nll": lambda m, x, y, c: m.nll_loss(x.log_softmax(1), c),
    "cross_entropy": lambda m, x, y, c: m.cross_entropy(x, c),
    "ignore": lambda m, x, y, c: m.cross_entropy(x, c, ignore_index=1),
    "none": lambda m, x, y, c: m.cross_entropy(x, c, reduction="none"),
    "smoothed": lambda m, x, y, c: m.cross_entropy(x, c, label_smoothing=0.1),
    "soft": lambda m, x, y, c: m.cross_entropy(x, y.softmax(1)),
    "cosine": lambda m, x, y, c: m.cosine_similarity(x, y),
}


@pytest.mark.parametrize("name", LOSSES)
def test_loss(name: str) -> None:
    x, y, c = normal(6, 4), normal(6, 4), whole(6, low=0, high=4)
    theirs = LOSSES[name](F, *map(torch.from_numpy, (x, y, c)))
    same(value(LOSSES[name](Tensor, *map(Tensor, (x, y, c)))), value(theirs))


@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"scale": 0.3}])
def test_attention(options: dict[str, Any]) -> None:
    q, k, v = normal(2, 3, 5, 4), normal(2, 3, 5, 4), normal(2, 3, 5, 4)
    name = "scaled_dot_product_attention"
    theirs = getattr(F, name)(*map(torch.from_numpy, (q, k, v)), **options)
    same(value(getattr(Tensor, name)(*map(Tensor, (q, k, v)), **options)), value(theirs), atol=1e-5)


@pytest.mark.parametrize("training", [True, False])
def test_batch_norm(training: bool) -> None:
    x, mean, var, w, b = normal(4, 3, 5), normal(3), positive(3), normal(3), normal(3)
    ours, theirs = (
        [Tensor(a) for a in (x, mean, var, w, b)],
        [torch.from_numpy(a.copy()) for a in (x, mean, var, w, b)],
    )
    same(
        value(Tensor.batch_norm(*ours, training=training)),
        value(F.batch_norm(*theirs, training=training)),
        atol=1e-5,
    )
    same(value(ours[1]), value(theirs[1]))
    same(value(ours[2]), value(theirs[2]))


@pytest.mark.parametrize(
    "program",
    [
        lambda m: m.arange(5),
        lambda m: m.arange(2, 11, 3),
        lambda m: m.arange(5, -5, -2),
        lambda m: m.arange(0, 1, 0.1),
        lambda m: m.arange(3.0),
        lambda m: m.linspace(-1, 2, 7),
        lambda m: m.linspace(3, 3, 1),
        lambda m: m.eye(3, 4),
        lambda m: m.zeros(2, 3),
        lambda m: m.ones((2, 3)),
        lambda m: m.full((2,), 7),
        lambda m: m.full((2,), True),
        lambda m: m.zeros(2).new_full((3,), 4),
        lambda m: m.cat([m.arange(3), m.ones(2)]),
        lambda m: m.stack([m.arange(3), m.arange(3)], 1),
        lambda m: m.hstack([m.ones(2, 1), m.zeros(2, 3)]),
        lambda m: m.vstack([m.ones(3), m.zeros(2, 3)]),
        lambda m: m.meshgrid(m.arange(2), m.arange(3), indexing="ij"),
        lambda m: m.meshgrid(m.arange(2), m.arange(3), indexing="xy"),
        lambda m: m.cat([m.zeros(0), m.ones(2)]),
        lambda m: m.cat([m.zeros(2, 0), m.ones(2, 3)], 1),
    ],
)
def test_creation(program: Callable[[Any], Any]) -> None:
    same(value(program(Tensor)), value(program(torch)))


def test_half_types_round_as_torch() -> None:
    x = np.concatenate([SPECIAL, normal(50) * 100, normal(50) * 1e-3]).astype("float32")
    for name in ("bfloat16", "float16", "float8_e5m2", "float8_e4m3fn"):
        # what is too large for e4m3 is 448 or NaN, depending on torch's version
        part = x[~(np.abs(x) > 448)] if name == "float8_e4m3fn" else x
        theirs = torch.from_numpy(part).to(getattr(torch, name)).float().numpy()
        same(value(Tensor(part).to(name).float()), theirs)
    theirs = (torch.from_numpy(x[:9]).bfloat16() * 3 + 1).float().numpy()
    same(value((Tensor(x[:9]).bfloat16() * 3 + 1).float()), theirs)


def test_torch_tensors_come_in_with_their_dtype() -> None:
    for dtype in (torch.float32, torch.bfloat16, torch.int16, torch.bool, torch.float8_e5m2):
        theirs = torch.tensor([[0.0, 1.0], [2.0, 3.0]]).to(dtype)
        ours = Tensor(theirs)
        assert ours.dtype.name == str(dtype).removeprefix("torch.")
        np.testing.assert_array_equal(ours.float().numpy(), theirs.float().numpy())


@pytest.mark.host_memory
def test_torch_shares_memory() -> None:
    shared = torch.arange(4.0)
    ours = Tensor.from_dlpack(shared)
    shared[0] = 9
    assert ours.numpy()[0] == 9
    assert torch.from_dlpack(Tensor([1.0, 2.0]) * 2).tolist() == [2.0, 4.0]


COMPOSED: dict[str, Callable[[Any], Any]] = {
    "inner": lambda x: x.inner(x),
    "inner_vectors": lambda x: x[0].inner(x[1]),
    "ger": lambda x: x[0].ger(x[:, 0]),
    "vdot": lambda x: x[0].vdot(x[1]),
    "addmv": lambda x: x[:, 0].addmv(x, x[1], beta=0.5, alpha=2),
    "addr": lambda x: x.addr(x[:, 0], x[0], beta=2, alpha=3),
    "addbmm": lambda x: x.addbmm(x.reshape(2, 2, 4).mT.reshape(2, 4, 2), x.reshape(2, 2, 4), beta=2),
    "matrix_power": lambda x: x.matrix_power(5),
    "matrix_power_0": lambda x: x.matrix_power(0),
    "matrix_power_negative": lambda x: (x + 5 * x.clone().fill_(1).tril().triu()).matrix_power(-2),
    "dist": lambda x: x.dist(x.T, 3),
    "cov": lambda x: x.cov(),
    "cov_vector": lambda x: x[0].cov(),
    "corrcoef": lambda x: x.corrcoef(),
    "histc": lambda x: x.histc(5, -1, 1),
    "histc_data": lambda x: x.histc(4),
    "diagflat": lambda x: x[:2, :2].diagflat(-1),
    "hsplit": lambda x: x.hsplit([1, 3]),
    "vsplit": lambda x: x.vsplit(2),
    "split_with_sizes": lambda x: x.split_with_sizes([1, 3], 1),
    "sum_to_size": lambda x: x.sum_to_size(4, 1),
    "select_scatter": lambda x: x.select_scatter(x[0], 1, 2),
    "slice_scatter": lambda x: x.slice_scatter(x[:, :2], 1, 0, 4, 2),
    "masked_scatter": lambda x: x.masked_scatter(x > 0, x * 10),
    "put": lambda x: x.put((x[0] * 0).long() + 3, x[1] * 0 + 2),
    "logaddexp2": lambda x: x.logaddexp2(x.T),
    "float_power": lambda x: x.abs().float_power(2.5),
    "ldexp": lambda x: x.ldexp((x * 3).round().int()),
    "byte": lambda x: x.abs().byte(),
    "equal": lambda x: x.equal(x.T),
    "stride": lambda x: x.stride(),
    "is_signed": lambda x: x.is_signed() and not x.is_complex(),
    "sin_": lambda x: x.clone().sin_(),
    "clamp_": lambda x: x.clone().clamp_(min=0.25),
    "eq_": lambda x: x.clone().eq_(x.T),
    "cumsum_": lambda x: x.clone().cumsum_(1),
    "pow_": lambda x: x.clone().pow_(2),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_composed(name: str) -> None:
    check(COMPOSED[name], normal(4, 4), rtol=1e-4)
