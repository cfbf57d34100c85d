"""Compiled functions do what Python does with the same text, and refuse what they cannot do."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.reproducible import native as native_module
from saccade.reproducible import threads
from saccade.reproducible.native import (
    F64,
    I64,
    F64s,
    I32s,
    I64s,
    Native,
    floor,
    make_ready,
    native,
    scratch_f64,
    sqrt,
)

LIMIT = 7


@native
def doubled(values: F64s, count: I64) -> None:
    for i in range(count):
        values[i] *= 2


@native
def everything(values: F64s, marks: I32s, count: I64, scale: F64, out: F64s, counts: I64s) -> None:
    """Uses every construct of the subset."""
    local = scratch_f64(4)
    total = 0.0
    for k in range(4):
        local[k] = 0.0
    for i in range(count):
        if i % 3 == 0:
            continue
        elif marks[i] < 0 or (values[i] > 100.0 and not (i == LIMIT or i == 1)):
            break
        j = i // 2
        while j < i and j < LIMIT:
            j += 1
            total += values[j] * scale
        local[i % 4] = max(total, local[(i + 1) % 4]) - min(float(i), scale)
        marks[i] = j
    local[0], local[1] = local[1], local[0]
    doubled(values, count)
    for k in range(1, 4):
        out[k] = local[k] if k != 2 else -local[k]
    out[0] = sqrt(abs(total)) + 1 / scale
    counts[0] = floor(total) + int(scale) + abs(-3)
    counts[1] = max(count, 2) + (1 if total > 0.0 else 2)
    if counts[0] > 1000000:
        return
    counts[2] = 1


@given(st.lists(st.floats(-120, 120), min_size=1, max_size=12), st.floats(0.5, 3), st.data())
def test_equals_python(numbers, scale, data):
    signs = data.draw(st.lists(st.integers(-1, 3), min_size=len(numbers), max_size=len(numbers)))
    results = []
    for run in (everything, everything.python):
        values = np.array(numbers + [0.0] * 12)
        marks, out, counts = np.array(signs + [0] * 12, np.int32), np.zeros(4), np.zeros(3, np.int64)
        run(values, marks, len(numbers), scale, out, counts)
        results.append((values, marks, out, counts))
    for compiled, interpreted in zip(*results):
        assert np.array_equal(compiled, interpreted)


def test_wrong_arguments_are_named():
    with pytest.raises(TypeError, match="values must be a contiguous float64 array, got float32"):
        doubled(np.zeros(3, np.float32), 3)
    with pytest.raises(TypeError, match="contiguous"):
        doubled(np.zeros((4, 4))[:, 1], 3)
    with pytest.raises(TypeError, match="takes 2 arguments, got 1"):
        doubled(np.zeros(3))


def test_what_is_not_in_the_subset_is_named():
    with pytest.raises(TypeError, match="'values'"):

        @native
        def untyped(values):
            pass

    @native
    def lists(values: F64s, count: I64) -> None:
        x = [1, 2]  # noqa: F841

    with pytest.raises(TypeError, match=r"lists.*\[1, 2\]"):
        lists(np.zeros(2), 2)

    @native
    def retyped(values: F64s, count: I64) -> None:
        x = count
        x = values[0]  # noqa: F841

    with pytest.raises(TypeError, match="'x'"):
        retyped(np.zeros(2), 2)


def test_code_is_compiled_once_for_all_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one has compiled lies in the cache; another function is another entry."""
    values = np.ones(3)
    Native(doubled.python)(values, 3)
    monkeypatch.setattr(
        "saccade.reproducible.native_llvm.compiled", lambda each: pytest.fail("compiled again")
    )
    Native(doubled.python)(values, 3)
    assert values.tolist() == [4.0, 4.0, 4.0]


@native
def tripled(values: F64s, count: I64) -> None:
    for i in range(count):
        values[i] *= 3


@native
def calling(values: F64s, count: I64) -> None:
    for i in range(count):
        values[i] += LIMIT
    doubled(values, count)


def test_numbers_and_functions_that_are_named_are_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept of one is not taken for the other, although the text of the function is the same."""

    def found() -> float:
        values = np.ones(1)
        native(calling.python)(values, 1)
        return float(values[0])

    assert found() == 16
    monkeypatch.setitem(calling.python.__globals__, "LIMIT", 4)
    assert found() == 10
    monkeypatch.setitem(calling.python.__globals__, "doubled", tripled)
    assert found() == 15


def test_functions_of_a_package_are_made_ready_before_they_are_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def of(module: str) -> Native:
        function = FunctionType(tripled.python.__code__, tripled.python.__globals__, "tripled")
        function.__annotations__, function.__module__ = tripled.python.__annotations__, module
        return native(function)

    ready, other = of("a.package.loops"), of("a.package_beside.loops")
    make_ready("a.package")
    monkeypatch.setattr("saccade.reproducible.native._placed", lambda each: pytest.fail("made when called"))
    values = np.ones(2)
    ready(values, 2)
    assert values.tolist() == [3.0, 3.0]
    with pytest.raises(pytest.fail.Exception, match="made when called"):
        other(values, 2)


def test_functions_are_made_ready_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    package, both, placed = "a.package.of.two", threading.Barrier(2, timeout=30), native_module._placed
    for kinds in (doubled, tripled):
        function = FunctionType(kinds.python.__code__, kinds.python.__globals__, kinds.name)
        function.__annotations__, function.__module__ = kinds.python.__annotations__, f"{package}.loops"
        native(function)

    def met(function: Native) -> object:
        both.wait()  # breaks where one waits for the other
        return placed(function)

    monkeypatch.setattr(native_module, "_placed", met)
    before = threads._most
    threads.limit(2)
    try:
        make_ready(package)
    finally:
        threads.limit(before)


def test_code_from_the_cache_needs_no_compiler(tmp_path: Path) -> None:
    program = (
        "import sys, numpy as np; from saccade.world.symmetry import loops; "
        "from saccade.reproducible.native import Native; "
        "first = next(each for each in vars(loops).values() if isinstance(each, Native)); "
        "first.prepare(); print('llvmlite' in sys.modules)"
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "SACCADE_CACHE": str(tmp_path / "cache")},
            capture_output=True, text=True, check=True,
        ).stdout.strip()
        for _ in range(2)
    ]  # fmt: skip
    assert told == ["True", "False"]


def test_arrays_that_may_not_be_written_to_and_empty_ones_are_read():
    @native
    def copied(values: F64s, count: I64, nothing: F64s, out: F64s) -> None:
        for i in range(count):
            out[i] = values[i]

    values, out = np.arange(3.0), np.zeros(3)
    values.flags.writeable = False
    copied(values, 3, np.zeros((0, 9)), out)
    assert out.tolist() == values.tolist()
