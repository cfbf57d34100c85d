"""Objects of the standard library that hold values for others to change: what they hold, read anew.

>>> scales = ChainMap({}, {"rate": 0.1})
>>> holder_of(scales)()
{'rate': 0.1}

Their code is not read (it does what it does), so no name in it says where the values lie.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, MappingView, Sequence, Set
from contextvars import ContextVar
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from .guards import Read

#: modules whose classes, and classes derived from them, hold what they are given
_LIBRARY: Final = frozenset({"builtins", "collections", "configparser", "types"})


def holder_of(value: Any) -> Read | None:
    """How to read what an object holds: a dict for a mapping (`ChainMap`, `UserDict`, a proxy of a dict), a
    list for other collections, what a weak reference or a context variable leads to; None for the rest."""
    kind = type(value)
    if kind is weakref.ref:
        return value  # type: ignore[no-any-return]
    if kind is ContextVar:
        return partial(_variable, value)
    if not any(base.__module__ in _LIBRARY for base in kind.__mro__ if base is not object):
        return None
    if isinstance(value, (Mapping, MappingProxyType)):
        return partial(dict, value)
    if isinstance(value, (Sequence, Set, MappingView)):
        return partial(list, value)
    return None


def _variable(variable: ContextVar[Any]) -> object:
    """The value, or the default, or None."""
    try:
        return variable.get()
    except LookupError:
        return None


__all__ = ["holder_of"]
