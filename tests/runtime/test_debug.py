"""Seeing what runs: listeners get every launch, printing follows the level, and neither changes a result."""

from __future__ import annotations

import numpy as np
import pytest

import saccade
from saccade import Tensor
from saccade.runtime.watch.debug import describe, listening, rate, size_text, time_text


def softmax() -> Tensor:
    return Tensor(np.ones((64, 32), np.float32)).softmax(1)


def test_a_listener_sees_the_computation() -> None:
    with listening() as runs:
        softmax().realize()
        saccade.jit(lambda x: x + 1)(Tensor([1.0]))
    softmax().realize()
    assert len(runs) == 2
    run = runs[0]
    assert len(run.seconds) == len(run.recipe.steps) == 1
    assert run.recipe.floor.nbytes == 2 * 64 * 32 * 4
    assert run.seconds[0] > 0


def test_levels_show_more_and_more(capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for level in (0, 1, 2, 3):
        with saccade.debug(level):
            result = softmax().numpy()
        printed.append(capsys.readouterr().err)
    np.testing.assert_allclose(result, 1 / 32)
    assert printed[0] == ""
    assert [len(text) for text in printed] == sorted(len(text) for text in printed)
    assert "GB/s" in printed[1]
    assert "because" in printed[2]
    assert "define" in printed[3]
    softmax().numpy()
    assert capsys.readouterr().err == ""


def test_levels_nest_and_end_with_an_exception(capsys: pytest.CaptureFixture[str]) -> None:
    with saccade.debug(1):
        with pytest.raises(KeyError), saccade.debug(0):
            raise KeyError
        softmax().numpy()
    assert "1 kernel on cpu" in capsys.readouterr().err


@pytest.mark.parametrize("level", [4, -1, "much"])
def test_an_unknown_level_is_refused(level: int) -> None:
    with pytest.raises(ValueError, match="0, 1, 2, 3"), saccade.debug(level):
        raise AssertionError("not reached")


def test_a_device_that_cannot_time_launches_is_described() -> None:
    with listening() as runs:
        softmax().realize()
    whole = type(runs[0])(runs[0].recipe, (0.5, 0.5), "other")
    assert "1.00 s  1 kernel on other" in describe(whole, 1)


def test_figures_read_well() -> None:
    assert [time_text(s) for s in (2.0, 1.5e-3, 2e-6, 5e-9)] == ["2.00 s", "1.50 ms", "2.00 us", "5 ns"]
    assert [size_text(n) for n in (12, 67_108_864, 3e9)] == ["12 ", "67.1 M", "3.0 G"]
    assert (rate(10**9, 0.5), rate(0, 1.0), rate(5, 0.0)) == ("2.0", "-", "-")
