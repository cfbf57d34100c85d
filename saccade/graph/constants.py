"""Constants beyond a number: the same everywhere in a shape, or of any value at all.

everywhere(const(1, dtypes.int32), (3, 4))      # a value in tensor terms, of one number
constant_of(that)                               # the number behind it again
where(mask, x, anything(x.dtype))               # what is stored outside the mask does not matter
"""

from __future__ import annotations

from .dtypes import DType
from .node import Node, Shape, const, make
from .ops import Op


def everywhere(node: Node, shape: Shape) -> Node:
    """A scalar of tensor terms, in each place of a shape."""
    if not shape:
        return node
    ones = (1,) * len(shape)
    made = make(Op.RESHAPE, node.dtype, (node,), ones)
    if shape != ones:
        made = make(Op.EXPAND, node.dtype, (made,), shape)
    made._device = node.device  # or whoever asks goes down to the constant first
    made._shape = shape
    return made


def constant_of(node: Node) -> Node | None:
    """The CONST behind a value in tensor terms that is the same everywhere, else None."""
    while node.op is Op.EXPAND or node.op is Op.RESHAPE:
        node = node.src[0]
    return node if node.op is Op.CONST else None


class _AnyFloat(float):
    """See `anything`."""


class _AnyInt(int):
    """See `anything`."""


def anything(dtype: DType) -> Node:
    """A constant whose value does not matter. It is 0 wherever somebody needs one; but where a kernel stores
    `where(mask, x, anything)`, memory outside the mask may keep what it held."""
    if dtype.is_complex:
        return make(Op.COMPLEX, dtype, (anything(dtype.part), anything(dtype.part)))
    if dtype.is_bool:
        return const(False, dtype)  # of one byte each: filling costs next to nothing
    return make(Op.CONST, dtype, (), _AnyFloat(0.0) if dtype.is_float else _AnyInt(0))


def is_anything(node: Node) -> bool:
    return node.op is Op.CONST and type(node.arg) in (_AnyFloat, _AnyInt)
