"""What the fuzzer found, each in its smallest form."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, dtypes, where
from saccade.codegen.compile import source_of
from saccade.codegen.cpu.heuristic import optimise
from saccade.codegen.cpu.llvm.llvm import render
from saccade.codegen.cuda.source import laid_out
from saccade.codegen.linear.lower import Lowering
from saccade.codegen.moves.analysis import work
from saccade.codegen.moves.legal import IllegalMove
from saccade.codegen.moves.moves import Bind, Copy, Split, Widen
from saccade.codegen.numerics.decompose import decompose
from saccade.fuzz.kernels.replay import CARDS
from saccade.fuzz.programs.check import MOST_WORK, Trial, check, check_interpreter, prove_bounds
from saccade.fuzz.programs.programs import Input, Program
from saccade.graph import monoid
from saccade.graph.kernels.kernel import LOOP, UNROLL, VECTOR
from saccade.graph.node import const, make
from saccade.graph.ops import Op
from saccade.graph.param import Param
from saccade.runtime.cpu.engine import goes_without_avx512
from saccade.runtime.cpu.machine import AVX512, assuming
from saccade.schedule.cost import GPU
from saccade.schedule.schedule import schedule
from saccade.tensor.interop import Interop
from saccade.tensor.programs.form import canonical, graph_of
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.schedule.programs import inputs, scheduled


def realized(*tensors: Tensor) -> list[Any]:
    """Computed together, as one program."""
    first, *rest = tensors
    Interop.realize(first, *rest)
    return [t.tolist() for t in tensors]


def test_a_sort_runs_before_the_readers_of_either_result() -> None:
    """Values and indices come from one kernel; it was ordered by whichever was asked for first."""
    x = Tensor([3.0, 1.0, 2.0])
    made = x.sort()
    assert realized(made.values, made.indices + 1) == [[1.0, 2.0, 3.0], [2, 3, 1]]
    again = (x * 2).sort()
    assert realized(again.indices * 10, again.values) == [[10, 20, 0], [2.0, 4.0, 6.0]]


@pytest.mark.parametrize("dtype", [dtypes.bfloat16, dtypes.float8_e4m3, dtypes.float8_e5m2])
def test_sorting_floats_that_are_kept_as_words(dtype: dtypes.DType) -> None:
    """Their words were compared as if they were the numbers."""
    x = Tensor([3.0, -2.0, 0.5, -0.25, 1.0]).cast(dtype)
    assert x.sort().values.float().tolist() == [-2.0, -0.25, 0.5, 1.0, 3.0]
    assert x.sort(descending=True).indices.tolist() == [0, 4, 2, 3, 1]


def test_a_constant_stored_with_a_stride_writes_one_element_at_a_time() -> None:
    """Each lane of a strided store wrote the whole vector of the constant."""
    x = Tensor(np.arange(1 * 8 * 4 * 4, dtype=np.float32).reshape(1, 8, 4, 4))
    assert x.argmin(0).tolist() == np.zeros((8, 4, 4), int).tolist()


def test_a_running_sum_over_the_results_of_a_top_k() -> None:
    """The axis that picks among the k results was unrolled, and the sum runs along it."""
    x = np.array([5, 1, 4, 2, 3], np.int64)
    assert Tensor(x).topk(3).values.cumsum(0).tolist() == [5, 9, 12]


def test_a_top_k_of_a_top_k() -> None:
    """The first one's results are in a tile, which was filled inside an unrolled axis."""
    x = np.random.default_rng(0).standard_normal((20, 40)).astype(np.float32)
    found = Tensor(x).topk(3, 1, largest=False).values.topk(3, 0).indices
    smallest = np.sort(x, 1)[:, :3]
    assert found.tolist() == np.argsort(-smallest, 0, kind="stable")[:3].tolist()


def test_gathering_from_a_computed_value_gives_0_outside() -> None:
    """Loads are masked, and cos(0) is 1. The index is computed: one at hand would be refused."""
    x = Tensor([0.0, 1.0])
    index = Tensor(np.array([0, 1, 4])) + Tensor(np.array([0, 1, 1]))
    assert (x * 0).cos().gather(0, index).tolist() == [1.0, 0.0, 0.0]


def test_the_index_of_a_masked_gather_is_loaded_inside_its_memory() -> None:
    """Under the mask of the outer load, that of the index's own load was simplified away; both loads
    happen always."""
    pytest.importorskip("z3")
    x, index = inputs((31,), (3,))
    made = schedule((x.gather(0, index.long()).pad([3, 0]).node,), 2)
    for item in made.items:
        prove_bounds(item.kernel)


def test_an_empty_slot_is_no_element() -> None:
    """NaN is the largest number, so the empty slots of a lane (inf) came before it when lanes were merged."""
    nan = const(float("nan"), dtypes.float32)
    held = (nan, const(7, dtypes.int32))
    empty = monoid.Monoid("topmin", 1).identity((dtypes.float32, dtypes.int32))
    value, index = (
        make(Op.PARAM, n.dtype, (), name) for n, name in zip(empty, ("value", "index"), strict=True)
    )
    made = monoid.Monoid("topmin", 1).combine(held, (value, index))
    from saccade.graph.rules.symbolic import simplify

    merged = [simplify(n.substitute({value: empty[0], index: empty[1]})) for n in made]
    assert merged[1].arg == 7


def test_the_smallest_of_rows_of_nan() -> None:
    x = np.full((4, 9), np.nan, np.float32)
    assert Tensor(x).topk(3, 1, largest=False).indices.tolist() == [[0, 1, 2]] * 4


def test_a_tile_of_integers_is_not_filled_by_lane() -> None:
    """Integer nodes count as addresses, which cost nothing; an integer tile was taken for one."""
    x = np.random.default_rng(1).integers(0, 9, (3, 2, 5, 7)).astype(np.int64)
    found = Tensor(x).topk(2, 0, largest=False).indices.topk(2, 1, largest=False).indices
    first = np.argsort(x, 0, kind="stable")[:2]
    assert found.tolist() == np.argsort(first, 1, kind="stable")[:, :2].tolist()


@pytest.mark.parametrize("operation", ["fmod", "div"])
def test_bools_are_not_divided(operation: str) -> None:
    x = Tensor([True, False])
    with pytest.raises(TypeError, match="bool tensors"):
        x.fmod(x) if operation == "fmod" else x.div(x, rounding_mode="trunc")


def test_refusing_a_bit_operation_computes_nothing() -> None:
    """The message showed the other operand, and to show a tensor is to compute it."""
    other = Tensor([1.0]) * 2
    with pytest.raises(TypeError, match="not float32 and float32"):
        Tensor([1.0]) & other
    assert other.node.op is Op.MUL


@pytest.mark.parametrize("name", ["Device", "Key", "Tensor", "debug", "dtypes", "jit", "where"])
def test_every_name_can_be_imported_first(name: str) -> None:
    """`from saccade import dtypes` failed unless something else had loaded the module."""
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", f"from saccade import {name}"], check=True, cwd=root)


def test_a_loop_that_nothing_refers_to_keeps_its_number() -> None:
    """Every update goes to the same element, so nothing refers to the loop over them: a split of the other
    loop made a second one of its number."""
    x = Tensor(np.arange(64, dtype=np.float32).reshape(64, 1))
    index = (Tensor.arange(256) * 5 % 1).reshape(64, 4)
    made = x.scatter_reduce(1, index, Tensor.ones(64, 4), "amin")
    assert made.tolist() == np.minimum(x.numpy(), 1).tolist()


def test_few_rows_that_are_cast_times_many() -> None:
    """The copy of the few was filled inside their own loop, which was to be in registers."""
    few, many = np.arange(48, dtype=np.uint32).reshape(3, 16), np.ones((33, 16), np.float32)
    made = (Tensor(few).cast("float32").reshape(3, 1, 16) * Tensor(many).reshape(1, 33, 16)).sum(2)
    assert made.tolist() == (few.astype(np.float32) @ many.T).tolist()


@pytest.mark.parametrize("card", CARDS)
def test_an_attention_whose_rows_threads_share(card: str) -> None:
    """Its result is read twice, so it is no kernel of the tensor cores; what threads have of a softmax was
    put together as the k best are."""
    q, k, v = (Tensor(np.ones(shape, np.float16)) for shape in ((70, 16), (16, 70), (70, 32)))
    made = ((q @ k).softmax(-1) @ v).relu()
    index = Tensor(np.zeros((4, 32), np.int64))
    both = [made.scatter_add(0, index, Tensor(np.ones((4, 32), np.float16))).node, made.node]
    for item in schedule(*graph_of(canonical(both)[0]), GPU).items:
        assert laid_out(item.kernel, CARDS[card]).source.text


def test_a_running_sum_of_what_is_transposed() -> None:
    """The copy through a tile wanted an order of loops that a running sum does not have."""
    x = np.random.default_rng(0).integers(0, 200, (13, 3, 2, 17)).astype(np.uint8)
    made = (-Tensor(x)).permute(0, 1, 3, 2).long().cumsum(0)
    assert made.tolist() == np.cumsum((-x).transpose(0, 1, 3, 2).astype(np.int64), 0).tolist()


def test_updates_of_one_place_by_loops_that_were_merged() -> None:
    """The merged loop may not run in parallel where each of the two might."""
    base, updates = np.zeros((5, 2, 24, 16), np.float32), np.ones((5, 9, 24, 16), np.float32)
    places = Tensor.full(updates.shape, 1, dtype=dtypes.int64)
    made = Tensor(base).scatter_add(1, places, Tensor(updates)).numpy()
    assert (made[:, 0] == 0).all()
    assert (made[:, 1] == 9).all()


def test_dots_with_few_rows_that_a_top_k_makes() -> None:
    """The rows were to be unrolled, and the tile of the top-k is filled inside them."""
    x = np.random.default_rng(1).standard_normal((40, 2)).astype(np.float32)
    y = np.random.default_rng(2).integers(-4, 4, (40, 16)).astype(np.float32)
    made = Tensor(x).topk(2, 1, largest=False).indices.float().permute(1, 0) @ Tensor(y)
    assert made.tolist() == (np.argsort(x, 1, kind="stable").astype(np.float32).T @ y).tolist()


def test_the_best_of_elements_with_one_key() -> None:
    """In two passes the key was to have a lane for each element, and no element has a key of its own."""
    x = Tensor(np.arange(13, dtype=np.float32)).reshape(1, 13).expand(33, 13)
    assert x.topk(1, 0, largest=False).indices.tolist() == [[0] * 13]


@needs_compiler
@pytest.mark.parametrize("updates", [2, 4, 6])
def test_updates_of_one_place_by_blocks_that_nothing_tells_apart(updates: int) -> None:
    """The place was the same in every block, so the blocks were one."""
    base = np.arange(64, dtype=np.float32).reshape(64, 1)
    with emulated_gpu():
        index = Tensor(np.arange(64 * updates).reshape(64, updates), device="cuda") % 1
        ones = Tensor.ones(64, updates)
        made = Tensor(base, device="cuda").scatter_add(1, index, ones).tolist()
    assert made == (base + updates).tolist()


@needs_compiler
def test_a_softmax_of_a_thread_takes_every_element_in() -> None:
    """Smaller ones were left out, as of a top-k."""
    rng = np.random.default_rng(3)
    q, k, v = (rng.integers(-8, 9, shape).astype(np.float16) / 4 for shape in ((70, 70), (70, 16), (16, 32)))
    mask = np.arange(16) <= np.arange(70)[:, None]
    with emulated_gpu():
        scores = Tensor(q, device="cuda") @ Tensor(k, device="cuda")
        kept = Tensor.arange(16).reshape(1, 16) <= Tensor.arange(70).reshape(70, 1)
        made = where(kept, scores, -np.inf).softmax(-1) @ Tensor(v, device="cuda")
        Interop.realize(made, half := made / 2)
        found, halves = made.numpy(), half.numpy()
    scores = np.where(mask, (q.astype(np.float32) @ k.astype(np.float32)), -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    expected = weights / weights.sum(-1, keepdims=True) @ v.astype(np.float32)
    np.testing.assert_allclose(found, expected, atol=0.02)
    np.testing.assert_allclose(halves, expected / 2, atol=0.02)


def test_parts_of_one_output_are_interpreted_at_their_offsets() -> None:
    """Each kernel that wrote a part of a concatenation was given the beginning of the output."""
    slots = [make(Op.PARAM, dtypes.float32, (), Param(slot=i, size=8 * 5 * 97)) for i in range(2)]
    x, y = (make(Op.RESHAPE, dtypes.float32, (slot,), (8, 5, 97)) for slot in slots)
    cat = make(Op.CAT, dtypes.float32, (x, y, x), 1)
    program = Program(0, (cat,), (Input(dtypes.float32, 8 * 5 * 97), Input(dtypes.float32, 8 * 5 * 97)))
    assert check_interpreter(program) is None


def test_vectors_that_are_no_power_of_two_are_not_turned_in_squares() -> None:
    """Of 24 lanes in squares of eight, the third had none to be joined with."""
    memory = make(Op.PARAM, dtypes.float64, (), Param(slot=0, size=1120))
    program = Program(
        0, (make(Op.RESHAPE, dtypes.float64, (memory,), (70, 16)),), (Input(dtypes.float64, 1120),)
    )
    outcome = check(program, Trial(moves=11018020, quick=True, prove=False, device="cpu", given=True))
    assert outcome.failure is None


def test_no_load_is_under_a_mask_where_a_kernel_goes_without_avx512() -> None:
    """LLVM gave up cutting one of eight doubles into halves, behind a loop it had unrolled."""
    x = np.arange(60.0).reshape(5, 3, 4)

    def padded(t: Tensor) -> Tensor:
        found = (t % 7.0).pad((12, 0, 1, 0, 3, 0), value=1)
        return found.where(Tensor.arange(16) % 3 < 2, 1.0)  # worth a branch around, of which lanes are asked

    with assuming(AVX512):
        kernel = scheduled(padded, x.shape, dtype=dtypes.float64)
        moved = optimise(kernel.items[0].kernel)
        text = source_of(kernel.items[0].kernel, moved).text
        code = Lowering(replace(moved, sink=decompose(moved.sink))).code("padded")
    assert "masked.load" in render(code)
    assert goes_without_avx512(text)
    assert "masked.load" not in text
    expected = np.pad(x % 7, ((3, 0), (1, 0), (12, 0)), constant_values=1)
    expected[..., 2::3] = 1
    np.testing.assert_array_equal(padded(Tensor(x)).numpy(), expected)


def test_padding_twice_reads_nothing_outside() -> None:
    """Of a mask cut in halves LLVM knew one to be false, and read all of it."""
    memory = make(Op.PARAM, dtypes.float64, (), Param(slot=0, size=429))
    x = make(Op.RESHAPE, dtypes.float64, (memory,), (13, 33))
    once = make(Op.PAD, dtypes.float64, (x,), ((1, 3), (2, 1)))
    twice = make(Op.PAD, dtypes.float64, (once,), ((0, 0), (3, 2)))
    assert check(Program(0, (twice,), (Input(dtypes.float64, 429),)), Trial()).failure is None


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("best", ["argmax", "argmin"])
def test_the_last_of_33_is_a_vector_of_one_lane(best: str, dtype: str) -> None:
    """LLVM ended the process: the best of its lanes was asked of a number."""
    x = (np.arange(99).reshape(3, 33) % 7).astype(dtype)
    made = getattr(Tensor(x), best)(1).contiguous(moves=(Split(1, 16, UNROLL), Bind(4, VECTOR)))
    np.testing.assert_array_equal(made.numpy(), getattr(x, best)(1))


def test_moves_that_repeat_all_work_are_not_run() -> None:
    """A tile that was filled for each of 87,040 results took minutes."""
    memory = make(Op.PARAM, dtypes.float32, (), Param(slot=0, size=1 << 20))
    row = make(Op.RESHAPE, dtypes.float32, (memory,), (1 << 10, 1 << 10))
    kernel = schedule((make(Op.REDUCE, dtypes.float32, (row,), (monoid.ADD, (1,))),), 1).items[0].kernel
    shapes = [Trial(moves=seed, quick=True, prove=False, device="cpu").shape(kernel, 0) for seed in range(20)]
    assert max(map(work, shapes)) <= MOST_WORK


def test_a_tile_is_not_widened_along_an_axis_that_ends_another() -> None:
    """The last block has fewer tiles: its loop was copied to a place where it was not open."""
    x = Tensor(np.arange(64.0))
    moves = (Copy(0, 0), Split(0, 12, LOOP, 4), Widen(1, 2))
    with pytest.raises(IllegalMove, match="axis 3 ends where axis 2 is"):
        (x + 1).contiguous(moves=moves).realize()


def test_what_is_gathered_twice_is_0_where_either_index_is_outside() -> None:
    """Below an axis of one element the outer index takes no part in the place that is read; the mask of the
    inner one was believed to be its own."""
    memory = make(Op.PARAM, dtypes.int64, (), Param(slot=0, size=2))
    inner = make(Op.PARAM, dtypes.int64, (), Param(slot=1, size=6))
    outer = make(Op.PARAM, dtypes.int64, (), Param(slot=2, size=24))
    once = make(Op.RESHAPE, dtypes.int64, (make(Op.GATHER, dtypes.int64, (memory, inner), 0),), (6, 1))
    twice = make(Op.GATHER, dtypes.int64, (once, make(Op.RESHAPE, dtypes.int64, (outer,), (6, 4))), 1)
    given = Input(dtypes.int64, 2), Input(dtypes.int64, 6, "index", 2), Input(dtypes.int64, 24, "index", 2)
    assert check(Program(0, (twice,), given), Trial()).failure is None
