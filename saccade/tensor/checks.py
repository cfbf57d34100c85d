"""Values that are looked at when a function is called, where that costs no computing and no waiting.

A list, an array or a tensor in host memory is checked at once. What is on a GPU, not computed yet, or inside
a jit function is not looked at: each function says what a wrong value does there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.node import Node
from .jit.trace import buffer_of, current_trace
from .programs.realize import is_realized


def values_at_hand(node: Node) -> np.ndarray[Any, Any] | None:
    """The elements of a tensor that can be read without computing or waiting, or None."""
    if current_trace() is not None or not is_realized(node):
        return None
    buffer = buffer_of(node)
    return buffer.numpy() if buffer.in_host_memory else None


def check_range(array: np.ndarray[Any, Any], start: int, n: int) -> None:
    """Raise unless every index lies in start to n - 1."""
    low, high = int(array.min(initial=start)), int(array.max(initial=start))
    if low < start or high >= n > 0:
        wrong = low if low < start else high
        raise IndexError(f"index {wrong} is out of range for an axis of size {n}: use {start} to {n - 1}")


def check_classes(node: Node, count: int, ignored: int | None = None) -> None:
    """Raise unless every class that is at hand lies in 0 to count - 1, or is the one that is ignored."""
    classes = values_at_hand(node)
    if classes is None or not classes.size:
        return
    wrong = (classes < 0) | (classes >= count)
    if ignored is not None:
        wrong &= classes != ignored
    if wrong.any():
        but = "" if ignored is None else f", or {ignored}, which is ignored"
        raise ValueError(f"class {classes[wrong][0]} is not one of {count}: use 0 to {count - 1}{but}")


def check_most(node: Node, most: int, what: str) -> None:
    """Raise unless every count that is at hand lies in 0 to `most`."""
    counts = values_at_hand(node)
    if counts is None or not counts.size:
        return
    wrong = counts[(counts < 0) | (counts > most)]
    if wrong.size:
        raise ValueError(f"{what} lie between 0 and {most}, not {wrong[0]}")


__all__ = ["check_classes", "check_most", "check_range", "values_at_hand"]
