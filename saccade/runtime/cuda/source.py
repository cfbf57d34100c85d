"""A kernel for a GPU: CUDA C++ text and the shape of its launch.

    CudaSource("map_1024", text, tasks=1024, params=2, grid=1, block=256)

defines `extern "C" __global__ void map_1024(const u64 *table, u64 a0, u64 o0, u64 a1, u64 o1)`. A buffer's address is
`(table ? table[a] : a) + o`: launched alone, a kernel is given addresses; in a captured graph it is given slots of a
table on the device, and the graph never has to change. `workspace` bytes of device memory for the whole grid, where a
kernel needs any, come as one more pair.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..program import Source


@dataclass(frozen=True)
class CudaSource(Source):
    """Blocks, threads of a block, dynamic shared memory of a block and memory for the whole grid, in bytes."""

    grid: int = 1
    block: int = 1
    shared: int = 0
    workspace: int = 0

    @property
    def pointers(self) -> int:
        """Pairs of kernel arguments: the buffers, and the workspace where there is one."""
        return self.params + (1 if self.workspace else 0)
