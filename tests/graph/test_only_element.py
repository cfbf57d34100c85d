"""Sums of which one element alone is not 0 are that element."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor, nn, vjp, where
from saccade.graph import dtypes, monoid
from saccade.graph.kernels.kernel import fold, load, loop, param
from saccade.graph.node import Node, const
from saccade.graph.ops import Op
from saccade.graph.rules.symbolic import simplify
from saccade.schedule.cost import GPU
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of

ROWS, LENGTH = 7, 40


def summed(chosen: Node, otherwise: float = 0.0) -> Node:
    """add(where(place[i] == r, chosen, otherwise) over r < LENGTH)"""
    i, r = loop(0, ROWS), loop(1, LENGTH)
    place = load(param(1, dtypes.int64, ROWS), i)
    body = place.alu(Op.EQ, r.cast(dtypes.int64)).alu(Op.WHERE, chosen, const(otherwise, dtypes.float32))
    return simplify(fold(monoid.ADD, (body,), (r,)))


def folds(node: Node) -> int:
    return sum(n.op is Op.FOLD for n in node.toposort())


def test_a_sum_of_one_element_has_no_loop() -> None:
    value = load(param(2, dtypes.float32, ROWS), loop(0, ROWS))
    assert folds(summed(value)) == 0


def test_what_follows_the_loop_and_what_is_not_zero_elsewhere_is_gone_along() -> None:
    along = load(param(2, dtypes.float32, LENGTH), loop(1, LENGTH))
    value = load(param(2, dtypes.float32, ROWS), loop(0, ROWS))
    assert folds(summed(along)) == 1
    assert folds(summed(value, 1.0)) == 1


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_places_out_of_range_add_nothing(dtype: str) -> None:
    places = np.array([0, 39, 17, -1, 40, 5, 5])
    values = np.array([1.0, np.nan, -0.0, 3.0, np.inf, -np.inf, 2.5], dtype)
    rows, at = Tensor(values).reshape(ROWS, 1), Tensor(places).reshape(ROWS, 1)
    made = where(at == Tensor.arange(LENGTH), rows, 0.0).neg().sum(1).numpy()
    wanted = np.where((places >= 0) & (places < LENGTH), -values, 0)
    np.testing.assert_array_equal(made, wanted)
    assert not np.signbit(made[2])


def test_the_slope_of_cross_entropy_is_a_map_of_long_rows() -> None:
    logits, places = (
        Tensor.empty(*shape, dtype=dtype, device="null:cuda").realize()
        for shape, dtype in (((16384, 50304), "bfloat16"), ((16384,), "int64"))
    )
    loss, back = vjp(lambda x: nn.functional.cross_entropy(x, places), logits)
    form, _ = canonical([t.node for t in (loss, *back(Tensor.ones((), dtype="bfloat16")))])
    last = schedule(*graph_of(form), GPU).items[-1].kernel
    assert all(n.op is not Op.FOLD for n in last.nodes)
