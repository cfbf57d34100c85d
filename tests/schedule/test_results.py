"""Results stored in the order in which products read them: no copy between, and the same values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, vjp
from saccade.codegen.cuda.search.moves import Card
from saccade.codegen.cuda.source import laid_out
from saccade.codegen.cuda.templates.attention.match import attention_of
from saccade.codegen.cuda.templates.product.match import contraction_of
from saccade.codegen.cuda.templates.recomputed.match import recomputed_of
from saccade.graph.ops import Op
from saccade.schedule.cost import GPU
from saccade.schedule.kernel_graph import KernelGraph
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of
from tests.schedule.test_online import run

HEADS = (2, 4, 48, 16)


def layer(q: Tensor, k: Tensor, v: Tensor, w: Tensor) -> Tensor:
    """Attention, and the layer behind it that reads the heads of a place side by side."""
    batch, heads, length, width = q.shape
    attended = ((q @ k.mT) * 0.25).softmax(-1) @ v
    return attended.transpose(1, 2).reshape(batch * length, heads * width) @ w.mT


def products(made: KernelGraph) -> list[str]:
    """Who multiplies in each plain product."""
    card = Card(shared=232448, wgmma=True)
    kernels = [item.kernel for item in made.items if contraction_of(item.kernel) is not None]
    moves = [laid_out(kernel, card).move for kernel in kernels]
    return [getattr(move, "by", "") for move in moves]


def test_the_layer_behind_attention_reads_a_matrix() -> None:
    shapes = ((2, 8, 1024, 64),) * 3
    given = [Tensor.zeros(*s, dtype="bfloat16").realize() for s in (*shapes, (512, 512))]
    form, _ = canonical([layer(*given).node])
    made = schedule(*graph_of(form), GPU)
    assert len(made.items) == 2
    assert attention_of(made.items[0].kernel) is not None
    assert products(made) == ["bulk"]


def test_heads_of_a_token_that_are_stored_once_are_not_copied() -> None:
    """Grouped heads of one token for each row, asked for as they are and side by side, in other types."""
    q, k = (Tensor.zeros(16, n, m, 64, dtype="bfloat16").realize() for n, m in ((8, 1), (2, 256)))
    seen = q.scaled_dot_product_attention(k, k, enable_gqa=True).transpose(1, 2).contiguous()
    form, _ = canonical([seen.flatten(2).float().bfloat16().contiguous().node])
    made = schedule(*graph_of(form), GPU)
    (item,) = made.items
    assert attention_of(item.kernel) is not None


@pytest.mark.parametrize("slopes", [False, True])
def test_values_are_the_same(slopes: bool) -> None:
    rng = np.random.default_rng(0)
    arrays: list[Any] = [
        rng.standard_normal(s).astype("float16") for s in (HEADS, HEADS, HEADS, (40, 64), (96, 40))
    ]

    def results(*given: Tensor) -> list[Tensor]:
        if not slopes:
            return [layer(*given[:-1])]
        return list(vjp(layer, *given[:-1])[1](given[-1]))

    form, buffers = canonical([t.node for t in results(*[Tensor(a, device="cpu") for a in arrays])])
    made = schedule(*graph_of(form), GPU)
    if slopes:
        assert any(recomputed_of(item.kernel) is not None for item in made.items)
    copies = [k for k in (i.kernel for i in made.items) if not any(n.op is Op.FOLD for n in k.nodes)]
    assert not copies
    expected = results(*[Tensor(a.astype("float32"), device="cpu") for a in arrays])
    for ours, theirs in zip(run(made, [b.numpy() for b in buffers]), expected, strict=True):
        exact = theirs.numpy().reshape(-1)
        assert np.linalg.norm(ours.astype("float32") - exact) <= 3e-3 * np.linalg.norm(exact)


def test_a_cpu_stores_heads_side_by_side_too() -> None:
    """No place that the layer behind attention reads is taken apart again."""
    shapes = ((2, 4, 96, 32),) * 3
    given = [Tensor.zeros(*s).realize() for s in (*shapes, (64, 128))]
    form, _ = canonical([layer(*given).node])
    *_, last = schedule(*graph_of(form)).items
    assert not any(n.op in (Op.IDIV, Op.MOD) for n in last.kernel.nodes)
