"""Tensor and its method families: the graph is built here and nothing is decided here.

`jit` is in `tensor.jit`: a program without it is spared the reading of what traces and replays (10 ms)."""

from .random import Key
from .tensor import Tensor, where
from .trace import TraceError

__all__ = ["Key", "Tensor", "TraceError", "where"]
