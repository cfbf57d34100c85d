"""What was freed goes back to the system, and what stays is not looked at."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
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


STAYS = """
import gc
from saccade.runtime.process.collection import made_to_stay

passes = []
gc.callbacks.append(lambda phase, told: passes.append(phase))
gc.set_threshold(1000)
with made_to_stay():
    held = [[number] for number in range(20_000)]
print(len(passes), gc.isenabled(), gc.get_freeze_count() > 20_000)
"""


def test_what_is_made_to_stay_is_not_looked_at() -> None:
    """In a process of its own: nothing of it is thawed again."""
    told = subprocess.run([sys.executable, "-c", STAYS], capture_output=True, text=True, check=True)
    assert told.stdout == "0 True True\n"
