"""Moves given at the tensor: they reach the kernel that stores it, alone, and are checked there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.codegen.compile import source_for
from saccade.codegen.cuda.search.moves import Card, Flat
from saccade.codegen.moves.legal import IllegalMove
from saccade.codegen.moves.moves import Bind, Order, Split
from saccade.codegen.moves.text import from_words, to_json, words_of
from saccade.explain import explain
from saccade.graph.kernels.kernel import Kernel
from saccade.runtime.device import Device
from saccade.tensor.programs.form import canonical
from saccade.tensor.programs.prepare import scheduled
from tests.codegen.kernels import kernels_of

MOVES = (Split(0, 8, "vector"), Bind(1, "parallel"))


@pytest.fixture(name="x")
def given() -> Tensor:
    return Tensor(np.arange(4096, dtype=np.float32) - 2000, device="cpu")


def on_gpu(tensor: Tensor) -> Kernel:
    (item,) = scheduled(canonical([tensor.node])[0], "cuda:0").items
    return item.kernel


@pytest.mark.parametrize(
    "moves", [MOVES, ["split 0 8 vector", "bind 1 parallel"], [MOVES[0], "bind 1 parallel"], to_json(MOVES)]
)
def test_moves_reach_the_kernel_and_the_result_is_the_same(x: Tensor, moves: Any) -> None:
    made = (x.relu() + 1).contiguous(moves=moves)
    found = explain(lambda: made.realize())
    (step,) = found.computations[0].recipe.steps
    assert step.notes.moves == ("split 0 8 vector", "bind 1 parallel")
    assert step.notes.reason == "asked for, with moves of its own"
    assert "split 0 8 vector, bind 1 parallel" in str(found)
    np.testing.assert_array_equal(made.numpy(), np.maximum(x.numpy(), 0) + 1)


def test_only_the_kernel_of_that_tensor_gets_them(x: Tensor) -> None:
    """Maps over the same memory would be one kernel."""
    first, second = (x + 1).contiguous(moves=["split 0 4 vector"]), x * 2
    assert len(kernels_of(x + 1, second)) == 1
    one, other = kernels_of(first, second)
    assert (one.asked, other.asked) == (("split 0 4 vector",), ())
    before, after = kernels_of((first * 3).sum(0))
    assert before.asked
    assert not after.asked


def test_a_product_may_be_shaped_by_hand(x: Tensor) -> None:
    a, b = x.reshape(64, 64), (x * 0.5).realize().reshape(64, 64)
    made = (a @ b).contiguous(moves=["order 1,0", "split 1 16 vector", "split 0 4 unroll", "bind 3 parallel"])
    np.testing.assert_allclose(made.numpy(), a.numpy() @ b.numpy(), rtol=1e-5)


def test_jit_keeps_them(x: Tensor) -> None:
    shaped = jit(lambda x: (x * 2).contiguous(moves=["split 0 16 vector"]) + 1)
    for _ in range(3):
        np.testing.assert_array_equal(shaped(x).numpy(), x.numpy() * 2 + 1)


def test_asking_again(x: Tensor) -> None:
    made = (x + 1).contiguous(moves=MOVES)
    assert made.contiguous() is made
    plain = (x + 1).contiguous()
    assert plain.contiguous(moves=MOVES).node is made.node
    assert made.contiguous(moves=["split 0 4"]).node.src == made.node.src


@pytest.mark.parametrize("device", ["cpu", "interpreter", "null"])
@pytest.mark.parametrize(
    ("moves", "problem"),
    [
        (["split 0 5000"], r"'split 0 5000 loop'.*cannot split axis 0 of 4096 by 5000"),
        (["split 0 8 vector", "bind 9 unroll"], r"kernel map_4096 for 'bind 9 unroll'.*no axis 9: it has"),
        ([Flat(128, 4, 1)], r"'flat 128 4 1 1'.*lays a kernel out on a GPU"),
    ],
)
def test_an_illegal_move_is_named_with_why(device: str, moves: Any, problem: str) -> None:
    x = Tensor(np.zeros(4096, np.float32), device=device)
    with pytest.raises(IllegalMove, match=problem):
        (x * 2).contiguous(moves=moves).realize()
    (x * 2).contiguous(moves=["split 0 8 vector"]).realize()  # nothing was left behind


def test_sorting_takes_no_moves(x: Tensor) -> None:
    (kernel,) = kernels_of(x.sort(0)[0])
    asked = Kernel(kernel.sink, kernel.order, kernel.params, kernel.outputs, asked=("split 0 8 loop",))
    with pytest.raises(IllegalMove, match="sorting takes no moves"):
        source_for(asked, "cpu")


@pytest.mark.parametrize(
    ("moves", "problem"),
    [
        (["hop 3"], "unknown move 'Hop'"),
        (["split 0 8 banana"], "an axis is loop, parallel, vector, unroll; not 'banana'"),
        ([Bind(0, "banana")], "not 'banana'"),
        (["split zero 8"], "'split zero 8' is not a move"),
        (["split 0 8 vector 4 3"], "split takes axis, factor, kind, unit and no more"),
        (["split"], "is not a move"),
        ([""], "unknown move ''"),
        ("split 0 8", "not a list of moves"),
    ],
)
def test_what_is_no_move_is_refused_at_the_call(x: Tensor, moves: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        x.contiguous(moves=moves)


def test_a_number_is_no_move(x: Tensor) -> None:
    with pytest.raises(TypeError, match="a move is data"):
        x.contiguous(moves=[3])  # type: ignore[list-item]


def test_words_are_read_back() -> None:
    for move in (*MOVES, Order((2, 0, 1)), Flat(64, 2, 2), Flat(64, 2, 2, 3)):
        assert from_words(words_of(move)) == move
    assert from_words("rows 512 1 4 4 true").held is True  # type: ignore[union-attr]


def test_a_layout_for_a_gpu_is_taken_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from saccade.codegen import compile as compiling

    monkeypatch.setattr(compiling, "card_of", lambda device: Card())
    x = Tensor(np.zeros(1 << 16, np.float32), device="cpu")
    kernel = on_gpu((x * 2).contiguous(moves=["flat 64 2 2"]))
    assert source_for(kernel, "cuda:0").block == 64
    assert compiling.moves_of(kernel, "cuda:0") == (Flat(64, 2, 2),)
    for moves, problem in (
        (["split 0 8 vector"], "it is a move for the CPU"),
        (["flat 64 2 2", "flat 64 1 1"], "has one layout"),
        (["multiply warps 64 64 32 2 1"], "which it cannot do"),
    ):
        with pytest.raises(IllegalMove, match=problem):
            source_for(on_gpu((x * 2).contiguous(moves=moves)), "cuda:0")
    running = on_gpu(x.reshape(64, 1024).cumsum(1))
    asked = Kernel(running.sink, running.order, running.params, running.outputs, asked=("flat 64 2 2 1",))
    with pytest.raises(IllegalMove, match="layout"):
        source_for(asked, "cuda:0")


def test_the_interpreter_runs_the_moved_kernel() -> None:
    assert Device["interpreter"].name == "interpreter"
    x = Tensor(np.arange(64, dtype=np.float32), device="interpreter")
    made = (x * 2).contiguous(moves=["split 0 5 unroll"])
    np.testing.assert_array_equal(made.numpy(), np.arange(64) * 2)
