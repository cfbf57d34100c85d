"""Decoding on a device: the next token of every row is one program, and on a GPU one captured graph.

    decoder = Decoder(model, cache)             # the cache holds the prompts
    ids = decoder.start([5, 7])                 # the last token of each row
    for _ in range(64):
        ids = decoder.step(ids)                 # (batch,) int32, on the device
    ids.numpy()                                 # only this waits

All layers, the head and the choice of the most probable token are in it, tokens and places stay on the
device, and keys and values are written in place: between two tokens the host launches one graph and waits for
nothing. One trace serves every length: attention may look at all places of the cache, and ends at the last.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...tensor.core import Core
from ...tensor.jit.jit import jit
from ...tensor.jit.tree import flatten, rebuild
from ...tensor.tensor import Tensor
from .block import Places
from .cache import Cache
from .llama import Llama, logits_of


class Decoder:
    """Greedy tokens for the rows of a cache, which it writes to."""

    def __init__(self, model: Llama, cache: Cache) -> None:
        self._cache, self._room = cache, cache.capacity - cache.length
        cache.rope.up_to(cache.capacity)
        self._at = Tensor(cache.lengths.astype(np.int32), device=cache.device).realize()
        parts: list[Core] = []
        ends = (model.embedding, model.norm, model.head)
        structure = flatten((ends, model.blocks), parts)
        self._parts = [part.realize() for part in parts if isinstance(part, Tensor)]
        config = model.config

        def step(
            ids: Tensor, at: Tensor, turns: list[Tensor], keys: list[Tensor], values: list[Tensor],
            *rest: Tensor,
        ) -> tuple[Tensor, Tensor]:  # fmt: skip
            (embedding, norm, head), blocks = rebuild(structure, iter(rest))
            # places as numbers, not as memory: attention sees that a row ends at its count, and reads no more
            seen = Tensor.arange(cache.capacity, device=cache.device, dtype="int32")
            x = embedding.rows(ids.unsqueeze(-1)) * config.embedding_scale
            for number, (block, *own) in enumerate(zip(blocks, keys, values, strict=True)):
                places = Places(at.unsqueeze(-1), seen, *turns[config.turned_by(number)])
                x = block.forward(x, *own, places)
            logits = logits_of(head, config.epsilon, config.logits_cap, x, norm)
            return logits.squeeze(1).argmax(-1).cast("int32"), at + 1

        self._step = jit(step)

    def start(self, ids: Sequence[int]) -> Tensor:
        """The last token of each row, on the device."""
        if len(ids) != self._cache.batch:
            raise ValueError(f"{len(ids)} tokens for {self._cache.batch} rows: give one for each")
        return Tensor(np.asarray(ids, np.int32), device=self._cache.device).realize()

    def step(self, ids: Tensor) -> Tensor:
        """The tokens after these, (batch,) of int32."""
        if self._room == 0:
            raise ValueError(f"the cache has room for {self._cache.capacity} tokens: make a larger one")
        cache = self._cache
        made, self._at = self._step(ids, self._at, cache.turns, cache.keys, cache.values, *self._parts)
        cache.lengths += 1
        self._room -= 1
        return made
