"""Tensor and its method families: the graph is built here and nothing is decided here.

`jit` is in `tensor.jit`: a program without it is spared the reading of what traces and replays (10 ms)."""

from .functional.random import Key
from .jit.trace import TraceError
from .tensor import Tensor, where

__all__ = ["Key", "Tensor", "TraceError", "where"]
