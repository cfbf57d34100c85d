"""Compiled functions over structures of tensors.

The cortex passes its state around as named tuples of tensors. A Program takes and returns such structures;
inside, `jit` compiles a flat function once per signature (shapes and dtypes) and replays it. Everything
else a program depends on (settings, shapes of tables) is frozen and fixed when it is made. Structures are
taken apart and put together by expressions that are compiled once: a step passes some sixty tensors, and
walking over them would take longer than launching the kernels.

What the host reads after a step is many small tensors; a `Report` is all of them as one, so that reading
costs one transfer.

    >>> double = Program(lambda pair: (pair[0] * 2, pair[1]))
    >>> double((Tensor([1.0]), Tensor([2.0])))[0].tolist()
    [2.0]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import count
from math import prod
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from saccade.tensor import Tensor, jit
from saccade.tensor.bound import Bound, bind
from saccade.tensor.jit import JitFunction

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
        return builder(self.skeleton)(found)


@dataclass(frozen=True)
class Report:
    """A structure of tensors (R, M, ...) packed into one (R, M, columns) of doubles, which holds all of
    single precision, 32-bit integers and flags exactly.
    """

    values: Tensor
    layout: Layout

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
        return builder(self.layout.skeleton)(leaves)


def flatten(tree: Any, leaves: list[Tensor]) -> None:
    """Append the tensors of a structure to `leaves`, in order."""
    if type(tree) is Tensor:
        leaves.append(tree)
    elif isinstance(tree, Report):
        leaves.append(tree.values)
    elif isinstance(tree, tuple):
        for part in tree:
            flatten(part, leaves)
    else:
        raise TypeError(f"a program takes tensors and tuples of them, not {type(tree).__name__}")


def skeleton_of(tree: Any) -> Any:
    """The structure without its tensors: nested lists of types, None for a tensor, a report's layout."""
    if isinstance(tree, Tensor):
        return None
    if isinstance(tree, Report):
        return tree.layout
    return type(tree), [skeleton_of(part) for part in tree]


def builder(skeleton: Any) -> Callable[[Sequence[Any]], Any]:
    """A function that puts leaves, which may be anything, into the structure.

    >>> builder(skeleton_of((Tensor(1), (Tensor(2), Tensor(3)))))(["a", "b", "c"])
    ('a', ('b', 'c'))
    """
    names: dict[str, Any] = {}
    number = count()

    def expression(part: Any) -> str:
        if part is None:
            return f"leaves[{next(number)}]"
        name = f"k{len(names)}"
        if isinstance(part, Layout):
            names[name] = partial(_report, part)
            return f"{name}(leaves[{next(number)}])"
        kind, parts = part
        inside = "".join(f"{expression(one)}, " for one in parts)
        if kind is tuple:
            return f"({inside})"
        name = f"k{len(names)}"
        names[name] = kind
        return f"{name}({inside})"

    made: Callable[[Sequence[Any]], Any] = eval(f"lambda leaves: {expression(skeleton)}", names)
    return made


def _report(layout: Layout, values: Tensor) -> Report:
    return Report(values, layout)


def lister(skeleton: Any) -> Callable[[Any], tuple[Tensor, ...]]:
    """A function that lists the tensors of structures like this one, in order."""

    def places(part: Any, path: str) -> list[str]:
        if part is None:
            return [path]
        if isinstance(part, Layout):
            return [f"{path}.values"]
        return [place for i, one in enumerate(part[1]) for place in places(one, f"{path}[{i}]")]

    made: Callable[[Any], tuple[Tensor, ...]]
    made = eval(f"lambda tree: ({''.join(f'{place}, ' for place in places(skeleton, 'tree'))})", {})
    return made


class Program(Generic[P, Result]):
    """A function of structures of tensors, compiled on its first call; the structures must stay the same.

    With `loop`, results take turns in a few sets of memory: a call may overwrite what the call before the
    last returned, unless it is among its arguments. For state that goes round, where everything that is still
    of interest is passed in again; a call then costs little more than its kernels.
    """

    def __init__(self, function: Callable[P, Result], loop: bool = False) -> None:
        self._function = function
        self._list: Callable[[Any], tuple[Tensor, ...]] | None = None
        self._arguments: Callable[[Sequence[Any]], Any]
        self._result: Any = None
        self._built: Any = None
        self._build: Callable[[Sequence[Any]], Any] | None = None
        self._compiled = jit(self._flat)
        self._loop = Loop() if loop else None

    @property
    def compilations(self) -> int:
        return self._compiled.traces

    def _flat(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        result = self._function(*self._arguments(inputs))  # type: ignore[call-arg]
        self._result = skeleton_of(result)
        outputs: list[Tensor] = []
        flatten(result, outputs)
        return tuple(outputs)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Result:
        if self._list is None:
            flatten(args, [])  # refuses what is no structure of tensors
            skeleton = skeleton_of(tuple(args))
            self._list, self._arguments = lister(skeleton), builder(skeleton)
        leaves = self._list(args)
        loop = self._loop
        if loop is None:
            return self._structure(self._compiled(*leaves))
        known = loop.calls.get(tuple(map(id, leaves)))
        if known is None:
            bound = loop.bound(self._compiled, leaves)
            if bound is None:
                outputs = self._compiled(*leaves)
                loop.add(outputs)
                return self._structure(outputs)
            known = loop.remember(leaves, bound, self._structure(bound.outputs))
        known[0].run()
        result: Result = known[1]
        return result

    def _structure(self, outputs: Sequence[Tensor]) -> Result:
        if self._build is None or self._built is not self._result:
            self._build, self._built = builder(self._result), self._result
        rebuilt: Result = self._build(outputs)
        return rebuilt


class Loop:
    """The sets of memory that a program's results take turns in, and the calls that are known by heart."""

    #: sets of results; two are enough where each is computed from the other
    MOST_SETS = 3
    #: calls kept; state that comes from elsewhere (after a reset, say) needs new ones
    MOST_CALLS = 24

    def __init__(self) -> None:
        self.calls: dict[tuple[int, ...], tuple[Bound, Any]] = {}
        self._sets: list[tuple[Tensor, ...]] = []

    def add(self, outputs: tuple[Tensor, ...]) -> None:
        """Take new results as another set; the oldest goes when there are enough."""
        self._sets = [*self._sets, outputs][-self.MOST_SETS :]

    def bound(self, compiled: JitFunction[..., Any], leaves: tuple[Tensor, ...]) -> Bound | None:
        """A call into a set that none of the arguments is part of, if there is one."""
        for outputs in self._sets:
            found = bind(compiled, leaves, outputs)
            if found is not None:
                return found
        return None

    def remember(self, leaves: tuple[Tensor, ...], bound: Bound, result: Any) -> tuple[Bound, Any]:
        """Tensors are told by identity, which is sound because the call keeps them alive."""
        if len(self.calls) >= self.MOST_CALLS:
            self.calls.clear()
        self.calls[tuple(map(id, leaves))] = bound, result
        return bound, result
