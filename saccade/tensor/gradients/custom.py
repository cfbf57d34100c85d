"""`custom_gradient`: a function whose gradient is given, not derived.

@custom_gradient
def scaled(x, *, weight, digits=0):
    return (x * weight).round(decimals=digits)

@scaled.backward
def _(slope, x, *, weight, digits=0):   # the cotangent of the result, then the arguments as they were given
    return slope * weight, slope * x    # a cotangent for each tensor in order, or {"x": ..., "weight": ...}
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from ...graph.node import Node
from ...transform.gradient import custom
from .. import build
from ..core import Core
from ..jit.tree import Value
from ..tensor import Tensor
from .leaves import modes

_numbers: Final = count()


@dataclass(frozen=True)
class _Call:
    """What a function was given: values in order, the last of them by keyword, and a name for each."""

    values: tuple[Any, ...]
    names: tuple[str, ...]
    keywords: int

    def changed(self, values: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        """Other values as they are passed to a function."""
        by_place = len(values) - self.keywords
        return values[:by_place], dict(zip(self.names[by_place:], values[by_place:], strict=True))

    @property
    def tensors(self) -> list[int]:
        return [number for number, value in enumerate(self.values) if isinstance(value, Core)]


class custom_gradient:
    """A function of tensors and of plain values, by place or by keyword, with a tensor as its result, and the
    rule for its gradient. Plain values are part of the program: each is a rule of its own.

    The rule takes the cotangent of the result and the arguments, and returns a cotangent for each tensor of
    those, in the order of the function's parameters, or a dict of them by the names of parameters, without
    those that have none. What it computes has a gradient as ever."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._signature = inspect.signature(function)
        self._rule: Callable[..., Any] | None = None
        self._names: dict[tuple[Any, ...], str] = {}

    def backward(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Have this rule."""
        self._rule = rule
        return rule

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._rule is None:
            raise TypeError(f"{self._function.__name__} has no gradient: give it one with .backward")
        if not modes.grad:
            return self._function(*args, **kwargs)
        call = self._bound(args, kwargs)
        name = self._name(call)
        marked = [
            type(value)._of(custom.argument(name, number, value.node)) if isinstance(value, Core) else value
            for number, value in enumerate(call.values)
        ]
        places, keywords = call.changed(marked)
        made = self._function(*places, **keywords)
        if not isinstance(made, Tensor):
            raise TypeError(f"{self._function.__name__} has to return a tensor, not {type(made).__name__}")
        result = custom.result(name, made.node)
        lost = [call.names[n] for n in call.tensors if n not in custom.arguments_of(result)]
        if lost:
            raise ValueError(
                f"{self._function.__name__} does not compute its result from argument {lost[0]!r}, or looks "
                "at values: leave that argument out, or realise nothing inside"
            )
        return Tensor._of(result)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call:
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self._function.__name__}: {error}") from None
        places, words = bound.args, bound.kwargs
        names: list[str] = []
        for parameter in self._signature.parameters.values():
            if parameter.kind is parameter.VAR_POSITIONAL:
                names += [f"{parameter.name}[{n}]" for n in range(len(places) - len(names))]
            names.append(parameter.name)
        keywords = [name for name in self._signature.parameters if name in words]
        keywords += sorted(words.keys() - set(keywords))  # those of **more, which come in any order
        values = (*places, *[words[word] for word in keywords])
        return _Call(values, (*names[: len(places)], *keywords), len(keywords))

    def _name(self, call: _Call) -> str:
        """A name for the marks of calls with these plain values: the same at every call."""
        plain = [
            None if isinstance(value, Core) else self._frozen(value, name)
            for name, value in zip(call.names, call.values, strict=True)
        ]
        key = (call.names, tuple(plain))
        found = self._names.get(key)
        if found is None:
            found = self._names[key] = f"{self._function.__qualname__} {next(_numbers)}"
            without = [None if isinstance(value, Core) else _copied(value) for value in call.values]
            kept = _Call(tuple(without), call.names, call.keywords)
            custom.RULES[found] = functools.partial(self._cotangents, call=kept)
        return found

    def _frozen(self, value: Any, name: str) -> Any:
        """A plain value as a key: equal only where the value is the same."""
        if isinstance(value, (list, tuple)):
            return type(value), tuple([self._frozen(part, name) for part in value])
        if isinstance(value, dict):
            return type(value), tuple([(Value(key), self._frozen(part, name)) for key, part in value.items()])
        if isinstance(value, Core) or type(value).__hash__ is None:
            raise TypeError(
                f"argument {name!r} of {self._function.__name__} holds a {type(value).__name__}: pass "
                "tensors as arguments of their own, and beside them numbers, texts, lists and dicts of those"
            )
        return Value(value)

    def _cotangents(self, arguments: dict[int, Node], cotangent: Node, call: _Call) -> dict[int, Node]:
        assert self._rule is not None
        values = [
            Tensor._of(arguments[n]) if n in arguments else value for n, value in enumerate(call.values)
        ]
        places, keywords = call.changed(values)
        found = self._rule(Tensor._of(cotangent), *places, **keywords)
        nodes: dict[int, Node] = {}
        for number, slope in self._slopes(found, sorted(arguments), call.names).items():
            if slope is not None:
                nodes[number] = _fitting(slope, arguments[number])
        return nodes

    def _slopes(self, found: Any, numbers: list[int], names: tuple[str, ...]) -> dict[int, Any]:
        """What a rule returned, by the numbers of the tensors."""
        if isinstance(found, Mapping):
            known = {names[number]: number for number in numbers}
            odd = [name for name in found if name not in known]
            if odd:
                raise ValueError(
                    f"the gradient of {self._function.__name__} returns a cotangent for {odd[0]!r}, "
                    f"and its tensors are {', '.join(known)}"
                )
            return {known[name]: slope for name, slope in found.items()}
        found = found if isinstance(found, (tuple, list)) else (found,)
        if len(found) != len(numbers):
            raise ValueError(
                f"the gradient of {self._function.__name__} returns {len(found)} cotangents for "
                f"{len(numbers)} tensors"
            )
        return dict(zip(numbers, found, strict=True))


def _copied(value: Any) -> Any:
    """Lists and dicts of its own, also in tuples: those of the caller may change."""
    if isinstance(value, (list, tuple)):
        parts = [_copied(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return {key: _copied(part) for key, part in value.items()} if isinstance(value, dict) else value


def _fitting(slope: object, argument: Node) -> Node:
    """A cotangent in the dtype of its argument."""
    if not isinstance(slope, Core) or slope.shape != argument.shape:
        what = f"shape {slope.shape}" if isinstance(slope, Core) else type(slope).__name__
        raise ValueError(f"a custom gradient returns {what} for an argument of shape {argument.shape}")
    return build.cast(slope.node, argument.dtype)
