"""The scheme of steps: a team of threads has a row, and goes through steps that exchange it in shared memory.

    tile[w, 16 i + k] = butterfly of x[row, 16 k + i]      thread i has all of its 16 complex results
    z[row, ...] = butterfly of tile[...]                   between barriers

Each step (a STAGE with `exchanges`, or the stores) is a map in parts: a thread has all parts of a place, so
what these share is read and computed once, and lives in registers. The places are spread over the team. A
step whose values all are in registers goes to the memory of the tile it was made from
(`graph.kernels.exchange`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Final

from ....graph.kernels.exchange import exchanged_bytes
from ....graph.kernels.kernel import LOOP, UNROLL, Kernel, range_size
from ....graph.node import Node, index_const, make, own_ranges
from ....graph.ops import Op
from ....graph.rules.symbolic import simplify
from ...linear.gpu.code import BANKS, GRID, SHARED_BYTES, TEAM, WARP
from ...moves.analysis import column_of, parts_among
from ...moves.chosen_loads import chosen_places
from ...moves.legal import IllegalMove
from ...moves.moves import widen
from ...moves.splits import split_axis
from ..search.moves import Rows
from .layout import Layout, Numbers, clamped, digits, spread_over
from .shape import ENOUGH, MOST_THREADS, Shape, both, guarded, tiles_of

#: values that a thread has of a step: the parts of 16 complex numbers
HELD: Final = 32
#: threads of a block that has several teams, and lanes of the smallest team: a sector of memory
BLOCK, LEAST_TEAM = 128, 8
#: bytes of the tiles of a block of columns, and blocks that keep a card busy
COLUMN_BYTES, ENOUGH_BLOCKS = 1 << 15, 264
#: results of a thread on their way at once
IN_FLIGHT: Final = 4
#: a gap in a tile behind every line of shared memory (all of its banks): what threads write that are a power
#: of two apart lies in banks of their own, and vectors of 16 bytes stay whole
GAP: Final = 16


@dataclass(frozen=True)
class Step:
    """The parts of a place, which a thread has, and the loops over places."""

    parts: tuple[Node, ...]
    places: tuple[Node, ...]

    @property
    def width(self) -> int:
        return prod(map(range_size, self.parts))

    @property
    def count(self) -> int:
        return prod(map(range_size, self.places))


def step_rows(kernel: Kernel) -> tuple[Node, ...] | None:
    """The loops over rows of a kernel that is steps over rows; None for others."""
    tiles = tiles_of(kernel)
    if not tiles or not all(tile.arg.exchanges for tile in tiles):
        return None
    free = frozenset().union(*(tile.ranges for tile in tiles))
    return tuple(r for r in kernel.order if r in free)


def columns_together(kernel: Kernel) -> Kernel:
    """The kernel with a block of columns in each of its tiles, if each is of one of many that lie side by
    side: neighbouring threads have neighbouring columns, `tile[i]` of one is `tile[i * W + w]` of W."""
    column, tiles = column_of(kernel), tiles_of(kernel)
    if column is None or step_rows(kernel) is None:
        return kernel
    try:
        made = split_axis(kernel, column.arg.number, _columns(kernel, column), LOOP)
        inner = next(r for r in reversed(made.order) if r not in kernel.order)
        for tile in tiles:
            made = widen(made, tile.arg.number, inner.arg.number)
    except IllegalMove:  # in place, and blocks of columns would meet
        return kernel
    wide = set(tiles_of(made))

    def rule(node: Node, src: tuple[Node, ...]) -> Node:
        """Columns are the innermost places of each step."""
        return node.over((*src[:2], *src[3:], src[2]) if node in wide else src)

    order = (*(r for r in made.order if r is not inner), inner)
    return replace(made, sink=made.sink.rebuilt(rule), order=order)


def _columns(kernel: Kernel, column: Node) -> int:
    """Columns of a block: a line of memory and what fits shared memory, fewer where blocks would be few."""
    nbytes, most = exchanged_bytes(kernel.sink), range_size(column)
    rows = prod(range_size(r) for r in step_rows(kernel) or () if r is not column)
    width = LEAST_TEAM
    while 2 * width <= min(most, WARP) and 2 * width * nbytes <= COLUMN_BYTES:
        if rows * most // (2 * width) < ENOUGH_BLOCKS:
            break
        width *= 2
    return min(width, most)


def _step(values: tuple[Node, ...], loops: tuple[Node, ...]) -> Step:
    nodes = {n: None for value in values for n in value.toposort(lambda n: n.op is not Op.STAGE)}
    parts = parts_among(nodes, loops)
    parts = [] if len(parts) == len(loops) else parts
    return Step(tuple(parts), tuple(r for r in loops if r not in parts))


def _steps(kernel: Kernel, rows: tuple[Node, ...]) -> list[Step]:
    steps = [_step(tile.src[:1], own_ranges(tile)) for tile in tiles_of(kernel)]
    return [*steps, _step(kernel.sink.src, tuple(r for r in kernel.order if r not in rows))]


def choose_steps(kernel: Kernel, rows: tuple[Node, ...]) -> Rows:
    """The smallest team whose threads hold what they make of a step; larger ones for few rows."""
    count = prod(map(range_size, rows))
    made = _steps(kernel, rows)[:-1]
    wanted = max(max(-(-s.count * s.width // HELD), LEAST_TEAM) for s in made)
    most = max(max(s.count for s in made), LEAST_TEAM)
    team = 1 << (min(wanted, most) - 1).bit_length()
    while team < most and 2 * team <= MOST_THREADS // 2 and count * team < ENOUGH:
        team *= 2
    team = min(team, MOST_THREADS)
    teams = max(BLOCK // team, 1)
    nbytes = _padded(exchanged_bytes(kernel.sink), 1)
    while teams > 1 and (teams * nbytes > SHARED_BYTES or teams > count) and teams // 2 * team >= WARP:
        teams //= 2
    return Rows(team, teams, 1, IN_FLIGHT, False)


def by_steps(kernel: Kernel, rows: tuple[Node, ...], move: Rows) -> Shape:
    """Teams over rows, threads over the places of each step."""
    team = move.team
    threads = team * move.teams
    if threads % WARP or not WARP <= threads <= MOST_THREADS or team & (team - 1):
        raise IllegalMove(f"{move}: a team is 2**n threads, and a block whole warps of them")
    if move.width != 1 or move.held or move.each != 1 or move.in_flight < 1:
        raise IllegalMove(f"{move}: threads of this kernel have single places, with all their parts")
    numbers, sink = Numbers(kernel), chosen_places(kernel.sink)

    def rule(node: Node, src: tuple[Node, ...]) -> Node:
        if node.op is Op.STAGE:
            return _team_step(node, src, numbers, team)
        if node.op is Op.LOAD and node.src[0].op is Op.STAGE:
            return node.over((src[0], _spread(src[1], node), *src[2:]))
        return node.over(src)

    made = sink.rebuilt(rule)
    last = _step(sink.src, tuple(r for r in kernel.order if r not in rows))
    repeat = max(move.in_flight // last.width, 1)
    layout, mapping = _over_team(last, numbers, team, repeat)
    count = prod(map(range_size, rows))
    blocks = -(-count // move.teams)
    w = numbers.axis(TEAM, move.teams) if move.teams > 1 else index_const(0)
    b = numbers.axis(GRID, blocks) if blocks > 1 else index_const(0)
    row, inside = clamped(simplify(b * move.teams + w), count, blocks * move.teams)
    valid = both(layout.valid, inside)
    sink = made.substitute(mapping | digits(rows, row))
    order = [r for r in (b, w) if r.op is Op.RANGE]
    order += [*layout.ranges, *(mapping[r] for r in last.parts)]
    return Shape(replace(kernel, sink=simplify(guarded(sink, valid)), order=tuple(order)), team, move)


def _over_team(step: Step, numbers: Numbers, team: int, repeat: int) -> tuple[Layout, dict[Node, Node]]:
    """Where a thread is in a step: its places, several at once, and their parts."""
    layout = spread_over(numbers, tuple(map(range_size, step.places)), 1, team, False, repeat)
    parts = {r: numbers.axis(UNROLL, range_size(r), "part", r) for r in step.parts}
    return layout, layout.digits(step.places) | parts


def _team_step(tile: Node, src: tuple[Node, ...], numbers: Numbers, team: int) -> Node:
    """The tile made by its team."""
    step = _step(tile.src[:1], own_ranges(tile))
    layout, mapping = _over_team(step, numbers, team, max(HELD // step.width, 1))
    value, index = (simplify(s.substitute(mapping)) for s in src[:2])
    size = _padded(tile.arg.size, tile.dtype.itemsize)
    ranges = (*layout.ranges, *(mapping[r] for r in step.parts))
    arg = replace(tile.arg, size=size)
    return make(Op.STAGE, tile.dtype, (value, _spread(index, tile), *ranges), arg)


def _spread(index: Node, of: Node) -> Node:
    """A place in a tile with gaps."""
    nbytes = of.dtype.itemsize
    return simplify(index + index // (BANKS // nbytes) * (GAP // nbytes))


def _padded(size: int, nbytes: int) -> int:
    return size + size * nbytes // BANKS * (GAP // nbytes)


__all__ = ["by_steps", "choose_steps", "columns_together", "step_rows"]
