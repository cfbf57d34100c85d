"""Values put side by side are stored at their places: no copy, and the same values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, vjp
from saccade.codegen.cuda.templates.product.match import contraction_of
from saccade.codegen.cuda.templates.recomputed.match import recomputed_of
from saccade.graph.ops import Op
from saccade.nn.functional import scaled_dot_product_attention
from saccade.schedule.cost import GPU
from saccade.schedule.joining import beside
from saccade.schedule.kernel_graph import KernelGraph
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of
from tests.schedule.test_online import run

Array = np.ndarray[Any, Any]


def heads_of(x: Tensor, w: Tensor, slope: Tensor) -> list[Tensor]:
    """Gradients of attention whose queries, keys and values are parts of one product."""

    def attended(x: Tensor, w: Tensor) -> Tensor:
        batch, length, _ = x.shape
        q, k, v = (x @ w.mT).reshape(batch, length, 3, 4, 16).permute(2, 0, 3, 1, 4)
        made = scaled_dot_product_attention(q, k, v, is_causal=True)
        return made.transpose(1, 2).reshape(batch, length, 64)

    return list(vjp(attended, x, w)[1](slope))


def columns(a: Tensor, b: Tensor, c: Tensor) -> list[Tensor]:
    """Two products side by side, of 24 and 40 columns, and what two others make of them."""
    both = Tensor.cat([(a @ b).contiguous(), (a @ c).contiguous()], 1).contiguous()
    return [both @ both.mT, both.sum(0)]


def rows(a: Tensor, b: Tensor, c: Tensor) -> list[Tensor]:
    """One above the other."""
    both = Tensor.cat([(b.mT @ a.mT).contiguous(), (c.mT @ a.mT).contiguous()], 0).contiguous()
    return [both.mT @ both]


def read_twice(a: Tensor, b: Tensor, c: Tensor) -> list[Tensor]:
    one, other = (a @ b).contiguous(), (a @ c).contiguous()
    both = Tensor.cat([one, other], 1).contiguous()
    return [both @ both.mT, one @ one.mT]


def results_too(a: Tensor, b: Tensor, c: Tensor) -> list[Tensor]:
    one, other = (a @ b).contiguous(), (a @ c).contiguous()
    both = Tensor.cat([one, other], 1).contiguous()
    return [both @ both.mT, one]


def overlapping(a: Tensor, b: Tensor, c: Tensor) -> list[Tensor]:
    """Columns 20 to 30 are sums."""
    one, other = (a @ b).contiguous(), (a @ c).contiguous()
    both = (one.pad((0, 40)) + other.pad((24, 0))).contiguous() + one.pad((6, 34))
    return [both @ both.mT]


PRODUCTS = ((56, 48), (48, 24), (48, 40))
PROGRAMS: dict[str, tuple[Callable[..., list[Tensor]], tuple[tuple[int, ...], ...], int]] = {
    "heads": (heads_of, ((2, 48, 64), (192, 64), (2, 48, 64)), 0),
    "columns": (columns, PRODUCTS, 0),
    "rows": (rows, PRODUCTS, 0),
    "read twice": (read_twice, PRODUCTS, 1),
    "results too": (results_too, PRODUCTS, 1),
    "overlapping": (overlapping, PRODUCTS, 1),
}


def planned(program: Callable[..., list[Tensor]], arrays: list[Array]) -> tuple[KernelGraph, list[Any]]:
    form, buffers = canonical([t.node for t in program(*[Tensor(a, device="cpu") for a in arrays])])
    return schedule(*graph_of(form), GPU), [b.numpy() for b in buffers]


def count_copies(made: KernelGraph) -> int:
    return sum(not any(n.op is Op.FOLD for n in item.kernel.nodes) for item in made.items)


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_the_same_with_as_few_copies(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program, shapes, copies = PROGRAMS[name]
    rng = np.random.default_rng(0)
    arrays = [(rng.standard_normal(s) / 4).astype("float16") for s in shapes]
    before, given = planned(program, arrays)  # too small to be looked at
    monkeypatch.setattr(beside, "LEAST_BYTES", 1)
    made, _ = planned(program, arrays)
    assert [count_copies(before), count_copies(made)] == [1, copies]
    expected = program(*[Tensor(a.astype("float32"), device="cpu") for a in arrays])
    for ours, others, theirs in zip(run(made, given), run(before, given), expected, strict=True):
        np.testing.assert_array_equal(ours, others)
        exact = theirs.numpy().reshape(-1)
        assert np.linalg.norm(ours.astype("float32") - exact) <= 4e-3 * np.linalg.norm(exact)


def test_who_stores_keeps_its_form() -> None:
    def attended(x: Tensor, w: Tensor) -> Tensor:
        q, k, v = (x @ w.mT).reshape(2, 1024, 3, 4, 64).permute(2, 0, 3, 1, 4)
        return scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(2, 1024, 256)

    shapes = ((2, 1024, 256), (768, 256), (2, 1024, 256))
    x, w, slope = (Tensor.zeros(*s, dtype="bfloat16").realize() for s in shapes)
    form, _ = canonical([t.node for t in vjp(attended, x, w)[1](slope)])
    made = schedule(*graph_of(form), GPU)
    kernels = [item.kernel for item in made.items]
    back = [k for k in kernels if recomputed_of(k) is not None]
    assert sum(len(k.sink.src) for k in back) == 3
    assert all(len(k.outputs) == 1 for k in back)
    assert sum(contraction_of(k) is not None for k in kernels) == 3
    assert not count_copies(made)
