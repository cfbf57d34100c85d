"""Gradients of attention without its scores in memory: on the emulator, planned, and compiled by NVRTC."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit, vjp
from saccade.codegen.cuda.search.moves import Attend, Card
from saccade.codegen.cuda.source import cuda_source, laid_out
from saccade.codegen.cuda.templates.attention.hopper import COPIERS, REGISTERS
from saccade.codegen.cuda.templates.attention.match import attention_of
from saccade.codegen.cuda.templates.recomputed.across import ACROSS_REGISTERS
from saccade.codegen.cuda.templates.recomputed.match import recomputed_of
from saccade.codegen.cuda.templates.recomputed.weights import Weights
from saccade.codegen.moves.legal import IllegalMove
from saccade.graph import dtypes
from saccade.graph.dtypes import DType
from saccade.schedule.cost import GPU, Machine, machine_of
from saccade.schedule.kernel_graph import KernelGraph
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of
from tests.codegen.cuda_emulator import needs_compiler
from tests.codegen.test_cuda_attention import CARDS, cards_fixture, causal, masked, naive

__all__ = ["cards_fixture"]  # by which pytest finds it here
RNG = np.random.default_rng(5)
Array = np.ndarray[Any, Any]
Program = Callable[..., Tensor]
Shape = tuple[int, ...]


def gradients(program: Program, *given: Tensor) -> tuple[Tensor, ...]:
    """The result and the gradients of queries, keys and values, for the last tensor as its slope."""
    *others, slope = given
    result, back = vjp(lambda q, k, v: program(q, k, v, *others[3:]), *others[:3])
    return result, *back(slope)


KINDS: dict[str, tuple[Program, list[Shape]]] = {
    "whole tiles": (naive, [(2, 128, 64), (2, 128, 64), (2, 128, 64), (2, 128, 64)]),
    "odd sizes": (naive, [(2, 50, 24), (2, 71, 24), (2, 71, 40), (2, 50, 40)]),
    "causal": (causal, [(2, 100, 32)] * 4),
    "causal, more keys": (causal, [(70, 32), (133, 32), (133, 32), (70, 32)]),
    "bias": (masked, [(2, 40, 32), (2, 66, 32), (2, 66, 32), (40, 66), (2, 40, 32)]),
}
SLOW: dict[str, tuple[Program, list[Shape]]] = {
    "several tiles": (causal, [(1, 2, 300, 64)] * 4),
    "blocks in turn": (naive, [(3, 200, 128)] * 4),
    "a last tile of one query": (causal, [(1, 257, 96)] * 4),
    "wide": (naive, [(130, 128), (140, 128), (140, 96), (130, 96)]),
    "heads side by side": (
        lambda q, k, v: (
            causal(*(t.reshape(2, 60, 3, 32).transpose(1, 2) for t in (q, k, v)))
            .transpose(1, 2)
            .reshape(2, 60, 96)
        ),
        [(2, 60, 96)] * 4,
    ),
}


def compared(program: Program, shapes: list[Shape]) -> None:
    """Ours in float16 on the emulator against the CPU's in float32."""
    arrays = [RNG.standard_normal(shape).astype("float16") for shape in shapes]
    given = [Tensor(a, device="cuda").realize() for a in arrays]
    # all at once: one by one they would be kernels of their own
    ours = [t.numpy() for t in jit(lambda *each: gradients(program, *each))(*given)]
    wide = [Tensor(a.astype("float32"), device="cpu") for a in arrays]
    for made, expected in zip(ours, [t.numpy() for t in gradients(program, *wide)], strict=True):
        assert np.linalg.norm(made.astype("float32") - expected) <= 3e-3 * np.linalg.norm(expected)


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_those_of_the_cpu_in_float32(kind: str, cards: str) -> None:
    compared(*KINDS[kind])


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("kind", SLOW)
def test_gradients_of_more_shapes(kind: str, cards: str) -> None:
    compared(*SLOW[kind])


HOPPER = replace(GPU, adds_across=True)


def planned(
    program: Program, shapes: list[Shape], dtype: DType = dtypes.bfloat16, machine: Machine = GPU
) -> KernelGraph:
    given = [Tensor.zeros(*shape, dtype=dtype).realize() for shape in shapes]
    form, _ = canonical([t.node for t in gradients(program, *given)])
    return schedule(*graph_of(form), machine)


def one_input(x: Tensor, slope: Tensor) -> Tensor:
    """The gradient of queries, keys and values that come out of one product, heads beside each other."""

    def attended(x: Tensor) -> Tensor:
        each = x.reshape(2, 256, 3, 3, 64)
        return causal(*(each[:, :, i].transpose(1, 2) for i in range(3))).transpose(1, 2).reshape(2, 256, 192)

    return vjp(attended, x)[1](slope)[0]


@pytest.mark.parametrize(
    ("program", "shapes"),
    [(naive, [(2, 4, 512, 64)] * 4), (causal, [(2, 300, 96)] * 4), (causal, [(1, 257, 128)] * 4)],
    ids=["whole", "causal", "odd"],
)
def test_on_hopper_all_gradients_are_one_kernel(program: Program, shapes: list[Shape]) -> None:
    made = planned(program, shapes, machine=HOPPER)
    again = [found for item in made.items if (found := recomputed_of(item.kernel)) is not None]
    assert [(len(found.sums), found.across is not None) for found in again] == [(2, True)]
    assert len(made.items) == 3  # the forward pass, and the sums of rows


def test_gradients_beside_each_other_are_one_kernel_too() -> None:
    given = [Tensor.zeros(2, 256, n, dtype="bfloat16").realize() for n in (576, 192)]
    form, _ = canonical([one_input(*given).node])
    made = schedule(*graph_of(form), HOPPER)
    again = [found for item in made.items if (found := recomputed_of(item.kernel)) is not None]
    assert [(len(found.sums), found.across is not None) for found in again] == [(2, True)]


def test_other_lengths_of_queries_and_keys_have_other_loops_and_no_sum_across() -> None:
    shapes: list[Shape] = [(2, 128, 64), (2, 192, 64), (2, 192, 64), (2, 128, 64)]
    made = planned(naive, shapes, machine=HOPPER)
    again = [found for item in made.items if (found := recomputed_of(item.kernel)) is not None]
    assert [(len(found.sums), found.across) for found in again] == [(1, None), (2, None)]


def test_only_cards_with_warpgroups_add_across(cards: str) -> None:
    assert machine_of("cuda:0").adds_across == (cards == "warpgroups")
    assert machine_of("null:cuda").adds_across  # which plans as for an H200


def test_a_sum_across_has_one_layout() -> None:
    (kernel,) = [
        item.kernel
        for item in planned(naive, [(2, 256, 64)] * 4, machine=HOPPER).items
        if recomputed_of(item.kernel) is not None
    ]
    card = Card(shared=232448, wgmma=True)
    move = laid_out(kernel, card).move
    assert laid_out(kernel, card, move).source == laid_out(kernel, card).source
    with pytest.raises(IllegalMove, match="a sum across has the layout"):
        laid_out(kernel, card, Attend("warpgroups", 128, 32, 2))
    with pytest.raises(IllegalMove, match="takes warpgroups"):
        laid_out(kernel, Card())


@pytest.mark.parametrize(
    ("groups", "each"), [(2, ACROSS_REGISTERS), *REGISTERS.items()], ids=["across", "two", "three"]
)
def test_roles_share_the_registers_a_block_begins_with(groups: int, each: tuple[int, int]) -> None:
    """Who asks for more than others gave back waits for ever (setmaxnreg)."""
    threads, (few, many) = 128 * groups + COPIERS, each
    begun = (1 << 16) // threads // 8 * 8 * threads
    assert few * COPIERS + many * 128 * groups <= begun


@pytest.mark.parametrize("program", [naive, causal], ids=["whole", "causal"])
def test_no_matrix_of_scores_is_stored(program: Program) -> None:
    shapes: list[Shape] = [(2, 4, 512, 64)] * 4
    made = planned(program, shapes)
    scores = 2 * 4 * 512 * 512
    assert all(size < scores for item in made.items for _, size in item.kernel.params)
    forward = [attention_of(item.kernel) for item in made.items]
    assert [f.total is not None for f in forward if f is not None] == [True]
    again = [found for item in made.items if (found := recomputed_of(item.kernel)) is not None]
    assert len(made.items) == 2 + len(again)  # and the sums of rows
    assert sorted(len(found.sums) for found in again) == [1, 2]  # of keys and values in one kernel
    assert all(found.bounded == (program is causal) for found in again)


def test_what_weights_read_of_a_row_or_a_key_is_loaded_before_their_sums() -> None:
    again = [recomputed_of(item.kernel) for item in planned(causal, [(2, 512, 64)] * 4).items]
    rows, keys = (Weights(found) for found in again if found is not None)
    assert (len(rows.by_row), len(rows.by_key)) == (2, 0)  # of each query its logsumexp and its sum
    assert (len(keys.by_row), len(keys.by_key)) == (0, 2)
    for text in (rows.text(True), keys.text(True)):
        weigh = text[text.index("weigh_masked") :]
        assert "_once" not in weigh


def test_gradients_of_keys_and_values_of_other_widths_stay_apart() -> None:
    made = planned(naive, [(2, 128, 64), (2, 128, 64), (2, 128, 32), (2, 128, 32)])
    again = [found for item in made.items if (found := recomputed_of(item.kernel)) is not None]
    assert [len(found.sums) for found in again] == [1, 1, 1]


@pytest.mark.skipif(find_spec("cuda") is None, reason='needs NVRTC: pip install "saccade[cuda]"')
@pytest.mark.slow
@pytest.mark.parametrize("arch", CARDS)
def test_gradients_compile(arch: str) -> None:
    from saccade.runtime.cuda.compiler import compile_cubin

    machine = HOPPER if CARDS[arch][1] else GPU
    for item in planned(causal, [(2, 300, 96)] * 4, machine=machine).items:
        made = cuda_source(item.kernel, *CARDS[arch])
        assert made.shared <= CARDS[arch][0]
        assert compile_cubin(made, arch)[:4] == b"\x7fELF"


@pytest.mark.skipif(find_spec("cuda") is None, reason='needs NVRTC: pip install "saccade[cuda]"')
@pytest.mark.slow
@pytest.mark.parametrize("program", [naive, causal], ids=["whole", "causal"])
@pytest.mark.parametrize("width", [64, 96, 128])
def test_products_of_a_sum_across_run_beside_each_other(program: Program, width: int) -> None:
    """ptxas says so where it makes products wait for each other, for want of registers or because a sum
    that still runs is touched: half the speed."""
    for item in planned(program, [(2, 300, width)] * 4, machine=HOPPER).items:
        found = recomputed_of(item.kernel)
        if found is not None:
            assert found.across is not None
            assert "serialized" not in told_by_ptxas(cuda_source(item.kernel, *CARDS["sm_90a"]).text)


def told_by_ptxas(text: str) -> str:
    """What the assembler says of the functions of a source for Hopper."""
    from cuda.bindings import nvrtc

    def value(result: tuple[Any, ...]) -> Any:
        assert result[0] == nvrtc.nvrtcResult.NVRTC_SUCCESS
        return result[1] if len(result) > 1 else None

    program = value(nvrtc.nvrtcCreateProgram(text.encode(), b"kernel.cu", 0, [], []))
    options = [b"--gpu-architecture=sm_90a", b"-std=c++17", b"--ptxas-options=-v"]
    value(nvrtc.nvrtcCompileProgram(program, len(options), options))
    log = b" " * value(nvrtc.nvrtcGetProgramLogSize(program))
    value(nvrtc.nvrtcGetProgramLog(program, log))
    told = log.decode()
    assert "Used" in told  # it was asked
    return told
