"""DLPack: memory shared with other libraries, in both directions and with streams.

    capsule = pack(address, (2, 3), dtypes.float32, (CUDA, 0), release)      # to others; `release` when done
    array = unpack(capsule)                                                  # from others
    array.address, array.shape, array.strides, array.dtype
    array.release()                                                          # the producer may have it back

This file knows the structures and nothing of devices; who waits for whom is up to the callers. A capsule that
nobody takes releases its memory when it goes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final

from ...graph import dtypes
from ...graph.dtypes import DType

CPU: Final = 1
CUDA: Final = 2

#: Codes of kinds of numbers; a dtype is a code and a number of bits.
_INT, _UINT, _FLOAT, _BFLOAT, _COMPLEX, _BOOL, _FLOAT8_E4M3FN, _FLOAT8_E5M2 = 0, 1, 2, 4, 5, 6, 10, 12
_SPECIAL: Final = {
    "bfloat16": _BFLOAT,
    "bool": _BOOL,
    "float8_e4m3": _FLOAT8_E4M3FN,
    "float8_e5m2": _FLOAT8_E5M2,
}


class _Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("number", ctypes.c_int32)]


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", _Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_api = ctypes.pythonapi
_new: Any = _api.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_prototype = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
# a capsule that is being destroyed is only an address: it must not be counted again
_is_valid: Any = _prototype(("PyCapsule_IsValid", _api))
_pointer: Any = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_rename: Any = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", _api))

_NAME: Final = b"dltensor"
_VERSIONED: Final = b"dltensor_versioned"
#: Names are kept by address in a capsule.
_USED: Final = {_NAME: b"used_dltensor", _VERSIONED: b"used_dltensor_versioned"}

# --- to others

#: What is lent out, by the address of its structure: the structures, and what to call when it comes back.
_lent: dict[int, tuple[Any, Callable[[], None]]] = {}


def _take_back(address: int) -> None:
    found = _lent.pop(address, None)
    if found is not None:
        found[1]()


def _destroy_capsule(capsule: int) -> None:
    if _is_valid(capsule, _NAME):
        _take_back(_pointer(capsule, _NAME))


_deleter: Final = _Deleter(_take_back)
_destructor: Final = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_destroy_capsule)


def pack(
    address: int, shape: tuple[int, ...], dtype: DType, device: tuple[int, int], release: Callable[[], None]
) -> Any:
    """A capsule for contiguous memory; `release` is called, by any thread, when the consumer is done."""
    lengths = (ctypes.c_int64 * max(1, len(shape)))(*shape)
    managed = _Managed(
        _Tensor(address, _Device(*device), len(shape), _data_type(dtype), lengths, None, 0), None, _deleter
    )
    where = ctypes.addressof(managed)
    _lent[where] = ((managed, lengths), release)
    return _new(where, _NAME, ctypes.cast(_destructor, ctypes.c_void_p))


def _data_type(dtype: DType) -> _DataType:
    code = _SPECIAL.get(dtype.name)
    if code is None:
        code = {"u": _UINT, "i": _INT, "f": _FLOAT, "c": _COMPLEX}[dtype.kind]
    return _DataType(code, 8 if dtype.name == "bool" else dtype.bits, 1)


# --- from others


class Borrowed:
    """Memory of another library. `release` gives it back; nobody does that for you."""

    def __init__(self, tensor: _Tensor, where: int, deleter: Any) -> None:
        self._where, self._deleter = where, deleter
        count = tensor.ndim
        self.address = (tensor.data or 0) + tensor.offset
        self.shape: tuple[int, ...] = tuple(tensor.shape[:count])
        self.strides = tuple(tensor.strides[:count]) if tensor.strides else _contiguous(self.shape)
        self.device = (int(tensor.device.kind), int(tensor.device.number))
        self.dtype = _dtype(tensor.dtype)

    def release(self) -> None:
        where, self._where = self._where, 0
        if where and self._deleter:
            self._deleter(where)


def unpack(capsule: Any) -> Borrowed:
    """What a capsule holds; the capsule is used up."""
    for name, kind in ((_NAME, _Managed), (_VERSIONED, _Versioned)):
        if _is_valid(id(capsule), name):
            where = _pointer(id(capsule), name)
            managed: Any = kind.from_address(where)
            borrowed = Borrowed(managed.tensor, where, managed.deleter)
            _rename(capsule, _USED[name])
            return borrowed
    raise BufferError("this DLPack capsule was used before, or is none")


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for length in reversed(shape):
        strides.append(step)
        step *= length
    return tuple(reversed(strides))


def _dtype(found: _DataType) -> DType:
    if found.lanes == 1:
        for dtype in (*dtypes.ALL, *dtypes.COMPLEX):
            wanted = _data_type(dtype)
            if (wanted.code, wanted.bits) == (found.code, found.bits):
                return dtype
    raise BufferError(
        f"cannot share numbers of DLPack code {found.code} with {found.bits} bits and {found.lanes} lanes: "
        "convert them to one of the dtypes of saccade first"
    )
