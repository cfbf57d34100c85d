"""What a jit function compares of a tensor in memory, as one object, and the buffer that is the memory.

    >>> signature, buffer = placed(x.node)
    >>> signature is placed(y.node)[0]          # the same shape, dtype and device
    True

Both are kept on the node, so that a call compares identities and takes no tensor apart. The address is the
buffer's: it may move to other memory.
"""

from __future__ import annotations

from weakref import WeakValueDictionary

from ...graph.dtypes import DType
from ...graph.node import Node, Shape
from ...runtime.memory.buffer import Buffer
from ..gradients.leaves import is_marked
from .trace import buffer_of


class Signature:
    """A shape, a dtype, a device, and whether it gathers gradients; equal ones are the same object."""

    __slots__ = ("__weakref__", "device", "dtype", "marked", "shape")

    def __init__(self, shape: Shape, dtype: DType, device: str, marked: bool) -> None:
        self.shape, self.dtype, self.device, self.marked = shape, dtype, device, marked


_known: WeakValueDictionary[tuple[Shape, DType, str, bool], Signature] = WeakValueDictionary()


def signature_of(shape: Shape, dtype: DType, device: str, marked: bool = False) -> Signature:
    key = (shape, dtype, device, marked)
    return _known.setdefault(key, Signature(*key))


def placed(node: Node) -> tuple[Signature, Buffer]:
    """The signature and the buffer of a realised node, from now on at hand as `node._memory`."""
    buffer = buffer_of(node)
    assert buffer.address is not None  # it has memory from now on
    memory = node._memory = signature_of(node.shape, node.dtype, buffer.device, is_marked(node)), buffer
    return memory
