"""Where results go that are stored to memory which is there already: an input that others read.

    x, y = x + y, x.flip(0)     x + y goes to the memory of x, and y reads that elsewhere: no kernel does both

Kernels are joined before it is known whether such a result can be written in place (`donate.py`). One kernel
with both would have to read what it has overwritten, so those are kept apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..graph.node import Node
from ..graph.ops import Op
from ..transform.stores import Targets, updates_of
from .joining.order import Entry


class Places:
    """Results, and the memory (a PARAM) that some of them go to; `values` are those that follow each other
    there, the last one first. Without `chains`, kernels know nothing of those in between."""

    def __init__(self, roots: tuple[Node, ...], targets: Targets, chains: bool = True) -> None:
        pairs = zip(roots, targets, strict=True)
        self.targets = {root: target for root, target in pairs if target is not None}
        self.values = {
            root: (chains and updates_of(root, target)) or (root,) for root, target in self.targets.items()
        }

    def of(self, results: Iterable[Node]) -> frozenset[Node]:
        """The memories that any of these go to."""
        return frozenset([self.targets[r] for r in results if r in self.targets]) if self.targets else _NONE

    def in_step(self, first: Entry, second: Entry) -> bool:
        """May two kernels over the same loops become one? Not if one overwrites what the other reads
        elsewhere."""
        return not self.targets or (self._apart(first, second) and self._apart(second, first))

    def _apart(self, writer: Entry, reader: Entry) -> bool:
        for store in writer.kernel.sink.src:
            target = (
                self.targets.get(writer.memories[store.src[0].arg.slot]) if store.op is Op.STORE else None
            )
            if target is None or target not in reader.touches:
                continue
            loads = loads_of(reader, target)
            if not loads or any(load.src[1] is not store.src[1] for load in loads):
                return False
        return True


def loads_of(entry: Entry, memory: Node) -> list[Node]:
    """What a kernel loads from a memory."""
    slots = {slot for slot, other in enumerate(entry.memories) if other is memory}
    loads = [n for n in entry.kernel.nodes if n.op is Op.LOAD and n.src[0].op is Op.PARAM]
    return [n for n in loads if n.src[0].arg.slot in slots]


_NONE: frozenset[Node] = frozenset()
NO_PLACES = Places((), ())
