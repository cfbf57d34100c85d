"""Tracing: running a function on tensors that have no values yet.

    with Trace() as trace:
        x = trace.placeholder((3,), dtypes.float32, "cpu")     # a node
        ...

A placeholder is a buffer without memory. Building graphs on it works as ever; reading a value that depends on
it raises TraceError. Values that do not depend on one may be read, and are remembered: what the function did
with them (a branch, a shape) holds only while they stay the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import local
from typing import Any, Final, NoReturn, Protocol
from weakref import ref

from numpy.typing import NDArray

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.node import Node, Shape, make, walk
from ...graph.ops import Op
from ...runtime.memory.buffer import Buffer
from .. import build
from ..memory import default_device
from ..programs.holes import numbers_given


class TraceError(RuntimeError):
    """A function did something under `jit` that cannot be replayed."""


class Placeholder(Buffer):
    """A buffer that will be bound at each call."""

    __slots__ = ()

    @property
    def address(self) -> int:
        return self.refuse()

    def numpy(self) -> NDArray[Any]:
        return self.refuse()

    @staticmethod
    def refuse() -> NoReturn:
        raise TraceError(
            "a value was asked of a tensor that stands for an argument of a jit function. Inside the "
            "function (item, numpy, bool, if, while, print) use tensor operations such as where, or compute "
            "the value outside and pass it as a Python number. Outside, use what the function returned, not "
            "what it stored"
        )


class Written(Protocol):
    """What is written to: a `Storage`."""

    node: Node

    def show(self, node: Node, written: bool = True) -> None: ...

    def tensors(self) -> Iterator[Any]: ...


class Gathering(Protocol):
    """Who gathers a gradient: a `Leaf`."""

    grad: Any


class Trace:
    """One run of a function on placeholders, in this thread."""

    def __init__(self) -> None:
        #: hidden inputs: where the keys of random numbers come from
        self.keys: list[tuple[Buffer, Any]] = []
        #: buffers whose values were read, in order
        self.reads: dict[Buffer, None] = {}
        #: storages that were written to, and what they held before
        self.writes: dict[Written, Node] = {}
        #: what tensors from outside had gathered before (see `leaves`)
        self.grads: dict[Gathering, Any] = {}
        #: what a `backward` went through and let go: gradients go no further than here
        self.spent: set[Node] = set()

    def __enter__(self) -> Trace:
        tracing.trace = self
        return self

    def __exit__(self, *raised: object) -> None:
        tracing.trace = None

    def symbol(self, shape: Shape, dtype: DType, device: str) -> Node:
        """A placeholder that nobody needs when the trace is compiled; see `escapes`."""
        node = self.placeholder(shape, dtype, device)
        tracing.placeholders.append(ref(buffer_of(node)))
        return node

    @staticmethod
    def placeholder(shape: Shape, dtype: DType, device: str) -> Node:
        memory = Placeholder(build.element_count(shape), dtype, device)
        return build.reshape(make(Op.BUFFER, dtype, (), memory), shape)

    def random_key(self, generator: Any) -> Node:
        """The words of the generator's next key, whatever they will be at each call."""
        node = self.symbol((2,), dtypes.uint32, default_device())
        self.keys.append((buffer_of(node), generator))
        return node

    def note_reads(self, nodes: list[Node]) -> None:
        """These values are about to be read: refuse, or remember what they depend on."""
        for node in walk(tuple(nodes)):
            for number in numbers_given(node):
                number.recorder.refuse(number)
            if node.op is Op.BUFFER:
                buffer: Buffer = node.arg
                if isinstance(buffer, Placeholder):
                    buffer.refuse()
                self.reads[buffer] = None

    def note_write(self, storage: Written) -> None:
        """The storage is about to have another value: what it had is back when the function has run."""
        self.writes.setdefault(storage, storage.node)

    def take_back_writes(self) -> None:
        for storage, node in self.writes.items():
            storage.show(node)

    def take_back_grads(self) -> bool:
        """Tensors from outside have the gradients that they had; were they others?"""
        changed = any(leaf.grad is not before for leaf, before in self.grads.items())
        for leaf, before in self.grads.items():
            leaf.grad = before
        return changed


def memory_of(node: Node) -> Node:
    """The BUFFER of a realised node."""
    return node if node.op is Op.BUFFER else node.src[0]


def buffer_of(node: Node) -> Buffer:
    """The memory of a realised node."""
    buffer: Buffer = (node if node.op is Op.BUFFER else node.src[0]).arg
    return buffer


class _Local(local):
    trace: Trace | None = None

    def __init__(self) -> None:
        #: of the traces that are being made; see `escapes`
        self.placeholders: list[ref[Buffer]] = []


#: of this thread; see `current_trace`
tracing: Final = _Local()


class _Checking:
    """Who looks at the value and the gradients of `backward` before they are handed out (`anomaly`)."""

    examine: Callable[[Node, Sequence[Node]], None] | None = None


checking: Final = _Checking()


def current_trace() -> Trace | None:
    """The trace this thread is in, if any."""
    return tracing.trace
