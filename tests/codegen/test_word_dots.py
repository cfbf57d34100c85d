"""Sums of the products of the bytes of words, by dp4a: which folds are one, and what they compute."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.folds.gpu.word_dots import dot_of_words
from saccade.codegen.linear.gpu.lower import UNROLL
from saccade.graph import dtypes
from saccade.graph.kernels.kernel import fold, loop, param
from saccade.graph.monoid import ADD
from saccade.graph.node import Node, const, make
from saccade.graph.ops import Op

from .cuda_emulator import emulated_gpu, needs_compiler


def dot(kinds: tuple[str, str], step: int = 8, length: int = 4) -> Node:
    """The fold over r < length of the bytes at step * r of two words."""
    r = loop(0, length, UNROLL)
    bytes_of = []
    for slot, kind in enumerate(kinds):
        word = make(Op.LOAD, dtypes.uint32, (param(slot, dtypes.uint32, 1), const(0, dtypes.int64)))
        place = r.cast(dtypes.uint32) * const(step, dtypes.uint32)
        byte = make(Op.SHR, dtypes.uint32, (word, place)).cast(dtypes.by_name(kind))
        bytes_of.append(byte.cast(dtypes.int32))
    return fold(ADD, (make(Op.MUL, dtypes.int32, tuple(bytes_of)),), (r,))


@pytest.mark.parametrize(
    ("kinds", "signed"),
    [(("uint8", "int8"), (False, True)), (("int8", "int8"), (True, True)), (("uint8",) * 2, (False, False))],
)
def test_bytes_of_two_words_are_a_dot(kinds: tuple[str, str], signed: tuple[bool, bool]) -> None:
    found = dot_of_words(dot(kinds))
    assert found is not None
    assert found.signed == signed


def test_other_sums_are_none() -> None:
    assert dot_of_words(dot(("uint8", "int8"), step=4)) is None
    assert dot_of_words(dot(("uint8", "int8"), length=2)) is None
    assert dot_of_words(dot(("uint16", "int8"))) is None


@needs_compiler
def test_a_gpu_adds_up_the_products_of_bytes() -> None:
    chance = np.random.default_rng(3)
    a, b = (chance.integers(0, 1 << 32, (64, 4), dtype=np.uint32) for _ in range(2))

    def bytes_of(words: Tensor, kind: str) -> Tensor:
        places = Tensor.arange(4, dtype="uint32", device=words.device) * 8
        return (words.unsqueeze(-1) >> places).cast(kind).cast("int32")

    expected = (a.view(np.uint8).astype(np.int32) * b.view(np.int8).astype(np.int32)).sum(1)
    with emulated_gpu():
        left, right = Tensor(a, device="cuda"), Tensor(b, device="cuda")
        terms = bytes_of(left, "uint8") * bytes_of(right, "int8")
        made = terms.sum(-1, dtype="int32").sum(-1, dtype="int32").numpy()
    np.testing.assert_array_equal(made, expected)
