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
from typing import Any, Final, Protocol
from weakref import WeakSet, ref

import numpy as np

from ...graph import dtypes
from ...graph.node import Node, Shape, assign
from ...graph.ops import Op
from ...runtime.memory.blocks import Block, allocate
from ...runtime.memory.buffer import BORROWED, LENT, Buffer
from ..gradients.leaves import mark
from ..jit.trace import current_trace, memory_of
from ..programs.form import value_of
from ..programs.realize import is_realized
from .views import Moves, layout_of, moved, put

#: Sharers among which nobody looks for those that are gone, and the limit of those who are told.
_FEW: Final = 8
_WATCHED: Final = -1


class Sharer(Protocol):
    """What is known here of a tensor (`Core`): its value, the storage it shares, and the moves from there."""

    node: Node
    storage: Storage | None
    moves: Moves

    @property
    def shape(self) -> Shape: ...

    def _is_whole(self) -> bool: ...


class Storage:
    """The value of some memory, or of what may become memory, and the tensors that show it."""

    __slots__ = ("__weakref__", "limit", "node", "sharers")

    def __init__(self, base: Sharer) -> None:
        self.node: Node = base.node
        self.sharers: list[ref[Sharer]] = [ref(base)]
        self.limit = _FEW
        base.storage, base.moves = self, ()

    # --- who shares it

    def add(self, tensor: Sharer) -> None:
        sharers = self.sharers
        if len(sharers) > self.limit:
            if self.limit == _WATCHED:
                self.watch()
            else:
                sharers[:] = [r for r in sharers if r() is not None]
                self.limit = 2 * len(sharers) + _FEW
        sharers.append(ref(tensor))

    def watch(self) -> None:
        """One of several sharers was computed on its own. If it stays behind alone, it has all it needs: the
        value that was never computed goes."""
        whole = ref(self)

        def left(_: object) -> None:
            storage = whole()
            if storage is not None:
                storage._keep_last()

        self.limit = _WATCHED
        self.sharers[:] = [ref(tensor, left) for tensor in self.tensors()]

    def _keep_last(self) -> None:
        rest = list(self.tensors())
        if len(rest) == 1 and self.memory() is None and is_realized(rest[0].node):
            rest[0].storage = None

    def tensors(self) -> Iterator[Sharer]:
        """Those that still exist."""
        for reference in self.sharers:
            tensor = reference()
            if tensor is not None:
                yield tensor

    def is_of(self, tensor: Sharer) -> bool:
        """Does nobody else share it?"""
        sharers = self.sharers
        if len(sharers) == 1:
            return sharers[0]() is tensor
        return all(other is tensor for other in self.tensors())

    def is_seen_beside(self, tensor: Sharer) -> bool:
        """Would anybody notice a write who does not look through this tensor?"""
        if not self.is_of(tensor):
            return True
        memory = self.memory()
        return memory is not None and is_seen_outside(memory.arg)

    def show(self, node: Node, written: bool = True) -> None:
        """Have another value, or the same in memory; then sharers keep the copies they have of it."""
        self.node = node
        for tensor in self.tensors():
            if written or not is_realized(tensor.node):
                tensor.node = moved(node, tensor.moves)
            leaf = getattr(tensor, "leaf", None)
            if leaf is not None:
                mark(tensor.node, leaf)

    # --- writing

    def memory(self) -> Node | None:
        """The BUFFER that the value is in, or goes to; None if it is in none, or in what belongs to another.

        Tensors may have a value in common without sharing it, as y = Tensor(x) has: whoever writes first has
        the memory, and memory that is seen outside is of the tensor that it is seen through."""
        node = self.node
        if node.op is Op.ASSIGN and len(node.src) == 2:
            return node.src[1] if node.arg() is self else None
        node = value_of(node)
        if not is_realized(node):
            return None
        source = memory_of(node)
        if is_of_another(source.arg, self):
            return None
        source.arg.claim = ref(self)
        return source

    def write(self, tensor: Sharer, value: Node) -> None:
        """Give a sharer another value, of its shape and dtype."""
        shape, home = self.node.shape, self.memory()
        layout = layout_of(shape, tensor.moves)
        if layout is None or layout.overlaps:
            raise ValueError(
                f"cannot write to a view of shape {tensor.shape} of which several elements are one place of "
                f"a tensor of shape {shape}: use clone() first, or write to what was expanded"
            )
        if home is not None:
            require_writable(home.arg, tensor)
        whole = put(self.node, tensor.moves, value)
        if whole is self.node:
            return
        trace = current_trace()
        if trace is not None:
            trace.note_write(self)  # `tracing` says where it goes
        elif home is not None:
            whole = assign(whole, home, ref(self))
            pending.add(self)
        self.show(whole)

    def is_urgent(self) -> bool:
        """Is there a store to memory that others see?"""
        if self not in pending:
            return False
        memory = self.memory()
        return memory is not None and is_seen_outside(memory.arg)


def is_of_another(buffer: Buffer, storage: Storage | None) -> bool:
    """Is it the memory of another storage, or was it one's that others see it through?"""
    claim: ref[Storage] | None = buffer.claim
    if claim is None:
        return False
    owner = claim()
    return buffer.shared != 0 if owner is None else owner is not storage


#: Those with a store that has yet to happen.
pending: Final[WeakSet[Storage]] = WeakSet()


def storage_of(tensor: Sharer) -> Storage:
    return tensor.storage or Storage(tensor)


def require_writable(buffer: Buffer, tensor: Sharer) -> None:
    if not buffer.writable:
        raise ValueError(
            f"cannot write to a tensor of shape {tensor.shape} that shares read-only memory: use "
            "x = x.clone() first, or share an array that can be written to"
        )


# --- memory that others see


def share(tensor: Sharer, how: int) -> bool:
    """The memory of a tensor is seen outside from now on: LENT to NumPy or torch, or BORROWED from them.
    False if it has none of its own."""
    memory = storage_of(tensor).memory()
    if memory is None:
        return False
    note_shared(memory.arg, how)
    return True


def note_shared(buffer: Buffer, how: int) -> None:
    if buffer.shared < how:
        buffer.shared = how
        _shared.add(buffer)


def another_on(buffer: Buffer) -> Buffer:
    """Another buffer on the same memory, which is seen outside as it is."""
    made = buffer.again()
    note_shared(made, buffer.shared)
    return made


def some_shared() -> bool:
    """Is any memory seen outside?"""
    return len(_shared) > 0


def beside(buffer: Buffer) -> list[Buffer]:
    """Other buffers on memory of this one: an array may have been borrowed twice, or with another that it
    overlaps."""
    if not buffer.shared:
        return []
    start, end = buffer.address, buffer.address + buffer.nbytes
    found = [b for b in _shared if b is not buffer and b.shared]
    return [b for b in found if b.address < end and start < b.address + b.nbytes]


#: Memory that is seen outside.
_shared: Final[WeakSet[Buffer]] = WeakSet()


def is_seen_outside(buffer: Buffer) -> bool:
    """Does NumPy or another library still see this memory? What is borrowed stays its owner's; CPython counts
    who has our own."""
    how = buffer.shared
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

__all__ = [
    "BORROWED",
    "LENT",
    "Storage",
    "another_on",
    "beside",
    "is_of_another",
    "is_seen_outside",
    "note_shared",
    "pending",
    "require_writable",
    "share",
    "some_shared",
    "storage_of",
]
