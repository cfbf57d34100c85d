"""saccade: a tensor compiler and a cortex.

>>> from saccade import Tensor, dtypes, Device
>>> Tensor([1.0, 2.0]).sum().item()
3.0

The names are imported when they are first used, so that the command line answers without loading the
compiler.
"""

TYPE_CHECKING = False  # as type checkers read it; nothing is imported before the command line is at home
if TYPE_CHECKING:
    from . import array_api, fft, linalg, nn
    from .graph import dtypes
    from .runtime.debug import debug
    from .runtime.device import Device
    from .runtime.searched import search_results
    from .runtime.stream import Stream, stream
    from .runtime.timeline import trace
    from .tensor import Key, Tensor, where
    from .tensor.anomaly import detect_anomaly
    from .tensor.budget import keep_within
    from .tensor.checkpoint import checkpoint
    from .tensor.custom import custom_gradient
    from .tensor.dimension import Dim
    from .tensor.gradient import grad, jvp, value_and_grad, vjp
    from .tensor.jit import jit
    from .tensor.leaves import enable_grad, is_grad_enabled, no_grad
    from .tensor.vmap import hessian, jacrev, vmap
    from .viz.record import record

__all__ = [
    "Device",
    "Dim",
    "Key",
    "Stream",
    "Tensor",
    "array_api",
    "checkpoint",
    "custom_gradient",
    "debug",
    "detect_anomaly",
    "dtypes",
    "enable_grad",
    "fft",
    "grad",
    "hessian",
    "is_grad_enabled",
    "jacrev",
    "jit",
    "jvp",
    "keep_within",
    "linalg",
    "nn",
    "no_grad",
    "record",
    "search_results",
    "stream",
    "trace",
    "value_and_grad",
    "vjp",
    "vmap",
    "where",
]

_HOMES = {
    "Device": ".runtime.device",
    "Dim": ".tensor.dimension",
    "Key": ".tensor",
    "Stream": ".runtime.stream",
    "Tensor": ".tensor",
    "array_api": ".array_api",
    "checkpoint": ".tensor.checkpoint",
    "custom_gradient": ".tensor.custom",
    "debug": ".runtime.debug",
    "detect_anomaly": ".tensor.anomaly",
    "dtypes": ".graph.dtypes",
    "enable_grad": ".tensor.leaves",
    "fft": ".fft",
    "grad": ".tensor.gradient",
    "hessian": ".tensor.vmap",
    "is_grad_enabled": ".tensor.leaves",
    "jacrev": ".tensor.vmap",
    "jit": ".tensor.jit",
    "jvp": ".tensor.gradient",
    "keep_within": ".tensor.budget",
    "linalg": ".linalg",
    "nn": ".nn",
    "no_grad": ".tensor.leaves",
    "record": ".viz.record",
    "search_results": ".runtime.searched",
    "stream": ".runtime.stream",
    "trace": ".runtime.timeline",
    "value_and_grad": ".tensor.gradient",
    "vjp": ".tensor.gradient",
    "vmap": ".tensor.vmap",
    "where": ".tensor",
}

#: names that are modules themselves
_MODULES = ("array_api", "dtypes", "fft", "linalg", "nn")


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
