"""Nodes: one object for equal parts, released with their last user."""

from __future__ import annotations

import gc
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from saccade.graph import dtypes, node
from saccade.graph.kernels.kernel import fold, loop
from saccade.graph.monoid import ADD
from saccade.graph.node import Node, const, index_const, make
from saccade.graph.ops import Op
from saccade.graph.rules.symbolic import bounds, simplify

from ..patience import HANG

R = loop(0, 10)


def test_equal_parts_are_one_node() -> None:
    assert R + 1 is R + 1
    assert R + 1 is not R + 2
    assert const(1, dtypes.int32) is not const(1, dtypes.int64)


def test_constants_are_told_apart_by_their_bits() -> None:
    zero, minus_zero = const(0.0, dtypes.float32), const(-0.0, dtypes.float32)
    assert zero is not minus_zero
    assert const(float("nan"), dtypes.float32) is const(float("nan"), dtypes.float32)
    assert const(True, dtypes.bool_) is const(1, dtypes.bool_)
    assert const(300, dtypes.uint8) is const(44, dtypes.uint8)


def test_nodes_go_with_their_last_user() -> None:
    gc.collect()
    before = len(node._interned)
    gc.disable()  # no cycle may hold them
    try:
        kept = (loop(77, 12) * 48 + loop(78, 48)) // 48 + (R * 5 + 77) % 7
        simplify(kept)
        bounds(kept)
        assert len(node._interned) > before
        del kept
        assert len(node._interned) <= before  # fewer: garbage of other tests may go meanwhile
    finally:
        gc.enable()


def test_a_deep_graph_is_released_without_recursion() -> None:
    gc.collect()  # what other tests left in cycles would be counted, and be gone by the end
    before = len(node._interned)
    deep: Node = R
    for _ in range(100_000):
        deep = -deep
    del deep
    assert len(node._interned) <= before  # fewer: garbage of other tests may go meanwhile


class _Interrupts:
    """An argument whose hash is what Ctrl-C meets."""

    now = False

    def __hash__(self) -> int:
        if self.now:
            self.now = False
            raise KeyboardInterrupt
        return 1


def test_ctrl_c_while_a_node_is_released_is_not_lost() -> None:
    argument = _Interrupts()
    kept = [make(Op.PARAM, dtypes.int32, (), argument)]
    argument.now = True

    def release() -> None:
        kept.clear()
        end = time.monotonic() + HANG
        while time.monotonic() < end:  # it is raised between two steps of Python
            time.sleep(0.001)

    with pytest.raises(KeyboardInterrupt):
        release()


def test_substitution_exchanges_and_shares() -> None:
    other = loop(1, 10)
    assert ((R + 1) * (R + 1)).substitute({R: other}) is (other + 1) * (other + 1)


def test_free_ranges_are_fixed_where_they_are() -> None:
    """As a substitution does it, and with no look at what does not depend on them."""
    inner, other = loop(1, 4), loop(2, 10)
    apart = fold(ADD, (inner * other,), (inner,))
    sums = fold(ADD, (inner + R,), (inner,)) + apart
    for at in (other, index_const(3)):
        assert sums.at({R: at}) is sums.substitute({R: at}) is fold(ADD, (inner + at,), (inner,)) + apart
    assert sums.at({loop(5, 3): other}) is sums
    assert R.at({R: other}) is other


def test_free_ranges_do_not_leave_their_fold() -> None:
    other = loop(1, 5)
    total = fold(ADD, (R * 5 + other,), (other,))
    assert total.ranges == {R}
    assert (total + other).ranges == {R, other}


def test_threads_agree_on_one_node() -> None:
    def build(_: int) -> list[Node]:
        return [index_const(1_000_000 + i) * R for i in range(300)]

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(build, range(8)))
    assert all(r is first for result in results for r, first in zip(result, results[0], strict=True))


@pytest.mark.parametrize("dtype", dtypes.ALL)
def test_dtypes_survive_pickling(dtype: dtypes.DType) -> None:
    assert pickle.loads(pickle.dumps(dtype)) is dtype


def test_ops_are_looked_up_by_number() -> None:
    assert hash(Op.ADD) == hash(int(Op.ADD))
    assert make(Op.ADD, dtypes.index, (R, R)) is R + R


def test_a_dead_entry_does_not_take_another_threads_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between looking and removing, another thread may put a node of the same parts there, or remove it."""
    dead, alive = (node._Entry(node.make(Op.CONST, dtypes.int32, (), 70_000 + n)) for n in range(2))
    dead.key = ("parts",)

    class Busy(dict[tuple[str], Any]):
        then: Any = None

        def get(self, key: tuple[str], default: Any = None) -> Any:
            found = super().get(key, default)
            del self[key]
            if self.then is not None:
                self[key] = self.then
            return found

    for then in (alive, None):
        table = Busy({dead.key: dead})
        table.then = then
        monkeypatch.setattr(node, "_interned", table)
        node._forget(dead)
        assert table == ({} if then is None else {dead.key: alive})


def dead_entry(number: int) -> node._Entry:
    """What the table holds of `index_const(number)` between its last reader and its removal."""
    gone = node._Entry(Node(Op.CONST, dtypes.index, (), number))
    index_const(number)
    gone.key = (Op.CONST, dtypes.index, (), (int, number))
    assert gone() is None
    node._interned[gone.key] = gone
    return gone


def test_threads_that_meet_a_dead_entry_make_one_node(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever comes first once it is removed has made the node."""
    dead = dead_entry(80_001)
    first: list[Node] = []

    def meanwhile(seconds: float) -> None:
        if not first:
            node._forget(dead)
            first.append(index_const(80_001))

    monkeypatch.setattr(node, "sleep", meanwhile, raising=False)
    assert [index_const(80_001)] == first
    assert index_const(80_001) is first[0]


def test_a_dead_entry_that_nobody_removes_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "sleep", lambda seconds: None, raising=False)
    dead_entry(80_002)
    made = index_const(80_002)
    assert made is index_const(80_002)
