"""Tiles through which a team's threads exchange a row, step after step, in as little memory as that takes.

    tile a  read by step b alone      b waits until all threads have read a, and is written over it
    tile b  read by the stores        stays

A step that has loops of its own reads while it writes: it gets memory that nobody reads any more, or new.
"""

from __future__ import annotations

from ....graph.node import Node
from ....graph.ops import Op
from ..code import Memory
from .code import WARP

#: bytes of all banks of shared memory
BANKS = 128


class Exchange:
    """Which steps have not read a tile yet."""

    def __init__(self, sink: Node) -> None:
        tiles = [n for n in sink.toposort() if n.op is Op.STAGE and n.arg.exchanges]
        self.waiting: dict[Node, set[Node]] = {tile: set() for tile in tiles}
        for reader in (*tiles, sink) if tiles else ():
            for below in reader.toposort(lambda n, own=reader: n is own or n.op is not Op.STAGE):  # type: ignore[misc]
                if below.op is Op.LOAD and below.src[0] in self.waiting:
                    self.waiting[below.src[0]].add(reader)
        self.memories: dict[Node, Memory] = {}

    def again(self, tile: Node, loops: bool) -> tuple[Memory | None, bool]:
        """Memory for a tile whose value has been computed that another one leaves, None without one; and
        whether threads may still read that."""
        for old, memory in self.memories.items():
            same = old.dtype is tile.dtype and old.arg.size >= tile.arg.size
            if same and self.waiting[old] <= {tile} and not (loops and self.waiting[old]):
                del self.memories[old]
                return memory, bool(self.waiting[old])
        return None, False

    def made(self, tile: Node, memory: Memory) -> None:
        """A tile is there, and what it is made of has been read."""
        for readers in self.waiting.values():
            readers.discard(tile)
        self.memories[tile] = memory

    def apart(self, shared: int, team: int) -> int:
        """Bytes of shared memory of a team, such that teams of a warp are in banks of their own."""
        if not self.waiting or team >= WARP:
            return shared
        nbytes = max(tile.dtype.itemsize for tile in self.waiting)
        return shared + (team * nbytes - shared) % BANKS
