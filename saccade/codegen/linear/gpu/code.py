"""What a kernel for a GPU is as linear code: its body, its memories, and the shape of its launch."""

from __future__ import annotations

from dataclasses import dataclass

from ..code import Block, Memory, Variable

GRID, TEAM, THREAD = "grid", "team", "thread"
PLACES = frozenset({GRID, TEAM, THREAD})
#: the kind of an index that is an argument of a function, and the slot of memory that is one
GIVEN, NO_BUFFER = "given", -2
#: given indices have these numbers, one after the other: z, m, n, k, c
GIVEN_FIRST = 1 << 20
WARP = 32
#: candidates a thread gathers before the warp sorts them in, and the least elements and results that is for
QUEUE, QUEUED_LENGTH, QUEUED_RESULTS = 20, 128, 4
#: elements a thread looks at before it asks whether a queue is full: the first that divides the length
QUEUE_STEPS = (8, 4)
#: bytes of one access
WIDEST = 16
#: the largest array a thread keeps for itself, and the largest tile of a team in shared memory
SHARED_BYTES = 48 * 1024
#: bytes of all banks of shared memory
BANKS = 128


@dataclass(eq=False, slots=True)
class Tile:
    """Memory inside the kernel: `space` is shared, private or workspace."""

    memory: Memory
    space: str
    elements: int


@dataclass(eq=False, slots=True)
class GpuCode:
    """A whole kernel and the shape of its launch."""

    name: str
    body: Block
    memories: list[Memory]
    read_only: frozenset[int]
    tiles: list[Tile]
    variables: list[Variable]
    params: int
    grid: int
    teams: int
    team: int
    shared: int  # bytes for each team
    workspace: int  # bytes for each team
    streamed: frozenset[int] = frozenset()  # slots of buffers that pass through once
    releases_from: int = 0  # the first block of the grid that releases what it read of them
    #: may begin before the kernel in front has ended, and waits for that in every block
    overlaps: bool = True
    #: reads nothing through the read-only cache, so that it may begin before the kernel in front has ended
    early: bool = False
    #: slots, and bytes of a block, that it asks the second cache for before it waits for that kernel
    ahead: tuple[tuple[int, int], ...] = ()
    #: slots that it reads before it waits for that kernel, where these are known to be written by nobody
    settled: frozenset[int] = frozenset()

    #: how far apart the work of blocks is that run side by side; it has no divisor in common with the grid
    stride: int = 1

    @property
    def waits_late(self) -> bool:
        """Does it wait behind loads of these?"""
        return self.early and bool(self.settled)
