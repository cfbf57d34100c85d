"""Every file of the trace folder is compared with by some test."""

from __future__ import annotations

import numpy as np
import pytest

from .test_updater_burst import matched_order
from .traces import FOLDER, Ties, Trace, names

#: which files which test compares with
COVERED = (
    *names("a_"), *names("b_"), *names("c_"), *names("d_"), *names("g_"),
    *names("e"), *names("f"), *names("h"), *names("i"),
)  # fmt: skip


def test_every_trace_file_is_covered() -> None:
    files = sorted(path.stem for path in FOLDER.glob("*.npz"))
    assert files, f"no trace files in {FOLDER}"
    assert sorted(COVERED) == files


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", [(0,), (0, 3), (0, 3, 3), (2, 0), (), (4,), (4, 3, 3)])
def test_entries_are_counted_whatever_their_shape(dtype: str, shape: tuple[int, ...]) -> None:
    """An object without hypotheses has none; a number by itself is one."""
    ties = Ties(dtype)
    ties.close(np.ones(shape), np.ones(shape), "equal")
    assert (ties.entries, ties.different) == (shape[0] if shape else 1, 0)
    with pytest.raises(AssertionError, match="other: shape"):
        ties.close(np.ones(shape), np.ones((5, *shape)), "other")


def test_entries_that_differ_are_counted_once_each() -> None:
    got, expected = np.zeros((4, 3)), np.zeros((4, 3))
    got[1], got[3, 2] = 1.0, np.nan
    ties = Ties("float32")
    ties.close(got, expected, "rows")
    assert (ties.entries, ties.different) == (4, 2)
    with pytest.raises(AssertionError, match=r"rows: 4 of 12 differ, worst 1\.0"):
        Ties("float64").close(got, expected, "rows")
    with pytest.raises(AssertionError, match="2 of 4 entries differ"):
        ties.report(lambda *_: None)


def test_an_object_that_was_given_nothing_keeps_its_order() -> None:
    nothing = {"locations": np.ones((2, 3)), "rotations": np.ones((2, 3, 3))}
    added = {"s_added_locations": np.zeros((0, 3)), "s_added_poses": np.zeros((0, 3, 3))}
    assert matched_order(nothing, Trace("t", added, {}), "s", 2).tolist() == [0, 1]
