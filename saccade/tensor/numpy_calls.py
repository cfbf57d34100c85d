"""NumPy's functions called on tensors: `np.exp(x)`, `np.sum(x, axis=0)`, `array * x`.

    >>> np.sum(Tensor([[1.0, 2.0]]), axis=1).tolist()
    [3.0]

What a tensor has itself gives a tensor, lazy as any other, also inside jit. Everything else, and options that
tensors do not have (`out=`, `where=`), is computed by NumPy on the values, and gives what NumPy gives.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache
from inspect import Signature, signature
from typing import Any, Final

import numpy as np

from .core import Core

Call = Callable[..., Any]

#: ufuncs that are operators; others are methods of the same name, or of the one in `_METHODS`
_OPERATORS: Final[dict[str, Call]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "power": operator.pow,
    "matmul": operator.matmul,
    "negative": operator.neg,
    "positive": operator.pos,
    "invert": operator.invert,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "left_shift": operator.lshift,
    "right_shift": operator.rshift,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
_METHODS: Final = {
    "absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh",
    "arctan": "atan", "arctan2": "atan2", "arctanh": "atanh", "rint": "round", "conjugate": "conj",
}  # fmt: skip
_SAME_NAME: Final = frozenset({
    "cos", "cosh", "sin", "sinh", "tan", "tanh", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p",
    "sqrt", "square", "reciprocal", "floor", "ceil", "trunc", "sign", "signbit", "isnan", "isinf",
    "isfinite", "maximum", "minimum", "fmax", "fmin", "hypot", "copysign", "heaviside", "logaddexp",
    "logaddexp2", "logical_and", "logical_or", "logical_xor", "logical_not", "deg2rad", "rad2deg",
    "gcd", "lcm", "nextafter",
})  # fmt: skip


def ufunc_on(
    tensor: Any, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """What `tensor.__array_ufunc__` answers: one of the inputs is that tensor."""
    if method == "__call__" and not options:
        name = ufunc.__name__
        own = _OPERATORS.get(name) or _method(type(tensor), _METHODS.get(name, name), name)
        if own is not None:
            first, *rest = (_operand(tensor, x) for x in inputs)
            if name not in _OPERATORS and not isinstance(first, Core):
                first = tensor._coerce(first)
            return own(first, *rest)
    if any(isinstance(out, Core) for out in options.get("out", ())):
        return NotImplemented
    return getattr(ufunc, method)(*_in_numpy(inputs), **_in_numpy(options))


def _operand(tensor: Any, value: Any) -> Any:
    """Arrays as tensors, NumPy's numbers as Python's, which leave the tensor its dtype."""
    if isinstance(value, np.generic):
        return value.item()
    return tensor._coerce(value) if isinstance(value, np.ndarray) else value


def _method(kind: type, method: str, name: str) -> Call | None:
    found: Call | None = getattr(kind, method) if name in _SAME_NAME or name in _METHODS else None
    return found


def function_on(tensor: Any, function: Call, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What `tensor.__array_function__` answers: somewhere among the arguments is that tensor."""
    own = _FUNCTIONS.get(getattr(function, "__name__", ""))
    if own is not None and function is getattr(np, function.__name__, None):
        try:
            _signature(own).bind(tensor, *args, **options)
        except TypeError:  # an option that tensors do not have
            own = None
    if own is not None:
        return own(tensor, *args, **options)
    return function(*_in_numpy(args), **_in_numpy(options))


@lru_cache(256)
def _signature(function: Call) -> Signature:
    return signature(function)


def _in_numpy(value: Any) -> Any:
    """The same with arrays for tensors, also in lists, tuples and dicts."""
    if isinstance(value, Core):
        return np.asarray(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(_in_numpy, value))
    return {k: _in_numpy(v) for k, v in value.items()} if isinstance(value, dict) else value


# --- functions of NumPy in terms of tensors; the first argument is a tensor, whose class they use


def _reduction(method: str) -> Call:
    def reduce(t: Any, a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Any:
        x = t._coerce(a)
        x = x._floating() if method == "mean" and dtype is None else x
        return getattr(x, method)(axis, keepdims, dtype=dtype)

    return reduce


def _extreme(method: str) -> Call:
    def reduce(t: Any, a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
        return getattr(t._coerce(a), method)(axis, keepdims)

    return reduce


def _spread(method: str) -> Call:
    def reduce(t: Any, a: Any, axis: Any = None, *, ddof: int = 0, keepdims: bool = False) -> Any:
        return getattr(t._coerce(a)._floating(), method)(axis, keepdim=keepdims, correction=ddof)

    return reduce


def _running(method: str) -> Call:
    def scan(t: Any, a: Any, axis: int | None = None, dtype: Any = None) -> Any:
        x = t._coerce(a)
        return getattr(x.ravel() if axis is None else x, method)(axis or 0, dtype=dtype)

    return scan


def _sort(t: Any, a: Any, axis: int | None = -1) -> Any:
    x = t._coerce(a)
    return (x.ravel() if axis is None else x).sort(0 if axis is None else axis).values


def _argsort(t: Any, a: Any, axis: int | None = -1) -> Any:
    x = t._coerce(a)
    return (x.ravel() if axis is None else x).argsort(0 if axis is None else axis)


def _where(t: Any, condition: Any, x: Any, y: Any) -> Any:
    return t._coerce(condition)._choose(x, y)


def _concatenate(t: Any, arrays: Any, axis: int | None = 0) -> Any:
    parts = [t._coerce(part) for part in arrays]
    return type(t).cat([p.ravel() for p in parts] if axis is None else parts, axis or 0)


def _clip(t: Any, a: Any, a_min: Any = None, a_max: Any = None) -> Any:
    return t._coerce(a).clamp(a_min, a_max)


def _transpose(t: Any, a: Any, axes: Any = None) -> Any:
    return t._coerce(a).T if axes is None else t._coerce(a).permute(axes)


_FUNCTIONS: Final[dict[str, Call]] = {
    **{name: _reduction(name) for name in ("sum", "prod", "mean", "nansum")},
    **{name: _extreme(name) for name in ("amax", "amin", "argmax", "argmin", "any", "all")},
    "max": _extreme("amax"),
    "min": _extreme("amin"),
    "var": _spread("var"),
    "std": _spread("std"),
    "cumsum": _running("cumsum"),
    "cumprod": _running("cumprod"),
    "sort": _sort,
    "argsort": _argsort,
    "where": _where,
    "concatenate": _concatenate,
    "stack": lambda t, arrays, axis=0: type(t).stack([t._coerce(part) for part in arrays], axis),
    "clip": _clip,
    "real": lambda t, val: t._coerce(val).real,
    "angle": lambda t, z: t._coerce(z).angle(),
    "transpose": _transpose,
    "reshape": lambda t, a, shape: t._coerce(a).reshape(shape),
    "ravel": lambda t, a: t._coerce(a).ravel(),
    "squeeze": lambda t, a, axis=None: t._coerce(a).squeeze(axis),
    "expand_dims": lambda t, a, axis: t._coerce(a).unsqueeze(axis),
    "moveaxis": lambda t, a, source, destination: t._coerce(a).movedim(source, destination),
    "swapaxes": lambda t, a, axis1, axis2: t._coerce(a).transpose(axis1, axis2),
    "broadcast_to": lambda t, array, shape: t._coerce(array).expand(shape),
    "einsum": lambda t, subscripts, *operands: type(t).einsum(subscripts, *map(t._coerce, operands)),
    "tril": lambda t, m, k=0: t._coerce(m).tril(k),
    "triu": lambda t, m, k=0: t._coerce(m).triu(k),
    "zeros_like": lambda t, a, dtype=None: t._coerce(a).zeros_like(dtype=dtype),
    "ones_like": lambda t, a, dtype=None: t._coerce(a).ones_like(dtype=dtype),
    "full_like": lambda t, a, fill_value, dtype=None: t._coerce(a).full_like(fill_value, dtype=dtype),
    "shape": lambda t, a: t._coerce(a).shape,
    "ndim": lambda t, a: t._coerce(a).ndim,
    "size": lambda t, a, axis=None: t._coerce(a).numel() if axis is None else t._coerce(a).size(axis),
}  # fmt: skip


__all__ = ["function_on", "ufunc_on"]
