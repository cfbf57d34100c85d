"""The flat scheme: every thread has its own points of the output.

    Flat(threads=256, width=4, repeat=2)      out[((b * 2 + u) * 256 + t) * 4 + v] by thread t of block b

Maps, column sums, top-k with one thread a query: folds are each thread's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Final

from ....graph.kernels import kernel as terms
from ....graph.kernels.kernel import LOOP, UNROLL, Kernel, combines, range_size
from ....graph.node import Node, index_const, own_ranges
from ....graph.ops import ELEMENTWISE, TRANSCENDENTAL, Op
from ....graph.rules.sums import affine
from ....graph.rules.symbolic import simplify
from ...linear.gpu.code import GRID, QUEUE_STEPS, QUEUED_LENGTH, QUEUED_RESULTS, THREAD, WARP
from ...moves.analysis import part_axes
from ...moves.legal import IllegalMove
from ..search.moves import Flat
from .layout import Layout, Numbers, clamped, vector_width
from .shape import (
    ENOUGH,
    SHORT,
    SHORTEST,
    Shape,
    folds_of,
    guarded,
    length_of,
    masked,
    ordered,
    outer_folds,
    require_threads,
    tiles_of,
)

#: threads of a block
FLAT: Final = 256
#: maps of so many vectors have threads with two of them, in blocks of this size: two loads on their way, and
#: blocks that are soon over, so that little is left to wait for at the end. In a graph on an H200, against
#: one vector (below 2**22) or four in blocks of 256: 134.6 -> 128.3 us for a few operations on 67M float32,
#: 70.4 -> 65.4 on float16, 4.02 -> 3.53 on 2M float32, 4.60 -> 4.07 for the difference of two of those
MANY_VECTORS: Final = 1 << 18
PAIRED: Final = 128
#: with an exponential or the like for each of 16 bits, four: 983 -> 926 us for the slopes of 16,384 x 50,304
#: logits in bfloat16 on an H200, 62.2 -> 60.0 for gelu of 50M; of float32 two (sine and cosine 86 -> 78)
VERY_MANY: Final = 1 << 21
NARROW_VECTOR: Final = 8
#: points of a thread that takes one element of each, where there are so many, and loads and stores of one at
#: most: more of them are on their way without (points turned by quaternions on an H200: 203 us with four, 166
#: with one). A window that steps reads what is apart, and points share its weights (16,000 samples of 31 taps
#: at half the rate: 39 us with four, 108 with one of four neighbours)
SINGLES: Final = 4
MANY_SINGLES: Final = 1 << 22
MANY_WINDOWS: Final = 1 << 20
FEW_ACCESSES: Final = 8
#: threads of a block where every thread has reductions of its own
FLAT_LOOPS: Final = 128
#: the same where each ends at a number of its own: a block stays as long as its longest. Sums over the
#: neighbours of 154,000 points take 30.9 us instead of 31.2 on an H200, of 2.5 million 278 instead of 300
FLAT_RAGGED: Final = 64
#: so many threads with light reductions are at work at once, in blocks of a warp, which spread evenly over
#: the multiprocessors: 66.8 -> 60.9 us for column sums of 8192x8192 on an H200, 19.5 -> 17.6 for 64x256x1024
RESIDENT: Final = 1 << 17
#: elements that a search for the place of the best loads at a time, the first that divides its length
SEARCHED_STEPS: Final = (8, 4, 2)
#: full steps of a reduction whose last step is not, at least
FULL_STEPS: Final = 2
#: a loop of a thread's own up to this is written out, up to so many points of all such loops
SHORT_LOOP: Final = 32
WRITTEN_OUT: Final = 128
#: parts that a thread has vectors of, and elements of them together
FEW_PARTS: Final = 4
MOST_OF_PARTS: Final = 16
#: parts beyond which each of fewer threads has all of them, in smaller blocks: its registers are full
MANY_PARTS: Final = 16
#: elements of a window at most
WINDOW: Final = 64
#: floating-point operations of elements that are light
LIGHT: Final = 8


@dataclass(frozen=True)
class Spread:
    """The loops of the output in the flat scheme: those that threads share, and those each runs through."""

    folds: list[Node]
    fixed: set[Node]
    parallel: tuple[Node, ...]
    inner: tuple[Node, ...]

    @property
    def total(self) -> int:
        return prod(map(range_size, self.parallel))

    @property
    def points(self) -> int:
        """How many a thread has of what it writes out, as the parts of a stack."""
        return prod(map(range_size, self.inner))

    @property
    def scalar(self) -> bool:
        """Does a thread take one point at a time? The k best, its own loops and many parts have no lanes."""
        if any(not _is_light(f) for f in self.folds):
            return True
        written = len(_written_out(self.inner, self.fixed)) == len(self.inner) and not self.folds
        return bool(self.inner) and not (written and self.points <= FEW_PARTS)


def _is_light(fold: Node) -> bool:
    """Does a reduction keep one element, or one and its place?"""
    return fold.arg.width == 1 or fold.arg.kind in ("argmax", "argmin")


def _spread(kernel: Kernel) -> Spread:
    fixed = ordered(kernel)
    folds = [f for f in folds_of(kernel) if length_of(f) > 1]
    loops = _shared_loops(kernel, outer_folds(kernel, folds), fixed)
    short = all(length_of(f) <= SHORT for f in folds)
    parallel = _along([s for s in kernel.sink.src if short or combines(s)], loops)
    inner = tuple(r for r in kernel.order if r not in parallel)
    return Spread(folds, fixed, parallel, inner)


def _shared_loops(kernel: Kernel, folds: list[Node], fixed: set[Node]) -> tuple[Node, ...]:
    """The loops that threads share: those of every fold, so that no thread does what another does. Where
    they are few, those of some folds too, if the others are short enough to be done again: the parts of a
    `cat` that repeat its border would leave all the rest to one thread. What is written out anyway is
    always done again. Parts that were stacked are a thread's own, if enough threads are left."""
    free = [r for r in kernel.order if r not in fixed]
    parts = part_axes(kernel)
    count = prod(map(range_size, parts))
    # a thread that has one of many parts computes what all of them have in common
    least = ENOUGH if count <= MANY_PARTS else ENOUGH // count
    if parts and prod(range_size(r) for r in free if r not in parts) >= least:
        free = [r for r in free if r not in parts]
    common = tuple(r for r in free if all(r in f.ranges for f in folds))
    if prod(map(range_size, common)) >= ENOUGH:
        return common
    lacking = {r: [f for f in folds if r not in f.ranges] for r in free}
    again = tuple(r for r in free if all(length_of(f) < SHORTEST for f in lacking[r]))
    few = tuple(
        r for r in free if all(map(_is_tiny, lacking[r])) or (r in again and len(lacking[r]) < len(folds))
    )
    # a short sum that no loop is in, or few, is done again by every thread rather than leave all to a few
    return (
        few
        if prod(map(range_size, few)) * SHORTEST >= ENOUGH
        else tuple(r for r in free if r in {*few, *again})
    )


def _is_tiny(fold: Node) -> bool:
    """Is a fold written out, with no other inside?"""
    below = (n for body in fold.src[: fold.arg.elements] for n in body.toposort())
    return length_of(fold) <= SHORT and not any(n.op is Op.FOLD or n.op is Op.STAGE for n in below)


def _along(stores: list[Node], loops: tuple[Node, ...]) -> tuple[Node, ...]:
    """The loops, with the one along which stores lie side by side last, which short reductions may have put
    elsewhere: neighbouring threads then write neighbours, or update them, and not one place in turn. Columns
    lie so too where each has places of its own: their updates and places are read side by side."""
    for r in reversed(loops):
        if stores and all(affine(s.src[1])[0].get(r) == 1 for s in stores):
            return (*(other for other in loops if other is not r), r)
    return loops


def points_of(kernel: Kernel) -> int:
    return _spread(kernel).total


def choose_flat(kernel: Kernel) -> Flat:
    """The layout a person would choose, by what was measured on an H200."""
    spread = _spread(_in_steps(kernel))
    folds, total = spread.folds, spread.total
    most = (4 if folds else 8) if not spread.inner else MOST_OF_PARTS // spread.points
    width = 1 if spread.scalar else vector_width(kernel, spread.parallel, most)
    while width > 1 and total // width < ENOUGH:
        width //= 2
    # a search branches at every element: what is not loaded before is not on its way
    searches = any(f.arg.width > 1 for f in folds)
    # few threads wait for little at a time as well: 32 x 1024 sums of 32 on an H200 13.5 -> 8.1 us
    few = bool(folds) and total // width <= ENOUGH
    wanted = SEARCHED_STEPS if searches or few else (2,)
    most = 2 * LIGHT if few else LIGHT
    steps = next((n for n in wanted if _takes_steps(kernel, n, most, whole=not few)), 1)
    width = 1 if searches and steps == 1 else width
    vectors = total // width
    if width > 1 and not folds and vectors >= MANY_VECTORS:
        heavy = vectors >= VERY_MANY and width >= NARROW_VECTOR
        heavy = heavy and any(n.op in TRANSCENDENTAL for n in kernel.nodes)
        return Flat(PAIRED, width, 4 if heavy else 2)
    if (width > 1 or few) and folds and vectors <= RESIDENT and steps > 1:
        return Flat(WARP, width, 1, steps)
    # threads with a loop each end at different times: smaller blocks leave fewer of them waiting
    ragged = any(r.src[0].op is not Op.CONST for f in folds for r in own_ranges(f))
    large = FLAT_RAGGED if ragged else FLAT_LOOPS if folds or _has_many_parts(kernel, spread) else FLAT
    team = large if total >= FLAT * 132 else 128 if total >= 128 else WARP
    return Flat(team, width, _singles(kernel, spread, width), steps if searches else 1)


def _has_many_parts(kernel: Kernel, spread: Spread) -> bool:
    """Does a thread have many parts of a stack in its registers?"""
    return prod(range_size(r) for r in part_axes(kernel) if r in spread.inner) > MANY_PARTS


def _singles(kernel: Kernel, spread: Spread, width: int) -> int:
    """Points of a thread that has no pairs of vectors."""
    vectors = spread.total // width
    if spread.scalar or spread.inner:
        return 1
    if spread.folds:
        windows = all(length_of(f) <= WINDOW for f in spread.folds)
        return SINGLES if windows and width == 1 and vectors >= MANY_WINDOWS else 1
    accesses = sum(n.op in (Op.LOAD, Op.STORE) for n in kernel.nodes)
    return SINGLES if accesses <= FEW_ACCESSES and vectors >= MANY_SINGLES else 1


def _takes_steps(kernel: Kernel, steps: int, most: int, whole: bool) -> bool:
    """Do all reductions of a thread take so many elements at a time, with so few operations for each; where
    steps are `whole`, up to their ends?"""
    folds = [f for f in folds_of(kernel) if length_of(f) > 1]
    bodies = [n for f in folds for b in f.src[: f.arg.elements] for n in b.toposort() if n.dtype.is_float]
    light = sum(n.op in ELEMENTWISE for n in bodies) <= most and not any(
        n.op in TRANSCENDENTAL for n in bodies
    )
    return light and all(_stepped(f, set(kernel.order), steps, whole) for f in folds)


def flat(kernel: Kernel, move: Flat) -> Shape:
    """Threads over the output points; folds are each thread's own."""
    kernel = _in_steps(kernel)
    if move.steps > 1:
        kernel = _folds_in_steps(kernel, move.steps)
    spread = _spread(kernel)
    parallel, inner = spread.parallel, spread.inner
    _require_flat(kernel, spread, move)
    numbers = Numbers(kernel)
    team, width, repeat = move.threads, move.width, move.repeat
    vectors = spread.total // width
    blocks = -(-vectors // (team * repeat))
    t, b = numbers.axis(THREAD, team), numbers.axis(GRID, blocks) if blocks > 1 else index_const(0)
    u = numbers.axis(UNROLL, repeat, "u") if repeat > 1 else index_const(0)
    v = numbers.axis(UNROLL, width, "v") if width > 1 else None
    vector, valid = clamped(simplify((b * repeat + u) * team + t), vectors, blocks * repeat * team)
    layout = Layout(
        tuple(r for r in (b, u, t, v) if r is not None and r.op is Op.RANGE), vector, v, width, valid
    )
    mapping = layout.digits(parallel)
    unrolled = {r: numbers.axis(UNROLL, range_size(r), "inner", r) for r in _written_out(inner, spread.fixed)}
    sink = kernel.sink.substitute(mapping | unrolled)
    order = (*layout.ranges, *(unrolled.get(r, r) for r in inner))
    return Shape(replace(kernel, sink=simplify(guarded(sink, valid)), order=order), team, move)


def _require_flat(kernel: Kernel, spread: Spread, move: Flat) -> None:
    require_threads(move.threads)
    if move.repeat < 1 or move.width < 1 or move.steps < 1:
        raise IllegalMove(f"{move} has a size below 1")
    if tiles_of(kernel):
        raise IllegalMove("this kernel has tiles, which belong to a team: lay it out by rows")
    if move.repeat > 1 and spread.scalar:
        raise IllegalMove(f"threads of this kernel run through loops of their own: {move} repeats points")
    last = range_size(spread.parallel[-1]) if spread.parallel else 1
    if move.width > 1 and (spread.scalar or last % move.width):
        raise IllegalMove(f"the last loop, of {last}, has no vectors of {move.width}")


def _folds_in_steps(kernel: Kernel, steps: int) -> Kernel:
    """Each thread's own reductions take several elements at a time: their loads are in flight together."""
    loops = set(kernel.order)
    stepped = _by_steps(kernel, lambda fold: steps if _stepped(fold, loops, steps) else None)
    if stepped is kernel:
        raise IllegalMove(f"no reduction of this kernel can take {steps} elements at a time")
    return stepped


def _stepped(fold: Node, loops: set[Node], steps: int, whole: bool = False) -> bool:
    """Can a reduction of a thread's own take so many elements at a time?"""
    last = own_ranges(fold)[-1]
    simple = _is_light(fold) and fold.ranges <= loops and last.arg.kind == LOOP
    if not simple or last.src[0].op is not Op.CONST:
        return False
    # what the last step lacks is the identity
    early = not whole and fold.arg.elements == fold.arg.width == 1 and range_size(last) >= FULL_STEPS * steps
    return range_size(last) % steps == 0 or early


def _in_steps(kernel: Kernel) -> Kernel:
    """Searches for the k best look at a few elements at a time: their loads are in flight together."""

    def step(fold: Node) -> int | None:
        last = own_ranges(fold)[-1]
        gathers = fold.arg.kind.startswith("top") and fold.arg.k >= QUEUED_RESULTS
        if not gathers or length_of(fold) < QUEUED_LENGTH or last.src[0].op is not Op.CONST:
            return None
        sizes = QUEUE_STEPS if last.arg.kind == LOOP else ()
        return next((size for size in sizes if range_size(last) % size == 0), None)

    return _by_steps(kernel, step)


def _by_steps(kernel: Kernel, step: Callable[[Node], int | None]) -> Kernel:
    """fold over n -> fold over n // size steps of `size` elements, which are written out"""
    numbers = Numbers(kernel)

    def rule(node: Node, src: tuple[Node, ...]) -> Node:
        made, size = node.over(src), step(node) if node.op is Op.FOLD else None
        if size is None:
            return made
        *outer, last = own_ranges(made)
        length = range_size(last)
        many = numbers.axis(LOOP, -(-length // size), "step", last)
        one = numbers.axis(UNROLL, size, "of a step", last)
        place = many * size + one
        valid = None if length % size == 0 else simplify(place < length)
        mapping = {last: place if valid is None else place.minimum(length - 1)}
        bodies = tuple([simplify(b.substitute(mapping)) for b in made.src[: made.arg.elements]])
        return terms.fold(made.arg, masked(made.arg, bodies, valid), (*outer, many, one))

    sink = kernel.sink.rebuilt(rule)
    return kernel if sink is kernel.sink else replace(kernel, sink=sink)


def _written_out(inner: tuple[Node, ...], fixed: set[Node]) -> list[Node]:
    """Short loops over the results of a fold are written out: which of the k best is wanted is then known.
    The innermost first, as long as all of them together are few points."""
    chosen: list[Node] = []
    points = 1
    for r in reversed(inner):
        short = r not in fixed and r.src[0].op is Op.CONST and range_size(r) <= SHORT_LOOP
        if short and points * range_size(r) <= WRITTEN_OUT:
            chosen.append(r)
            points *= range_size(r)
    return chosen
