"""A plan as a builtin function of Python, made of machine code: call.ll says what it does.

    run = builtin(code, call)               # the address of `plan_call`, and a plan
    run([x.address, y.address, 0])          # 0: done

By way of `struct` and `ctypes` a call took a microsecond more, which is as long as a kernel of some thousand
elements.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Final


class Call(ctypes.Structure):
    """A plan: where the pool's handle is, its launches and how many, and of how many words its table is."""

    _fields_ = [
        ("home", ctypes.c_void_p),
        ("launches", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("words", ctypes.c_int64),
    ]


class _Method(ctypes.Structure):
    """Python's PyMethodDef."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


#: Python's METH_O: a function of one argument.
_ONE_ARGUMENT: Final = 8

#: Functions refer to these for as long as they live.
_methods: Final[dict[int, _Method]] = {}


def builtin(code: int, call: Call) -> Callable[[list[int]], int]:
    """A function of a list of addresses that runs a plan, which has to live as long."""
    method = _methods.setdefault(code, _Method(b"plan", code, _ONE_ARGUMENT, None))
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    made: Callable[[list[int]], int] = make(ctypes.addressof(method), ctypes.addressof(call), None)
    return made
