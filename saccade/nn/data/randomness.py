"""Random numbers of a loader: functions of a seed, an epoch and an item, and of nothing else.

Who makes an item, when, and after which others, does not matter. So the batches of an epoch are the same bits
with any number of workers, and the same again after a training was resumed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import local
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]

#: what random words are for, so that the order of an epoch and its items share none
_ORDER, _ITEM, _DRAW = 0, 1, 2


def epoch_order(count: int, seed: int, epoch: int) -> Indices:
    """The numbers below `count` in the random order of an epoch, shape (count,).

    They are sorted by words of Philox, a counter-based generator whose words NumPy does not change between
    releases, as it may `permutation`."""
    words = _bits(seed, epoch, _ORDER).random_raw(count)
    return np.argsort(words, kind="stable").astype(np.int64)


def epoch_uniform(count: int, seed: int, epoch: int) -> NDArray[np.float64]:
    """Random numbers from 0 to below 1 for an epoch, shape (count,): words of Philox too."""
    words = _bits(seed, epoch, _DRAW).random_raw(count)
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _bits(seed: int, epoch: int, purpose: int, item: int = 0) -> np.random.Philox:
    return np.random.Philox(key=[seed, epoch], counter=[0, 0, item, purpose])


class _Current(local):
    place: tuple[int, int] | None = None
    item: int = 0


_current: Final = _Current()


@contextmanager
def items_of(seed: int, epoch: int) -> Iterator[None]:
    """Items made inside, by this thread, are of that epoch."""
    before = _current.place
    _current.place = (seed, epoch)
    try:
        yield
    finally:
        _current.place = before


def making(item: int) -> None:
    """The next item that this thread makes."""
    _current.item = item


def item_random() -> np.random.Generator:
    """The random numbers of the item that a loader is making: for crops, noise and the like in `__getitem__`.

    They depend on the loader's seed, the epoch and the index alone. Each call starts them anew: take one
    generator for an item and draw everything from it."""
    if _current.place is None:
        raise RuntimeError(
            "item_random() is for `__getitem__` while a DataLoader makes an item; elsewhere use "
            "np.random.default_rng(seed)"
        )
    bits: Any = _bits(*_current.place, _ITEM, _current.item)
    return np.random.Generator(bits)
