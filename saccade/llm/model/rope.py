"""The angles of RoPE by place: tables of cosines and sines, worked out as far as places are used.

tables = RopeTables(config, places=4097, device="cpu")
tables.up_to(128)                       # rows 0 to 127 are there now
tables.tensors                          # cosines, sines of each base (`LlamaConfig.turns`)
"""

from __future__ import annotations

import numpy as np

from ...tensor.memory import default_device
from ...tensor.tensor import Tensor
from ..weights.own_memory import Array, sparse, tensor_over
from .config import LlamaConfig


class RopeTables:
    """A pair of tables (places, width / 2) for each base. On the CPU a row is written when a place as far as
    that is first used, and takes memory then: tables for 4,096 places took 3 MB with what they were made
    of."""

    def __init__(self, config: LlamaConfig, places: int, device: str) -> None:
        self._bases, self._width, self._ready = config.turns, config.rope_width, 0
        self._size = config.rope_size
        shape = (places, config.rope_width // 2)
        if device == default_device() == "cpu":
            self._tables = [sparse(shape, np.float32) for _ in range(2 * len(self._bases))]
            self.tensors = [tensor_over(each) for each in self._tables]
            self._write(places - 1, places)  # that of what is not to be kept
        else:
            self._tables = [np.empty(shape, np.float32) for _ in range(2 * len(self._bases))]
            self.up_to(places)
            self.tensors = [Tensor(each, device=device).realize() for each in self._tables]

    def up_to(self, places: int) -> None:
        """Have the rows of so many places."""
        if places > self._ready:
            self._write(self._ready, places)
            self._ready = places

    def _write(self, first: int, end: int) -> None:
        for number, (base, factors) in enumerate(self._bases):
            rows = rope_rows(base, factors, self._width, np.arange(first, end))
            for table, turn in zip(self._tables[2 * number :], rows):
                table[first:end] = turn * (1.0 if number else self._size)


def rope_rows(base: float, factors: tuple[float, ...], width: int, places: Array) -> tuple[Array, Array]:
    """Cosines and sines of the angles by which pairs turn: (places, width / 2) each."""
    half = np.arange(width // 2)
    frequencies = base ** (-2.0 * half / width) / np.array(factors or 1.0)
    angles = places[:, None] * frequencies
    return np.cos(angles), np.sin(angles)
