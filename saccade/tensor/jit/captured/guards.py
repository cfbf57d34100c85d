"""Guards: things that have to be as they were when a function was traced.

>>> scale = [2.0]
>>> guard = Guard("scale", lambda: scale)
>>> scale[0] = 3.0
>>> guard.holds()
False
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ..tree import Identity, Leaf, Value, is_value

Read = Callable[[], object]
Write = Callable[[Any], None]

CONTAINERS: Final = (list, tuple, dict, set, frozenset, deque)


class ArrayValue:
    """The contents of a NumPy array at one time."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array.copy()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ArrayValue):
            return False
        a, b = self.array, other.array
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"array of shape {self.array.shape}"


def snapshot(value: object) -> object:
    """What makes a value the same value later: contents for plain data, identity for the rest."""
    if is_value(value):
        return Value(value) if not isinstance(value, slice) else (value.start, value.stop, value.step)
    if isinstance(value, dict):
        return (type(value), [(snapshot(k), snapshot(v)) for k, v in value.items()])
    if isinstance(value, (set, frozenset)):
        return (type(value), frozenset(Value(v) if is_value(v) else Identity(v) for v in value))
    if isinstance(value, CONTAINERS):
        return (type(value), [snapshot(v) for v in value])
    if isinstance(value, np.ndarray):
        return ArrayValue(value)
    return Identity(value)


class Guard:
    """One thing that has to be as it was: `name` says what, for people."""

    __slots__ = ("_same", "_write", "by_contents", "expected", "name", "read")

    def __init__(self, name: str, read: Read, write: Write | None = None) -> None:
        self.name = name
        self.read = read
        self._write = write
        value = read()
        self.expected = snapshot(value)
        #: another object may have the same contents
        self.by_contents = not isinstance(self.expected, Identity)
        #: what is this object, and cannot change, is compared without a snapshot, and stays alive
        self._same: object = value if not self.by_contents or _is_fixed(value) else _CHANGES

    def holds(self) -> bool:
        try:
            value = self.read()
        except (AttributeError, ValueError):  # a deleted attribute, an emptied cell
            return False
        return value is self._same or (self.by_contents and snapshot(value) == self.expected)

    def current(self) -> object:
        """What is there now; None where there is nothing any more."""
        try:
            return self.read()
        except (AttributeError, ValueError):
            return None

    def restore(self) -> None:
        """Bind the value that was found there again, where that is possible."""
        if self._write is not None and self._same is not _CHANGES:
            self._write(self._same)


_CHANGES: Final = object()


def _is_fixed(value: object) -> bool:
    """A plain value, a type, a part of a structure (`tree`), or a tuple of such: the same object has the same
    contents for good."""
    return (
        is_value(value)
        or isinstance(value, (type, Leaf, Value, Identity))
        or (type(value) is tuple and all(map(_is_fixed, value)))
    )


__all__ = ["CONTAINERS", "Guard", "Read", "Write", "snapshot"]
