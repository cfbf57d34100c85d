"""Searching while preparing: `jit(search=10)` and `saccade search script.py`.

    with searching(10):            # seconds for each computation that is prepared inside
        step(x)

Every kernel of a computation gets its share of the time by the work it does; what is found is kept on disk
and used by every later process (`codegen.opt.search` says how it is found and checked).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .realize import Form

_seconds: ContextVar[float | None] = ContextVar("seconds of search", default=None)
#: a kernel below this share of the work is left to the heuristic
_LEAST_SHARE = 0.02


@contextmanager
def searching(seconds: float) -> Iterator[None]:
    """Search for better moves in every computation prepared inside, for this long each."""
    if not seconds > 0:
        raise ValueError(f"search= takes a number of seconds above 0, not {seconds!r}")
    token = _seconds.set(float(seconds))
    try:
        yield
    finally:
        _seconds.reset(token)


def budget() -> float | None:
    """Seconds to search a computation for; None: do not search."""
    return _seconds.get()


def search_kernels(form: Form, device: str, seconds: float) -> int:
    """Search the kernels of a computation; how many were searched. Only the CPU's kernels have a search."""
    from ..codegen.compile import cpu_source, shaped
    from ..codegen.opt.analysis import work
    from ..codegen.opt.search import search
    from ..graph.ops import Op
    from ..schedule.cost import machine_of
    from ..schedule.schedule import schedule
    from .prepare import graph_of

    if device != "cpu":
        return 0
    roots, inputs = graph_of(form)
    kernels = dict.fromkeys(item.kernel for item in schedule(roots, inputs, machine_of(device)).items)
    costs = {k: work(k) for k in kernels if k.sink.src[0].op is not Op.SORT}
    total = sum(costs.values())
    chosen = {k: cost for k, cost in costs.items() if cost >= _LEAST_SHARE * total > 0}
    for kernel, cost in chosen.items():
        search(kernel, seconds * cost / total)
    shaped.cache_clear()
    cpu_source.cache_clear()
    return len(chosen)
