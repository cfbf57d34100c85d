"""The only result of a computation, as most have one: made by each call, or handed out again.

    result = Result(executable, dtypes.float32, (3,))
    node = result.run([x.address, y.address])       # memory of its own, which nobody else has

A result that its owner has dropped is handed out again as it is, node, buffer and memory. The work that
fills it is queued behind all that reads it, as if the allocator had had the memory in between, but nothing
has to be made or given back, which is half of the Python of a call. Two threads never find the same one
dropped: whoever looks at it has a reference, which the other counts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from math import prod
from sys import getrefcount
from typing import TYPE_CHECKING, Final

from ...graph import dtypes
from ...graph.node import Node, hold
from ...runtime.device import Replaying
from ...runtime.executable import Executable
from ...runtime.memory.buffer import Buffer
from ...runtime.process.forking import fork_lock
from ...runtime.watch.debug import watching
from ..jit.signature import Signature, signature_of
from ..jit.trace import buffer_of

if TYPE_CHECKING:
    from ...graph.dtypes import DType
    from ...graph.node import Shape

#: Results that may be handed out again when nobody has them any more.
_MOST_KEPT: Final = 3
#: held while a list of them is exchanged
_changing: Final = fork_lock()


class Result:
    """What a computation makes of addresses: a node that the next call of a jit function knows at sight."""

    __slots__ = ("_again", "_kept", "dtype", "executable", "shape", "signature")

    def __init__(
        self, executable: Executable, dtype: DType, shape: Shape, largest: int | None = None
    ) -> None:
        """largest: bytes of a result that is kept, if that is less than the device has."""
        self.executable, self.dtype, self.shape = executable, dtype, shape
        self.signature = signature_of(shape, dtype, executable.device)
        plan, nbytes = executable.plan, prod(shape) * dtype.itemsize
        self._again: Callable[[Sequence[int]], bool] | None = None
        if isinstance(plan, Replaying) and nbytes <= (plan.largest_kept if largest is None else largest):
            self._again = plan.again
        self._kept: list[Node] = []

    def of(self, buffer: Buffer) -> Node:
        """The result, in this buffer."""
        node = hold(buffer, self.dtype, self.shape)
        node._memory = (self.signature, buffer)
        return node

    def run(self, addresses: list[int]) -> Node:
        """The result for inputs at these addresses, a list that is used up."""
        again = self._again
        if again is None or watching.active:
            return self.of(self.executable.run_one(addresses))
        kept = self._kept
        for node in kept:
            if _is_dropped(node, self.signature):
                buffer = buffer_of(node)
                buffer.claim, buffer.shared = None, 0  # of an owner that is gone
                addresses.append(buffer._address)  # type: ignore[arg-type]
                if again(addresses):
                    return node
                # several queues: memory that others may read is better left to the allocator
                addresses.pop()
                self._again = None
                with _changing:
                    self._kept = []
                return self.of(self.executable.run_one(addresses))
        node = self.of(self.executable.run_one(addresses))
        buffer_of(node).kept = self
        with _changing:  # another list: who looks through the one before counts its references
            self._kept = [*self._kept[1 - _MOST_KEPT :], node]
        return node


def forget_result(buffer: Buffer) -> None:
    """A result whose memory is written to, or whose node is looked for, is not handed out again."""
    made: Result | None = getattr(buffer, "kept", None)
    if made is not None:
        with _changing:
            made._kept = [node for node in made._kept if buffer_of(node) is not buffer]


def _is_dropped(node: Node, signature: Signature) -> bool:
    """Has nobody a node that `hold` made, but the list that it is in, nor a part of it, nor its memory? One
    that was a leaf is another kind of argument, and stays so."""
    if getrefcount(node) != _OF_NODE or _holders(node) != _OF_PARTS:
        return False
    memory = node._memory
    return memory is not None and memory[0] is signature


def _holders(node: Node) -> int:
    """References to the parts of a node that `hold` made, and to its memory, counted together."""
    src = node.src
    source = src[0]
    buffer = source.arg
    return getrefcount(src) + getrefcount(source) + getrefcount(buffer) + getrefcount(buffer._owner)


class _NoMemory:
    address = 0


def _references_of_dropped() -> tuple[int, int]:
    """What `_is_dropped` counts of a node in a list that nobody else has: it depends on the version of
    Python. A Python without a global lock does not count all references: there nothing has so few."""
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return 0, 0
    kept = [hold(Buffer.on(_NoMemory(), 0, dtypes.float32, "cpu"), dtypes.float32, (0,))]
    kept[0]._memory = (None, buffer_of(kept[0]))

    def counted(node: Node) -> tuple[int, int]:
        return getrefcount(node), _holders(node)

    # as `_is_dropped` is called
    for node in kept:
        found = counted(node)
    return found


_OF_NODE, _OF_PARTS = _references_of_dropped()
