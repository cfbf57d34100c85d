"""Values that are put side by side go to their places at once: no kernel copies them there.

    dq, dk, dv of (batch, length, head, width), then one tensor (batch, length, 3, head, width)
        -> the kernel of all three stores to its parts, and the map that chose among them is gone

In: kernels in order. Out: the same without maps whose every element is one element of one of several values
(CAT, or the sum of padded gradients of slices), if nobody else reads these values and their kernels keep the
form they have. GPT-2's backward pass on an H200 copied gradients of 75 MB in every layer, in 44 us each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod

from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import loop, range_size
from ...graph.node import Node, const, index_const, is_const
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rules.sums import affine
from ...graph.rules.symbolic import simplify
from ..donate import renamed
from ..target import Target
from .order import Entry, Placed
from .rematerialise import nbytes_of

#: bytes of a result that are worth it: a small copy is bundled with others
LEAST_BYTES = 1 << 20
#: parts of a result
MOST_PARTS = 32


@dataclass(frozen=True)
class Digit:
    """A loop over some of a value's elements: how many, their distance in the value, and in the result."""

    size: int
    step: int
    to: int


@dataclass(frozen=True)
class Part:
    """A value in a result: the digits of its elements' numbers, the largest first, and where it begins."""

    value: Node
    digits: tuple[Digit, ...]
    start: int


@rewrite_pass("store values side by side")
def stored_beside(
    kernels: list[Placed], roots: frozenset[Node], targets: frozenset[Node], target: Target
) -> list[Placed]:
    """The kernels without such maps; of the results in `roots`, those in `targets` have memory already."""
    entries = {number: Entry(placed) for number, placed in enumerate(kernels)}
    users: dict[Node, list[int]] = {}
    for number, entry in entries.items():
        for memory in entry.touches:
            users.setdefault(memory, []).append(number)
    for number, entry in list(entries.items()):
        parts = _parts(entry) if _copies(entry, number, users, targets) else []
        written = _written(parts, entry, number, users, entries, roots, target) if parts else None
        if written is None:
            continue
        entries |= {other: Entry(placed) for other, placed in written.items()}
        del entries[number]
        (result,) = entry.writes
        users[result] = sorted({*users[result], *written} - {number})
    return [entry.placed for _, entry in sorted(entries.items())]


def _copies(entry: Entry, number: int, users: dict[Node, list[int]], targets: frozenset[Node]) -> bool:
    """Is it a map of one large result, which nobody touches before?"""
    if not entry.is_map or len(entry.kernel.sink.src) != 1 or len(entry.writes) != 1:
        return False
    (result,) = entry.writes
    return (
        nbytes_of(result) >= LEAST_BYTES
        and result not in targets
        and result.op is not Op.PARAM
        and result not in entry.reads
        and users[result][0] == number
        and any(n.op in (Op.ADD, Op.WHERE) and n.dtype is result.dtype for n in entry.kernel.nodes)
    )


# --- what a map puts side by side


def _parts(entry: Entry) -> list[Part]:
    """The values that a map puts side by side along one of its loops; none if it does anything else."""
    (store,) = entry.kernel.sink.src
    conditions = [n for n in store.src[2].toposort() if n.op is Op.LT]
    along = {r for n in conditions for r in n.ranges}
    if len(along) != 1 or any(r.src[0].op is not Op.CONST for r in entry.kernel.order):
        return []
    (r,) = along
    cuts = {0, range_size(r)}
    for node in conditions:
        cut = _cut(node, r)
        if cut is None:
            return []
        cuts.add(min(max(cut, 0), range_size(r)))
    ends = sorted(cuts)
    made = []
    for low, high in pairwise(ends):
        some = loop(r.arg.number, high - low) + low if high - low > 1 else index_const(low)
        part = _part(entry, store, {r: some})
        if part is None:
            return []
        made.append(part)
    values = {part.value for part in made}
    return made if len(values) == len(made) <= MOST_PARTS else []


def _cut(condition: Node, r: Node) -> int | None:
    """The first number of a loop at which r < n, or n < r, is something else."""
    (left, a), (right, b) = (affine(side) for side in condition.src)
    if (left, right) == ({r: 1}, {}):
        return b - a
    return a - b + 1 if (left, right) == ({}, {r: 1}) else None


def _part(entry: Entry, store: Node, at: dict[Node, Node]) -> Part | None:
    """The one value that a map reads for some of its elements."""
    load = _chosen(store.src[2], at)
    if load is None or load.op is not Op.LOAD or load.src[0].op is not Op.PARAM:
        return None
    value = entry.memories[load.src[0].arg.slot]
    (steps, first), (places, start) = (
        affine(simplify(n.substitute(at))) for n in (load.src[1], store.src[1])
    )
    loops = [*places]
    if first or set(steps) != set(loops) or any(r.op is not Op.RANGE for r in loops):
        return None
    digits = [Digit(range_size(r), steps[r], places[r]) for r in loops]
    merged = _merged(sorted(digits, key=lambda d: -d.step))
    return Part(value, merged, start) if _covers(merged, value.size) else None


def _chosen(node: Node, at: dict[Node, Node]) -> Node | None:
    """What a sum of values that exclude each other, or a choice among them, is there; None if unknown."""
    if node.op is Op.LOAD and len(node.src) == 3:
        holds = simplify(node.src[2].substitute(at))
        return None if holds.op is not Op.CONST else node if holds.arg else const(0, node.dtype)
    if node.op is Op.WHERE:
        holds = simplify(node.src[0].substitute(at))
        return None if holds.op is not Op.CONST else _chosen(node.src[1 if holds.arg else 2], at)
    if node.op is Op.ADD:
        sides = [_chosen(side, at) for side in node.src]
        left = [side for side in sides if side is None or not is_const(side, 0)]
        return (left or sides)[0] if len(left) < 2 else None
    return node


def _merged(digits: list[Digit]) -> tuple[Digit, ...]:
    """Digits that follow each other in the value and in the result, as one."""
    made: list[Digit] = []
    for digit in digits:
        last = made[-1] if made else None
        if last and (last.step, last.to) == (digit.step * digit.size, digit.to * digit.size):
            made[-1] = Digit(last.size * digit.size, digit.step, digit.to)
        else:
            made.append(digit)
    return tuple(made)


def _covers(digits: tuple[Digit, ...], size: int) -> bool:
    """Are these all numbers below `size`, each once?"""
    steps = [digit.step for digit in digits]
    return prod(d.size for d in digits) == size and steps == [
        prod(d.size for d in digits[n + 1 :]) for n in range(len(digits))
    ]


# --- who makes the values


def _written(
    parts: list[Part],
    entry: Entry,
    number: int,
    users: dict[Node, list[int]],
    entries: dict[int, Entry],
    roots: frozenset[Node],
    target: Target,
) -> dict[int, Placed] | None:
    """The kernels that make the values, each storing to its parts of the result; None where one cannot."""
    (result,) = entry.writes
    made: dict[int, Placed] = {}
    for part in parts:
        if part.value.op is Op.PARAM or part.value in roots or part.value.dtype is not result.dtype:
            return None
        first, *others = [n for n in users[part.value] if n in entries]
        if others != [number] or part.value not in entries[first].writes:
            return None
        moved = _moved(made.get(first, entries[first].placed), part, result)
        if moved is None:
            return None
        made[first] = moved
    for other, (kernel, _) in made.items():
        before = entries[other].kernel
        if (target.form(kernel), target.attends(kernel)) != (target.form(before), target.attends(before)):
            return None
    return made


def _moved(placed: Placed, part: Part, result: Node) -> Placed | None:
    """A kernel that stores a value to its part of the result instead."""
    kernel, memories = placed
    old = memories.index(part.value)
    stores = [s for s in kernel.sink.src if s.op is Op.STORE and s.src[0].arg.slot == old]
    reads = any(
        n.op is Op.LOAD and n.src[0].op is Op.PARAM and n.src[0].arg.slot == old for n in kernel.nodes
    )
    if len(stores) != 1 or reads or kernel.start or kernel.asked:
        return None
    (store,) = stores
    place = _place(store, part) if len(store.src) == 3 and store.arg is None else None
    if place is None:
        return None
    to = terms.param(old, result.dtype, result.size)
    changed = tuple([terms.store(to, place, s.src[2]) if s is store else s for s in kernel.sink.src])
    params = tuple([(result.dtype, result.size) if n == old else p for n, p in enumerate(kernel.params)])
    named = tuple([result if n == old else m for n, m in enumerate(memories)])
    # of the result there is one slot, however many parts the kernel has
    return renamed((replace(kernel, sink=terms.sink(changed), params=params), named), {})


def _place(store: Node, part: Part) -> Node | None:
    """Where in the result a kernel stores what it stored at a place of the value."""
    loops, first = affine(store.src[1])
    if first or any(r.op is not Op.RANGE or r.src[0].op is not Op.CONST for r in loops):
        return None
    own = sorted((Digit(range_size(r), step, 0) for r, step in loops.items()), key=lambda d: -d.step)
    if not _covers(tuple(own), part.value.size):
        return None
    place: Node = index_const(part.start)
    for r, step in loops.items():
        digit = next(d for d in part.digits if d.step <= step)
        if step % digit.step or step // digit.step * range_size(r) > digit.size:
            return None  # it goes through several digits
        place = place + r * (step // digit.step * digit.to)
    return simplify(place)
