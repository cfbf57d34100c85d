"""Decoding on a device: the next token of every row is one program, and on a GPU one captured graph.

    decoder = Decoder(model, cache)             # the cache holds the prompts
    ids = decoder.start([5, 7])                 # the last token of each row
    for _ in range(64):
        ids = decoder.step(ids)                 # (batch,) int32, on the device
    ids.numpy()                                 # only this waits

All layers, the head and the choice of the next token are in it, tokens and places stay on the device, and
keys and values are written in place: between two tokens the host launches one graph and waits for nothing.
One trace serves every length: attention may look at all places of the cache, and ends at the last.

`draw` is a step for rows that come and go: the host says where each row is and how its token is chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...tensor.core import Core
from ...tensor.jit.function import JitFunction
from ...tensor.jit.jit import jit
from ...tensor.jit.tree import flatten, rebuild
from ...tensor.tensor import Tensor
from .block import Places
from .cache import Cache
from .llama import Llama, logits_of

Array = np.ndarray[Any, Any]
#: Tokens whose probabilities are summed before it is looked for the one that is drawn.
BLOCK: Final = 512


class Decoder:
    """Tokens for the rows of a cache, which it writes to. tokens: so many there are, if the head has rows
    beyond them."""

    def __init__(self, model: Llama, cache: Cache, tokens: int | None = None) -> None:
        self._cache, self._room = cache, cache.capacity - cache.length
        cache.rope.up_to(cache.capacity)
        self._at = Tensor(cache.lengths.astype(np.int32), device=cache.device).realize()
        parts: list[Core] = []
        ends = (model.embedding, model.norm, model.head)
        self._structure = flatten((ends, model.blocks), parts)
        self._parts = [part.realize() for part in parts if isinstance(part, Tensor)]
        self._config = model.config
        self._tokens = model.config.vocabulary if tokens is None else tokens

    def _logits(
        self, ids: Tensor, at: Tensor, turns: list[Tensor], keys: list[Tensor], values: list[Tensor],
        parts: tuple[Tensor, ...],
    ) -> Tensor:  # fmt: skip
        """ids and their places, (batch,) each -> (batch, tokens)."""
        config, cache = self._config, self._cache
        (embedding, norm, head), blocks = rebuild(self._structure, iter(parts))
        # places as numbers, not as memory: attention sees that a row ends at its count, and reads no more
        seen = Tensor.arange(cache.capacity, device=cache.device, dtype="int32")
        x = embedding.rows(ids.unsqueeze(-1)) * config.embedding_scale
        for number, (block, *own) in enumerate(zip(blocks, keys, values, strict=True)):
            places = Places(at.unsqueeze(-1), seen, *turns[config.turned_by(number)])
            x = block.forward(x, *own, places)
        return logits_of(head, config.epsilon, config.logits_cap, x, norm).squeeze(1)[:, : self._tokens]

    @cached_property
    def _greedy(self) -> JitFunction[..., tuple[Tensor, Tensor]]:
        def step(
            ids: Tensor, at: Tensor, turns: list[Tensor], keys: list[Tensor], values: list[Tensor],
            *parts: Tensor,
        ) -> tuple[Tensor, Tensor]:  # fmt: skip
            logits = self._logits(ids, at, turns, keys, values, parts)
            return logits.argmax(-1).cast("int32"), at + 1

        return jit(step)

    @cached_property
    def _drawing(self) -> JitFunction[..., tuple[Tensor, Tensor]]:
        def step(
            where: Tensor, how: Tensor, turns: list[Tensor], keys: list[Tensor], values: list[Tensor],
            *parts: Tensor,
        ) -> tuple[Tensor, Tensor]:  # fmt: skip
            logits = self._logits(where[0], where[1], turns, keys, values, parts).contiguous()
            return drawn(logits, how[0], how[1]), logits

        return jit(step)

    def start(self, ids: Sequence[int]) -> Tensor:
        """The last token of each row, on the device."""
        if len(ids) != self._cache.batch:
            raise ValueError(f"{len(ids)} tokens for {self._cache.batch} rows: give one for each")
        return Tensor(np.asarray(ids, np.int32), device=self._cache.device).realize()

    def step(self, ids: Tensor) -> Tensor:
        """The most probable tokens after these, (batch,) of int32."""
        if self._room == 0:
            raise ValueError(f"the cache has room for {self._cache.capacity} tokens: make a larger one")
        cache = self._cache
        made: Tensor
        made, self._at = self._greedy(ids, self._at, cache.turns, cache.keys, cache.values, *self._parts)
        cache.lengths += 1
        self._room -= 1
        return made

    def draw(self, ids: Array, at: Array, heat: Array, luck: Array) -> tuple[Tensor, Tensor]:
        """The tokens after ids (batch,), which come to the places `at` (batch,): as of `drawn`, and the
        logits (batch, tokens) they were chosen by."""
        cache = self._cache
        where = Tensor(np.stack([ids, at]).astype(np.int32), device=cache.device)
        how = Tensor(np.stack([heat, luck]).astype(np.float32), device=cache.device)
        chosen, logits = self._drawing(where, how, cache.turns, cache.keys, cache.values, *self._parts)
        return chosen, logits


def drawn(logits: Tensor, heat: Tensor, luck: Tensor) -> Tensor:
    """(batch,) of int32: a token of each row of logits (batch, tokens). Where heat is 0 the most probable
    one, else the one at `luck`, from 0 to 1, of all probabilities at that temperature, laid one behind the
    other. -1 where a logit is NaN.

    >>> drawn(Tensor([[1.0, 3.0, 2.0], [0.0, 0.0, 0.0]]), Tensor([0.0, 1.0]), Tensor([0.0, 0.5])).tolist()
    [1, 1]
    """
    best, first = logits.max(-1)
    warm = heat.where(heat > 0, 1.0)

    def powers(x: Tensor) -> Tensor:
        over = (1,) * (x.ndim - 1)
        return ((x - best.reshape(-1, *over)) / warm.reshape(-1, *over)).exp()

    # first in which block, then where in it: a sum of all up to each would be a long chain for few rows
    size, count = logits.shape[-1], -(-logits.shape[-1] // BLOCK)
    blocks = logits.pad((0, count * BLOCK - size), value=-float("inf")).unflatten(-1, (count, BLOCK))
    ends = powers(blocks).sum(-1).cumsum(-1).contiguous()
    aim = luck * ends[:, -1]
    block = (ends <= aim.unsqueeze(-1)).sum(-1).minimum(count - 1)
    rows = Tensor.arange(logits.shape[0], device=logits.device)
    before = ends[rows, (block - 1).maximum(0)].where(block > 0, 0.0)
    inside = before.unsqueeze(-1) + powers(blocks[rows, block]).cumsum(-1)
    passed = (inside <= aim.unsqueeze(-1)).sum(-1)
    # rounding may have all of them passed
    chosen = first.where((heat == 0) | (passed == BLOCK), block * BLOCK + passed)
    return chosen.where(~best.isnan(), -1).cast("int32")
