"""The moves: ways to reshape a kernel's loops that never change what it computes.

A move is plain data; `apply(kernel, moves)` replays a list of them, so a heuristic, a search and a person
write the same thing.

    Split(axis, factor, kind)    axis becomes outer * factor + inner; `inner` is a loop, vector or unroll axis
    Split(axis, factor, kind, unit)    blocks of `factor` in tiles of `unit`, three axes; the last has fewer.
                                       Of a fold: a fold over blocks of folds over `factor`, the unit is 1
    Merge(first, second)         two neighbouring loops, of the output or of one nest, become one
    Bind(axis, kind)             run a loop in parallel, or as a register axis
    Order(axes)                  the order of the output loops
    Pack(fold, operand, at)      keep what one iteration of `at` reads of an operand of a sum of products;
                                 `at` is an output loop, or that of a fold whose results are kept
    Copy(load, at)               keep what one iteration of `at` reads through a load of the stored values
    Accumulate(fold, at)         keep a fold's results for the loops inside `at`, and step along all of them
    Widen(tile, axis)            compute a tile for all of an axis at once, that axis innermost in memory

An output or tile axis that its factor does not divide is covered by a last step that overlaps the one before,
without masks; a fold becomes two. Axes and tiles are named by numbers; a new axis takes the next free one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Final

from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import LOOP, PARALLEL, REGISTER_KINDS, Axis, Kernel, loop, range_size
from ...graph.kernels.masks import below_mask
from ...graph.node import Node, below_casts, index_const, make, own_ranges
from ...graph.ops import Op
from ...graph.rules.symbolic import coefficient_of, simplify
from .analysis import direct_loads, find_range, kept_tiles, owner_of
from .legal import IllegalMove, require_legal
from .ordered import sequential_axes
from .splits import block_axis, ends_within, split_axis

#: in place of an output loop: outside of all of them
OUTSIDE: Final = -1


@dataclass(frozen=True)
class Split:
    axis: int
    factor: int
    kind: str = LOOP
    unit: int = 0  # of blocks: the tiles that a block has in whole


@dataclass(frozen=True)
class Merge:
    first: int
    second: int


@dataclass(frozen=True)
class Bind:
    axis: int
    kind: str


@dataclass(frozen=True)
class Order:
    axes: tuple[int, ...]


@dataclass(frozen=True)
class Pack:
    fold: int  # the number of the fold's first range
    operand: int
    at: int  # the loop, of the output or of a fold that accumulates, whose iterations each fill the tile
    narrow: bool = False  # the tile holds what the operand is cast from


@dataclass(frozen=True)
class Copy:
    load: int  # its place among `stored_loads`
    at: int  # the output loop whose iterations each fill the tile


@dataclass(frozen=True)
class Accumulate:
    fold: int  # the number of the fold's first range
    at: int  # the output loop whose iterations each fill the tile; OUTSIDE: it is filled once, before all


@dataclass(frozen=True)
class Widen:
    tile: int
    axis: int


#: bytes of a line, and a distance of rows at which few of them stay in the first cache
LINE, APART = 64, 512

Move = Split | Merge | Bind | Order | Pack | Copy | Accumulate | Widen


def moves_made(kernel: Kernel) -> list[Move]:
    """The moves a kernel remembers."""
    return [move for move in kernel.moves if isinstance(move, Move)]


def apply(kernel: Kernel, moves: list[Move]) -> Kernel:
    """The kernel after all moves."""
    for move in moves:
        kernel = step(kernel, move)
    return kernel


def step(kernel: Kernel, move: Move) -> Kernel:
    """The kernel after one move, which it remembers; IllegalMove if it would not compute the same."""
    match move:
        case Split(axis, factor, kind, unit):
            made = (
                split_axis(kernel, axis, factor, kind)
                if unit == 0
                else block_axis(kernel, move.axis, move.factor, move.kind, move.unit)
            )
        case Merge(first, second):
            made = _merge(kernel, first, second)
        case Bind():
            made = _bind(kernel, [move])
        case Order(axes):
            made = _reorder(kernel, axes)
        case Pack(fold, operand, at, narrow):
            made = _pack(kernel, fold, operand, at, narrow)
        case Copy(load, at):
            made = _copy(kernel, load, at)
        case Accumulate(fold, at):
            made = _accumulate(kernel, fold, at)
        case Widen(tile, axis):
            made = widen(kernel, tile, axis)
    made = _with_ends(made)
    require_legal(made)
    return replace(made, moves=(*kernel.moves, move))


def _with_ends(kernel: Kernel) -> Kernel:
    """Loops that end at a value of another are, in the order, what they are in the kernel by now."""
    if all(r.src[0].op is Op.CONST for r in kernel.order):
        return kernel
    now = {r.arg.number: r for r in kernel.ranges() if r not in kernel.order}
    return replace(kernel, order=tuple([now.get(r.arg.number, r) for r in kernel.order]))


def step_if_legal(kernel: Kernel, move: Move) -> Kernel:
    """The kernel after a move, or as it is where the move is illegal."""
    try:
        return step(kernel, move)
    except IllegalMove:
        return kernel


def rule_if_legal(kernel: Kernel, rule: Callable[[Kernel], Kernel]) -> Kernel:
    """The kernel after all moves of a rule, or as it is where one of them is illegal."""
    try:
        return rule(kernel)
    except IllegalMove:
        return kernel


def binds_if_legal(kernel: Kernel, binds: list[Bind]) -> Kernel:
    """The kernel with all these bound, at once; where that is illegal, with those that may be, one by one."""
    if not binds:
        return kernel
    try:
        made = _bind(kernel, binds)
        require_legal(made)
        return replace(made, moves=(*kernel.moves, *binds))
    except IllegalMove:
        for bind in binds:
            kernel = step_if_legal(kernel, bind)
        return kernel


# --- merge, bind, order


def merges_cleanly(kernel: Kernel, a: Node, b: Node) -> bool:
    """Do two neighbouring loops advance every index as one loop over both would, so that no // or %
    remains?"""
    merged, made = _merge(kernel, a.arg.number, b.arg.number), kernel.next_axis()
    both = next(r for r in merged.ranges() if r.arg.number == made)
    return not any(n.op in (Op.IDIV, Op.MOD) and both in n.ranges for n in merged.nodes)


def _merge(kernel: Kernel, first: int, second: int) -> Kernel:
    a, b = find_range(kernel, first), find_range(kernel, second)
    if a not in kernel.order and b not in kernel.order:
        return _merge_nest(kernel, a, b)
    if a not in kernel.order or b not in kernel.order:
        raise IllegalMove(f"axes {first} and {second} are not both output loops, or both of one nest")
    where = kernel.order.index(a)
    if kernel.order[where + 1 : where + 2] != (b,):
        raise IllegalMove(f"axis {second} does not follow axis {first} directly")
    if a.src[0].op is not Op.CONST or b.src[0].op is not Op.CONST:
        raise IllegalMove(f"axis {first} or {second} ends at a computed value: they cannot be merged")
    if any(n.op is Op.PREFIX and n.src[-1] in (a, b) for n in kernel.nodes):
        raise IllegalMove(f"a reduction runs along axis {first} or {second}: it needs that axis as it is")
    n = range_size(b)
    both = loop(kernel.next_axis(), range_size(a) * n)
    sink = simplify(kernel.sink.substitute({a: both // n, b: both % n}))
    return replace(kernel, sink=sink, order=kernel.order[:where] + (both,) + kernel.order[where + 2 :])


def _merge_nest(kernel: Kernel, a: Node, b: Node) -> Kernel:
    """Two neighbouring loops of a fold or a tile become one."""
    owner = owner_of(kernel, a)
    own = own_ranges(owner) if owner is not None else ()
    place = own.index(a) if a in own else -1
    if owner is None or own[place + 1 : place + 2] != (b,):
        raise IllegalMove(f"axis {b.arg.number} does not follow axis {a.arg.number} directly in a nest")
    ends = frozenset().union(*(r.src[0].ranges for r in own))
    plain = all(r.arg.kind == LOOP and r.src[0].op is Op.CONST and r not in ends for r in (a, b))
    if not plain:
        raise IllegalMove(f"axes {a.arg.number} and {b.arg.number} are not plain loops of known length")
    n = range_size(b)
    both = loop(kernel.next_axis(), range_size(a) * n)
    values = owner.src[: len(owner.src) - len(own)]
    made = [simplify(value.substitute({a: both // n, b: both % n})) for value in values]
    new = owner.replace(src=(*made, *own[:place], both, *own[place + 2 :]))
    return replace(kernel, sink=kernel.sink.substitute({owner: new}))


def _bind(kernel: Kernel, binds: list[Bind]) -> Kernel:
    ranges = {r.arg.number: r for r in reversed(kernel.ranges())}
    in_order = sequential_axes(kernel)
    order = kernel.order
    bound: dict[Node, Node] = {}
    for number, kind in [(bind.axis, bind.kind) for bind in binds]:
        r = ranges.get(number) or find_range(kernel, number)
        if kind != LOOP and r in in_order:
            raise IllegalMove(f"axis {number} runs in order: it cannot be {kind}")
        if kind == PARALLEL and kernel.order[:1] != (r,):
            raise IllegalMove(f"only the outermost loop can be parallel, and axis {number} is not")
        made = bound[r] = make(Op.RANGE, r.dtype, r.src, Axis(number, kind))
        order = tuple(made if o is r else o for o in order)
        if kind in REGISTER_KINDS and made in order:
            order = (*(o for o in order if o is not made), made)
    return replace(kernel, sink=kernel.sink.substitute(bound), order=order)


def _reorder(kernel: Kernel, axes: tuple[int, ...]) -> Kernel:
    by_number = {r.arg.number: r for r in kernel.order}
    if sorted(axes) != sorted(by_number):
        raise IllegalMove(
            f"an order has to name the output loops {sorted(by_number)} once each, not {list(axes)}"
        )
    made = tuple(by_number[a] for a in axes)
    fixed = sequential_axes(kernel)
    if [r for r in made if r in fixed] != [r for r in kernel.order if r in fixed]:
        raise IllegalMove(f"axes {sorted(r.arg.number for r in fixed)} run in order: keep them so")
    return replace(kernel, order=made)


# --- tiles


def _fold_over(kernel: Kernel, number: int) -> Node:
    owner = owner_of(kernel, find_range(kernel, number))
    if owner is None or owner.op is not Op.FOLD:
        raise IllegalMove(f"axis {number} is not the axis of a fold")
    return owner


def operands(fold: Node) -> tuple[Node, ...]:
    """The factors of a sum of products, or the two elements that each step of another fold takes together, as
    those of (a - b) * (a - b); else what it folds."""
    body = below_mask(below_casts(fold.src[0]))
    if body.op is Op.MUL and body.src[0] is not body.src[1]:
        return body.src
    own = set(own_ranges(fold))
    loads = [load for load in direct_loads((body,)) if not own.isdisjoint(load.ranges)]
    return tuple(loads) if len(loads) == 2 else (body,)


def _pack(kernel: Kernel, fold_number: int, operand: int, at: int, narrow: bool) -> Kernel:
    """Give an operand a tile over the loops inside `at` that it depends on."""
    owner = _fold_over(kernel, fold_number)
    factors = operands(owner)
    if not 0 <= operand < len(factors):
        raise IllegalMove(f"the fold over axis {fold_number} has {len(factors)} operands, not {operand + 1}")
    value = factors[operand]
    if narrow and value.op is not Op.CAST:
        raise IllegalMove(f"operand {operand} of the fold over axis {fold_number} is no cast of something")
    tile = _read_tile(kernel, value.src[0] if narrow else value, at, nest=own_ranges(owner))
    made = list(factors)
    made[operand] = value.replace(src=(tile,)) if narrow else tile
    return replace(kernel, sink=kernel.sink.substitute({owner: _with_operands(owner, made)}))


def _with_operands(fold: Node, made: list[Node]) -> Node:
    """The fold of other operands. A node may be a factor and also the end of a loop, a loop, or part of an
    address (8, r, a count): there it stays."""
    whole = below_casts(fold.src[0])
    body, given = below_mask(whole), operands(fold)
    if given == body.src:
        new = body.replace(src=tuple(made))
        if whole is not body:
            new, body = whole.replace(src=(whole.src[0], new, whole.src[2])), whole
    else:
        _require_no_end(given, body)
        new = body.substitute(dict(zip(given, made, strict=True)))
    casts = [fold.src[0]]
    while casts[-1] is not body:
        casts.append(casts[-1].src[0])
    for cast in reversed(casts[:-1]):
        new = cast.replace(src=(new,))
    return fold.replace(src=(new, *fold.src[1:]))


def _require_no_end(values: tuple[Node, ...], body: Node) -> None:
    for r in body.ranges:
        if any(value in r.src[0].toposort() for value in values):
            raise IllegalMove(
                f"axis {r.arg.number} ends at an operand: a tile of it would be filled too late"
            )


def stored_loads(kernel: Kernel) -> list[Node]:
    """The loads of buffers that stored values are made of directly, not in a fold or a tile."""
    return [
        load
        for load in direct_loads(tuple(store.src[2] for store in kernel.sink.src))
        if load.src[0].op is Op.PARAM
    ]


def _copy(kernel: Kernel, load: int, at: int) -> Kernel:
    """Give a load a tile over the loops inside `at` that it depends on."""
    loads = stored_loads(kernel)
    if not 0 <= load < len(loads):
        raise IllegalMove(f"this kernel has {len(loads)} loads to copy, not {load + 1}")
    value = loads[load]
    return replace(kernel, sink=kernel.sink.substitute({value: _read_tile(kernel, value, at)}))


def _accumulate(kernel: Kernel, fold_number: int, at: int) -> Kernel:
    """Give the results of a fold a tile over the loops inside `at` that it depends on."""
    owner = _fold_over(kernel, fold_number)
    if owner.arg.width > 1:
        raise IllegalMove(f"{owner.arg} keeps several values for each result: a tile holds one")
    return replace(
        kernel, sink=kernel.sink.substitute({owner: _read_tile(kernel, owner, at, accumulates=True)})
    )


def _read_tile(
    kernel: Kernel, value: Node, at: int, accumulates: bool = False, nest: tuple[Node, ...] = ()
) -> Node:
    """The value, read from a tile that each iteration of `at` fills for the loops inside it; those of `nest`
    come last in it, in their order."""
    outer = set() if accumulates and at == OUTSIDE else _loops_to(kernel, at)
    inner = [r for r in kernel.order if r in value.ranges and r not in outer and not terms.is_register(r)]
    kept = _kept_in(kernel, at)
    if kept is not None:  # the loops of the results are inside that of the fold, those of another fold last
        inner = [r for r in own_ranges(kept) if r in value.ranges and not terms.is_register(r)]
        inner += [r for r in nest if r in value.ranges and not terms.is_register(r)]
    rest = [r for r in value.ranges if r not in outer and r not in inner]
    inner += sorted(rest, key=lanes_last if accumulates else _loops_before_registers)
    rows = bool(nest) and nest[-1] in rest and _lies_along(value, nest[-1])
    if rows:
        inner.sort(key=lambda r: r in rest and not terms.is_register(r))
    _require_known_sizes(inner, outer)
    made = kernel.next_axis()
    own = {r: loop(made + n, r.src[0]) for n, r in enumerate(inner)}
    sizes = [range_size(r) for r in inner]
    if rows and sizes[-1] * value.dtype.itemsize % APART == 0:
        sizes[-1] += LINE // value.dtype.itemsize
    index, place = index_const(0), index_const(0)
    for position, r in enumerate(inner):
        stride = prod(sizes[position + 1 :])
        index, place = index + own[r] * stride, place + r * stride
    if value.op is Op.LOAD:  # filled along the memory it is read from
        inner.sort(key=lambda r: abs(coefficient_of(value.src[1], r) or 0), reverse=True)
    tile = terms.stage(
        value.substitute(own),
        simplify(index),
        tuple(own[r] for r in inner),
        made + len(inner),
        prod(sizes),
        accumulates,
    )
    return terms.load(tile, simplify(place))


def _lies_along(value: Node, r: Node) -> bool:
    """Is a factor without lanes made of what lies side by side along the sum? Rows are copied as they are, in
    vectors: relu(x) @ y of 512 x 512 took 2.9 ms with steps of the sum beside each other for all rows of a
    tile, and 2.3 as rows."""
    loads = [load for load in direct_loads((value,)) if r in load.ranges]
    lanes = any(axis.arg.kind == terms.VECTOR for axis in value.ranges)
    return not lanes and bool(loads) and all(coefficient_of(load.src[1], r) == 1 for load in loads)


def _kept_in(kernel: Kernel, at: int) -> Node | None:
    """The tile that accumulates over an axis."""
    numbers = {tile: [r.arg.number for r in own_ranges(tile.src[0])] for tile in kept_tiles(kernel)}
    return next((tile for tile, own in numbers.items() if at in own), None)


def _loops_to(kernel: Kernel, at: int) -> set[Node]:
    """The loops around what an iteration of `at` does."""
    place_of, kept = find_range(kernel, at), _kept_in(kernel, at)
    if kept is not None:
        own = own_ranges(kept.src[0])
        return {*kept.ranges, *own[: own.index(place_of) + 1]}
    if place_of not in kernel.order:
        raise IllegalMove(f"axis {at} is not an output loop: a tile is filled in one of those")
    return set(kernel.order[: kernel.order.index(place_of) + 1])


def _require_known_sizes(ranges: list[Node], outer: set[Node] | None = None) -> None:
    """A tile holds every iteration there can be, and beyond a loaded end there is nothing to read. An end
    that follows the loops outside of the tile is that of its own loop too."""
    for r in ranges:
        if r.src[0].op is not Op.CONST and not (outer and ends_within(r, outer)):
            raise IllegalMove(f"axis {r.arg.number} ends at a computed value: no tile can hold it")


def _loops_before_registers(r: Node) -> tuple[bool, int]:
    return (r.arg.kind in REGISTER_KINDS, r.arg.number)


def lanes_last(r: Node) -> tuple[bool, bool, int]:
    """A vector of results is one piece of the memory that keeps them."""
    return (r.arg.kind in REGISTER_KINDS, r.arg.kind == terms.VECTOR, r.arg.number)


def widen(kernel: Kernel, tile: int, axis: int) -> Kernel:
    """A tile inside a register axis becomes one tile for all its points, the axis innermost."""
    r = find_range(kernel, axis)
    old = next((n for n in kernel.nodes if n.op is Op.STAGE and n.arg.number == tile), None)
    if old is None:
        raise IllegalMove(f"this kernel has no tile {tile}")
    if r not in old.ranges:
        return kernel
    _require_known_sizes([r, *own_ranges(old)])
    inside = next((other for other in old.ranges if other is not r and r in other.ranges), None)
    if inside is not None:
        raise IllegalMove(
            f"axis {inside.arg.number} ends where axis {axis} is: tile {tile} cannot serve all its points"
        )
    n = range_size(r)
    own = loop(kernel.next_axis(), n)
    value, index, *ranges = old.src
    # it loops outermost, so that what a point of it needs once is computed once
    src = (value.substitute({r: own}), simplify(index * n + own), own, *ranges)
    wide = old.replace(src=src, arg=replace(old.arg, size=old.arg.size * n))
    mapping = {}
    for node in kernel.nodes:
        if node.op is Op.LOAD and node.src[0] is old:
            mapping[node] = node.replace(src=(wide, simplify(node.src[1] * n + r), *node.src[2:]))
    return replace(kernel, sink=simplify(kernel.sink.substitute(mapping)))
