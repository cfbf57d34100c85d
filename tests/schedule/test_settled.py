"""Products that are stored anyway: what is made of them is made again, not stored beside them."""

from __future__ import annotations

from saccade import Tensor, vjp
from saccade.graph.ops import Op
from saccade.nn.functional import layer_norm
from saccade.schedule.cost import GPU
from saccade.schedule.kernel_graph import KernelGraph
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of
from tests.schedule.programs import scheduled

ROWS, WIDTH = 512, 256
MANY = 1 << 15


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


def norm_step() -> KernelGraph:
    """Forward and backward of two products around a layer norm, added to what they are of."""
    shapes = (MANY, WIDTH), (WIDTH, WIDTH), (WIDTH, WIDTH), (MANY, WIDTH)
    x, w, u, slope = (Tensor.zeros(*shape, dtype="bfloat16").realize() for shape in shapes)

    def layer(x: Tensor, w: Tensor, u: Tensor) -> Tensor:
        h = x @ w + x
        return layer_norm(h, (WIDTH,)) @ u + h

    result, back = vjp(layer, x, w, u)
    form, _ = canonical([t.node for t in (result, *back(slope))])
    return schedule(*graph_of(form), GPU)


def test_a_layer_norm_keeps_no_distances_from_the_mean() -> None:
    made = norm_step()
    large = [b for b in made.of_role("between") if b.size >= MANY * WIDTH]
    assert {b.dtype.name for b in large} == {"bfloat16"}


def test_readers_of_rows_begin_with_what_is_stored_last() -> None:
    def chained(x: Tensor) -> Tensor:
        for _ in range(8):
            x = x / x.sum(1, keepdim=True)
        return x

    x = Tensor.zeros(64, 4096).realize()
    form, _ = canonical([chained(x).node])
    longest = max(len(item.kernel.nodes) for item in schedule(*graph_of(form), GPU).items)
    assert longest < 80


def test_a_number_of_several_loads_is_made_once() -> None:
    def scaled(x: Tensor, a: Tensor, b: Tensor, c: Tensor) -> Tensor:
        return x * (a / (b + c))

    given = [Tensor.zeros(*shape).realize() for shape in ((1 << 22,), (1,), (1,), (1,))]
    form, _ = canonical([scaled(*given).node])
    number, scale = schedule(*graph_of(form), GPU).items
    assert len(number.kernel.params) == 4
    assert len(scale.kernel.params) == 3
    form, _ = canonical([(given[0] * (given[1] * 2)).node])
    assert len(schedule(*graph_of(form), GPU).items) == 1


def test_the_slope_of_a_gelu_is_a_map_behind_its_product() -> None:
    shapes = (1 << 14, 256), (256, 256)
    x, w = (Tensor.zeros(*shape, dtype="bfloat16").realize() for shape in shapes)
    h = Tensor.zeros(1 << 14, 256, dtype="bfloat16").realize()
    (slope,) = vjp(lambda h: h.gelu(), h)[1](x @ w)
    form, _ = canonical([slope.node])
    product, after = schedule(*graph_of(form), GPU).items
    assert [n.op for n in product.kernel.nodes if n.op is Op.ERF or n.op is Op.EXP] == []
    assert {dtype.name for dtype, _ in after.kernel.params} == {"bfloat16"}
    form, _ = canonical([(x @ w).gelu().node])  # one function of each result is as well made where it is
    assert len(schedule(*graph_of(form), GPU).items) == 1


def test_sines_of_columns_are_made_once_for_many_rows() -> None:
    assert len(scheduled(lambda x, a: x * a.sin(), (2048, 512), (512,)).items) == 2
    assert len(scheduled(lambda x, a: x * a.sin(), (4, 512), (512,)).items) == 1
    assert len(scheduled(lambda x, a: x * a.sin(), (2048, 512), (2048, 1)).items) == 1  # once a row


def test_parts_that_take_turns_are_not_stored_for_it() -> None:
    """Each is made for its own elements."""
    made = scheduled(
        lambda x, y: Tensor.stack([(x * y).exp(), (x + y).sin()], -1).reshape(512, 1024), *[(512, 512)] * 2
    )
    assert len(made.items) == 1


def test_memory_is_not_copied_for_being_contiguous() -> None:
    assert len(scheduled(lambda x: x.reshape(16, 32).contiguous() * 2, (512,)).items) == 1
    assert len(scheduled(lambda x: x.reshape(16, 32).contiguous(), (512,)).items) == 1
    x = Tensor.ones(512).realize()
    y = x.reshape(16, 32).clone().realize()
    x += 1
    assert y.sum().item() == 512


def test_a_power_of_matrices_has_no_product_with_the_identity() -> None:
    made = scheduled(lambda x: x.matrix_power(5), (256, 256))
    assert sum(n.op is Op.FOLD for item in made.items for n in item.kernel.nodes) == 3
