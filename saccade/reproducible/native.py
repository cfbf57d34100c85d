"""Plain loops over arrays, compiled: a Python function in, a function that runs at machine speed out.

Walking a tree with a stack is neither an array expression nor a tensor program, and one ray of it costs a
thousand interpreted lines. So such functions are written in a small part of Python and handed to LLVM:

    @native
    def total(values: F64s, count: I64, out: F64s) -> None:
        sum = 0.0
        for i in range(count):
            sum += values[i]
        out[0] = sum

    total(values, len(values), out)             # compiled at the first call, or found in the cache
    total.python(values, len(values), out)      # the same function, interpreted: what the tests compare with

The part: int and float scalars (64 bits), one-dimensional contiguous arrays named by their annotation, `=`,
`+=` and friends, `if`, `while`, `for .. in range(..)`, `break`, `continue`, `return` without a value, `+ -
* /`, `//` and `%` (of non-negative integers), comparisons, `and`, `or`, `not`, `a if c else b` (both sides
are computed), `abs min max sqrt floor int float`, calls of other native functions, and `scratch_f64(n)`,
`scratch_i64(n)` for local arrays. A variable keeps the type of its first assignment. Floats follow IEEE 754
with no reassociation, so results are the same on every run and machine.
"""

from __future__ import annotations

import ast
import ctypes
import inspect
import math
import sys
import textwrap
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..runtime.cache.cache import key_of, shared_cache
from ..runtime.cache.turns import turn
from ..runtime.cpu.build import llvm_version, processor
from ..runtime.cpu.loader import Image, load
from ..runtime.process.forking import fork_lock
from .threads import in_threads

F64s: TypeAlias = npt.NDArray[np.float64]
F32s: TypeAlias = npt.NDArray[np.float32]
I64s: TypeAlias = npt.NDArray[np.int64]
I32s: TypeAlias = npt.NDArray[np.int32]
U8s: TypeAlias = npt.NDArray[np.uint8]
I64: TypeAlias = int
F64: TypeAlias = float

ELEMENTS = {"F64s": np.float64, "F32s": np.float32, "I64s": np.int64, "I32s": np.int32, "U8s": np.uint8}
SCALARS = ("I64", "F64")
_declared: list[Native] = []

sqrt, floor = math.sqrt, math.floor


def scratch_f64(count: int) -> F64s:
    """A local array of floats; `count` is a constant in compiled code. Write before you read: here it holds
    NaN."""
    return np.full(count, np.nan)


def scratch_i64(count: int) -> I64s:
    """A local array of integers; `count` is a constant in compiled code. Write before you read."""
    return np.full(count, np.iinfo(np.int64).min)


class Native:
    """A function of the subset. Calling it compiles it once, checks the arguments and runs it without the
    GIL."""

    def __init__(self, function: Callable[..., None]) -> None:
        self.python = function
        self.name = function.__name__
        self.__doc__ = function.__doc__
        code, kinds = function.__code__, function.__annotations__
        self.parameters = [(name, kinds.get(name, "")) for name in code.co_varnames[: code.co_argcount]]
        for name, kind in self.parameters:
            if kind not in ELEMENTS and kind not in SCALARS:
                raise TypeError(
                    f"{self.name}: parameter {name!r} needs one of {[*ELEMENTS, *SCALARS]}, not {kind!r}"
                )
        #: the element type of each parameter, None of a scalar
        self._wanted = [np.dtype(ELEMENTS[kind]) if kind in ELEMENTS else None for _, kind in self.parameters]
        self._entry: Callable[..., None] | None = None
        self._image: Image | None = None
        self._lock = fork_lock()

    @cached_property
    def definition(self) -> ast.FunctionDef:
        """Its text, taken apart when it is compiled: that of all loops takes a tenth of a second."""
        definition = ast.parse(textwrap.dedent(inspect.getsource(self.python))).body[0]
        assert isinstance(definition, ast.FunctionDef)
        return definition

    def __call__(self, *arguments: Any) -> None:
        if self._entry is None:
            self.prepare()
        if len(arguments) != len(self.parameters):
            raise TypeError(f"{self.name} takes {len(self.parameters)} arguments, got {len(arguments)}")
        raw: list[int | float] = []
        for value, wanted in zip(arguments, self._wanted, strict=True):
            if wanted is None:
                raw.append(value)
            elif value.dtype != wanted or not value.flags.c_contiguous:
                name = self.parameters[len(raw)][0]
                raise TypeError(
                    f"{self.name}: {name} must be a contiguous {wanted.name} array, got {value.dtype}"
                )
            else:
                raw.append(_address(value))
        assert self._entry is not None
        self._entry(*raw)

    def prepare(self) -> None:
        """Compile it, or find it in the cache, if that was not done before."""
        with self._lock:
            if self._entry is not None:
                return
            self._image = _placed(self)
            c_types = [
                ctypes.c_void_p if kind in ELEMENTS else ctypes.c_int64 if kind == "I64" else ctypes.c_double
                for _, kind in self.parameters
            ]
            self._entry = ctypes.CFUNCTYPE(None, *c_types)(self._image.address(self.name))


_NOTHING = ctypes.c_char * 0


def _address(array: Any) -> int:
    """Where a contiguous array begins. Through its buffer, which takes a quarter of the time of `ctypes`; of
    what may not be written to there is none."""
    try:
        return ctypes.addressof(_NOTHING.from_buffer(array))
    except TypeError:
        return int(array.ctypes.data)


def _placed(function: Native) -> Image:
    """The code of a function in memory: from the cache, like a kernel's, or compiled. It is known there by
    what Python made of the function and of all that it calls: to translate those of a run anew would take a
    quarter of a second, and to import LLVM another tenth."""

    def placed(code: bytes) -> Image:
        image = load(code)
        image.address(function.name)
        return image

    store = shared_cache()
    key = key_of("native", _translator(), llvm_version(), processor(), repr(_meaning(function, set())))
    image = store.load(key, placed)
    if image is None:
        with turn(store.usable_folder(), key) as made:
            image = store.load(key, placed) if made else None
            if image is None:
                from .native_llvm import compiled

                code = compiled(function)
                image = placed(code)
                store.put(key, code)
    return image


@cache
def _translator() -> bytes:
    """The text of what translates functions, and the Python that makes their code."""
    return sys.version.encode() + Path(__file__).with_name("native_llvm.py").read_bytes()


def _meaning(function: Native, seen: set[str]) -> tuple[object, ...]:
    """All that the translation of a function depends on: its code, the numbers it names, what it calls."""
    code = function.python.__code__
    named: dict[str, object] = {}
    for name in code.co_names:
        outer = function.python.__globals__.get(name)
        if isinstance(outer, Native) and name not in seen:
            named[name] = _meaning(outer, seen | {name})
        elif isinstance(outer, (int, float)):
            named[name] = outer
    written = code.co_code, code.co_consts, code.co_names, code.co_varnames
    return function.name, function.parameters, written, named


def native(function: Callable[..., None]) -> Native:
    """Compile a function of the subset (see the module docstring) at its first call, or when it is made
    ready."""
    _declared.append(Native(function))
    return _declared[-1]


def make_ready(package: str, alone: bool = False) -> None:
    """Compile the functions of all modules of a package that are imported, while there is time: with all
    threads, or by this one alone, beside other work. From the cache it takes half a millisecond each."""
    wanted = [each for each in _declared if each.python.__module__.startswith(f"{package}.")]
    if alone:
        for each in wanted:
            each.prepare()
    else:
        in_threads(Native.prepare, wanted)
