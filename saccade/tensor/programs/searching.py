"""Searching while preparing: `jit(search=10)` and `saccade search script.py`.

    with searching(10) as report:            # seconds for each computation that is prepared inside
        step(x)
    report.found                             # a `Finding` for each kernel that was searched

Every kernel of a computation gets its share of the time: on the CPU by the work it does, on a GPU by the
time it takes. What is found is kept on disk and used by every later process (`codegen.moves.search` and
`codegen.cuda.search.search` say how it is found and checked).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from ...graph.kernels.kernel import Kernel
    from .form import Form

#: a kernel below this share of the work is left to the heuristic
_LEAST_SHARE: Final = 0.02


class Finding(NamedTuple):
    """A kernel that was searched: seconds with the heuristic's moves and with those found, which are given as
    JSON, and how many candidates were tried and how many of them failed."""

    name: str
    device: str
    before: float
    after: float
    moves: str
    tried: int
    failed: int = 0


@dataclass
class Searching:
    """Seconds for each computation, and what was found."""

    seconds: float
    found: list[Finding] = field(default_factory=list)


_current: ContextVar[Searching | None] = ContextVar("the search", default=None)


@contextmanager
def searching(seconds: float) -> Iterator[Searching]:
    """Search for better moves in every computation prepared inside, for this long each."""
    if not seconds > 0:
        raise ValueError(f"search= takes a number of seconds above 0, not {seconds!r}")
    token = _current.set(Searching(float(seconds)))
    made = _current.get()
    assert made is not None
    try:
        yield made
    finally:
        _current.reset(token)


def current_search() -> Searching | None:
    """The search that computations prepared now belong to; None: do not search."""
    return _current.get()


def search_kernels(form: Form, device: str, search: Searching) -> int:
    """Search the kernels of a computation; how many were searched."""
    from ...graph.ops import Op
    from .prepare import scheduled

    kind = device.partition(":")[0]
    if kind not in ("cpu", "cuda"):
        return 0
    different = dict.fromkeys(k for item in scheduled(form, device).items for k in _alone(item.kernel, kind))
    kernels = [k for k in different if k.sink.src[0].op is not Op.SORT and not k.asked]
    return _on_cpu(kernels, search) if kind == "cpu" else _on_gpu(kernels, device, search)


def _alone(kernel: Kernel, kind: str) -> list[Kernel]:
    """Kernels as they are shaped: on a CPU each section for itself."""
    from ...codegen.moves.sections import sections_of

    return [s.kernel for s in sections_of(kernel)] if kind == "cpu" and sections_of(kernel) else [kernel]


def _on_cpu(kernels: list[Kernel], wanted: Searching) -> int:
    from ...codegen.compile import cpu_source, shaped
    from ...codegen.moves.analysis import work
    from ...codegen.moves.text import to_json
    from ...codegen.search.search import search

    costs = {k: work(k) for k in kernels}
    shares = _shares(costs)
    for kernel, share in shares.items():
        found = search(kernel, wanted.seconds * share)
        moves = to_json(found.moves)
        wanted.found.append(Finding(found.name, "cpu", found.before, found.after, moves, found.tried))
    shaped.cache_clear()
    cpu_source.cache_clear()
    return len(shares)


def _on_gpu(kernels: list[Kernel], device: str, wanted: Searching) -> int:
    from ...codegen.cuda.search.search import search_gpu
    from ...codegen.moves.text import to_json

    shares = gpu_shares(kernels)
    for kernel, share in shares.items():
        found = search_gpu(kernel, device, wanted.seconds * share)
        moves = to_json([] if found.move is None else [found.move])
        failed = len(found.failures)
        wanted.found.append(
            Finding(found.name, device, found.before, found.after, moves, found.tried, failed)
        )
    return len(shares)


def gpu_shares(kernels: list[Kernel]) -> dict[Kernel, float]:
    """Each kernel's share of the time a card takes, for its bytes or for its operations."""
    from ...codegen.moves.analysis import bytes_moved, floating_operations

    # a card does some hundred operations in the time of a byte where tensor cores multiply, else some ten
    return _shares({k: max(bytes_moved(k), floating_operations(k) / 20) for k in kernels})


def _shares(costs: dict[Kernel, float]) -> dict[Kernel, float]:
    """Of the time, for those kernels that are worth some."""
    total = sum(costs.values())
    return {k: cost / total for k, cost in costs.items() if cost >= _LEAST_SHARE * total > 0}
