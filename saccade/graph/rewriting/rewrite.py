"""The rewrite engine: how a pass changes a graph, step by step.

    >>> rewrite(root, Rules([Rule("x * 1 -> x", product_with_one, lambda x: x)]))

A pass is a table of rules (`rewrite`, `rewritten`) or a function from node to node (`changed`). Rules work
bottom up: a node is looked at once its sources are final, and what a rule returns is rewritten in turn, so
the result is a fixed point: no rule matches anywhere in it.

Every node is rewritten once however often it is used, and the walk keeps its own stack: graphs are deeper
than Python's. Who watches the passes (`passes.watching`) is told each step: the rule, before and after.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..node import Node, make, walk
from ..origin import carry
from .passes import watching
from .pattern import Rules

#: rules that go on for ever end here, with an error
MAX_STEPS = 1_000_000


class RewriteError(RuntimeError):
    """Rules that do not come to an end."""


def rewrite(root: Node, rules: Rules, *, context: Any = None) -> Node:
    """The graph after the rules; `context` is handed to the replacements that ask for it."""
    return rewritten((root,), rules, context)[0]


def rewritten(roots: tuple[Node, ...], rules: Rules, context: Any = None) -> tuple[Node, ...]:
    """The graphs after the rules; what they share is rewritten once."""
    done: dict[Node, Node] = {}
    for root in roots:
        _bottom_up(root, rules, context, done)
    return tuple([done[root] for root in roots])


def changed(roots: tuple[Node, ...], change: Callable[[Node, Node], Node]) -> tuple[Node, ...]:
    """The graph with `change(made, node)` for each node, once and sources first; `made` is the node over its
    changed sources. For what takes more than a pattern and a replacement.
    """
    done: dict[Node, Node] = {}
    watch = watching.get()
    for node in walk(roots):
        made = _with_sources(node, done)
        if watch is not None and made is not node:
            carry(node, made)
        new = done[node] = change(made, node)
        if watch is not None and new is not made:
            watch.step(change, made, new)
    return tuple([done[root] for root in roots])


def _bottom_up(root: Node, rules: Rules, context: Any, done: dict[Node, Node]) -> None:
    # a node that a rule replaced waits here for the replacement to be final
    replaced: dict[Node, Node] = {}
    by_op = rules.by_op
    watch = watching.get()
    stack = [root]
    steps = 0
    while stack:
        node = stack[-1]
        if node in done:
            stack.pop()
            continue
        successor = replaced.get(node)
        if successor is not None:
            done[node] = done[successor]
            stack.pop()
            continue
        waiting = [s for s in node.src if s not in done]
        if waiting:
            _refuse_cycle(waiting, replaced, node)
            stack.extend(waiting)
            continue
        new = _with_sources(node, done)
        if watch is not None and new is not node:
            carry(node, new)
        if new is node:
            for rule in by_op.get(node.op, ()):
                found = rule.apply(node, context)
                if found is not None and found is not node:
                    new = found
                    steps += 1
                    if watch is not None:
                        watch.step(rule, node, new)
                    break
        if new is node:
            done[node] = node
            stack.pop()
        elif new in done:
            done[node] = done[new]
            stack.pop()
        else:
            _refuse_cycle([new], replaced, node)
            if steps > MAX_STEPS:
                raise RewriteError(f"the rules still change {node!r} after {MAX_STEPS} steps")
            replaced[node] = new
            stack.append(new)


def _with_sources(node: Node, done: dict[Node, Node]) -> Node:
    """The node over the rewritten sources."""
    for source in node.src:
        if done[source] is not source:
            return make(node.op, node.dtype, tuple([done[s] for s in node.src]), node.arg)
    return node


def _refuse_cycle(nodes: list[Node], replaced: dict[Node, Node], cause: Node) -> None:
    """What is being replaced may not come up again in its own replacement."""
    for node in nodes:
        if node in replaced:
            raise RewriteError(
                f"the rules rewrite {node!r} into something that contains it, through {cause!r}"
            )
