"""Stores of a graph: ASSIGNs go away, and what they store is a result that has its memory already.

    x += 1           ASSIGN(ADD(x, 1), x)         ->  result ADD(x, 1), whose memory is that of x
    x[2:4] = y       ASSIGN(UPDATE(x, y), x)      ->  result UPDATE(x, y), of which only the part is written

In: results, some of them ASSIGNs. Out: the same values without ASSIGN, each with the memory it is to be put
into or None. Whoever read an ASSIGN reads the result. A part that is made of other places of the memory it
goes to is made before any of them is overwritten.
"""

from __future__ import annotations

from collections.abc import Collection

from ..graph.node import Node, make
from ..graph.ops import ELEMENTWISE, Op
from ..graph.rewriting.passes import rewrite_pass
from ..graph.rewriting.rewrite import changed
from .terms import reshaped

#: The memory (a PARAM) each of some results goes to, None for memory of its own.
Targets = tuple[Node | None, ...]

_MADE_BEFORE = "made of what it overwrites"


@rewrite_pass("take stores apart")
def stores_apart(roots: tuple[Node, ...]) -> tuple[tuple[Node, ...], Targets]:
    """Results without ASSIGN, and where they go."""
    if not any(root.op is Op.ASSIGN for root in roots):
        return roots, (None,) * len(roots)
    stored: dict[Node, Node] = {}

    def change(made: Node, node: Node) -> Node:
        if node.op is not Op.ASSIGN:
            return made
        value, target = made.src
        stored[node] = _parts_first(below_reshapes(value), target)
        return reshaped(stored[node], node.shape)

    new = changed(roots, change)
    targets = tuple(root.src[1] if root.op is Op.ASSIGN else None for root in roots)
    results = [stored.get(root, made) for root, made in zip(roots, new, strict=True)]
    chains = [updates_of(result, target) for result, target in zip(results, targets, strict=True)]
    # what updates leave in memory one after the other, and what is a result already, is copied by who else
    # wants it
    taken = {node for chain in chains for node in chain}
    for number, (chain, target) in enumerate(zip(chains, targets, strict=True)):
        while not chain and (results[number] in taken or (target and results[number].op is Op.PARAM)):
            results[number] = make(Op.CONTIGUOUS, results[number].dtype, (results[number],))
        taken.add(results[number])
    return tuple(results), targets


def below_reshapes(node: Node) -> Node:
    """What is in the same memory in the same order."""
    while node.op is Op.RESHAPE:
        node = node.src[0]
    return node


def updates_of(root: Node, target: Node | None) -> tuple[Node, ...]:
    """The UPDATEs and SCATTERs that turn what `target` holds into a result, the last one first; none where
    the result is not made like that."""
    found: list[Node] = []
    node = below_reshapes(root)
    while node.op is Op.UPDATE or node.op is Op.SCATTER:
        found.append(node)
        node = below_reshapes(node.src[0])
    return tuple(found) if node is target else ()


def _parts_first(root: Node, target: Node) -> Node:
    """The same updates; parts that are made of places other than those they go to are stored first."""
    updates = updates_of(root, target)
    if not updates:
        return root
    reading: set[Node] = {target}
    for node in root.toposort():
        if any(source in reading for source in node.src):
            reading.add(node)
    done: dict[Node, Node] = {}
    for update in reversed(updates):
        base, *rest = update.src
        own = update.op is Op.UPDATE and _stays_in_place(rest[0], base, update.arg, reading)
        parts = rest if own else [_stored(part) if part in reading else part for part in rest]
        new = base.substitute(done)
        done[update] = make(update.op, update.dtype, (new, *(p.substitute(done) for p in parts)), update.arg)
    return done[root]


def _stored(part: Node) -> Node:
    return make(Op.CONTIGUOUS, part.dtype, (part,), _MADE_BEFORE)


def _stays_in_place(part: Node, base: Node, slices: object, reading: Collection[Node]) -> bool:
    """Is each element of a part made of that very element of the base, as far as it is made of it at all?"""
    stack, seen = [part], {part}
    while stack:
        node = stack.pop()
        if node not in reading or (
            node.op is Op.SLICE
            and node.arg == slices
            and node.src[0].shape == base.shape
            and below_reshapes(node.src[0]) is below_reshapes(base)
        ):
            continue
        if node.op not in ELEMENTWISE and node.op is not Op.RESHAPE:
            return False
        stack += [source for source in node.src if source not in seen]
        seen.update(node.src)
    return True
