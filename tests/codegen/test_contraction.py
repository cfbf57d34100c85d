"""Sums of products: register tiles and packed operands change nothing, whether sizes divide or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import Tensor, dtypes, where
from saccade.codegen.cpu.heuristic import optimise
from saccade.codegen.cpu.products import panels, tiles
from saccade.codegen.cpu.products.panels import panels_of
from saccade.codegen.cpu.products.products import tile_contractions
from saccade.codegen.cpu.vectors import IN_TURNS
from saccade.codegen.moves.moves import Pack, Split, Widen
from saccade.graph.kernels.kernel import LOOP, UNROLL, VECTOR, Kernel, is_register, range_size
from saccade.graph.node import const, make, own_ranges
from saccade.graph.ops import Op
from saccade.graph.rules.symbolic import coefficient_of
from saccade.runtime.cpu.machine import AVX512, NEON, Registers, assuming, host_registers
from tests.schedule.programs import scheduled


def whole(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:  # type: ignore[type-arg]
    """Small whole numbers: sums of their products are exact in any order."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32)


def test_a_matrix_product_gets_a_register_tile() -> None:
    kernel = optimise(scheduled(lambda x, y: x @ y, (128, 64), (64, 128)).items[0].kernel)
    kinds = {r.arg.kind for r in kernel.order}
    assert {VECTOR, UNROLL} <= kinds
    assert any(isinstance(move, Split) for move in kernel.moves)


@pytest.mark.parametrize(("size", "stride", "straight"), [(2, 2, True), (3, 1, False)])
def test_windows_side_by_side_are_straight_code(size: int, stride: int, straight: bool) -> None:
    """Their steps have no lone factors in common, which would take the registers of the sums."""
    with assuming(AVX512):
        kernel = optimise(
            scheduled(lambda x, w: x.conv2d(w, stride=stride), (4, 96, 28, 28), (192, 96, size, size))
            .items[0]
            .kernel
        )
    (fold,) = (n for n in kernel.nodes if n.op is Op.FOLD)
    assert (own_ranges(fold)[-1].arg.kind == UNROLL) == straight


def test_an_operand_whose_rows_lie_apart_is_packed() -> None:
    kernel = optimise(scheduled(lambda x, y: x @ y.T, (256, 256), (256, 256)).items[0].kernel)
    assert any(isinstance(move, Pack) for move in kernel.moves)
    assert any(n.op is Op.STAGE for n in kernel.nodes)


@pytest.mark.parametrize(("rows", "packs"), [(5, False), (8, False), (16, False), (48, False), (2048, True)])
def test_few_rows_read_a_matrix_as_it_lies(rows: int, packs: bool) -> None:
    """A copy costs as much as 20 multiplications of each vector: 8 to 48 rows took up to twice as long."""
    with assuming(AVX512):
        kernel = optimise(scheduled(lambda x, y: x @ y, (rows, 256), (256, 1024)).items[0].kernel)
    assert any(n.op is Op.STAGE for n in kernel.nodes) == packs


@pytest.mark.parametrize("sizes", [(256, 256, 64), (65, 7, 130), (16, 100, 16)])
def test_a_tile_is_made_once_for_all_parts_it_is_padded_to(
    sizes: tuple[int, int, int], rng: np.random.Generator
) -> None:
    """The gradient of one of three slices, of some heads: the slices are the innermost loop."""
    m, k, n = sizes

    def parts(x: Tensor, y: Tensor, z: Tensor) -> Tensor:
        return (x @ y).transpose(0, 1).unsqueeze(1).pad((0, 0, 0, 0, 1, 1)) + z

    shapes = (2, m, k), (2, k, n), (m, 3, 2, n)
    kernel = optimise(scheduled(parts, *shapes).items[0].kernel)
    product = next(node for node in kernel.nodes if node.op is Op.FOLD)
    loops = [r for r in kernel.order if not is_register(r)]
    assert [r in product.ranges for r in loops] == sorted((r in product.ranges for r in loops), reverse=True)
    x, y, z = (rng.standard_normal(shape, np.float32) for shape in shapes)
    expected = z.copy()
    expected[:, 1] += (x @ y).transpose(1, 0, 2)
    np.testing.assert_allclose(parts(Tensor(x), Tensor(y), Tensor(z)).numpy(), expected, rtol=1e-4, atol=1e-4)


def test_weights_are_packed_once_for_all_rows_of_an_image() -> None:
    with assuming(AVX512):
        kernel = optimise(
            scheduled(lambda x, w: x.conv2d(w, padding=1), (1, 256, 14, 14), (256, 256, 3, 3)).items[0].kernel
        )
    (pack,) = (move for move in kernel.moves if isinstance(move, Pack))
    assert kernel.order[0].arg.number == pack.at


@pytest.mark.parametrize(("threads", "tiles"), [(1, 4), (2, 4), (2, 6), (2, 24), (3, 6), (4, 12)])
def test_panels_leave_no_thread_without_work(
    threads: int, tiles: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four tiles in panels of three are 3 and 1: two threads would take as long as for six tiles."""
    monkeypatch.setattr(panels, "settings", replace(panels.settings, threads=threads))
    monkeypatch.setattr(panels, "near_caches", lambda: (32 * 1024, 1024 * 1024))
    with assuming(AVX512):
        together = panels_of(32 * tiles, 32, column=4 * 1152, rows=28).columns // 32
    shares = [0] * threads
    for start in range(0, tiles, together):
        shares[shares.index(min(shares))] += min(together, tiles - start)
    assert max(shares) == min(shares)


@pytest.mark.parametrize("packs_rows", [False, True])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_panels_of_factors_four_to_a_register_fill_the_cache(
    threads: int, packs_rows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As wide as the second cache allows, where that leaves all threads as much to do."""
    monkeypatch.setattr(panels, "settings", replace(panels.settings, threads=threads))
    monkeypatch.setattr(panels, "near_caches", lambda: (64 * 1024, 1024 * 1024))
    tiles, column = 36, 4 * 512
    with assuming(NEON):
        columns = panels_of(24 * tiles, 24, column, rows=784, packs_rows=packs_rows).columns
    assert columns % 24 == 0
    assert 128 * 1024 <= columns * column <= (640 if packs_rows else 256) * 1024
    shares = [0] * threads
    for start in range(0, tiles, columns // 24):
        shares[shares.index(min(shares))] += min(columns // 24, tiles - start)
    assert max(shares) == tiles // threads


@pytest.mark.parametrize("inner", [776, 777])
def test_a_tile_by_broadcast_does_not_depend_on_what_divides_the_sum(inner: int) -> None:
    def tile(inner: int) -> int:
        with assuming(AVX512):
            kernel = optimise(scheduled(lambda x, y: x @ y, (128, inner), (inner, 768)).items[0].kernel)
        return prod(range_size(r) for r in kernel.order if r.arg.kind in (VECTOR, UNROLL)) // 16

    assert 16 <= tile(inner) <= 28


@pytest.mark.parametrize("inner", [9, 333, 334, 335])
@pytest.mark.parametrize("turned", [False, True])
def test_a_sum_that_four_do_not_divide_has_the_tile_of_one_that_they_do(inner: int, turned: bool) -> None:
    def made(inner: int) -> Kernel:
        shape = (901, inner) if turned else (inner, 901)
        product = scheduled(lambda x, y: x @ (y.T if turned else y), (77, inner), shape)
        return optimise(product.items[0].kernel)

    with assuming(NEON):
        tiles = [
            sorted(range_size(r) for r in made(n).order if r.arg.kind in (VECTOR, UNROLL))
            for n in (inner, inner + -inner % 4)
        ]
    assert tiles[0] == tiles[1]
    x, y = whole((77, inner)), whole((901, inner) if turned else (inner, 901), 1)
    found = Tensor(x) @ (Tensor(y).T if turned else Tensor(y))
    np.testing.assert_array_equal(found.numpy(), x @ (y.T if turned else y))


@pytest.mark.parametrize(
    ("image", "weights", "options"),
    [
        ((2, 24, 14, 14), (40, 24, 3, 3), {"padding": 1}),
        ((1, 32, 7, 7), (96, 32, 3, 3), {"padding": 1, "stride": 2}),
        ((2, 16, 9, 9), (16, 8, 3, 3), {"groups": 2}),
    ],
)
def test_convolutions_of_small_images(
    image: tuple[int, ...], weights: tuple[int, ...], options: dict[str, int]
) -> None:
    x, w = whole(image), whole(weights, 1)
    found = Tensor(x).conv2d(Tensor(w), **options).numpy()
    np.testing.assert_array_equal(
        found, Tensor(x, device="interpreter").conv2d(Tensor(w, device="interpreter"), **options).numpy()
    )


def test_two_factors_whose_rows_lie_apart_are_both_packed() -> None:
    with assuming(Registers(16, 32)):
        for m, n in ((256, 256), (65, 65), (65, 777)):
            kernel = optimise(scheduled(lambda x, y: x.T @ y, (512, m), (512, n)).items[0].kernel)
            assert sum(isinstance(move, Pack) for move in kernel.moves) == 2


@pytest.mark.parametrize(
    ("rows", "inner", "columns"),
    [(256, 320, 256), (67, 300, 261), (33, 1000, 130), (65, 1000, 65), (777, 500, 65), (29, 2500, 100)],
)
def test_products_down_the_columns_of_both(rows: int, inner: int, columns: int) -> None:
    x, y = whole((inner, rows)), whole((inner, columns), 1)
    np.testing.assert_array_equal((Tensor(x).T @ Tensor(y)).numpy(), x.T @ y)


def test_short_sums_and_updates_in_place_are_left_alone() -> None:
    short = scheduled(lambda x, y: x @ y, (64, 4), (4, 64)).items[0].kernel
    assert tile_contractions(short) == short


@settings(max_examples=12)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 40), st.booleans(), st.booleans())
def test_products_of_every_size(rows: int, inner: int, columns: int, flip_x: bool, flip_y: bool) -> None:
    x, y = whole((rows, inner)), whole((inner, columns), 1)
    a = Tensor(np.ascontiguousarray(x.T)).T if flip_x else Tensor(x)
    b = Tensor(np.ascontiguousarray(y.T)).T if flip_y else Tensor(y)
    np.testing.assert_array_equal((a @ b).numpy(), x @ y)


@pytest.mark.parametrize(
    "dtype", [dtypes.float64, dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16]
)
def test_products_of_other_types(dtype: dtypes.DType) -> None:
    x, y = whole((33, 17)), whole((17, 50), 1)
    found = (Tensor(x).cast(dtype) @ Tensor(y).cast(dtype)).float().numpy()
    np.testing.assert_array_equal(found, x @ y)


@settings(max_examples=8)
@given(st.sampled_from([1, 15, 16, 17, 40]), st.sampled_from([7, 16, 33]), st.sampled_from([4, 8, 24]))
def test_attention_of_every_size(rows: int, keys: int, width: int) -> None:
    """The scores are kept in cache for a block of rows; the last block overlaps the one before."""
    q, k, v = whole((rows, width)), whole((keys, width), 1), whole((keys, 20), 2)
    scores = (q @ k.T).astype(np.float64) / 4
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    wanted = weights / weights.sum(-1, keepdims=True) @ v
    found = ((Tensor(q) @ Tensor(k).T) / 4).softmax(-1) @ Tensor(v)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("stride", "padding", "dilation"), [(1, 0, 1), (1, 1, 1), (2, 1, 1), (1, 2, 2)])
def test_convolutions(stride: int, padding: int, dilation: int) -> None:
    x, w = whole((2, 8, 13, 11)), whole((20, 8, 3, 3), 1)
    found = Tensor(x).conv2d(Tensor(w), stride=stride, padding=padding, dilation=dilation).numpy()
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    reach = 2 * dilation + 1
    rows, columns = ((padded.shape[a] - reach) // stride + 1 for a in (2, 3))
    wanted = np.zeros((2, 20, rows, columns), np.float32)
    for i in range(3):
        for j in range(3):
            part = padded[:, :, i * dilation :, j * dilation :][
                :, :, : stride * rows : stride, : stride * columns : stride
            ]
            wanted += np.einsum("nchw,oc->nohw", part[:, :, :rows, :columns], w[:, :, i, j])
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("axis", [0, 1])
def test_running_sums_of_products(axis: int) -> None:
    """The loop along which the sum runs stays inside the loops of the tile."""
    x, y = whole((40, 32)), whole((32, 48), 1)
    found = (Tensor(x) @ Tensor(y)).cumsum(axis).numpy()
    np.testing.assert_array_equal(found, (x @ y).cumsum(axis))


def test_a_running_minimum_of_a_convolution() -> None:
    x, w = whole((1, 4, 12, 9)), whole((8, 4, 3, 1), 1)
    made = Tensor(x).conv2d(Tensor(w), padding=(1, 0)) - 1
    np.testing.assert_array_equal(made.cummin(2).values.numpy(), np.minimum.accumulate(made.numpy(), axis=2))


def test_products_that_are_scattered() -> None:
    x, y, rows = whole((40, 32)), whole((32, 48), 1), np.random.default_rng(2).permutation(64)[:40]
    index = Tensor(rows[:, None].copy()).expand(40, 48)
    found = Tensor(np.zeros((64, 48), np.float32)).scatter(0, index, Tensor(x) @ Tensor(y)).numpy()
    wanted = np.zeros((64, 48), np.float32)
    wanted[rows] = x @ y
    np.testing.assert_array_equal(found, wanted)


def test_distances_get_a_register_tile() -> None:
    distances = scheduled(lambda x, y: ((x[:, None] - y) ** 2).sum(-1), (100, 30), (70, 30)).items[0].kernel
    assert {VECTOR, UNROLL} <= {r.arg.kind for r in optimise(distances).order}


@settings(max_examples=8)
@given(st.integers(1, 40), st.integers(12, 40), st.integers(1, 40))
def test_sums_of_what_is_made_of_two(rows: int, inner: int, columns: int) -> None:
    x, y = whole((rows, inner)), whole((columns, inner), 1)
    a, b = Tensor(x)[:, None], Tensor(y)
    np.testing.assert_array_equal(((a - b) ** 2).sum(-1).numpy(), ((x[:, None] - y) ** 2).sum(-1))
    np.testing.assert_array_equal((a - b).abs().sum(-1).numpy(), np.abs(x[:, None] - y).sum(-1))
    np.testing.assert_array_equal(a.maximum(b).sum(-1).numpy(), np.maximum(x[:, None], y).sum(-1))


def test_a_lone_factor_that_takes_work_is_computed_once_for_a_block_of_rows() -> None:
    with assuming(Registers(16, 32)):
        plain = optimise(scheduled(lambda x, y: x @ y, (256, 300), (300, 256)).items[0].kernel)
        worked = optimise(scheduled(lambda x, y: x.relu() @ y, (256, 300), (300, 256)).items[0].kernel)
    made = [n for n in worked.nodes if n.op is Op.MAX]
    assert made
    assert sum(prod(map(range_size, n.ranges)) for n in made) <= 1.1 * 256 * 300
    packs = [sum(isinstance(move, Pack) for move in kernel.moves) for kernel in (plain, worked)]
    assert packs[1] == packs[0] + 1


@pytest.mark.parametrize("call", [Tensor.tril, Tensor.relu])
def test_rows_of_a_factor_that_takes_work_are_copied_in_vectors(call: Callable[[Tensor], Tensor]) -> None:
    """They lie along the sum, as far apart as the first cache likes."""
    with assuming(AVX512):
        kernel = optimise(scheduled(lambda x, y: call(x) @ y, (512, 512), (512, 512)).items[0].kernel)
    tiles = [n for n in kernel.nodes if n.op is Op.STAGE]
    assert len(tiles) == 2
    for tile in tiles:
        (lane,) = (r for r in own_ranges(tile) if r.arg.kind == VECTOR)
        assert coefficient_of(tile.src[1], lane) == 1
    (fold,) = (n for n in kernel.nodes if n.op is Op.FOLD)
    (lone,) = (load for load in fold.src[0].src if not any(r.arg.kind == VECTOR for r in load.ranges))
    (row,) = (r for r in lone.ranges if r.arg.kind == UNROLL)
    assert coefficient_of(lone.src[1], row) == 512 + 16


def test_a_panel_that_follows_a_loop_is_packed_once_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outer products of (s, i, a) and (s, j, c): what is packed follows i or j, not both."""
    for module in (panels, tiles):
        monkeypatch.setattr(module, "settings", replace(panels.settings, threads=1))
    factors = ((2, 300, 24, 16), (2, 300, 24, 16))
    with assuming(AVX512):
        plan = scheduled(lambda x, y: Tensor.einsum("bsia,bsjc->bijac", x, y), *factors)
        kernel = optimise(plan.items[0].kernel)
    (tile,) = (n for n in kernel.nodes if n.op is Op.STAGE)
    around = kernel.order[: 1 + max(kernel.order.index(r) for r in tile.ranges)]
    assert prod(map(range_size, [*around, *own_ranges(tile)])) <= 1.4 * prod(factors[0])


@pytest.mark.parametrize("size", [70, 256, 333])
def test_products_of_triangles(size: int) -> None:
    x, y = whole((size, size)), whole((size, size), 1)
    np.testing.assert_array_equal((Tensor(x).tril() @ Tensor(y)).numpy(), np.tril(x) @ y)
    np.testing.assert_array_equal((Tensor(x).triu(3) @ Tensor(y)).numpy(), np.triu(x, 3) @ y)
    np.testing.assert_array_equal((Tensor(x) @ Tensor(y).tril()).numpy(), x @ np.tril(y))


@pytest.mark.parametrize("rows", [50, 67, 255])
@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.float16, dtypes.bfloat16], ids=str)
def test_products_of_factors_that_take_work(rows: int, dtype: dtypes.DType) -> None:
    x, y = whole((rows, 70)), whole((70, 131), 1)
    made = (Tensor(x).cast(dtype).relu() @ (Tensor(y).cast(dtype) * 2)).float().numpy()
    np.testing.assert_array_equal(made, np.maximum(x, 0) @ (y * 2))


def test_rows_of_a_batch_share_no_block() -> None:
    def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return (q @ k.mT).softmax(-1) @ v

    lone = optimise(scheduled(attention, (32, 1, 64), *[(32, 200, 64)] * 2).items[0].kernel)
    several = optimise(scheduled(attention, (2, 32, 64), *[(2, 200, 64)] * 2).items[0].kernel)
    assert not any(isinstance(move, Widen) for move in lone.moves)
    assert any(isinstance(move, Widen) for move in several.moves)


def layers(x: Tensor, up: Tensor, down: Tensor, gate: Tensor) -> Tensor:
    return ((x @ up).gelu() * gate) @ down


def shaped_layers(rows: int, inner: int, hidden: int, columns: int, gate: tuple[int, int] = (1, 1)) -> Kernel:
    """Two products with a gate between them, the first in a tile."""
    shapes = (rows, inner), (inner, hidden), (hidden, columns), gate
    (item,) = scheduled(layers, *shapes).items
    return optimise(item.kernel)


@pytest.mark.parametrize(("registers", "rows", "lanes"), [(AVX512, 64, 32), (AVX512, 33, 16), (NEON, 64, 16)])
def test_a_block_of_rows_is_two_vectors_at_least(registers: Registers, rows: int, lanes: int) -> None:
    with assuming(registers):
        assert panels.block_of(rows, registers.bytes // 4) == lanes


@pytest.mark.parametrize("gate", [(64, 1), (64, 96), (1, 96)])
def test_all_that_a_block_of_rows_keeps_is_made_in_lanes(gate: tuple[int, int]) -> None:
    """Also what takes numbers that are apart in memory for neighbouring rows, or neighbours: one by one, the
    functions of a hidden layer took three quarters of its time."""
    kernel = shaped_layers(64, 64, 96, 48, gate)
    assert any(isinstance(move, Widen) for move in kernel.moves)
    for tile in (n for n in kernel.nodes if n.op is Op.STAGE):
        assert any(r.arg.kind == VECTOR for r in own_ranges(tile))


def test_dot_products_of_rows_in_tiles_are_made_one_by_one() -> None:
    """Several rows at once would fill several tiles."""
    shaped_layers(4096, 32, 64, 3, (4096, 1))


def test_products_in_a_tile_are_made_once_for_all_panels() -> None:
    with assuming(AVX512):
        kernel = shaped_layers(512, 64, 1024, 64)
    for tile in (n for n in kernel.nodes if n.op is Op.STAGE):
        held = [r in tile.ranges for r in kernel.order]
        assert held == sorted(held, reverse=True)


def test_each_of_two_sums_that_share_a_tile_is_packed() -> None:
    """The second was read a lane at a time: 77 ms for sums of 8 and 1,024 that took 5 apart."""

    def both(x: Tensor, a: Tensor, y: Tensor, b: Tensor) -> Tensor:
        return x @ a.T + y @ b.T

    (item,) = scheduled(both, (64, 16), (96, 16), (64, 64), (96, 64)).items
    assert sum(isinstance(move, Pack) for move in optimise(item.kernel).moves) == 2


@pytest.mark.parametrize(("one", "other"), [(16, 64), (64, 16), (5, 70), (33, 40)])
@pytest.mark.parametrize("rows", [3, 17, 64])
def test_two_sums_that_share_a_tile(rows: int, one: int, other: int) -> None:
    shapes = (rows, one), (99, one), (rows, other), (99, other)
    x, a, y, b = (whole(shape, n) for n, shape in enumerate(shapes))
    found = Tensor(x) @ Tensor(a).T + Tensor(y) @ Tensor(b).T
    np.testing.assert_array_equal(found.numpy(), x @ a.T + y @ b.T)


@pytest.mark.parametrize("rows", [16, 33, 64, 77])
@pytest.mark.parametrize("columns", [3, 48, 100])
@pytest.mark.parametrize("turned", [False, True])
def test_layers_of_every_size(rows: int, columns: int, turned: bool) -> None:
    x, up, down = (whole(s, n) for n, s in enumerate([(rows, 20), (20, 96), (96, columns)]))
    gate = whole((96, rows) if turned else (rows, 1), 4)
    found = ((Tensor(x) @ Tensor(up)).relu() * (Tensor(gate).T if turned else Tensor(gate))) @ Tensor(down)
    np.testing.assert_array_equal(
        found.numpy(), (np.maximum(x @ up, 0) * (gate.T if turned else gate)) @ down
    )


def test_rows_that_are_summed_are_wide_vectors() -> None:
    for build, shapes, wide in (
        (lambda x: x.sum(1), [(9, 200, 64)], 64),
        (lambda x: x.amax(1), [(9, 50, 256)], 128),
        (lambda x, y: x @ y, [(9, 1, 200), (9, 200, 64)], 64),
        (lambda x: x.exp().sum(1), [(9, 200, 64)], max(16, IN_TURNS * host_registers().bytes // 4)),
    ):
        kernel = optimise(scheduled(build, *shapes).items[0].kernel)
        assert [range_size(r) for r in kernel.order if r.arg.kind == VECTOR] == [wide]
    x, y = whole((9, 1, 200)), whole((9, 200, 64), 1)
    np.testing.assert_array_equal((Tensor(x) @ Tensor(y)).numpy(), x @ y)


def test_another_sum_over_the_loop_of_a_product_is_not_taken_for_it() -> None:
    kernel = scheduled(lambda x, y: x @ y, (64, 64), (64, 64)).items[0].kernel
    (fold,) = [n for n in kernel.nodes if n.op is Op.FOLD]
    nothing = make(Op.FOLD, fold.dtype, (const(0.0, fold.dtype), *fold.src[1:]), fold.arg)
    both = replace(kernel, sink=kernel.sink.substitute({fold: nothing + fold}))
    assert [n.op for n in both.nodes].index(Op.FOLD) == both.nodes.index(nothing)
    assert tile_contractions(both).moves == tile_contractions(kernel).moves


@pytest.mark.parametrize("shape", [(130, 70, 200), (57, 33, 49)])
def test_a_product_that_meets_more_at_every_point(shape: tuple[int, int, int]) -> None:
    """Sums fill the registers: what they meet is computed point by point, after them."""
    rows, length, columns = shape
    random = np.random.default_rng(0)
    arrays = [
        random.standard_normal(s).astype(np.float32)
        for s in ((rows, length), (length, columns), *[(rows, columns)] * 3)
    ]
    a, b, m, n, o = arrays
    given = [Tensor(array) for array in arrays]
    x, w, *others = given
    found = (x @ w) * (others[0] + others[1] * others[2])
    np.testing.assert_allclose(found.numpy(), (a @ b) * (m + n * o), rtol=1e-3, atol=1e-3)
    turned = ((x @ w) * others[0] + others[1]).T.contiguous()
    np.testing.assert_allclose(turned.numpy(), ((a @ b) * m + n).T, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("shape", [(100, 513, 260)])
def test_a_product_across_both_factors_is_packed_in_panels(shape: tuple[int, int, int]) -> None:
    rows, columns, length = shape
    random = np.random.default_rng(0)
    a, b = (random.standard_normal((length, n)).astype(np.float32) for n in (rows, columns))
    found = Tensor(a).T @ Tensor(b)
    np.testing.assert_allclose(found.numpy(), a.T @ b, rtol=1e-3, atol=1e-3)


def test_results_of_short_sums_are_stored_in_long_runs() -> None:
    """A panel has more columns than a tile of registers, and rows go along it."""
    with assuming(AVX512):
        kernel = optimise(
            scheduled(lambda x, w: x.conv1d(w, stride=5), (3, 1, 11025), (64, 1, 10)).items[0].kernel
        )
    loops = [range_size(r) for r in kernel.order if r.arg.kind not in (VECTOR, UNROLL)]
    tile = next(n for n in kernel.nodes if n.op is Op.STAGE)
    wide = prod(range_size(r) for r in kernel.order if r.arg.kind == VECTOR)
    assert loops[-1] >= 2
    assert tile.arg.size >= 10 * 2 * wide


@pytest.mark.parametrize(
    ("rows", "length", "columns"), [(37, 4, 333), (30, 8, 200), (33, 9, 777), (29, 33, 402)]
)
@pytest.mark.parametrize("turned", [False, True])
def test_short_sums(rows: int, length: int, columns: int, turned: bool) -> None:
    x, y = whole((rows, length)), whole((columns, length) if turned else (length, columns), 1)
    made = (Tensor(x) @ (Tensor(y).T if turned else Tensor(y))).numpy()
    np.testing.assert_array_equal(made, x @ (y.T if turned else y))


@pytest.mark.parametrize("stride", [1, 2, 5])
def test_windows_of_one_channel(stride: int) -> None:
    x, w = whole((3, 1, 1103)), whole((20, 1, 8), 1)
    windows = np.lib.stride_tricks.sliding_window_view(x[:, 0], 8, 1)[:, ::stride]
    made = Tensor(x).conv1d(Tensor(w), stride=stride).numpy()
    np.testing.assert_array_equal(made, np.einsum("bqk,ok->boq", windows, w[:, 0]))


def test_a_light_tile_that_is_only_a_factor_leaves_its_loops_to_the_product() -> None:
    def convolved(adjacent: Tensor, x: Tensor) -> Tensor:
        scale = (adjacent.sum(-1) + 1).rsqrt().unsqueeze(-1)
        return scale * (adjacent @ (scale * x))

    kernel = scheduled(convolved, (3, 333, 333), (3, 333, 33)).items[-1].kernel
    moved = optimise(kernel)
    (fold,) = [n for n in moved.nodes if n.op is Op.FOLD]
    assert {r.arg.kind for r in fold.ranges} >= {VECTOR, UNROLL}
    random = np.random.default_rng(0)
    a, x = (random.random(s).astype("float32") for s in ((3, 333, 333), (3, 333, 33)))
    scale = 1 / np.sqrt(a.sum(-1, keepdims=True) + 1)
    assert np.allclose(convolved(Tensor(a), Tensor(x)).numpy(), scale * (a @ (scale * x)), rtol=1e-5)


def test_what_a_depthwise_convolution_reads_is_computed_once() -> None:
    """Given up, the tile of one channel would take an exponential for every weight it meets."""

    def program(x: Tensor, w: Tensor) -> Tensor:
        return x.sigmoid().conv1d(w, padding=15, groups=3)

    (item,) = scheduled(program, (2, 3, 100), (3, 1, 31)).items
    assert any(n.op is Op.STAGE for n in optimise(item.kernel).nodes)
    x, w = whole((2, 3, 100)), whole((3, 1, 31), 1)
    expected = program(*(Tensor(a, device="interpreter") for a in (x, w))).numpy()
    np.testing.assert_allclose(program(Tensor(x), Tensor(w)).numpy(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("rows", "inner", "columns"), [(77, 333, 901), (64, 256, 512), (80, 131, 771)])
def test_weights_behind_a_norm_are_packed(rows: int, inner: int, columns: int) -> None:
    """Read as they lie, four columns of them at a time, every step of the sum would be in another page."""

    def program(x: Tensor, w: Tensor) -> Tensor:
        return (x * (x * x).mean(-1, keepdim=True).rsqrt()) @ w

    item = scheduled(program, (rows, inner), (inner, columns)).items[-1]
    with assuming(NEON):
        assert any(isinstance(move, Pack) for move in optimise(item.kernel).moves)
    random = np.random.default_rng(0)
    x, w = (random.random(s, dtype=np.float32) for s in ((rows, inner), (inner, columns)))
    expected = (x / np.sqrt((x * x).mean(-1, keepdims=True))) @ w
    np.testing.assert_allclose(program(Tensor(x), Tensor(w)).numpy(), expected, rtol=1e-4)


@pytest.mark.parametrize("shape", [(20, 8, 8, 8, 16), (3, 5, 7, 4, 16), (2, 12, 3, 9, 5)])
def test_products_of_matrices_side_by_side_run_along_the_batch(shape: tuple[int, ...]) -> None:
    blocks, rows, inner, columns, lanes = shape

    def program(a: Tensor, b: Tensor) -> Tensor:
        return (a.unsqueeze(3) * b.unsqueeze(1)).sum(2)

    shapes = (blocks, rows, inner, lanes), (blocks, inner, columns, lanes)
    a, b = (whole(each, seed) for seed, each in enumerate(shapes))
    np.testing.assert_array_equal(program(Tensor(a), Tensor(b)).numpy(), np.einsum("zikl,zkjl->zijl", a, b))
    if lanes == 16:
        with assuming(NEON):
            kernel = optimise(scheduled(program, *shapes).items[0].kernel)
        assert not any(isinstance(move, Pack) for move in kernel.moves)
        assert [range_size(r) for r in kernel.order if r.arg.kind == VECTOR] == [16]


def on_avx512(images: int, channels: int, side: int, results: int, window: int, stride: int) -> Kernel:
    shapes = (images, channels, side, side), (results, channels, window, window)
    with assuming(AVX512):
        return optimise(scheduled(lambda x, w: x.conv2d(w, stride=stride), *shapes).items[-1].kernel)


def test_a_window_stays_a_loop_under_a_wide_tile() -> None:
    """As straight code it would keep lone factors that its steps share in the registers of the sums."""
    wide = on_avx512(8, 128, 16, 128, 3, 1)
    (fold,) = [n for n in wide.nodes if n.op is Op.FOLD]
    assert all(r.arg.kind == LOOP for r in own_ranges(fold))
    narrow = on_avx512(4, 8, 30, 8, 3, 1)
    (fold,) = [n for n in narrow.nodes if n.op is Op.FOLD]
    assert any(r.arg.kind == UNROLL for r in own_ranges(fold)), "one vector shares what it loads"


def test_few_channels_are_packed_in_several_panels_for_all_rows() -> None:
    kernel = on_avx512(1, 3, 183, 64, 7, 2)
    (panel,) = [n for n in kernel.nodes if n.op is Op.STAGE]
    assert any(range_size(r) == 89 and r not in panel.ranges for r in kernel.order)


@pytest.mark.parametrize("columns", [33, 65, 77])
def test_all_columns_are_one_tile_whose_last_vector_overlaps(columns: int) -> None:
    """65 columns as vectors of 32 took three of them, a third of the work twice."""
    with assuming(AVX512):
        shape = (10, 1000, columns)
        kernel = optimise(scheduled(lambda x, y: x.mT @ y, shape, shape).items[0].kernel)
    (product,) = (n for n in kernel.nodes if n.op is Op.FOLD)
    loops = [r for r in kernel.order if not is_register(r)][1:]
    sums = prod(range_size(r) for r in (*filter(is_register, product.ranges), *loops))
    assert sums <= -(-columns // 16) * 16 * columns * 1.1


@pytest.mark.parametrize("columns", [17, 33, 65, 66, 77, 97])
@pytest.mark.parametrize("rows", [5, 65])
@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.float64, dtypes.int32, dtypes.bfloat16])
def test_columns_that_no_vector_divides(rows: int, columns: int, dtype: dtypes.DType) -> None:
    x, y = whole((300, rows)), whole((300, columns), seed=1)
    found = Tensor(x).cast(dtype).T @ Tensor(y).cast(dtype)
    np.testing.assert_array_equal(found.float().numpy(), (Tensor(x.T @ y).cast(dtype)).float().numpy())


def test_what_takes_work_is_worked_out_once_for_sums_that_compare_it() -> None:
    """Nine sums of sizes ask whether an angle is theirs: no product packs the angle."""

    def by_angle(x: Tensor, y: Tensor) -> Tensor:
        angle = (y.atan2(x) * 1.4).floor().unsqueeze(1)
        bins = Tensor.arange(9).reshape(9, 1, 1)
        return where(angle == bins, (x * x + y * y).sqrt().unsqueeze(1), 0.0).avg_pool2d(8)

    (item,) = scheduled(by_angle, (3, 64, 64), (3, 64, 64)).items
    kernel = optimise(item.kernel)
    (angle,) = (n for n in kernel.nodes if n.op is Op.ATAN2)
    assert any(n.op is Op.STAGE and angle in n.src[0].toposort() for n in kernel.nodes)
