"""One program, every way: scheduled, moved, compiled, run, and compared with the oracle.

    check(program, Trial())                     -> None, or a Failure that says which stage is to blame
    check(program, Trial(moves=7, quick=True))  -> the same with random moves instead of the heuristic's
    check(program, Trial(given=True))           -> the same with its numbers as runtime values
    check(program, Trial(device="cuda"))        -> the same on another device, as `realize` runs it there

Every array has margins of noise around it: what is written there is found, and what is read there shows
in the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...codegen.compile import source_of
from ...codegen.cpu.heuristic import optimise
from ...codegen.moves.analysis import work
from ...codegen.moves.ragged import end_loop, shorten_folds
from ...codegen.numerics.decompose import decompose
from ...codegen.search.random_moves import move_at_random
from ...graph.kernels.kernel import Kernel
from ...graph.node import Node, walk
from ...graph.ops import Op
from ...graph.verify import verify
from ...runtime.cache.cache import Cache
from ...runtime.cpu.build import build
from ...runtime.interpreter.interpreter import run_kernel
from ...runtime.memory.halves import storage_dtype
from ...runtime.plan import Plan
from ...runtime.program import ARENA, Launch
from ...schedule.kernel_graph import KernelGraph
from ...schedule.schedule import schedule
from ...tensor.core import buffer_node
from ...tensor.jit.trace import buffer_of
from ...tensor.programs.realize import realize
from ..raised import with_frames
from .given import given
from .programs import Program
from .reference import Bounded, evaluate, mismatches

Array = NDArray[Any]

_MARGIN: Final = 64
_NOISE: Final = 0xA7


#: instructions of a kernel: one whose moves make it do its work again and again would run for minutes
MOST_WORK: Final = 1e9


@dataclass(frozen=True)
class Trial:
    """How to run a program: with the heuristic's moves, or those of a seed; compiled well, or quickly; with
    its numbers known, or given with the call. On a device other than the CPU all of that is the device's own
    business.
    """

    moves: int | None = None
    quick: bool = False
    prove: bool = False
    device: str = "cpu"
    given: bool = False

    def shape(self, kernel: Kernel, number: int) -> Kernel:
        """The kernel with its moves."""
        if kernel.sink.src[0].op is Op.SORT:
            return kernel
        if self.moves is None:
            return end_loop(optimise(kernel))  # as `codegen.compile.shaped` does
        random = Random(f"{self.moves} {number}")
        start = shorten_folds(kernel) if random.random() < 0.7 else kernel
        if random.random() < 0.25:
            start = optimise(kernel)
            moved = move_at_random(start, random, 3)
        else:
            moved = move_at_random(start, random, random.randint(1, 10))
        moved = moved if work(moved) <= MOST_WORK else start
        return end_loop(moved) if random.random() < 0.5 else moved


@dataclass(frozen=True)
class Failure:
    """What went wrong, where: `stage` is tensor, schedule, moves, codegen, bounds, interpreter or device."""

    program: Program
    trial: Trial
    stage: str
    message: str
    kernels: tuple[Kernel, ...] = ()
    raised: bool = False  # an exception; else a wrong result


@dataclass(frozen=True)
class Outcome:
    """Of one check: how many kernels there were, and how many elements the oracle could tell, of how many."""

    failure: Failure | None
    kernels: int = 0
    known: int = 0
    elements: int = 0


def check(program: Program, trial: Trial) -> Outcome:
    """Run a program once. Whatever it raises on the way is a failure too, but for the loss of the device:
    nothing that this process tries behind it would tell anything."""
    stage = "tensor"
    moved: list[Kernel] = []
    try:
        for root in program.roots:
            verify(root, "tensor")
        arrays = program.arrays()
        expected = _expected(program)
        if trial.device != "cpu":
            stage = "device"
            wrong = difference(program.roots, expected, run_on(trial.device, program, arrays))
            return _outcome(expected, Failure(program, trial, stage, wrong) if wrong is not None else None, 0)
        stage = "schedule"
        roots = program.roots
        if trial.given:
            roots, arrays = given(program, arrays)
            for root in roots:
                verify(root, "tensor")
        plan = _scheduled(roots, len(arrays))
        stage = "moves"
        for number, item in enumerate(plan.items):
            moved.append(trial.shape(item.kernel, number))
            _verify(moved[-1])
        if trial.prove:
            stage = "bounds"
            for kernel in moved:
                prove_bounds(kernel)
        stage = "codegen"
        found = run(plan, moved, trial.quick, arrays)
    except Exception as error:
        if getattr(error, "lost", False):  # CudaError's, which only machines with its packages can import
            raise
        return Outcome(_raised(program, trial, stage, error, moved))
    wrong = difference(program.roots, expected, found)
    failure = None
    if wrong is not None:
        blamed = blame(program, plan, moved, arrays, expected)
        failure = Failure(program, trial, blamed, wrong, tuple(moved))
    return _outcome(expected, failure, len(moved))


def _raised(program: Program, trial: Trial, stage: str, error: Exception, moved: list[Kernel]) -> Failure:
    return Failure(program, trial, stage, with_frames(error), tuple(moved), raised=True)


def _outcome(expected: list[Bounded], failure: Failure | None, kernels: int) -> Outcome:
    known = sum(int(np.isfinite(e.radius).sum()) for e in expected)
    return Outcome(failure, kernels, known, sum(e.value.size for e in expected))


# One program is checked in several ways, one after the other: what they share is worked out once.


@lru_cache(maxsize=1)
def _expected(program: Program) -> list[Bounded]:
    """The oracle's results."""
    return evaluate(program.roots, program.arrays())


@lru_cache(maxsize=2)
def _scheduled(roots: tuple[Node, ...], count: int) -> KernelGraph:
    """The schedule of a graph over so many inputs, verified."""
    plan = schedule(roots, count)
    for item in plan.items:
        _verify(item.kernel)
    return plan


def _verify(kernel: Kernel) -> None:
    if kernel.sink.src[0].op is not Op.SORT:
        verify(kernel.sink, "kernel", loops=kernel.order)


def difference(roots: Sequence[Node], expected: list[Bounded], found: list[Array]) -> str | None:
    """The first element that is wrong, in words."""
    for number, (root, want, got) in enumerate(zip(roots, expected, found, strict=True)):
        wrong = mismatches(want, got, root.dtype)
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            value, radius = want.value[place], float(want.radius[place])
            return (
                f"output {number} {root.dtype.name}{list(root.shape)}: {int(wrong.sum())} of {wrong.size} "
                f"elements are wrong, first {list(place)}: {got.reshape(root.shape)[place]!r} is not within "
                f"{radius:.3g} of {value!r}"
            )
    return None


# --- running


class Guarded:
    """An array with noise before and after it."""

    def __init__(self, dtype: np.dtype[Any], size: int) -> None:
        self.memory = np.full(2 * _MARGIN + size * dtype.itemsize, _NOISE, np.uint8)
        self.array = self.memory[_MARGIN : _MARGIN + size * dtype.itemsize].view(dtype)

    def is_intact(self) -> bool:
        return bool(
            (self.memory[:_MARGIN] == _NOISE).all()
            and (self.memory[len(self.memory) - _MARGIN :] == _NOISE).all()
        )


@cache
def store_in_memory() -> Cache:
    """Compiled programs of the fuzzer stay in memory: they are never needed again."""
    return Cache(None, 1 << 20)


def _memory(plan: KernelGraph, arrays: list[Array]) -> list[Guarded]:
    guarded = [Guarded(a.dtype, a.size) for a in arrays]
    for guard, array in zip(guarded, arrays, strict=True):
        guard.array[:] = array
    return guarded + [Guarded(storage_dtype(root.dtype), root.size) for root in plan.outputs]


def run(plan: KernelGraph, moved: list[Kernel], quick: bool, arrays: list[Array]) -> list[Array]:
    """The outputs as the CPU computes them."""
    memory = _memory(plan, arrays)
    sources = [source_of(item.kernel, kernel) for item, kernel in zip(plan.items, moved, strict=True)]
    programs = build([replace(s, quick=s.quick or quick) for s in sources], store_in_memory())
    launches = [Launch(p, item.params) for p, item in zip(programs, plan.items, strict=True)]
    Plan(launches, len(memory), plan.arena)([m.array.ctypes.data for m in memory])
    for number, (guard, array) in enumerate(zip(memory, arrays, strict=False)):
        if not guard.is_intact() or guard.array.tobytes() != array.tobytes():
            raise AssertionError(f"input {number} or the memory around it was written to")
    for number, guard in enumerate(memory[len(arrays) :]):
        if not guard.is_intact():
            raise AssertionError(f"the memory around output {number} was written to")
    return [m.array for m in memory[len(arrays) :]]


def run_on(device: str, program: Program, arrays: list[Array]) -> list[Array]:
    """The outputs as a device computes them from memory of its own."""
    given = {
        node: buffer_node(arrays[node.arg.slot], node.dtype, device)
        for node in walk(program.roots)
        if node.op is Op.PARAM
    }
    return [buffer_of(node).numpy() for node in realize([root.substitute(given) for root in program.roots])]


def interpret(
    program: Program, plan: KernelGraph, kernels: Sequence[Kernel], arrays: list[Array] | None = None
) -> list[Array]:
    """The outputs as the interpreter computes them from these kernels, on the program's memory or another."""
    arrays = program.arrays() if arrays is None else arrays
    memory = [m.array for m in _memory(plan, arrays)]
    arena = np.full(max(plan.arena, 1), _NOISE, np.uint8)
    for item, kernel in zip(plan.items, kernels, strict=True):
        bound = []
        for (slot, offset), (dtype, size) in zip(item.params, kernel.params, strict=True):
            kind = storage_dtype(dtype)
            place = arena if slot == ARENA else memory[slot].view(np.uint8)
            bound.append(place[offset : offset + size * kind.itemsize].view(kind))
        run_kernel(kernel, bound)
    return memory[len(arrays) :]


def check_interpreter(program: Program, numbers_given: bool = False) -> Failure | None:
    """The interpreter's own failure on a program's kernels, before and after the heuristic's moves."""
    moved: list[Kernel] = []
    try:
        roots, arrays = program.roots, program.arrays()
        expected = _expected(program)
        if numbers_given:
            roots, arrays = given(program, arrays)
        plan = _scheduled(roots, len(arrays))
        moved = [Trial().shape(item.kernel, 0) for item in plan.items]
        for kernels in ([item.kernel for item in plan.items], moved):
            wrong = difference(program.roots, expected, interpret(program, plan, kernels, arrays))
            if wrong is not None:
                return Failure(program, Trial(), "interpreter", wrong, tuple(kernels))
    except Exception as error:  # noqa: BLE001  a fuzzer reports every kind of failure
        return _raised(program, Trial(), "interpreter", error, moved)
    return None


def blame(
    program: Program,
    plan: KernelGraph,
    moved: Sequence[Kernel],
    arrays: list[Array],
    expected: list[Bounded],
) -> str:
    """The first stage whose kernels the interpreter gets wrong too; codegen if it gets all of them right."""
    for stage, kernels in (("schedule", [item.kernel for item in plan.items]), ("moves", moved)):
        try:
            found = interpret(program, plan, kernels, arrays)
            if difference(program.roots, expected, found) is not None:
                return stage
        except IndexError:
            return stage
    return "codegen"


def prove_bounds(kernel: Kernel) -> None:
    """Raise unless every index is proved to stay inside its memory."""
    from ...graph.proofs.prove import prove_in_bounds  # needs z3

    if kernel.sink.src[0].op is Op.SORT:
        return
    for node in walk((decompose(kernel.sink),)):
        if node.op is Op.LOAD or node.op is Op.STORE:
            mask = node.src[2:] if node.op is Op.LOAD else node.src[3:]
            proved = prove_in_bounds(node.src[1], mask[0] if mask else None, node.src[0].arg.size)
            if proved is not True:
                raise AssertionError(
                    f"{node} may leave its {node.src[0].arg.size} elements: {proved or 'z3 cannot tell'}"
                )
