"""Reductions of few results beside much work: on a GPU they are stored, so that threads share the rest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda.search.moves import Card, Flat, Rows
from saccade.codegen.cuda.source import laid_out
from saccade.codegen.moves.analysis import work
from saccade.graph.node import Shape
from saccade.schedule.cost import CPU, GPU, Machine
from saccade.schedule.kernel_graph import KernelGraph
from saccade.schedule.schedule import schedule
from saccade.schedule.walk.placing.idle import ACROSS_ROWS, FEW_READERS, FEW_RESULTS
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler

from .programs import inputs

#: instructions of a thread that is one of many
MOST = 1000
CARD = Card(shared=227 * 1024, wgmma=True)
Program = Callable[..., Tensor]


def plan(build: Program, *shapes: Shape, machine: Machine = GPU) -> KernelGraph:
    return schedule((build(*inputs(*shapes)).node,), len(shapes), machine)


def busiest(graph: KernelGraph) -> float:
    """Instructions of a thread, the most of all kernels."""
    sources = [(item.kernel, laid_out(item.kernel, CARD).source) for item in graph.items]
    return max(work(kernel) / (source.grid * source.block) for kernel, source in sources)


def by_norm(x: Tensor) -> Tensor:
    return x / (x * x).sum().sqrt()


def stretched(x: Tensor) -> Tensor:
    return (x - x.min()) / (x.max() - x.min())


def row_losses(x: Tensor) -> Tensor:
    return (x.logsumexp(1) - x.mean(1)).mean()


def excited(x: Tensor, a: Tensor) -> Tensor:
    """A few channels weigh each other: a short sum for each, over and over in a picture."""
    weights = (x.mean(-1) @ a).sigmoid()
    return x * weights.reshape(*weights.shape, 1)


def of_length_one(x: Tensor) -> Tensor:
    """Sums down columns, divided by their norm: the sums are read twice."""
    sums = x.sum(0)
    return sums / (sums * sums).sum().sqrt()


def shares(x: Tensor, y: Tensor, widths: Tensor) -> Tensor:
    """The share of each cluster in each point, with a reduction for each cluster."""
    return (x - y - widths.log().sum(1) * 0.5).softmax(1)


STARVED: dict[str, tuple[Program, list[Shape]]] = {
    "a map after the norm of all": (by_norm, [(1024, 1024)]),
    "odd": (by_norm, [(1021, 1023)]),
    "after two": (stretched, [(1 << 20,)]),
    "variance of all": (lambda x: x.var(), [(1 << 21,)]),
    "a mean of what rows give": (row_losses, [(8192, 512)]),
    "of few rows": (row_losses, [(200, 20_000)]),
    "a short sum for each channel": (excited, [(64, 16, 4096), (16, 16)]),
    "columns and their norm": (of_length_one, [(65537, 255)]),
    "rows and columns by one scale": (lambda x: x / (s := x.sum(1)) / s.unsqueeze(1), [(1024, 1024)]),
    "sums of two matrices, by rows and by columns": (
        lambda x, y, z: x.sum(0).unsqueeze(1) * (z - y.sum(0)).square(),
        [(53_329, 10), (53_329, 33), (10, 33)],
    ),
    "a softmax of what is the same everywhere": (lambda x: x + x.zeros_like().softmax(2), [(256, 128, 10)]),
    "something of every cluster": (shares, [(32768, 64), (32768, 64), (64, 32)]),
}


@pytest.mark.parametrize("name", STARVED)
def test_all_threads_share_the_work(name: str) -> None:
    build, shapes = STARVED[name]
    assert busiest(plan(build, *shapes)) < MOST


@pytest.mark.parametrize("shape", [(512, 2048), (128, 8192)])
def test_a_diagonal_that_rows_and_columns_share_is_stored(shape: Shape) -> None:
    """Of the sums of a correlation it needs few, and no team has all of them: one block made the whole."""
    *_, last = plan(lambda x: x.corrcoef(), shape).items
    source = laid_out(last.kernel, CARD).source
    assert source.grid >= 132
    assert work(last.kernel) / (source.grid * source.block) < MOST


@pytest.mark.parametrize(("build", "reason"), [(by_norm, FEW_RESULTS), (row_losses, FEW_READERS)])
def test_the_reason_is_told(build: Program, reason: str) -> None:
    assert reason in [item.reason for item in plan(build, (4096, 512)).items]
    assert reason not in [item.reason for item in plan(build, (4096, 512), machine=CPU).items]


@pytest.mark.parametrize(
    ("build", "shape"),
    [
        (by_norm, (40, 100)),  # over before another kernel has begun
        (lambda x: x.softmax(1), (4096, 1024)),
        (lambda x: x.softmax(1), (8, 50_000)),  # its sums have as few teams
        (lambda x: x.layer_norm((1024,)), (512, 1024)),
    ],
)
def test_what_keeps_enough_threads_busy_stays_one_kernel(build: Program, shape: Shape) -> None:
    assert len(plan(build, shape).items) == 1


def test_only_the_part_that_is_read_is_worth_a_store() -> None:
    """The diagonal of a log-softmax needs the sum of each row, not all of the softmax."""

    def loss(x: Tensor) -> Tensor:
        return x.log_softmax(1).diagonal().mean()

    graph = plan(loss, (2048, 2048))
    assert max(b.size for b in graph.of_role("between")) == 2048


@pytest.mark.parametrize("rows", [4096, 4099])
def test_a_map_after_sums_down_columns_goes_along_memory(rows: int) -> None:
    """No team has a column of the map. The sum of the parts and of what fills none is one value."""
    parts, _, last = plan(lambda x: x - x.mean(0), (rows, 515)).items
    assert isinstance(laid_out(last.kernel, CARD).move, Flat)
    assert laid_out(parts.kernel, CARD).source.grid > 132


def test_tiny_sums_are_done_again_by_every_thread() -> None:
    """Two corners make an area: no thread has all boxes of another list to itself."""
    graph = plan(lambda a: a * a[:, :4].sum(1, keepdim=True), (64, 1 << 14))
    assert len(graph.items) == 1
    assert busiest(graph) < MOST


@pytest.mark.slow
@needs_compiler
def test_stored_reductions_compute_the_same(rng: np.random.Generator) -> None:
    x = rng.standard_normal((33, 801)).astype(np.float32)
    wanted = by_norm(Tensor(x)).numpy(), row_losses(Tensor(x)).numpy()
    with emulated_gpu():
        on_card = Tensor(x, device="cuda")
        found = by_norm(on_card).numpy(), row_losses(on_card).numpy()
    for mine, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-7)


def q_values(q: Tensor, action: Tensor, following: Tensor, reward: Tensor) -> Tensor:
    taken = q.gather(1, action.cast("int64").unsqueeze(1)).squeeze(1)
    return (taken - (reward + 0.99 * following.amax(1))).square().mean()


ROWS = 1 << 18


@pytest.mark.parametrize(
    ("build", "shapes"),
    [
        (q_values, ((ROWS, 18), (ROWS,), (ROWS, 18), (ROWS,))),
        (lambda x: x.logsumexp(1).mean(), ((ROWS, 10),)),
        (lambda x: (x.amax(1) - x.amin(1)).mean(), ((ROWS, 18),)),
        (lambda x: x.sum(2).amax(1), ((ROWS // 8, 16, 26),)),
    ],
)
def test_rows_inside_of_a_reduction_are_reduced_by_lanes(build: Program, shapes: tuple[Shape, ...]) -> None:
    """A thread of the outer reduction would read its row across those of others."""
    graph = plan(build, *shapes)
    assert ACROSS_ROWS in [item.reason for item in graph.items]
    first = laid_out(graph.items[0].kernel, CARD)
    assert isinstance(first.move, Rows)
    assert first.move.team > 1


@pytest.mark.parametrize(
    ("build", "shapes"),
    [
        (lambda x: x.square().sum(1).sqrt().mean(), ((ROWS, 7),)),  # written out
        (lambda x: (x.amax(1) - x.amin(1)).mean(), ((1000, 18),)),  # a launch takes longer
        (lambda x: x.sum(1).amax(1), ((ROWS // 8, 16, 26),)),  # neighbours are other results
        (
            lambda x, w: (x * (x * w).sum(1, keepdim=True)).sum(0),
            ((ROWS, 18), (18,)),
        ),  # who reads has the row
    ],
)
def test_other_rows_are_not_stored_for_that(build: Program, shapes: tuple[Shape, ...]) -> None:
    assert ACROSS_ROWS not in [item.reason for item in plan(build, *shapes).items]


def test_parts_of_elements_that_are_looked_up_are_smaller() -> None:
    """Whole rows are read, or sectors of memory, for each element."""
    graph = plan(q_values, (160_113, 7), (160_113,), (160_113, 7), (160_113,))
    assert laid_out(graph.items[0].kernel, CARD).source.grid > 132


def normalised_both_ways(x: Tensor) -> Tensor:
    """A round of optimal transport in logarithms: columns first, then the rows of what is left."""
    x = x - x.logsumexp(1, keepdim=True)
    return x - x.logsumexp(2, keepdim=True)


@pytest.mark.parametrize("shape", [(1024, 64, 64), (529, 65, 65)])
def test_rows_keep_their_teams_where_a_tile_would_hold_what_they_share(shape: Shape) -> None:
    """One team for all rows of a picture leaves each thread the sums of the row it is in: 76 microseconds of
    lines for a kernel of 10."""
    graph = plan(normalised_both_ways, *[shape])
    assert shape[0] * shape[2] in [buffer.size for buffer in graph.of_role("between")]
