"""Kernels that would leave a GPU idle, found without one: `python -m bench.sweep --device cuda --suspects`.

    for suspect in suspects_of(case):
        print(suspect)      # 1 block of 1024, 115,343 instructions a thread: add_scalar, ...

A program is planned for a card and its kernels are laid out as they would be launched. A kernel is a suspect
if what its threads have to do one after the other takes much longer than the scheduler's estimate:
too few threads for the work, or work that is done again for every element. So it is if its loads touch more
lines of the cache than it gives out in that time (`lines.py`). Products in a form of their own
count by their blocks: fewer than processors is a suspect where the estimate is long.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bench.kernel_programs import form_of, given
from bench.sweep.lines import line_seconds
from bench.sweep.names import ours
from bench.sweep.program import Case
from saccade.codegen.cuda.search.moves import Card
from saccade.codegen.cuda.source import laid_out
from saccade.codegen.moves.analysis import work
from saccade.graph.forms import NO_PRODUCT, PLAIN
from saccade.graph.kernels.kernel import Kernel
from saccade.graph.ops import Op
from saccade.schedule.cost import machine_of
from saccade.schedule.target import target_of
from saccade.tensor.programs.prepare import scheduled

#: a card to plan for: Hopper's shared memory, warpgroups and processors
CARD: Final = Card(shared=227 * 1024, wgmma=True)
#: threads of a processor that is full: with all of them a card reaches the rate its `Machine.unit` tells
FULL: Final = 2048
#: times its estimate that a suspect takes, and the least it takes at all
FAR: Final = 1.5
LEAST: Final = 2e-5


@dataclass(frozen=True)
class Suspect:
    """A kernel, its launch, and the seconds it would take beside the scheduler's estimate."""

    case: str
    kernel: str
    why: str
    grid: int
    block: int
    each: float
    seconds: float
    estimate: float

    @property
    def times(self) -> float:
        return self.seconds / self.estimate

    def __str__(self) -> str:
        launch = f"{self.grid} blocks of {self.block}, {self.each:,.0f} instructions a thread"
        times = f"{self.seconds * 1e6:,.0f} µs for {self.estimate * 1e6:,.0f}"
        return f"{self.times:8.1f}  {times}: {self.case}: {self.kernel}, {launch}; {self.why}"


def planned(case: Case) -> Any:
    """The kernels of a case on a card, over memory that is not there."""
    inputs = [given(*w.shape, dtype=w.dtype(case.dtype)) for w in case.inputs()]
    return scheduled(form_of(case.program.call(ours(), *inputs)), "cuda:0")


def suspects_of(case: Case) -> Iterator[Suspect]:
    target = target_of(machine_of("cuda:0"))
    for item in planned(case).items:
        source = laid_out(item.kernel, CARD).source
        estimate, threads = target.seconds(item.kernel), source.grid * source.block
        seconds, each = seconds_of(item.kernel, target.form(item.kernel), source.grid, threads, estimate)
        seconds = max(seconds, line_seconds(item.kernel))
        if seconds > max(FAR * estimate, LEAST):
            yield Suspect(
                case.key, item.name, item.reason, source.grid, source.block, each, seconds, estimate
            )


def seconds_of(kernel: Kernel, form: str, grid: int, threads: int, estimate: float) -> tuple[float, float]:
    """How long a kernel takes by the work of its busiest threads, and that work."""
    machine = machine_of("cuda:0")
    done = work(kernel)
    each = done / max(threads, 1)
    if kernel.sink.src[0].op is Op.SORT:
        return 0.0, each  # merges by many blocks, whatever the kernel says
    if form not in (NO_PRODUCT, PLAIN):
        return estimate * max(1.0, machine.processors / max(grid, 1)), each
    idle = max(1.0, machine.processors * FULL / max(threads, 1))
    return done * machine.unit * idle, each


def tell_suspects(cases: Sequence[Case]) -> int:
    """Print them, worst first; 0 where there is none."""
    found: list[Suspect] = []
    failed = 0
    for case in cases:
        try:
            found += suspects_of(case)
        except Exception as error:  # noqa: BLE001 (what cannot be planned is told, and the rest goes on)
            failed += 1
            print(f"not planned: {case.key}: {type(error).__name__}: {str(error).splitlines()[0]}")
    for suspect in sorted(found, key=lambda s: -s.times):
        print(suspect)
    print(f"{len(found)} suspects in {len(cases)} cases, {failed} not planned")
    return 1 if found or failed else 0
