"""Buffers: views, sharing, sizes that cannot be."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from saccade.graph import dtypes
from saccade.graph.dtypes import DType
from saccade.runtime.memory.buffer import Buffer
from saccade.runtime.memory.halves import storage_dtype


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
