"""The standard's constants, and its dtypes by name."""

from __future__ import annotations

import math

from ..graph.dtypes import (
    bool_ as bool,
)
from ..graph.dtypes import (
    complex64,
    complex128,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

e = math.e
inf = math.inf
nan = math.nan
newaxis = None
pi = math.pi

__all__ = [
    "bool",
    "complex64",
    "complex128",
    "e",
    "float32",
    "float64",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "nan",
    "newaxis",
    "pi",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
