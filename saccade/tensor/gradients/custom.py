"""`custom_gradient`: a function whose gradient is given, not derived.

@custom_gradient
def rounded(x):
    return x.round()

@rounded.backward
def _(slope, x):                # the cotangent of the result, then the arguments
    return slope                # straight through; a tuple for several tensors, None where there is none
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import count
from typing import Any, Final

from ...graph.node import Node
from ...transform.gradient import custom
from .. import build
from ..core import Core
from ..tensor import Tensor
from .leaves import modes

_numbers: Final = count()


class custom_gradient:
    """A function of tensors (and of plain values) with a tensor as its result, and the rule for its gradient.

    The rule takes the cotangent of the result and the arguments, and returns a cotangent for each tensor of
    those. What it computes has a gradient as ever."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._rule: Callable[..., Any] | None = None
        self._names: dict[tuple[Any, ...], str] = {}

    def backward(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Have this rule."""
        self._rule = rule
        return rule

    def __call__(self, *args: Any) -> Any:
        if self._rule is None:
            raise TypeError(f"{self._function.__name__} has no gradient: give it one with .backward")
        if not modes.grad:
            return self._function(*args)
        name = self._name(args)
        marked = [
            type(value)._of(custom.argument(name, number, value.node)) if isinstance(value, Core) else value
            for number, value in enumerate(args)
        ]
        made = self._function(*marked)
        if not isinstance(made, Tensor):
            raise TypeError(f"{self._function.__name__} has to return a tensor, not {type(made).__name__}")
        result = custom.result(name, made.node)
        lost = [n for n in _tensors(args) if n not in custom.arguments_of(result)]
        if lost:
            raise ValueError(
                f"{self._function.__name__} does not compute its result from argument {lost[0]}, or looks at "
                "values: leave that argument out, or realise nothing inside"
            )
        return Tensor._of(result)

    def _name(self, args: tuple[Any, ...]) -> str:
        """A name for the marks of calls with these plain values: the same at every call."""
        plain = tuple([None if isinstance(value, Core) else (type(value), value) for value in args])
        found = self._names.get(plain)
        if found is None:
            found = self._names[plain] = f"{self._function.__qualname__} {next(_numbers)}"
            custom.RULES[found] = functools.partial(self._cotangents, args=_without_tensors(args))
        return found

    def _cotangents(
        self, arguments: dict[int, Node], cotangent: Node, args: tuple[Any, ...]
    ) -> dict[int, Node]:
        assert self._rule is not None
        values = [Tensor._of(arguments[n]) if n in arguments else value for n, value in enumerate(args)]
        found = self._rule(Tensor._of(cotangent), *values)
        found = found if isinstance(found, (tuple, list)) else (found,)
        if len(found) != len(arguments):
            raise ValueError(
                f"the gradient of {self._function.__name__} returns {len(found)} cotangents for "
                f"{len(arguments)} tensors"
            )
        nodes: dict[int, Node] = {}
        for number, slope in zip(sorted(arguments), found, strict=True):
            if slope is not None:
                nodes[number] = _fitting(slope, arguments[number])
        return nodes


def _tensors(args: tuple[Any, ...]) -> list[int]:
    return [number for number, value in enumerate(args) if isinstance(value, Core)]


def _without_tensors(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([None if isinstance(value, Core) else value for value in args])


def _fitting(slope: object, argument: Node) -> Node:
    """A cotangent in the dtype of its argument."""
    if not isinstance(slope, Core) or slope.shape != argument.shape:
        what = f"shape {slope.shape}" if isinstance(slope, Core) else type(slope).__name__
        raise ValueError(f"a custom gradient returns {what} for an argument of shape {argument.shape}")
    return build.cast(slope.node, argument.dtype)
