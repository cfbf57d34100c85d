"""Parts become one computation: their steps one after the other, what goes between them in one arena.

A part was worked out for slots of its own. Its inputs are inputs of the whole or results of earlier parts;
its results are results of the whole, or lie in the arena until the last step that reads them; its own
intermediates are one block of that arena while its steps run. So one plan runs everything, and memory is used
again across parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..graph.node import Node
from ..graph.ops import Op
from ..runtime.program import ARENA
from ..runtime.recipe import Section, Step
from ..schedule.memory import Lifetime, arena_offsets
from .parts import Part, size_of


@dataclass(frozen=True)
class Worked:
    """What was worked out for a form: launches over its slots, bytes of intermediates, how many bytes of each
    slot are touched; and of a whole in parts, the sections of its steps."""

    steps: tuple[Step, ...]
    arena: int
    touched: dict[int, int]
    sections: tuple[Section, ...] = ()


class _Blocks:
    """Blocks of the arena in the making: their bytes, and the first and last step that uses each."""

    def __init__(self) -> None:
        self.nbytes: list[int] = []
        self.used: list[tuple[int, int] | None] = []

    def new(self, nbytes: int) -> int:
        self.nbytes.append(nbytes)
        self.used.append(None)
        return len(self.nbytes) - 1

    def use(self, block: int, step: int) -> None:
        first, _ = self.used[block] or (step, step)
        self.used[block] = (first, step)

    def lifetimes(self) -> list[Lifetime]:
        pairs = zip(self.nbytes, self.used, strict=True)
        return [Lifetime(nbytes, *(used or (0, 0))) for nbytes, used in pairs]


def linked(
    parts: Sequence[Part], worked: Sequence[Worked], nodes: Sequence[Node], slots: dict[int, int]
) -> Worked:
    """What was worked out for parts, as one; `nodes` are those of the whole, and `slots` says which of them
    are its inputs and results."""
    blocks = _Blocks()
    of_value: dict[int, int] = {}
    places: list[tuple[Step, list[tuple[int, int]]]] = []  # params of each step: (slot or ~block, offset)
    sections: list[Section] = []
    touched: dict[int, int] = {}
    for part, one in zip(parts, worked, strict=True):
        table = {ARENA: ~blocks.new(one.arena)}
        for slot, number in enumerate((*part.inputs, *part.outputs)):
            if number in slots:
                table[slot] = slots[number]
                continue
            if number not in of_value:
                of_value[number] = blocks.new(nodes[number].size * nodes[number].dtype.itemsize)
            table[slot] = ~of_value[number]
        earlier = [nodes[n] for n in part.inputs if nodes[n].op is not Op.PARAM]
        crossing = sum(node.size * node.dtype.itemsize for node in earlier)
        sections.append(Section(len(places), size_of(part.form), crossing))
        for step in one.steps:
            params = [(table[slot], offset) for slot, offset in step.params]
            for place, _ in params:
                if place < 0:
                    blocks.use(~place, len(places))
            places.append((step, params))
        for slot, nbytes in one.touched.items():
            if table[slot] >= 0:
                touched[table[slot]] = max(touched.get(table[slot], 0), nbytes)
    offsets, arena = arena_offsets(blocks.lifetimes())
    steps = [
        Step(step.source, tuple([_at(place, offset, offsets) for place, offset in params]), step.notes)
        for step, params in places
    ]
    return Worked(tuple(steps), arena, touched, tuple(sections))


def _at(place: int, offset: int, offsets: list[int]) -> tuple[int, int]:
    return (place, offset) if place >= 0 else (ARENA, offsets[~place] + offset)
