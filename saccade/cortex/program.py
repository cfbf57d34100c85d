"""Compiled functions over structures of tensors.

The cortex passes its state around as named tuples of tensors. A Program takes and returns such structures;
inside, `jit` compiles a flat function once per signature (shapes and dtypes) and replays it. Everything
else a program depends on (settings, shapes of tables) is frozen and fixed when it is made.

What the host reads after a step is many small tensors; a `Report` is all of them as one, so that reading
costs one transfer.

    >>> double = Program(lambda pair: (pair[0] * 2, pair[1]))
    >>> double((Tensor([1.0]), Tensor([2.0])))[0].tolist()
    [2.0]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from saccade.tensor import Tensor, jit

P = ParamSpec("P")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Layout:
    """What the columns of a report mean: the structure, and of every leaf the dtype and the trailing axes."""

    skeleton: Any
    leaves: tuple[tuple[str, tuple[int, ...]], ...]


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
        return rebuild(self.layout.skeleton, leaves)


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


def rebuild(skeleton: Any, leaves: Sequence[Any]) -> Any:
    """The structure with these leaves, which may be anything."""
    return _rebuild(skeleton, iter(leaves))


def _rebuild(skeleton: Any, leaves: Any) -> Any:
    if skeleton is None:
        return next(leaves)
    if isinstance(skeleton, Layout):
        return Report(next(leaves), skeleton)
    kind, parts = skeleton
    values = [_rebuild(part, leaves) for part in parts]
    return tuple(values) if kind is tuple else kind(*values)


class Program(Generic[P, Result]):
    """A function of structures of tensors, compiled on its first call; the structures must stay the same."""

    def __init__(self, function: Callable[P, Result]) -> None:
        self._function = function
        self._arguments: Any = None
        self._result: Any = None
        self._compiled = jit(self._flat)

    @property
    def compilations(self) -> int:
        return self._compiled.traces

    def _flat(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        result = self._function(*rebuild(self._arguments, inputs))  # type: ignore[call-arg]
        self._result = skeleton_of(result)
        outputs: list[Tensor] = []
        flatten(result, outputs)
        return tuple(outputs)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Result:
        if self._arguments is None:
            self._arguments = skeleton_of(tuple(args))
        leaves: list[Tensor] = []
        flatten(args, leaves)
        outputs = self._compiled(*leaves)
        rebuilt: Result = rebuild(self._result, outputs)
        return rebuilt
