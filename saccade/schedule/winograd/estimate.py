"""How long a convolution takes as direct sums and in tiles, about, and by which tile it takes least.

    best_tile(Filter(64, 64, 64, (28, 28), (3, 3)), machine_of("null:cuda"))      # (4, 4): F(4 x 4, 3 x 3)

The numbers are those of products (`products/estimate.py`); on a CPU, where tiles are off, those of `Machine`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product as grid
from math import gcd, prod
from typing import Final

from ...graph import dtypes
from ...graph.forms import TILED
from ..cost import Machine
from ..products.estimate import MEMORY_RATE, START, least_microseconds
from ..products.product import LEAST_SIDE, Product
from .cook_toom import MOST_POINTS

#: what tiles must save of the time of direct sums, and in microseconds: three more kernels of which each is
#: as short as its launch are known less well than that
LEAST_GAIN: Final = 0.15
LEAST_SAVED: Final = 10.0
#: times the least that tiles may take which are as good
NEAR: Final = 1.03
#: points that a thread has in registers at most
MOST_OF_A_TILE: Final = MOST_POINTS**2
#: microseconds a kernel takes beside its bytes and its start
EACH: Final = 2.0
#: bytes of an element, of a sector of memory, and of the widest store
WORD, SECTOR, WIDEST = 4, 32, 16


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
    """The results of a tile along each axis, where tiles take clearly less time than direct sums: of those
    that take about the least the one of the fewest points, whose errors are lower."""
    times = {tile: microseconds_in_tiles(f, tile, machine) for tile in _tiles(f)}
    least = min(times.values(), default=0.0)
    direct = microseconds_direct(f, machine) if times else 0.0
    if direct - least < max(LEAST_GAIN * direct, LEAST_SAVED):
        return None
    return min((t for t in times if times[t] <= NEAR * least), key=lambda t: (_points(f, t), times[t]))


def _tiles(f: Filter) -> Iterator[tuple[int, ...]]:
    """Tiles worth a look: no larger than what there is, of points that stay in registers."""
    if min(f.channels, f.outputs) < LEAST_SIDE or max(f.windows) >= MOST_POINTS:
        return
    most = (min(n, MOST_POINTS + 1 - r) for n, r in zip(f.places, f.windows, strict=True))
    for tile in grid(*[range(min(2, n), n + 1) for n in most]):
        if _points(f, tile) <= MOST_OF_A_TILE:
            yield tile


def _points(f: Filter, tile: tuple[int, ...]) -> int:
    return prod(m + r - 1 for m, r in zip(tile, f.windows, strict=True))


def microseconds_direct(f: Filter, machine: Machine) -> float:
    """How long the direct sums take, with the copies they are made from."""
    places = f.images * prod(f.places)
    sizes = Product(1, f.outputs, places, f.channels * prod(f.windows), dtypes.float32)
    copies = _moving(2 * f.read, machine) + _moving(2 * f.weights, machine)
    return copies + _multiplying(sizes, f.results, machine)


def microseconds_in_tiles(f: Filter, tile: tuple[int, ...], machine: Machine) -> float:
    """How long the weights, the tiles, their products and the way back take."""
    points = _points(f, tile)
    tiles = f.images * prod(-(-n // m) for n, m in zip(f.places, tile, strict=True))
    u, v, m = (points * n for n in (f.channels * f.outputs, f.channels * tiles, f.outputs * tiles))
    sizes = Product(points, f.outputs, tiles, f.channels, dtypes.float32)
    written = f.results * (_spread(f.places[-1], tile[-1]) if machine.processors else 1.0)
    transforms = (f.weights + u, f.read + v, m + written)
    return sum(_moving(n, machine) for n in transforms) + _multiplying(sizes, m, machine)


def _spread(places: int, m: int) -> float:
    """How many times its bytes a row of results takes that threads write a tile each of: `m` neighbours as
    vectors, as far as rows are whole ones of them."""
    lanes = gcd(places, m, WIDEST // WORD)
    return min(m * WORD, SECTOR) / (lanes * WORD)


def _moving(elements: float, machine: Machine) -> float:
    """How long a kernel takes that reads and writes so many elements."""
    if machine.processors:
        return EACH + START + elements * WORD / MEMORY_RATE
    return 1e6 * machine.unit * (machine.launch + elements * WORD * machine.memory_byte)


def _multiplying(sizes: Product, results: int, machine: Machine) -> float:
    """How long a product takes, with what it writes."""
    moved = (sizes.batches * (sizes.m + sizes.n) * sizes.k + results) * WORD
    if machine.processors:
        return max(least_microseconds(sizes, machine), START + moved / MEMORY_RATE)
    work = max(sizes.multiplications * machine.multiply[TILED], moved * machine.memory_byte)
    return 1e6 * machine.unit * (machine.launch + work)
