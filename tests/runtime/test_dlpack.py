"""DLPack capsules, both ways, with NumPy as the other library."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from saccade import dtypes
from saccade.runtime.memory.dlpack import CPU, _data_type, _DataType, _dtype, pack, unpack


class Capsule:
    """What NumPy takes a capsule from."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (CPU, 0)


def test_memory_comes_back_once_when_the_consumer_is_done() -> None:
    source = np.arange(6, dtype=np.float32)
    returned: list[str] = []
    capsule = pack(source.ctypes.data, (2, 3), dtypes.float32, (CPU, 0), lambda: returned.append("used"))
    there = np.from_dlpack(Capsule(capsule))
    del capsule
    gc.collect()
    assert np.shares_memory(there, source)
    assert there.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert returned == []
    del there
    gc.collect()
    assert returned == ["used"]


def test_a_capsule_that_nobody_takes_gives_its_memory_back() -> None:
    source = np.zeros(3, np.int64)
    returned: list[str] = []
    capsule = pack(source.ctypes.data, (3,), dtypes.int64, (CPU, 0), lambda: returned.append("unused"))
    del capsule
    gc.collect()
    assert returned == ["unused"]


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_what_comes_from_others(version: tuple[int, int] | None) -> None:
    array = np.arange(12, dtype=np.int16).reshape(3, 4).T
    capsule = array.__dlpack__(max_version=version) if version else array.__dlpack__()
    found = unpack(capsule)
    assert (found.shape, found.strides, found.dtype) == ((4, 3), (1, 4), dtypes.int16)
    assert (found.address, found.device) == (array.ctypes.data, (CPU, 0))
    with pytest.raises(BufferError, match="used before"):
        unpack(capsule)
    found.release()
    found.release()  # the second time does nothing


def test_every_dtype_has_its_code() -> None:
    for dtype in (*dtypes.ALL, *dtypes.COMPLEX):
        assert _dtype(_data_type(dtype)) is dtype
    assert unpack(np.zeros(3, np.complex64).__dlpack__()).dtype is dtypes.complex64
    with pytest.raises(BufferError, match="code 3 with 64 bits"):  # an opaque handle
        _dtype(_DataType(3, 64, 1))
