"""The end of the walk: what a draft stores becomes a kernel.

Placeholders are exchanged for what they stood for, slots are numbered, indices simplified. Kernels that
differ in nothing but their memories are one kernel from the start, and simplified once.
"""

from __future__ import annotations

from collections.abc import Callable

from ...graph.dtypes import DType
from ...graph.kernels import kernel
from ...graph.kernels.kernel import Kernel
from ...graph.node import Node, make
from ...graph.ops import Op
from ...graph.rules.symbolic import simplify
from ...graph.value import words_of
from .draft import Draft
from .placing.placement import asked_moves


def finished(
    drafts: list[Draft], roots: list[Node], owner: dict[Node, Node]
) -> list[tuple[Kernel, tuple[Node, ...]]]:
    """The kernels of drafts whose stores are `roots`, each with the nodes that own its memories."""
    made = []
    known: dict[Node, tuple[Node, list[Node]]] = {}
    for draft, root in zip(drafts, roots, strict=True):
        given, memories = numbered(root)
        if given not in known:
            known[given] = numbered(simplify(given))
        simple, slots = known[given]
        memories = [memories[slot.arg.slot] for slot in slots]
        made.append((_finished(draft, simple, memories), tuple([owner[m] for m in memories])))
    return made


def in_order(drafts: list[Draft], order: list[Node]) -> list[Draft]:
    """The drafts that become kernels, those first whose nodes come first in a graph listed sources first."""
    position = {node: number for number, node in enumerate(order)}
    made = [d for d in drafts if d.node.op is not Op.COPY and d.node.size]
    # a kernel that stores twins has to run before the readers of the first of them
    return sorted(made, key=lambda d: (min(position[n] for n in d.stores), d.number))


def resolve(roots: list[Node], values: dict[Node, Node]) -> list[Node]:
    """Exchange placeholders, which are loads of the memories in `values`, for the values they stood for, also
    inside those values. Every node is looked at once, however deeply values hold others."""
    if not values:
        return roots
    done: dict[Node, Node] = {}
    stack = roots[::-1]
    while stack:
        node = stack[-1]
        stood_for = values.get(node.src[0]) if node.op is Op.LOAD else None
        below = node.src if stood_for is None else (stood_for,)
        waiting = [] if node in done else [n for n in below if n not in done]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        if node not in done:
            new = tuple([done[n] for n in below])
            same = node if new == node.src else make(node.op, node.dtype, new, node.arg)
            done[node] = same if stood_for is None else new[0]
    return [done[root] for root in roots]


def with_words(root: Node, param_of: Callable[[Node], Node]) -> Node:
    """Runtime values get the memory they are read from."""
    found = [n for n in root.toposort() if n.op is Op.VALUE]
    return root.substitute({n: n.replace(src=(param_of(words_of(n)),)) for n in found}) if found else root


def numbered(root: Node) -> tuple[Node, list[Node]]:
    """The kernel with its slots in order of appearance, outputs first, so that equal kernels are the same
    node; and the PARAMs that were in these slots."""
    memories = list(dict.fromkeys(_outputs(root) + [n for n in root.toposort() if n.op is Op.PARAM]))
    renumbered = {m: kernel.param(slot, m.dtype, m.arg.size) for slot, m in enumerate(memories)}
    return root.substitute(renumbered), memories


def _finished(draft: Draft, root: Node, memories: list[Node]) -> Kernel:
    params: tuple[tuple[DType, int], ...] = tuple([(m.dtype, m.arg.size) for m in memories])
    # an update that combines counts as often as its loops run, whether it depends on them or not
    combines = any(map(kernel.combines, root.src))
    order = tuple([r for r in draft.loop_order() if combines or r in root.ranges])
    outputs = tuple(range(len(_outputs(root))))
    asked = asked_moves(draft.node)
    return Kernel(root, order, params, outputs, (), draft.reason, asked, draft.before)


def _outputs(root: Node) -> list[Node]:
    return list(dict.fromkeys(m for s in root.src for m in _targets(s)))


def _targets(written: Node) -> tuple[Node, ...]:
    """What a STORE or a SORT writes to."""
    return written.src[1 + written.arg.carries :] if written.op is Op.SORT else written.src[:1]
