"""Buffers and the memory under them."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.graph import dtypes
from saccade.graph.dtypes import DType
from saccade.runtime import memory
from saccade.runtime.buffer import Buffer
from saccade.runtime.halves import storage_dtype


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda d: d.name)
def test_a_buffer_holds_its_elements(dtype: DType) -> None:
    buffer = Buffer(5, dtype, "cpu")
    assert not buffer.allocated
    assert buffer.nbytes == 5 * dtype.itemsize
    assert buffer.address % 64 == 0
    buffer.numpy()[:] = [1, 0, 1, 1, 0]
    assert buffer.numpy().dtype == storage_dtype(dtype)
    np.testing.assert_array_equal(buffer.numpy(), np.array([1, 0, 1, 1, 0], storage_dtype(dtype)))


def test_buffers_are_compared_by_identity() -> None:
    a, b = Buffer(3, dtypes.int32), Buffer(3, dtypes.int32)
    assert a == a
    assert a != b
    assert len({a, b, a}) == 2


def test_from_numpy_shares_memory_both_ways_and_keeps_the_array() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    buffer = Buffer.from_numpy(array)
    assert (buffer.size, buffer.dtype, buffer.address) == (6, dtypes.float32, array.ctypes.data)
    buffer.numpy()[4] = 40
    assert array[1, 1] == 40
    del array
    gc.collect()
    assert buffer.numpy()[4] == 40


def test_from_numpy_refuses_what_it_cannot_share() -> None:
    with pytest.raises(ValueError, match="ascontiguousarray"):
        Buffer.from_numpy(np.arange(10)[::2])
    with pytest.raises(TypeError, match="uint16"):
        Buffer.from_numpy(np.zeros(3, np.float32), dtypes.bfloat16)
    assert Buffer.from_numpy(np.zeros(3, np.uint16), dtypes.bfloat16).dtype is dtypes.bfloat16


def test_read_only_arrays_stay_read_only() -> None:
    array = np.arange(3)
    array.flags.writeable = False
    buffer = Buffer.from_numpy(array)
    with pytest.raises(ValueError, match="read-only"):
        buffer.copy_from(np.zeros(3, np.int64))
    assert not buffer.numpy().flags.writeable
    np.testing.assert_array_equal(array, [0, 1, 2])


def test_copy_from_checks_size_and_type() -> None:
    buffer = Buffer(4, dtypes.int32)
    buffer.copy_from(np.arange(4, dtype=np.int32).reshape(2, 2))
    np.testing.assert_array_equal(buffer.numpy(), range(4))
    with pytest.raises(ValueError, match="5 elements of int32"):
        buffer.copy_from(np.arange(5, dtype=np.int32))
    with pytest.raises(ValueError, match="float32"):
        buffer.copy_from(np.zeros(4, np.float32))


def test_a_view_outlives_its_buffer() -> None:
    buffer = Buffer(1000, dtypes.int64)
    view = buffer.numpy()
    view[:] = 7
    del buffer
    gc.collect()
    others = [Buffer(1000, dtypes.int64) for _ in range(20)]
    for other in others:
        other.numpy()[:] = 0
    assert (view == 7).all()


def test_empty_buffers_work() -> None:
    buffer = Buffer(0, dtypes.float32)
    assert buffer.address % 64 == 0
    assert buffer.numpy().shape == (0,)
    assert Buffer.from_numpy(np.zeros((0, 3))).numpy().shape == (0,)


def test_impossible_sizes_name_the_size_and_a_remedy() -> None:
    with pytest.raises(ValueError, match="-1 elements"):
        Buffer(-1, dtypes.float32)
    for size in (1 << 44, 1 << 62, 1 << 80):
        with pytest.raises(MemoryError, match=f"{size * 8} bytes.*smaller"):
            Buffer(size, dtypes.float64).address
    assert Buffer(10, dtypes.float64).numpy().shape == (10,)


# --- the allocator


@given(st.integers(1, 1 << 40))
def test_size_classes_waste_little_and_are_stable(nbytes: int) -> None:
    size = memory.size_class(nbytes)
    assert nbytes <= size <= max(nbytes * 1.125, nbytes + 64)
    assert memory.size_class(size) == size
    assert memory.size_class(nbytes + 1) >= size


def test_freed_blocks_are_used_again_and_live_ones_are_not() -> None:
    allocator = memory.Allocator()
    first = allocator.allocate(10_000)
    address = first.address
    assert allocator.allocate(10_000).address != address
    del first
    assert address in {allocator.allocate(9_999).address for _ in range(1)}


def test_the_cache_of_blocks_is_bounded() -> None:
    allocator = memory.Allocator(cap=1 << 20)
    blocks = [allocator.allocate(1 << 18) for _ in range(10)]
    assert allocator.cached == 0
    blocks.clear()
    assert allocator.cached == 1 << 20
    allocator.clear()
    assert allocator.cached == 0


@given(st.lists(st.integers(0, 5000), max_size=60))
def test_live_blocks_never_overlap(sizes: list[int]) -> None:
    allocator = memory.Allocator()
    live: list[memory.Block] = []
    for i, size in enumerate(sizes):
        live.append(allocator.allocate(size))
        if i % 3 == 2:
            live.pop(size % len(live))
    spans = sorted((b.address, b.address + b.nbytes) for b in live)
    assert all(end <= start for (_, end), (start, _) in zip(spans, spans[1:], strict=False))
    assert all(start % 64 == 0 for start, _ in spans)
