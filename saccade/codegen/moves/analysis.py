"""What a kernel does, counted: how often each value is computed, which way each load runs; and whose its axes
are."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from math import prod

from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import LOOP, Kernel, range_size
from ...graph.monoid import ADD, SOFTMAX
from ...graph.node import Node, own_ranges
from ...graph.ops import ELEMENTWISE, NESTS, TRANSCENDENTAL, Op
from ...graph.rules.symbolic import coefficient_of
from ...runtime.cpu.machine import host_registers
from .legal import IllegalMove
from .ordered import conjuncts
from .sections import sections_of

#: parts of a stack that are written out, at the most; and those of stacks of stacks, along all their axes
MOST_PARTS, MOST_TOGETHER = 32, 64
#: elements from one lane to the next that vectors of neighbours and shuffles are for
MOST_STRIDE = 4


def times(node: Node) -> int:
    """How often a value is computed: once per point of the loops it depends on."""
    return prod(range_size(r) for r in node.ranges)


def work(kernel: Kernel) -> float:
    """Instructions on single elements, all iterations together."""
    total = 0.0
    for node in kernel.nodes:
        if node.op in ELEMENTWISE or node.op is Op.LOAD:
            total += times(node) * (12 if node.op in TRANSCENDENTAL else 1)
        elif node.op is Op.FOLD:
            total += prod(range_size(r) for r in own_ranges(node)) * times(node) * node.arg.width
        elif node.op is Op.SORT:
            rows, length = node.arg.outer * node.arg.inner, node.arg.length
            total += 16.0 * rows * length * max(length.bit_length(), 1)
    return total


def floating_operations(kernel: Kernel) -> int:
    """Floating-point operations as papers count them: one for each elementwise op and each step of a fold."""
    sections = sections_of(kernel)
    if sections:  # each runs over its own part of the loop
        return sum(floating_operations(section.kernel) for section in sections)
    total = 0
    for node in kernel.nodes:
        if not node.dtype.is_float:
            continue
        if node.op in ELEMENTWISE and node.op not in (Op.WHERE, Op.CAST, Op.BITCAST):
            total += times(node)
        elif node.op is Op.FOLD:
            products = 2 if node.arg == SOFTMAX else 1  # it multiplies what it sums
            total += prod(range_size(r) for r in own_ranges(node)) * times(node) * products
    return total


def bytes_moved(kernel: Kernel) -> int:
    """The least it can move: every buffer it reads and every one it writes once (no more than it touches)."""
    total = 0
    touched: dict[tuple[Node, Op], int] = {}
    for node in kernel.nodes:
        if node.op in (Op.LOAD, Op.STORE) and node.src[0].op is Op.PARAM:
            key = (node.src[0], node.op)
            touched[key] = touched.get(key, 0) + prod(range_size(r) for r in node.ranges)
    for (memory, _), count in touched.items():
        total += min(memory.arg.size, count) * memory.dtype.itemsize
    return total


def is_plain(r: Node) -> bool:
    """Is it a loop of a known length?"""
    return r.arg.kind == LOOP and r.src[0].op is Op.CONST


def direct_loads(roots: tuple[Node, ...]) -> list[Node]:
    """The loads a nest's innermost body does itself, those of folds and tiles inside it left out."""
    loads = []
    seen: set[Node] = set()
    for root in roots:
        for node in root.toposort(lambda n: n not in seen and n.op is not Op.FOLD and n.op is not Op.STAGE):
            seen.add(node)
            if node.op is Op.LOAD:
                loads.append(node)
    return loads


def places_of(load: Node) -> list[Node]:
    """The loads that the address of a load comes from: it is a lookup if there are any."""
    return [n for n in load.src[1].toposort() if n.op is Op.LOAD]


def runs_along(load: Node, r: Node) -> str:
    """How the address of a load or store changes along a range: same, next (neighbours), or jump."""
    if r not in load.ranges:
        return "same"
    if r in load.src[0].ranges:
        return "jump"  # another tile
    mask = load.src[2:] if load.op is Op.LOAD else load.src[3:]
    if mask and r in mask[0].ranges:
        return "jump"
    stride = coefficient_of(load.src[1], r)
    return "same" if stride == 0 else "next" if stride in (1, -1) else "jump"


def run_of(load: Node, fold: Node) -> int:
    """Steps of a fold, at its end, that are neighbours in memory."""
    run = 1
    for r in reversed(own_ranges(fold)):
        if coefficient_of(load.src[1], r) != run:
            break
        run *= range_size(r)
    return run


def is_short_stride(stride: int) -> bool:
    """Do lanes so far apart, forwards or backwards, come as vectors of neighbours and shuffles?"""
    return not host_registers().by_lane and 1 < abs(stride) <= MOST_STRIDE


def load_cost(load: Node, r: Node, lanes: int) -> float:
    """Loads for each element where a range is a vector of lanes, instead of one."""
    way = runs_along(load, r)
    if way != "jump":
        return 1 / lanes
    stride = coefficient_of(load.src[1], r) if load.op is Op.LOAD and len(load.src) == 2 else None
    if stride is None or r in load.src[0].ranges or not is_short_stride(stride):
        return 1.5
    return 2 * abs(stride) / lanes


def holds_between(mask: Node, r: Node | None) -> bool:
    """Does a mask that holds at two points of a range hold at all points between them? Comparisons of
    what grows evenly along it do, and one that two lines meet holds at no second."""
    if r is None:
        return False
    moving = [part for part in conjuncts(mask) if r in part.ranges]
    return all(_is_comparison(part, r) for part in moving)


def _is_comparison(part: Node, r: Node) -> bool:
    """Is it x < y, or x = y of different slopes, with sides that grow evenly along a range?"""
    if part.op is not Op.LT and part.op is not Op.EQ:
        return False
    slopes = [coefficient_of(side, r) for side in part.src]
    return None not in slopes and (part.op is Op.LT or slopes[0] != slopes[1])


def runs_between_edges(load: Node, r: Node) -> bool:
    """Is it a load of neighbours along a range, some of which at its ends lie outside the memory?"""
    if load.op is not Op.LOAD or len(load.src) != 3 or r not in load.src[2].ranges or r in load.src[0].ranges:
        return False
    return coefficient_of(load.src[1], r) == 1 and holds_between(load.src[2], r)


def vector_profit(loads: list[Node], r: Node, lanes: int) -> float:
    """Loads per element when `r` is a vector axis, against one each when it is not: under 1 is a gain."""
    if not loads:
        return 1 / lanes
    masks = host_registers().masks
    each = (
        2 / lanes if masks and runs_between_edges(load, r) else load_cost(load, r, lanes) for load in loads
    )
    return sum(each) / len(loads)


def part_axes(kernel: Kernel) -> list[Node]:
    """The loops along which parts were stacked, each computed in its own way: conditions on nothing else
    choose between them. Written out, every part is computed for itself, and what they share once, instead of
    all of them for each with one chosen; the loops that are left must be some."""
    axes = parts_among(kernel.nodes, kernel.order)
    nests = [n for n in kernel.nodes if n.op in (Op.FOLD, Op.STAGE) and not n.ranges.isdisjoint(axes)]
    return [] if len(axes) == len(kernel.order) or nests else axes


def parts_among(nodes: Iterable[Node], loops: Collection[Node]) -> list[Node]:
    """Those of the loops along which parts were stacked."""
    short = {
        r for r in loops if r.arg.kind == LOOP and r.src[0].op is Op.CONST and range_size(r) <= MOST_PARTS
    }
    asked = [n.src[0] for n in nodes if n.op is Op.WHERE and n.src[0].ranges <= short]
    # what is asked of values chooses no part
    choices = [c.ranges for c in asked if not any(n.op is Op.LOAD for n in c.toposort())]
    axes = [r for r in loops if any(r in ranges for ranges in choices)]
    parts = prod(map(range_size, axes))
    most = MOST_PARTS if len(axes) == 1 else MOST_TOGETHER
    return axes if parts - 1 <= sum(map(bool, choices)) and parts <= most else []


def column_of(kernel: Kernel) -> Node | None:
    """The loop over columns that lie side by side, where each has tiles of its own: what is stored along it
    are neighbours, but for the parts of a number."""
    tiles = [n for n in kernel.nodes if n.op is Op.STAGE]
    free = frozenset.intersection(*(n.ranges for n in tiles)) if tiles else frozenset()
    stores = [store for store in kernel.sink.src if store.op is Op.STORE]
    for r in kernel.order:
        if r in free and all((coefficient_of(store.src[1], r) or MOST_PARTS) <= 2 for store in stores):
            return r
    return None


def kernel_name(kernel: Kernel) -> str:
    """What it does and over what: `add_1024x1024`, `map_16777216`, `sort_8x1000`."""
    first = kernel.sink.src[0]
    if first.op is Op.SORT:
        verb = "merge" if first.arg.run else "sort"
        return f"{verb}_{first.arg.outer * first.arg.inner}x{first.arg.length}"
    folds = [n.arg.kind for n in kernel.nodes if n.op is Op.FOLD]
    kind = folds[-1] if folds else "map"
    return f"{kind}_{'x'.join(str(range_size(r)) for r in kernel.order) or 'scalar'}"


# --- finding things


def find_range(kernel: Kernel, number: int) -> Node:
    found = next((r for r in kernel.ranges() if r.arg.number == number), None)
    if found is None:
        have = sorted(r.arg.number for r in kernel.ranges())
        raise IllegalMove(f"this kernel has no axis {number}: it has {have}")
    return found


def owner_of(kernel: Kernel, r: Node) -> Node | None:
    """The FOLD or STAGE that loops over `r`; None for an output loop."""
    if r in kernel.order:
        return None
    for node in kernel.nodes:
        if (node.op is Op.FOLD or node.op is Op.STAGE) and r in own_ranges(node):
            return node
    raise IllegalMove(f"axis {r.arg.number} belongs to no loop")


def kept_tiles(kernel: Kernel) -> list[Node]:
    """Tiles of results that folds keep and add to, step by step."""
    tiles = (n for n in kernel.nodes if n.op is Op.STAGE and n.arg.accumulates)
    return [tile for tile in tiles if tile.src[0].op is Op.FOLD]


def lone_store(kernel: Kernel) -> Node | None:
    """The store of a kernel that has one, which stores all of its results."""
    store = kernel.sink.src[0]
    plain = store.op is Op.STORE and len(store.src) == 3 and store.arg is None
    return store if plain and len(kernel.sink.src) == 1 else None


def lone_sum(kernel: Kernel) -> Node | None:
    """The sum that is the only nest inside of a kernel's own loops."""
    nests = [n for n in kernel.nodes if n.op in NESTS]
    return nests[0] if len(nests) == 1 and nests[0].op is Op.FOLD and nests[0].arg == ADD else None


def is_in_place(kernel: Kernel) -> bool:
    """Does it read what it writes, or combine with it? Then no element may be computed twice."""
    written = set(kernel.outputs)
    return any(map(terms.combines, kernel.sink.src)) or any(
        n.op is Op.LOAD and n.src[0].op is Op.PARAM and n.src[0].arg.slot in written for n in kernel.nodes
    )
