"""Arguments and results of a function as a list of tensors and what is left: the structure, which is a key.

    >>> leaves = []
    >>> flatten({"x": x, "rate": 0.5}, leaves)     # appends x to leaves
    (dict, ("x", "rate"), (LEAF, Value(float, 0.5)))
    >>> rebuild(structure, [y])
    {"x": y, "rate": 0.5}

Tensors, NumPy arrays and random keys are leaves. Lists, tuples, dicts, named tuples, dataclasses and
objects that are `Attributes` (models, optimisers) are looked into. Everything else is part of the
structure: numbers, strings and the like by their value, other objects by identity."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final

import numpy as np

from ...graph.dtypes import DType
from ..core import Core
from ..functional.random import Key
from ..host import view_of
from ..tensor import Tensor
from .number import Number

Structure = Any  # hashable


class Attributes:
    """The base of objects that are looked into: what they are is their class and all of their attributes."""


class Value:
    """A constant: equal to one of the same type and value; -0.0 is not 0.0 and nan is nan."""

    __slots__ = ("key", "value")

    def __init__(self, value: object) -> None:
        self.value = value
        self.key = (type(value), repr(value) if isinstance(value, (float, complex, np.generic)) else value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return repr(self.value)


class Identity:
    """An object told apart from others by being itself. It is not kept alive where it can be avoided."""

    __slots__ = ("_get", "_number")

    def __init__(self, value: object) -> None:
        self._number = id(value)
        try:
            self._get: Any = weakref.ref(value)
        except TypeError:
            self._get = lambda: value

    @property
    def value(self) -> object:
        return self._get()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self.value is other.value and self.value is not None

    def __hash__(self) -> int:
        return self._number

    def __repr__(self) -> str:
        return f"{type(self.value).__name__} object"


class Leaf:
    """The place of a tensor; `kind` is what comes in: a class of tensors, np.ndarray or Key. There is one of
    each kind, so that comparing structures needs no Python."""

    __slots__ = ("kind",)

    def __init__(self, kind: type) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return self.kind.__name__


class Place:
    """The place of a number that each call gives; `kind` is int or float."""

    __slots__ = ("kind",)

    def __init__(self, kind: type) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"any {self.kind.__name__}"


_PLACES: Final[dict[type, Place]] = {kind: Place(kind) for kind in (int, float)}
_LEAVES: Final[dict[type, Leaf]] = {}


def leaf_of(kind: type) -> Leaf:
    return _LEAVES.setdefault(kind, Leaf(kind))


LEAF: Final = leaf_of(Tensor)
_TENSORS: Final = {Tensor}
_NONE: Final[Iterator[Any]] = iter(())
#: Types that most constants are of.
_PLAIN: Final = frozenset({str, int, bool, float, type(None)})
#: Types whose instances never change and compare by value.
VALUES: Final = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    range,
    slice,
    np.generic,
    np.dtype,
    DType,
    Enum,
)


def is_value(value: object) -> bool:
    return isinstance(value, VALUES) or value is Ellipsis


def flatten(tree: Any, leaves: list[Core]) -> Structure:
    """The structure of `tree`; its tensors are appended to `leaves`."""
    kind = type(tree)
    if isinstance(tree, Core):
        leaves.append(tree)
        return LEAF if kind is Tensor else leaf_of(kind)
    if kind in _PLAIN:
        return _constant(tree)
    if isinstance(tree, (list, tuple)):
        return (kind, _parts(tree, leaves))
    if isinstance(tree, dict):
        return (kind, _keys(tree), _parts(tree.values(), leaves))
    if isinstance(tree, np.ndarray):
        leaves.append(Tensor._sharing(*view_of(tree, None), writes=False))
        return leaf_of(np.ndarray)
    if isinstance(tree, Key):
        leaves.append(tree.words)
        return leaf_of(Key)
    if kind is Number:
        return Identity(tree)
    if is_value(tree):
        return _constant(tree)
    if isinstance(tree, Attributes):
        found = vars(tree)
        return (kind, tuple(found), _parts(found.values(), leaves))
    if is_dataclass(tree) and not isinstance(tree, type):
        return (kind, tuple([flatten(getattr(tree, f.name), leaves) for f in fields(tree)]))
    return Identity(tree)


def _parts(parts: Collection[Any], leaves: list[Core]) -> tuple[Structure, ...]:
    """The structures of the parts of a tree. Of plain tensors nobody has to ask one by one: the state of an
    optimiser is hundreds of dicts of two."""
    if set(map(type, parts)) == _TENSORS:
        leaves.extend(parts)
        return (LEAF,) * len(parts)
    return tuple([flatten(part, leaves) for part in parts])


class _Keys(tuple[Structure, ...]):
    """The keys of a dict. There is one of each kind, so that comparing structures needs no Python."""

    __slots__ = ()
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__


#: by the type of all keys and the keys: 1 and True are equal, and not the same
_KNOWN_KEYS: Final[dict[tuple[type, tuple[Any, ...]], _Keys]] = {}
_MOST_KEYS: Final = 1 << 10


def _keys(tree: dict[Any, Any]) -> tuple[Structure, ...]:
    """The keys of a dict as part of its structure."""
    kinds = set(map(type, tree))
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind is not str and kind is not int:
        return tuple([_constant(k) if type(k) is str else _key(k) for k in tree])
    key = (kind, tuple(tree))
    found = _KNOWN_KEYS.get(key)
    if found is None:
        made = tuple([_constant(k) for k in tree])
        if len(_KNOWN_KEYS) >= _MOST_KEYS:
            return made
        found = _KNOWN_KEYS.setdefault(key, _Keys(made))
    return found


#: Constants of a few types, each once: a model has hundreds, and equal structures are then the same objects.
_INTERNED: Final[dict[tuple[type, object], Value]] = {}
_MOST_INTERNED: Final = 1 << 14


def _key(key: object) -> Structure:
    return Value(key) if is_value(key) else Identity(key)


def _constant(value: object) -> Structure:
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        key = (kind, value)
        found = _INTERNED.get(key)
        if found is None:
            found = Value(value)
            if len(_INTERNED) < _MOST_INTERNED:
                _INTERNED[key] = found
        return found
    # a slice is not hashable before Python 3.12
    return (
        Value(value)
        if not isinstance(value, slice)
        else (slice, Value((value.start, value.stop, value.step)))
    )


def without_numbers(structure: Structure, numbers: list[Value]) -> Structure:
    """The structure with places for its ints and floats, which are appended to `numbers`."""
    if type(structure) is Value:
        place = _PLACES.get(type(structure.value))
        if place is not None:
            numbers.append(structure)
            return place
    elif type(structure) is tuple and structure[0] is not slice:
        return (*structure[:-1], tuple([without_numbers(part, numbers) for part in structure[-1]]))
    return structure


def with_numbers(structure: Structure, numbers: Iterator[Value | None]) -> Structure:
    """The way back: a number in each place, but where it is None."""
    if type(structure) is Place:
        return next(numbers) or structure
    if type(structure) is tuple and structure[0] is not slice:
        return (*structure[:-1], tuple([with_numbers(part, numbers) for part in structure[-1]]))
    return structure


def rebuild(structure: Structure, leaves: Iterator[Core], numbers: Iterator[Any] = _NONE) -> Any:
    """The tree of that structure with these tensors, and numbers in its places."""
    if isinstance(structure, Leaf):
        leaf = next(leaves)
        return Key(leaf) if structure.kind is Key else leaf  # type: ignore[arg-type]
    if isinstance(structure, Place):
        return next(numbers)
    if isinstance(structure, (Value, Identity)):
        return structure.value
    kind, *parts = structure
    if kind is slice:
        return slice(*parts[0].value)
    if issubclass(kind, dict):
        made = kind.__new__(kind)
        dict.update(made, {k.value: rebuild(part, leaves, numbers) for k, part in zip(*parts, strict=True)})
        return made
    if issubclass(kind, Attributes):
        made = object.__new__(kind)
        vars(made).update((k, rebuild(part, leaves, numbers)) for k, part in zip(*parts, strict=True))
        return made
    values = [rebuild(part, leaves, numbers) for part in parts[0]]
    if issubclass(kind, tuple):
        return tuple.__new__(kind, values)
    if issubclass(kind, list):
        made = kind.__new__(kind)
        list.extend(made, values)
        return made
    # a dataclass, without its __init__, which may look at values that are not there yet
    made = object.__new__(kind)
    for field, value in zip(fields(kind), values, strict=True):
        object.__setattr__(made, field.name, value)
    return made


def difference(structure: Structure, other: Structure, path: str = "argument") -> str:
    """Where two structures differ, in words; empty when they do not."""
    if structure == other:
        return ""
    if isinstance(structure, tuple) and isinstance(other, tuple) and structure[0] is other[0]:
        mine, theirs = structure[-1], other[-1]
        if isinstance(mine, tuple) and isinstance(theirs, tuple) and len(mine) == len(theirs):
            for number, (a, b) in enumerate(zip(mine, theirs, strict=True)):
                found = difference(a, b, f"{path}[{number}]")
                if found:
                    return found
    return f"{path} is {_words(structure)} instead of {_words(other)}"


def _words(structure: Structure) -> str:
    if isinstance(structure, tuple):
        return f"a {structure[0].__name__} of {len(structure[-1])}"
    return f"{structure!r:.60}"


__all__ = [
    "LEAF",
    "Attributes",
    "Identity",
    "Leaf",
    "Place",
    "Structure",
    "Value",
    "difference",
    "flatten",
    "is_value",
    "rebuild",
    "with_numbers",
    "without_numbers",
]
