"""Running plans on the calling thread alone, where the native pool cannot be had (Windows).

The same three functions as `pool_source` defines, reading the same tables.
"""

from __future__ import annotations

import ctypes
import time

from .pool_source import LAUNCH_FIELDS

_Kernel = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
_WORD = 8


def create(workers: int, spin_ns: int) -> int:
    """There is nothing to make; any handle but 0 will do."""
    return 1


def destroy(handle: int) -> None:
    """There is nothing to end."""


def run(handle: int, launches: int, count: int, slots: int | bytes, times: int | None = None) -> int:
    """All launches in order; 0, or one more than the launch that lacked memory."""
    words = ctypes.create_string_buffer(slots) if isinstance(slots, bytes) else None
    table = slots if isinstance(slots, int) else ctypes.addressof(words)  # type: ignore[arg-type]
    for i in range(count):
        _stamp(times, i)
        fields = (ctypes.c_int64 * len(LAUNCH_FIELDS)).from_address(launches + i * _WORD * len(LAUNCH_FIELDS))
        launch = dict(zip(LAUNCH_FIELDS, fields, strict=True))
        refs = (ctypes.c_int64 * (2 * launch["count"])).from_address(launch["refs"])
        params = (ctypes.c_int64 * launch["count"]).from_address(launch["params"])
        for j in range(launch["count"]):
            params[j] = ctypes.c_int64.from_address(table + _WORD * refs[2 * j]).value + refs[2 * j + 1]
        if launch["tasks"] == 0:
            continue
        try:
            scratch = ctypes.create_string_buffer(launch["scratch"] + 64)
        except MemoryError:
            return i + 1
        start = ctypes.addressof(scratch)
        _Kernel(launch["function"])(launch["params"], 0, launch["tasks"], start + -start % 64)
    _stamp(times, count)
    return 0


def _stamp(times: int | None, i: int) -> None:
    if times is not None:
        ctypes.c_int64.from_address(times + _WORD * i).value = time.monotonic_ns()
