"""Tensor and its method families: the graph is built here and nothing is decided here.

`jit` is in `jit.jit`: a program without it is spared the reading of what traces and replays (10 ms)."""

from . import build
from .functional.random import Key
from .jit.trace import TraceError
from .tensor import Tensor, where


def _complex_rules() -> build.ComplexRules:
    from .elementwise import complex_rules  # few programs compute with complex numbers

    return complex_rules


build.complex_rules = _complex_rules

__all__ = ["Key", "Tensor", "TraceError", "where"]
