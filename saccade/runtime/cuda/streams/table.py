"""Words of 64 bits written by a small kernel whose arguments they are: tables of addresses, runtime values.

    write = TableWriter(device)
    write(stream, address, [1, 2, 3])

Arguments are copied by the launch. So nothing is staged, nobody waits, and the words are written in the order
of the stream."""

from __future__ import annotations

import ctypes
from typing import Any, Final

from cuda.bindings import driver

from ...program import Program, Source
from ..errors import check
from .context import Context

#: Words the kernel takes at once: what fits into the arguments of every GPU (4 KiB).
_MOST: Final = 480

TABLE_KERNEL: Final = f"""
struct Words {{ unsigned long long at[{_MOST}]; }};
extern "C" __global__ void write_table(
    unsigned long long *table, unsigned long long first, unsigned long long count,
    const __grid_constant__ Words words) {{
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) table[first + i] = words.at[i];
}}
"""

_kernels: dict[str, Program] = {}


def _kernel(device: Context) -> Any:
    """The kernel, loaded once for each device."""
    found = _kernels.get(device.name)
    if found is None:
        (found,) = device.compile([Source("write_table", TABLE_KERNEL, 1, 0, grid=1, block=128)])
        _kernels[device.name] = found
    return found.function  # type: ignore[attr-defined]


class TableWriter:
    """The arguments of the kernel, for one thread at a time."""

    def __init__(self, device: Context) -> None:
        self._function = _kernel(device)
        self._head = (ctypes.c_uint64 * 3)()
        self._values = (ctypes.c_uint64 * _MOST)()
        head = ctypes.addressof(self._head)
        self._pointers = (ctypes.c_void_p * 4)(head, head + 8, head + 16, ctypes.addressof(self._values))

    @staticmethod
    def launches(words: int) -> int:
        """How many the driver sees."""
        return -(-words // _MOST)

    def __call__(self, stream: Any, address: int, words: list[int]) -> None:
        """Queue the kernel that writes the words to this address."""
        self._head[0] = address
        for start in range(0, len(words), _MOST):
            part: list[ctypes.c_uint64 | int] = [*words[start : start + _MOST]]
            self._values[: len(part)] = part
            self._head[1], self._head[2] = start, len(part)
            arguments = ctypes.addressof(self._pointers)
            result = driver.cuLaunchKernel(self._function, 1, 1, 1, 128, 1, 1, 0, stream, arguments, 0)
            check(result, "launching kernel 'write_table', which writes a table of words")
