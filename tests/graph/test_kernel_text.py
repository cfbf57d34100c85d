"""Kernels as text: the same kernel comes back, and what is no kernel is refused by line."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from saccade import Tensor
from saccade.fuzz.programs.draw import draw
from saccade.fuzz.programs.given import given as with_numbers_given
from saccade.graph import dtypes
from saccade.graph.constants import anything
from saccade.graph.kernels.kernel import Kernel, loop, param, sink, store
from saccade.graph.kernels.text import KernelTextError, digest_of, kernel_from, text_of
from saccade.graph.node import Node, const
from saccade.schedule.cost import CPU, GPU
from saccade.schedule.schedule import schedule
from tests.codegen.kernels import elementwise, kernels_of

DOUBLE = elementwise(lambda x: x * 2.0, [dtypes.float32], 8)
TEXT = text_of(DOUBLE)


def same(kernel: Kernel) -> None:
    again = kernel_from(text_of(kernel))
    assert again == kernel
    assert again.sink is kernel.sink
    assert again.reason == kernel.reason
    assert text_of(again) == text_of(kernel)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x.softmax(1),
        lambda x: x.topk(3, 1),
        lambda x: x.argmax(0),
        lambda x: x.sort(1, descending=True),
        lambda x: x.cumsum(1),
        lambda x: x.scatter_add(0, Tensor(np.zeros((3, 5), np.int64)), Tensor(np.ones((3, 5), np.float32))),
        lambda x: x.pad((1, 2)).cast("float16"),
        lambda x: x > 0,
        lambda x: x.max(1),  # marked: the first of equals has the slope
    ],
)
def test_a_kernel_comes_back(program: Callable[[Tensor], Tensor | tuple[Tensor, ...]]) -> None:
    made = program(Tensor(np.ones((6, 40), np.float32)))
    for kernel in kernels_of(*(made if isinstance(made, tuple) else (made,))):
        same(kernel)


@pytest.mark.parametrize(
    "value", [0.0, -0.0, 0.1, math.inf, -math.inf, math.nan, -math.nan, 5e-324, 1.7976931348623157e308]
)
def test_floats_come_back_to_the_last_bit(value: float) -> None:
    same(elementwise(lambda x: x + const(value, dtypes.float64), [dtypes.float64], 3))


def test_a_value_that_does_not_matter_comes_back_as_such() -> None:
    def chosen(x: Node) -> Node:
        return (x < 3).where(x, anything(dtypes.int32))

    same(elementwise(chosen, [dtypes.int32], 3))
    assert "{anything}" in text_of(elementwise(chosen, [dtypes.int32], 3))


@settings(max_examples=25)
@given(st.integers(0, 1 << 20))
@example(176)  # a part of a CAT that is stored beside another result
def test_kernels_of_random_programs_come_back(seed: int) -> None:
    program = draw(seed)
    for machine in (CPU, GPU):
        for item in schedule(program.roots, len(program.inputs), machine).items:
            same(item.kernel)


@settings(max_examples=25)
@given(st.integers(0, 1 << 20))
def test_kernels_that_are_given_numbers_come_back(seed: int) -> None:
    program = draw(seed)
    roots, arrays = with_numbers_given(program, program.arrays())
    for item in schedule(roots, len(arrays), CPU).items:
        same(item.kernel)


def test_the_digest_is_of_what_is_computed() -> None:
    told = Kernel(DOUBLE.sink, DOUBLE.order, DOUBLE.params, DOUBLE.outputs, reason="asked for")
    assert text_of(told) != TEXT
    assert digest_of(told) == digest_of(DOUBLE)
    assert digest_of(elementwise(lambda x: x * 3.0, [dtypes.float32], 8)) != digest_of(DOUBLE)


def test_a_loop_that_nothing_depends_on_comes_back() -> None:
    """As of an update that adds the same value again and again."""
    i, j = loop(0, 4), loop(1, 5)
    added = store(param(0, dtypes.float32, 4), i, const(1.0, dtypes.float32), mode="add")
    same(Kernel(sink((added,)), (i, j), ((dtypes.float32, 4),), (0,)))


LINES = TEXT.splitlines()


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ("", "line 1: the text ends too early"),
        ("hello", "'params' is missing"),
        (TEXT.replace("float32[8] float32[8]", "float32[8] float99[8]"), "unknown dtype 'float99'"),
        (TEXT.replace("float32[8] float32[8]", "float32[8] float32"), "not a dtype with a size"),
        (TEXT.replace(" MUL ", " EVAL "), "EVAL is no op of a kernel"),
        (TEXT.replace(" MUL ", " RESHAPE "), "RESHAPE is no op of a kernel"),
        (TEXT.replace("MUL float32 4 5", "MUL float32 4 9"), "comes after the node that reads it"),
        (TEXT.replace("MUL float32 4 5", "MUL float32 4 -5"), "not a node"),
        (TEXT.replace("MUL float32 4 5", "MUL float32 4 5 {7}"), "MUL takes no arg"),
        (TEXT.replace("0x1.0000000000000p+1", "2.0"), "not a float in hexadecimal"),
        (TEXT.replace("0x1.0000000000000p+1", "__import__('os')"), "not a float in hexadecimal"),
        (TEXT.replace("size=8", "size=9", 1), "no such memory among the params"),
        (TEXT.replace("slot=0 size=8", "slot=0"), "Param needs size"),
        (TEXT.replace("slot=0 size=8", "slot=0 size=8 size=8"), "each once"),
        (TEXT.replace("slot=0 size=8", "slot=0 size=8 colour=red"), "has the fields"),
        (TEXT.replace("slot=0 size=8", "slot=zero size=8"), "'zero' is not an integer"),
        ("\n".join([*LINES[:2], LINES[3]]), "this should be node 1"),
        (TEXT.replace("order 1", "order 3"), "not a RANGE"),
        (TEXT.replace("order 1", "order 1 1"), "one of them twice"),
        (TEXT.replace("order 1", "order two"), "'two' is not the number of a node"),
        (TEXT.replace("outputs 0", "outputs 2"), "'2' is not the number of a parameter"),
        (TEXT.replace("outputs 0", ""), "'outputs' is missing"),
        (TEXT + TEXT, "more than one kernel"),
        (TEXT.replace("8 SINK bool 7", "8 CONST int64 {3}\n9 SINK bool 7"), "nothing reads it"),
        (TEXT.replace("size=8", "size=" + "8" * 5000), "is not an integer"),
        (TEXT.replace("\n8 SINK bool 7", ""), "the last node is not a SINK"),
    ],
)
def test_what_is_no_kernel_is_refused(changed: str, problem: str) -> None:
    assert changed != TEXT
    with pytest.raises(KernelTextError, match=problem.replace("(", r"\(")) as raised:
        kernel_from(changed)
    assert str(raised.value).startswith("line ")


@settings(max_examples=200)
@example(place=193, gone=0, put="103")  # 0x1p+1031
@given(st.integers(0, len(TEXT)), st.integers(0, 4), st.text("0123456789 {}=.-\nabxMUL[]#", max_size=4))
def test_no_text_does_anything_but_be_read_or_refused(place: int, gone: int, put: str) -> None:
    changed = TEXT[:place] + put + TEXT[place + gone :]
    try:
        kernel = kernel_from(changed)
    except KernelTextError:
        return
    same(kernel)


def test_moves_a_tensor_asks_for_come_back() -> None:
    asked = Kernel(DOUBLE.sink, DOUBLE.order, DOUBLE.params, DOUBLE.outputs, asked=("split 0 4 vector",))
    same(asked)
    assert text_of(asked) == f"{TEXT}asked split 0 4 vector\n"
    assert digest_of(asked) != digest_of(DOUBLE)
