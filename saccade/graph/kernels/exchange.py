"""Tiles through which a team's threads exchange a row, step after step, in as little memory as that takes.

    tile a  read by step b alone      b waits until all threads have read a, and is written over it
    tile b  read by the stores        stays

A step that has loops of its own reads while it writes: it gets memory that nobody reads any more, or new.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from ..node import Node
from ..ops import Op

Memory = TypeVar("Memory")


class Exchange(Generic[Memory]):
    """Which steps have not read a tile yet, and the memory of those that are there."""

    def __init__(self, sink: Node) -> None:
        self.tiles = [n for n in sink.toposort() if n.op is Op.STAGE and n.arg.exchanges]
        self.waiting: dict[Node, set[Node]] = {tile: set() for tile in self.tiles}
        self.memories: dict[Node, Memory] = {}
        for reader in (*self.tiles, sink) if self.tiles else ():
            for tile in read_by(reader):
                self.waiting[tile].add(reader)

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


def read_by(reader: Node) -> list[Node]:
    """The tiles that a step, or the stores, read themselves."""
    nodes = reader.toposort(lambda n: n is reader or n.op is not Op.STAGE)
    loads = [n for n in nodes if n.op is Op.LOAD and n.src[0].op is Op.STAGE and n.src[0].arg.exchanges]
    return [load.src[0] for load in loads]


def exchanged_bytes(sink: Node) -> int:
    """The memory that the tiles of a row take, where no step has loops."""
    exchange: Exchange[int] = Exchange(sink)
    total = 0
    for tile in exchange.tiles:
        size, _ = exchange.again(tile, loops=False)
        if size is None:
            size = tile.arg.size * tile.dtype.itemsize
            total += size
        exchange.made(tile, size)
    return total
