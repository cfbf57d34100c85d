"""Values that hold one entry per row: choose, reset and compare them row by row.

Everything that changes from step to step in the sensing and acting half is a frozen dataclass of arrays whose
first axis is the row (the episode). Resetting some episodes is then one operation for all of them:

    state = where_rows(begun, fresh_state, state)      # begun: (B,) bool
    state = take_rows(state, np.array([4, 7]))         # rows 4 and 7 alone, as rows 0 and 1
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

State = TypeVar("State")
AnyArray = NDArray[Any]


@runtime_checkable
class ResidentRows(Protocol):
    """A state whose rows are on a device, and who can choose among them there."""

    def replaced(self, chosen: NDArray[np.bool_], new: Self) -> Self:
        """As `where_rows`."""
        ...

    def taken(self, rows: NDArray[np.int64]) -> Self:
        """As `take_rows`."""
        ...


def where_rows(chosen: NDArray[np.bool_], new: State, old: State) -> State:
    """`new` in the rows where `chosen` (B,) is true, `old` elsewhere, for arrays, tuples and dataclasses of
    them.
    """

    def choose(before: AnyArray, after: AnyArray) -> AnyArray:
        if before.shape[:1] != chosen.shape or np.shape(after) != before.shape:
            raise ValueError(
                f"rows do not line up: mask {chosen.shape}, new value {np.shape(after)}, old value "
                f"{before.shape}"
            )
        return np.where(chosen.reshape(-1, *(1,) * (before.ndim - 1)), after, before)

    if isinstance(old, ResidentRows) and isinstance(new, type(old)):
        return old.replaced(chosen, new)
    made: State = _changed(choose, old, new)
    return made


def take_rows(value: State, rows: NDArray[np.int64]) -> State:
    """The rows numbered `rows` of arrays, tuples and dataclasses of them, in that order."""
    if isinstance(value, ResidentRows):
        return value.taken(rows)
    made: State = _changed(lambda array: array[rows], value)
    return made


def _changed(change: Callable[..., AnyArray], value: Any, *others: Any) -> Any:
    """The value with every array in it changed, together with those in its place in the others."""
    if isinstance(value, np.ndarray):
        return change(value, *others)
    if isinstance(value, tuple):
        made = (_changed(change, *parts) for parts in zip(value, *others, strict=True))
        return type(value)(*made) if hasattr(value, "_fields") else tuple(made)  # named tuples stay such
    if is_dataclass(value) and not isinstance(value, type):
        parts = {f.name: [getattr(one, f.name) for one in (value, *others)] for f in fields(value)}
        return replace(value, **{name: _changed(change, *part) for name, part in parts.items()})
    if value is None and all(other is None for other in others):
        return None
    raise TypeError(
        f"{type(value).__name__} has no rows to choose; states are made of arrays with the row first"
    )
