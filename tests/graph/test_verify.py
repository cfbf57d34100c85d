"""The verifier accepts what the stages make and names what is wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from saccade.graph import dtypes
from saccade.graph.kernels.kernel import fold, load, loop, param, project, sink, store
from saccade.graph.monoid import ADD, ARGMAX
from saccade.graph.node import Node, const, make
from saccade.graph.ops import Op
from saccade.graph.param import Param
from saccade.graph.verify import VerificationError, verify

F32, I64 = dtypes.float32, dtypes.index
I, J = loop(0, 4), loop(1, 8)
A, B = param(0, F32, 32), param(1, F32, 4)


def tensor(*shape: int, dtype: dtypes.DType = F32) -> Node:
    size = 1
    for n in shape:
        size *= n
    return make(Op.RESHAPE, dtype, (make(Op.PARAM, dtype, (), Param(0, size)),), shape)


X = tensor(4, 8)


def test_good_graphs_pass() -> None:
    total = make(Op.REDUCE, F32, (X * X,), (ADD, (1,)))
    window = make(Op.WINDOW, F32, (X,), (1, 3, 2, 3, 1))
    picked = make(Op.GATHER, F32, (X, tensor(4, 2, dtype=I64)), 1)
    for node in (total, window, picked, (X < X).where(X, X), X.cast(dtypes.int8)):
        verify(node, "tensor")
    rows = fold(ADD, (load(A, I * 8 + J),), (J,))
    verify(sink((store(B, I, rows),)), "kernel", loops=(I,))
    best = project(fold(ARGMAX, (load(A, I * 8 + J), J), (J,)), 1)
    verify(sink((store(param(2, I64, 4), I, best, I < 3),)), "kernel")


WRONG_TENSORS: dict[str, Callable[[], Node]] = {
    "differ in shape": lambda: X + tensor(8, 4),
    "differ in dtype": lambda: X + tensor(4, 8, dtype=I64),
    "takes 2 operands": lambda: make(Op.ADD, F32, (X,)),
    "wrong dtype of the result": lambda: make(Op.LT, F32, (X, X)),
    "condition is not a bool": lambda: X.where(X, X),
    "is for floats": lambda: tensor(3, dtype=I64).alu(Op.EXP),
    "is for integers": lambda: X // X,
    "keeps the width": lambda: make(Op.BITCAST, I64, (X,)),
    "Python float": lambda: make(Op.CONST, F32, (), 1),
    "does not fit": lambda: make(Op.CONST, dtypes.uint8, (), 300),
    "cannot reshape": lambda: make(Op.RESHAPE, F32, (X,), (5, 5)),
    "does not permute": lambda: make(Op.PERMUTE, F32, (X,), (0, 0)),
    "cannot expand": lambda: make(Op.EXPAND, F32, (X,), (4, 9)),
    "padding is negative": lambda: make(Op.PAD, F32, (X,), ((0, 0), (-1, 0))),
    "leaves its axis": lambda: make(Op.SLICE, F32, (X,), ((0, 4, 1), (4, 3, 2))),
    "last window": lambda: make(Op.WINDOW, F32, (X,), (1, 4, 3, 2, 1)),
    "axis 2 of 2": lambda: make(Op.REDUCE, F32, (X,), (ADD, (2,))),
    "index is not an integer": lambda: make(Op.GATHER, F32, (X, X), 0),
    "may not appear": lambda: X + load(A, I),
}


@pytest.mark.parametrize("complaint", WRONG_TENSORS)
def test_a_wrong_tensor_graph_is_named(complaint: str) -> None:
    with pytest.raises(VerificationError, match=complaint):
        verify(WRONG_TENSORS[complaint](), "tensor")


VALUE = load(A, I * 8 + J)
WRONG_KERNELS: dict[str, Callable[[], Node]] = {
    "a kernel is a SINK": lambda: store(B, I, VALUE),
    "made of stores": lambda: sink((VALUE,)),
    "stores something": lambda: sink(()),
    "another dtype than the memory": lambda: sink((store(B, I, I),)),
    "index is not int64": lambda: sink((store(B, I.cast(dtypes.int32), VALUE),)),
    "mask is not a bool": lambda: sink((store(B, I, VALUE, I),)),
    "memory is a PARAM": lambda: sink((store(B, I, make(Op.LOAD, F32, (VALUE, I))),)),
    "at least one range": lambda: sink((store(B, I, fold(ADD, (VALUE,), ())),)),
    "not a range": lambda: sink((store(B, I, fold(ADD, (VALUE,), (J + 1,))),)),
    "only a reduction": lambda: sink((store(B, I, make(Op.PROJECT, F32, (VALUE,), 0)),)),
    "memory is read by LOAD": lambda: sink((store(B, I, A + VALUE),)),
    "may not appear": lambda: sink((store(B, I, X),)),
    "used outside of": lambda: sink((store(B, I, fold(ADD, (VALUE,), (J,)) + load(A, J)),)),
}


@pytest.mark.parametrize("complaint", WRONG_KERNELS)
def test_a_wrong_kernel_is_named(complaint: str) -> None:
    kernel = WRONG_KERNELS[complaint]()
    for _ in range(2):  # what was found wrong is not taken for what was found right
        with pytest.raises(VerificationError, match=complaint):
            verify(kernel, "kernel")


def test_loops_of_the_kernel_are_the_only_free_ranges() -> None:
    kernel = sink((store(A, I * 8 + J, VALUE),))
    verify(kernel, "kernel", loops=(I, J))
    with pytest.raises(VerificationError, match="no loop of the kernel"):
        verify(kernel, "kernel", loops=(I,))


def test_an_unknown_stage_is_refused() -> None:
    with pytest.raises(ValueError, match="use one of tensor, kernel"):
        verify(const(1.0, F32), "linear")
