"""Reductions down long columns: each step goes along a row, and the results stay in the nearest cache.

    out[p, j] = FOLD(add, a[p, k, j], k)    ->    for p: { for k, by fours: { for j: tile[j] += a[p, k, j] } }

Walking down a few columns of a large matrix touches another page of memory at every step, and the tables that
find pages hold only so many. Along rows memory is read from its beginning to its end. A few rows times a
matrix are the same with several results for each element that is read: those of one column in registers.
What each row is multiplied with may be computed (x.T @ (x @ w - y)), and every element changed on its way
(exp(x - its column's maximum)): the row's part once for all of it, the column's part as it is read.
A vector times a matrix of 4096 x 4096 takes 2.6 ms of two threads, as long as reading it; down its columns
it took 5.3. One thread of a Neoverse N1, a matrix of 3,333 x 333: 205 us, down its columns 560.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...graph.kernels.kernel import LOOP, UNROLL, VECTOR, Kernel, range_size
from ...graph.node import Node, own_ranges
from ...graph.ops import TRANSCENDENTAL, Op
from ...graph.rules.symbolic import coefficient_of
from ...runtime.cpu.machine import host_registers
from ..linear.addressing.fetch import lie_apart
from ..moves.analysis import direct_loads, find_range, is_in_place
from ..moves.moves import OUTSIDE, Accumulate, Bind, Order, Split, operands, step
from ..moves.ordered import sequential_axes
from ..moves.tile_values import without_light_tiles

#: bytes of results a thread keeps: of whole rows as much as the nearest cache has; of parts of them a
#: quarter, so that the rows that are read for all results stay there too
ROW_TILE, TILE = 64 * 1024, 16 * 1024
#: rows of the matrix that are read at a time, the best first. With one result for each element, a Neoverse N1
#: follows two streams that are fetched ahead better than four: 333 columns of 3,333 rows took 169 and 202 us,
#: one row at a time 205. Several results are loaded and stored more often so: 16 of 1,024 x 1,024 took 1.7
#: and 1.3 ms
ROWS, LONE_ROWS = (4, 3, 5, 2), (2, 3, 4, 5)
#: the least bytes of a row that meets more than a few results: tiles of registers do as well with shorter
#: ones (16 results of 777 x 333: 0.32 ms, 0.58 along rows; 10 of 4,096 x 256: 2.3 and 0.87)
FEW_RESULTS, ROW_BYTES = 12, 2048
#: the same where what is made of an element takes longer than to load and store its sum, or sums are of 64
#: bits, which down narrow columns leave no room in registers (variance of 16,384 x 256 19 -> 5 ms)
NARROW_BYTES = 128
#: operations of an element that take longer than to load and store it
HEAVY = TRANSCENDENTAL | {Op.DIV, Op.SQRT, Op.RECIP}
#: the least memory a fold goes down
LEAST_BYTES = 3 << 15
#: vectors of sums in registers at least: an addition takes four cycles, and two begin in each
LEAST_SUMS = 8
#: results for each element of the matrix, where lone factors come out of registers and where each is a load:
#: there tiles of registers take more rows (1,024 x 1,089 on one thread of a Cascade Lake: 16 results 0.75 ms
#: along rows and 1.07 in tiles, 20 of 250 x 777 206 and 121 us, 29 of 33 x 3,001 237 and 115). Tiles
#: that read a matrix as it lies are faster with fewer, too (5 and 16 results of 256 x 1,024 61 and 165 us
#: along rows, 52 and 92 in tiles; 4 of them 48 and 51), unless it has so many bytes that it comes from memory
#: (8 of 1,777 x 3,333 2.6 and 3.4 ms, 12 of 4,096 x 4,097 12.1 and 14.1, 16 16.6 and 15.0)
MOST_RESULTS_BY_LANE, MOST_RESULTS, MOST_AS_IT_LIES = 32, 16, 4
FROM_MEMORY = 16 << 20


@dataclass(frozen=True)
class Columns:
    """A fold down `down` of what lies side by side along `along`; `again` are the rows of another factor that
    every element is multiplied with."""

    fold: Node
    down: Node
    along: Node
    again: Node | None

    @property
    def results(self) -> int:
        return range_size(self.again) if self.again is not None else 1


@dataclass(frozen=True)
class Tile:
    """`columns` of every result are kept in cache, of which `results` times `lanes` in registers."""

    results: int
    lanes: int
    columns: int


def accumulate_columns(kernel: Kernel) -> Kernel:
    """The kernel with its results in a tile, if it is one reduction down columns."""
    # what a row meets is computed once for it where it does not depend on the column: it needs no tile
    before, kernel = kernel, without_light_tiles(kernel)
    found = columns_of(kernel)
    if found is None:
        return before
    tile = _shape(found)
    down, fold, along = found.down, found.down.arg.number, found.along.arg.number
    at_once = LONE_ROWS if host_registers().by_lane and found.results == 1 else ROWS
    rows = next((n for n in at_once if range_size(down) % n == 0 and range_size(down) > n), 1)
    inner = [found.again] if found.again is not None else []
    outer = [r for r in kernel.order if r is not found.along and r not in inner]
    if tile.columns < range_size(found.along):
        first = kernel.next_axis()
        kernel = step(kernel, Split(along, tile.columns))
        outer = [*outer, find_range(kernel, first)]
        along = first + 1
    kernel = step(kernel, Order(tuple([r.arg.number for r in outer + inner] + [along])))
    # registers first: where the last of them overlap those before, both have places of their own in the tile
    overlaps = found.results % tile.results > 0
    if overlaps:
        kernel = step(kernel, Split(inner[0].arg.number, tile.results, UNROLL))
    kernel = step(kernel, Split(along, tile.lanes, VECTOR))
    made = kernel.next_axis()
    kernel = step(kernel, Accumulate(fold, outer[-1].arg.number if outer else OUTSIDE))
    (held,) = (n for n in kernel.nodes if n.op is Op.STAGE)
    *_, results, lanes = (0, *[r.arg.number for r in own_ranges(held)])
    kernel = step(kernel, Bind(lanes, VECTOR))
    if overlaps:
        kernel = step(kernel, Bind(results, UNROLL))
    elif tile.results > 1:
        kernel = step(kernel, Split(made, tile.results, UNROLL))
    return kernel if rows == 1 else step(kernel, Split(fold, rows, UNROLL))


def columns_of(kernel: Kernel) -> Columns | None:
    """The reduction down columns that a kernel is, if it is one."""
    folds = [n for n in kernel.nodes if n.op is Op.FOLD]
    if len(folds) != 1 or not kernel.order or any(len(s.src) != 3 for s in kernel.sink.src):
        return None
    (fold,), own = folds, own_ranges(folds[0])
    loops = (*kernel.order, *own)
    if len(own) != 1 or fold.arg.width > 1 or any(r.arg.kind != LOOP for r in loops):
        return None
    if any(r.src[0].op is not Op.CONST for r in loops) or fold.dtype.itemsize not in (4, 8):
        return None
    if is_in_place(kernel) or sequential_axes(kernel) or any(n.op is Op.STAGE for n in kernel.nodes):
        return None
    narrow = fold.dtype.itemsize > 4 or any(n.op in HEAVY for n in fold.src[0].toposort())
    found = (_down(kernel, fold, own[0], along, narrow) for along in kernel.order)
    return next((c for c in found if c is not None), None)


def _down(kernel: Kernel, fold: Node, down: Node, along: Node, narrow: bool) -> Columns | None:
    """Are columns neighbours in memory and rows far apart, in all that changes with both?"""
    loads = [n for n in direct_loads(fold.src[:1]) if n.src[0].op is Op.PARAM]
    both = [n for n in loads if down in n.ranges and along in n.ranges]
    if not both or along not in fold.ranges:
        return None
    for load in both:
        stride, size = coefficient_of(load.src[1], down), load.dtype.itemsize
        if coefficient_of(load.src[1], along) != 1 or stride is None or len(load.src) != 2:
            return None
        if stride * size * range_size(down) < LEAST_BYTES:
            return None
    if any(along in load.ranges and load not in both and not _is_a_row(load, along) for load in loads):
        return None
    again = [r for r in kernel.order if r in fold.ranges and not any(r in load.ranges for load in both)]
    most = MOST_RESULTS_BY_LANE if host_registers().by_lane else MOST_RESULTS
    if all(load in operands(fold) and lie_apart(load, (down,)) for load in both):
        whole = max(kernel.params[load.src[0].arg.slot][1] * load.dtype.itemsize for load in both)
        most = FEW_RESULTS if whole > FROM_MEMORY else MOST_AS_IT_LIES
    if len(again) > 1 or any(range_size(r) > most for r in again):
        return None
    if not set(kernel.order) <= fold.ranges:
        return None
    found = Columns(fold, down, along, again[0] if again else None)
    least = NARROW_BYTES if narrow else _sums_bytes() + 1
    least = least if found.results <= FEW_RESULTS else ROW_BYTES
    rows = [(coefficient_of(load.src[1], down) or 0) * load.dtype.itemsize for load in both]
    return found if min(rows) >= least else None


def _is_a_row(load: Node, along: Node) -> bool:
    """Is it a number of each column, which lie side by side?"""
    return coefficient_of(load.src[1], along) == 1


def _in_registers(results: int) -> tuple[int, int]:
    """How many results, and vectors of each, fit the registers: as many as divide them, unless those are too
    few, as of 17 rows."""
    count = host_registers().count
    fit = [(n, v) for n in range(1, results + 1) for v in (1, 2, 4) if n * v + n + v < count]
    whole = max((t for t in fit if results % t[0] == 0), key=lambda t: (t[0] * t[1], t[0]))
    if results == 1 or whole[0] * whole[1] >= LEAST_SUMS:
        return whole
    # what is computed twice counts as less in registers
    return max((t for t in fit if t[1] <= 2), key=lambda t: t[1] * results / -(-results // t[0]))


def _sums_bytes() -> int:
    """Bytes of sums that stay in registers: rows no longer than these go by in one pass without a tile."""
    registers = host_registers()
    return registers.bytes * registers.count // 2


def _shape(found: Columns) -> Tile:
    """Results and lanes that fit the registers: with them the factors of each result, one register of
    neighbours, and what is read. Columns in one tile, or in equal ones that fit the cache; the last may
    overlap the one before and do a little twice."""
    registers, columns = host_registers(), range_size(found.along)
    widest = max(n.dtype.itemsize for n in (found.fold, *direct_loads(found.fold.src[:1])))
    results, vectors = _in_registers(found.results)
    each = found.results * found.fold.dtype.itemsize
    lanes = vectors * max(registers.bytes // widest, 1)
    if columns * each <= ROW_TILE:
        return Tile(results, lanes, columns)
    most = max((ROW_TILE if found.results == 1 else TILE) // each, lanes)
    parts = -(-columns // most)
    return Tile(results, lanes, -(-columns // (parts * lanes)) * lanes)
