"""The same bits read as another dtype, as memory on a little-endian machine holds them.

A node and a dtype come in; a node of that dtype goes out. Where the widths differ, the last axis grows or
shrinks:

    float32 (3, 4) read as uint8   -> (3, 16)    each element split, its low bits first
    int16   (3, 4) read as float64 -> (3, 1)     four elements joined
"""

from __future__ import annotations

from typing import Final

from ...graph import dtypes, monoid
from ...graph.dtypes import DType
from ...graph.node import Node, make
from ...graph.ops import Op
from .. import build

_UNSIGNED: Final = {d.bits: d for d in (dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64)}


def reread(node: Node, dtype: DType) -> Node:
    if node.dtype.is_bool or dtype.is_bool:
        raise ValueError(
            f"cannot read {node.dtype.name} as {dtype.name}: the bits of a bool are not defined; use cast"
        )
    if node.dtype.bits == dtype.bits:
        return _same_width(node, dtype)
    if not node.shape:
        raise ValueError(
            f"cannot read a 0-dim {node.dtype.name} as {dtype.name}: their widths differ, and there is no "
            "axis to change; use reshape(1) first"
        )
    return _split(node, dtype) if node.dtype.bits > dtype.bits else _joined(node, dtype)


def _same_width(node: Node, dtype: DType) -> Node:
    return node if node.dtype is dtype else make(Op.BITCAST, dtype, (node,), None)


def _split(node: Node, dtype: DType) -> Node:
    *outer, length = node.shape
    ratio = node.dtype.bits // dtype.bits
    words = _same_width(node, _UNSIGNED[node.dtype.bits])
    parts = (*outer, length, ratio)
    repeated = build.expand(build.reshape(words, (*outer, length, 1)), parts)
    low = build.binary(Op.SHR, repeated, _places(parts, dtype.bits, words.dtype))
    return _same_width(build.reshape(build.cast(low, _UNSIGNED[dtype.bits]), (*outer, length * ratio)), dtype)


def _joined(node: Node, dtype: DType) -> Node:
    *outer, length = node.shape
    ratio = dtype.bits // node.dtype.bits
    if length % ratio:
        raise ValueError(
            f"cannot read {node.dtype.name} of shape {node.shape} as {dtype.name}: {ratio} elements make "
            f"one, and the last axis has {length}"
        )
    words, parts = _UNSIGNED[dtype.bits], (*outer, length // ratio, ratio)
    narrow = build.reshape(_same_width(node, _UNSIGNED[node.dtype.bits]), parts)
    shifted = build.binary(Op.SHL, build.cast(narrow, words), _places(parts, node.dtype.bits, words))
    # no two of them have a bit in common, so that their sum is their union
    return _same_width(build.reduce(shifted, monoid.ADD, (len(parts) - 1,)), dtype)


def _places(parts: tuple[int, ...], bits: int, dtype: DType) -> Node:
    """How far each part of a word is shifted."""
    index = build.cast(build.iota(parts, len(parts) - 1), dtype)
    return build.binary(Op.MUL, index, build.full(bits, dtype, parts))
