"""Search: moves that make a kernel faster than the heuristic's, found by trying.

    found = search(kernel, seconds=10)    # measured here, kept on disk, used when it is compiled again
    found.moves, found.before, found.after

It starts from the heuristic's list and changes it: another factor, another kind of axis, another order of
loops, a move more or less; now and then it starts from nothing. Every candidate is legal (`moves.step`),
so it has to compile and to give the heuristic's result: a compile error or another result is a bug, and
raises. The best so far is changed further.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from random import Random
from typing import Final

import numpy as np

from ...graph.kernels.kernel import LOOP, UNROLL, VECTOR, Kernel
from ...graph.ops import Op
from ...runtime.cache.cache import Cache
from ...runtime.cpu.build import build
from ...runtime.plan import Plan
from ...runtime.program import Launch
from ..cpu.heuristic import optimise, prepared
from ..moves.analysis import kernel_name, work
from ..moves.legal import IllegalMove
from ..moves.moves import Move, Order, Pack, Split, moves_made, step
from .random_moves import draw_move, is_moderate
from .saved import save
from .trial import Array, WrongResult, agree, looseness, numbers, place_words, small_integers

#: a candidate this much slower than the best in its first run is not measured again
_HOPELESS: Final = 1.5
_RUNS: Final = 5
#: faster than the heuristic by less than this is noise: its moves are kept
_GAIN: Final = 0.97
#: a candidate that computes things again, this many times the work of the heuristic's, is not tried
_WASTEFUL: Final = 3.0
#: times the winner and the heuristic's kernel are measured in turn at the end
_DUEL: Final = 3


@dataclass(frozen=True)
class Measured:
    """A kernel with moves, and the seconds its fastest run took."""

    kernel: Kernel
    seconds: float


@dataclass(frozen=True)
class Found:
    """What a search came to: the best moves, the seconds with them and with the heuristic's, and how many
    candidates were tried."""

    name: str
    moves: list[Move]
    before: float = 0.0
    after: float = 0.0
    tried: int = 0


def search(kernel: Kernel, seconds: float, seed: int = 0) -> Found:
    """The best moves found in about so many seconds, or the heuristic's; they are kept on disk."""
    if kernel.sink.src[0].op is Op.SORT:
        return Found(kernel_name(kernel), [])
    end = time.perf_counter() + seconds
    bench = Bench(kernel)
    random = Random(seed)
    first = bench.measure(optimise(kernel), float("inf"))
    assert first is not None  # nothing is hopeless beside nothing
    best = first
    seen = {first.kernel.moves}
    most = work(first.kernel) * _WASTEFUL
    while time.perf_counter() < end:
        candidate = _candidate(kernel, best.kernel, random)
        if candidate.moves in seen or work(candidate) > most:
            continue
        seen.add(candidate.moves)
        measured = bench.measure(candidate, best.seconds)
        if measured is not None and measured.seconds < best.seconds:
            best = measured
    first, best = _duel(bench, first, best)
    moves = moves_made(best.kernel)
    save(kernel, moves, first.seconds, best.seconds)
    return Found(kernel_name(kernel), moves, first.seconds, best.seconds, len(seen) - 1)


def _duel(bench: Bench, first: Measured, best: Measured) -> tuple[Measured, Measured]:
    """The first and the best, if it still is when both are measured in turn: of many candidates one was
    lucky."""
    if best is first:
        return first, first
    for _ in range(_DUEL):
        again, other = (bench.measure(m.kernel, float("inf")) for m in (first, best))
        assert again is not None
        assert other is not None
        first, best = (min(pair, key=lambda m: m.seconds) for pair in ((first, again), (best, other)))
    return first, best if best.seconds < first.seconds * _GAIN else first


# --- candidates


def _candidate(kernel: Kernel, best: Kernel, random: Random) -> Kernel:
    """A neighbour of the best list of moves, or a list of its own."""
    moves = moves_made(best)
    if random.random() < 0.15:
        moves = []
    elif moves:
        for _ in range(random.choice((1, 1, 2))):
            _change(moves, random)
    made = _replayed(prepared(kernel), moves)
    for _ in range(random.choice((0, 0, 1, 2)) if moves else 6):
        move = draw_move(made, random)
        made = _stepped(made, move) if move is not None else made
    return made


def _change(moves: list[Move], random: Random) -> None:
    """Another factor, kind or order in one place, or one move less."""
    if not moves:
        return
    at = random.randrange(len(moves))
    move = moves[at]
    if isinstance(move, Split) and random.random() < 0.8:
        factor = random.choice(
            (move.factor * 2, move.factor // 2, move.factor + 1, move.factor - 1, 4, 8, 16)
        )
        kind = move.kind if random.random() < 0.8 else random.choice((LOOP, VECTOR, UNROLL))
        moves[at] = Split(move.axis, max(factor, 1), kind)
    elif isinstance(move, Order) and random.random() < 0.8:
        moves[at] = Order(tuple(random.sample(move.axes, len(move.axes))))
    elif isinstance(move, Pack) and random.random() < 0.5:
        moves[at] = Pack(move.fold, 1 - move.operand, move.at)
    else:
        del moves[at]


def _replayed(kernel: Kernel, moves: list[Move]) -> Kernel:
    """The moves that still fit: changing one may leave others without their axis."""
    for move in moves:
        kernel = _stepped(kernel, move)
    return kernel


def _stepped(kernel: Kernel, move: Move) -> Kernel:
    try:
        made = step(kernel, move)
    except IllegalMove:
        return kernel
    return made if is_moderate(made) else kernel


# --- measuring


class Bench:
    """Buffers of a kernel, and the result every candidate has to give."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        random = np.random.default_rng(0)
        small = small_integers(kernel)
        self.before = [numbers(dtype, size, random, small) for dtype, size in kernel.params]
        place_words(kernel, self.before)
        self.arrays = [a.copy() for a in self.before]
        self.expected: list[Array] | None = None
        self.looseness = looseness(kernel)
        self.store = Cache(None, 1 << 24)

    def measure(self, moved: Kernel, best: float) -> Measured | None:
        """The candidate with its time, or None where its first run is hopeless. Raises if it is wrong."""
        from ..compile import source_of  # which asks this package for saved moves

        (program,) = build([replace(source_of(self.kernel, moved), quick=False)], self.store)
        plan = Plan([Launch(program, tuple((slot, 0) for slot in range(len(self.arrays))))], len(self.arrays))
        addresses = [a.ctypes.data for a in self.arrays]
        fastest = float("inf")
        for run in range(_RUNS):
            for slot in self.kernel.outputs:
                self.arrays[slot][:] = self.before[slot]
            fastest = min(fastest, plan.profile(addresses)[0])
            if run == 0:
                self._compare(moved)
            if fastest > best * _HOPELESS:
                return None
        return Measured(moved, fastest)

    def _compare(self, moved: Kernel) -> None:
        outputs = [self.arrays[slot] for slot in self.kernel.outputs]
        if self.expected is None:
            self.expected = [a.copy() for a in outputs]
            return
        for slot, found, wanted in zip(self.kernel.outputs, outputs, self.expected, strict=True):
            if not agree(found, wanted, self.kernel.params[slot][0], self.looseness):
                raise WrongResult(f"output {slot} of a kernel changes with the moves {moved.moves}")
