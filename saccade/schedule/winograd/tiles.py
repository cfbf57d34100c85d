"""Convolutions of float32 in tiles: Winograd's minimal filtering, F(m x m, r x r).

    out[n, o, i, j] = sum over c, y, x of in[n, c, i + y, j + x] * w[o, c, y, x]
        ->  U[p, c, o]  weights at the points p of a tile          V[p, c, t]  tiles of the input there
            M[p, o, t] = sum over c of U[p, c, o] * V[p, c, t]     out: m x m results of each tile t from M

A tile of m x m results has (m + r - 1)^2 points, and so many products instead of m^2 r^2: F(4 x 4, 3 x 3)
multiplies a quarter. That makes four kernels: two transforms that read and write once (a thread has a whole
tile in registers), a batched product, and the way back, where bias, norm and activation of the graph are
computed as well. Tiles at the ends reach beyond the input and meet zeros there; padding is zeros too, so
nothing is copied to be padded. Whether it pays is estimated (`estimate.py`).

Any number of axes with windows, windows of different sizes, and any order of axes: what counts is how the
places in the input go along loops. The gradient by the input is such a convolution where it is written as
one.

Rounding. The transforms add and subtract numbers that are larger than the result. The error for 128 channels
of normal numbers, relative to the norm of the result, is 2.1e-7 as direct sums, and of

    F(2, 3) 3.5e-7    F(4, 3) 1.5e-6    F(6, 3) 4.4e-6    F(2, 5) 1.7e-6    F(3, 5) 3.6e-6    F(4, 5) 4.2e-6

along both axes. More than eight points an axis are not used. A NaN or an infinity in the input makes NaNs of
all results of the tiles that read it, not only of the windows it is in. Matrix units that round float32
(tf32) have larger errors, and are faster than this.
"""

from __future__ import annotations

from itertools import product as grid
from math import prod

from ...graph import dtypes
from ...graph.constants import everywhere
from ...graph.monoid import ADD
from ...graph.node import Node, Shape, const, make
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rewriting.rewrite import changed
from ...transform.terms import expanded, permuted, reduced, reshaped
from ..cost import Machine
from ..products.layout import makes_sums
from .convolution import Convolution, convolution_of, cut, of_a_part
from .cook_toom import applied, filtering
from .estimate import best_tile


@rewrite_pass("convolutions in tiles")
def convolutions_in_tiles(roots: tuple[Node, ...], machine: Machine) -> tuple[Node, ...]:
    """The same results, with the convolutions that gain from it as products of transformed tiles."""
    if not machine.filters_tiles:
        return roots
    parts = cut(roots)

    def change(made: Node, node: Node) -> Node:
        if node in parts:
            return made  # in its reader
        sums = of_a_part(made) if node.op is Op.SLICE and node.src[0] in parts else made
        convolution = convolution_of(sums)
        tile = None if convolution is None else best_tile(convolution.filter, machine)
        return made if convolution is None or tile is None else _in_tiles(convolution, tile)

    return changed(roots, change)


# --- the four steps


def _in_tiles(c: Convolution, tile: tuple[int, ...]) -> Node:
    """The results of a convolution by tiles of so many along each axis with a window."""
    sums = _multiplied(c, _weights(c, tile), _tiles(c, tile))
    return _results(c, tile, sums)


def _weights(c: Convolution, tile: tuple[int, ...]) -> Node:
    """U: (*points, *channels, *outputs)."""
    inner, windows = [a for _, a in c.channels], [s.along for s in c.spatial]
    kept = (*inner, *c.outputs)
    taps = {}
    for places in grid(*map(range, c.windows)):
        at = dict(zip(windows, places, strict=True))
        sizes = enumerate(c.product.shape)
        slices = tuple([(0, n, 1) if a in kept else (at.get(a, 0), 1, 1) for a, n in sizes])
        one = make(Op.SLICE, c.weight.dtype, (c.weight,), slices)
        order = (*kept, *[a for a in range(len(slices)) if a not in kept])
        taps[places] = reshaped(permuted(one, order), c.sizes(kept))
    matrices = [filtering(m, r).weights for m, r in zip(tile, c.windows, strict=True)]
    return _stored(_stacked(applied(taps, matrices)), "weights at the points of a tile")


def _tiles(c: Convolution, tile: tuple[int, ...]) -> Node:
    """V: (*points, *channels, *batch, *tiles)."""
    counts, windows = c.counts(tile), c.windows
    source = c.source
    below = source.src[0] if source.op is Op.PAD else source
    if makes_sums(below):  # each tile would compute them for itself
        below = _stored(below, "its tiles overlap")
    amounts = list(source.arg) if source.op is Op.PAD else [(0, 0)] * len(source.shape)
    for s, m, r, count in zip(c.spatial, tile, windows, counts, strict=True):
        more = s.first + count * m + r - 1 - source.shape[s.axis]
        amounts[s.axis] = (amounts[s.axis][0], amounts[s.axis][1] + max(more, 0))
    around = make(Op.PAD, source.dtype, (below,), tuple(amounts)) if any(map(any, amounts)) else below
    axes = (*[a for a, _ in c.channels], *[a for a, _ in c.batch], *[s.axis for s in c.spatial])
    order = (*axes, *[a for a in range(len(source.shape)) if a not in axes])
    shape = (*[around.shape[a] for a in axes[: -len(tile)]], *counts)
    points = {}
    for places in grid(*[range(m + r - 1) for m, r in zip(tile, windows, strict=True)]):
        slices = [(0, n, 1) for n in around.shape]
        for s, at, m, count in zip(c.spatial, places, tile, counts, strict=True):
            slices[s.axis] = (s.first + at, count, m)
        one = make(Op.SLICE, around.dtype, (around,), tuple(slices))
        points[places] = reshaped(permuted(one, order), shape)
    matrices = [filtering(m, r).tiles for m, r in zip(tile, windows, strict=True)]
    return _stored(_stacked(applied(points, matrices)), "tiles of the input at their points")


def _multiplied(c: Convolution, weights: Node, tiles: Node) -> Node:
    """M: (*points, *outputs, *batch, *tiles), by a product of flat axes: its rows are whole chunks then."""
    dims, inner = len(c.spatial), len(c.channels)
    points, results, places = tiles.shape[:dims], weights.shape[dims + inner :], tiles.shape[dims + inner :]
    p, k, m, n = prod(points), prod(tiles.shape[dims : dims + inner]), prod(results), prod(places)
    left = reshaped(permuted(reshaped(weights, (p, k, m)), (0, 2, 1)), (p, m, 1, k))
    right = reshaped(permuted(reshaped(tiles, (p, k, n)), (0, 2, 1)), (p, 1, n, k))
    whole = expanded(left, (p, m, n, k)).alu(Op.MUL, expanded(right, (p, m, n, k)))
    sums = _stored(reduced(whole, ADD, (3,)), "products at the points of tiles")
    return reshaped(sums, (*points, *results, *places))


def _results(c: Convolution, tile: tuple[int, ...], sums: Node) -> Node:
    """The results of the convolution, in its order of axes."""
    dims, counts = len(c.spatial), c.counts(tile)
    points = {}
    for places in grid(*map(range, sums.shape[:dims])):
        slices = (*[(place, 1, 1) for place in places], *[(0, n, 1) for n in sums.shape[dims:]])
        points[places] = reshaped(make(Op.SLICE, sums.dtype, (sums,), slices), sums.shape[dims:])
    matrices = [filtering(m, r).results for m, r in zip(tile, c.windows, strict=True)]
    made = _stacked(applied(points, matrices))  # (*tile, *outputs, *batch, *counts)
    lead = len(made.shape) - 2 * dims
    order = (*range(dims, dims + lead), *[a for d in range(dims) for a in (dims + lead + d, d)])
    rest = made.shape[dims : dims + lead]
    whole = (*rest, *[count * m for count, m in zip(counts, tile, strict=True)])
    joined = reshaped(permuted(made, order), whole)
    if whole != (*rest, *c.places):
        slices = tuple([(0, n, 1) for n in (*rest, *c.places)])
        joined = make(Op.SLICE, joined.dtype, (joined,), slices)
    axes = (*c.outputs, *[a for _, a in c.batch], *[s.places for s in c.spatial])
    turned = permuted(joined, tuple(sorted(range(len(axes)), key=axes.__getitem__)))
    return reshaped(turned, c.node.shape)


def _stored(node: Node, reason: str) -> Node:
    return make(Op.CONTIGUOUS, node.dtype, (node,), reason)


def _stacked(parts: dict[tuple[int, ...], Node]) -> Node:
    """Values by their places, as one with axes for the places in front: conditions on those axes choose, and
    code for all of them is written out (`part_axes` in `codegen/moves/analysis.py`)."""
    sizes = tuple(n + 1 for n in max(parts))
    shape = (*sizes, *next(iter(parts.values())).shape)
    chosen = {places: _spread(value, shape) for places, value in parts.items()}
    for axis in reversed(range(len(sizes))):
        place = _place(axis, shape)
        lines: dict[tuple[int, ...], list[Node]] = {}
        for places in sorted(chosen):
            lines.setdefault(places[:-1], []).append(chosen[places])
        chosen = {places: _chosen(line, place) for places, line in lines.items()}
    return chosen[()]


def _spread(value: Node, shape: Shape) -> Node:
    lead = len(shape) - len(value.shape)
    return expanded(reshaped(value, (*[1] * lead, *value.shape)), shape)


def _place(axis: int, shape: Shape) -> Node:
    """The number along an axis, for each element of a shape."""
    numbers = make(Op.IOTA, dtypes.int64, (), shape[axis])
    line = reshaped(numbers, tuple([n if a == axis else 1 for a, n in enumerate(shape)]))
    return expanded(line, shape)


def _chosen(line: list[Node], place: Node, first: int = 0) -> Node:
    """The value of a line at each place: a tree of conditions."""
    if len(line) == 1:
        return line[0]
    half = len(line) // 2
    low, high = _chosen(line[:half], place, first), _chosen(line[half:], place, first + half)
    limit = everywhere(const(first + half, dtypes.int64), place.shape)
    return place.alu(Op.LT, limit).alu(Op.WHERE, low, high)
