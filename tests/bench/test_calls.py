"""The benchmarks of calls and of two trees: what they count, and what they say of bad input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench import calls, trees
from saccade import Tensor


def test_the_counter_sees_a_program_that_is_made_and_none_that_is_known() -> None:
    with calls.counted() as compiled:
        (Tensor(np.ones(10, np.float32)) * 3.25 - 0.125).realize()
        made = compiled()
        (Tensor(np.ones(10, np.float32)) * 3.25 - 0.125).realize()
        assert compiled() == made


def test_every_call_computes_what_its_name_says() -> None:
    made = calls.calls_of(Tensor, lambda x: x.realize())
    assert made["add"](3).tolist() == [2.0] * 10
    assert made["number"](3).item() == 30.0
    assert made["index"](3).tolist() == [1.0] * 16
    assert made["store"](3)[3].tolist() == [1.0] * 16
    assert made["length"](3).item() == 2 * 503


@pytest.mark.parametrize(
    ("cost", "slow"),
    [
        (calls.Cost("add", "saccade", 19.0, 60.0), False),
        (calls.Cost("add", "saccade", 21.0, 21.0), True),
        (calls.Cost("index", "saccade", 100.0, 129.0), False),
        (calls.Cost("index", "saccade", 100.0, 131.0), True),
        (calls.Cost("index", "saccade", 100.0, 100.0, compiled=1), True),
        (calls.Cost("index", "torch", 1.0, 100.0), False),
    ],
)
def test_a_call_over_its_limit_or_one_that_compiles_is_too_slow(cost: calls.Cost, slow: bool) -> None:
    assert calls.too_slow(cost) is slow


def test_ratios_of_two_trees_are_of_medians() -> None:
    times = {(tree, figure): [1.0, 2.0, 9.0] for tree in trees.TREES for figure in trees.FIGURES}
    times["now", "cold"] = [1.0, 1.0, 100.0]
    assert trees.ratios(times) == {"cold": 0.5, "second": 1.0, "command": 1.0, "replay": 1.0}
    assert trees.table_of(times).row_count == len(trees.FIGURES)


def test_a_folder_that_is_no_checkout_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        trees.main([str(tmp_path)])
    assert "git worktree add" in capsys.readouterr().err
