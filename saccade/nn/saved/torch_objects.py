"""What stands beside tensors in a torch file: devices, dtypes, sets, namespaces, arrays of NumPy, as data.

    {"args": argparse.Namespace(lr=0.1), "device": "cuda:0", "best": np.float32(0.5), "seen": {1, 2}}

A pickle says which function of which module makes a value of what. Nothing of a module is looked up here:
each of the names below stands for a function of ours, which checks what it is given. Devices and paths become
texts and torch's dtypes ours; the rest is what it was.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from ...files.reading import shown

#: NumPy's kinds of elements that are plain bytes, and those with a length behind; objects and dates are none
_KINDS: Final = frozenset(str.split("b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16"))
_TEXTS: Final = frozenset("US")
#: parts of a key: Python looks at all of them whenever it looks the key up
MOST_PARTS: Final = 64


@dataclass(frozen=True)
class Name:
    """Something of a module, which stands for nothing but itself."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


def _device(kind: Any, index: Any = None) -> str:
    if not isinstance(kind, str) or not (index is None or type(index) is int):
        raise ValueError(f"a device {shown(kind)}, {shown(index)}")
    return kind if index is None else f"{kind}:{index}"


def keys(values: Any) -> Any:
    """Values that are looked up by what they are: not tuples in tuples without end, whose hash has none."""
    for value in values:
        if isinstance(value, (tuple, frozenset)):
            inner = frozenset if isinstance(value, frozenset) else (tuple, frozenset)
            if len(value) > MOST_PARTS or any(isinstance(part, inner) for part in value):
                raise ValueError(f"a key or an element of a set with many parts, {shown(value)}")
    return values


def _members(values: Any = ()) -> Any:
    if not isinstance(values, (list, tuple)):
        raise ValueError(f"elements of a set are due, not {shown(values)}")
    return keys(values)


def ordered(pairs: Any = ()) -> dict[Any, Any]:
    """An OrderedDict: a dict is in order anyway."""
    if isinstance(pairs, dict):
        return dict(pairs)
    if not isinstance(pairs, (list, tuple)) or not all(isinstance(p, (list, tuple)) for p in pairs):
        raise ValueError(f"pairs of keys and values are due, not {shown(pairs)}")
    keys([part for pair in pairs for part in pair[:1]])
    return dict(pairs)


def _defaults(kind: Any = None, pairs: Any = ()) -> dict[Any, Any]:
    """What would be made for a key that is missing is left out."""
    return ordered(pairs)


def _counter(counts: Any = None) -> Counter[Any]:
    if not isinstance(counts, (dict, type(None))):
        raise ValueError(f"counts are due, not {shown(counts)}")
    return Counter(counts)


def _bytes(text: Any = "", coding: Any = "latin1") -> bytes:
    """How protocol 2 writes bytes: as a text of their numbers."""
    if not isinstance(text, str) or coding != "latin1":
        raise ValueError(f"bytes are written as {shown(coding)}, and latin1 is read")
    return text.encode("latin1")


def _bytearray(data: Any = b"") -> bytearray:
    if not isinstance(data, bytes):
        raise ValueError(f"bytes are due, not {shown(data)}")
    return bytearray(data)


def _complex(real: Any, imaginary: Any) -> complex:
    if type(real) is not float or type(imaginary) is not float:
        raise ValueError(f"a complex number of {shown(real)} and {shown(imaginary)}")
    return complex(real, imaginary)


def _path(kind: type[PurePosixPath | PureWindowsPath]) -> Callable[..., str]:
    def joined(*parts: Any) -> str:
        if not all(isinstance(part, str) for part in parts):
            raise ValueError(f"a path of {shown(parts)}")
        return str(kind(*parts))

    return joined


# --- NumPy


def _element(code: Any, align: Any = False, copy: Any = True) -> np.dtype[Any]:
    """An object of its own: the order of bytes is set later."""
    plain = isinstance(code, str) and code in _KINDS
    text = isinstance(code, str) and code[:1] in _TEXTS and code[1:].isdecimal() and len(code) < 8
    if not plain and not text:
        raise ValueError(f"an array of {shown(code)}, and numbers and texts are read: make it a list")
    made: np.dtype[Any] = np.dtype(code, copy=True)
    return made


def _set_order(element: np.dtype[Any], state: Any) -> None:
    """Of what a file says of a kind of elements the order of bytes is all that is not known already."""
    order = state[1] if isinstance(state, tuple) and len(state) >= 5 else None
    if order not in ("<", ">", "|", "=") or state[2:5] != (None, None, None):
        raise ValueError(f"an array of {shown(state)}, and numbers and texts are read: make it a list")
    known = np.dtype(element.str).newbyteorder(order).__reduce__()
    cast(Any, element).__setstate__(known[2])


def _array(kind: Any, shape: Any, code: Any) -> npt.NDArray[Any]:
    """One that is still empty; `_fill` follows."""
    if kind != Name("numpy", "ndarray"):
        raise ValueError(f"an array of the kind {shown(str(kind))}: make it a plain one with np.asarray")
    return np.ndarray((0,), "b1")


def _fill(array: npt.NDArray[Any], state: Any) -> None:
    match state:
        case (int(), tuple(shape), np.dtype() as element, bool(columns), bytes(data)):
            _check_array(shape, element, data)
            cast(Any, array).__setstate__((1, shape, element, columns, data))
        case _:
            raise ValueError("an array is described in a way that is not known here")


def _from_buffer(data: Any, element: Any, shape: Any, order: Any) -> npt.NDArray[Any]:
    """How protocol 5 writes arrays."""
    if not isinstance(data, (bytes, bytearray)) or order not in ("C", "F"):
        raise ValueError("an array is described in a way that is not known here")
    _check_array(shape, element, data)
    return np.frombuffer(data, element).reshape(shape, order=order)


def _check_array(shape: Any, element: Any, data: bytes | bytearray) -> None:
    sizes = shape if isinstance(shape, tuple) and len(shape) <= 32 else (-1,)
    if not isinstance(element, np.dtype) or not all(type(n) is int and n >= 0 for n in sizes):
        raise ValueError(f"an array of shape {shown(shape)} and {shown(element)}")
    if prod(sizes) * element.itemsize != len(data):
        raise ValueError(f"an array of shape {shown(shape)} and {element} has {len(data)} bytes")


def _scalar(element: Any, data: Any) -> Any:
    if not isinstance(data, bytes):
        raise ValueError("a number of NumPy has no bytes")
    _check_array((), element, data)
    return np.ndarray((), element, data)[()]


_BUILTINS: Final = ("builtins", "__builtin__")
_ARRAYS: Final = ("numpy.core.multiarray", "numpy._core.multiarray")
_PATHS: Final = ("pathlib", "pathlib._local")

#: by the names of a file, what makes the value
OBJECTS: Final[Mapping[Name, Callable[..., Any]]] = {
    Name("torch", "device"): _device,
    Name("collections", "OrderedDict"): ordered,
    Name("collections", "defaultdict"): _defaults,
    Name("collections", "Counter"): _counter,
    Name("argparse", "Namespace"): argparse.Namespace,
    Name("_codecs", "encode"): _bytes,
    **{Name(module, "set"): lambda *values: set(_members(*values)) for module in _BUILTINS},
    **{Name(module, "frozenset"): lambda *values: frozenset(_members(*values)) for module in _BUILTINS},
    **{Name(module, "bytes"): _bytes for module in _BUILTINS},
    **{Name(module, "bytearray"): _bytearray for module in _BUILTINS},
    **{Name(module, "complex"): _complex for module in _BUILTINS},
    **{Name(m, name): _path(PurePosixPath) for m in _PATHS for name in ("PosixPath", "PurePosixPath")},
    **{Name(m, name): _path(PureWindowsPath) for m in _PATHS for name in ("WindowsPath", "PureWindowsPath")},
    Name("numpy", "dtype"): _element,
    **{Name(module, "_reconstruct"): _array for module in _ARRAYS},
    **{Name(module, "scalar"): _scalar for module in _ARRAYS},
    **{Name(module, "_frombuffer"): _from_buffer for module in ("numpy.core.numeric", "numpy._core.numeric")},
}


def attach(value: Any, state: Any) -> None:
    """What a file adds to a value that it has made."""
    if isinstance(value, argparse.Namespace):
        odd = next((key for key in state if not isinstance(key, str) or key.startswith("__")), None)
        if odd is not None:
            raise ValueError(f"a namespace with the attribute {shown(odd)}")
        vars(value).update(state)
    elif isinstance(value, np.dtype):
        _set_order(value, state)
    elif isinstance(value, np.ndarray):
        _fill(value, state)
    elif not isinstance(value, dict):  # torch keeps versions of modules beside dicts
        raise ValueError(f"attributes of a {type(value).__name__}")
