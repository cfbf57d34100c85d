"""Which axis of each nest is a vector, and how wide it is: that of the stores, of each fold and each tile.

    kernel = vectorise(kernel)

An axis is worth it if what is loaded and stored along it lies in a row; the others go along with it. How many
lanes there are is a number of registers: more of them where a function's steps or a sum's additions wait for
each other, fewer where parts of a stack fill them.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd, prod

from ...graph import dtypes
from ...graph.kernels.kernel import UNROLL, VECTOR, Kernel, is_register, is_update, range_size
from ...graph.monoid import ARGMAX, ARGMIN
from ...graph.node import Node, own_ranges
from ...graph.ops import ELEMENTWISE, TRANSCENDENTAL, Op
from ...graph.rules.symbolic import coefficient_of
from ...runtime.cpu.machine import host_registers
from ..linear.skip import skip_of
from ..moves.analysis import (
    direct_loads,
    is_in_place,
    is_plain,
    load_cost,
    runs_along,
    runs_between_edges,
    times,
    vector_profit,
)
from ..moves.moves import Bind, Split, rule_if_legal, step, step_if_legal
from ..moves.ordered import sequential_axes
from ..moves.tile_values import has_loops_inside
from .columns import HEAVY
from .products.dots import READ
from .transpose import block_transposes, crosses, turn_tile

#: bytes of a vector in the code we write: LLVM cuts it into what the machine has (four NEON, two AVX, one
#: AVX-512 register)
VECTOR_BYTES = 64
#: bytes of the sums of a cheap fold along memory, and registers they fill at least: an addition takes four
#: cycles
SUM_BYTES, SUMS = 128, 4
#: registers of a vector whose elements take a function: one waits for each step of it, and the steps of two
#: take turns
IN_TURNS = 2
#: how much more of a row wider vectors may compute
WASTE = 1.1
#: vectors of a row that are summed at a time, the most first
WIDE = (8, 4, 2)
_HEAVY = HEAVY | {Op.FOLD}
#: vectors of a row that is searched in lanes, at least
PAIRS = 4
#: vectors of a row that may become straight code
STRAIGHT = 32


def lanes_of(node: Node, along: Node | None = None) -> int:
    """How many elements of the widest type below fit a vector, of those that change along a loop."""
    values = [n for n in node.toposort() if n.op is Op.LOAD or n.op is Op.FOLD]
    widest = max((n.dtype.itemsize for n in values if along is None or along in n.ranges), default=4)
    return max(VECTOR_BYTES // max(widest, 4), 1)


def owns(nest: Node, number: int) -> bool:
    return any(r.arg.number == number for r in own_ranges(nest))


def vectorise(kernel: Kernel) -> Kernel:
    """Choose a vector axis for the output nest, then for every fold and tile that does not depend on it."""
    kernel = rule_if_legal(_vectorise_output(kernel), block_transposes)
    for number in nests_of(kernel):
        kernel = _vectorise_results(kernel, number)
    for number in nests_of(kernel):
        kernel = _vectorise_nest(kernel, number)
    return kernel


def _vectorise_output(kernel: Kernel) -> Kernel:
    if any(r.arg.kind == VECTOR for r in kernel.order) or any(map(is_update, kernel.sink.src)):
        return kernel
    fixed = sequential_axes(kernel)
    best, best_gain = None, 0.0
    # a vector of padding costs next to nothing
    share = 0.6 if skip_of(kernel) is None else 1.0
    for r in kernel.order:
        if r in fixed or is_register(r) or range_size(r) < 2:
            continue
        scalar, vector = _cost_along(kernel, r, lanes_of(kernel.sink, r))
        if vector < share * scalar and scalar - vector > best_gain:
            best, best_gain = r, scalar - vector
    if best is None:
        return kernel
    lanes = lanes_of(kernel.sink, best)
    if any(n.op is Op.FOLD and n.arg.kind.startswith("top") and best in n.ranges for n in kernel.nodes):
        return _split_rows(kernel, best)
    wide = next((w for w in WIDE if range_size(best) % (w * lanes) == 0), 1)
    if wide > 1 and _goes_down_columns(kernel, best):
        return _split_vector(kernel, best, wide * lanes)
    lanes = _in_turns(_fitting(kernel, lanes), range_size(best), kernel.nodes)
    if _is_short_row(kernel, best, lanes):
        outer = kernel.next_axis()
        kernel = _split_vector(kernel, best, lanes * host_registers().bytes // VECTOR_BYTES)
        return step_if_legal(kernel, Bind(outer, UNROLL))
    return _split_between_edges(kernel, best, lanes)


def _in_turns(lanes: int, length: int, inside: Iterable[Node]) -> int:
    """Lanes of `IN_TURNS` registers at least where functions are computed, unless the row's end would be
    computed twice for it. A Skylake keeps 97 instructions waiting, not even two vectors of a GELU: 103 -> 88
    us for 65,536 elements, 68 -> 60 of an exponential; a Cascade Lake takes 1.64 ns for a sine of float64,
    one by one 2.08."""
    sizes = [n.dtype.itemsize for n in inside if n.op in TRANSCENDENTAL and n.dtype.itemsize >= 4]
    least = IN_TURNS * host_registers().bytes // min(sizes, default=4)
    if lanes >= least or not sizes:
        return lanes
    return least if -(-length // least) * least <= -(-length // lanes) * lanes * WASTE else lanes


def _fitting(kernel: Kernel, lanes: int) -> int:
    """Lanes of which the parts of a stack fill half the registers at most, the other half is for what they
    come from: 2.6 -> 2.2 ms for transforms of 64 x 4096 points on a Neoverse N1."""
    parts = prod(range_size(r) for r in kernel.order if r.arg.kind == UNROLL)
    registers = host_registers()
    room, least = registers.bytes * registers.count // 2, registers.bytes // 4
    while parts > 1 and lanes > least and parts * lanes * 4 > room:
        lanes //= 2
    return lanes


def _is_short_row(kernel: Kernel, r: Node, lanes: int) -> bool:
    """Is it a light map of short rows that no wide vector divides? As straight code of machine vectors it has
    no loop that ends after a few steps, and stores next to nothing twice: heads of 40 of 3 x 333 took 180 us,
    and take 120 on a Neoverse N1, outer products of 65 400 and 350."""
    n, nodes = range_size(r), kernel.nodes
    steps = -(-n // max(lanes * host_registers().bytes // VECTOR_BYTES, 1))
    loads = [node for node in nodes if node.op is Op.LOAD]
    light = not any(node.op in _HEAVY or node.op is Op.STAGE for node in nodes)
    inside = [node for node in nodes if node.op in ELEMENTWISE and r in node.ranges]
    instructions = sum(node.dtype is not dtypes.index for node in inside)
    return (
        host_registers().by_lane
        and light
        and n % lanes > 0
        and not is_in_place(kernel)
        and steps <= STRAIGHT
        and steps * instructions <= 2 * STRAIGHT
        and all(runs_along(load, r) != "jump" for load in loads)
        and all(runs_along(store, r) == "next" for store in kernel.sink.src)
    )


def _goes_down_columns(kernel: Kernel, r: Node) -> bool:
    """Are there only light folds of rows that lie along an axis? With as many sums as there are registers,
    rows are read as they lie in memory: 2.3 -> 0.7 ms for 32 rows of 2,048 times 32 matrices of 2,048 x 64,
    5.4 -> 2.3 for sums over the middle of 64 x 256 x 256. Two folds are one after the other: 148 -> 58 us for
    the largest less the least of 64 x 64 x 64."""
    folds = [n for n in kernel.nodes if n.op is Op.FOLD and r in n.ranges]
    bodies = [body for f in folds for body in f.src[: f.arg.elements]]
    loads = direct_loads(tuple(bodies))
    inside = [n for body in bodies for n in body.toposort(lambda n: n.op is not Op.STAGE)]
    light = all(n.op not in _HEAVY for n in inside)
    return (
        bool(folds)
        # sums of 64 bits, of narrower elements as a rule, spill
        and all(f.arg.width == 1 and f.dtype.itemsize <= 4 for f in folds)
        and light
        and any(runs_along(load, r) == "next" for load in loads)
        and all(len(load.src) == 2 and runs_along(load, r) != "jump" for load in loads)
        and all(runs_along(store, r) == "next" for store in kernel.sink.src)
    )


def _split_between_edges(kernel: Kernel, r: Node, lanes: int) -> Kernel:
    """The widest vectors that no edge of what is read goes through; else narrow ones, so that few lanes
    share the fate of an edge."""
    least = min(lanes, host_registers().bytes // 4)
    while lanes > least and not host_registers().masks:
        made = _split_vector(kernel, r, lanes)
        new = [own for own in made.order if own.arg.kind == VECTOR]
        if not any(runs_between_edges(node, own) for own in new for node in made.nodes):
            return made
        lanes //= 2
    return _split_vector(kernel, r, lanes)


def _split_rows(kernel: Kernel, r: Node) -> Kernel:
    """For top-k: machine vectors, several at once, so that an insertion concerns few lanes."""
    lanes = host_registers().bytes // 4
    if range_size(r) < 4 * lanes:
        return _split_vector(kernel, r, lanes)
    kernel = step(kernel, Split(r.arg.number, 4 * lanes, UNROLL))
    return step(kernel, Split(kernel.order[-1].arg.number, lanes, VECTOR))


def _cost_along(kernel: Kernel, r: Node, lanes: int) -> tuple[float, float]:
    """Instructions of everything that depends on an output axis: with the folds' own vector axes, and with
    that axis a vector."""
    n = range_size(r)
    lanes = min(lanes, 1 << (n.bit_length() - 1))
    waste = -(-n // lanes) * lanes / n
    scalar = vector = 0.0
    within = {axis for f in kernel.nodes if f.op is Op.FOLD and (axis := _nest_axis(f)) is not None}
    for node in kernel.nodes:
        if node.op is Op.RANGE and node is not r and r in node.ranges:
            return 1.0, float("inf")  # every lane would loop to an end of its own
        arithmetic = node.op not in (Op.LOAD, Op.STORE, Op.STAGE, Op.FOLD)
        # addresses cost next to nothing
        if r not in node.ranges or (node.dtype is dtypes.index and arithmetic):
            continue
        often = float(times(node))
        if node.op is Op.LOAD or node.op is Op.STORE:
            factor = load_cost(node, r, lanes)
            if runs_between_edges(node, r):
                factor = 2 / lanes
            elif node.op is Op.LOAD and crosses(kernel, node, r) is not None:
                factor = 0.3  # turned a block at a time
        elif node.op is Op.STAGE:
            return 1.0, float("inf")  # a tile would have to be kept for every lane
        elif node.op is Op.FOLD:
            if any(own.arg.kind == VECTOR for own in own_ranges(node)):
                return 1.0, float("inf")
            often *= prod(range_size(own) for own in own_ranges(node)) * node.arg.width
            factor = 1 / lanes
        else:
            factor = 1 / lanes
        inner = node.ranges | set(own_ranges(node)) if node.op is Op.FOLD else node.ranges
        # in a fold with vectors of its own a load may still come lane by lane
        own_way = [
            load_cost(node, axis, lanes) if node.op is Op.LOAD else 1 / lanes for axis in inner & within
        ]
        scalar += often * max(own_way, default=1.0)
        vector += often * factor * waste
    return scalar, vector


def _split_vector(kernel: Kernel, r: Node, lanes: int) -> Kernel:
    """Make (part of) an axis the vector axis: the largest power of two that fits."""
    n = range_size(r)
    width = lanes
    while width > n:
        width //= 2
    if width < 2:
        return kernel
    if n % width and is_in_place(kernel):
        return kernel
    if width == n:
        return step(kernel, Bind(r.arg.number, VECTOR))
    return step(kernel, Split(r.arg.number, width, VECTOR))


def nests_of(kernel: Kernel) -> list[int]:
    """The folds and tiles, named by their first range."""
    return [
        own_ranges(n)[0].arg.number for n in kernel.nodes if n.op in (Op.FOLD, Op.STAGE) and own_ranges(n)
    ]


def nest_at(kernel: Kernel, number: int) -> Node | None:
    """The fold or tile whose first range has this number; else one with a later range of it."""
    nests = [n for n in kernel.nodes if n.op in (Op.FOLD, Op.STAGE) and owns(n, number)]
    return next((n for n in nests if own_ranges(n)[0].arg.number == number), next(iter(nests), None))


def _vectorise_results(kernel: Kernel, number: int) -> Kernel:
    """A tile or a fold of reductions gets the vector axis that it would have as the output: each lane reduces
    a column of its own where columns lie side by side."""
    nest = nest_at(kernel, number)
    if nest is None or not has_loops_inside(nest) or (nest.op is Op.FOLD and nest.arg.width > 1):
        return kernel
    bodies = _bodies(nest)
    inside = [n for body in bodies for n in body.toposort()]
    if any(n.op is Op.FOLD and n.arg.kind.startswith("top") for n in inside):
        return kernel
    if any(r.arg.kind == VECTOR for body in bodies for r in body.ranges):
        return kernel
    best, best_gain = None, 0.0
    for r in own_ranges(nest):
        if not is_plain(r) or range_size(r) < 4:
            continue
        if nest.op is Op.STAGE and coefficient_of(bodies[1], r) != 1:
            continue
        scalar, vector = _cost_along(kernel, r, lanes_of(nest, r))
        if vector < 0.6 * scalar and scalar - vector > best_gain:
            best, best_gain = r, scalar - vector
    return kernel if best is None else _split_nest(kernel, nest, best, inside)


def _vectorise_nest(kernel: Kernel, number: int) -> Kernel:
    node = nest_at(kernel, number)
    turned = turn_tile(kernel, node) if node is not None and node.op is Op.STAGE else None
    if turned is not None:
        return turned
    best = _nest_axis(node) if node is not None else None
    return kernel if node is None or best is None else _split_nest(kernel, node, best, _inside(node))


def _split_nest(kernel: Kernel, node: Node, best: Node, inside: list[Node]) -> Kernel:
    """With a vector along an axis of a fold or a tile, which computes what is inside for each element."""
    lanes = lanes_of(node)
    if node.op is Op.FOLD and not any(n.op in TRANSCENDENTAL for n in inside):
        # what comes lane by lane takes longer than an addition: several sums hide nothing, and LLVM took 2 s
        # for 16 of them
        if not any(n.op is Op.LOAD and _leaves_places_out(n, best) for n in inside):
            lanes = lanes * _sum_bytes(node) // VECTOR_BYTES
    else:
        lanes = _in_turns(lanes, range_size(best), inside)
    if _rounds(node):
        lanes = gcd(lanes, range_size(best))
        if lanes == 1:
            return kernel
    made, left = _split_vector(kernel, best, lanes), kernel.next_axis() + 2
    rest = any(r.arg.number == left for r in made.ranges())
    # a rest of the sum is a fold of its own
    return _vectorise_nest(made, left) if rest and node.op is Op.FOLD and node.arg.width == 1 else made


def _fills_in_turns(tile: Node, r: Node) -> bool:
    """Do vectors along a range and the parts between their lanes fill a piece of a tile together? They are
    interleaved in registers."""
    step, parts = coefficient_of(tile.src[1], r), [p for p in own_ranges(tile) if p.arg.kind == UNROLL]
    return any(coefficient_of(tile.src[1], p) == 1 and range_size(p) == step for p in parts)


def _leaves_places_out(load: Node, r: Node) -> bool:
    """Is what a load reads along a range some places apart, always as many?"""
    return coefficient_of(load.src[1], r) not in (None, 0, 1, -1)


def _sum_bytes(fold: Node) -> int:
    """Bytes of the sums of a result: several registers, a power of two, where those of all unrolled results
    fit."""
    registers, wide = host_registers(), max(SUM_BYTES, SUMS * host_registers().bytes)
    results = prod(range_size(r) for r in fold.ranges if r.arg.kind == UNROLL)
    if registers.by_lane or results == 1:
        return wide
    fitting = max((registers.count - READ) // results, 1)
    return max(min(wide, registers.bytes << (fitting.bit_length() - 1)), VECTOR_BYTES)


def _rounds(nest: Node) -> bool:
    """Is it a sum in a narrow type? It is rounded once at its end, and a rest of it would be once more."""
    sums = nest.op is Op.FOLD and nest.arg.kind in ("add", "mul")
    return sums and nest.dtype.is_float and nest.dtype.itemsize < 4


def _inside(fold: Node) -> list[Node]:
    """What a fold computes for each element, that of tiles and other folds left out."""
    nests = (Op.FOLD, Op.STAGE)
    return [n for body in _bodies(fold) for n in body.toposort(lambda n: n.op not in nests)]


def _bodies(nest: Node) -> tuple[Node, ...]:
    return nest.src[: nest.arg.elements] if nest.op is Op.FOLD else nest.src[:2]


def _goes_across(folds: list[Node], loads: list[Node], r: Node) -> bool:
    """Do folds inside of another one go across what lies side by side along its loop? They are sums of
    vectors then: (e.sum(1) ** 2 - (e * e).sum(1)).sum(1) of 512 x 40 x 64 2.46 -> 0.40 ms, one thread of a
    Cascade Lake."""
    plain = all(f.arg.width == 1 and all(own.arg.kind != VECTOR for own in own_ranges(f)) for f in folds)
    return plain and all(runs_along(load, r) != "jump" for load in loads)


def _nest_axis(node: Node) -> Node | None:
    """The axis of a fold or a tile that is worth a vector."""
    body = _bodies(node)
    if any(r.arg.kind == VECTOR for b in body for r in b.ranges):
        return None
    pairs = node.op is Op.FOLD and node.arg.width > 1
    if pairs and node.arg not in (ARGMAX, ARGMIN):
        return None
    lanes = lanes_of(node)
    candidates = [r for r in own_ranges(node) if is_plain(r) and range_size(r) >= 4]
    if pairs:  # every lane keeps a best pair of its own, and all of them meet at the end
        long = len(own_ranges(node)) == 1
        candidates = [r for r in candidates if long and range_size(r) >= PAIRS * lanes]
    best, best_score = None, 0.6
    loads = direct_loads(body) if candidates else []
    for r in candidates:
        folds = [n for b in body for n in b.toposort() if n.op is Op.FOLD and r in n.ranges]
        inside = [n for f in folds for n in f.src[0].toposort() if n.op is Op.LOAD]
        score = vector_profit(loads or inside, r, lanes)
        if node.op is Op.STAGE and coefficient_of(node.src[1], r) != 1 and not _fills_in_turns(node, r):
            score += 0.5
        if folds and (node.op is Op.STAGE or not _goes_across(folds, inside, r)):
            score += 1.0  # a fold in its body would become a vector of folds
        if score < best_score:
            best, best_score = r, score
    return best
