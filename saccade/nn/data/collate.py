"""Items become a batch: arrays are stacked, numbers become arrays, texts lists.

    collate([(image, 3), (image, 5)])        # (images (2, 28, 28), labels (2,) int64)

Tuples, named tuples, lists, dicts and dataclasses are looked into and come back as what they were. Python's
floats become float32, as in `Tensor([0.5])`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from ...tensor.tensor import Tensor


def collate(items: Sequence[Any]) -> Any:
    """A tree of arrays of shape (batch, ...) from trees of one structure."""
    first = items[0]
    if isinstance(first, Tensor):
        return _stacked([item.numpy() for item in items])
    if isinstance(first, (np.ndarray, np.generic)):
        return _stacked(items)
    if hasattr(first, "__array__"):  # a tensor of torch, say
        return _stacked([np.asarray(item) for item in items])
    if isinstance(first, bool):
        return np.array(items, np.bool_)
    if isinstance(first, int):
        return np.array(items, np.int64)
    if isinstance(first, float):
        return np.array(items, np.float32)
    if isinstance(first, (str, bytes)) or first is None:
        return list(items)
    return _rebuilt(first, items, collate)


def mapped(function: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with a function applied to its arrays."""
    if isinstance(tree, np.ndarray):
        return function(tree)
    if isinstance(tree, (str, bytes)) or tree is None or not _is_looked_into(tree):
        return tree
    return _rebuilt(tree, [tree], lambda parts: mapped(function, parts[0]))


def _stacked(arrays: Sequence[Any]) -> Any:
    shapes = {np.shape(array) for array in arrays}
    if len(shapes) > 1:
        raise ValueError(
            f"items of shapes {' and '.join(map(str, sorted(shapes)[:3]))} do not stack: give all items one "
            "shape, or pass a collate_fn that pads them"
        )
    return np.stack(arrays)


def _is_looked_into(value: Any) -> bool:
    return isinstance(value, (tuple, list, dict)) or (is_dataclass(value) and not isinstance(value, type))


def _rebuilt(first: Any, items: Sequence[Any], join: Callable[[list[Any]], Any]) -> Any:
    """What the first item is, with its parts and those of the others joined."""
    if isinstance(first, dict):
        return {key: join([item[key] for item in items]) for key in first}
    if isinstance(first, (tuple, list)):
        lengths = {len(item) for item in items}
        if len(lengths) > 1:
            raise ValueError(f"items of {sorted(lengths)} parts do not stack: all need equally many")
        parts = [join([item[place] for item in items]) for place in range(len(first))]
        return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
    if is_dataclass(first) and not isinstance(first, type):
        names = [field.name for field in fields(first)]
        return replace(first, **{name: join([getattr(item, name) for item in items]) for name in names})
    raise TypeError(
        f"cannot stack a {type(first).__name__}: items are arrays, tensors, numbers, texts and trees of "
        "them; pass a collate_fn for others"
    )
