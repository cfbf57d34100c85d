"""Gradients of random programs against finite differences; a wrong derivative is found, and the op named."""

from __future__ import annotations

import pytest

from saccade.fuzz.attacks.slopes import attack
from saccade.graph.node import Node
from saccade.graph.ops import Op
from saccade.transform.gradient import reverse


def test_gradients_of_random_programs() -> None:
    report = attack(seed=0, count=60)
    assert not report.failures, "\n\n".join(map(str, report.failures))
    assert report.programs == 60
    assert report.decided > 15


def test_a_pole_that_the_result_leaves_out_decides_nothing() -> None:
    """where(1 / softmax, 1, 1 / softmax) of a masked row: 0 times infinity is NaN, as in torch."""
    report = attack(seed=7000157, count=1)
    assert report.programs == 1
    assert not report.failures


def test_a_wrong_derivative_is_found_in_its_smallest_program(monkeypatch: pytest.MonkeyPatch) -> None:
    right = reverse._derivative

    def wrong(node: Node, whole: Node) -> object:
        return right(node, whole.alu(Op.NEG) if node.op is Op.MUL else whole)

    monkeypatch.setattr(reverse, "_derivative", wrong)
    failures = attack(seed=0, count=60).failures
    assert failures
    assert all("MUL(" in failure.graph and "differences" in failure.message for failure in failures)
    last = [failure.graph.rpartition("\n")[2] for failure in failures]
    assert any("MUL(" in line for line in last)  # and not what is made of it
