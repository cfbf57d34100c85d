"""What the host knows of rows follows them: through movements, new episodes and a choice of rows."""

from __future__ import annotations

import numpy as np

from saccade.cortex.bank.state.ledger import Ledger

NODES = np.array([[[5], [0]]])  # a module, two objects, a channel: the second object is unknown to it


def test_the_way_is_that_between_two_inputs_of_a_row() -> None:
    ledger = Ledger.of(2, NODES)
    here = np.array([[[1.0, 0.0, 0.0]], [[2.0, 0.0, 0.0]]])
    way, ledger = ledger.moved(here, np.array([[True], [False]]))
    assert not way.any()  # the first input, and none
    assert not ledger.all_located
    way, ledger = ledger.moved(here + [0.0, 3.0, 0.0], np.array([[True], [True]]))
    np.testing.assert_array_equal(way, [[[0.0, 3.0, 0.0]], [[0.0, 0.0, 0.0]]])
    assert ledger.all_located
    ledger = ledger.reset(np.array([True, False]), NODES)
    way, ledger = ledger.moved(here, np.array([[True], [True]]))
    np.testing.assert_array_equal(way, [[[0.0, 0.0, 0.0]], [[0.0, -3.0, 0.0]]])


def test_rows_begin_once_and_again_after_a_reset() -> None:
    ledger = Ledger.of(2, NODES)
    np.testing.assert_array_equal(ledger.waiting[..., 0], [[[True, False]], [[True, False]]])
    ledger = ledger._replace(bound=ledger.bound + 7)
    ledger = ledger.begun(np.array([[[[True], [False]]], [[[False], [False]]]]))
    assert ledger.any_waiting
    first, second = ledger.kept(np.array([0])), ledger.kept(np.array([1, 0]))
    assert not first.any_waiting
    np.testing.assert_array_equal(second.waiting, ledger.waiting[::-1])
    ledger = ledger.reset(np.array([True, False]), NODES)
    np.testing.assert_array_equal(ledger.waiting[..., 0], [[[True, False]], [[True, False]]])
    np.testing.assert_array_equal(ledger.bound[:, 0, 0], [0, 7])
    assert (first.bound == 7).all()


def test_a_ledger_is_a_value() -> None:
    """What is made of one leaves it as it was: every array is refused to writers, and nobody writes."""
    ledger = Ledger.of(2, NODES)
    for part in ledger[:-2]:
        part.flags.writeable = False
    both = np.array([[True], [True]])
    _, moved = ledger.moved(np.ones((2, 1, 3)), both)
    after = moved.begun(ledger.waiting).reset(np.array([True, False]), NODES)
    assert (moved.all_located, ledger.all_located, after.any_waiting) == (True, False, True)
    for part, other in zip(ledger, Ledger.of(2, NODES), strict=True):
        np.testing.assert_array_equal(part, other)
