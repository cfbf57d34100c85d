"""Search on a GPU: a layout that makes a kernel faster than the heuristic's, found by trying its neighbours.

    found = search_gpu(kernel, "cuda:0", seconds=10)
    found.move, found.before, found.after, found.failures

The heuristic's layout is measured, then its neighbours (`neighbours`), then those of the fastest so far,
and so on until all that can be reached are known or the time is over. Candidates are compiled several at a
time. Each must give the heuristic's result; one that does not compile, does not run or computes something
else is a bug of the compiler: it is counted, reported in a warning, and never chosen. What is found is kept
on disk, for this card."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Final

from ....graph.kernels.kernel import Kernel
from ....runtime.cache.searched import target_of
from ....runtime.config import settings
from ....runtime.program import Program, Source
from ...moves.legal import IllegalMove
from ...search.saved import save_move, saved_move
from ...search.trial import WrongResult
from .bench import GpuBench
from .moves import Card, GpuMove
from .neighbours import neighbours

#: a candidate this much slower than the best is not measured again after its first run, which is timed with
#: its launch
_HOPELESS: Final = 1.5
_LAUNCH: Final = 4e-5
#: faster than the heuristic by less than this is noise: its layout is kept
_GAIN: Final = 0.97
#: times the winner and the heuristic's are measured in turn at the end
_DUEL: Final = 4
#: candidates compiled together, at most
_BATCH: Final = 16


class SearchWarning(UserWarning):
    """Candidates of a search failed, or there was none."""


@dataclass(frozen=True)
class Failure:
    """A candidate that did not compile, did not run or computed something else."""

    move: GpuMove
    reason: str


@dataclass(frozen=True)
class Found:
    """What a search came to: the best layout, its time and that of the heuristic's, and what was tried."""

    name: str
    move: GpuMove | None
    before: float = 0.0
    after: float = 0.0
    tried: int = 0
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True)
class Measured:
    move: GpuMove
    program: Program
    seconds: float


def search_gpu(kernel: Kernel, device: str, seconds: float) -> Found:
    """The best layout found in about so many seconds, or the heuristic's; it is kept on disk."""
    from ...compile import card_of
    from ..source import laid_out

    card = card_of(device)
    first = laid_out(kernel, card)
    found = Found(first.source.name, first.move)
    if first.move is None:  # a sort
        return found
    try:
        run = _Run(kernel, device, card, time.perf_counter() + seconds)
    except MemoryError as error:
        _warn(f"kernel {found.name!r} is not searched, because there is no room to try it in: {error}")
        return found
    start = run.begin(first.move)
    run.explore()
    best = run.duel(start)
    found = Found(found.name, best.move, run.before, best.seconds, run.tried, tuple(run.failures))
    if best.move != start.move or run.saved is not None:
        save_move(kernel, card, target_of(device), best.move, found.before, found.after)
    if found.failures:
        one = found.failures[0]
        _warn(
            f"{len(found.failures)} of {found.tried} candidates for kernel {found.name!r} failed, which is a "
            f"bug of the compiler; the first, {one.move}: {one.reason}"
        )
    return found


def _warn(text: str) -> None:
    warnings.warn(text, SearchWarning, stacklevel=3)


class _Run:
    """One search: what was measured, what was seen, what failed."""

    def __init__(self, kernel: Kernel, device: str, card: Card, end: float) -> None:
        self.kernel, self.card, self.end = kernel, card, end
        self.bench = GpuBench(kernel, device)
        self.measured: list[Measured] = []
        #: moves that were looked at, the different sources they come to, and how many of these were tried
        self.known: set[GpuMove] = set()
        self.sources: set[Source] = set()
        self.tried = 0
        self.failures: list[Failure] = []
        self.before = 0.0
        self.saved = saved_move(kernel, card, target_of(device))

    def begin(self, move: GpuMove) -> Measured:
        """Measure the heuristic's layout, which must not fail."""
        from ..source import laid_out

        source = laid_out(self.kernel, self.card, move).source
        self.known.add(move)
        self.sources.add(source)
        (program,) = self.bench.compiled([source])
        if isinstance(program, Exception):
            raise program
        self.bench.expect(program)
        self.tried = 1
        taken = self.bench.seconds(program)
        assert taken is not None  # nothing is hopeless beside nothing
        self.before = taken
        self.measured.append(Measured(move, program, taken))
        return self.measured[0]

    def explore(self) -> None:
        """Try neighbours of the fastest, until there are none or the time is over."""
        waiting = self._others()
        count = max(1, min(_BATCH, settings.threads))
        while time.perf_counter() < self.end:
            batch: list[GpuMove] = []
            while len(batch) < count and time.perf_counter() < self.end:
                waiting = waiting or self._next()
                if not waiting:
                    break
                move = waiting.pop(0)
                if self._is_new(move):
                    batch.append(move)
            if not batch:
                return
            if self._try(batch):
                waiting = self._next() + waiting  # those of the new best come first

    def _others(self) -> list[GpuMove]:
        """Where else to begin: what the last search found, and the other scheme for loops."""
        from ..source import other_layouts

        others = other_layouts(self.kernel, self.card)
        return others if self.saved is None else [self.saved, *others]

    def _next(self) -> list[GpuMove]:
        """Neighbours that were not looked at, of the fastest candidate that has any."""
        for each in sorted(self.measured, key=lambda m: m.seconds):
            fresh = [move for move in neighbours(each.move) if move not in self.known]
            if fresh:
                return fresh
        return []

    def _is_new(self, move: GpuMove) -> bool:
        """Is it legal, and its code seen for the first time? What differs on longer loops may be the same."""
        from ..source import laid_out

        if move in self.known:
            return False
        self.known.add(move)
        try:
            source = laid_out(self.kernel, self.card, move).source
        except IllegalMove:
            return False
        if source in self.sources:
            return False
        self.sources.add(source)
        return True

    def _try(self, batch: list[GpuMove]) -> bool:
        """Measure candidates; is one of them the best so far?"""
        from ..source import laid_out

        best = min(each.seconds for each in self.measured)
        fastest = best
        sources = [laid_out(self.kernel, self.card, move).source for move in batch]
        for move, program in zip(batch, self.bench.compiled(sources), strict=True):
            if time.perf_counter() > self.end:
                break
            self.tried += 1
            if isinstance(program, Exception):
                self.failures.append(Failure(move, str(program)))
                continue
            try:
                self.bench.check(program)
                taken = self.bench.seconds(program, fastest * _HOPELESS + _LAUNCH)
            except (WrongResult, RuntimeError) as error:
                self.failures.append(Failure(move, str(error)))
                continue
            if taken is not None:
                self.measured.append(Measured(move, program, taken))
                fastest = min(fastest, taken)
        return fastest < best

    def duel(self, first: Measured) -> Measured:
        """The fastest, if it still is when it and the first are measured in turn: of many one was lucky."""
        best = min(self.measured, key=lambda m: m.seconds)
        if best is first:
            return first
        times = {first.move: first.seconds, best.move: best.seconds}
        for _ in range(_DUEL):
            for each in (first, best):
                taken = self.bench.seconds(each.program)
                assert taken is not None
                times[each.move] = min(times[each.move], taken)
        self.before = times[first.move]
        if times[best.move] < times[first.move] * _GAIN:
            return Measured(best.move, best.program, times[best.move])
        return Measured(first.move, first.program, times[first.move])
