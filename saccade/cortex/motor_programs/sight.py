"""What a policy sees, in components, and how agents move."""

from __future__ import annotations

from typing import NamedTuple

from saccade.cortex.columns import Columns
from saccade.cortex.geometry import Vector
from saccade.cortex.goals.asking_program import Goal
from saccade.cortex.sense.noise_program import Draws, uniforms
from saccade.cortex.vectors import Frame
from saccade.tensor import Tensor


class Felt(NamedTuple):
    """What one sensor of every row feels, (R,) each; see `Sensation`."""

    location: Vector
    normal: Vector
    first: Vector
    second: Vector
    fully_defined: Tensor
    curvatures: tuple[Tensor, Tensor]
    on_object: Tensor
    usable: Tensor
    coverage: Tensor
    inward: Vector

    @staticmethod
    def of(values: Tensor) -> Felt:
        """From rows of numbers (R, columns) in the order of `sense_program.FIELDS`."""
        columns = Columns(values)
        location = columns.vector()
        normal, first, second = columns.vector(), columns.vector(), columns.vector()
        fully_defined = columns.flag()
        columns.vector()  # the colour
        curvatures = columns.number(), columns.number()
        for _ in range(2):  # their logarithms
            columns.number()
        on_object, usable = columns.flag(), columns.flag()
        columns.number()  # the confidence
        coverage, inward = columns.number(), columns.vector()
        return Felt(
            location, normal, first, second, fully_defined, curvatures, on_object, usable, coverage, inward
        )


class Sight(NamedTuple):
    """What policies act on. felt (R, S, columns), eyes (R, S, 12 or more): the poses of sensors; agent, goal;
    draws: what random numbers of the rows are made of."""

    felt: Tensor
    eyes: Tensor
    agent: Frame
    goal: Goal
    draws: Draws

    def feels(self, guide: int) -> Felt:
        return Felt.of(self.felt[:, guide])

    def sensor(self, guide: int) -> Frame:
        return Columns(self.eyes[:, guide]).frame()

    def uniform(self, stream: int, count: int) -> list[Tensor]:
        """So many numbers (R,) in [0, 1), as `row_random.uniform`."""
        blocks = (count + 1) // 2
        first, second = uniforms(self.draws, 1, stream, blocks)
        both = [each[:, block] for block in range(blocks) for each in (first, second)]
        return both[:count]


class Move(NamedTuple):
    """How agents move, as `world.protocol.Actions`."""

    motion: Frame
    absolute: Tensor
