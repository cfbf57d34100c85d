"""Tensor and its method families: the graph is built here and nothing is decided here."""

from .random import Key
from .tensor import Tensor, where

__all__ = ["Key", "Tensor", "where"]
