"""The rewrite engine: a table of rules applied to a graph until none of them matches.

    >>> rewrite(root, Rules([Rule("x * 1 -> x", product_with_one, lambda x: x)]))

Bottom up, a node is looked at once its sources are final; what a rule returns is rewritten in turn, so the
result is a fixed point: no rule matches anywhere in it. Top down, a node is rewritten until no rule matches
it and only then its sources are, which is for rules that replace a whole pattern before its parts change; a
node whose sources changed is not looked at again.

Every node is rewritten once however often it is used, and the walk keeps its own stack: graphs are deeper
than Python's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .node import Node, make, walk
from .pattern import Rules

#: rules that go on for ever end here, with an error
MAX_STEPS = 1_000_000


class RewriteError(RuntimeError):
    """Rules that do not come to an end."""


def rewrite(root: Node, rules: Rules, *, context: Any = None, bottom_up: bool = True) -> Node:
    """The graph after the rules; `context` is handed to the replacements that ask for it."""
    return _bottom_up(root, rules, context) if bottom_up else _top_down(root, rules, context)


def _bottom_up(root: Node, rules: Rules, context: Any) -> Node:
    done: dict[Node, Node] = {}
    # a node that a rule replaced waits here for the replacement to be final
    replaced: dict[Node, Node] = {}
    by_op = rules.by_op
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
        if new is node:
            for apply in by_op.get(node.op, ()):
                found = apply(node, context)
                if found is not None and found is not node:
                    new = found
                    steps += 1
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
    return done[root]


def _with_sources(node: Node, done: dict[Node, Node]) -> Node:
    """The node over the rewritten sources."""
    for source in node.src:
        if done[source] is not source:
            return make(node.op, node.dtype, tuple([done[s] for s in node.src]), node.arg)
    return node


def changed(roots: tuple[Node, ...], change: Callable[[Node, Node], Node]) -> tuple[Node, ...]:
    """The graph with `change(made, node)` for each node, once and sources first; `made` is the node over its
    changed sources. For what takes more than a pattern and a replacement.
    """
    done: dict[Node, Node] = {}
    for node in walk(roots):
        done[node] = change(_with_sources(node, done), node)
    return tuple([done[root] for root in roots])


def _refuse_cycle(nodes: list[Node], replaced: dict[Node, Node], cause: Node) -> None:
    """What is being replaced may not come up again in its own replacement."""
    for node in nodes:
        if node in replaced:
            raise RewriteError(
                f"the rules rewrite {node!r} into something that contains it, through {cause!r}"
            )


def _top_down(root: Node, rules: Rules, context: Any) -> Node:
    done: dict[Node, Node] = {}
    settled: dict[Node, Node] = {}
    stack = [root]
    while stack:
        node = stack[-1]
        if node in done:
            stack.pop()
            continue
        final = settled.get(node)
        if final is None:
            final = settled[node] = _until_nothing_matches(node, rules, context)
        waiting = [s for s in final.src if s not in done]
        if waiting:
            _refuse_cycle(waiting, settled, node)
            stack.extend(waiting)
            continue
        done[node] = _with_sources(final, done)
        stack.pop()
    return done[root]


def _until_nothing_matches(node: Node, rules: Rules, context: Any) -> Node:
    for _ in range(MAX_STEPS):
        new = rules.apply(node, context)
        if new is None:
            return node
        node = new
    raise RewriteError(f"the rules still change {node!r} after {MAX_STEPS} steps")
