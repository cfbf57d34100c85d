"""What the compiler hands to a device, and what a device makes of it.

A rendered kernel is one function

    void @NAME(ptr params, i64 begin, i64 end, ptr scratch)

that runs iterations `begin..end` of its parallel loop. `params` is an array of buffer addresses, `scratch` is
at least `Source.scratch` bytes, 64-byte aligned, that belong to the running thread:

    Source("double", text, tasks=1000, params=2)      # text defines @double; two buffers, 1000 iterations

A device that compiles nothing, the interpreter or the null device, is given the kernel itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from ..graph.kernels.kernel import Kernel

#: The slot of a plan's own memory, where intermediate values are.
ARENA: Final = -1


@dataclass(frozen=True)
class Source:
    """One kernel as text, with what a device must know to run it."""

    name: str
    text: str
    #: iterations of the parallel loop; 0 is a kernel with nothing to do
    tasks: int
    #: how many buffer addresses it reads from `params`
    params: int
    #: bytes of memory each thread needs for its tiles
    scratch: int = 0
    #: iterations a thread takes at once; at least `tasks` keeps a small kernel on the caller, 0 lets the
    #: device choose
    grain: int = 0
    #: whether compiling it fast matters more than its speed: for work that is over sooner than optimising it
    quick: bool = False
    #: the kernel itself, for devices that need no text
    kernel: Kernel | None = None
    #: the launch on a GPU: blocks, threads of a block, bytes of shared memory of a block and of memory for
    #: the whole grid; see `runtime.cuda.plan`
    grid: int = 0
    block: int = 0
    shared: int = 0
    workspace: int = 0
    #: blocks and threads of a second function of the text, NAME_join, which follows the first with the same
    #: arguments; 0 where there is none
    join_grid: int = 0
    join_block: int = 0
    #: the same of a function that goes before the first, NAME_first
    first_grid: int = 0
    first_block: int = 0
    #: parameters that a kernel of a GPU reads before it waits for the kernel in front of it: it begins early
    #: only where nothing that may still run writes to any of them
    settled: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if min(self.tasks, self.params, self.scratch, self.grain) < 0:
            raise ValueError(f"kernel {self.name!r} has a negative size: {self.tasks=} {self.params=} "
                             f"{self.scratch=} {self.grain=}")  # fmt: skip


class Program(Protocol):
    """A compiled kernel. It stays loaded while somebody holds it."""

    @property
    def source(self) -> Source: ...


@dataclass(frozen=True)
class Launch:
    """One program and where its parameters are: a (slot, byte offset) each; see `plan`."""

    program: Program
    params: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        wanted = self.program.source.params
        if len(self.params) != wanted:
            raise ValueError(
                f"kernel {self.program.source.name!r} takes {wanted} buffers, not {len(self.params)}"
            )


class CompileError(RuntimeError):
    """A compiler refused a kernel. `name` is the kernel, `text` its source."""

    def __init__(self, name: str, text: str, message: str) -> None:
        super().__init__(f"kernel {name!r} does not compile: {message.strip()}")
        self.name, self.text = name, text
