"""Loads at an index that is computed: the arithmetic is done once for all lanes of a vector."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from saccade import Tensor
from saccade.codegen.compile import shaped
from saccade.codegen.linear.code import Block, Instruction
from saccade.codegen.linear.lower import Lowering
from saccade.codegen.numerics.decompose import decompose
from tests.codegen.kernels import kernels_of

Array = np.ndarray[Any, Any]


def instructions(block: Block) -> Iterator[Instruction]:
    for item in block.items:
        if isinstance(item, Instruction):
            yield item
        else:
            yield from instructions(item.body)


def operations_on_one_number(result: Tensor) -> int:
    """Of the arithmetic in a kernel, how much is on scalars of floating point?"""
    (kernel,) = kernels_of(result)
    kernel = shaped(kernel)
    code = Lowering(replace(kernel, sink=decompose(kernel.sink))).code("counted")
    made = (item.result for item in instructions(code.body) if item.kind == "alu")
    return sum(value is not None and value.width == 1 and value.dtype.is_float for value in made)


def cells(x: Any, floor: Any) -> Any:
    """Where numbers fall in a warped grid of 64 cells; some outside."""
    for step in (0.3, 0.5, 0.7, 0.9):
        x = x * (1 - x * step * 0.1) + step
    return floor(x * 16)


def test_the_lanes_of_an_index_are_computed_together(rng: np.random.Generator) -> None:
    x, table = rng.random(1000, np.float32), rng.random(64, np.float32)
    index = cells(Tensor(x), lambda v: v.floor()).cast("int64").clamp(0, 63)
    found = Tensor(table)[index] * 2
    assert operations_on_one_number(found) == 0
    wanted = np.clip(cells(x.astype(np.float32), np.floor).astype(np.int64), 0, 63)
    assert (
        np.take(table, wanted) * 2 == found.numpy()
    ).mean() > 0.99  # a few fall on the other side of a cell


def test_so_are_those_behind_a_condition_and_in_a_store(rng: np.random.Generator) -> None:
    x, table = rng.random((40, 50), np.float32), rng.random((64, 3), np.float32)
    index = cells(Tensor(x), lambda v: v.floor()).cast("int64") % 64
    picked = Tensor(table)[index]
    rows = index.numpy()
    np.testing.assert_array_equal(picked.numpy(), table[rows])
    spread = Tensor(np.zeros(64, np.float32)).scatter_add(0, index.flatten(), Tensor(x).flatten())
    np.testing.assert_allclose(spread.numpy(), np.bincount(rows.ravel(), x.ravel(), 64), rtol=1e-5)
