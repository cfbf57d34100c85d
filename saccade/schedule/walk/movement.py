"""How a movement op changes indices: from a place in its output to the place in its source.

There are no views. `source_indices(node, (i, j))` says which element of the source the element (i, j) of a
RESHAPE, PERMUTE, EXPAND, PAD, SLICE or WINDOW is, and under which condition it exists (padding):

    PERMUTE (1, 0):   (i, j) -> (j, i)
    PAD ((1, 1),):    (i,)   -> (i - 1,)  where 0 <= i - 1 < n
    RESHAPE (6,) of (2, 3):  (i,) -> (i // 3, i % 3)
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from ...graph import dtypes
from ...graph.node import Node, Shape, const, index_const, is_const, make
from ...graph.ops import ELEMENTWISE, MOVEMENT, Op
from ...graph.param import Rows
from ...graph.rules.symbolic import bounds, simplify

Indices = tuple[Node, ...]
Slices = tuple[tuple[int | Node, int, int], ...]

#: places that are worked out once, though a schedule may be walked several times (`forms`): 0.42 -> 0.37 s
#: for ResNet-18 on a GPU
_REMEMBERED: Final = 4096
#: of arithmetic that places of a gather are moved through. A binary search reads the place before three times
#: at each of its levels: with 20,000 numbers that were 3 ** 15 ways down
_MOST_OPERATIONS: Final = 128


@lru_cache(maxsize=_REMEMBERED)
def source_indices(node: Node, indices: Indices) -> tuple[Indices, Node | None]:
    """Indices into `node.src[0]`, and the condition under which they are inside it (None: always)."""
    if node.op is Op.RESHAPE:
        if (rows := rows_below(node)) is not None:
            return (place_in_rows(reshape_indices(indices, node.shape, rows.shape), rows)[0],), None
        return reshape_indices(indices, node.shape, node.src[0].shape), None
    if node.op is Op.PERMUTE:
        inverse = [0] * len(node.arg)
        for position, axis in enumerate(node.arg):
            inverse[axis] = position
        return tuple(indices[position] for position in inverse), None
    if node.op is Op.EXPAND:
        source = node.src[0].shape
        return tuple(ZERO if n == 1 else i for n, i in zip(source, indices, strict=True)), None
    if node.op is Op.SLICE:
        return slice_indices(node.arg, indices), None
    if node.op is Op.WINDOW:
        axis, _, _, stride, dilation = node.arg
        inner = simplify(indices[axis] * stride + indices[axis + 1] * dilation)
        return (*indices[:axis], inner, *indices[axis + 2 :]), None
    assert node.op is Op.PAD, node
    return _pad_indices(node, indices)


def reductions_at(node: Node, indices: Indices, most: float = float("inf")) -> Iterator[tuple[Node, Indices]]:
    """The reductions that an element of a node is computed from directly, each with its place. Where it is
    computed by more than `most` operations, those that are left stand for what is below them."""
    waiting, seen = [(node, indices)], {node}
    while waiting:
        below, at = waiting.pop()
        if below.op is Op.REDUCE or below.op is Op.TOPK or len(seen) > most:
            yield below, at
            continue
        if below.op in MOVEMENT:
            at, _ = source_indices(below, at)
        elif below.op not in ELEMENTWISE:
            continue
        new = [s for s in dict.fromkeys(below.src) if s not in seen]
        seen.update(new)
        waiting += [(source, at) for source in new]


def slice_indices(slices: Slices, indices: Indices) -> Indices:
    """Where the elements of a slice are; a start may be a runtime value."""
    pairs = zip(indices, slices, strict=True)
    return tuple([simplify(index * step + start) for index, (start, _, step) in pairs])


def _pad_indices(node: Node, indices: Indices) -> tuple[Indices, Node | None]:
    moved, valid = [], None
    for index, (before, after), n in zip(indices, node.arg, node.src[0].shape, strict=True):
        shifted = simplify(index - before) if before else index
        moved.append(shifted)
        if before or after:
            inside = simplify((shifted >= 0) & (shifted < n))
            valid = inside if valid is None else simplify(valid & inside)
    return tuple(moved), valid


def update_indices(node: Node, indices: Indices) -> tuple[Indices, Node | None]:
    """Of a place in an UPDATE: the place in the part, and the condition under which it is there (None:
    always)."""
    moved, valid = [], None
    for index, (start, length, step), n in zip(indices, node.arg, node.shape, strict=True):
        if (start, length, step) == (0, n, 1):
            moved.append(index)
            continue
        away = simplify(index - start if step > 0 else start - index)
        place = away if abs(step) == 1 else simplify(away // abs(step))
        inside = (away >= 0) & (place < length)
        if abs(step) != 1:
            inside = inside & (away % abs(step)).eq(0)
        moved.append(ZERO if length == 1 else place)
        valid = simplify(inside if valid is None else valid & inside)
    return tuple(moved), valid


@lru_cache(maxsize=_REMEMBERED)
def flatten(indices: Indices, shape: Shape) -> Node:
    """The row-major position of `indices` in an array of `shape`."""
    total, stride = ZERO, 1
    for index, n in zip(reversed(indices), reversed(shape), strict=True):
        total = index * stride + total
        stride *= n
    return simplify(total)


def place_in_rows(indices: Indices, rows: Rows) -> tuple[Node, Node]:
    """Where an element lies in memory without gaps, and whether it is there."""
    place, stride, inside = ZERO, index_const(1), const(True, dtypes.bool_)
    for i, n, count in zip(reversed(indices), reversed(rows.shape), reversed(rows.counts), strict=True):
        place, stride = place + i * stride, stride * count
        inside = inside if is_const(count) and count.arg == n else inside & (i < count)
    return simplify(place), simplify(inside)


def rows_below(node: Node) -> Rows | None:
    """How the memory lies that a RESHAPE gives its shape, if not as in any array."""
    source = node.src[0] if node.op is Op.RESHAPE else node
    found: Rows | None = source.arg.rows if source.op is Op.PARAM else None
    return found


@lru_cache(maxsize=_REMEMBERED)
def reshape_indices(indices: Indices, shape: Shape, source: Shape) -> Indices:
    """Indices into `source` for indices into `shape`, an array of as many elements.

    Both shapes are walked from the right in the smallest groups of axes with equal products, so an axis that
    both have passes through untouched, merged axes are sums, and only split ones need // and %.
    """
    if 0 in shape:
        return (ZERO,) * len(source)
    result: list[Node] = []
    a, b = len(shape), len(source)
    while a or b:
        a_end, b_end = a, b
        size_a = size_b = 1
        if a:
            a -= 1
            size_a = shape[a]
        if b and (size_a > 1 or not a_end):
            b -= 1
            size_b = source[b]
        while size_a != size_b:
            if size_a < size_b:
                a -= 1
                size_a *= shape[a]
            else:
                b -= 1
                size_b *= source[b]
        result = _regroup(indices[a:a_end], shape[a:a_end], source[b:b_end]) + result
    return tuple(result)


def _regroup(indices: Indices, shape: Shape, source: Shape) -> list[Node]:
    if not source:
        return []
    flat = indices[0] if len(indices) == 1 else flatten(indices, shape)
    result, below = [], 1
    for position, n in enumerate(reversed(source)):
        part = flat // below if below > 1 else flat
        is_first = position == len(source) - 1
        result.append(ZERO if n == 1 else simplify(part if is_first else part % n))
        below *= n
    return result[::-1]


ZERO = index_const(0)


def place_at(node: Node, indices: Indices) -> Node | None:
    """An element of a tensor of integers that is made of places and constants alone, by few operations, as an
    expression; None of others. A gather there is movement, as a roll is:

        (iota(8) + 3) % 8 at (i,)  ->  (i + 3) % 8
    """
    return _place_at(node, indices, {})


def _place_at(node: Node, indices: Indices, known: dict[tuple[Node, Indices], Node | None]) -> Node | None:
    key = (node, indices)
    if key in known or len(known) >= _MOST_OPERATIONS:
        return known.get(key)
    known[key] = found = None
    if node.dtype.is_float or node.dtype.is_complex:
        return None
    if node.op is Op.CONST:
        found = node
    elif node.op is Op.IOTA:
        found = indices[0]
    elif node.op in MOVEMENT and node.op is not Op.PAD:
        found = _place_at(node.src[0], source_indices(node, indices)[0], known)
    elif node.op in ELEMENTWISE:
        sources = []
        for each in node.src:
            source = _place_at(each, indices, known)
            if source is None:
                return None
            sources.append(source)
        found = simplify(make(node.op, node.dtype, tuple(sources), node.arg))
    else:
        return None
    known[key] = found
    return found


def is_wider(valid: Node, indices: Indices, shape: Shape) -> bool:
    """Does a mask depend on loops that the indices do not, and are these inside without it?"""
    free = frozenset().union(*(i.ranges for i in indices))
    if valid.ranges <= free:
        return False
    return all(low >= 0 and high < n for (low, high), n in zip(map(bounds, indices), shape, strict=True))


def forget_places() -> None:
    """Let go of what was worked out: the nodes of other graphs are not met again."""
    for remembers in (source_indices, flatten, reshape_indices):
        remembers.cache_clear()
