"""Structures of tensors through compiled functions, and many small results as one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from saccade.cortex.bank.program import Loop, Program, Report
from saccade.cortex.ops import read
from saccade.tensor import Tensor
from saccade.tensor.jit.bound import Inbox


class Found(NamedTuple):
    evidence: Tensor  # (R, M, O)
    best: tuple[Tensor, Tensor]  # (R, M) each
    flag: Tensor  # (R, M, O)


def test_a_report_brings_back_every_value_with_its_dtype() -> None:
    def look(evidence: Tensor) -> tuple[Tensor, Report]:
        place = evidence.argmax(-1).cast("int32")
        found = Found(evidence, (place, evidence.amax(-1).cast("float64") / 3), evidence > 0)
        return evidence * 2, Report.of((found, ()))

    program = Program(look)
    rng = np.random.default_rng(0)
    for _ in range(2):
        given = rng.normal(size=(2, 3, 5)).astype(np.float32)
        given[0, 0, 0] = -np.inf
        doubled, report = program(Tensor(given))
        values = read([doubled, report.values])
        found, nothing = report.unpack(values[1])
        assert isinstance(found, Found)
        assert nothing == ()
        np.testing.assert_array_equal(values[0], given * 2)
        np.testing.assert_array_equal(found.evidence, given)
        np.testing.assert_array_equal(found.best[0], given.argmax(-1))
        np.testing.assert_array_equal(found.best[1], given.max(-1).astype(np.float64) / 3)
        np.testing.assert_array_equal(found.flag, given > 0)
        kinds = [found.evidence.dtype, found.best[0].dtype, found.best[1].dtype, found.flag.dtype]
        assert kinds == [np.float32, np.int32, np.float64, np.bool_]
    assert program.compilations == 1


def test_a_program_may_return_a_single_tensor_or_another_structure_for_other_shapes() -> None:
    halve = Program(lambda pair: pair[0] / 2)
    for given in ([2.0], [4.0], [1.0, 3.0]):
        assert halve((Tensor(given), Tensor([0.0]))).tolist() == [value / 2 for value in given]
    many = Program(lambda x: tuple(x[i] for i in range(x.shape[0])))
    assert len(many(Tensor([1.0, 2.0]))) == 2
    assert [one.item() for one in many(Tensor([1.0, 2.0, 3.0]))] == [1.0, 2.0, 3.0]


def test_what_is_no_structure_of_tensors_is_refused() -> None:
    with pytest.raises(TypeError, match="not list"):
        Program(lambda x: x)([Tensor([1.0])])


def test_columns_tell_where_a_reports_values_are() -> None:
    evidence = Tensor([[[1.0, 2.0]]])
    report = Report.of(Found(evidence, (evidence[..., 0], evidence[..., 1]), evidence > 1))
    at = report.layout.places
    (values,) = read([report.values])
    told = values[0, 0].tolist()
    assert told[at.evidence] == [1.0, 2.0]
    assert [told[column] for column in at.best] == [1.0, 2.0]
    assert told[at.flag] == [0.0, 1.0]


def test_a_loop_gives_the_same_results_from_memory_that_takes_turns() -> None:
    def step(pair: tuple[Tensor, Tensor], given: Tensor) -> tuple[tuple[Tensor, Tensor], Tensor]:
        return (pair[0] + given, pair[1]), pair[0] * pair[1]

    plain, loop = Program(step), Program(step, loop=True)
    given = Inbox((2,), "float64")
    mine = theirs = (Tensor([1.0, 2.0]).cast("float64").realize(), Tensor([3.0]).cast("float64").realize())
    seen = set()
    for t in range(8):
        given.ready()
        given.array[:] = t
        mine, product = plain(mine, Tensor(np.full(2, float(t))))
        theirs, other = loop(theirs, given)  # type: ignore[arg-type]  # a program sees the inbox's tensor
        np.testing.assert_array_equal(read([theirs[0], other]), read([mine[0], product]))
        seen.add(id(theirs[0]))
    assert len(seen) < 8, "results take turns"
    assert loop.compilations == 1


def test_a_loop_sends_what_is_in_its_inboxes_and_its_report_arrives() -> None:
    def step(state: Tensor, given: Tensor) -> tuple[Tensor, Report]:
        moved = state + given
        return moved, Report.of((moved, moved.amax(-1)))

    program = Program(step, loop=True)
    boxes = [Inbox((1, 1, 2), "float64") for _ in range(2)]
    state, expected = Tensor(np.zeros((1, 1, 2))).realize(), np.zeros((1, 1, 2))
    reports = set()
    for t in range(8):
        boxes[t % 2].ready()
        boxes[t % 2].array[...] = [[[t, -t]]]
        state, report = program(state, boxes[t % 2])
        expected = expected + [t, -t]
        (values,) = read([report])
        np.testing.assert_array_equal(report.unpack(values)[0], expected)
        assert values[0, 0, 2] == expected.max()
        reports.add(id(report))
    assert len(reports) < 8, "known calls return what they returned before"
    assert program.compilations == 1


def test_states_from_elsewhere_do_not_pile_up_in_a_loop() -> None:
    program = Program(lambda state: state * 2, loop=True)
    assert program._loop is not None
    state = Tensor([1.0]).realize()
    for t in range(100):
        if t % 5 == 0:
            state = Tensor([float(t)]).realize()  # as after a reset
        before = state.item()
        state = program(state)
        assert state.item() == before * 2
    assert len(program._loop.by_leaves) <= Loop.MOST_CALLS
    assert len(program._loop.calls) <= 2 * Loop.MOST_CALLS
