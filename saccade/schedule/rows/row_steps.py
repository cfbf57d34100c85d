"""Maps in steps over the same rows, as the stages of a Fourier transform, in one kernel: a team of a GPU's
threads, or a thread of a CPU, has a row, or a block of columns that lie side by side.

    y[i, k] = a few of x[i, :]      every element of x[i] is read by many of y[i]
    z[i, k] = a few of y[i, :]
        ->  for each i:  tile[k] = a few of x[i, :];  z[i, k] = a few of tile

In: kernels in order. Out: the same, with a map joined to the map that reads what it makes, if nobody else
does and one of them is made in parts (`part_axes`: a butterfly of a transform, numbers side by side), so that
a thread reads each element once for all of its results. Two ways:

    read once      every element is read by one thread, as those of a pack are by the first step: it is
                   computed where it is read, and no row is needed for that
    in a tile      a row of what is read is made of the same row, and fits a block's shared memory: threads
                   exchange it there (STAGE with `exchanges`), and it never goes to memory. A row is
                   contiguous, or a column of a matrix (`_Rows.columns`)

Transforms of 256 points were five kernels, each of which moves all points; they are one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Final

from ...codegen.moves.analysis import column_of, part_axes, parts_among
from ...codegen.moves.ordered import limits_of, reach
from ...codegen.moves.tile_values import tile_value, without_light_tiles
from ...graph.kernels import kernel as terms
from ...graph.kernels.exchange import exchanged_bytes
from ...graph.kernels.kernel import Kernel, loop, range_size
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
#: columns side by side that are worth a team: a sector of memory, of float32
LEAST_COLUMNS: Final = 8


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
        while (found := _partner(order, new, readers, roots, places)) is not None:
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
    order: Order[Entry], new: Entry, readers: Counter[Node], roots: frozenset[Node], places: Places
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
    for rows in _rows_in_common(first, new, loads):
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
        return _checked(first, new, known, new.kernel.order)
    return None


# --- in a tile


def _in_a_tile(first: Entry, new: Entry, loads: list[Node]) -> Placed | None:
    """One kernel that exchanges a row of what the first one makes, if the other reads it row by row."""
    for rows in _rows_in_common(first, new, loads):
        inside = _inside_rows(first, new, loads, rows)
        if inside is None or any(
            _rows_of(entry.kernel) != set(own)
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
        return _checked(first, new, known, (*rows.of_new, *inner))
    return None


def _places(value: Node, loops: tuple[Node, ...]) -> int:
    """For how many places a step makes its parts."""
    parts = _parts(value, loops)
    return prod(range_size(r) for r in loops if r not in parts)


def _parts(value: Node, loops: tuple[Node, ...]) -> list[Node]:
    return parts_among(value.toposort(lambda n: n.op is not Op.STAGE), loops)


@dataclass(frozen=True)
class _Rows:
    """Loops over the same rows, in two kernels; the last of them over `columns` that lie side by side, if
    these are more than one."""

    of_first: tuple[Node, ...]
    of_new: tuple[Node, ...]
    columns: int = 1


def _rows_in_common(first: Entry, new: Entry, loads: list[Node]) -> Iterator[_Rows]:
    """The outermost loops of the first that the other goes through in the same steps, as many as possible
    first, and before those alone columns beside each other in each."""
    pairs: list[tuple[Node, Node]] = []
    for r in first.kernel.order:
        other = _same_loop(first, new, loads, r)
        if other is None or other in dict(pairs).values():
            break
        pairs.append((r, other))
    column = _same_column(first, new, loads)
    for count in range(len(pairs), -1, -1):
        of_first, of_new = (tuple(pair[at] for pair in pairs[:count]) for at in range(2))
        if column is not None and column[0] not in of_first and column[1] not in of_new:
            yield _Rows((*of_first, column[0]), (*of_new, column[1]), range_size(column[0]))
        yield _Rows(of_first, of_new)


def _same_loop(first: Entry, new: Entry, loads: list[Node], r: Node) -> Node | None:
    """The loop of the other kernel that steps through what is stored as a loop of the first does."""
    steps = {first.memories[s.src[0].arg.slot]: coefficient_of(s.src[1], r) for s in first.kernel.sink.src}
    for other in new.kernel.order:
        same = all(coefficient_of(x.src[1], other) == steps[new.memories[x.src[0].arg.slot]] for x in loads)
        if same and range_size(other) == range_size(r):
            return other
    return None


def _same_column(first: Entry, new: Entry, loads: list[Node]) -> tuple[Node, Node] | None:
    """The loops over columns that lie side by side, none of them a part of a step."""
    for r in first.kernel.order:
        if all(coefficient_of(store.src[1], r) == 1 for store in first.kernel.sink.src):
            other = _same_loop(first, new, loads, r)
            parts = {*part_axes(first.kernel), *part_axes(new.kernel)}
            if other is not None and not parts & {r, other} and range_size(r) >= LEAST_COLUMNS:
                return r, other
    return None


def _rows_of(kernel: Kernel) -> set[Node]:
    """The loops that tiles are made for one iteration of."""
    return {r for n in kernel.nodes if n.op is Op.STAGE for r in n.ranges}


def _inside_rows(
    first: Entry, new: Entry, loads: list[Node], rows: _Rows
) -> dict[Node, tuple[Node, Node]] | None:
    """For each load a tile of a row of what the first kernel makes, with loops of its own, and where in it
    the load is; None if that may be in another row."""
    made: dict[Node, tuple[Node, Node]] = {}
    same = dict(zip(rows.of_first, rows.of_new, strict=True))
    kernel = _apart(first.kernel, same, max(first.kernel.next_axis(), new.kernel.next_axis()))
    own = [r for r in kernel.order if r not in rows.of_new]
    start = kernel.next_axis()
    for store in kernel.sink.src:
        size = _row_size(store, rows, own)
        if size is None:
            return None
        steps = affine(store.src[1])[0]
        memory = first.memories[store.src[0].arg.slot]
        inner = {r: loop(start + at, range_size(r)) for at, r in enumerate(own)}
        start += len(own) + 1
        moved = store.substitute(inner)
        index = _within(moved.src[1], rows)
        tile = terms.stage(moved.src[2], index, tuple(inner.values()), start - 1, size, exchanges=True)
        for load in loads:
            if new.memories[load.src[0].arg.slot] is memory:
                if not _is_inside(load, rows, steps, size):
                    return None
                made[load] = tile, _within(load.src[1], rows)
    return made


def _within(index: Node, rows: _Rows) -> Node:
    """A place in its own row."""
    return simplify(index.substitute(dict.fromkeys(rows.of_new, index_const(0))) // rows.columns)


def _row_size(store: Node, rows: _Rows, own: list[Node]) -> int | None:
    """How many elements of a memory are a row, if rows lie one behind the other, or columns side by side and
    blocks of them one behind the other."""
    steps, start = affine(store.src[1])
    if start or any(term.op is not Op.RANGE for term in steps) or not own:
        return None
    if any(step % rows.columns for r, step in steps.items() if r in own):
        return None
    size = 1 + sum(step // rows.columns * (range_size(r) - 1) for r, step in steps.items() if r in own)
    reached = size * rows.columns
    for r in reversed(rows.of_new[:-1] if rows.columns > 1 else rows.of_new):
        if steps.get(r, 0) != reached:
            return None
        reached *= range_size(r)
    return size


def _is_inside(load: Node, rows: _Rows, steps: dict[Node, int], size: int) -> bool:
    """Is a load always in its own row?"""
    terms_of, start = affine(load.src[1])
    if start % rows.columns or any(terms_of.get(r, 0) != steps[r] for r in rows.of_new):
        return False
    limits = limits_of(load.src[2]) if len(load.src) == 3 else {}
    low = high = float(start)
    for term, step in terms_of.items():
        if term not in rows.of_new:
            if term.ranges & set(rows.of_new) or step % rows.columns:
                return False
            ends = [step * end for end in reach(term, limits)]
            low, high = low + min(ends), high + max(ends)
    return low >= 0 and high < size * rows.columns


# --- both


def _apart(kernel: Kernel, same: dict[Node, Node], start: int) -> Kernel:
    """The kernel with other loops for some, and all the rest, and its tiles, numbered from `start` on."""
    done: dict[Node, Node] = {}
    for node in kernel.nodes:
        src = tuple([done[s] for s in node.src])
        arg = node.arg
        if node.op is Op.STAGE or (node.op is Op.RANGE and node not in same):
            arg, start = replace(arg, number=start), start + 1
        done[node] = node if src == node.src and arg is node.arg else make(node.op, node.dtype, src, arg)
        done[node] = same.get(node, done[node])
    order = tuple(done.get(r, r) for r in kernel.order)
    return replace(kernel, sink=done[kernel.sink], order=order)


def _checked(first: Entry, new: Entry, known: dict[Node, Node], order: tuple[Node, ...]) -> Placed | None:
    """Both as one kernel that has values of the first for what the other loads; None if threads side by side
    would be far apart in memory."""
    made, memories = joined(first.placed, new.placed, known=known)
    done = without_stores((made, memories), set(made.sink.src[: len(first.kernel.sink.src)]))
    if done is None:
        return None
    made, memories = done
    made = replace(made, sink=simplify(made.sink), order=order, reason=new.kernel.reason)
    fits = exchanged_bytes(made.sink) * (LEAST_COLUMNS if column_of(made) else 1) <= ROW_BYTES
    return (made, memories) if fits and _is_coalesced(made) else None


def _is_coalesced(kernel: Kernel) -> bool:
    """Do neighbouring threads of each step read and write neighbours?"""
    column = column_of(kernel)
    rows, columns = _rows_of(kernel), () if column is None else (column,)
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
