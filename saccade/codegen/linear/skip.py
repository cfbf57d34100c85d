"""Maps over padded rows: what is computed for padding alone need not be.

    out[o, h] = where(h < count[o], costly(o, h), 0)

Lanes are neighbours, so beyond the count whole vectors are padding. A branch for every vector, which is easy
to foresee, computes those with anything in them and fills the others. So a map over padded rows costs what is
there, and little more than a fill for the rest of the room.

Where lanes only make every part of a mask harder, as `h < count[o]` does, the first of them tells for all: no
vector of flags is asked, which keeps a kernel from being compiled for AVX-512 (`runtime/cpu/engine.py`).

A result is padding where any part of its mask fails: of a `where` with a constant, of a load that gives 0
outside its mask, of a conjunction. The mask that is tested is what all results of the kernel have in common.

A kernel that takes its elements one by one has them in chunks of 16: a chunk of padding is found by one test
of its masks as a vector, and filled as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from ...graph import dtypes
from ...graph.kernels.kernel import Kernel, is_register, range_size
from ...graph.node import Node, const, index_const, walk
from ...graph.ops import COMPUTED, Op
from ...graph.rules.bounds import bounds, fits
from ...graph.rules.sums import affine, exact
from ...graph.rules.symbolic import coefficient_of, simplify
from ..moves.analysis import places_of
from ..moves.ordered import conjuncts

#: instructions and loads that are worth branching around
WORTH_A_BRANCH = 4
#: what a load takes whose address was loaded
GATHER = 4
#: a mask of more than this is no cheap test
MOST_OF_A_MASK = 12


#: elements of a chunk
CHUNK = 16


@dataclass(frozen=True)
class Skip:
    """Where `mask` fails, every result is its padding."""

    mask: Node
    padding: tuple[Node, ...]


def skip_of(kernel: Kernel) -> Skip | None:
    """What of a kernel can be left out by a test, if that pays."""
    inner = kernel.loops
    stores = kernel.sink.src
    if not inner or any(store.op is not Op.STORE or len(store.src) != 3 for store in stores):
        return None
    values = [store.src[2] for store in stores]
    masks = [_masks(value) for value in values]
    shared = [part for part in masks[0] if all(part in own for own in masks)]
    # one that does not change in the innermost loop decides nothing there
    found = [part for part in shared if inner[-1] in part.ranges and _is_cheap(part)]
    if not found or _size(values, inner[-1]) - _size(found, inner[-1]) < WORTH_A_BRANCH:
        return None
    return Skip(reduce(Node.__and__, found), tuple(own[found[0]] for own in masks))


def at_likeliest(mask: Node, registers: list[Node]) -> Node | None:
    """The mask at the lanes and points at which each of its parts holds if it does so at any; None where that
    cannot be told. It fails only where the mask fails everywhere.

    cast(lane) + 8 * r < count[o]  ->  8 * r < count[o]
    """
    parts = []
    for part in conjuncts(mask):
        places = {}
        for r in registers:
            # a < b holds most where a is least
            way = _slope(part, r)
            if way is None:
                return None
            places[r] = index_const(range_size(r) - 1 if way > 0 else 0)
        parts.append(simplify(part.substitute(places)))
    return reduce(Node.__and__, parts)


def _slope(value: Node, r: Node) -> int | None:
    """1 where an integer or a condition only rises along a range, -1 where it only falls, 0 where it does not
    change; None where nothing is known."""
    if r not in value.ranges:
        return 0
    if value is r:
        return 1
    if value.op is Op.LT:
        left, right = (_slope(side, r) for side in value.src)
        return _combined([None if left is None else -left, right])
    if value.op in (Op.MAX, Op.MIN) and value.dtype.is_int:
        return _combined([_slope(side, r) for side in value.src])
    if value.op is Op.CAST:
        (source,) = value.src
        keeps = source.dtype.is_int and value.dtype.is_int and fits(*bounds(source), value.dtype)
        return _slope(source, r) if keeps else None
    terms, constant = affine(value)
    if value in terms or not exact(terms, constant, value.dtype):
        return None
    slopes = [(_slope(term, r), factor) for term, factor in terms.items()]
    return _combined(
        [None if slope is None else slope * (1 if factor > 0 else -1) for slope, factor in slopes]
    )


def _combined(slopes: list[int | None]) -> int | None:
    """The slope of what rises with each of several."""
    ways = set(slopes) - {0}
    return 0 if not ways else ways.pop() if len(ways) == 1 else None


def comes_in_chunks(kernel: Kernel) -> bool:
    """Does a kernel compute single elements whose masks could be tested many at a time?"""
    if not kernel.order or any(is_register(r) for r in kernel.order):
        return False
    r, skip = kernel.order[-1], skip_of(kernel)
    if (
        skip is None
        or r.src[0].op is not Op.CONST
        or any(coefficient_of(s.src[1], r) != 1 for s in kernel.sink.src)
    ):
        return False
    loads = [n for n in skip.mask.toposort() if n.op is Op.LOAD and r in n.ranges]
    return all(len(load.src) == 2 and coefficient_of(load.src[1], r) == 1 for load in loads)


def _masks(value: Node) -> dict[Node, Node]:
    """Conditions each of which makes a value a constant where it fails, and that constant."""
    if value.op is Op.WHERE and value.src[2].op is Op.CONST:
        return dict.fromkeys(conjuncts(value.src[0]), value.src[2])
    if value.op is Op.LOAD and len(value.src) == 3:
        # that a place lies outside is no rule: it is not tested for all lanes first
        places = set(places_of(value))
        parts = [part for part in conjuncts(value.src[2]) if places.isdisjoint(part.toposort())]
        return dict.fromkeys(parts, const(0, value.dtype))
    if value.op is Op.AND and value.dtype.is_bool:
        return dict.fromkeys(conjuncts(value), const(False, value.dtype))
    return {}


def _is_cheap(mask: Node) -> bool:
    simple = COMPUTED | {Op.LOAD, Op.CONST, Op.VALUE, Op.RANGE, Op.PARAM}
    return all(n.op in simple for n in mask.toposort()) and _size([mask]) <= MOST_OF_A_MASK


def _size(roots: list[Node], inside: Node | None = None) -> int:
    """Instructions on single elements, those inside of a loop alone if one is given; addresses cost next to
    nothing, finding elements one by one does."""
    total = 0
    for node in walk(roots):
        if inside is not None and inside not in node.ranges:
            continue
        if node.op is Op.LOAD:
            total += GATHER if places_of(node) else 1
        elif node.op in COMPUTED and node.dtype is not dtypes.index:
            total += 1
    return total
