"""Reductions that would leave a GPU to a few threads, where they are computed by their reader.

    x / x.square().sum().sqrt()     the sum has one result: the block that has it would divide all of x
        ->  the norm is stored, and the division is a map of its own

    row_loss(x).mean()              the mean has one result: its block would reduce every row by itself
        ->  the losses are stored, a team for each row, and the mean is short

    x.amax(1).mean()                rows of 18: a thread of the mean would have each, and a warp read 32 rows
                                    at a time, of each a sector for every four bytes
        ->  the maxima are stored, a few lanes for each row

On a GPU a team of threads has a result of a reduction and what depends on it (`codegen/cuda/schemes`). So
a kernel has no more teams than its reductions have common results. That is as many as there are rows in a
softmax, and one where a map follows the norm of a whole tensor.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Final

from ....graph.kernels.kernel import range_size
from ....graph.node import Node
from ....graph.ops import ELEMENTWISE, MOVEMENT, Op
from ....transform.lying import Lying, memory_of
from ...cost import Machine
from ...limits import MOST_IN_A_ROW
from ...products.product import product_of
from ..draft import Context, Request, fold_free

#: threads of the largest team, and the least reduction that has a team; shorter ones are a thread's work
TEAM, TEAM_LENGTH = 1024, 32
#: reductions up to this are written out, and computed again by every thread
WRITTEN_OUT: Final = 8
#: launches that a kernel has to lose by its idle threads before a store is worth it
LAUNCHES: Final = 2.0
#: work on one point of a kernel: it loads four bytes
POINT_BYTES: Final = 4
#: elements of a sector of memory, which is loaded as a whole
SECTOR: Final = 8.0
#: times as long as from lanes side by side, what threads take that read rows of their own
ACROSS: Final = 2.5
#: times the elements of its reductions that a kernel has to have as other points: a softmax of few rows gains
#: nothing from a store, because its reductions have few teams themselves
POINTS: Final = 8
#: results of a stored reduction for each team that it had
MORE_ROWS: Final = 4

_NEAR = ELEMENTWISE | MOVEMENT | {Op.REDUCE}

FEW_RESULTS = "a large kernel would have no more teams than this has results"
FEW_READERS = "the reduction that reads it has too few teams to make it"
ACROSS_ROWS = "threads of the reduction that reads it would read across rows"


def idle_reason(node: Node, requests: list[Request], machine: Machine) -> str | None:
    """Why a value with a reduction in it is stored lest threads be idle; None where computing it in place
    keeps enough of them busy."""
    found = nearest_reductions(node)
    longest = max(map(reduction_length, found), default=0)
    if longest >= TEAM_LENGTH and any(_cross(node, found, each, machine) for each in _by_kernel(requests)):
        return FEW_RESULTS
    for request in requests:
        context, free = request.context, fold_free(node, request)
        request.by_teams = request.by_teams or longest >= TEAM_LENGTH
        if free & frozenset(context.inner):
            if 2 * _sizes(free) <= node.size or _is_of_one(node, found):
                continue
            if _waits(node, found, context, machine):
                return FEW_READERS
            if _reads_across(node, found, request, machine):
                return ACROSS_ROWS
            continue
        if longest > WRITTEN_OUT and _leaves_idle(node, free, request.by_teams, found, context, machine):
            return FEW_RESULTS
        if longest >= TEAM_LENGTH and _crosses_others(node, longest, request, machine):
            return FEW_RESULTS
    return None


def _by_kernel(requests: list[Request]) -> list[list[Request]]:
    """The requests of each kernel that has a value outside of its reductions in more than one place."""
    kernels: dict[object, list[Request]] = {}
    for request in requests:
        if not request.context.inner:
            kernels.setdefault(request.draft, []).append(request)
    return [each for each in kernels.values() if len(each) > 1]


def _cross(node: Node, found: list[Node], requests: list[Request], machine: Machine) -> bool:
    """Does a kernel ask for a value by loops that have few in common, as of a scale of rows that columns are
    divided by, too? A team has one iteration of those: of none, the whole kernel is one team's."""
    context, reader = requests[0].context, requests[0].draft.node
    rows = _sizes(frozenset(context.outer).intersection(*[fold_free(node, r) for r in requests]))
    work = max(_points(context), _elements(nearest_reductions(reader)))
    return MORE_ROWS * rows <= node.size and _is_idle(rows * TEAM, work, machine)


def _crosses_others(node: Node, longest: int, request: Request, machine: Machine) -> bool:
    """Are there reductions in the kernel already by loops that have few in common with those of this one, as
    of totals of rows beside those of columns? Few teams would have all of its points, each a long sum."""
    outer, free = frozenset(request.context.outer), fold_free(node, request)
    crossed = [held for held in request.draft.chain if not (free <= held or held <= free)]
    rows = _sizes((outer & free).intersection(*crossed))
    work = _points(request.context) * longest
    return bool(crossed) and MORE_ROWS * rows <= node.size and _is_idle(rows * TEAM, work, machine)


def _is_of_one(node: Node, found: list[Node]) -> bool:
    """Is it made of one value with reductions? Not it is stored, but that value: others may read it too."""
    return node not in found and sum(bool(nearest_reductions(s)) for s in dict.fromkeys(node.src)) == 1


def _waits(node: Node, found: list[Node], context: Context, machine: Machine) -> bool:
    """Would a value inside of a reduction be made by few threads, of which there are more in a kernel of its
    own? Products of matrices have theirs anyway (`forms`)."""
    reductions = _by_teams(found)
    rows, results = _sizes(context.outer), max((n.size for n in reductions), default=0)
    threads = min(rows * TEAM, _points(context))
    return MORE_ROWS * rows <= node.size <= results and _is_idle(threads, _elements(reductions), machine)


def _reads_across(node: Node, found: list[Node], request: Request, machine: Machine) -> bool:
    """Would each thread of a reduction reduce rows of memory for it, and read across those of others? Lanes
    for each row make up for a store, but not where the reader reads the same rows itself."""
    if not found or any(node.size > n.size for n in found) or _points(request.context) > 2 * node.size:
        return False
    rows = [_row_of(n, machine) for n in found]
    if any(row is None for row in rows):
        return False
    reader = request.draft.node
    beside = reader.toposort(lambda n: n is reader or (n not in found and (n.op in _NEAR or not n.src)))
    return not any(n in rows for n in beside)


def _row_of(node: Node, machine: Machine) -> Node | None:
    """The memory of which a reduction reads rows, each once, where threads lose more by that than a store."""
    if node.op is not Op.REDUCE or reduction_length(node) <= WRITTEN_OUT:
        return None
    (source,), (_, axes), lying = node.src, node.arg, Lying()
    largest = lying.largest(source)
    if lying.innermost(source) not in axes or 2 * memory_of(largest) < source.size:
        return None
    lost = (ACROSS - 1.0) * source.size * POINT_BYTES - 2 * node.size * node.dtype.itemsize
    while largest.op in MOVEMENT:
        largest = largest.src[0]
    return largest if lost * machine.memory_byte > machine.launch else None


def tile_leaves_idle(node: Node, held: frozenset[Node], requests: list[Request], machine: Machine) -> bool:
    """The same for a tile, which a team makes for itself in each iteration of the loops that hold it; or
    would few teams make a tile that is large? RoPE reads results of a product in pairs: one tile of all of
    them would be a product by one block."""
    if machine.wanted and any(_shares_rows(held, request) for request in requests):
        return True
    found = nearest_reductions(node) if machine.wanted else []
    long = _by_teams(found)
    few = {_sizes(r for r in request.context.outer if r in held) for request in requests}
    if any(MORE_ROWS * rows <= node.size and _is_idle(rows * TEAM, _elements(long), machine) for rows in few):
        return True
    return bool(found) and any(_leaves_idle(node, held, True, found, r.context, machine) for r in requests)


def _shares_rows(held: frozenset[Node], request: Request) -> bool:
    """Is a tile read by long reductions of rows within a team's, whose results many points share? Each thread
    would compute them for itself: 4,096 points of 64 x 64 read 64 times as much as one team for each row."""
    context = request.context
    rows = frozenset(context.outer)
    return _sizes(context.inner) >= TEAM_LENGTH and not rows <= held and len(rows) < len(request.draft.outer)


def _leaves_idle(
    node: Node, held: frozenset[Node], by_teams: bool, found: list[Node], context: Context, machine: Machine
) -> bool:
    """Would a value made once for each iteration of the loops in `held`, by the reductions found,
    leave the rest of its kernel to few threads?"""
    rows, points = _sizes(r for r in context.outer if r in held), _points(context)
    threads = min(rows * (TEAM if by_teams else 1), points)
    # a team whose rows are columns of the result touches a sector of memory for each element
    across = by_teams and rows < points and bool(context.outer) and context.outer[-1] in held
    slower = SECTOR if across else 1.0
    # of a matrix whose diagonal is asked for, it reduces that alone
    reduced = sum(min(n.size, node.size) * reduction_length(n) for n in found)
    return points >= POINTS * reduced and _is_idle(threads, points, machine, slower)


def _is_idle(threads: int, points: int, machine: Machine, slower: float = 1.0) -> bool:
    """Do so many threads, each so many times slower, take longer for so many points than all of them and some
    launches?"""
    times = max(machine.wanted / max(threads, 1), 1.0) * slower
    work = points * POINT_BYTES * machine.memory_byte
    return times >= 2 and work * (times - 1) > LAUNCHES * machine.launch


def nearest_reductions(node: Node) -> list[Node]:
    """The reductions that elements of a node are computed from directly."""
    found: list[Node] = []
    near = [node]
    seen = {node}
    for below in near:  # which grows
        if below.op is Op.REDUCE or below.op is Op.TOPK:
            found.append(below)
        elif (below.op in ELEMENTWISE or below.op in MOVEMENT) and len(near) < MOST_IN_A_ROW:
            new = [s for s in dict.fromkeys(below.src) if s not in seen]
            near += new
            seen.update(new)
    return found


def _by_teams(found: list[Node]) -> list[Node]:
    """Those of some reductions whose results are teams' work, each the work of one."""
    return [n for n in found if reduction_length(n) >= TEAM_LENGTH and not _is_matrix_product(n)]


def _is_matrix_product(node: Node) -> bool:
    sizes = product_of(node)
    return sizes is not None and min(sizes.m, sizes.n) > 1


def reduction_length(reduction: Node) -> int:
    return reduction.src[0].size // max(reduction.size, 1)


def _elements(reductions: list[Node]) -> int:
    return sum(n.src[0].size for n in reductions)


def _points(context: Context) -> int:
    return _sizes((*context.outer, *context.inner))


def _sizes(loops: Iterable[Node]) -> int:
    return prod(map(range_size, loops))
