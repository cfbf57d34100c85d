"""saccade: a tensor compiler and a cortex.

>>> from saccade import Tensor, dtypes, Device
>>> Tensor([1.0, 2.0]).sum().item()
3.0

The names are imported when they are first used, so that the command line answers without loading the
compiler.
"""

TYPE_CHECKING = False  # as type checkers read it; nothing is imported before the command line is at home
if TYPE_CHECKING:
    from . import array_api, fft, linalg, nn, special
    from .graph import dtypes
    from .runtime.cache.searched import search_results
    from .runtime.device import Device
    from .runtime.stream import Stream, stream
    from .runtime.watch.debug import debug
    from .runtime.watch.timeline import trace
    from .tensor import Key, Tensor, where
    from .tensor.gradients.anomaly import detect_anomaly
    from .tensor.gradients.budget import keep_within
    from .tensor.gradients.checkpoint import checkpoint
    from .tensor.gradients.custom import custom_gradient
    from .tensor.gradients.gradient import grad, jvp, value_and_grad, vjp
    from .tensor.gradients.leaves import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
    from .tensor.gradients.vmap import hessian, jacrev, vmap
    from .tensor.jit.jit import jit
    from .tensor.programs.dimension import Dim
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
    "set_grad_enabled",
    "special",
    "stream",
    "trace",
    "value_and_grad",
    "vjp",
    "vmap",
    "where",
]

_HOMES = {
    "Device": ".runtime.device",
    "Dim": ".tensor.programs.dimension",
    "Key": ".tensor",
    "Stream": ".runtime.stream",
    "Tensor": ".tensor",
    "array_api": ".array_api",
    "checkpoint": ".tensor.gradients.checkpoint",
    "custom_gradient": ".tensor.gradients.custom",
    "debug": ".runtime.watch.debug",
    "detect_anomaly": ".tensor.gradients.anomaly",
    "dtypes": ".graph.dtypes",
    "enable_grad": ".tensor.gradients.leaves",
    "fft": ".fft",
    "grad": ".tensor.gradients.gradient",
    "hessian": ".tensor.gradients.vmap",
    "is_grad_enabled": ".tensor.gradients.leaves",
    "jacrev": ".tensor.gradients.vmap",
    "jit": ".tensor.jit.jit",
    "jvp": ".tensor.gradients.gradient",
    "keep_within": ".tensor.gradients.budget",
    "linalg": ".linalg",
    "nn": ".nn",
    "no_grad": ".tensor.gradients.leaves",
    "record": ".viz.record",
    "search_results": ".runtime.cache.searched",
    "set_grad_enabled": ".tensor.gradients.leaves",
    "special": ".special",
    "stream": ".runtime.stream",
    "trace": ".runtime.watch.timeline",
    "value_and_grad": ".tensor.gradients.gradient",
    "vjp": ".tensor.gradients.gradient",
    "vmap": ".tensor.gradients.vmap",
    "where": ".tensor",
}

#: names that are modules themselves
_MODULES = ("array_api", "dtypes", "fft", "linalg", "nn", "special")


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
