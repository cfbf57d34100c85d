"""Pieces of work by several threads: results in order, the first failure, and a caller that works, too."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from saccade.reproducible import threads
from saccade.reproducible.threads import in_threads, limit, pieces


@pytest.fixture(autouse=True, params=[1, 4])
def number(request: pytest.FixtureRequest) -> Iterator[int]:
    before = threads._most
    limit(request.param)
    yield request.param
    limit(before)


@pytest.mark.parametrize("count", [0, 1, 3, 200])
def test_results_are_in_the_order_of_the_pieces(count: int) -> None:
    assert in_threads(lambda a, b: a - b, range(count), range(0, -count, -1)) == [2 * n for n in range(count)]


def test_all_threads_work_at_once_and_the_caller_is_one(number: int) -> None:
    meet = threading.Barrier(number, timeout=60)

    def work(_: int) -> int:
        meet.wait()
        return threading.get_ident()

    who = in_threads(work, range(number))
    assert len(set(who)) == number
    assert threading.get_ident() in who


def test_the_first_of_those_that_fail_is_raised() -> None:
    def work(piece: int) -> int:
        if piece % 50 == 7:
            raise ValueError(f"piece {piece}")
        return piece

    with pytest.raises(ValueError, match=r"piece 7$"):
        in_threads(work, range(200))
    assert in_threads(work, range(3)) == [0, 1, 2]


def test_a_piece_that_hands_out_pieces_ends() -> None:
    found = in_threads(lambda a: in_threads(lambda b: a * b, range(5)), range(20))
    assert found == [[a * b for b in range(5)] for a in range(20)]


def test_pieces_cover_everything_once() -> None:
    for count in (0, 1, 5, 1000):
        begins, ends = pieces(count)
        assert [n for a, b in zip(begins, ends, strict=True) for n in range(a, b)] == list(range(count))
