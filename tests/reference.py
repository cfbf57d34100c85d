"""A NumPy evaluator of graphs in tensor terms: slow, obvious, and independent of the compiler.

`evaluate(node)` gives the value of a node as a NumPy array. bfloat16 and float8 values are float32 arrays
rounded after every op. An index out of range reads 0, and a write to it is dropped."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from saccade.graph import dtypes
from saccade.graph.dtypes import DType
from saccade.graph.node import Node
from saccade.graph.ops import BINARY, UNARY, Op
from saccade.runtime.memory.halves import from_float32 as encode
from saccade.runtime.memory.halves import to_float32 as decode
from saccade.tensor.host import has_numpy
from saccade.tensor.memory import array_of_buffer

Array = np.ndarray[Any, Any]


def evaluate(node: Node) -> Array:
    """The value of a node; every node below it is computed once."""
    values: dict[Node, Array] = {}
    with np.errstate(all="ignore"):
        for n in node.toposort():
            values[n] = _rounded(_value(n, [values[s] for s in n.src]), n.dtype)
    assert values[node].shape == node.shape, (node, values[node].shape, node.shape)
    return values[node]


def numpy_dtype(dtype: DType) -> np.dtype[Any]:
    """How the evaluator holds a dtype."""
    return np.dtype(dtype.name if has_numpy(dtype) else "float32")


def _rounded(value: Any, dtype: DType) -> Array:
    value = np.asarray(value)
    if not has_numpy(dtype):
        return decode(encode(value, dtype), dtype)
    return value if value.dtype == numpy_dtype(dtype) else value.astype(numpy_dtype(dtype))


def _value(node: Node, src: list[Array]) -> Any:
    op, arg = node.op, node.arg
    if op is Op.BUFFER:
        stored = array_of_buffer(arg)
        return stored if has_numpy(node.dtype) else decode(stored, node.dtype)
    if op is Op.CONST:
        return np.full((), arg, numpy_dtype(node.dtype))
    if op is Op.IOTA:
        return np.arange(arg, dtype=np.int64)
    if op is Op.BITCAST:
        return _bitcast(src[0], node.src[0].dtype, node.dtype)
    if op is Op.CAST:
        return _cast(src[0], node.dtype)
    if op is Op.WHERE:
        return np.where(*src)
    if op in UNARY:
        return _UNARY[op](src[0])
    if op in BINARY:
        return _binary(op, *src)
    return _STRUCTURAL[op](src, arg)


# --- elementwise


def _cast(x: Array, dtype: DType) -> Array:
    if dtype.is_bool:
        return x != 0
    if dtype.is_unsigned and x.dtype.kind == "f":
        return x.astype(np.int64).astype(dtype.name) if dtype.bits < 64 else x.astype(dtype.name)
    return x.astype(numpy_dtype(dtype))


def _bitcast(x: Array, source: DType, target: DType) -> Array:
    bits = np.ascontiguousarray(x if has_numpy(source) else encode(x, source)).reshape(x.shape)
    if has_numpy(target):
        return bits.view(np.dtype(target.name))
    return decode(bits.view(np.dtype(f"uint{target.bits}")), target)


_erf = np.vectorize(math.erf, otypes=[np.float64])

_UNARY: dict[Op, Callable[[Array], Any]] = {
    Op.NEG: np.negative,
    Op.NOT: np.invert,
    Op.ABS: np.abs,
    Op.SQRT: np.sqrt,
    Op.RECIP: lambda x: 1 / x,
    Op.EXP: np.exp,
    Op.EXP2: np.exp2,
    Op.EXPM1: np.expm1,
    Op.LOG: np.log,
    Op.LOG1P: np.log1p,
    Op.LOG2: np.log2,
    Op.SIN: np.sin,
    Op.COS: np.cos,
    Op.TAN: np.tan,
    Op.ASIN: np.arcsin,
    Op.ACOS: np.arccos,
    Op.ATAN: np.arctan,
    Op.SINH: np.sinh,
    Op.COSH: np.cosh,
    Op.TANH: np.tanh,
    Op.ERF: _erf,
    Op.FLOOR: np.floor,
    Op.CEIL: np.ceil,
    Op.TRUNC: np.trunc,
    Op.ROUND: np.rint,
    Op.ISNAN: np.isnan,
}

_BINARY: dict[Op, Callable[[Array, Array], Any]] = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.DIV: np.divide,
    Op.POW: np.power,
    Op.ATAN2: np.arctan2,
    Op.MAX: np.maximum,
    Op.MIN: np.minimum,
    Op.LT: np.less,
    Op.LE: np.less_equal,
    Op.EQ: np.equal,
    Op.NE: np.not_equal,
    Op.AND: np.bitwise_and,
    Op.OR: np.bitwise_or,
    Op.XOR: np.bitwise_xor,
    Op.SHL: np.left_shift,
    Op.SHR: np.right_shift,
}


def _binary(op: Op, x: Array, y: Array) -> Any:
    if op is Op.IDIV:
        return np.where(y == 0, 0, x // np.where(y == 0, 1, y))
    if op is Op.TDIV:
        safe = np.where(y == 0, np.ones_like(y), y)
        quotient = x // safe
        inexact = (quotient * safe != x) & ((x < 0) != (safe < 0))
        return np.where(y == 0, 0, quotient + inexact.astype(x.dtype))
    if op is Op.MOD and x.dtype.kind != "f":
        return np.where(y == 0, x, x % np.where(y == 0, 1, y))
    if op is Op.MOD:
        return np.mod(x, y)
    return _BINARY[op](x, y)


# --- movement and collective ops


def _slice(src: list[Array], arg: Any) -> Array:
    indices = [start + step * np.arange(length) for start, length, step in arg]
    return src[0][np.ix_(*indices)] if indices else src[0]


def _window(src: list[Array], arg: Any) -> Array:
    axis, count, size, stride, dilation = arg
    places = stride * np.arange(count)[:, None] + dilation * np.arange(size)[None, :]
    taken = np.take(src[0], places.reshape(-1), axis=axis)
    shape = src[0].shape
    return taken.reshape(*shape[:axis], count, size, *shape[axis + 1 :])


_REDUCERS: dict[str, Any] = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def _reduce(src: list[Array], arg: Any) -> Any:
    kind, axes = arg
    x = src[0]
    if kind.kind in ("argmax", "argmin"):  # along one axis; NaN wins
        best = np.max if kind.kind == "argmax" else np.min
        value = best(x, axis=axes[0], keepdims=True)
        return np.argmax((x == value) | ((x != x) & (value != value)), axis=axes[0])
    if kind.kind in ("max", "min") and any(x.shape[a] == 0 for a in axes):
        return np.full(
            [n for a, n in enumerate(x.shape) if a not in axes], _worst(x.dtype, kind.kind == "max"), x.dtype
        )
    return _REDUCERS[kind.kind].reduce(x, axis=axes, dtype=x.dtype)


def _worst(dtype: np.dtype[Any], largest: bool) -> Any:
    own = dtypes.of(dtype)
    return own.min if largest else own.max


def _order(x: Array, axis: int, descending: bool) -> Array:
    """A stable order along an axis; NaN is the largest value of all."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    flipped = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(flipped, axis)


def _sort(src: list[Array], arg: Any) -> Array:
    axis, descending, keep, _, want = arg
    order = np.take(_order(src[0], axis, descending), range(keep), axis)
    return order if want == "indices" else np.take_along_axis(src[0], order, axis)


def _topk(src: list[Array], arg: Any) -> Array:
    k, axis, largest, want = arg
    x = src[0]
    key = x
    if not largest and x.dtype.kind == "f":
        key = np.where(np.isnan(x), -np.inf, x)  # NaN is the best of all, whichever end is wanted
    order = np.take(_order(key, axis, largest), np.arange(k), axis=axis)
    return order if want == "indices" else np.take_along_axis(x, order, axis)


def _gather(src: list[Array], arg: Any) -> Array:
    x, index = src
    inside = (index >= 0) & (index < x.shape[arg])
    if x.shape[arg] == 0:
        return np.zeros(index.shape, x.dtype)
    return np.where(inside, np.take_along_axis(x, np.where(inside, index, 0), arg), np.zeros((), x.dtype))


_COMBINE: dict[str, Any] = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def _scatter(src: list[Array], arg: Any) -> Array:
    x, index, updates = src
    axis, mode = arg
    out = x.copy()
    grid = list(np.indices(index.shape))
    grid[axis] = index
    inside = ((index >= 0) & (index < x.shape[axis])).reshape(-1)
    where = tuple(part.reshape(-1)[inside] for part in grid)
    values = updates.reshape(-1)[inside]
    if mode == "set":
        out[where] = values
    else:
        _COMBINE[mode].at(out, where, values)
    return out


def _update(src: list[Array], arg: Any) -> Array:
    out = src[0].copy()
    out[np.ix_(*[start + step * np.arange(length) for start, length, step in arg])] = src[1]
    return out


_STRUCTURAL: dict[Op, Callable[[list[Array], Any], Any]] = {
    Op.RESHAPE: lambda src, arg: src[0].reshape(arg),
    Op.PERMUTE: lambda src, arg: src[0].transpose(arg),
    Op.EXPAND: lambda src, arg: np.broadcast_to(src[0], arg),
    Op.PAD: lambda src, arg: np.pad(src[0], arg) if arg else src[0],
    Op.SLICE: _slice,
    Op.WINDOW: _window,
    Op.REDUCE: _reduce,
    Op.SCAN: lambda src, arg: _REDUCERS[arg[0].kind].accumulate(src[0], axis=arg[1], dtype=src[0].dtype),
    Op.TOPK: _topk,
    Op.SORT: _sort,
    Op.GATHER: _gather,
    Op.SCATTER: _scatter,
    Op.UPDATE: _update,
    Op.ASSIGN: lambda src, arg: src[0],
    Op.CONTIGUOUS: lambda src, arg: src[0],
    Op.COPY: lambda src, arg: src[0],
}
