"""The null device: everything is planned and counted, nothing is allocated or computed."""

from __future__ import annotations

import gc
import tracemalloc
from math import prod

import numpy as np
import pytest

from saccade import Tensor, vjp
from saccade.nn.functional import scaled_dot_product_attention
from saccade.runtime.device import Device
from saccade.runtime.memory.buffer import Buffer
from saccade.runtime.null import counting, ledger
from saccade.tensor.stores.stores import realize_tensors
from tests.codegen.kernels import kernels_of


def on_null(*shape: int) -> Tensor:
    """A tensor that would be in memory."""
    return Tensor.rand(*shape, device="null").realize()


def test_a_matrix_product_is_counted() -> None:
    x = on_null(300, 200)
    y = on_null(200, 100)
    with counting() as report:
        (x @ y).realize()
    assert report.operations == 2 * 300 * 200 * 100
    assert report.nbytes == 4 * (300 * 200 + 200 * 100 + 300 * 100)
    assert len(report.kernels) == 1


def test_programs_far_larger_than_memory_are_planned_in_little() -> None:
    tracemalloc.start()
    try:
        with counting() as report:
            x = on_null(1_000_000, 1_000_000)
            (x @ x).softmax(1).sum().realize()
        used = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert report.operations > 2 * 10**18
    assert report.peak_bytes >= 8 * 10**12
    assert used < 1 << 26


def test_the_peak_counts_what_is_alive_at_one_time() -> None:
    gc.collect()
    before = ledger.live
    with counting() as report:
        x = on_null(1000)
        for _ in range(5):
            x = (x + 1).realize()
    assert report.peak_bytes - before == 2 * 4000  # old and new, never more
    del x
    gc.collect()
    assert ledger.live == before


def test_intermediates_count_while_they_are_needed() -> None:
    x = on_null(64, 64)
    gc.collect()
    with counting() as report:
        middle = (x @ x).contiguous()
        (middle @ x).realize()
    assert len(report.kernels) == 2
    before = 4 * 64 * 64
    assert report.peak_bytes - ledger.live + before >= 2 * before  # the arena beside the result


def test_a_report_covers_its_block_and_this_device_only() -> None:
    x, here = on_null(10), Tensor(np.ones(10, np.float32), device="cpu")
    (x + 1).realize()
    with counting() as report:
        (here * 2).realize()
        (x * 2).realize()
    (x + 3).realize()
    assert [k.operations for k in report.kernels] == [10]


def test_the_schedule_is_the_cpus() -> None:
    array = np.ones((40, 30), np.float32)

    def program(x: Tensor) -> Tensor:
        return (x.softmax(1) @ x.transpose(0, 1)).sort(0)[0]

    with counting() as report:
        program(Tensor(array, device="null")).realize()
    assert len(report.kernels) == len(kernels_of(program(Tensor(array, device="cpu"))))


@pytest.mark.parametrize("size", [4, 10**13])
def test_reading_a_value_names_the_remedy(size: int) -> None:
    with pytest.raises(RuntimeError, match=r"null device plans and counts.*device='cpu'"):
        Buffer(size, Tensor([1.0]).dtype, "null").numpy()
    with pytest.raises(RuntimeError, match="null device"):
        (Tensor([1.0, 2.0], device="null") + 1).numpy()


def test_moving_a_value_away_is_reading_it() -> None:
    with pytest.raises(RuntimeError, match="null device"):
        (Tensor([1.0, 2.0], device="null") + 1).to("cpu").numpy()


def test_a_report_reads_as_a_table() -> None:
    x = on_null(8, 8)
    with counting() as report:
        (x @ x).realize()
    lines = str(report).splitlines()
    assert len(lines) == len(report.kernels) + 1
    assert report.kernels[0].name in lines[0]


def test_constants_are_made_where_they_are_wanted() -> None:
    """Zeros for the null device are not computed on the CPU first."""
    with counting() as report:
        Tensor.zeros(1 << 40, device="null").contiguous().realize()
    assert report.nbytes == 4 << 40


def test_the_device_is_found_by_name() -> None:
    assert Device["null"].name == "null"
    assert not Device["null"].host_memory


def test_a_gpu_is_planned_for_without_one() -> None:
    """There naive attention is a kernel with the softmax as its monoid, which no CPU has."""
    names = {}
    for device in ("null", "null:cuda"):
        q, k, v = (Tensor.rand(8, 128, 64, dtype="float16", device=device).realize() for _ in range(3))
        with counting() as report:
            (((q @ k.mT) * 0.125).softmax(-1) @ v).realize()
        names[device] = [kernel.name for kernel in report.kernels]
    assert names == {"null": ["add_8x128x64"], "null:cuda": ["softmax_8x128x64"]}


def test_sums_of_the_gradients_of_attention_are_counted() -> None:
    """Where dq is added up in float32 beside dk and dv, as on an H200, the kernel has memory for that."""
    shape = (1, 4, 512, 64)
    given = [Tensor.zeros(*shape, dtype="bfloat16", device="null:cuda").realize() for _ in range(4)]
    q, k, v, slope = given
    gc.collect()
    before = ledger.live
    with counting() as report:
        gradients = vjp(scaled_dot_product_attention, q, k, v)[1](slope)
        realize_tensors(gradients)
    one = prod(shape)
    results, kept, sums = 3 * 2 * one, 2 * one, 4 * one
    assert report.peak_bytes - before >= results + kept + sums
    assert report.peak_bytes - before < 1.2 * (results + kept + sums)
