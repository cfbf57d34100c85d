"""saccade: a tensor compiler and a cortex.

>>> from saccade import Tensor, dtypes, Device
>>> Tensor([1.0, 2.0]).sum().item()
3.0

The names are imported when they are first used, so that the command line answers without loading the
compiler.
"""

TYPE_CHECKING = False  # as type checkers read it; nothing is imported before the command line is at home
if TYPE_CHECKING:
    from . import linalg
    from .graph import dtypes
    from .runtime.debug import debug
    from .runtime.device import Device
    from .runtime.searched import search_results
    from .runtime.stream import Stream, stream
    from .runtime.timeline import trace
    from .tensor import Key, Tensor, jit, where
    from .tensor.dimension import Dim
    from .tensor.gradient import grad, jvp, value_and_grad, vjp

__all__ = [
    "Device",
    "Dim",
    "Key",
    "Stream",
    "Tensor",
    "debug",
    "dtypes",
    "grad",
    "jit",
    "jvp",
    "linalg",
    "search_results",
    "stream",
    "trace",
    "value_and_grad",
    "vjp",
    "where",
]

_HOMES = {
    "Device": ".runtime.device",
    "Dim": ".tensor.dimension",
    "Key": ".tensor",
    "Stream": ".runtime.stream",
    "Tensor": ".tensor",
    "debug": ".runtime.debug",
    "dtypes": ".graph.dtypes",
    "grad": ".tensor.gradient",
    "jit": ".tensor",
    "jvp": ".tensor.gradient",
    "linalg": ".linalg",
    "search_results": ".runtime.searched",
    "stream": ".runtime.stream",
    "trace": ".runtime.timeline",
    "value_and_grad": ".tensor.gradient",
    "vjp": ".tensor.gradient",
    "where": ".tensor",
}

#: names that are modules themselves
_MODULES = ("dtypes", "linalg")


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = import_module(_HOMES[name], __name__)
    value = home if name in _MODULES else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
