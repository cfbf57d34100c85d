"""Softmax and the product with it in one pass: what is rewritten, what not, and that it computes the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda.templates.attention.match import attention_of
from saccade.graph import dtypes
from saccade.graph.dtypes import DType
from saccade.graph.kernels.kernel import Kernel
from saccade.graph.monoid import SOFTMAX
from saccade.graph.ops import Op
from saccade.graph.verify import verify
from saccade.runtime.interpreter.interpreter import run_kernel
from saccade.schedule.cost import CPU, GPU, Machine
from saccade.schedule.kernel_graph import ARENA, KernelGraph
from saccade.schedule.schedule import schedule
from tests.schedule.programs import inputs

Array = np.ndarray[Any, Any]
Program = Callable[..., Any]
HEADS = [(2, 4, 64, 32)] * 3


def plan(
    program: Program, shapes: list[tuple[int, ...]], machine: Machine = GPU, dtype: DType = dtypes.float16
) -> KernelGraph:
    made = program(*inputs(*shapes, dtype=dtype))
    roots = made if isinstance(made, tuple) else (made,)
    return schedule(tuple(t.node for t in roots), len(shapes), machine)


def run(made: KernelGraph, arrays: list[Array]) -> list[Array]:
    """The kernels on the interpreter."""
    outputs = [np.zeros(n.size, n.dtype.name) for n in made.outputs]
    arena = np.zeros(made.arena, np.uint8)
    slots = [np.ascontiguousarray(a).reshape(-1) for a in arrays] + outputs
    for item in made.items:
        memory = []
        for (slot, offset), (dtype, size) in zip(item.params, item.kernel.params, strict=True):
            nbytes = size * dtype.itemsize
            memory.append(slots[slot] if slot != ARENA else arena[offset : offset + nbytes].view(dtype.name))
        run_kernel(item.kernel, memory)
    return outputs


def is_one_pass(kernel: Kernel) -> bool:
    return any(n.op is Op.FOLD and n.arg == SOFTMAX for n in kernel.nodes)


def written_out(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    return (weights / weights.sum(-1, keepdim=True)) @ v


def with_projections(x: Tensor, a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    q, k, v = ((x @ w).reshape(2, 64, 4, 32).transpose(1, 2) for w in (a, b, c))
    return q.scaled_dot_product_attention(k, v, is_causal=True).transpose(1, 2).reshape(2, 64, 128) @ a


#: program, shapes, kernels
ONE_PASS: dict[str, tuple[Program, list[tuple[int, ...]], int]] = {
    "naive": (lambda q, k, v: ((q @ k.mT) * 0.2).softmax(-1) @ v, HEADS, 1),
    "written out, in half precision": (written_out, HEADS, 1),
    "causal": (lambda q, k, v: q.scaled_dot_product_attention(k, v, is_causal=True), HEADS, 1),
    "bias for all heads": (
        lambda q, k, v, b: q.scaled_dot_product_attention(k, v, b), [*HEADS, (2, 1, 64, 64)], 1
    ),
    "computed mask": (
        lambda q, k, v, b: q.scaled_dot_product_attention(k, v, b > 0), [*HEADS, (64, 64)], 1
    ),
    "mask from a reduction": (
        lambda q, k, v, b: (q @ k.mT + b.mean(-1)).softmax(-1) @ v, [*HEADS, (64, 64, 100)], 2
    ),
    "one head of keys": (
        lambda q, k, v: q.scaled_dot_product_attention(k, v), [HEADS[0], *[(2, 1, 80, 32)] * 2], 1
    ),
    "groups of heads": (
        lambda q, k, v: q.scaled_dot_product_attention(k, v, enable_gqa=True),
        [HEADS[0], *[(2, 2, 80, 32)] * 2],
        1,
    ),
    "another order of axes": (
        lambda q, k, v: (q.permute(1, 2, 0) @ k.permute(1, 0, 2)).softmax(-1) @ v,
        [(32, 3, 48), (32, 3, 80), (3, 80, 16)],
        1,
    ),
    "projections around": (with_projections, [(2, 64, 128), *[(128, 128)] * 3], 5),
    "heads side by side": (
        lambda q, k, v: q.scaled_dot_product_attention(k, v).transpose(1, 2).reshape(2, 64, 128), HEADS, 1
    ),
    "heads in the middle": (lambda q, k, v: q.scaled_dot_product_attention(k, v).transpose(1, 2), HEADS, 1),
    "all in a row": (lambda q, k, v: q.scaled_dot_product_attention(k, v).reshape(-1), HEADS, 2),
    "one after the other": (
        lambda q, k, v: ((t := q.scaled_dot_product_attention(k, v)) @ k.mT).softmax(-1) @ t, HEADS, 2
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ONE_PASS)
def test_one_pass_computes_what_the_expression_says(name: str, rng: np.random.Generator) -> None:
    program, shapes, kernels = ONE_PASS[name]
    made = plan(program, shapes)
    assert len(made.items) == kernels
    assert any(is_one_pass(item.kernel) for item in made.items)
    for item in made.items:
        verify(item.kernel.sink, "kernel", loops=item.kernel.order)
        assert not is_one_pass(item.kernel) or attention_of(item.kernel) is not None
    arrays = [(rng.standard_normal(s) * s[-1] ** -0.5).astype(np.float16) for s in shapes]
    (ours,) = run(made, arrays)
    (theirs,) = run(plan(program, shapes, dtype=dtypes.float32), [a.astype(np.float32) for a in arrays])
    assert np.linalg.norm(ours.astype(np.float32) - theirs) <= 2e-3 * np.linalg.norm(theirs)


STORED: dict[str, tuple[Program, list[tuple[int, ...]]]] = {
    "scores that are a result too": (lambda q, k, v: ((s := q @ k.mT).softmax(-1) @ v, s), HEADS),
    "weights that are a result too": (lambda q, k, v: ((w := (q @ k.mT).softmax(-1)) @ v, w), HEADS),
    "a softmax along the rows": (lambda q, k, v: (q @ k.mT).softmax(-2) @ v, HEADS),
    "a maximum of something else": (
        lambda q, k, v: ((e := ((s := q @ k.mT) - (2 * s).amax(-1, keepdim=True)).exp())
                         / e.sum(-1, keepdim=True)) @ v,
        HEADS,
    ),
    "weights in float32": (lambda q, k, v: ((q @ k.mT).float()).softmax(-1) @ v, HEADS),
    "few keys": (lambda q, k, v: (q @ k.mT).softmax(-1) @ v, [HEADS[0], *[(2, 4, 8, 32)] * 2]),
    "wide heads": (lambda q, k, v: (q @ k.mT).softmax(-1) @ v, [(64, 512)] * 3),
    "scores without a product": (lambda s, v: s.softmax(-1) @ v, [(64, 64), (64, 32)]),
}  # fmt: skip


@pytest.mark.parametrize("name", STORED)
def test_what_is_no_attention_is_left_as_it_is(name: str) -> None:
    program, shapes = STORED[name]
    assert not any(is_one_pass(item.kernel) for item in plan(program, shapes).items)


def attended(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT).softmax(-1) @ v


def test_one_row_against_many_keys_is_one_pass() -> None:
    """What would be cut into parts for itself, the sums and the maxima of long rows, is left to it."""
    (item,) = plan(attended, [(1, 4, 1, 128), *[(1, 4, 1 << 17, 128)] * 2]).items
    assert is_one_pass(item.kernel)


def test_what_has_no_kernel_in_one_pass_is_cut_into_parts_as_ever() -> None:
    """Heads this wide have none."""
    made = plan(attended, [(1, 2, 1, 512), *[(1, 2, 1 << 17, 512)] * 2])
    assert not any(is_one_pass(item.kernel) for item in made.items)
    assert sum("parts" in item.kernel.reason or item.params[0][0] == ARENA for item in made.items) > 3


def test_computed_factors_are_stored_where_many_blocks_would_compute_them() -> None:
    def program(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return (2 * q).scaled_dot_product_attention(k, v.relu())

    factors, attention = (item.kernel for item in plan(program, [(1, 8, 1024, 64)] * 3).items)
    assert len(factors.outputs) == 2  # side by side in one launch
    assert is_one_pass(attention)
    assert len(plan(program, [(1, 8, 128, 64)] * 3).items) == 1


def test_only_what_a_machine_attends_to_is_rewritten() -> None:
    program, shapes, _ = ONE_PASS["naive"]
    tf32 = replace(GPU, attends=GPU.attends - {dtypes.float32})
    for machine, dtype in ((tf32, dtypes.float32), (GPU, dtypes.float64), (CPU, dtypes.float16)):
        assert not any(is_one_pass(item.kernel) for item in plan(program, shapes, machine, dtype).items)
    (item,) = plan(program, shapes, GPU, dtypes.float32).items
    assert is_one_pass(item.kernel)


def test_a_row_without_keys_is_nan_and_no_other(rng: np.random.Generator) -> None:
    def masked(q: Tensor, k: Tensor, v: Tensor, b: Tensor) -> Tensor:
        return q.scaled_dot_product_attention(k, v, b)

    shapes = [(64, 32), (64, 32), (64, 32), (64, 64)]
    arrays = [rng.standard_normal(s).astype(np.float16) for s in shapes]
    arrays[3][5] = -np.inf
    (out,) = run(plan(masked, shapes), arrays)
    nan = np.isnan(out.reshape(64, 32))
    assert nan[5].all()
    assert nan.sum() == 32
