"""Leaves: tensors that gather gradients (`requires_grad`), and the graphs behind what was realised since.

    w = Tensor([3.0], requires_grad=True)       # its memory is marked
    loss = (w * w).sum()                        # a graph that ends at the mark
    loss.item()                                 # realised: the graph behind it is kept here
    loss.backward()                             # the walk of `grad`, from the loss to the marks

A mark is a node: the BUFFER of a leaf in memory, or the store that is about to give it another value. Nobody
else has that node but who was computed from the leaf. Values made under `no_grad`, and detached ones, are the
bits of what they were made of (BITCAST to the same dtype), and bits have no gradient. All of it is kept
weakly: when nobody has a value any more, the graph behind it goes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from threading import local
from typing import Any, Final, TypeVar, cast, overload
from weakref import WeakKeyDictionary, ref

from ...graph.node import Node, Shape, make
from ...graph.ops import Op
from ..build import reshape
from ..jit.trace import Trace, current_trace

F = TypeVar("F", bound=Callable[..., Any])


class Leaf:
    """What a tensor gathers. `born` is the trace of a jit function that it lives in, if it does in one."""

    __slots__ = ("__weakref__", "born", "grad", "shape")

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.grad: Any = None  # a tensor of the kind that gathers it
        self.born: Trace | None = current_trace()

    def set(self, grad: Any) -> None:
        """Have another gradient; a trace gives back what it found."""
        trace = current_trace()
        if trace is not None and self.born is not trace:
            trace.grads.setdefault(self, self.grad)
        self.grad = grad


class _Modes(local):
    grad: bool = True


#: of this thread: are gradients recorded?
modes: Final = _Modes()


class _Marks(WeakKeyDictionary["Node", "ref[Leaf]"]):
    """`used`: was there ever a leaf? Counting those there are takes Python, in every call."""

    used = False


_marks: Final = _Marks()
_past: Final[WeakKeyDictionary[Node, Node]] = WeakKeyDictionary()


# --- marks


def mark(node: Node, leaf: Leaf) -> None:
    """The leaf has this value from now on; it may have had others, which are still its own."""
    place = _memory(node)
    node._memory = None  # what jit compares: a tensor that gathers gradients is another kind of argument
    _marks.used = True
    _marks[node if place is None else place] = ref(leaf)


def unmark(node: Node) -> None:
    place = _memory(node)
    node._memory = None
    _marks.pop(node if place is None else place, None)


def own_label(node: Node) -> int:
    """The first number for which the bits of a node under that label are nobody's mark."""
    return next(n for n in count() if make(Op.BITCAST, node.dtype, (node,), n) not in _marks)


def leaf_at(node: Node) -> Leaf | None:
    """Whose mark a node is."""
    found = _marks.get(node)
    return None if found is None else found()


def some() -> bool:
    """Are there any leaves?"""
    return len(_marks) > 0


def is_marked(node: Node) -> bool:
    """Is it the mark of a leaf, or the memory of one in its shape?"""
    if not _marks:
        return False
    place = _memory(node)
    return (node if place is None else place) in _marks


def recording() -> bool:
    """Is what is computed now to be found again by a `backward`?"""
    return _marks.used and modes.grad and len(_marks) > 0


def concerns(*nodes: Node) -> bool:
    """Does a gradient of one of them reach a leaf?"""
    return bool(_marks) and next(iter(marks_below(nodes, first=True)), None) is not None


def marks_below(nodes: Sequence[Node], first: bool = False) -> list[Node]:
    """The marks that gradients of these nodes reach, through the past of what was realised; or just one."""
    return _walked(nodes, first)[0]


def spend(node: Node) -> None:
    """A traced `backward` of this node lets its graph go, for whoever else has a part of it."""
    trace = current_trace()
    if trace is not None:
        marks, seen = _walked((node,), False)
        trace.spent |= seen.difference(marks)


def _walked(nodes: Sequence[Node], first: bool) -> tuple[list[Node], set[Node]]:
    """The marks below, and everything that was looked at on the way."""
    found: list[Node] = []
    trace = current_trace()
    spent = trace.spent if trace is not None else frozenset()
    stack, seen = list(nodes), set(nodes)
    while stack:
        node = stack.pop()
        if leaf_at(node) is not None:
            found.append(node)
            if first:
                return found, seen
            continue
        if node in spent:
            continue
        if node.op is Op.BITCAST and not isinstance(node.arg, str):  # else it has a custom gradient
            continue
        before = _past.get(node)
        for source in node.src if before is None else (before,):
            if source not in seen and source.dtype.has_gradient:
                seen.add(source)
                stack.append(source)
    return found, seen


def _memory(node: Node) -> Node | None:
    """The BUFFER of what is in memory."""
    if node.op is Op.BUFFER:
        return node
    return node.src[0] if node.op is Op.RESHAPE and node.src[0].op is Op.BUFFER else None


# --- the past of what was realised


def past() -> Mapping[Node, Node]:
    return _past


def remember(nodes: Sequence[Node], made: Sequence[Node]) -> None:
    """These nodes were realised as those."""
    for node, realised in zip(nodes, made, strict=True):
        memory = _memory(realised)
        if node is not realised and memory is not None and memory not in _marks and concerns(node):
            _past[memory] = reshape(node, (node.size,))


def forget(node: Node) -> None:
    """Gradients go no further than here."""
    memory = _memory(node)
    if memory is not None:
        _past.pop(memory, None)


# --- without gradients


def cut(node: Node) -> Node:
    """A value that passes no gradient on."""
    if (
        not node.dtype.has_gradient
        or (node.op is Op.BITCAST and node.arg is None)
        or _memory(node) is not None
    ):
        return node
    return make(Op.BITCAST, node.dtype, (node,), None)


class _Mode:
    """A context manager, and a decorator of functions."""

    __slots__ = ("_before", "_wanted")

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(modes.grad)
        modes.grad = self._wanted

    def __exit__(self, *raised: object) -> None:
        modes.grad = self._before.pop()

    def __call__(self, function: F) -> F:
        wanted = self._wanted

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with _Mode(wanted):
                return function(*args, **kwargs)

        return cast(F, inside)


@overload
def no_grad(function: F) -> F: ...
@overload
def no_grad(function: None = None) -> _Mode: ...


def no_grad(function: F | None = None) -> F | _Mode:
    """`with no_grad():` computes values that no gradient goes through, and may write to leaves; `@no_grad` or
    `@no_grad()` makes a function do so."""
    return _Mode(False) if function is None else _Mode(False)(function)


def set_grad_enabled(mode: bool) -> _Mode:
    """`with set_grad_enabled(training):` is `enable_grad` or `no_grad`; a decorator too."""
    return _Mode(mode)


@overload
def enable_grad(function: F) -> F: ...
@overload
def enable_grad(function: None = None) -> _Mode: ...


def enable_grad(function: F | None = None) -> F | _Mode:
    """The other way round, inside `no_grad`."""
    return _Mode(True) if function is None else _Mode(True)(function)


def is_grad_enabled() -> bool:
    return modes.grad
