"""Maps in steps over the same rows, as the stages of a Fourier transform, in one kernel: a team of a GPU's
threads, or a thread of a CPU, has a row, or a block of columns that lie side by side.

    y[i, k] = a few of x[i, :]      every element of x[i] is read by many of y[i]
    z[i, k] = a few of y[i, :]
        ->  for each i:  tile[k] = a few of x[i, :];  z[i, k] = a few of tile

In: kernels in order. Out: the same, with a map joined to the map that reads what it makes, if nobody else
does and one of them is made in parts (`part_axes`: a butterfly of a transform, numbers side by side), so that
a thread reads each element once for all of its results. Three ways:

    read once      every element is read by one thread, as those of a pack are by the first step: it is
                   computed where it is read, and no row is needed for that
    as results     every element is read once, at a place that a step's parts follow: the reader's loop is cut
                   where the parts are, which store what the reader makes of them (on a core, whose last step
                   would be copied otherwise)
    in a tile      a row of what is read is made of the same row, and fits a block's shared memory: threads
                   exchange it there (STAGE with `exchanges`), and it never goes to memory. A row is
                   contiguous, or a column of a matrix (`Rows.columns`)

Transforms of 256 points were five kernels, each of which moves all points; they are one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import prod
from typing import Final

from ...codegen.moves.analysis import column_of, part_axes, parts_among
from ...codegen.moves.tile_values import is_within, tile_value, where_read, without_light_tiles
from ...graph.kernels import kernel as terms
from ...graph.kernels.exchange import exchanged_bytes
from ...graph.kernels.kernel import Kernel, loop, range_size
from ...graph.node import Node, own_ranges
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rules.symbolic import coefficient_of, simplify
from ..joining.join import joined, without_stores
from ..joining.order import Entry, Order, Placed
from ..limits import MOST_JOINED
from ..places import NO_PLACES, Places
from .same_rows import LEAST_COLUMNS, inside_rows, rows_in_common, rows_of

#: numbers that an element which is computed where it is read is made of: those of a signal and of its window,
#: or the parts of a complex number
MOST_READ: Final = 2
MOST_OF_FEW: Final = 8
#: the same of the parts of a step, that of the most points
MOST_LOADS: Final = 128
#: bytes of a row's tiles in shared memory: blocks of it keep a processor busy
ROW_BYTES: Final = 1 << 15
#: the same of a core, where they stay in the second cache
CORE_ROW_BYTES: Final = 1 << 17
#: bytes between what neighbouring threads read or write, at most: lines are used whole all the same; and the
#: same where a thread has all of what is between
MOST_APART, LINE = 16, 128
#: places of a row that are made in parts each, at least: a team has several threads at work
LEAST_PLACES: Final = 4
#: results for each element of a row that is exchanged, at most
MOST_RESULTS: Final = 4


@rewrite_pass("join steps over rows")
def join_row_steps(
    kernels: list[Placed], roots: frozenset[Node], places: Places = NO_PLACES, light: bool = True
) -> list[Placed]:
    """The same kernels, with maps in the maps that alone read their results, in step with the `places`
    results go to. Tiles that are no work are `light`: a GPU makes them again, a core keeps them."""
    readers = Counter(memory for placed in kernels for memory in Entry(placed).reads)
    order: Order[Entry] = Order()
    for kernel, memories in kernels:
        plain = new = _without_light(Entry((kernel, memories)))
        while (found := _partner(order, new, readers, roots, places, light)) is not None:
            number, new = found
            if not order.can_wait(number):
                order.replace(number, new)
                break
            order.remove(number)
        else:
            order.append(new if light or new is not plain else Entry((kernel, memories)))
    return order.placed()


def _without_light(entry: Entry) -> Entry:
    """The same with tiles that are no work computed where they are read, unless its rows are exchanged."""
    if any(n.arg.exchanges for n in tiles_of(entry)):
        return entry
    return Entry((without_light_tiles(entry.kernel), entry.placed[1]))


def _partner(
    order: Order[Entry],
    new: Entry,
    readers: Counter[Node],
    roots: frozenset[Node],
    places: Places,
    light: bool,
) -> tuple[int, Entry] | None:
    """The latest map that a new one can be joined with, and both as one."""
    if not is_steps(new.kernel) or not new.is_plain:
        return None
    for number in sorted(order.writers(new.reads), reverse=True):
        first = _without_light(order[number])
        if not first.is_plain or not is_steps(first.kernel) or not first.writes <= new.reads:
            continue
        alone = all(readers[m] == 1 and m not in roots and m not in places.targets for m in first.writes)
        free = order.can_wait(number) or order.can_run_at(number, new)
        small = first.weight + new.weight <= MOST_JOINED and not new.writes & first.touches
        if alone and free and small and places.in_step(first, new):
            made = _as_one(first, new, light)
            if made is not None:
                return number, Entry(made)
    return None


def is_steps(kernel: Kernel) -> bool:
    """Is it a map, or maps over rows that exchange them?"""
    nests = [n for n in kernel.nodes if n.op in (Op.FOLD, Op.STAGE, Op.PREFIX, Op.SORT)]
    return all(n.op is Op.STAGE and n.arg.exchanges for n in nests)


def _as_one(first: Entry, new: Entry, light: bool) -> Placed | None:
    """One kernel of a map and its reader, if one of them is made in parts and that pays."""
    if not (part_axes(first.kernel) or part_axes(new.kernel) or tiles_of(first) or tiles_of(new)):
        return None
    loads = _loads_of(first, new)
    if any(n.op is Op.LOAD for load in loads for n in load.src[1].toposort()):
        return None
    # a core that reads a number or two for each result, to pack them, has registers for what they are made of
    most = MOST_OF_FEW if len(loads) <= MOST_READ and not light else MOST_READ
    once = None if tiles_of(first) and light else _read_once(first, new, loads, most, light)
    as_results = None if light else _as_results(first, new)
    return as_results or once or _in_a_tile(first, new, loads, light)


def _loads_of(first: Entry, new: Entry) -> list[Node]:
    """What one kernel reads of the results of another."""
    loads = [n for n in new.kernel.nodes if n.op is Op.LOAD and n.src[0].op is Op.PARAM]
    return [n for n in loads if new.memories[n.src[0].arg.slot] in first.writes]


def tiles_of(entry: Entry) -> list[Node]:
    return [n for n in entry.kernel.nodes if n.op is Op.STAGE]


# --- computed where it is read


def _read_once(first: Entry, new: Entry, loads: list[Node], most: int, light: bool) -> Placed | None:
    """One kernel that computes each element where it is read, if one thread reads it and it is made of few,
    `most`."""
    if not _reads_once(first, loads) or not all(map(is_within, loads)):
        return None
    for rows in rows_in_common(first, new, loads):
        inside = inside_rows(first, new, loads, rows)
        if inside is None or (tiles_of(first) and rows_of(first.kernel) != set(rows.of_first)):
            continue
        values = [(load, tile_value(tile, place)) for load, (tile, place) in inside.items()]
        found = {load: simplify(value) for load, value in values if value is not None}
        if len(found) < len(values) or any(len(_loads_in(value)) > most for value in found.values()):
            return None
        known = {load: where_read(load, value) for load, value in found.items()}
        # a tile is made once for its row
        outer = rows.of_new if tiles_of(first) else ()
        inner = tuple(r for r in new.kernel.order if r not in outer)
        return _checked(first, new, known, (*outer, *inner), light)
    return None


def _loads_in(value: Node) -> list[Node]:
    """What a value is made of, tiles as they are."""
    return [n for n in value.toposort(lambda n: n.op is not Op.STAGE) if n.op is Op.LOAD]


def _reads_once(first: Entry, loads: list[Node]) -> bool:
    """Does a kernel read each element that another one makes once at most?"""
    times = sum({load.src[:2]: prod(map(range_size, load.src[1].ranges)) for load in loads}.values())
    elements = prod(map(range_size, first.kernel.order)) * len(first.kernel.sink.src)
    return times <= elements


# --- as results


def _as_results(first: Entry, new: Entry) -> Placed | None:
    """One kernel whose last step stores what the other makes of its results, if that reads each of them once:

    y[i * 256 + k] = part i of x[k, :];  z[m] = f(y[m])    ->    z[i * 256 + k] = f(part i of x[k, :])
    """
    parts, loads = part_axes(first.kernel), _loads_of(first, new)
    if not parts or tiles_of(new) or len(loads) > MOST_READ or not _reads_once(first, loads):
        return None
    cut = _cut_at_parts(first, new, parts)
    if cut is None:
        return None
    new, outer = cut
    made = _read_once(first, new, _loads_of(first, new), MOST_LOADS, light=False)
    return made if made is not None and outer in part_axes(made[0]) else None


def _cut_at_parts(first: Entry, new: Entry, parts: list[Node]) -> tuple[Entry, Node] | None:
    """The reader with a loop that goes along a step's parts cut into one over them, which it gives as well,
    and one inside of a part."""
    loads = _loads_of(first, new)
    for part in parts:
        (step, *others) = {coefficient_of(store.src[1], part) for store in first.kernel.sink.src}
        for r in new.kernel.order:
            (apart, *more) = {coefficient_of(load.src[1], r) for load in loads}
            if others or more or not step or not apart or step % apart:
                continue
            if range_size(r) == range_size(part) * (step // apart) > range_size(part):
                number = new.kernel.next_axis()
                outer, inner = loop(number, range_size(part)), loop(number + 1, step // apart)
                sink = new.kernel.sink.substitute({r: outer * (step // apart) + inner})
                order = tuple(n for own in new.kernel.order for n in ((outer, inner) if own is r else (own,)))
                kernel = replace(new.kernel, sink=simplify(sink), order=order)
                return Entry((kernel, new.placed[1])), outer
    return None


# --- in a tile


def _in_a_tile(first: Entry, new: Entry, loads: list[Node], light: bool) -> Placed | None:
    """One kernel that exchanges a row of what the first one makes, if the other reads it row by row."""
    for rows in rows_in_common(first, new, loads):
        inside = inside_rows(first, new, loads, rows)
        if inside is None or any(
            rows_of(entry.kernel) != set(own)
            for entry, own in ((first, rows.of_first), (new, rows.of_new))
            if tiles_of(entry)
        ):
            continue
        tiles = list(dict.fromkeys(tile for tile, _ in inside.values()))
        size = sum(tile.arg.size for tile in tiles)
        inner = tuple(r for r in new.kernel.order if r not in rows.of_new)
        steps = [(tile.src[0], own_ranges(tile)) for tile in tiles]
        steps += [(store, inner) for store in new.kernel.sink.src]
        few = rows.columns * min(_places(value, loops) for value, loops in steps) < LEAST_PLACES
        if few or prod(map(range_size, inner)) > MOST_RESULTS * size:
            return None
        known = {load: terms.load(tile, at, *load.src[2:]) for load, (tile, at) in inside.items()}
        return _checked(first, new, known, (*rows.of_new, *inner), light)
    return None


def _places(value: Node, loops: tuple[Node, ...]) -> int:
    """For how many places a step makes its parts."""
    parts = _parts(value, loops)
    return prod(range_size(r) for r in loops if r not in parts)


def _parts(value: Node, loops: tuple[Node, ...]) -> list[Node]:
    return parts_among(value.toposort(lambda n: n.op is not Op.STAGE), loops)


# --- both


def _checked(
    first: Entry, new: Entry, known: dict[Node, Node], order: tuple[Node, ...], light: bool
) -> Placed | None:
    """Both as one kernel that has values of the first for what the other loads; None if threads side by side
    would be far apart in memory."""
    made, memories = joined(first.placed, new.placed, known=known)
    done = without_stores((made, memories), set(made.sink.src[: len(first.kernel.sink.src)]))
    if done is None:
        return None
    made, memories = done
    made = replace(made, sink=simplify(made.sink), order=order, reason=new.kernel.reason)
    most = ROW_BYTES if light else CORE_ROW_BYTES
    fits = exchanged_bytes(made.sink) * (LEAST_COLUMNS if column_of(made) else 1) <= most
    return (made, memories) if fits and _is_coalesced(made) else None


def _is_coalesced(kernel: Kernel) -> bool:
    """Do neighbouring threads of each step read and write neighbours?"""
    column = column_of(kernel)
    rows, columns = rows_of(kernel), () if column is None else (column,)
    steps = [(n.src[0], (*own_ranges(n), *columns)) for n in kernel.nodes if n.op is Op.STAGE]
    steps += [(store, (*(r for r in kernel.order if r not in rows), *columns)) for store in kernel.sink.src]
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
