"""Functions with a gradient of their own: marks around a part of a graph, and the rules for them.

    x  ->  BITCAST "f < 0"  ->  what f computes  ->  BITCAST "f >"  ->  y

The bits of a value are the value, so the marks compute nothing. The walk meets the mark of a result, finds
the marks of the arguments below it, and asks the rule for their cotangents instead of going through the part.
Everything is in the graph itself: it may be copied with other arguments and still has its gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ...graph.node import Node, make
from ...graph.ops import Op

#: From the values of arguments, by number, and the cotangent of the result to the cotangents of arguments.
Rule = Callable[[dict[int, Node], Node], dict[int, Node]]

RULES: Final[dict[str, Rule]] = {}


def argument(name: str, number: int, node: Node) -> Node:
    return make(Op.BITCAST, node.dtype, (node,), f"{name} < {number}")


def result(name: str, node: Node) -> Node:
    return make(Op.BITCAST, node.dtype, (node,), f"{name} >")


def is_result(node: Node) -> bool:
    return node.op is Op.BITCAST and isinstance(node.arg, str) and node.arg.endswith(" >")


def arguments_of(node: Node) -> dict[int, Node]:
    """The values given to the function that a marked result is of, as far as it depends on them."""
    start = f"{node.arg.removesuffix(' >')} < "
    found: dict[int, Node] = {}

    def enter(below: Node) -> bool:
        if below.op is Op.BITCAST and isinstance(below.arg, str) and below.arg.startswith(start):
            found[int(below.arg.removeprefix(start))] = below.src[0]
            return False
        return True

    node.src[0].toposort(enter)
    return found


def cotangents(node: Node, cotangent: Node) -> list[tuple[Node, Node]]:
    """The arguments of a marked result and their cotangents."""
    arguments = arguments_of(node)
    found = RULES[node.arg.removesuffix(" >")](arguments, cotangent)
    return [(arguments[number], part) for number, part in found.items()]
