"""Names of a package that are imported when they are first used.

    __getattr__ = names_of(__name__, {"preset": ".config.presets"})

So a package has its parts under its own name, and who needs one of them does not load the others.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

_NONE: Final[Mapping[str, str]] = MappingProxyType({})


def names_of(
    package: str, homes: Mapping[str, str], modules: Mapping[str, str] = _NONE
) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose names are in these modules, which are given relative to it; those
    in `modules` are modules themselves."""

    def find(name: str) -> Any:
        if name in modules:
            value: Any = import_module(modules[name], package)
        elif name in homes:
            value = getattr(import_module(homes[name], package), name)
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    return find
