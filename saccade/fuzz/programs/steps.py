"""The steps a random program is made of: each draws its operands and gives new tensors.

A step is a function of the draft. It may draw something the front end refuses (an empty maximum, a dtype
without that op); then nothing is added.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ...graph import dtypes
from ...tensor import Tensor
from ...tensor.tensor import where
from .programs import TYPES, Draft

Made = list[Tensor]


def draw_step(draft: Draft) -> Made:
    """One step, or nothing where it was refused."""
    (step,) = draft.random.choices(list(STEPS), list(STEPS.values()))
    try:
        return step(draft)
    except (ValueError, TypeError, IndexError, ZeroDivisionError):  # what makes no sense is refused
        return []


# --- elementwise

_SMOOTH = (
    "neg", "abs", "sqrt", "exp", "exp2", "log", "log2", "sin", "cos", "tan", "asin", "acos", "atan",
    "sinh", "cosh", "tanh", "erf", "sigmoid", "gelu", "silu", "softplus", "reciprocal", "square",
    "relu", "rsqrt", "log1p", "expm1",
)  # fmt: skip
_STEPPED = ("floor", "ceil", "trunc", "round", "sign", "isnan", "isfinite", "isinf", "signbit")


def _unary(d: Draft) -> Made:
    x = d.any()
    if not x.dtype.is_float:
        return [d.random.choice((lambda t: -t, lambda t: ~t, abs, lambda t: t.float()))(x)]
    return [getattr(x, d.random.choice(_SMOOTH if d.random.random() < 0.7 else _STEPPED))()]


def _binary(d: Draft) -> Made:
    x = d.any()
    y = d.like(x) if d.random.random() < 0.7 else d.random.choice((2, 3, -1, 0.5, 0, 7))
    operation = d.random.choices(list(_BINARY), list(_BINARY.values()))[0]
    return [operation(x, y) if d.random.random() < 0.7 or not isinstance(y, Tensor) else operation(y, x)]


_BINARY: Final[dict[Callable[..., Tensor], int]] = {
    lambda x, y: x + y: 4, lambda x, y: x - y: 4, lambda x, y: x * y: 4, lambda x, y: x / y: 2, lambda
    x, y: x // y: 2, lambda x, y: x % y: 2, lambda x, y: x.maximum(y): 2, lambda x, y: x.minimum(y): 2,
    lambda x, y: x < y: 2, lambda x, y: x <= y: 1, lambda x, y: x == y: 1, lambda x, y: x != y: 1,
    lambda x, y: x & y: 1, lambda x, y: x | y: 1, lambda x, y: x ^ y: 1, lambda x, y: x << y: 1, lambda
    x, y: x >> y: 1, lambda x, y: x.div(y, rounding_mode="trunc"): 1, lambda x, y: x.atan2(y): 1, lambda
    x, y: x.pow(y): 1, lambda x, y: x.fmod(y): 1, lambda x, y: x.copysign(y): 1,
}  # fmt: skip


def _where(d: Draft) -> Made:
    x = d.any()
    y = d.like(x)
    condition = d.random.choice((lambda: x > y, lambda: d.like(x).bool(), lambda: x != 0))()
    return [where(condition, x, y) if d.random.random() < 0.5 else x.masked_fill(condition, 1)]


def _cast(d: Draft) -> Made:
    return [d.any().cast(d.random.choice(TYPES))]


def _clamp(d: Draft) -> Made:
    return [d.any().clamp(-1, 2)]


def draw_alike(d: Draft) -> Made:
    """The same functions of inputs of several shapes, as in the step of an optimiser: the scheduler makes
    them sections of one kernel."""
    dtype, number = d.random.choice(TYPES), d.random.choice((2, 3, -1, 0.5))
    names = [d.random.choice(_SMOOTH) for _ in range(d.random.randint(0, 2))]
    operations = d.random.choices(list(_BINARY), list(_BINARY.values()), k=2)
    made = []
    for _ in range(d.random.randint(2, 4)):
        x, y = (d.fresh(shape, dtype) for shape in [d.shape(1, 2)] * 2)
        try:
            result = operations[1](operations[0](x, y), number)
            for name in names if result.dtype.is_float else ():
                result = getattr(result, name)()
        except (ValueError, TypeError, ZeroDivisionError):
            return []
        made.append(result)
    return made


# --- movement


def _reshape(d: Draft) -> Made:
    x = d.any()
    left = x.numel()
    shape: list[int] = []
    while left > 1 and len(shape) < 4 and d.random.random() < 0.8:
        divisors = [n for n in range(1, min(left, 200) + 1) if left % n == 0]
        shape.append(d.random.choice(divisors))
        left //= shape[-1]
    return [x.reshape(*d.random.sample([*shape, left], len(shape) + 1))]


def _permute(d: Draft) -> Made:
    x = d.of_rank(2)
    return [x.permute(*d.random.sample(range(x.ndim), x.ndim))]


def _expand(d: Draft) -> Made:
    x = d.any()
    x = x.unsqueeze(d.random.randint(0, x.ndim))
    return [x.expand(*[d.random.choice((2, 3, 5)) if n == 1 else n for n in x.shape])]


def _pad(d: Draft) -> Made:
    x = d.of_rank(1)
    widths = [d.random.randint(0, 3) for _ in range(2 * d.random.randint(1, x.ndim))]
    modes = [("constant", d.random.choice((0, 0, 1)))] * 4 + [
        ("reflect", 0),
        ("replicate", 0),
        ("circular", 0),
    ]
    mode, value = d.random.choice(modes)
    return [x.pad(widths, mode, value)]


def _slice(d: Draft) -> Made:
    x = d.of_rank(1)
    parts = []
    for n in x.shape:
        start, stop = sorted((d.random.randint(0, n), d.random.randint(0, n)))
        step = d.random.choice((None, 1, 1, 2, 3, -1))
        kept = (
            slice(start, max(stop, start + 1), step)
            if step != -1
            else slice(None, None, d.random.choice((-1, -2)))
        )
        parts.append(d.random.choice((kept, slice(None), slice(None))))
    return [x[tuple(parts)]]


def _rearrange(d: Draft) -> Made:
    x = d.of_rank(1)
    axis = d.axis(x)
    return [
        d.random.choice((
            lambda: x.flip(axis), lambda: x.roll(d.random.randint(-3, 3), axis),
            lambda: x.repeat(*[2] * x.ndim), lambda: x.diagonal(),
            lambda: x.unfold(axis, min(3, x.shape[axis]), d.random.randint(1, 3)),
            lambda: x.tril(d.random.randint(-1, 1)), lambda: x.diff(dim=axis), lambda: x.select(axis, -1),
            lambda: x.contiguous(), lambda: x.movedim(axis, 0),
        ))()
    ]  # fmt: skip


def _join(d: Draft) -> Made:
    x = d.of_rank(1)
    y = d.fresh(x.shape, x.dtype) if d.random.random() < 0.5 else x + 1
    return [
        d.random.choice((Tensor.cat, Tensor.stack))(
            [x, y, x] if d.random.random() < 0.3 else [x, y], d.axis(x)
        )
    ]


# --- reductions


def _axes(d: Draft, x: Tensor) -> tuple[int, ...]:
    return tuple(sorted(d.random.sample(range(x.ndim), d.random.randint(1, x.ndim))))


def _reduce(d: Draft) -> Made:
    x = d.of_rank(1)
    axes, kept = _axes(d, x), d.random.random() < 0.4
    name = d.random.choice(("sum", "sum", "amax", "amin", "any", "all", "mean", "prod", "count_nonzero"))
    if name == "count_nonzero":
        return [x.count_nonzero(axes)]
    if name == "mean":
        x = x.float()
    return [getattr(x, name)(axes, keepdim=kept)]


def _best(d: Draft) -> Made:
    x = d.number()
    axis = d.axis(x)
    name = d.random.choice(("argmax", "argmin", "max", "min"))
    made = getattr(x, name)(axis)
    return [made] if isinstance(made, Tensor) else [made.values, made.indices]


def _statistic(d: Draft) -> Made:
    x = d.real(1)
    axis = d.axis(x)
    return [
        d.random.choice((
            lambda: x.var(axis), lambda: x.std(axis, keepdim=True), lambda: x.softmax(axis),
            lambda: x.log_softmax(axis), lambda: x.logsumexp(axis), lambda: x.norm(dim=axis),
            lambda: x.layer_norm(x.shape[-1:]),
            lambda: x - x.mean(axis, keepdim=True), lambda: x.rms_norm(x.shape[-1:]),
        ))()
    ]  # fmt: skip


def _running(d: Draft) -> Made:
    x = d.number()
    made = getattr(x, d.random.choice(("cumsum", "cumsum", "cumprod", "cummax", "cummin")))(d.axis(x))
    return [made] if isinstance(made, Tensor) else [made.values, made.indices]


# --- products


def _matmul(d: Draft) -> Made:
    x = d.real(2, 4)
    columns = d.random.choice((1, 2, 5, 8, 16, 33))
    inner = x.shape[-1]
    y = d.fresh(d.random.choice(((inner, columns), (columns, inner))), x.dtype)
    product = x @ (y if y.shape[0] == inner else y.T)
    return [d.random.choice((lambda: product, lambda: product.relu(), lambda: (product + 1).softmax(-1)))()]


def _attention(d: Draft) -> Made:
    q = d.real(2, 3)
    keys = d.random.choice((3, 8, 17))
    k, v = (d.fresh((*q.shape[:-2], keys, n), q.dtype) for n in (q.shape[-1], d.random.choice((4, 16))))
    return [(q @ k.transpose(-1, -2)).softmax(-1) @ v]


def _large_product(d: Draft) -> Made:
    """Large enough for register tiles, packed operands and blocks of rows."""
    rows, inner, columns = (d.random.choice((9, 16, 33, 48, 70)) for _ in range(3))
    dtype = d.random.choice((dtypes.float32, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.float16))
    x, y = d.fresh((rows, inner), dtype, "short"), d.fresh((inner, columns), dtype, "short")
    if d.random.random() < 0.5 or not dtype.is_float:
        return [d.random.choice((x @ y, (x * 2 + 1) @ y, (x @ y).amax(-1), x.T.contiguous().T @ y.tril()))]
    v = d.fresh((columns, d.random.choice((8, 32))), dtype, "short")
    scores = x @ y
    if d.random.random() < 0.4:
        scores = where(Tensor.ones(rows, columns).tril().bool(), scores, float("-inf"))
    return [scores.softmax(-1) @ v]


def _normalised_matmul(d: Draft) -> Made:
    x = d.real(2, 2)
    y = d.fresh((x.shape[-1], d.random.choice((4, 16, 19))), x.dtype)
    return [x.layer_norm(x.shape[-1:]) @ y]


def _convolve(d: Draft) -> Made:
    dims, channels = d.random.randint(1, 2), d.random.choice((1, 2, 4))
    spatial = [d.random.choice((5, 8, 11)) for _ in range(dims)]
    groups = d.random.choice((1, 1, channels))
    x = d.fresh((d.random.choice((1, 2)), channels, *spatial), dtypes.float32)
    outputs = groups * d.random.choice((1, 3, 8))
    weight = d.fresh(
        (outputs, channels // groups, *[d.random.choice((1, 3)) for _ in range(dims)]), dtypes.float32
    )
    bias = d.fresh((outputs,), dtypes.float32) if d.random.random() < 0.5 else None
    function = x.conv1d if dims == 1 else x.conv2d
    stride, padding, dilation = d.random.choice(((1, 0, 1), (1, 1, 1), (2, 1, 1), (1, 2, 2)))
    made = function(weight, bias, stride, padding, dilation, groups)
    return [made.relu() if d.random.random() < 0.5 else made]


def _pool(d: Draft) -> Made:
    x = d.real(3, 3)
    return [x.max_pool1d(2, padding=1) if d.random.random() < 0.5 else x.avg_pool1d(3, 2, 1)]


# --- order and indices


def _topk(d: Draft) -> Made:
    x = d.number()
    axis = d.axis(x)
    made = x.topk(d.random.randint(1, min(x.shape[axis], 5)), axis, d.random.random() < 0.5)
    return [made.values, made.indices]


def _sort(d: Draft) -> Made:
    x = d.number()
    made = x.sort(d.axis(x), d.random.random() < 0.5)
    return [made.values, made.indices]


def _nearest(d: Draft) -> Made:
    """The k nearest points, as the cortex asks for them."""
    points, nodes = d.random.choice((1, 7, 20)), d.random.choice((4, 9, 40))
    x, y = d.fresh((points, 3), dtypes.float32), d.fresh((nodes, 3), dtypes.float32)
    apart = ((x.unsqueeze(1) - y.unsqueeze(0)) ** 2).sum(-1)
    made = apart.topk(3, -1, largest=False)
    return [made.values, made.indices]


def _gather(d: Draft) -> Made:
    x = d.of_rank(1)
    axis = d.axis(x)
    n = d.random.choice((1, 3, 8))
    if d.random.random() < 0.5:
        return [x.index_select(axis, d.indices((n,), x.shape[axis]))]
    shape = (*x.shape[:axis], n, *x.shape[axis + 1 :])
    return [x.gather(axis, d.indices(shape, x.shape[axis] + d.random.choice((0, 0, 1))))]


def _scatter(d: Draft) -> Made:
    x = d.number()
    axis = d.axis(x)
    n = d.random.choice((1, 4, 9))
    shape = (*x.shape[:axis], n, *x.shape[axis + 1 :])
    index = d.indices(shape, x.shape[axis])
    updates = d.fresh(shape, x.dtype) if d.random.random() < 0.8 else Tensor.ones(*shape, dtype=x.dtype)
    mode = d.random.choice(("set", "add", "prod", "amax", "amin"))
    if mode == "set":
        return [x.scatter(axis, index, updates)]
    return [
        x.scatter_add(axis, index, updates) if mode == "add" else x.scatter_reduce(axis, index, updates, mode)
    ]


def _pick(d: Draft) -> Made:
    x = d.of_rank(1, 3)
    return [x[d.indices(d.random.choice(((2,), (3, 2))), x.shape[0])]]


def _ragged(d: Draft) -> Made:
    """A list with a count: what is beyond it does not take part."""
    rows, places = d.random.choice((1, 3, 16, 40)), d.random.choice((2, 8, 19))
    x = d.fresh((rows, places), dtypes.float32, "short")
    counts = d.indices((rows, 1), places + 3)
    taken = Tensor.arange(places) < counts
    return [
        d.random.choice((
            lambda: where(taken, x, 0.0).sum(-1), lambda: where(taken, x, float("-inf")).amax(-1),
            lambda: where(taken, x, float("inf")).topk(2, -1, largest=False).values,
            lambda: where(taken, x, float("-inf")).argmax(-1), lambda: where(taken, x * 2, 0.0).cumsum(-1),
            lambda: where(taken, x, float("inf")).topk(2, -1, largest=False).indices,
            lambda: where(taken, x, 1.0).prod(-1), lambda: where(taken, x, float("-inf")).softmax(-1),
        ))()
    ]  # fmt: skip


def _triangle(d: Draft) -> Made:
    """Part of a matrix, by rows or by columns, reduced along both or one: a loop ends at another."""
    x = d.fresh((d.random.choice((2, 5, 17)), d.random.choice((3, 8, 16))), dtypes.float32, "short")
    held = Tensor.ones(*x.shape, dtype=dtypes.bool_).tril(d.random.randint(-1, 2))
    padding = d.random.choice((0.0, -2.0, float("-inf")))
    part = where(held if d.random.random() < 0.5 else ~held, x, padding)
    part = part.T if d.random.random() < 0.5 else part
    axis = d.random.choice((None, 0, 1))
    return [part.sum(axis) if padding == 0 else part.amax(axis)]


STEPS: Final[dict[Callable[[Draft], Made], int]] = {
    _unary: 12, _binary: 16, _where: 5, _cast: 6, _clamp: 2, _reshape: 5, _permute: 4, _expand: 3, _pad:
    4, _slice: 5, _rearrange: 6, _join: 4, _reduce: 10, _best: 4, _statistic: 6, _running: 4, _matmul:
    6, _attention: 2, _large_product: 2, _normalised_matmul: 1, _convolve: 3, _pool: 2, _topk: 4, _sort:
    3, _nearest: 2, _gather: 4, _scatter: 4, _pick: 2, _ragged: 4, _triangle: 2,
}  # fmt: skip
