"""NumPy's words for torch's keywords: `axis` for `dim`, `keepdims` for `keepdim`, wherever a method has them.

torch takes both words for every one of its functions, so a program written for it may use either.

    >>> Tensor([[1.0, 2.0]]).amax(axis=1, keepdims=True).tolist()
    [[2.0]]
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

SYNONYMS = {"axis": "dim", "keepdims": "keepdim"}

Class = TypeVar("Class", bound=type)


def numpy_keywords(cls: Class) -> Class:
    """Let every public method of a class, its own or inherited, take the other words for its keywords."""
    methods: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        methods |= vars(base)
    for name, method in methods.items():
        function = getattr(method, "__func__", method)
        if name.startswith("_") or not isinstance(function, FunctionType):
            continue
        code = function.__code__
        words = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        synonyms = {new: old for new, old in SYNONYMS.items() if old in words and new not in words}
        if synonyms:
            renamed = _renaming(function, synonyms)
            setattr(cls, name, renamed if function is method else type(method)(renamed))
    return cls


def _renaming(function: FunctionType, synonyms: dict[str, str]) -> Callable[..., Any]:
    @functools.wraps(function)
    def renaming(*arguments: Any, **options: Any) -> Any:
        for new in options.keys() & synonyms.keys():
            old = synonyms[new]
            if old in options:
                raise TypeError(f"{function.__name__}() got both {old}= and {new}=: they are one, give one")
            options[old] = options.pop(new)
        return function(*arguments, **options)

    return renaming
