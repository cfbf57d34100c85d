"""Movement and collective ops on values with radii; see `reference`.

Each function takes a node and a (value, radius) pair for each source, and gives the pair of the node.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...graph.dtypes import DType
from ...graph.node import Node
from ...graph.ops import Op
from .precision import is_short, largest, smallest, ulp

Array = NDArray[Any]
Pair = tuple[Array, Array]

_UFUNCS: Final[dict[str, np.ufunc]] = {
    "add": np.add,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}


def _moved(function: Callable[[Array, Any], Array]) -> Callable[[Node, list[Pair]], Pair]:
    """A movement: the radii go where the values go."""
    return lambda node, src: (function(src[0][0], node.arg), function(src[0][1], node.arg))


def _slice(x: Array, arg: Any) -> Array:
    places = [start + step * np.arange(length) for start, length, step in arg]
    return x[np.ix_(*places)] if places else x


def _update(node: Node, src: list[Pair]) -> Pair:
    places = np.ix_(*[start + step * np.arange(length) for start, length, step in node.arg])
    made = []
    for base, part in zip(*src, strict=True):
        made.append(base.copy())
        made[-1][places] = part
    return made[0], made[1]


def _cat(node: Node, src: list[Pair]) -> Pair:
    values, radii = ([pair[which] for pair in src] for which in (0, 1))
    return np.concatenate(values, node.arg), np.concatenate(radii, node.arg)


def _window(x: Array, arg: Any) -> Array:
    axis, count, size, stride, dilation = arg
    places = stride * np.arange(count)[:, None] + dilation * np.arange(size)[None, :]
    taken: Array = np.take(x, places.reshape(-1), axis=axis)
    return taken.reshape(*x.shape[:axis], count, size, *x.shape[axis + 1 :])


def _rows(x: Array, axes: tuple[int, ...]) -> Array:
    """The array with `axes` last and as one."""
    kept = [a for a in range(x.ndim) if a not in axes]
    length = math.prod(x.shape[a] for a in axes)
    return x.transpose(*kept, *axes).reshape(*[x.shape[a] for a in kept], length)


# --- reductions


def _reduce(node: Node, src: list[Pair]) -> Pair:
    monoid, axes = node.arg
    x, r = (_rows(part, axes) for part in src[0])
    if monoid.elements == 2:
        return _argbest(x, r, monoid.wants_larger)
    dtype = node.dtype
    if monoid.kind in ("max", "min"):
        worst = np.array(monoid.identity((dtype,))[0].arg, x.dtype)
        value = _UFUNCS[monoid.kind].reduce(x, axis=-1, initial=worst)
        return value, r.max(axis=-1, initial=0.0)
    value = _UFUNCS[monoid.kind].reduce(x, axis=-1, dtype=x.dtype)
    if not dtype.is_float:
        return value, np.where(np.isinf(r).any(axis=-1), math.inf, 0.0)
    size, moved = np.abs(x), np.asarray(r.any(axis=-1))
    special = _is_special(monoid.kind, size, dtype, np.ufunc.reduce)
    if monoid.kind == "add":
        spread, total, short = r.sum(-1), size.sum(-1), np.asarray(is_short(x, dtype).all(-1))
    else:
        spread = (size + r).prod(-1) - size.prod(-1)
        total, short = np.maximum(size, 1.0).prod(-1), (x == np.rint(x)).all(-1)
    return value, _rounding(spread, total, short, moved, special, x.shape[-1], dtype)


def _is_special(kind: str, size: Array, dtype: DType, along: Callable[..., Array]) -> Array:
    """Does an infinity or NaN decide a sum or product, in any order? Only if no part of the others overflows,
    or vanishes beside it. `along` reduces or accumulates."""
    finite = np.isfinite(size)
    some = along(np.logical_or, ~finite, axis=-1)
    if kind == "add":
        return some & (along(np.add, np.where(finite, size, 0.0), axis=-1) < largest(dtype))
    most = along(np.multiply, np.where(finite, np.maximum(size, 1.0), 1.0), axis=-1)
    least = along(np.multiply, np.where(size > 0, np.minimum(size, 1.0), 1.0), axis=-1)
    return some & (most < largest(dtype)) & (least >= smallest(dtype))


def _rounding(
    spread: Array, total: Array, short: Array, moved: Array, special: Array, length: int, dtype: DType
) -> Array:
    """The radius of a sum or product in any order, whose magnitudes come to `total`."""
    exact = ~moved & ((short & is_short(total, dtype)) | special)
    # where a part may overflow, nothing is known
    known = total < largest(dtype)
    return np.where(exact, 0.0, np.where(known, spread + length * ulp(total, dtype), math.inf))


def _argbest(x: Array, r: Array, larger: bool) -> Pair:
    """The first place of the best value; NaN is the best of all."""
    if x.shape[-1] == 0:
        return np.zeros(x.shape[:-1], np.int64), np.zeros(x.shape[:-1])
    best = (np.max if larger else np.min)(x, axis=-1, keepdims=True)
    hit = (x == best) | ((x != x) & (best != best))
    place = np.argmax(hit, axis=-1)
    reach = np.take_along_axis(r, place[..., None], -1)
    rival = (np.abs(x.astype(np.float64) - best) <= r + reach) & (r + reach > 0)
    np.put_along_axis(rival, place[..., None], False, -1)
    unknown = (
        rival.any(axis=-1) | np.isinf(r).any(axis=-1) | ((r > 0).any(axis=-1) & ~np.isfinite(best[..., 0]))
    )
    return place, np.where(unknown, math.inf, 0.0)


def _scan(node: Node, src: list[Pair]) -> Pair:
    monoid, axis = node.arg
    x, r = (np.moveaxis(part, axis, -1) for part in src[0])
    value = _UFUNCS[monoid.kind].accumulate(x, axis=-1, dtype=x.dtype)
    if monoid.kind in ("max", "min"):
        radius = np.maximum.accumulate(r, axis=-1)
    elif not node.dtype.is_float:
        radius = np.where(np.logical_or.accumulate(np.isinf(r), axis=-1), math.inf, 0.0)
    else:
        radius = _scanned_radius(monoid.kind, x, r, node.dtype)
    return np.moveaxis(value, -1, axis), np.moveaxis(radius, -1, axis)


def _scanned_radius(kind: str, x: Array, r: Array, dtype: DType) -> Array:
    size = np.abs(x)
    if kind == "add":
        total, spread = np.cumsum(size, -1), np.cumsum(r, -1)
        short = np.logical_and.accumulate(is_short(x, dtype), axis=-1)
    else:
        total = np.cumprod(np.maximum(size, 1.0), -1)
        spread = np.cumprod(size + r, -1) - np.cumprod(size, -1)
        short = np.logical_and.accumulate(x == np.rint(x), axis=-1)
    moved = np.logical_or.accumulate(r != 0, axis=-1)
    special = _is_special(kind, size, dtype, np.ufunc.accumulate)
    return _rounding(spread, total, short, moved, special, x.shape[-1], dtype)


# --- order


def _order(x: Array, descending: bool) -> Array:
    """A stable order along the last axis; NaN is the largest value of all."""
    if not descending:
        return np.argsort(x, axis=-1, kind="stable")
    backwards = np.flip(np.argsort(np.flip(x, -1), axis=-1, kind="stable"), -1)
    order: Array = x.shape[-1] - 1 - backwards
    return order


def _ordered(node: Node, src: list[Pair], axis: int, order: Array, want: str, kept: int) -> Pair:
    x, r = (np.moveaxis(part, axis, -1) for part in src[0])
    widest = np.broadcast_to(r.max(axis=-1, keepdims=True, initial=0.0), (*r.shape[:-1], kept))
    values = np.take_along_axis(x, order, -1)
    if want == "values":
        return np.moveaxis(values[..., :kept], -1, axis), np.moveaxis(widest, -1, axis)
    ahead = values.astype(np.float64)
    gaps = np.abs(np.diff(ahead, axis=-1))[..., :kept]
    close = (gaps <= 2 * widest[..., : gaps.shape[-1]]).any(axis=-1, keepdims=True)
    unknown = (widest > 0) & (close | ~np.isfinite(ahead).all(axis=-1, keepdims=True))
    return np.moveaxis(order[..., :kept], -1, axis), np.moveaxis(np.where(unknown, math.inf, 0.0), -1, axis)


def _sort(node: Node, src: list[Pair]) -> Pair:
    axis, descending, keep, _, want = node.arg
    x = np.moveaxis(src[0][0], axis, -1)
    return _ordered(node, src, axis, _order(x, descending), want, keep)


def _topk(node: Node, src: list[Pair]) -> Pair:
    k, axis, largest, want = node.arg
    return _ordered(node, src, axis, _order(np.moveaxis(src[0][0], axis, -1), largest), want, k)


# --- indexed


def _gather(node: Node, src: list[Pair]) -> Pair:
    (x, r), (index, doubt) = src
    axis, n = node.arg, src[0][0].shape[node.arg]
    inside = (index >= 0) & (index < n)
    unknown = doubt != 0
    if n == 0:
        return np.zeros(index.shape, x.dtype), np.where(unknown, math.inf, 0.0)
    places: list[Array] = list(np.indices(index.shape, sparse=True))
    places[axis] = np.where(inside, index, 0).astype(np.int64)
    where = tuple(places)
    return np.where(inside, x[where], x.dtype.type(0)), np.where(
        unknown, math.inf, np.where(inside, r[where], 0.0)
    )


def _scatter(node: Node, src: list[Pair]) -> Pair:
    (x, r), (index, doubt), (updates, update_radius) = src
    axis, mode = node.arg
    value, radius = x.copy(), r.copy()
    if doubt.any():
        return value, np.full(value.shape, math.inf)
    grid = list(np.indices(index.shape))
    grid[axis] = index
    inside = ((index >= 0) & (index < x.shape[axis])).reshape(-1)
    where = tuple(part.reshape(-1)[inside] for part in grid)
    new, new_radius = updates.reshape(-1)[inside], update_radius.reshape(-1)[inside]
    if mode == "set":
        value[where], radius[where] = new, new_radius
        return value, radius
    if mode in ("max", "min"):
        _UFUNCS[mode].at(value, where, new)
        np.maximum.at(radius, where, new_radius)
        return value, radius
    _UFUNCS[mode].at(value, where, new)
    if not node.dtype.is_float:
        np.maximum.at(radius, where, new_radius)
        return value, radius
    return value, _scattered_radius(mode, (x, r), (new, new_radius), where, node.dtype)


def _scattered_radius(mode: str, old: Pair, new: Pair, where: tuple[Array, ...], dtype: DType) -> Array:
    """Each element is a sum or product of what was there and the updates that hit it."""
    (x, r), (updates, update_radius) = old, new
    size, count = np.abs(x), np.ones(x.shape)
    np.add.at(count, where, 1.0)
    moved, short = r != 0, is_short(x, dtype) if mode == "add" else x == np.rint(x)
    np.logical_or.at(moved, where, update_radius != 0)
    if mode == "add":
        total, spread = size, r.copy()
        np.add.at(total, where, np.abs(updates))
        np.add.at(spread, where, update_radius)
        np.logical_and.at(short, where, is_short(updates, dtype))
    else:
        total, reach, least = np.maximum(size, 1.0), size + r, size.copy()
        np.multiply.at(total, where, np.maximum(np.abs(updates), 1.0))
        np.multiply.at(reach, where, np.abs(updates) + update_radius)
        np.multiply.at(least, where, np.abs(updates))
        spread = reach - least
        np.logical_and.at(short, where, updates == np.rint(updates))
    radius = np.where(~moved & short & is_short(total, dtype), 0.0, spread + count * ulp(total, dtype))
    radius = np.where(~moved & ~np.isfinite(total), 0.0, np.where(total < largest(dtype), radius, math.inf))
    return np.where(count == 1, r, radius)


COLLECTIVE: Final[dict[Op, Callable[[Node, list[Pair]], Pair]]] = {
    Op.RESHAPE: _moved(lambda x, arg: x.reshape(arg)),
    Op.PERMUTE: _moved(lambda x, arg: x.transpose(arg)),
    Op.EXPAND: _moved(lambda x, arg: np.broadcast_to(x, arg)),
    Op.PAD: _moved(lambda x, arg: np.pad(x, arg) if arg else x),
    Op.SLICE: _moved(_slice),
    Op.WINDOW: _moved(_window),
    Op.CONTIGUOUS: _moved(lambda x, _: x),
    Op.CAT: _cat,
    Op.REDUCE: _reduce,
    Op.SCAN: _scan,
    Op.TOPK: _topk,
    Op.SORT: _sort,
    Op.GATHER: _gather,
    Op.SCATTER: _scatter,
    Op.UPDATE: _update,
    Op.ASSIGN: lambda node, src: src[0],
}
