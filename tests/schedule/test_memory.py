"""The memory plan: values that live together lie apart, and bytes are used again."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from saccade.schedule.memory import ALIGNMENT, Lifetime, arena_offsets

lifetimes = st.builds(
    lambda nbytes, first, length: Lifetime(nbytes, first, first + length),
    st.integers(0, 1000),
    st.integers(0, 20),
    st.integers(0, 10),
)


@given(st.lists(lifetimes, max_size=25))
def test_values_that_live_together_do_not_overlap(values: list[Lifetime]) -> None:
    offsets, total = arena_offsets(values)
    assert all(offset % ALIGNMENT == 0 for offset in offsets)
    assert all(offset + value.nbytes <= total for offset, value in zip(offsets, values, strict=True))
    for (a, at_a), (b, at_b) in combinations(zip(values, offsets, strict=True), 2):
        together = a.first <= b.last and b.first <= a.last
        apart = at_a + a.nbytes <= at_b or at_b + b.nbytes <= at_a
        assert apart or not together or 0 in (a.nbytes, b.nbytes)


@given(st.lists(lifetimes, max_size=25))
def test_the_arena_is_between_the_busiest_moment_and_the_sum(values: list[Lifetime]) -> None:
    _, total = arena_offsets(values)
    padded = [(v, -(-max(v.nbytes, 1) // ALIGNMENT) * ALIGNMENT) for v in values]
    busiest = max((sum(n for v, n in padded if v.first <= t <= v.last) for t in range(32)), default=0)
    assert busiest <= total <= sum(n for _, n in padded)


def test_one_after_the_other_share_a_place() -> None:
    offsets, total = arena_offsets([Lifetime(100, 0, 1), Lifetime(100, 2, 3), Lifetime(100, 4, 5)])
    assert offsets == [0, 0, 0]
    assert total == 128
