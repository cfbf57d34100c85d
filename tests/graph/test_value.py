"""Runtime values: an interval, a place among constants, and a load where a machine needs one."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from saccade.codegen.cuda.types import gpu_types
from saccade.codegen.numerics.decompose import decompose
from saccade.graph import dtypes
from saccade.graph.kernels.kernel import Kernel, load, loop, param, sink, store
from saccade.graph.node import Node, make
from saccade.graph.ops import Op
from saccade.graph.param import Param
from saccade.graph.rules.bounds import bounds
from saccade.graph.rules.symbolic import simplify
from saccade.graph.value import value
from saccade.graph.verify import VerificationError, verify
from saccade.runtime.interpreter.interpreter import run_kernel
from tests.codegen.kernels import run_on_cpu

WORDS = Param(2, 2)


def start(low: int = 0, high: int = 96) -> Node:
    return value(WORDS, 1, dtypes.index, low, high)


def test_an_offset_has_its_interval() -> None:
    i = loop(0, 4)
    assert bounds(start() + i) == (0, 99)
    assert bounds(value(WORDS, 0, dtypes.int8)) == (-128, 127)
    assert simplify((start() * 64 + loop(0, 64)) // 64) is start()
    assert simplify(start() + i < 100).arg is True


def kernel(low: int = 0, high: int = 96) -> Kernel:
    """out[i] = x[start + i] * factor"""
    i, out, x, words = (
        loop(0, 4), param(0, dtypes.float32, 4), param(1, dtypes.float32, 100), param(2, dtypes.int64, 2),
    )  # fmt: skip
    factor = value(WORDS, 0, dtypes.float32).replace(src=(words,))
    index = start(low, high).replace(src=(words,)) + i
    stored = store(out, i, load(x, index) * factor)
    memory = ((dtypes.float32, 4), (dtypes.float32, 100), (dtypes.int64, 2))
    return Kernel(sink((stored,)), (i,), memory, (0,))


def memory_for(factor: float, first: int) -> list[np.ndarray]:
    words = np.frombuffer(struct.pack("=dq", factor, first), np.int64).copy()
    return [np.zeros(4, np.float32), np.arange(100, dtype=np.float32), words]


@pytest.mark.parametrize("run", [run_kernel, run_on_cpu])
def test_a_kernel_reads_its_words(run: object) -> None:
    verify(kernel().sink, "kernel", loops=kernel().order)
    for factor, first in ((0.1, 0), (-2.5, 96), (1.0, 50)):
        arrays = memory_for(factor, first)
        run(kernel(), arrays)  # type: ignore[operator]
        np.testing.assert_array_equal(arrays[0], arrays[1][first : first + 4] * np.float32(factor))


def test_the_interpreter_finds_a_word_out_of_its_interval() -> None:
    with pytest.raises(IndexError, match="a runtime value is 97, not in 0 to 96"):
        run_kernel(kernel(), memory_for(1.0, 97))


def test_machines_load_words_once_and_keep_what_is_known() -> None:
    for rewrite in (decompose, gpu_types):
        nodes = rewrite(kernel().sink).toposort()
        assert not any(n.op is Op.VALUE for n in nodes)
        loads = [n for n in nodes if n.op is Op.LOAD and n.src[0].dtype is dtypes.int64]
        assert len(loads) == 2
        assert all(not n.ranges for n in loads)
        assert (0, 96) in [bounds(n) for n in loads]


def test_what_is_no_value_is_refused() -> None:
    words = param(2, dtypes.float64, 2)
    wrong = make(Op.VALUE, dtypes.float32, (words,), value(WORDS, 0, dtypes.float32).arg)
    with pytest.raises(VerificationError, match="words of runtime values are int64"):
        verify(sink((store(param(0, dtypes.float32, 1), loop(0, 1), wrong),)), "kernel")
    with pytest.raises(VerificationError, match="there are 2 words"):
        verify(value(WORDS, 2, dtypes.float32), "tensor")
    x = make(Op.PARAM, dtypes.float32, (), Param(0, 10))
    with pytest.raises(VerificationError, match="leaves its axis of 10"):
        verify(make(Op.SLICE, dtypes.float32, (x,), ((start(0, 8), 3, 1),)), "tensor")
    verify(make(Op.SLICE, dtypes.float32, (x,), ((start(0, 7), 3, 1),)), "tensor")
