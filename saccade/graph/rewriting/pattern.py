"""Patterns: what a rule looks for, as data, compiled once to plain Python.

    >>> product = Pattern(Op.MUL, (capture("x"), Pattern(Op.CONST, arg=1)), commutative=True)
    >>> identity = Rule("x * 1 -> x", product, lambda x: x)
    >>> table = Rules([identity])

A pattern says what a node must be: its op (or one of several), its dtype, its `arg` and its sources; what
it names is handed to the replacement under that name, and a name used twice has to be the same node. A
rule's replacement returns the new node, or None to decline. `Rules` keeps them by op, each compiled to a
function of straight-line tests, so a node that matches nothing costs a few comparisons.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Protocol

from ..dtypes import DType
from ..node import Node
from ..ops import Op

Replacement = Callable[..., Node | None]


class Apply(Protocol):
    """A compiled rule."""

    def __call__(self, node: Node, context: Any = None) -> Node | None: ...


class _Anything:
    def __repr__(self) -> str:
        return "ANYTHING"


#: the `arg` of a pattern that does not look at it
ANYTHING = _Anything()


@dataclass(frozen=True)
class Pattern:
    """What a node must be; parts left out may be anything. `commutative` tries both orders of two sources."""

    op: Op | frozenset[Op] | None = None
    src: tuple[Pattern, ...] | None = None
    name: str | None = None
    dtype: DType | Callable[[DType], bool] | None = None
    arg: Any = ANYTHING
    commutative: bool = False

    @property
    def ops(self) -> frozenset[Op]:
        """The ops a matching node can have; empty for any."""
        if self.op is None:
            return frozenset()
        return self.op if isinstance(self.op, frozenset) else frozenset({self.op})


def capture(name: str, dtype: DType | Callable[[DType], bool] | None = None) -> Pattern:
    """Any node, under this name."""
    return Pattern(name=name, dtype=dtype)


@dataclass(frozen=True)
class Rule:
    """A rewrite: `law` states it as `before -> after`, `pattern` finds it, `replacement` makes the new node.

    The replacement takes the captures by name, and `context` if it has a parameter of that name.
    """

    law: str
    pattern: Pattern
    replacement: Replacement
    apply: Apply = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "apply", compile_rule(self))


class Rules:
    """A table of rules, by op. Earlier rules are tried first."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self.by_op: dict[Op, tuple[Rule, ...]] = {}
        for op in Op:
            found = tuple(r for r in self.rules if not r.pattern.ops or op in r.pattern.ops)
            if found:
                self.by_op[op] = found

    def __add__(self, other: Rules) -> Rules:
        return Rules(self.rules + other.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    def apply(self, node: Node, context: Any = None) -> Node | None:
        """The node after the first rule that changes it; None when none does."""
        for rule in self.by_op.get(node.op, ()):
            new = rule.apply(node, context)
            if new is not None and new is not node:
                return new
        return None


def compile_rule(rule: Rule) -> Apply:
    """A function of straight-line tests, one block for each order of commutative sources."""
    names: dict[str, Any] = {"_replacement": rule.replacement}
    takes_context = "context" in inspect.signature(rule.replacement).parameters
    lines = ["def apply(n, context=None):"]
    for straight in _orders(rule.pattern):
        writer = _Writer(names)
        writer.test(straight, "n")
        arguments = [f"{name}={variable}" for name, variable in writer.captured.items()]
        if takes_context:
            arguments.append("context=context")
        lines.append("    while True:")
        lines.extend(f"        {line}" for line in writer.lines)
        lines.append(f"        found = _replacement({', '.join(arguments)})")
        lines.append("        if found is not None: return found")
        lines.append("        break")
    lines.append("    return None")
    exec(compile("\n".join(lines), f"<rule {rule.law}>", "exec"), names)
    names["apply"].__name__ = rule.law
    return names["apply"]  # type: ignore[no-any-return]


class _Writer:
    """Writes the tests of one pattern without commutative parts; `break` is failure."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.lines: list[str] = []
        self.captured: dict[str, str] = {}

    def value(self, value: Any) -> str:
        """The name under which the compiled function sees a value."""
        name = f"_v{len(self.names)}"
        self.names[name] = value
        return name

    def fail_unless(self, condition: str) -> None:
        self.lines.append(f"if not ({condition}): break")

    def test(self, pattern: Pattern, at: str) -> None:
        if pattern.name is not None:
            if pattern.name in self.captured:
                self.fail_unless(f"{at} is {self.captured[pattern.name]}")
                return
            self.captured[pattern.name] = at
        if pattern.op is not None:
            one = not isinstance(pattern.op, frozenset)
            self.fail_unless(f"{at}.op {'is' if one else 'in'} {self.value(pattern.op)}")
        if pattern.dtype is not None:
            value, one = self.value(pattern.dtype), isinstance(pattern.dtype, DType)
            self.fail_unless(f"{at}.dtype is {value}" if one else f"{value}({at}.dtype)")
        if pattern.arg is not ANYTHING:
            self.fail_unless(f"{at}.arg == {self.value(pattern.arg)}")
        if pattern.src is not None:
            sources = [f"{at}_{i}" for i in range(len(pattern.src))]
            self.fail_unless(f"len({at}.src) == {len(sources)}")
            if sources:
                self.lines.append(f"{', '.join(sources)}, = {at}.src")
            # cheap tests first: sources that say their op before those that are only captured
            order = sorted(range(len(sources)), key=lambda i: pattern.src[i].op is None)  # type: ignore[index]
            for i in order:
                self.test(pattern.src[i], sources[i])


def _orders(pattern: Pattern) -> list[Pattern]:
    """The pattern once for every order of its commutative sources that tests something new."""
    if pattern.src is None:
        return [pattern]
    found: list[Pattern] = []
    for sources in product(*[_orders(s) for s in pattern.src]):
        found.append(replace(pattern, src=sources, commutative=False))
        if pattern.commutative and len(sources) == 2 and sources[0] != sources[1]:
            found.append(replace(pattern, src=sources[::-1], commutative=False))
    return list(dict.fromkeys(found)) if _hashable(pattern) else found


def _hashable(pattern: Pattern) -> bool:
    try:
        hash(pattern)
    except TypeError:
        return False
    return True
