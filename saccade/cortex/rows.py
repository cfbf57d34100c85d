"""Values that hold one entry per row: choose, reset and compare them row by row.

Everything that changes from step to step in the sensing and acting half is a frozen dataclass of arrays whose
first axis is the row (the episode). Resetting some episodes is then one operation for all of them:

    state = where_rows(begun, fresh_state, state)      # begun: (B,) bool
    state = take_rows(state, np.array([4, 7]))         # rows 4 and 7 alone, as rows 0 and 1
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

State = TypeVar("State")


def where_rows(chosen: NDArray[np.bool_], new: State, old: State) -> State:
    """`new` in the rows where `chosen` (B,) is true, `old` elsewhere, for arrays, tuples and dataclasses of
    them.
    """
    return _where(chosen, new, old)  # type: ignore[no-any-return]


def _where(chosen: NDArray[np.bool_], new: Any, old: Any) -> Any:
    if isinstance(old, np.ndarray):
        if old.shape[:1] != chosen.shape or np.shape(new) != old.shape:
            raise ValueError(
                f"rows do not line up: mask {chosen.shape}, new value {np.shape(new)}, old value {old.shape}"
            )
        return np.where(chosen.reshape(-1, *(1,) * (old.ndim - 1)), new, old)
    if isinstance(old, tuple):
        return tuple(_where(chosen, a, b) for a, b in zip(new, old, strict=True))
    if is_dataclass(old) and not isinstance(old, type):
        return replace(
            old, **{f.name: _where(chosen, getattr(new, f.name), getattr(old, f.name)) for f in fields(old)}
        )
    if new is None and old is None:
        return None
    raise TypeError(
        f"cannot choose rows of a {type(old).__name__}; states are made of arrays with the row first"
    )


def take_rows(value: State, rows: NDArray[np.int64]) -> State:
    """The rows numbered `rows` of arrays, tuples and dataclasses of them, in that order."""
    return _take(value, rows)  # type: ignore[no-any-return]


def _take(value: Any, rows: NDArray[np.int64]) -> Any:
    if isinstance(value, np.ndarray):
        return value[rows]
    if isinstance(value, tuple):
        return tuple(_take(part, rows) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _take(getattr(value, f.name), rows) for f in fields(value)})
    if value is None:
        return None
    raise TypeError(
        f"cannot take rows of a {type(value).__name__}; states are made of arrays with the row first"
    )
