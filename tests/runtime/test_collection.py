"""What was freed goes back to the system."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import pytest

from saccade.runtime.process.collection import give_back

MB = 2**20


@pytest.mark.skipif(os.name != "posix" or not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="glibc's")
def test_freed_memory_between_things_that_are_still_there_goes_back() -> None:
    library = ctypes.CDLL(None)
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
    library.free.argtypes = (ctypes.c_void_p,)
    size = 65_536  # small enough for the heap
    blocks = [library.malloc(size) for _ in range(64 * MB // size)]
    for block in blocks:
        ctypes.memset(block, 1, size)
    for block in blocks[:-1]:  # the last one holds the top of the heap
        library.free(block)
    before = resident()
    give_back()
    assert resident() < before - 32 * MB
    library.free(blocks[-1])


def resident() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))
