"""What the host knows of rows follows them: through movements, new episodes and a choice of rows."""

from __future__ import annotations

import numpy as np

from saccade.cortex.bank.ledger import Ledger

NODES = np.array([[[5], [0]]])  # a module, two objects, a channel: the second object is unknown to it


def test_the_way_is_that_between_two_inputs_of_a_row() -> None:
    ledger = Ledger.of(2, NODES)
    here = np.array([[[1.0, 0.0, 0.0]], [[2.0, 0.0, 0.0]]])
    assert not ledger.moved(here, np.array([[True], [False]])).any()  # the first input, and none
    assert not ledger.all_located
    way = ledger.moved(here + [0.0, 3.0, 0.0], np.array([[True], [True]]))
    np.testing.assert_array_equal(way, [[[0.0, 3.0, 0.0]], [[0.0, 0.0, 0.0]]])
    assert ledger.all_located
    ledger.reset(np.array([True, False]), NODES)
    way = ledger.moved(here, np.array([[True], [True]]))
    np.testing.assert_array_equal(way, [[[0.0, 0.0, 0.0]], [[0.0, -3.0, 0.0]]])


def test_rows_begin_once_and_again_after_a_reset() -> None:
    ledger = Ledger.of(2, NODES)
    np.testing.assert_array_equal(ledger.waiting[..., 0], [[[True, False]], [[True, False]]])
    ledger.bound += 7
    ledger.begun(np.array([[[[True], [False]]], [[[False], [False]]]]))
    assert ledger.any_waiting
    first, second = ledger.kept(np.array([0])), ledger.kept(np.array([1, 0]))
    assert not first.any_waiting
    np.testing.assert_array_equal(second.waiting, ledger.waiting[::-1])
    ledger.reset(np.array([True, False]), NODES)
    np.testing.assert_array_equal(ledger.waiting[..., 0], [[[True, False]], [[True, False]]])
    np.testing.assert_array_equal(ledger.bound[:, 0, 0], [0, 7])
    assert (first.bound == 7).all()  # rows that were taken along have memory of their own
