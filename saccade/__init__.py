"""saccade: a tensor compiler and a cortex.

>>> from saccade import Tensor, dtypes, Device
>>> Tensor([1.0, 2.0]).sum().item()
3.0
"""

from .graph import dtypes
from .runtime.device import Device
from .tensor import Key, Tensor, where

__all__ = ["Device", "Key", "Tensor", "dtypes", "where"]
