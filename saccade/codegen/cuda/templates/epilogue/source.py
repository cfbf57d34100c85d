"""A kernel of sums and one of what a block makes of its own sums, as one.

    f32 *group = ...                                                 32 of them, in shared memory
    { ... the first, whose warps leave 32 sums in `group` ... }
    __syncthreads();
    if (threadIdx.x < 32) { ... the last, which reads them there ... }

Both are written for the same grid: block g has group g.
"""

from __future__ import annotations

from .....runtime.program import Source
from ....linear.code import Memory, Value
from ....linear.gpu.code import GpuCode
from ...prelude import COMMON, FOLLOW, PRELUDE, ahead_line, kernel_head
from ...renderer import Renderer, address, pointer, type_name


def epilogue_source(name: str, first: GpuCode, last: GpuCode, slot: int, size: int, params: int) -> Source:
    """One source for two kernels that need no other shared memory; the one in `slot` is theirs alone."""
    assert first.grid == last.grid
    assert first.workspace == last.shared == last.workspace == 0
    threads, few = first.teams * first.team, last.teams * last.team
    assert few <= threads
    last.early = True  # what it reads was written by this kernel: no cache that is read only
    dtype = next(m.dtype for m in first.memories if m.slot == slot)
    kind, nbytes = type_name(dtype), -(-size * dtype.itemsize // 16) * 16
    buffers = {m.slot: m.dtype for code in (first, last) for m in code.memories if m.slot != slot}
    shares = (*first.ahead, *last.ahead) if first.early else ()
    asked = [ahead_line(address(at), "blockIdx.x", share) for at, share in shares]
    last_part = [_Part(last, slot, size).body_text(), "  }"]
    if few < threads:
        last_part = [f"  if (threadIdx.x < {few}) {{", *last_part]
    else:
        last_part = ["  {", *last_part]
    own = _Part(first, slot, size).shared_lines(nbytes) if first.shared else []
    lines = [
        kernel_head(name, params, threads, follows=first.early),
        "  extern __shared__ uint4 shared_memory[];",
        f"  {kind} *const p{slot} = reinterpret_cast<{kind} *>(shared_memory);",
        *own,
        *(pointer(dtype, at) for at, dtype in sorted(buffers.items())),
        *asked,
        *([FOLLOW] if first.early and not first.waits_late else []),
        "  {", _Part(first, slot, size).body_text(), "  }",
        "  __syncthreads();",
        *last_part,
        "}", "",
    ]  # fmt: skip
    text = "\n".join([PRELUDE, COMMON, *lines])
    return Source(
        name, text, tasks=first.grid * threads, params=params, grid=first.grid, block=threads,
        shared=nbytes + first.shared * first.teams,
        settled=tuple(sorted(first.settled)) if first.waits_late else (),
    )  # fmt: skip


class _Part(Renderer):
    """Prints the body of one of the kernels, whose buffers have been found. What the block has of the one in
    `slot`, `size` elements, is in shared memory."""

    def __init__(self, code: GpuCode, slot: int, size: int) -> None:
        super().__init__(code)
        self.slot, self.size = slot, size

    def place(self, memory: Memory, index: Value, offset: int) -> str:
        place = super().place(memory, index, offset)
        return f"{place} - (i32)blockIdx.x * {self.size}" if memory.slot == self.slot else place

    def shared_lines(self, start: int) -> list[str]:
        """Where a team has its shared memory, behind that of the sums."""
        self.line(self.shared_line(start))
        self.tile_lines()
        return self.lines
