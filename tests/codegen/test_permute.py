"""A byte of a word put into a constant, by prmt: which expressions are one, and what they compute."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.linear.code import Instruction
from saccade.codegen.linear.gpu.lower import UNROLL
from saccade.codegen.linear.gpu.permute import permute_of
from saccade.explain import explain
from saccade.graph import dtypes
from saccade.graph.kernels.kernel import loop, param
from saccade.graph.node import Node, const, make
from saccade.graph.ops import Op

from .cuda_emulator import emulated_gpu, needs_compiler


def put(step: int = 8, to: int = 16, rest: int = 0x43000000, kind: str = "uint8") -> Node:
    """The part of a word from bit step * r on, of a kind, put into `rest` at bit `to`."""
    r = loop(0, 4, UNROLL)
    word = make(Op.LOAD, dtypes.uint32, (param(0, dtypes.uint32, 1), const(0, dtypes.int64)))
    start = r.cast(dtypes.uint32) * const(step, dtypes.uint32)
    part = make(Op.SHR, dtypes.uint32, (word, start)).cast(dtypes.by_name(kind)).cast(dtypes.uint32)
    moved = make(Op.SHL, dtypes.uint32, (part, const(to, dtypes.uint32)))
    return make(Op.OR, dtypes.uint32, (moved, const(rest, dtypes.uint32)))


@pytest.mark.parametrize(("to", "rest"), [(16, 0x43000000), (8, 0xFF0000FF), (24, 0x00123456)])
def test_a_byte_in_a_constant_is_a_permutation(to: int, rest: int) -> None:
    found = permute_of(put(to=to, rest=rest))
    assert found is not None
    assert (found.rest, found.to) == (rest, to)


@pytest.mark.parametrize(
    "other",
    [put(step=4), put(to=12), put(kind="uint16"), put(kind="int8"), put(rest=0x43010000)],
    ids=["half a byte", "between bytes", "two bytes", "a sign", "a constant with bits there"],
)
def test_other_expressions_are_none(other: Node) -> None:
    assert permute_of(other) is None


def floats_of(words: Tensor, to: int, rest: int) -> Tensor:
    """uint32 (n,) -> the four words (n, 4) that have one of its bytes each."""
    places = Tensor.arange(4, dtype="uint32", device=words.device) * 8
    return ((words.unsqueeze(-1) >> places).cast("uint8").cast("uint32") << to) | rest


def test_a_sum_of_bytes_as_floats_has_a_permutation_for_each() -> None:
    from saccade.codegen.cuda.source import gpu_code

    words = Tensor.empty(64, 16, dtype="uint32", device="null:cuda").realize()
    (computation,) = explain(
        lambda: floats_of(words.flatten(), 16, 0x43000000).bitcast("float32").sum(-1).realize()
    ).computations
    code = gpu_code(computation.graph.items[-1].kernel)
    assert any(isinstance(i, Instruction) and i.kind == "permute" for i in _all(code.body.items))


def _all(items: list[Any]) -> list[Any]:
    return [
        each for item in items for each in (item, *_all(getattr(getattr(item, "body", None), "items", [])))
    ]


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize(("to", "rest"), [(16, 0x43000000), (0, 0x45000000)])
def test_a_gpu_puts_bytes_into_constants(to: int, rest: int) -> None:
    words = np.random.default_rng(5).integers(0, 1 << 32, 96, dtype=np.uint32)
    expected = words.view(np.uint8).reshape(-1, 4).astype(np.uint32) << to | np.uint32(rest)
    with emulated_gpu():
        found = floats_of(Tensor(words, device="cuda"), to, rest).numpy()
    np.testing.assert_array_equal(found, expected)
