"""Maps in steps over the same rows, as the stages of a Fourier transform, in one kernel: a team has a row.

    y[i, k] = a few of x[i, :]      every element of x[i] is read by many of y[i]
    z[i, k] = a few of y[i, :]
        ->  for each i:  tile[k] = a few of x[i, :];  z[i, k] = a few of tile

In: kernels in order. Out: the same, with a map joined to the map that reads what it makes, if nobody else
does and one of them is made in parts (`part_axes`: a butterfly of a transform, numbers side by side), so that
a thread reads each element once for all of its results. Two ways:

    read once      every element is read by one thread, as those of a pack are by the first step: it is
                   computed where it is read, and no row is needed for that
    in a tile      a row of what is read is made of the same row, and fits a block's shared memory: threads
                   exchange it there (STAGE with `exchanges`), and it never goes to memory

Transforms of 256 points were five kernels, each of which moves all points; they are one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from math import prod
from typing import Final

from ...codegen.moves.analysis import part_axes, parts_among
from ...codegen.moves.ordered import limits_of, reach
from ...codegen.moves.tile_values import tile_value, without_light_tiles
from ...graph.kernels import kernel as terms
from ...graph.kernels.exchange import exchanged_bytes
from ...graph.kernels.kernel import Kernel, range_size
from ...graph.node import Node, index_const, make, own_ranges
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rules.sums import affine
from ...graph.rules.symbolic import coefficient_of, simplify
from ..joining.join import joined, without_stores
from ..joining.order import Entry, Order, Placed
from ..limits import MOST_JOINED
from ..places import NO_PLACES, Places

#: numbers that an element which is computed where it is read is made of: those of a signal and of its window
MOST_READ: Final = 2
#: bytes of a row's tiles in shared memory: blocks of it keep a processor busy
ROW_BYTES: Final = 1 << 15
#: bytes between what neighbouring threads read or write, at most: lines are used whole all the same; and the
#: same where a thread has all of what is between
MOST_APART, LINE = 16, 128
#: places of a row that are made in parts each, at least: a team has several threads at work
LEAST_PLACES: Final = 4
#: results for each element of a row that is exchanged, at most
MOST_RESULTS: Final = 4


@rewrite_pass("join steps over rows")
def join_row_steps(kernels: list[Placed], roots: frozenset[Node], places: Places = NO_PLACES) -> list[Placed]:
    """The same kernels, with maps in the maps that alone read their results, in step with the `places`
    results go to."""
    readers = Counter(memory for placed in kernels for memory in Entry(placed).reads)
    order: Order[Entry] = Order()
    for kernel, memories in kernels:
        new = Entry((without_light_tiles(kernel), memories))
        while (found := _partner(order, new, readers, roots, places)) is not None:
            number, new = found
            if not order.can_wait(number):
                order.replace(number, new)
                break
            order.remove(number)
        else:
            order.append(new)
    return order.placed()


def _partner(
    order: Order[Entry], new: Entry, readers: Counter[Node], roots: frozenset[Node], places: Places
) -> tuple[int, Entry] | None:
    """The latest map that a new one can be joined with, and both as one."""
    if not is_steps(new.kernel) or not new.is_plain:
        return None
    for number in sorted(order.writers(new.reads), reverse=True):
        first = order[number]
        if not first.is_plain or not is_steps(first.kernel) or not first.writes <= new.reads:
            continue
        alone = all(readers[m] == 1 and m not in roots and m not in places.targets for m in first.writes)
        free = order.can_wait(number) or order.can_run_at(number, new)
        small = first.weight + new.weight <= MOST_JOINED and not new.writes & first.touches
        if alone and free and small and places.in_step(first, new):
            made = _as_one(first, new)
            if made is not None:
                return number, Entry(made)
    return None


def is_steps(kernel: Kernel) -> bool:
    """Is it a map, or maps over rows that exchange them?"""
    nests = [n for n in kernel.nodes if n.op in (Op.FOLD, Op.STAGE, Op.PREFIX, Op.SORT)]
    return all(n.op is Op.STAGE and n.arg.exchanges for n in nests)


def _as_one(first: Entry, new: Entry) -> Placed | None:
    """One kernel of a map and its reader, if one of them is made in parts and that pays."""
    if not (part_axes(first.kernel) or part_axes(new.kernel) or tiles_of(first) or tiles_of(new)):
        return None
    loads = [n for n in new.kernel.nodes if n.op is Op.LOAD and n.src[0].op is Op.PARAM]
    loads = [n for n in loads if new.memories[n.src[0].arg.slot] in first.writes]
    if any(n.op is Op.LOAD for load in loads for n in load.src[1].toposort()):
        return None
    return _read_once(first, new, loads) or _in_a_tile(first, new, loads)


def tiles_of(entry: Entry) -> list[Node]:
    return [n for n in entry.kernel.nodes if n.op is Op.STAGE]


# --- computed where it is read


def _read_once(first: Entry, new: Entry, loads: list[Node]) -> Placed | None:
    """One kernel that computes each element where it is read, if each is read by one thread."""
    times = sum({load.src: prod(map(range_size, load.ranges)) for load in loads}.values())
    elements = prod(map(range_size, first.kernel.order)) * len(first.kernel.sink.src)
    if tiles_of(first) or times > elements or any(len(load.src) == 3 for load in loads):
        return None
    for rows in _rows_in_common(first, new):
        inside = _inside_rows(first, new, loads, rows)
        if inside is None:
            continue
        known = {}
        for load, (tile, place) in inside.items():
            value = tile_value(tile, place)
            value = None if value is None else simplify(value)
            if value is None or sum(n.op is Op.LOAD for n in value.toposort()) > MOST_READ:
                return None
            known[load] = value
        return _checked(first, new, known)
    return None


# --- in a tile


def _in_a_tile(first: Entry, new: Entry, loads: list[Node]) -> Placed | None:
    """One kernel that exchanges a row of what the first one makes, if the other reads it row by row."""
    held = [_rows_of(entry.kernel) for entry in (first, new) if tiles_of(entry)]
    for rows in _rows_in_common(first, new):
        inside = _inside_rows(first, new, loads, rows)
        if inside is None or any(set(rows) != of_tiles for of_tiles in held):
            continue
        tiles = list(dict.fromkeys(tile for tile, _ in inside.values()))
        size = sum(tile.arg.size for tile in tiles)
        inner = new.kernel.order[len(rows) :]
        steps = [(tile.src[0], own_ranges(tile)) for tile in tiles]
        steps += [(store, inner) for store in new.kernel.sink.src]
        few = min(_places(value, loops) for value, loops in steps) < LEAST_PLACES
        if few or prod(map(range_size, inner)) > MOST_RESULTS * size:
            return None
        known = {load: terms.load(tile, at, *load.src[2:]) for load, (tile, at) in inside.items()}
        return _checked(first, new, known)
    return None


def _places(value: Node, loops: tuple[Node, ...]) -> int:
    """For how many places a step makes its parts."""
    parts = _parts(value, loops)
    return prod(range_size(r) for r in loops if r not in parts)


def _parts(value: Node, loops: tuple[Node, ...]) -> list[Node]:
    return parts_among(value.toposort(lambda n: n.op is not Op.STAGE), loops)


def _rows_in_common(first: Entry, new: Entry) -> Iterator[tuple[Node, ...]]:
    """The outermost loops that both have, as many as possible first."""
    pairs = zip(first.kernel.order, new.kernel.order, strict=False)
    common = tuple(r for r, _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
    return (common[:count] for count in range(len(common), -1, -1))


def _rows_of(kernel: Kernel) -> set[Node]:
    """The loops that tiles are made for one iteration of."""
    return {r for n in kernel.nodes if n.op is Op.STAGE for r in n.ranges}


def _inside_rows(
    first: Entry, new: Entry, loads: list[Node], rows: tuple[Node, ...]
) -> dict[Node, tuple[Node, Node]] | None:
    """For each load a tile of a row of what the first kernel makes, with loops of its own, and where in it
    the load is; None if that may be in another row."""
    made: dict[Node, tuple[Node, Node]] = {}
    start = max(first.kernel.next_axis(), new.kernel.next_axis())
    for number, store in enumerate(first.kernel.sink.src):
        size = _row_size(store, rows, first.kernel)
        if size is None:
            return None
        steps = affine(store.src[1])[0]
        memory = first.memories[store.src[0].arg.slot]
        own = [load for load in loads if new.memories[load.src[0].arg.slot] is memory]
        kernel = _apart(first.kernel, rows, start)
        start = kernel.next_axis() + 1
        moved = kernel.sink.src[number]
        index = simplify(moved.src[1].substitute(dict.fromkeys(rows, index_const(0))))
        tile = terms.stage(moved.src[2], index, kernel.order[len(rows) :], start - 1, size, exchanges=True)
        for load in own:
            place = _inside(load, rows, steps, size)
            if place is None:
                return None
            made[load] = tile, place
    return made


def _row_size(store: Node, rows: tuple[Node, ...], kernel: Kernel) -> int | None:
    """How many elements of a memory are a row, if rows lie one behind the other."""
    steps, start = affine(store.src[1])
    own = [r for r in kernel.order if r not in rows]
    if start or any(term.op is not Op.RANGE for term in steps) or not own:
        return None
    size = 1 + sum(step * (range_size(r) - 1) for r, step in steps.items() if r not in rows)
    reached = size
    for r in reversed(rows):
        if steps.get(r, 0) != reached:
            return None
        reached *= range_size(r)
    return size


def _inside(load: Node, rows: tuple[Node, ...], steps: dict[Node, int], size: int) -> Node | None:
    """Where in its own row a load is; None if it may be in another."""
    terms_of, start = affine(load.src[1])
    if any(terms_of.get(r, 0) != steps[r] for r in rows):
        return None
    limits = limits_of(load.src[2]) if len(load.src) == 3 else {}
    low = high = float(start)
    for term, step in terms_of.items():
        if term not in rows:
            if term.ranges & set(rows):
                return None
            ends = [step * end for end in reach(term, limits)]
            low, high = low + min(ends), high + max(ends)
    if low < 0 or high >= size:
        return None
    return simplify(load.src[1].substitute(dict.fromkeys(rows, index_const(0))))


# --- both


def _apart(kernel: Kernel, rows: tuple[Node, ...], start: int) -> Kernel:
    """The kernel with all loops but its rows, and its tiles, numbered from `start` on."""
    start = max(start, kernel.next_axis())
    done: dict[Node, Node] = {}
    for node in kernel.nodes:
        src = tuple([done[s] for s in node.src])
        arg = node.arg
        if node.op is Op.STAGE or (node.op is Op.RANGE and node not in rows):
            arg, start = replace(arg, number=start), start + 1
        done[node] = node if src == node.src and arg is node.arg else make(node.op, node.dtype, src, arg)
    order = tuple(done.get(r, r) for r in kernel.order)
    return replace(kernel, sink=done[kernel.sink], order=order)


def _checked(first: Entry, new: Entry, known: dict[Node, Node]) -> Placed | None:
    """Both as one kernel that has values of the first for what the other loads; None if threads side by side
    would be far apart in memory."""
    made, memories = joined(first.placed, new.placed, known=known)
    done = without_stores((made, memories), set(made.sink.src[: len(first.kernel.sink.src)]))
    if done is None:
        return None
    made, memories = done
    made = replace(made, sink=simplify(made.sink), order=new.kernel.order, reason=new.kernel.reason)
    fits = exchanged_bytes(made.sink) <= ROW_BYTES
    return (made, memories) if fits and _is_coalesced(made) else None


def _is_coalesced(kernel: Kernel) -> bool:
    """Do neighbouring threads of each step read and write neighbours?"""
    rows = _rows_of(kernel)
    steps = [(n.src[0], own_ranges(n)) for n in kernel.nodes if n.op is Op.STAGE]
    steps += [(store, tuple(r for r in kernel.order if r not in rows)) for store in kernel.sink.src]
    return all(_runs_side_by_side(value, loops) for value, loops in steps)


def _runs_side_by_side(value: Node, loops: tuple[Node, ...]) -> bool:
    """Do threads step over no more of a memory than they read or write there themselves?"""
    parts = set(_parts(value, loops))
    lane = next((r for r in reversed(loops) if r not in parts), None)
    if lane is None:
        return True
    nodes = value.toposort(lambda n: n.op is not Op.STAGE)
    accesses = [n for n in nodes if n.op in (Op.LOAD, Op.STORE) and n.src[0].op is Op.PARAM]
    own: Counter[Node] = Counter()
    for n in accesses:
        own[n.src[0]] += n.dtype.itemsize * prod(map(range_size, n.src[1].ranges & parts))
    for n in accesses:
        step = coefficient_of(n.src[1], lane)
        if step is None or abs(step) * n.dtype.itemsize > max(MOST_APART, min(own[n.src[0]], LINE)):
            return False
    return True
