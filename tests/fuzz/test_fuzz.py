"""The fuzzer finds nothing wrong, and would: it says so, in a few nodes, when a mistake is put in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from saccade.codegen.cpu.heuristic import optimise
from saccade.codegen.moves.moves import Move
from saccade.codegen.search.saved import replay
from saccade.fuzz import fuzz
from saccade.fuzz.programs import check as checking
from saccade.fuzz.programs.check import Array, Trial, check, prove_bounds, run_on
from saccade.fuzz.programs.draw import draw
from saccade.fuzz.programs.fuzz import describe
from saccade.fuzz.programs.programs import Draft, Program
from saccade.fuzz.programs.shrink import as_code, shrink
from saccade.fuzz.programs.steps import STEPS
from saccade.graph.kernels.kernel import Kernel
from saccade.graph.node import index_const, walk
from saccade.graph.ops import Op
from saccade.schedule.schedule import schedule
from saccade.tensor import Tensor


def test_forty_programs() -> None:
    report = fuzz(40, seed=77_000)
    assert report.programs == 40
    assert not report.failures, describe(report.failures[0])
    assert report.known > 0.8 * report.elements
    assert report.kernels >= 40
    assert report.moved == report.kernels


def test_programs_on_another_device() -> None:
    report = fuzz(12, seed=31_000, device="interpreter")
    assert not report.failures, describe(report.failures[0])
    assert report.known > 0.8 * report.elements


def test_a_mistake_of_another_device_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(device: str, program: Program, arrays: list[Array]) -> list[Array]:
        return [np.zeros_like(each) + 1 for each in run_on(device, program, arrays)]

    monkeypatch.setattr(checking, "run_on", wrong)
    failure = check(draw(5), Trial(device="interpreter")).failure
    assert failure is not None
    assert failure.stage == "device"
    assert "Trial(moves=None, quick=False, prove=False, device='interpreter', given=False)" in as_code(
        failure.program, failure.trial
    )


def test_a_seed_is_a_program() -> None:
    first, again = draw(5), draw(5)
    assert first.roots == again.roots
    assert first.inputs == again.inputs
    assert all(
        np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(first.arrays(), again.arrays())
    )
    assert draw(6).roots != first.roots


def test_programs_are_varied() -> None:
    ops = {node.op for seed in range(200) for node in walk(draw(seed).roots)}
    wanted = {
        Op.REDUCE,
        Op.SCAN,
        Op.TOPK,
        Op.SORT,
        Op.GATHER,
        Op.SCATTER,
        Op.PAD,
        Op.WINDOW,
        Op.SLICE,
        Op.WHERE,
        Op.CAST,
    }
    assert wanted <= ops


def _off_by_one(kernel: Kernel) -> Kernel:
    """Every second element is stored where the first belongs."""
    made = optimise(kernel)
    stores = tuple(
        s.replace(src=(s.src[0], s.src[1] - s.src[1] % index_const(2), *s.src[2:])) if s.op is Op.STORE else s
        for s in made.sink.src
    )
    return replace(made, sink=made.sink.replace(src=stores))


def test_a_wrong_kernel_is_found_blamed_and_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "optimise", _off_by_one)
    failures = [f for seed in range(8) if (f := check(draw(seed), Trial(quick=True)).failure) is not None]
    assert failures
    assert {f.stage for f in failures} == {
        "moves"
    }  # the schedule is right, the kernel after its moves is not
    small = shrink(failures[0])
    assert len(list(walk(small.program.roots))) <= len(list(walk(failures[0].program.roots)))
    assert len(list(walk(small.program.roots))) <= 6


def test_the_reproduction_runs() -> None:
    program = draw(11)
    code = as_code(program, Trial(quick=True))
    scope: dict[str, object] = {}
    exec(code, scope)
    assert scope["program"] == program


def test_writes_beside_an_output_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def shifted(kernel: Kernel) -> Kernel:
        made = optimise(kernel)
        stores = tuple(s.replace(src=(s.src[0], s.src[1] + 1, *s.src[2:])) for s in made.sink.src)
        return replace(made, sink=made.sink.replace(src=stores))

    monkeypatch.setattr(checking, "optimise", shifted)
    program = next(
        p for p in map(draw, range(50)) if len(p.roots) == 1 and p.roots[0].op in (Op.ADD, Op.MUL, Op.SUB)
    )
    failure = check(program, Trial(quick=True)).failure
    assert failure is not None
    assert "around output" in failure.message


def test_the_heuristic_is_a_list_of_moves() -> None:
    """Replaying the recorded moves gives the very kernel the heuristic made: what it does can be saved."""
    for seed in range(60):
        program = draw(seed)
        for item in schedule(program.roots, len(program.inputs)).items:
            if item.kernel.sink.src[0].op is not Op.SORT:
                moved = optimise(item.kernel)
                moves: list[Move] = list(moved.moves)  # type: ignore[arg-type]
                assert replay(item.kernel, moves) == moved


def test_an_index_out_of_bounds_is_not_proved() -> None:
    pytest.importorskip("z3")
    program = draw(2)
    for item in schedule(program.roots, len(program.inputs)).items:
        if item.kernel.sink.src[0].op is Op.STORE:
            prove_bounds(item.kernel)
            store = item.kernel.sink.src[0]
            beyond = store.replace(src=(store.src[0], store.src[1] + store.src[0].arg.size, *store.src[2:]))
            with pytest.raises(AssertionError, match="may leave"):
                prove_bounds(replace(item.kernel, sink=item.kernel.sink.replace(src=(beyond,))))


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_steps_are_seldom_refused(step: Callable[[Draft], list[Tensor]]) -> None:
    """A step that is always refused tests nothing."""
    made = 0
    for seed in range(12):
        draft = Draft(Random(seed), 600)
        draft.pool += [draft.fresh(draft.shape(1)), draft.fresh(draft.shape(1))]
        try:
            made += bool(step(draft))
        except (ValueError, TypeError, IndexError):
            continue
    assert made >= 8
