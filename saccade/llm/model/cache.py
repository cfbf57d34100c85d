"""Keys and values of the tokens so far.

cache = Cache(config, batch=2, capacity=512)
cache.lengths                           # tokens of each row
"""

from __future__ import annotations

from copy import copy
from typing import Final

import numpy as np

from ...tensor.memory import default_device
from ...tensor.tensor import Tensor
from ..weights.own_memory import Array, sparse, tensor_over
from .chain import Chain
from .config import LlamaConfig
from .rope import RopeTables

#: Attention looks at no fewer places of the cache.
LEAST_REACH: Final = 128


class Cache:
    """Keys and values of the tokens so far, each (layers) of (batch, kv_heads, capacity + 1, head_width): the
    last place takes what is not to be kept. `lengths`: tokens of each row; to forget some, make it smaller.
    """

    def __init__(
        self, config: LlamaConfig, batch: int, capacity: int, device: str = "cpu", dtype: str = "float32"
    ) -> None:
        shape = (batch, config.kv_heads, capacity + 1, config.head_width)
        #: on the CPU the memory of keys and of values, layer by layer
        self._memory: list[list[Array]] | None = None
        if device == default_device() == "cpu" and dtype == "float32":
            self._memory = [[sparse(shape, np.float32) for _ in range(config.layers)] for _ in range(2)]
            self.keys, self.values = ([tensor_over(each) for each in kind] for kind in self._memory)
        else:
            self.keys, self.values = (
                [
                    Tensor.zeros(*shape, device=device, dtype=dtype).contiguous().realize()
                    for _ in range(config.layers)
                ]
                for _ in range(2)
            )
        self.rope = RopeTables(config, capacity + 1, device)
        #: cosines and sines by place, one pair for each base of RoPE (`LlamaConfig.turns`)
        self.turns = self.rope.tensors
        self.device = device
        #: blocks that are bound to this memory, by (length, reach)
        self.chains: dict[tuple[int, int], Chain] = {}
        self.batch, self.capacity = batch, capacity
        self.lengths = np.zeros(batch, np.int64)

    @property
    def length(self) -> int:
        """Tokens of the longest row."""
        return int(self.lengths.max())

    def row(self, number: int) -> Cache:
        """One of the rows as a cache of its own, which shares its memory and its length. On the CPU it has
        tensors of its own over that memory: a program that writes to a part of a tensor copies the part, and
        here that is a row of thousands of places, 190 MB for SmolLM2-135M. Programs run one after the other
        there, so each finds what the others wrote."""
        made = copy(self)
        rows = slice(number, number + 1)
        if self._memory is None:
            made.keys, made.values = [each[rows] for each in self.keys], [each[rows] for each in self.values]
        else:
            made._memory = [[each[rows] for each in kind] for kind in self._memory]
            made.keys, made.values = ([tensor_over(each) for each in kind] for kind in made._memory)
        made.batch, made.lengths, made.chains = 1, self.lengths[rows], {}
        return made

    def reach(self, wanted: int) -> Tensor:
        """The places that attention looks at, 0, 1, ...: a power of two of them, so that few programs serve
        all lengths."""
        size = min(max(LEAST_REACH, 1 << (wanted - 1).bit_length()), self.capacity)
        self.rope.up_to(size)
        return Tensor(np.arange(size), device=self.device)
