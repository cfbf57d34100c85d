"""Sums of rows and what is made of the rows with them, in one kernel: rows are read once, values the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit, vjp
from saccade.graph.ops import Op
from saccade.nn.functional import layer_norm
from saccade.schedule.cost import GPU
from saccade.schedule.kernel_graph import KernelGraph
from saccade.schedule.rows import rowwise
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.schedule.test_online import run

Array = np.ndarray[Any, Any]


def centred(x: Tensor, w: Tensor, b: Tensor, slope: Tensor) -> list[Tensor]:
    """Rows less their mean, and the means as a result of their own."""
    rows = (x @ x.mT @ x).contiguous()
    means = rows.mean(1, keepdim=True).contiguous()
    return [((rows - means) * w).contiguous(), means, means.exp() * slope, rows.mT @ rows]


def overwritten(x: Tensor, w: Tensor, b: Tensor, slope: Tensor) -> list[Tensor]:
    """Rows that nobody reads later."""
    rows = (x @ x.mT @ x).contiguous()
    means = rows.mean(1, keepdim=True).contiguous()
    return [((rows - means) * w).contiguous() @ w.reshape(-1, 1), means]


def turned(x: Tensor, w: Tensor, b: Tensor, slope: Tensor) -> list[Tensor]:
    """Sums down the columns are of no rows."""
    rows = (x @ x.mT @ x).contiguous()
    sums = rows.sum(0, keepdim=True).contiguous()
    return [((rows - sums) * w).contiguous(), sums]


PROGRAMS: dict[str, Callable[..., list[Tensor]]] = {
    "centred": centred,
    "overwritten": overwritten,
    "turned": turned,
}


def planned(program: Callable[..., list[Tensor]], arrays: list[Array]) -> tuple[KernelGraph, list[Any]]:
    form, buffers = canonical([t.node for t in program(*[Tensor(a, device="cpu") for a in arrays])])
    return schedule(*graph_of(form), GPU), [b.numpy() for b in buffers]


def inputs(rows: int, length: int) -> list[Array]:
    rng = np.random.default_rng(length)
    shapes = ((rows, length), (length,), (length,), (rows, 1))
    return [(rng.standard_normal(shape) / 4).astype("float32") for shape in shapes]


@pytest.mark.parametrize(("name", "fewer"), [("centred", 1), ("overwritten", 0), ("turned", 0)])
def test_values_are_the_same_with_a_kernel_less(
    name: str, fewer: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays = inputs(24, 40)
    before, given = planned(PROGRAMS[name], arrays)  # too small to be looked at
    monkeypatch.setattr(rowwise, "LEAST_BYTES", 1)
    made, _ = planned(PROGRAMS[name], arrays)
    assert len(before.items) - len(made.items) == fewer
    for ours, others in zip(run(made, given), run(before, given), strict=True):
        np.testing.assert_allclose(ours, others, rtol=2e-6, atol=1e-7)


def test_a_layer_norm_of_a_model_is_one_kernel() -> None:
    x, w, b, slope = (
        Tensor.zeros(*shape, dtype="bfloat16").realize()
        for shape in ((4096, 768), (768,), (768,), (4096, 768))
    )
    made, back = vjp(lambda *a: layer_norm(a[0] * 2, (768,), *a[1:]), x, w, b)
    form, _ = canonical([t.node for t in (made, *back(slope))])
    kernels = [item.kernel for item in schedule(*graph_of(form), GPU).items]
    sizes = [(len(k.order), len(k.sink.src)) for k in kernels if any(n.op is Op.FOLD for n in k.nodes)]
    assert any(loops == 2 and stores > 1 for loops, stores in sizes), sizes


@needs_compiler
def test_threads_of_a_row_store_what_is_summed_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rowwise, "LEAST_BYTES", 1)
    arrays = inputs(37, 72)
    with emulated_gpu():
        ours = [t.numpy() for t in jit(centred)(*[Tensor(a, device="cuda").realize() for a in arrays])]
    expected = [t.numpy() for t in centred(*[Tensor(a, device="cpu") for a in arrays])]
    for one, other in zip(ours, expected, strict=True):
        assert np.linalg.norm(one - other) <= 1e-5 * np.linalg.norm(other)
