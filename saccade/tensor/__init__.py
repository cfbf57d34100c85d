"""Tensor and its method families: the graph is built here and nothing is decided here."""

from .jit import JitFunction, RetraceWarning, jit
from .random import Key
from .tensor import Tensor, where
from .trace import TraceError

__all__ = ["JitFunction", "Key", "RetraceWarning", "Tensor", "TraceError", "jit", "where"]
