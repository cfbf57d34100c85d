"""Work of the host that is cut into pieces: done by all threads, with results in the order of the pieces.

    parts = in_threads(cast_rows, begins, ends)

Native loops run without the GIL, so the pieces run side by side. What a piece computes must not depend on the
others, and a piece must not hand out pieces of its own.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from ..runtime.config import settings

Result = TypeVar("Result")


_most = settings.threads


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_most)


def limit(threads: int) -> None:
    """Use so many threads from now on, as where another process takes some of the cores."""
    global _most
    _most = threads
    _threads.cache_clear()


if hasattr(os, "register_at_fork"):
    # a forked child has the parent's memory and not its threads
    os.register_at_fork(after_in_child=_threads.cache_clear)


def in_threads(work: Callable[..., Result], *pieces: Iterable[object]) -> list[Result]:
    """[work(...), ...] for the first of each of the iterables, the second, and so on; raises what the first
    of those that fail raised. Whoever is free takes the next piece, the caller too, so that a call costs as
    many tasks as there are threads, however many pieces there are."""
    given = list(zip(*pieces, strict=False))
    helpers = min(_most, len(given)) - 1
    if helpers < 1:
        return [work(*each) for each in given]
    left, found, failed = deque(range(len(given))), dict[int, Result](), dict[int, BaseException]()

    def take() -> None:
        while left:
            try:
                number = left.popleft()
            except IndexError:  # another one took the last
                return
            try:
                found[number] = work(*given[number])
            except BaseException as error:  # noqa: BLE001  the caller raises it
                failed[number] = error
                left.clear()

    tasks = [_threads().submit(take) for _ in range(helpers)]
    take()
    for task in tasks:
        if not task.cancel():  # one that has not begun finds nothing to do
            task.result()
    if failed:
        raise failed[min(failed)]
    return [found[number] for number in range(len(given))]


def pieces(count: int, least: int = 1) -> tuple[list[int], list[int]]:
    """Where pieces of so many things begin and end, a few for each thread, of at least so many things each
    where there are as many: handing one out takes some 20 microseconds.

    >>> begins, ends = pieces(10)
    >>> begins[0], ends[-1], begins[1:] == ends[:-1]
    (0, 10, True)
    >>> pieces(10, least=6)
    ([0], [10])
    """
    number = min(max(count // least, min(count, 1)), 4 * _most)
    bounds = [count * k // max(number, 1) for k in range(number + 1)]
    return bounds[:-1], bounds[1:]
