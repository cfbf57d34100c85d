"""`keep_within`: how much memory a computation may keep between its kernels.

    with keep_within(2 << 30):
        step(model, optimizer, x, y)        # backward computes again what does not fit

The budget is part of the form of a computation (`form`), so that every cache knows it, in memory and on disk,
and `explain` shows what was planned under it. A jit function has traces for each budget that it is called
under. What is computed again is the scheduler's choice: `schedule.joining.rematerialise`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from threading import local
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class _Within(local):
    nbytes: int | None = None


#: of this thread: bytes that a computation may keep; None: as many as it likes
within: Final = _Within()


class keep_within:
    """A context manager, and a decorator of functions: computations inside keep at most `nbytes` between
    their kernels, or as few as were found, and compute again what does not fit. Arguments, results and
    gradients do not count."""

    def __init__(self, nbytes: int) -> None:
        if isinstance(nbytes, bool) or not isinstance(nbytes, int) or nbytes < 0:
            raise ValueError(
                f"keep_within takes a number of bytes, 0 or more, not {nbytes!r}: 2 << 30 is 2 GiB"
            )
        self._nbytes = nbytes
        self._before: list[int | None] = []

    def __enter__(self) -> None:
        self._before.append(within.nbytes)
        within.nbytes = self._nbytes

    def __exit__(self, *raised: object) -> None:
        within.nbytes = self._before.pop()

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        nbytes = self._nbytes

        @functools.wraps(function)
        def inside(*args: P.args, **kwargs: P.kwargs) -> Any:
            with keep_within(nbytes):
                return function(*args, **kwargs)

        return inside
