"""Storage: contents that tensors share, so that a write through one is seen by the others.

    v = x[0]            # two tensors, one storage: v is x through the moves of x[0]
    v += 1              # the storage has another value; x and v look again when they are next used

A storage is a cell: the value (a node) of the whole, and who shares it. A write replaces the value, and that
is all; whatever was computed from the old value still refers to it. Where the value is in memory, the new one
is an ASSIGN to it: a store that has yet to happen, and does (`stores`) when somebody wants a value that
depends on it. A tensor that has no views and is not in memory has no storage: writing to it is having another
value.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from sys import getrefcount
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakSet, ref

import numpy as np

from ..graph import dtypes
from ..graph.node import Node, assign
from ..graph.ops import Op
from ..runtime.buffer import BORROWED, LENT, Buffer
from ..runtime.memory import Block, allocate
from .realize import is_realized
from .trace import current_trace
from .views import layout_of, put

if TYPE_CHECKING:
    from .core import Core

#: Sharers among which nobody looks for those that are gone.
_FEW: Final = 8


class Storage:
    """The value of some memory, or of what may become memory, and the tensors that show it."""

    __slots__ = ("__weakref__", "limit", "node", "sharers")

    def __init__(self, base: Core) -> None:
        self.node: Node = base.node
        self.sharers: list[ref[Core]] = [ref(base)]
        self.limit = _FEW
        base.storage, base.moves = self, ()

    # --- who shares it

    def prune(self) -> None:
        """Let go of sharers that are gone."""
        self.sharers[:] = [r for r in self.sharers if r() is not None]
        self.limit = 2 * len(self.sharers) + _FEW

    def tensors(self) -> Iterator[Core]:
        """Those that still exist."""
        for reference in self.sharers:
            tensor = reference()
            if tensor is not None:
                yield tensor

    def is_seen_beside(self, tensor: Core) -> bool:
        """Would anybody notice a write who does not look through this tensor?"""
        if any(other is not tensor for other in self.tensors()):
            return True
        memory = self.memory()
        return memory is not None and is_seen_outside(memory.arg)

    def forget(self) -> None:
        """The value is another: what sharers remember of it goes."""
        for tensor in self.tensors():
            tensor._forget()

    # --- writing

    def memory(self) -> Node | None:
        """The BUFFER that the value is in, or goes to; None if it is in none, or in what belongs to another.

        Tensors may have a value in common without sharing it, as y = Tensor(x) has: whoever writes first has
        the memory, and memory that is seen outside is of the tensor that it is seen through."""
        node = self.node
        if node.op is Op.ASSIGN:
            return node.src[-1]
        if not is_realized(node):
            return None
        source = node if node.op is Op.BUFFER else node.src[0]
        buffer: Buffer = source.arg
        claim: ref[Storage] | None = getattr(buffer, "claim", None)
        owner = None if claim is None else claim()
        if owner is None and (claim is None or not getattr(buffer, "shared", 0)):
            buffer.claim = ref(self)
            return source
        return source if owner is self else None

    def write(self, tensor: Core, value: Node) -> None:
        """Give a sharer another value, of its shape and dtype."""
        shape, home = self.node.shape, self.memory()
        layout = layout_of(shape, tensor.moves)
        if layout is None:  # a reshape that is a copy, in torch as here: nobody shares it
            tensor.storage, tensor.node = None, value
            return
        if layout.overlaps:
            raise ValueError(
                f"cannot write to a view of shape {tensor.shape} of which several elements are one place of a "
                f"tensor of shape {shape}: use clone() first, or write to what was expanded"
            )
        if home is not None:
            require_writable(home.arg, tensor)
        whole = put(self.node, tensor.moves, value)
        if whole is self.node:
            return
        for sharer in self.tensors():
            if layout_of(shape, sharer.moves) is None:
                sharer.node, sharer.storage = sharer.node, None
        trace = current_trace()
        if trace is not None:
            trace.note_write(self)
            self.node = whole  # `tracing` says where it goes
        elif home is None:
            self.node = whole
        else:
            self.node = assign(whole, home, ref(self))
            pending.add(self)
        self.forget()

    def is_urgent(self) -> bool:
        """Is there a store to memory that others see?"""
        if self not in pending:
            return False
        memory = self.memory()
        return memory is not None and is_seen_outside(memory.arg)


#: Those with a store that has yet to happen.
pending: Final[WeakSet[Storage]] = WeakSet()


def storage_of(tensor: Core) -> Storage:
    return tensor.storage or Storage(tensor)


def require_writable(buffer: Buffer, tensor: Core) -> None:
    if not buffer.writable:
        raise ValueError(
            f"cannot write to a tensor of shape {tensor.shape} that shares read-only memory: use x = x.clone() "
            "first, or share an array that can be written to"
        )


# --- memory that others see


def share(tensor: Core, how: int) -> bool:
    """The memory of a tensor is seen outside from now on: LENT to NumPy or torch, or BORROWED from them. False
    if it has none of its own."""
    memory = storage_of(tensor).memory()
    if memory is None:
        return False
    memory.arg.shared = max(how, getattr(memory.arg, "shared", 0))
    return True


def is_seen_outside(buffer: Buffer) -> bool:
    """Does NumPy or another library still see this memory? What is borrowed stays its owner's; CPython counts
    who has our own."""
    how = getattr(buffer, "shared", 0)
    if how != LENT or not _COUNTS or not isinstance(buffer._owner, (Block, np.ndarray)):
        return how != 0
    return _holders(buffer) > _ALONE


def _holders(buffer: Buffer) -> int:
    memory: Any = buffer._owner
    if isinstance(memory, np.ndarray) and memory.base is not None:
        memory = memory.base  # arrays refer to the array they are views of in the end
    return getrefcount(memory)


#: A Python without a global lock does not count all references.
_COUNTS: Final = getattr(sys, "_is_gil_enabled", lambda: True)()
#: What `_holders` counts of memory that nobody else has.
_ALONE: Final = _holders(Buffer.on(allocate(1), 1, dtypes.uint8, "cpu"))

__all__ = ["BORROWED", "LENT", "Storage", "is_seen_outside", "pending", "require_writable", "share", "storage_of"]
