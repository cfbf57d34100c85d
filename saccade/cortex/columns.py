"""State as one row of numbers for each row of a run: on the host a dataclass, in a program components.

A state is a dataclass of arrays with the row first. Here its numbers lie side by side, (R, C) doubles, which
hold counts and flags exactly: one tensor to keep, to exchange rows of and to read.

    table = packed_state(policy.start(rows))          # on the host, (R, C)
    state = unpacked_state(table, like=policy.start(1))

    columns = Columns(tensor)                         # in a program: fields in their order
    heading, moving = columns.vector(), columns.flag()
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from saccade.cortex.geometry import Rotation, Vector
from saccade.cortex.ops import cast
from saccade.cortex.vectors import Frame
from saccade.tensor import Tensor

State = TypeVar("State")


def packed_state(state: Any) -> NDArray[np.float64]:
    """(R, C): the arrays of a state, each row laid flat, in the order of the fields."""
    if is_dataclass(state):
        return np.concatenate([packed_state(getattr(state, each.name)) for each in fields(state)], axis=1)
    array = np.asarray(state, np.float64)
    return array.reshape(len(array), -1)


def unpacked_state(table: NDArray[np.float64], like: State) -> State:
    """The state whose numbers are in table (R, C), with the fields and dtypes of `like`."""
    made, used = _unpacked(table, 0, like)
    if used != table.shape[1]:
        raise ValueError(f"a state of {used} numbers a row does not have {table.shape[1]}")
    state: State = made
    return state


def _unpacked(table: NDArray[np.float64], at: int, like: Any) -> tuple[Any, int]:
    if is_dataclass(like) and not isinstance(like, type):
        parts = {}
        for each in fields(like):
            parts[each.name], at = _unpacked(table, at, getattr(like, each.name))
        return replace(like, **parts), at
    end = at + prod(like.shape[1:])
    return table[:, at:end].reshape(len(table), *like.shape[1:]).astype(like.dtype), end


class Columns:
    """Reads the numbers (R, C) of rows, from the first on or from another."""

    def __init__(self, values: Tensor, at: int = 0) -> None:
        self._values, self._at = values, at

    def number(self) -> Tensor:
        self._at += 1
        return self._values[:, self._at - 1]

    def flag(self) -> Tensor:
        return self.number() > 0.5

    def vector(self) -> Vector:
        return self.number(), self.number(), self.number()

    def rotation(self) -> Rotation:
        rows = self.vector(), self.vector(), self.vector()
        return *rows[0], *rows[1], *rows[2]

    def frame(self) -> Frame:
        return Frame(self.vector(), self.rotation())

    def vectors(self, count: int) -> Vector:
        """So many vectors, three of (R, count)."""
        begin, self._at = self._at, self._at + 3 * count
        part = self._values[:, begin : self._at].reshape(-1, count, 3)
        return part[..., 0], part[..., 1], part[..., 2]


def packed(*parts: Any) -> Tensor:
    """(R, C) doubles: tensors (R,), and vectors as three of (R, count), of tuples in their order."""
    pieces: list[Tensor] = []
    waiting: list[Tensor] = []

    def put(part: Any) -> None:
        if isinstance(part, Tensor):
            # stored before they are put side by side: one kernel computes all of them once
            waiting.append(cast(part, "float64").contiguous())
        elif all(isinstance(each, Tensor) and each.ndim == 2 for each in part):
            side_by_side()
            pieces.append(Tensor.stack(list(part), -1).reshape(part[0].shape[0], -1))
        else:
            for each in part:
                put(each)

    def side_by_side() -> None:
        if waiting:
            pieces.append(Tensor.stack(waiting, -1))
            waiting.clear()

    put(parts)
    side_by_side()
    return pieces[0] if len(pieces) == 1 else Tensor.cat(pieces, dim=-1)
