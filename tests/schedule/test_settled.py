"""Products that are stored anyway: what is made of them is made again, not stored beside them."""

from __future__ import annotations

from saccade import Tensor, vjp
from saccade.graph.ops import Op
from saccade.schedule.cost import GPU
from saccade.schedule.kernel_graph import KernelGraph
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of

ROWS, WIDTH = 512, 256


def gelu_step() -> KernelGraph:
    """Forward and backward of gelu(x @ w) @ u."""
    shapes = (ROWS, WIDTH), (WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH), (ROWS, WIDTH)
    x, w, u, slope = (Tensor.zeros(*shape, dtype="bfloat16").realize() for shape in shapes)
    result, back = vjp(lambda x, w, u: (x @ w).gelu() @ u, x, w, u)
    form, _ = canonical([t.node for t in (result, *back(slope))])
    return schedule(*graph_of(form), GPU)


def test_backward_of_gelu_stores_nothing_in_float32() -> None:
    made = gelu_step()
    large = [b for b in made.of_role("between") if b.size >= ROWS * 4 * WIDTH]
    assert {b.dtype.name for b in large} == {"bfloat16"}


def test_a_gradient_of_one_element_a_row_is_no_scatter() -> None:
    x, places = Tensor.zeros(64, 100).realize(), Tensor.zeros(64, 1, dtype="int64").realize()
    (slope,) = vjp(lambda x: x.gather(1, places), x)[1](Tensor.ones(64, 1))
    assert all(n.op is not Op.SCATTER for n in slope.node.toposort())
