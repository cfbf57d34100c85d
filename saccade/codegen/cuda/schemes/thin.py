"""Products with few rows or few columns: what a thread reads of the large factor meets all of the small one.

    out[n, j] = sum over k of A[n, k] * B[k, j]         j < 16: 16 sums in registers for each element of A

Such a product reads its large factor once from memory, which is all the time it takes, if every element that
arrives is used for all its results at once. Where the large factor runs along k, a warp has a few rows, its
lanes parts of the sum; where it runs across, every thread has a few columns, and goes along k by itself. It
does so with a row too, where rows are many and too short for a warp. The loops of the small factor are
written out (`UNROLL`), so are a few steps of k: all of these loads are on their way together.

The gradient by the weights of a depthwise convolution is one as well. Its large factor is the slopes, and
the few results of each are the places of a window: lanes read runs of slopes, and of the input at all places.

Tensor cores do the same faster for the types they take; see `templates.product`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Final

from ....graph.kernels import kernel as terms
from ....graph.kernels.kernel import LOOP, UNROLL, Kernel, range_size
from ....graph.monoid import ADD
from ....graph.node import Node, below_casts, index_const, make, own_ranges
from ....graph.ops import Op
from ....graph.rules.symbolic import coefficient_of, simplify
from ...linear.gpu.code import GRID, TEAM, THREAD, WARP
from ...moves.analysis import lone_store, lone_sum, times
from .groups import in_groups
from .layout import Numbers, clamped, digits, is_aligned, spread_over
from .shape import ENOUGH, Shape, both, guarded, length_of

#: results of the small factor for each element of the large one
MOST_THIN: Final = 16
#: sums a thread holds
MOST_SUMS: Final = 64
#: sums of a lane that has parts of rows: more where these come in vectors. On an H200, microseconds by the
#: rows of a warp, 1, 2, 4 and 8: 32768 x 512 x 10 in vectors 105, 59, 36, 30; 26665 x 777 x 10 64, 49, 45,
#: 49; 26665 x 777 x 3 31, 32, 37, 29; 2665 x 777 x 16 23, 18, 19, 25
MOST_OF_ROWS: Final = (40, 80)
#: multiplications of a product that is worth it
LEAST: Final = 1 << 20
#: rows shorter than this are one thread's work, where there are enough of them
SHORT_ROW: Final = 64
#: rows that keep all warps busy, and warps of a block
ENOUGH_ROWS: Final = 2048
#: the same where each is a sum for every place of a window, and many loads of a lane are on their way
ENOUGH_WINDOWED: Final = 256
WARPS: Final = 4
#: sums of a thread whose neighbours share windows, and the longest of these
MOST_DOWN: Final = 32
MOST_WINDOW: Final = 8
#: results of an element of the large factor that are so few that reading it is all the time
FEW_SUMS: Final = 8
#: threads of a block that has columns
THREADS: Final = 128
#: steps of k that are written out, twice as many where they leave registers
STEPS: Final = 4

#: bytes of the large factor that all threads have on their way: twice what 4.3 TB/s takes, as no thread asks
#: for more before they are there; and elements of the small factor that a thread meets them with
BYTES_AHEAD: Final = 1 << 23
MOST_AHEAD: Final = 64


@dataclass(frozen=True)
class Thin:
    """A product whose `large` factor is loaded for results over `big` loops; those over `thin` share it."""

    store: Node
    fold: Node
    large: Node
    big: tuple[Node, ...]
    thin: tuple[Node, ...]

    @property
    def slides(self) -> bool:
        """Does the other factor follow all loops, as windows that overlap do? Rows share nothing of it."""
        loops = {*self.big, *self.thin}
        loads = [n for n in self.fold.src[0].toposort() if n.op is Op.LOAD]
        return bool(self.thin) and any(n.ranges >= loops for n in loads)


@dataclass(frozen=True)
class Window:
    """A loop of results, and the one of their sum along which neighbours read the same: at y + i, as those of
    a convolution."""

    loop: Node
    along: Node


def thin_of(kernel: Kernel) -> Thin | None:
    """The kernel as a thin product, if it is one and large enough."""
    kernel = in_groups(kernel)
    store, fold = lone_store(kernel), lone_sum(kernel)
    if store is None or fold is None:
        return None
    if any(r.src[0].op is not Op.CONST or r.arg.kind != LOOP for r in store.toposort() if r.op is Op.RANGE):
        return None
    body = below_casts(fold.src[0])
    if body.op is not Op.MUL or fold.ranges != set(kernel.order):
        return None
    loads = [n for n in body.toposort() if n.op is Op.LOAD and n.src[0].op is Op.PARAM]
    own = set(own_ranges(fold))
    large = _large_of(kernel, loads, own)
    if large is None or not own <= large.ranges:
        return None
    big = tuple(r for r in kernel.order if r in large.ranges)
    thin = tuple(r for r in kernel.order if r not in large.ranges)
    if not big or prod(map(range_size, (*big, *thin, *own))) < LEAST:
        return None
    found = Thin(store, fold, large, big, thin)
    return found if _few(kernel, large) <= (MOST_SUMS if found.slides else MOST_THIN) else None


def _large_of(kernel: Kernel, loads: list[Node], own: set[Node]) -> Node | None:
    """The load of the large factor, that of most elements. One that follows all loops and reads each element
    again is of windows: the sums of a few of them share what they meet, and that is the large factor."""
    large = max(loads, key=times, default=None)
    if large is None or not large.ranges >= set(kernel.order) or times(large) <= large.src[0].arg.size:
        return large
    others = [n for n in loads if own <= n.ranges and 1 < _few(kernel, n) <= MOST_SUMS]
    return max(others, key=times, default=large)


def _few(kernel: Kernel, large: Node) -> int:
    """Results of each element of a factor."""
    return prod(range_size(r) for r in kernel.order if r not in large.ranges)


def thin_shape(kernel: Kernel) -> Shape | None:
    """The kernel with its loops bound as a thin product, if it is one."""
    kernel = in_groups(kernel)
    thin = thin_of(kernel)
    if thin is None:
        return None
    last = own_ranges(thin.fold)[-1]
    across = next((r for r in thin.big if coefficient_of(thin.large.src[1], r) == 1), None)
    if coefficient_of(thin.large.src[1], last) == 1 and thin.thin:
        if thin.slides:
            return _by_rows(kernel, thin, last)
        many = prod(map(range_size, thin.big)) >= ENOUGH
        if many and across is not None:  # windows
            return _by_columns(kernel, thin, across)
        short = length_of(thin.fold) < SHORT_ROW and many
        return _by_columns(kernel, thin, thin.big[-1]) if short else _by_rows(kernel, thin, last)
    return None if across is None else _by_columns(kernel, thin, across)


def _by_rows(kernel: Kernel, thin: Thin, last: Node) -> Shape | None:
    """A warp has a few rows of the large factor, a lane every 32nd vector of them."""
    count = prod(map(range_size, thin.big))
    if count < (ENOUGH_WINDOWED if thin.slides else ENOUGH_ROWS):
        return None
    numbers = Numbers(kernel)
    few = {r: numbers.axis(UNROLL, range_size(r), "thin", r) for r in thin.thin}
    sums = prod(map(range_size, thin.thin))
    width = 1 if thin.slides else 16 // thin.large.dtype.itemsize
    while width > 1 and (range_size(last) % width or not is_aligned(thin.large, last, width)):
        width //= 2
    # the last warp may have fewer: its row is read again, and not stored
    most = MOST_OF_ROWS[width > 1] // sums
    each = next((n for n in (8, 4, 2) if n <= most and count >= n * ENOUGH_ROWS // 2), 1)
    each = 1 if thin.slides else each
    own = own_ranges(thin.fold)
    # single words of several steps are on their way together: 2665 x 777 x 16 17.9 -> 14.0 us, 26665 x 777 x
    # 10 45.5 -> 41.9; vectors gain nothing
    in_flight = STEPS if width == 1 and each <= STEPS and sums <= MOST_THIN else 1
    layout = spread_over(numbers, tuple(map(range_size, own)), width, WARP, False, in_flight)
    teams = -(-count // each)
    blocks = -(-teams // WARPS)
    u = numbers.axis(UNROLL, each, "row") if each > 1 else index_const(0)
    row = (numbers.axis(GRID, blocks) * WARPS + numbers.axis(TEAM, WARPS)) * each + u
    row, inside = clamped(row, count, blocks * WARPS * each)
    valid = both(numbers.axis(THREAD, WARP).eq(0), inside)
    rows = digits(thin.big, simplify(row))
    body = simplify(thin.fold.src[0].substitute(layout.digits(own)))
    if layout.valid is not None:
        body = layout.valid.where(body, make(Op.CONST, body.dtype, (), 0.0 if body.dtype.is_float else 0))
    fold = terms.fold(ADD, (body,), layout.ranges)
    return _bound(kernel, thin, fold, rows | few, valid, WARP)


def _by_columns(kernel: Kernel, thin: Thin, across: Node) -> Shape | None:
    """A thread has a few neighbouring columns of the large factor, and all of their rows."""
    numbers = Numbers(kernel)
    few = {r: numbers.axis(UNROLL, range_size(r), "thin", r) for r in thin.thin}
    sums = prod(map(range_size, thin.thin))
    width = 16 // thin.large.dtype.itemsize if coefficient_of(thin.large.src[1], across) == 1 else 1
    while width > 1 and (
        range_size(across) % width or width * sums > MOST_SUMS or not is_aligned(thin.large, across, width)
    ):
        width //= 2
    # more threads with less each, where they are few: all they read is on its way from memory
    long = range_size(across) >= WARP * width
    while long and width > 1 and sums <= FEW_SUMS and prod(map(range_size, thin.big)) // width < ENOUGH:
        width //= 2
    others = tuple(r for r in thin.big if r is not across)
    v = numbers.axis(UNROLL, width, "v") if width > 1 else None
    points = prod(map(range_size, thin.big)) // width
    window = _window_down(thin, others)
    each = _down(window.loop, points, sums * width) if window is not None else 1
    if window is None or each == 1:
        runs, window = others, None
    else:
        run = numbers.axis(LOOP, -(-range_size(window.loop) // each), "run")
        runs = tuple(run if r is window.loop else r for r in others)
    count = prod(map(range_size, (*runs, across))) // width
    blocks = -(-count // THREADS)
    block = numbers.axis(GRID, blocks) if blocks > 1 else index_const(0)
    place, valid = clamped(block * THREADS + numbers.axis(THREAD, THREADS), count, blocks * THREADS)
    columns = digits((*runs, across), simplify(place), width, v)
    unrolled: dict[Node, Node] = {}
    if window is not None:
        # the last run of a column overlaps the one before, and stores what that has not
        first, size = columns.pop(run) * each, range_size(window.loop)
        columns[window.loop] = simplify(first.minimum(size - each) + numbers.axis(UNROLL, each, "down"))
        if size % each:
            valid = both(valid, simplify(first < columns[window.loop] + 1))
        unrolled[window.along] = numbers.axis(UNROLL, range_size(window.along), "window")
    *outer, last = [unrolled.get(r, r) for r in own_ranges(thin.fold)]
    ranges, whole = (*outer, last), last
    if last.arg.kind == LOOP:
        wanted = (2 * STEPS, STEPS) if sums * width * each <= 2 * STEPS else (STEPS,)
        if each == 1 and sums <= FEW_SUMS:
            ahead = -(-BYTES_AHEAD // (count * width * thin.large.dtype.itemsize))
            wanted = (*range(min(ahead, MOST_AHEAD // sums), wanted[0], -1), *wanted)
        few_steps = range_size(last) <= STEPS
        steps = range_size(last) if few_steps else next((n for n in wanted if range_size(last) % n == 0), 1)
        k = numbers.axis(LOOP, range_size(last) // steps, "k")
        ranges, whole = (*outer, k), k
        if steps > 1:
            step = numbers.axis(UNROLL, steps, "step")
            ranges, whole = (*outer, k, step), k * steps + step
    mapping = unrolled | {own_ranges(thin.fold)[-1]: whole}
    body = simplify(thin.fold.src[0].substitute(mapping))
    return _bound(kernel, thin, terms.fold(ADD, (body,), ranges), columns | few, valid, THREADS)


def _window_down(thin: Thin, loops: tuple[Node, ...]) -> Window | None:
    """The loop of the large factor whose neighbours share the most of what they read."""
    found: list[Window] = []
    for along in own_ranges(thin.fold):
        near = coefficient_of(thin.large.src[1], along)
        for r in loops:
            far = coefficient_of(thin.large.src[1], r)
            if near and far and far % near == 0 and far // near < range_size(along) <= MOST_WINDOW:
                found.append(Window(r, along))
    return max(found, key=lambda w: range_size(w.along), default=None)


def _down(r: Node, points: int, sums: int) -> int:
    """How many neighbours along a loop a thread has: as many as registers hold, if enough threads are left
    and the last run of a column hardly overlaps."""
    size = range_size(r)
    for each in (8, 4, 2):
        runs = -(-size // each)
        fits = each <= size and sums * each <= MOST_DOWN
        if fits and runs * each <= 1.3 * size and points // size * runs >= ENOUGH:
            return each
    return 1


def _bound(
    kernel: Kernel, thin: Thin, fold: Node, mapping: dict[Node, Node], valid: Node | None, team: int
) -> Shape:
    sink = simplify(guarded(kernel.sink.substitute({thin.fold: fold}).substitute(mapping), valid))
    used = set(sink.toposort())
    places = [
        r for r in sorted(used, key=lambda n: n.arg.number if n.op is Op.RANGE else 0) if r.op is Op.RANGE
    ]
    order = tuple(r for r in places if r.arg.kind in (GRID, TEAM, THREAD, UNROLL) and r in sink.src[0].ranges)
    return Shape(replace(kernel, sink=sink, order=order), team)
