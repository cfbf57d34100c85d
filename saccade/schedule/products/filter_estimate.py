"""How long a convolution takes as direct sums and in tiles, about, and by which tile it takes least.

    best_tile(Filter(128, 128, 128, (14, 14), (3, 3)), GPU)      # (4, 4): F(4 x 4, 3 x 3)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product as grid
from math import prod

from ...graph import dtypes
from ...graph.forms import TILED
from ..cost import Machine
from .cook_toom import MOST_POINTS
from .estimate import MEMORY_RATE, START, least_microseconds
from .product import LEAST_SIDE, Product

#: what tiles must save of the time of direct sums
LEAST_GAIN = 0.15
#: points that a thread has in registers at most
MOST_OF_A_TILE = MOST_POINTS**2
#: microseconds a kernel takes beside its bytes
EACH = 2.0
#: bytes of an element
WORD = 4


@dataclass(frozen=True)
class Filter:
    """A convolution: images, channels of them and of the results, and along each axis that has windows the
    places and the size of the window."""

    images: int
    channels: int
    outputs: int
    places: tuple[int, ...]
    windows: tuple[int, ...]

    @property
    def read(self) -> int:
        inputs = prod(n + r - 1 for n, r in zip(self.places, self.windows, strict=True))
        return self.images * self.channels * inputs

    @property
    def weights(self) -> int:
        return self.channels * self.outputs * prod(self.windows)

    @property
    def results(self) -> int:
        return self.images * self.outputs * prod(self.places)


def best_tile(f: Filter, machine: Machine) -> tuple[int, ...] | None:
    """The results of a tile along each axis, where tiles take clearly less time than direct sums."""
    times = {tile: microseconds_in_tiles(f, tile, machine) for tile in _tiles(f)}
    best = min(times, key=times.__getitem__, default=None)
    pays = best is not None and times[best] < (1 - LEAST_GAIN) * microseconds_direct(f, machine)
    return best if pays else None


def _tiles(f: Filter) -> Iterator[tuple[int, ...]]:
    """Tiles worth a look: no larger than what there is, of points that stay in registers."""
    if min(f.channels, f.outputs) < LEAST_SIDE or max(f.windows) > MOST_POINTS - 1:
        return
    each = [range(min(2, n), min(n, MOST_POINTS + 1 - r) + 1) for n, r in zip(f.places, f.windows, strict=True)]
    for tile in grid(*each):
        if prod(m + r - 1 for m, r in zip(tile, f.windows, strict=True)) <= MOST_OF_A_TILE:
            yield tile


def microseconds_direct(f: Filter, machine: Machine) -> float:
    """How long the direct sums take, with the copies they are made from."""
    places = f.images * prod(f.places)
    sizes = Product(1, f.outputs, places, f.channels * prod(f.windows), dtypes.float32)
    copies = _moving(2 * f.read, machine) + _moving(2 * f.weights, machine)
    return copies + _multiplying(sizes, f.results, machine)


def microseconds_in_tiles(f: Filter, tile: tuple[int, ...], machine: Machine) -> float:
    """How long the weights, the tiles, their products and the way back take."""
    points = prod(m + r - 1 for m, r in zip(tile, f.windows, strict=True))
    tiles = f.images * prod(-(-n // m) for n, m in zip(f.places, tile, strict=True))
    u, v, m = (points * n for n in (f.channels * f.outputs, f.channels * tiles, f.outputs * tiles))
    sizes = Product(points, f.outputs, tiles, f.channels, dtypes.float32)
    transforms = ((f.weights, u), (f.read, v), (m, f.results))
    return sum(_moving(a + b, machine) for a, b in transforms) + _multiplying(sizes, m, machine)


def _moving(elements: int, machine: Machine) -> float:
    """How long a kernel takes that reads and writes so many elements."""
    if machine.processors:
        return EACH + START + elements * WORD / MEMORY_RATE
    return 1e6 * machine.unit * (machine.launch + elements * WORD * machine.memory_byte)


def _multiplying(sizes: Product, results: int, machine: Machine) -> float:
    """How long a product takes, with what it writes."""
    read = sizes.batches * (sizes.m + sizes.n) * sizes.k
    if machine.processors:
        return max(least_microseconds(sizes, machine), START + (read + results) * WORD / MEMORY_RATE)
    multiplying = sizes.multiplications * machine.multiply[TILED]
    return 1e6 * machine.unit * (machine.launch + max(multiplying, (read + results) * WORD * machine.memory_byte))
