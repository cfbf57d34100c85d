"""What a kernel reads before it waits for the one in front of it: weights that nobody writes."""

from __future__ import annotations

import re

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda.schemes import rows as row_schemes
from saccade.codegen.cuda.search.moves import Card, Rows
from saccade.codegen.cuda.source import gpu_code, laid_out
from saccade.codegen.linear.code import Block, Instruction, Loop, Memory, Value
from saccade.codegen.linear.gpu.wait import place_wait
from saccade.explain import explain
from saccade.graph import dtypes
from saccade.graph.kernels.kernel import Kernel
from saccade.llm.weights.packed import PackedWeight
from saccade.llm.weights.words import in_words, rounded_normal

from ..llm.test_words import Q4_K, Codes
from .test_gpu_search import kernel_of

WEIGHTS, GIVEN = Memory("p0", dtypes.float32, 0), Memory("p1", dtypes.float32, 1)
ZERO, FOUR = Value(-1, dtypes.int32, 1, 0), Value(-1, dtypes.int32, 1, 4)


def load(memory: Memory, number: int) -> Instruction:
    return Instruction("load", Value(number, dtypes.float32), (ZERO,), (memory, 0))


def kinds(block: Block) -> list[str]:
    return [item.kind if isinstance(item, Instruction) else "loop" for item in block.items]


def test_it_waits_behind_the_last_load_of_weights() -> None:
    add = Instruction("alu", Value(9, dtypes.float32))
    block = Block([load(WEIGHTS, 1), load(WEIGHTS, 2), add, load(GIVEN, 3), load(WEIGHTS, 4)])
    assert place_wait(block, frozenset({0}))
    assert kinds(block) == ["load", "load", "follow", "alu", "load", "load"]


def test_it_waits_in_the_first_iteration_of_a_loop() -> None:
    inside = Block([load(WEIGHTS, 1), load(GIVEN, 2)])
    block = Block([Loop(Value(7, dtypes.int32), ZERO, FOUR, inside)])
    assert place_wait(block, frozenset({0}))
    assert kinds(inside) == ["load", "follow", "load"]
    follow = inside.items[1]
    assert isinstance(follow, Instruction)
    assert [v.number for v in follow.args] == [7]


@pytest.mark.parametrize(
    "items",
    [
        [load(GIVEN, 1), load(WEIGHTS, 2)],
        [Instruction("store", None, (ZERO, ZERO), (GIVEN, 0)), load(WEIGHTS, 2)],
        # a loop that may not run once
        [Loop(Value(7, dtypes.int32), ZERO, Value(6, dtypes.int32), Block([load(WEIGHTS, 1)]))],
        [Loop(Value(7, dtypes.int32), ZERO, FOUR, Block([load(GIVEN, 1), load(WEIGHTS, 2)]))],
    ],
)
def test_it_waits_at_once_where_something_else_comes_first(items: list[Instruction | Loop]) -> None:
    block = Block(list(items))
    assert not place_wait(block, frozenset({0}))
    assert len(block.items) == len(items)


def products(rows: int, columns: int) -> list[Kernel]:
    """Kernels of a packed product with a norm behind it."""
    weight = in_words(PackedWeight(Codes(Q4_K, rows, columns, "null:cuda")))
    x, norm = (Tensor.empty(*shape, device="null:cuda").realize() for shape in ((1, columns), (rows,)))

    def run() -> None:
        made = weight.forward(x).contiguous()
        Tensor.realize(made, rounded_normal(made, norm, 1e-5)[0])

    (computation,) = explain(run).computations
    return [item.kernel for item in computation.graph.items]


@pytest.mark.parametrize(("rows", "columns"), [(4096, 4096), (4096, 14336), (3200, 1024)])
def test_all_of_a_packed_matrix_that_a_lane_begins_with_is_read_before(rows: int, columns: int) -> None:
    sources = [laid_out(kernel, Card()).source for kernel in products(rows, columns)]
    (product,) = (source for source in sources if source.settled)
    text = product.text.split("__global__")[1]
    waits = [found.start() for found in re.finditer(r"follow\(\);", text)]
    assert len(waits) == 1
    for slot in product.settled:
        reads = [found.start() for found in re.finditer(rf"[(]p{slot} ", text)]
        assert reads
        assert max(reads) < waits[0], "and none of them once more"
    places = [(found.start(), int(found[1])) for found in re.finditer(r"[(]p(\d+) ", text)]
    assert min(at for at, slot in places if slot not in product.settled) > waits[0]


@pytest.mark.parametrize(("columns", "team", "each"), [(4096, 32, 2), (14336, 128, 8), (16384, 128, 8)])
def test_rows_that_take_several_turns_are_shared_by_some_warps(columns: int, team: int, each: int) -> None:
    moves = [laid_out(kernel, Card()).move for kernel in products(4096, columns)]
    (move,) = (m for m in moves if isinstance(m, Rows) and m.each > 1)
    assert (move.team, move.each) == (team, each)
    assert move.each * move.in_flight == 8, "vectors of a thread on their way"


def test_what_ends_a_block_has_whole_warps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are many short rows, a warp of a kernel of its own has several of them."""
    monkeypatch.setattr(row_schemes, "BUSY_WARPS", 8)
    blocks = [laid_out(kernel, Card()).source.block for kernel in products(3200, 2048)]
    assert all(block % 32 == 0 for block in blocks)


def test_floats_that_are_bound_by_memory_wait_first() -> None:
    kernel = kernel_of(lambda w, x: (w * x).sum(1), (16384, 1024), (1, 1024))
    assert not laid_out(kernel, Card()).source.settled


def test_what_a_kernel_writes_is_not_read_before() -> None:
    code = gpu_code(kernel_of(lambda w, x: (w * x).sum(1), (2048, 512), (1, 512)))
    written = np.setdiff1d(range(code.params), list(code.read_only))
    assert code.settled
    assert not code.settled & set(written.tolist())
