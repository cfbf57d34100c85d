"""Compiled functions over structures of tensors.

The cortex passes its state around as named tuples of tensors. A Program takes and returns such structures;
inside, `jit` compiles a flat function once per signature (shapes and dtypes) and replays it. Everything
else a program depends on (settings, shapes of tables) is frozen and fixed when it is made. A step passes
some sixty tensors, and walking over them would take longer than launching the kernels: calls that come again
are known by the few objects they are given (`Loop`).

What the host reads after a step is many small tensors; a `Report` is all of them as one, so that reading
costs one transfer.

    >>> double = Program(lambda pair: (pair[0] * 2, pair[1]))
    >>> double((Tensor([1.0]), Tensor([2.0])))[0].tolist()
    [2.0]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from saccade.tensor import Tensor
from saccade.tensor.jit.bound import Bound, Inbox, bind
from saccade.tensor.jit.function import JitFunction
from saccade.tensor.jit.jit import jit

P = ParamSpec("P")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Layout:
    """What the columns of a report mean: the structure, and of every leaf the dtype and the trailing axes."""

    skeleton: Any
    leaves: tuple[tuple[str, tuple[int, ...]], ...]

    @cached_property
    def places(self) -> Any:
        """The structure with columns in place of tensors: a number for (R, M), a slice for (R, M, n)."""
        found: list[int | slice] = []
        column = 0
        for _, shape in self.leaves:
            width = prod(shape)
            found.append(slice(column, column + width) if shape else column)
            column += width
        return rebuilt(self.skeleton, found)


@dataclass(eq=False)
class Report:
    """A structure of tensors (R, M, ...) packed into one (R, M, columns) of doubles, which holds all of
    single precision, 32-bit integers and flags exactly.
    """

    values: Tensor
    layout: Layout
    #: where the values come to the host by themselves, what waits for them there
    arrived: Callable[[], npt.NDArray[np.float64]] | None = None
    #: the values that were read last, and a memoryview of all in a row: those that come by themselves come to
    #: the same memory
    latest: npt.NDArray[np.float64] | None = None
    flat: Any = None

    def numpy(self) -> npt.NDArray[np.float64]:
        """The packed values on the host; waits. The second step after this one may overwrite them."""
        return self.values.numpy() if self.arrived is None else self.arrived()

    @staticmethod
    def of(tree: Any) -> Report:
        leaves: list[Tensor] = []
        flatten(tree, leaves)
        lead = leaves[0].shape[:2]
        columns = [leaf.reshape(*lead, prod(leaf.shape[2:])).cast("float64") for leaf in leaves]
        kinds = tuple((leaf.dtype.name, tuple(leaf.shape[2:])) for leaf in leaves)
        return Report(Tensor.cat(columns, dim=-1), Layout(skeleton_of(tree), kinds))

    def unpack(self, values: npt.NDArray[np.float64]) -> Any:
        """The structure with NumPy arrays, from the values of the packed tensor."""
        leaves, column = [], 0
        for dtype, shape in self.layout.leaves:
            width = prod(shape)
            part = values[..., column : column + width].reshape(*values.shape[:2], *shape)
            leaves.append(part.astype(dtype))
            column += width
        return rebuilt(self.layout.skeleton, leaves)


def flatten(tree: Any, leaves: list[Tensor], inboxes: list[Inbox] | None = None) -> None:
    """Append the tensors of a structure to `leaves`, in order, and its inboxes to `inboxes`."""
    if type(tree) is Tensor:
        leaves.append(tree)
    elif isinstance(tree, tuple):
        for part in tree:
            flatten(part, leaves, inboxes)
    elif isinstance(tree, Report):
        leaves.append(tree.values)
    elif isinstance(tree, Inbox):
        leaves.append(tree.tensor)
        if inboxes is not None:
            inboxes.append(tree)
    else:
        raise TypeError(f"a program takes tensors and tuples of them, not {type(tree).__name__}")


def skeleton_of(tree: Any) -> Any:
    """The structure without its tensors: nested lists of types, None for a tensor or an inbox, of a report
    its layout."""
    if isinstance(tree, (Tensor, Inbox)):
        return None
    if isinstance(tree, Report):
        return tree.layout
    return type(tree), [skeleton_of(part) for part in tree]


def rebuilt(skeleton: Any, leaves: Iterable[Any]) -> Any:
    """The structure with leaves, which may be anything.

    >>> rebuilt(skeleton_of((Tensor(1), (Tensor(2), Tensor(3)))), ["a", "b", "c"])
    ('a', ('b', 'c'))
    """
    return _rebuilt(skeleton, iter(leaves))


def _rebuilt(skeleton: Any, leaves: Iterator[Any]) -> Any:
    if skeleton is None:
        return next(leaves)
    if isinstance(skeleton, Layout):
        values = next(leaves)
        if isinstance(values, Arriving):
            return Report(values.tensor, skeleton, values.read)
        return Report(values, skeleton)
    kind, parts = skeleton
    inside = [_rebuilt(part, leaves) for part in parts]
    return tuple(inside) if kind is tuple else kind(*inside)


class Arriving(NamedTuple):
    """A tensor of a report that comes to the host by itself."""

    tensor: Tensor
    read: Callable[[], npt.NDArray[Any]]


def report_of(skeleton: Any) -> int | None:
    """Which leaf of structures like this one is a report."""
    kinds: list[Any] = []
    _list_kinds(skeleton, kinds)
    return next((number for number, kind in enumerate(kinds) if isinstance(kind, Layout)), None)


def _list_kinds(skeleton: Any, kinds: list[Any]) -> None:
    if skeleton is None or isinstance(skeleton, Layout):
        kinds.append(skeleton)
        return
    for part in skeleton[1]:
        _list_kinds(part, kinds)


class Program(Generic[P, Result]):
    """A function of structures of tensors, compiled on its first call; the structures must stay the same.

    With `loop`, results take turns in a few sets of memory: a call may overwrite what the call before the
    last returned, unless it is among its arguments. For state that goes round, where everything that is still
    of interest is passed in again; a call then costs little more than its kernels, for it is known as a whole
    by the objects it is given. Inboxes among the arguments are sent by the call, a report comes by itself.
    """

    def __init__(self, function: Callable[P, Result], loop: bool = False) -> None:
        self._function: Callable[..., Result] = function  # what it is given is rebuilt from a structure
        self._arguments: Any = None  # their structure, as that of the result
        self._result: Any = None
        self._compiled = jit(self._flat)
        self._loop = Loop() if loop else None

    @property
    def compilations(self) -> int:
        return self._compiled.traces

    def _flat(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        result = self._function(*rebuilt(self._arguments, inputs))
        self._result = skeleton_of(result)
        outputs: list[Tensor] = []
        flatten(result, outputs)
        return tuple(outputs)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Result:
        if self._loop is not None:
            found = self._loop.calls.get(tuple(map(id, args)))
            if found is not None:
                known = found[0]
                self._loop.latest = known.into
                known.bound.run()
                known.uses += 1
                result: Result = known.result
                return result
        return self._call(*args, **kwargs)

    def _call(self, *args: P.args, **kwargs: P.kwargs) -> Result:
        """A call with structures that were not arguments before."""
        found: list[Tensor] = []
        inboxes: list[Inbox] = []
        flatten(args, found, inboxes)
        if self._arguments is None:
            self._arguments = skeleton_of(tuple(args))
        leaves, loop = tuple(found), self._loop
        known = None if loop is None else self._known(loop, leaves, inboxes)
        if loop is not None and known is not None:
            loop.remember(args, known)
            return self(*args, **kwargs)
        for inbox in inboxes:
            inbox.send()
        outputs = self._compiled(*leaves)
        if loop is not None:
            loop.add(outputs)
        result: Result = rebuilt(self._result, outputs)
        return result

    def _known(self, loop: Loop, leaves: tuple[Tensor, ...], inboxes: Sequence[Inbox]) -> Known | None:
        """The call of these tensors, bound now if it can be."""
        known = loop.by_leaves.get(tuple(map(id, leaves)))
        if known is None and self._result is not None:
            read = report_of(self._result)
            found = loop.bound(self._compiled, leaves, inboxes, read)
            if found is not None:
                bound, into = found
                outputs: list[Any] = list(bound.outputs)
                if read is not None:
                    outputs[read] = Arriving(outputs[read], bound.read)
                known = loop.keep(leaves, Known(bound, rebuilt(self._result, outputs), into))
        return known


class Known:
    """A call that is bound to its memory (the set `into`), what it returns, and how often it was made of
    late.
    """

    __slots__ = ("bound", "into", "result", "uses")

    def __init__(self, bound: Bound, result: Any, into: tuple[Tensor, ...]) -> None:
        self.bound, self.result, self.uses, self.into = bound, result, 0, into


class Loop:
    """The sets of memory that a program's results take turns in, and the calls that are known by heart."""

    #: sets of results; two are enough where each is computed from the other
    MOST_SETS = 3
    #: calls kept, and with them their arguments; state that comes from elsewhere (after a reset, say) needs
    #: new ones
    MOST_CALLS = 8

    def __init__(self) -> None:
        #: calls by the identity of their arguments, which is sound because they are kept alive here
        self.calls: dict[tuple[int, ...], tuple[Known, Any]] = {}
        #: the same by the tensors in them, which the calls keep
        self.by_leaves: dict[tuple[int, ...], Known] = {}
        self._sets: list[tuple[Tensor, ...]] = []
        #: the set of the last call, whose results nobody may have read yet
        self.latest: tuple[Tensor, ...] = ()

    def add(self, outputs: tuple[Tensor, ...]) -> None:
        """Take new results as another set; the oldest goes when there are enough."""
        self._sets = [*self._sets, outputs][-self.MOST_SETS :]
        self.latest = outputs

    def bound(
        self,
        compiled: JitFunction[..., Any],
        leaves: tuple[Tensor, ...],
        inboxes: Sequence[Inbox],
        read: int | None,
    ) -> tuple[Bound, tuple[Tensor, ...]] | None:
        """A call into a set that is not the latest and that none of the arguments is part of, and that set,
        if there is one.
        """
        for outputs in self._sets:
            found = None if outputs is self.latest else bind(compiled, leaves, outputs, inboxes, read)
            if found is not None:
                return found, outputs
        return None

    def keep(self, leaves: tuple[Tensor, ...], known: Known) -> Known:
        """Keep a call; where there are too many, the one made least often of late goes."""
        if len(self.by_leaves) >= self.MOST_CALLS:
            least = min(self.by_leaves, key=lambda ids: self.by_leaves[ids].uses)
            gone = self.by_leaves.pop(least)
            self.calls = {ids: call for ids, call in self.calls.items() if call[0] is not gone}
            for one in self.by_leaves.values():
                one.uses //= 2
        self.by_leaves[tuple(map(id, leaves))] = known
        return known

    def remember(self, args: tuple[Any, ...], known: Known) -> None:
        """Know a call by its arguments too."""
        if len(self.calls) >= 2 * self.MOST_CALLS:
            self.calls.clear()
        self.calls[tuple(map(id, args))] = known, args
