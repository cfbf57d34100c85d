"""Hypotheses updated by the kernels a GPU runs, on the host: the compiler's lists, loops and tiles for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from saccade.runtime.device import Device

from ..codegen.cuda_emulator import emulated_gpu, needs_compiler
from .test_updater_plain import bank_of, compare_row, compare_state, step
from .traces import Ties, load

pytestmark = needs_compiler


@pytest.fixture(autouse=True)
def gpu() -> Iterator[None]:
    before = Device.default
    with emulated_gpu():
        Device.default = "cuda"
        yield
        Device.default = before


def test_lists_that_are_made_twice_in_a_kernel() -> None:
    """Once for the counts that the block shares, once for the rest of the update."""
    trace, ties = load("e3_default_updater"), Ties("float64")
    bank = bank_of(trace, "float64", search="brute")
    for t, row in enumerate(trace.settings["rows"][:3]):
        outcome = step(bank, [trace.percept(t)])
        compare_row(outcome, trace, row, "float64", f"step {t}")
        compare_state(bank, trace, f"s{t:02d}", ties)
