"""Which products are split along their sums, and that the parts add up to what they were."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import prod
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad
from saccade.codegen.cuda.templates.product.turns import packed_microseconds
from saccade.explain import explain
from saccade.graph import dtypes
from saccade.graph.forms import TILED
from saccade.graph.kernels.kernel import range_size
from saccade.graph.node import walk
from saccade.graph.ops import Op
from saccade.schedule.cost import CPU, GPU
from saccade.schedule.products.estimate import PARTS, is_thin, microseconds
from saccade.schedule.products.layout import factors_laid_out
from saccade.schedule.products.product import Product, factors_of, product_of
from saccade.schedule.products.split_products import is_packed, products_split
from saccade.schedule.target import target_of
from tests.schedule.programs import scheduled


def numbers(*shape: int, seed: int = 0, dtype: str = "float16") -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(-2, 3, shape).astype(dtype)


def split(tensor: Tensor, processors: int = 132) -> Tensor:
    return Tensor._of(*products_split((tensor.node,), replace(GPU, processors=processors)))


def parts(tensor: Tensor) -> list[int]:
    """Into how many parts the sums are split."""
    return [n.shape[0] for n in walk((tensor.node,)) if n.op is Op.CONTIGUOUS and "parts" in str(n.arg)]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((20, 4096), (4096, 64)),
        ((3, 8192), (8192, 40)),
        ((2, 20, 4096), (2, 4096, 36)),
        ((16, 6144), (6144, 16)),
        ((33, 8009), (8009, 36)),
        ((7, 4001), (4001, 64)),
        ((20, 4100), (4100, 64)),
    ],
)
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_parts_add_up(left: tuple[int, ...], right: tuple[int, ...], dtype: str) -> None:
    a, b = numbers(*left, dtype=dtype), numbers(*right, seed=1, dtype=dtype)
    made = split((Tensor(a) @ Tensor(b)).relu())
    assert parts(made)[0] > 1
    exact = np.maximum(a.astype(np.float64) @ b.astype(np.float64), 0)
    np.testing.assert_array_equal(made.double().numpy(), exact)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(
    ("left", "right"), [((33, 8009), (8009, 65)), ((3, 4001), (4001, 320)), ((33, 8012), (8012, 65))]
)
def test_a_sum_that_parts_do_not_divide_has_a_rest(
    left: tuple[int, ...], right: tuple[int, ...], dtype: str
) -> None:
    a, b = numbers(*left, dtype=dtype), numbers(*right, seed=1, dtype=dtype)
    made = split(Tensor(a) @ Tensor(b))
    assert parts(made)[0] > 1
    np.testing.assert_array_equal(made.double().numpy(), a.astype(np.float64) @ b.astype(np.float64))


def test_the_channels_of_a_convolution_are_split() -> None:
    x, w = numbers(2, 512, 4, 4), numbers(24, 512, 3, 3, seed=1)
    whole = Tensor(x).conv2d(Tensor(w), padding=1)
    made = split(whole)
    assert parts(made)[0] > 1
    np.testing.assert_array_equal(made.numpy(), whole.numpy())


@pytest.mark.parametrize(("length", "columns"), [(16384, 64), (16384, 512), (8009, 33)])
def test_sums_of_groups_are_split(length: int, columns: int) -> None:
    """A product with a mask is one like others: one block had the whole sum of 131,072 rows in ten groups."""
    x, group = numbers(length, columns, dtype="float32"), numbers(length, seed=1, dtype="int64") + 2
    of_group = (Tensor(group).unsqueeze(1) == Tensor.arange(5)).cast("float32")
    made = split(of_group.mT @ Tensor(x))
    assert parts(made)[0] > 16
    exact = np.stack([x[group == g].sum(0, dtype=np.float64) for g in range(5)])
    np.testing.assert_array_equal(made.numpy(), exact)


def test_parts_of_tall_products_have_threads_enough() -> None:
    """Threads of a thin part have a few columns each: 64 columns leave them idle, so parts stay tall enough
    for tiles; of 512 there are more, shorter ones."""
    few, many = (
        Product(1, 10, columns, 131072, dtypes.float32, along=False, ways=("singly", "across"))
        for columns in (64, 512)
    )
    assert is_thin(few, 256)
    assert microseconds(few, 128, GPU, computed=True) < microseconds(few, 256, GPU, computed=True) / 2
    assert microseconds(many, 512, GPU) < microseconds(many, 32, GPU)


def test_products_that_fill_the_card_or_have_short_sums_stay_whole() -> None:
    for left, right in (((4096, 2048), (2048, 4096)), ((64, 256), (256, 64)), ((16, 8192), (8192, 65536))):
        whole = Tensor(np.zeros(left, "float16")) @ Tensor(np.zeros(right, "float16"))
        assert split(whole).node is whole.node


def test_results_that_lie_in_odd_runs_are_split_where_that_halves_the_time() -> None:
    """Their parts cost more than is estimated; with few tiles that is little beside what is gained."""
    left = Tensor(np.zeros((1024, 4096), "float16"))
    even, odd = (parts(split(left @ Tensor(np.zeros((4096, n), "float16")))) for n in (512, 510))
    assert even[0] > 1
    assert odd == []
    few = Tensor(numbers(2, 512, 7, 7)).conv2d(Tensor(numbers(24, 512, 3, 3, seed=1)), padding=1)
    assert parts(split(few))[0] > 1
    np.testing.assert_array_equal(split(few).numpy(), few.numpy())


def test_all_places_of_a_window_and_their_channels_are_one_run() -> None:
    """Weights of 3 x 3 lie in runs of 9 times their channels, not of 3."""
    x, w, slope = (
        Tensor.empty(*shape, device="null:cuda").realize()
        for shape in ((128, 128, 14, 14), (128, 128, 3, 3), (128, 128, 7, 7))
    )
    made = grad(lambda w: (x.conv2d(w, stride=2, padding=1) * slope).sum())(w)
    assert isinstance(made, Tensor)
    (computation,) = explain(made.realize).computations
    assert sum("parts" in str(item.reason) for item in computation.graph.items) == 1


def test_few_rows_of_halves_in_odd_rows_are_split() -> None:
    """53 tiles of 64 x 64 walk 28 steps, each as long as memory answers; odd results leave in whole lines."""
    a, b = numbers(8, 1777), numbers(1777, 3333, seed=1)
    assert (
        parts(split(Tensor(np.zeros((2665, 777), "float16")) @ Tensor(np.zeros((777, 129), "float16")))) == []
    )
    made = split(Tensor(a) @ Tensor(b))
    assert 3 <= parts(made)[0] <= 8
    np.testing.assert_array_equal(made.double().numpy(), a.astype(np.float64) @ b.astype(np.float64))


def test_factors_that_are_computed_are_split_sooner() -> None:
    """A tile waits longer for them. In float64 shorter sums are split, because tiles take longer."""

    def zeros(*shape: int, dtype: str = "float32") -> Tensor:
        return Tensor(np.zeros(shape, dtype))

    x, w, codes = zeros(265, 777), zeros(777, 129), zeros(777, 129, dtype="int8")
    assert parts(split(x @ w)) == []
    assert parts(split(x @ (codes.cast("float32") * zeros(129))))[0] > 1
    assert parts(split(x.relu() @ w))[0] > 1
    for dtype, count in (("float32", 0), ("float64", 1)):
        made = split(zeros(1333, 257, dtype=dtype) @ zeros(257, 129, dtype=dtype))
        assert len(parts(made)) == count


def test_a_gated_product_is_split() -> None:
    """What has an exponential and a sum in it is no softmax."""
    x, a, b, c = (Tensor(np.zeros(s, "float32")) for s in ((8, 64), (64, 4096), (64, 4096), (4096, 64)))
    assert parts(split(((x @ a).silu() * (x @ b)) @ c))[0] > 1


def test_a_product_with_a_softmax_stays_whole() -> None:
    scores, values = Tensor(numbers(16, 8192)), Tensor(numbers(8192, 64))
    made = split(scores.softmax(-1) @ values)
    assert parts(made) == []


@pytest.mark.parametrize("width", [6, 33])
def test_a_product_with_a_softmax_in_each_of_the_rows_it_sums_is_split(width: int) -> None:
    """As slopes of the weights in front of a softmax: no pass over its own axis makes both."""
    x, scores = (numbers(65536, n, dtype="float32") for n in (64, width))
    made = split(Tensor(x).mT @ Tensor(scores).softmax(-1))
    assert parts(made)[0] > 1
    weights = np.exp(scores - scores.max(1, keepdims=True))
    exact = x.T.astype(np.float64) @ (weights / weights.sum(1, keepdims=True))
    np.testing.assert_allclose(made.numpy(), exact, rtol=1e-4, atol=0.05)


def test_more_processors_want_more_parts() -> None:
    a, b = Tensor(np.zeros((64, 16384), "float16")), Tensor(np.zeros((16384, 64), "float16"))
    few, many = (parts(split(a @ b, processors=n)) for n in (2, 132))
    assert (few or [1])[0] < many[0]


def test_a_part_costs_memory() -> None:
    """Of a product that keeps all processors busy, more parts take longer and longer."""
    times = [microseconds(Product(1, 4096, 4096, 4096, dtypes.float16), n, GPU) for n in PARTS]
    assert times == sorted(times)


@pytest.mark.parametrize(("k", "n"), [(4099, 24), (10007, 33)])
def test_a_core_takes_long_sums_in_parts_that_stay_in_its_cache(k: int, n: int) -> None:
    x = numbers(k, n, dtype="float32")
    made = Tensor._of(*products_split(((Tensor(x).T @ Tensor(x)).node,), CPU))
    assert parts(made) == [round(k / CPU.deep)]
    np.testing.assert_array_equal((Tensor(x).T @ Tensor(x)).numpy(), x.T @ x)


@pytest.mark.parametrize(
    ("k", "m", "n", "wanted"),
    [
        (10007, 20, 20, 26),  # 384 steps at most
        (10007, 17, 50, 61),  # 163 rows of 50 fit half of a first cache
        (10007, 65, 65, 26),  # packed: fewer than 128 would fit
        (10007, 8, 8, 0),  # one pass over memory
        (300, 40, 40, 0),
    ],
)
def test_factors_across_the_sum_stay_in_the_first_cache(k: int, m: int, n: int, wanted: int) -> None:
    machine = replace(CPU, deep_across=384, near=32768)
    a, b = numbers(k, m, dtype="float32"), numbers(k, n, dtype="float32")
    made = Tensor._of(*products_split(((Tensor(a).T @ Tensor(b)).node,), machine))
    assert parts(made) == [wanted] * bool(wanted)
    np.testing.assert_array_equal(made.numpy(), a.T @ b)
    np.testing.assert_array_equal((Tensor(a).T @ Tensor(b)).numpy(), a.T @ b)


@pytest.mark.parametrize(("m", "k", "n"), [(16, 8192, 64), (12, 4096, 300)])
def test_few_rows_that_read_a_matrix_again_take_long_sums_in_parts(m: int, k: int, n: int) -> None:
    """Columns of 10,000 rows left the cache before the next rows met them: 16 times 64 columns took twice as
    long."""
    a, b = numbers(m, k, dtype="float32"), numbers(k, n, dtype="float32")
    made = Tensor._of(*products_split(((Tensor(a) @ Tensor(b)).node,), CPU))
    assert parts(made) == [round(k / CPU.deep)]
    np.testing.assert_array_equal(made.numpy(), a @ b)


@pytest.mark.parametrize(("m", "k", "n"), [(64, 2048, 64), (8, 8192, 64), (2048, 4096, 2048)])
def test_a_core_leaves_other_sums_whole(m: int, k: int, n: int) -> None:
    made = products_split(((Tensor.empty((m, k)) @ Tensor.empty((k, n))).node,), CPU)
    assert parts(Tensor._of(*made)) == []


def test_a_product_with_what_attention_came_to_is_split() -> None:
    """The gradient of the weights behind attention is a product with its result, not with its weights."""
    q, k, v = (Tensor(np.zeros((2, 4096, 64), "float16")) for _ in range(3))
    attended = ((q @ k.mT).softmax(-1) @ v).reshape(8192, 64)
    slopes = Tensor(np.zeros((8192, 64), "float16"))
    assert parts(split(slopes.T @ attended))[0] > 1
    weights = (Tensor(np.zeros((64, 8192), "float16"))).softmax(-1)
    assert parts(split(weights @ slopes)) == []


def test_helpers_make_parts_of_matrices_needless() -> None:
    """Sums of 16,384 rows: blocks without a tile help the others along the sum (stream-K), if the copy engine
    takes both factors. Heads that lie apart are no matrix for it, and 72 tiles of 128 x 64 are too few."""
    rows = 16384
    for m, n in ((768, 768), (3072, 768), (2304, 768)):
        left, right = Tensor(np.zeros((rows, m), "float16")), Tensor(np.zeros((rows, n), "float16"))
        assert not parts(split(left.T @ right))
    heads = Tensor(np.zeros((16, 12, 1024, 64), "float16")).permute(0, 2, 1, 3).reshape(rows, 768)
    assert parts(split(heads.T @ Tensor(np.zeros((rows, 768), "float16"))))[0] >= 2


def packed_product(rows: int, columns: int, k: int) -> Tensor:
    """x (rows, k) times the codes of 4 bits in words (columns, k / 8), in bfloat16."""
    words = Tensor.empty(columns, k // 8, dtype="uint32", device="null:cuda").realize()
    codes = (words.unsqueeze(-1) >> (Tensor.arange(8, dtype="uint32", device="null:cuda") * 4)) & 15
    x = Tensor.empty(rows, k, dtype="bfloat16", device="null:cuda").realize()
    return x.linear(codes.reshape(columns, k).cast("bfloat16"))


@pytest.mark.parametrize(
    ("columns", "k", "expected"),
    [(6144, 4096, [2]), (4096, 4096, [4]), (4096, 14336, [4]), (14336, 4096, []), (1024, 4096, [8])],
)
def test_parts_of_packed_weights_fill_the_turns_of_processors(
    columns: int, k: int, expected: list[int]
) -> None:
    """6144 rows in two parts are 256 blocks of 48, two for each of 132 processors."""
    assert parts(split(packed_product(32, columns, k))) == expected


def test_weights_in_memory_as_they_are_are_not_packed() -> None:
    x, w = Tensor(numbers(32, 4096)), Tensor(numbers(6144, 4096))
    reduce = next(n for n in walk((x.linear(w).node,)) if n.op is Op.REDUCE)
    factors, sizes = factors_of(reduce), product_of(reduce)
    assert factors is not None
    assert sizes is not None
    assert not is_packed(factors, sizes)


@pytest.mark.parametrize(
    ("columns", "k", "batches", "measured"),
    [(14336, 4096, 1, 26.5), (4096, 3584, 4, 24.2), (4096, 1024, 4, 9.2), (128256, 4096, 1, 193.0)],
)
def test_the_estimate_of_packed_products_is_near_an_h200(
    columns: int, k: int, batches: int, measured: float
) -> None:
    made = packed_microseconds(32, columns, k, batches, 132)
    assert made is not None
    assert abs(made - measured) < 0.05 * measured
    assert packed_microseconds(32, columns, k + 128, batches, 132) is None


def slopes_of_weights(x: Tensor, slope: Tensor, side: int = 3, stride: int = 1) -> Tensor:
    """The gradient of a convolution by its weights."""
    w = Tensor(numbers(slope.shape[1], x.shape[1], side, side, seed=2, dtype="float32"))
    made = grad(lambda w: (x.conv2d(w, padding=side // 2, stride=stride) * slope).sum())(w)
    assert isinstance(made, Tensor)
    return made


@pytest.mark.parametrize(
    ("images", "channels", "places", "stride"), [(49, 33, 29, 1), (128, 128, 7, 2), (16, 32, 23, 1)]
)
def test_sums_over_windows_are_cut_where_nothing_is_left(
    images: int, channels: int, places: int, stride: int
) -> None:
    """Into rows of places, whole images or both: a rest would be a product of its own with as few tiles."""
    shape = images, channels, places, places
    plan = scheduled(
        partial(slopes_of_weights, stride=stride),
        (*shape[:2], places * stride, places * stride),
        shape,
        machine=GPU,
    )
    products = [item.kernel for item in plan.items if target_of(GPU).form(item.kernel) == TILED]
    assert len(products) == 1
    parts_made = prod(range_size(r) for r in products[0].order) // (channels * channels * 9)
    tiles = parts_made * -(-channels // 64) * -(-channels * 9 // 64)
    assert tiles >= GPU.processors


def test_parts_of_several_axes_add_up() -> None:
    x, slope = (numbers(52, 17, 15, 15, seed=s, dtype="float32") for s in (0, 1))
    made = slopes_of_weights(Tensor(x), Tensor(slope))
    laid_out = factors_laid_out((made.node,), GPU)
    cut = Tensor._of(*products_split(laid_out, GPU))
    shapes = [n.shape[:-5] for n in walk((cut.node,)) if "parts" in str(n.arg)]
    assert [len(shape) for shape in shapes] == [2]
    np.testing.assert_array_equal(cut.numpy(), made.numpy())
