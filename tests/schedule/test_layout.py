"""Which factors a GPU's products get copies of, and how those lie."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from saccade import Tensor
from saccade.graph import dtypes
from saccade.graph.kernels.kernel import Kernel
from saccade.graph.node import Node
from saccade.graph.ops import Op
from saccade.graph.rules.symbolic import coefficient_of
from saccade.schedule.cost import CPU, GPU, Machine
from saccade.schedule.products import layout
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of

#: one that makes every product in one piece
WHOLE = replace(GPU, processors=0)


def tensor(*shape: int, dtype: str = "float16") -> Tensor:
    return Tensor(np.zeros(shape, dtype))


def kernels(*results: Tensor, machine: Machine = WHOLE) -> list[Kernel]:
    form, _ = canonical([r.node for r in results])
    return [item.kernel for item in schedule(*graph_of(form), machine).items]


def products(made: list[Kernel]) -> list[tuple[Node, list[Node]]]:
    """The sums, each with the loads of its factors."""
    folds = [n for kernel in made for n in kernel.nodes if n.op is Op.FOLD]
    return [(f, [n for n in f.toposort() if n.op is Op.LOAD]) for f in folds]


def runs_along(load: Node) -> list[int]:
    """The sizes of the loops along which neighbours lie side by side."""
    return [int(r.src[0].arg) for r in load.ranges if coefficient_of(load.src[1], r) == 1]


def test_channels_of_a_convolution_lie_side_by_side() -> None:
    x, w, b = tensor(4, 64, 20, 24), tensor(96, 64, 3, 3), tensor(96)
    made = kernels(x.conv2d(w, b, padding=1).relu())
    assert len(made) == 3  # a copy of each factor, then everything else
    assert "along its sum" in made[0].reason
    ((_, loads),) = products(made)
    assert [runs_along(load) for load in loads] == [[64], [64]]


@pytest.mark.parametrize(
    "result",
    [
        tensor(4, 64, 400).conv1d(tensor(32, 64, 5)),
        tensor(4, 64, 20, 24).conv2d(tensor(32, 64, 3, 3), stride=2, dilation=(1, 2)),
        tensor(2, 64, 9, 10, 11).conv3d(tensor(32, 64, 3, 3, 3), padding=1),
        tensor(4, 128, 20, 24).conv2d(tensor(64, 64, 3, 3), padding=1, groups=2),
        tensor(2, 64, 12, 12).conv_transpose2d(tensor(64, 32, 4, 4), stride=2, padding=1),
        tensor(4, 64, 20, 24, dtype="float32").conv2d(tensor(32, 64, 3, 3, dtype="float32")),
        tensor(16, 64, 14, 14).conv2d(tensor(32, 64, 1, 1)),
    ],
    ids=["1d", "strides", "3d", "groups", "transposed", "float32", "points in odd rows"],
)
def test_windows_of_every_kind(result: Tensor) -> None:
    ((_, loads),) = products(kernels(result))
    assert [runs_along(load) for load in loads] == [[64], [64]]
    assert all(len(load.src) == 2 for load in loads)  # nothing is masked where it is multiplied


def test_points_of_float32_in_odd_rows_are_read_where_they_lie() -> None:
    x, w = (tensor(*shape, dtype="float32") for shape in ((16, 33, 29, 29), (33, 33, 1, 1)))
    assert len(kernels(x.conv2d(w))) == 1  # threads copy such rows word by word


def test_one_copy_serves_all_readers_of_an_input() -> None:
    x = tensor(4, 64, 20, 24)
    made = kernels(x.conv2d(tensor(96, 64, 3, 3), padding=1), x.conv2d(tensor(32, 64, 3, 3), padding=1))
    assert len(made) == 1 + 2 + 2


def test_a_product_is_finished_before_its_result_is_padded() -> None:
    x, w = tensor(4, 64, 20, 24), tensor(64, 64, 3, 3)
    made = kernels(x.conv2d(w, padding=1).relu().conv2d(w, padding=1))
    assert all(len(load.src) == 2 for _, loads in products(made) for load in loads)
    assert len(products(made)) == 2


def test_channels_are_filled_up_with_zeros() -> None:
    made = kernels(tensor(4, 3, 40, 40).conv2d(tensor(64, 3, 7, 7), padding=3, stride=2))
    ((fold, loads),) = products(made)
    assert [runs_along(load) for load in loads] == [[8], [8]]
    assert sorted(int(r.src[0].arg) for r in fold.src[1:]) == [7, 7, 8]


def test_what_would_not_gain_stays() -> None:
    few_channels = tensor(4, 2, 40, 40).conv2d(tensor(64, 2, 3, 3))
    odd_groups = tensor(4, 36, 20, 24).conv2d(tensor(36, 12, 3, 3), groups=3)
    depthwise = tensor(4, 64, 20, 24).conv2d(tensor(64, 1, 3, 3), groups=64)
    tiny = tensor(1, 8, 6, 6).conv2d(tensor(8, 8, 3, 3))
    pooled = tensor(4, 64, 20, 24).avg_pool2d(3, 1)
    pointwise = tensor(4, 64, 20, 24).conv2d(tensor(32, 64, 1, 1))
    for result in (few_channels, odd_groups, depthwise, tiny, pooled, pointwise):
        assert len(kernels(result)) == 1


def test_other_machines_pack_for_themselves() -> None:
    result = tensor(4, 64, 20, 24).conv2d(tensor(96, 64, 3, 3), padding=1)
    assert len(kernels(result, machine=CPU)) < 3


def test_bytes_are_turned_where_they_are_used_again_and_again() -> None:
    a, b = tensor(512, 1024, dtype="int8"), tensor(1024, 512, dtype="int8")
    ((_, loads),) = products(kernels(a.matmul(b, dtype="int32")))
    assert [runs_along(load) for load in loads] == [[1024], [1024]]
    assert len(kernels(a.matmul(b, dtype="int32"))) == 2
    assert len(kernels(a.matmul(b.T.contiguous().realize().T, dtype="int32"))) == 1
    assert len(kernels(a[:32].matmul(b, dtype="int32"))) == 1


def test_float32_is_turned_only_for_tf32() -> None:
    a, b = tensor(512, 1024, dtype="float32"), tensor(1024, 512, dtype="float32")
    tf32 = replace(WHOLE, along_sums=GPU.along_sums | {dtypes.float32})
    assert len(kernels(a @ b)) == 1
    assert len(kernels(a @ b, machine=tf32)) == 3  # both are rounded to what tensor cores see


@pytest.mark.parametrize("dtype", ["int8", "uint8", "float8_e4m3"])
def test_weights_are_dequantised_inside_the_product(dtype: str) -> None:
    a, scale = tensor(512, 1024), tensor(512)
    b = tensor(1024, 512, dtype="uint8").cast(dtype).contiguous().realize()
    assert len(kernels(a @ (b.half() * scale))) == 1
    assert len(kernels(a @ b.half())) == 1


def test_weights_of_a_convolution_are_dequantised_in_their_copy() -> None:
    w = tensor(96, 64, 3, 3, dtype="int8")
    ((_, loads),) = products(kernels(tensor(4, 64, 20, 24).conv2d(w.half() * 0.5, padding=1)))
    assert [load.dtype for load in loads] == [dtypes.float16, dtypes.float16]
    assert [runs_along(load) for load in loads] == [[64], [64]]


def test_gathered_rows_are_multiplied_where_they_lie() -> None:
    table, rows = tensor(5000, 256), Tensor(np.zeros(512, "int64"))
    assert len(kernels(table.index_select(0, rows) @ tensor(256, 512))) == 1


def test_halves_in_odd_rows_get_copies_in_whole_chunks_where_these_pay() -> None:
    a, b = tensor(2665, 777), tensor(777, 129)
    made = kernels(a @ b, machine=GPU)
    assert len(made) == 3
    ((_, loads),) = products(made[-1:])
    assert [runs_along(load) for load in loads] == [[784], [784]]
    assert len(kernels(a.relu() @ b, machine=GPU)) == 1  # computed on its way
    assert len(kernels(tensor(2665, 776) @ tensor(776, 136), machine=GPU)) == 1
    narrow, small = tensor(26665, 777) @ tensor(777, 10), tensor(5329, 27, 27) @ tensor(5329, 27, 27)
    for result in (narrow, small, tensor(2665, 257) @ tensor(257, 257)):
        assert len(kernels(result, machine=GPU)) == 1


def test_the_copies_of_odd_rows_are_part_of_the_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    result = tensor(265, 333) @ tensor(8003, 333).T
    assert len(kernels(result, machine=GPU)) == 3
    with monkeypatch.context() as patch:
        patch.setattr(layout, "MEMORY_RATE", layout.MEMORY_RATE / 10)
        assert len(kernels(result, machine=GPU)) == 1
    monkeypatch.setattr(layout, "COPY", layout.COPY + 10)
    assert len(kernels(result, machine=GPU)) == 1


def test_what_a_product_in_odd_rows_reads_is_finished_before_it_is_copied() -> None:
    """Zeros behind the rows would be in the way of the product that makes them."""
    made = kernels((tensor(617, 333) @ tensor(333, 901)).relu() @ tensor(901, 333), machine=GPU)
    assert all(len(load.src) == 2 for _, loads in products(made) for load in loads)
    assert len(products(made)) == 2


def test_products_of_odd_rows_from_copies_are_what_they_were() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, shape).astype("float16") for shape in ((265, 333), (333, 903)))
    a[3], b[:, 7] = np.nan, np.inf
    (root,) = layout.factors_laid_out(((Tensor(a) @ Tensor(b)).node,), GPU)
    made = Tensor._of(root)
    assert made.node is not (Tensor(a) @ Tensor(b)).node
    with np.errstate(invalid="ignore"):
        exact = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_array_equal(made.double().numpy(), exact)


@pytest.mark.parametrize("width", [33, 65])
def test_attention_reads_odd_rows_as_they_lie(width: int) -> None:
    q, k, v = (tensor(125, 333, width) for _ in range(3))
    assert len(kernels((q @ k.mT * 0.2).softmax(-1) @ v, machine=GPU)) == 1
