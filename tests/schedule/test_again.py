"""One row on a GPU: its norm is computed again by every team of its products, and products share a launch."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.codegen.cuda.search.moves import Card
from saccade.codegen.cuda.source import laid_out
from saccade.codegen.moves.sections import sections_of
from saccade.graph.node import assign
from saccade.graph.ops import Op
from saccade.schedule.cost import GPU
from saccade.schedule.kernel_graph import KernelGraph
from saccade.schedule.schedule import schedule
from saccade.transform.stores import below_reshapes
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler

from .programs import inputs

CARD = Card(shared=227 * 1024, wgmma=True)


def norm(x: Tensor) -> Tensor:
    return x * (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt()


def projected(x: Tensor, *weights: Tensor) -> list[Tensor]:
    return [norm(x).linear(weight) for weight in weights]


def plan(width: int, *outs: int, rows: int = 1) -> KernelGraph:
    given = inputs((rows, width), *((out, width) for out in outs))
    made = [each.contiguous().node for each in projected(*given)]
    return schedule(tuple(made), len(given), GPU)


def test_a_short_norm_is_part_of_the_products_that_read_it() -> None:
    (item,) = plan(576, 960).items
    source = laid_out(item.kernel, CARD).source
    assert source.grid * source.block >= 960 * 32  # a warp for each result, not one team for all


def scaled(x: Tensor, weight: Tensor, parts: Tensor) -> Tensor:
    """A product, and a factor of the whole row behind it."""
    return x.linear(weight) * (parts.sum(-1, keepdim=True) + 1e-5).rsqrt()


def test_a_short_sum_beside_a_product_is_made_by_every_team() -> None:
    given = inputs((1, 576), (960, 576), (1, 64))
    (item,) = schedule((scaled(*given).contiguous().node,), 3, GPU).items
    source = laid_out(item.kernel, CARD).source
    assert source.grid * source.block >= 960 * 32


@needs_compiler
def test_a_sum_beside_a_product_has_the_values_of_the_cpu() -> None:
    random = np.random.default_rng(1)
    arrays = [random.random(shape, np.float32) for shape in ((1, 128), (40, 128), (1, 48))]
    with emulated_gpu():
        ours = scaled(*(Tensor(array, device="cuda") for array in arrays)).numpy()
    theirs = scaled(*(Tensor(array, device="cpu") for array in arrays)).numpy()
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def in_pairs(x: Tensor, weight: Tensor) -> Tensor:
    """Results of a product, each with the one 32 places from it: RoPE without its angles."""
    pairs = x.linear(weight).unflatten(-1, (-1, 2, 32))
    return pairs * 2.0 + pairs.flip(-2) * 3.0


@pytest.mark.parametrize(("rows", "kernels"), [(2048, 1), (4096, 2)])
def test_a_product_is_made_twice_if_the_second_cache_holds_its_matrix(rows: int, kernels: int) -> None:
    given = inputs((1, 1000), (rows, 1000))
    assert len(schedule((in_pairs(*given).contiguous().node,), 2, GPU).items) == kernels


@pytest.mark.parametrize(("rows", "kernels"), [(2048, 1), (4096, 2)])
def test_of_a_matrix_the_rows_that_are_read_count(rows: int, kernels: int) -> None:
    x, whole = inputs((1, 1000), (6144, 1000))
    made = in_pairs(x, whole[1024 : 1024 + rows]).contiguous()
    assert len(schedule((made.node,), 2, GPU).items) == kernels


def test_results_that_are_scaled_and_read_in_pairs_are_no_tile_of_one_block() -> None:
    x, weight, scale = inputs((1, 1000), (2048, 1000), (1, 1))
    pairs = (x.linear(weight) * scale).unflatten(-1, (-1, 2, 32))
    made = (pairs * 2.0 + pairs.flip(-2) * 3.0).contiguous()
    (item,) = schedule((made.node,), 3, GPU).items
    assert not any(node.op is Op.STAGE for node in item.kernel.nodes)


@needs_compiler
def test_a_product_in_pairs_has_the_values_of_the_cpu() -> None:
    random = np.random.default_rng(1)
    arrays = [random.random(shape, np.float32) for shape in ((1, 96), (128, 96))]
    with emulated_gpu():
        ours = in_pairs(*(Tensor(array, device="cuda") for array in arrays)).numpy()
    theirs = in_pairs(*(Tensor(array, device="cpu") for array in arrays)).numpy()
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_a_norm_that_takes_longer_than_a_launch_is_stored() -> None:
    assert len(plan(4096, 14336).items) == 2


def test_a_batch_keeps_its_norm_for_the_matrix_units() -> None:
    assert len(plan(576, 960, rows=64).items) > 1


def test_products_of_one_row_are_sections_of_one_launch() -> None:
    (item,) = plan(384, 576, 192, 96).items
    assert (
        laid_out(item.kernel, CARD).source.grid == (576 + 192 + 96) // 4
    )  # four warps a block, a result each


def test_a_store_to_a_place_that_is_loaded_is_a_section_too() -> None:
    x, wide, narrow, cache, at = inputs((1, 384), (576, 384), (128, 384), (1, 2, 5, 64), (1,))
    rows = norm(x).linear(narrow).reshape(1, 2, 1, 64)
    places = at.cast("int64").reshape(1, 1, 1, 1).expand(1, 2, 1, 64)
    kept = assign(cache.scatter(2, places, rows).node, below_reshapes(cache.node), None)
    (item,) = schedule((norm(x).linear(wide).node, kept), 5, GPU).items
    assert len(sections_of(item.kernel)) == 2


def turned_and_kept(x: Tensor, weight: Tensor, cache: Tensor, at: Tensor) -> Tensor:
    """A product that ends with a rotation of pairs and a store to the cache; and another of the same row."""
    made = norm(x).linear(weight).unflatten(-1, (2, 2, 8))
    made = made * 0.6 + made.flip(-2) * 0.8
    rows = made.flatten(-2).reshape(1, 2, 1, 16)
    cache.scatter_(2, at.reshape(1, 1, 1, 1).expand(1, 2, 1, 16), rows)
    return norm(x).linear(weight * 2)


@needs_compiler
@pytest.mark.slow
def test_values_and_stores_to_a_cache_are_the_cpus() -> None:
    random = np.random.default_rng(0)
    arrays = [
        random.standard_normal(shape).astype(np.float32) for shape in ((1, 64), (32, 64), (1, 2, 5, 16))
    ]
    results = []
    for device in ("cpu", "cuda"):
        with emulated_gpu():
            x, weight, cache = (Tensor(array, device=device) for array in arrays)
            at = Tensor([3], device=device)
            results.append((jit(turned_and_kept)(x, weight, cache, at).numpy(), cache.numpy()))
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)
    untouched = np.delete(results[1][1], 3, axis=2)
    np.testing.assert_array_equal(untouched, np.delete(arrays[2], 3, axis=2))
