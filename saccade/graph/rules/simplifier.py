"""The fixed point of the symbolic rules: every node is simplified once, and remembers the result.

A `SymbolicRule` is a function from a node with simple sources to a better node (or None), with the laws
that justify it as text: `prove` proves each law for all integers, tests fuzz the function. `simplify`
rebuilds a graph from its leaves and applies the rules of each op until none fires. The memo lives in the
nodes, so it is shared by all kernels and goes with them; this is why it does not use the general engine of
`rewrite`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, auto

from ..dtypes import ALL, DType, int32, int64
from ..node import Node, make, own_ranges
from ..ops import Op

Simplification = Callable[[Node], Node | None]


class Family(Flag):
    """Which dtypes a rule is about: those of the operands (of a comparison, what it compares)."""

    INDEX = auto()  # int32 and int64: indices, whose sums are kept canonical
    INT = auto()  # the other integers
    BOOL = auto()
    FLOAT = auto()
    INTEGERS = INDEX | INT
    ANY = INDEX | INT | BOOL | FLOAT


@dataclass(frozen=True)
class SymbolicRule:
    """`apply` on nodes of `ops` over dtypes of `family`, justified by `laws` in the syntax of `law`, or by
    `reason` where a law cannot say it."""

    ops: tuple[Op, ...]
    family: Family
    laws: tuple[str, ...]
    apply: Simplification
    reason: str = ""

    @property
    def name(self) -> str:
        return str(getattr(self.apply, "__name__", self.apply))


#: every rule, in the order it was stated
SYMBOLIC_RULES: list[SymbolicRule] = []
_by_dtype: dict[DType, dict[Op, list[Simplification]]] = {dtype: {op: [] for op in Op} for dtype in ALL}


def register(rule: SymbolicRule) -> None:
    if not rule.laws and not rule.reason:
        raise ValueError(f"{rule.name} has neither a law that can be proved nor a reason why there is none")
    SYMBOLIC_RULES.append(rule)
    for dtype, by_op in _by_dtype.items():
        if family_of(dtype) in rule.family:
            for op in rule.ops:
                by_op[op].append(rule.apply)


def family_of(dtype: DType) -> Family:
    if dtype.is_int:
        return Family.INDEX if dtype is int64 or dtype is int32 else Family.INT
    return Family.BOOL if dtype.is_bool else Family.FLOAT


def simplifies(
    *ops: Op, on: Family = Family.ANY, laws: tuple[str, ...] = (), reason: str = ""
) -> Callable[[Simplification], Simplification]:
    """Add the decorated function to the table."""

    def add(function: Simplification) -> Simplification:
        register(SymbolicRule(ops, on, laws, function, reason))
        return function

    return add


def simplify(node: Node) -> Node:
    """The simplest equal node the rules find. Kernel terms: constants and operands are scalars."""
    try:
        found = node._simple
    except AttributeError:
        for source in node.src:
            if not hasattr(source, "_simple"):
                if source.src:
                    _settle_all(node)
                    break
                _settle(source)
        else:
            _settle(node)
        found = node._simple
    return node if found is None else found


def _settle_all(root: Node) -> None:
    for node in root.toposort(lambda n: not hasattr(n, "_simple")):
        # simplifying another one may have come across it
        if not hasattr(node, "_simple"):
            _settle(node)


def _settle(node: Node) -> None:
    """Simplify a node whose sources have been. None stands for itself: a node may not hold itself."""
    sources = node.src
    for source in sources:
        if source._simple is not None:
            rebuilt = make(node.op, node.dtype, _simple_sources(node), node.arg)
            if rebuilt is not node:
                result = simplify(rebuilt)
                node._simple = None if result is node else result
                return
    # the last source has the dtype of the values (WHERE begins with its bool)
    for apply in _by_dtype[sources[-1].dtype if sources else node.dtype][node.op]:
        new = apply(node)
        if new is not None and new is not node:
            result = simplify(new)
            node._simple = None if result is node else result
            return
    node._simple = None


def _simple_sources(node: Node) -> tuple[Node, ...]:
    sources = tuple([s if s._simple is None else s._simple for s in node.src])
    if node.op is Op.FOLD or node.op is Op.STAGE or node.op is Op.PREFIX:
        # the ranges a node loops over stay ranges, even those with one iteration
        own = node.src[-1:] if node.op is Op.PREFIX else own_ranges(node)
        kept = tuple([s.replace(src=(simplify(s.src[0]),)) for s in own])
        return sources[: len(sources) - len(own)] + kept
    return sources
