"""Decoding on a device: the next token of every row is one program, and on a GPU one captured graph.

    decoder = Decoder(model, cache)             # the cache holds the prompts
    ids = decoder.start([5, 7])                 # the last token of each row
    for _ in range(64):
        ids = decoder.step(ids)                 # (batch,) int32, on the device
    ids.numpy()                                 # only this waits

All layers, the head and the choice of the next token are in it, tokens and places stay on the device, and
keys and values are written in place: between two tokens the host launches one graph and waits for nothing.
One trace serves every length: attention may look at all places of the cache, and ends at the last.

`draw` is a step for rows that come and go: the host says where each row is and how its token is chosen. There
are two programs of it: one for rows that are greedy or drawn of all tokens, and one for all that `choice.py`
knows, which sorts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...tensor.core import Core
from ...tensor.jit.bound import Inbox
from ...tensor.jit.function import JitFunction
from ...tensor.jit.jit import jit
from ...tensor.jit.tree import flatten, rebuild
from ...tensor.tensor import Tensor
from .block import Places
from .cache import Cache
from .choice import Memory, Numbers, chosen, drawn
from .launch import Launch
from .llama import Llama, logits_of

Array = np.ndarray[Any, Any]
#: Numbers of a row that is greedy or drawn of all tokens: the first ones of `Numbers`.
PLAIN = ("temperature", "luck")


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

    @cached_property
    def _choosing(self) -> JitFunction[..., tuple[Tensor, Tensor]]:
        def step(
            where: Tensor, how: Tensor, memory: list[Tensor], turns: list[Tensor], keys: list[Tensor],
            values: list[Tensor], *parts: Tensor,
        ) -> tuple[Tensor, Tensor]:  # fmt: skip
            logits = self._logits(where[0], where[1], turns, keys, values, parts).contiguous()
            numbers = Numbers(*(how[n] for n in range(len(Numbers._fields))))
            return chosen(logits, Memory(*memory), where[0], numbers), logits

        return jit(step)

    @cached_property
    def _memory(self) -> list[Tensor]:
        """A `Memory` without any text."""
        none = Tensor.zeros(self._cache.batch, self._tokens, device=self._cache.device)
        return [none.clone().realize() for _ in Memory._fields]

    @cached_property
    def _remembering(self) -> JitFunction[..., Tensor]:
        def put(memory: list[Tensor], row: Tensor, known: Tensor) -> Tensor:
            at = row.reshape(1, 1).expand(1, self._tokens)
            for each, new in zip(memory, known, strict=True):
                each.scatter_(0, at, new.unsqueeze(0))
            return row + 0

        return jit(put)

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

    def remember(self, row: int, known: Array) -> None:
        """Have a row know another text: (3, tokens), as of `Memory`."""
        device = self._cache.device
        at, new = Tensor(np.array(row), device=device), Tensor(known.astype(np.float32), device=device)
        self._remembering(self._memory, at, new).realize()

    def draw(self, ids: Array, at: Array, how: Array) -> tuple[Array, Tensor]:
        """The tokens after ids (batch,), which come to the places `at` (batch,), and the logits (batch,
        tokens) they were chosen by; the next step overwrites both. how: (numbers, batch), all of `Numbers` or
        those of `PLAIN`."""
        launch = self._plain if len(how) == len(PLAIN) else self._any
        for inbox, given in zip(launch.inboxes, (np.stack([ids, at]), how), strict=True):
            inbox.ready()
            inbox.array[...] = given
        return launch.run()

    @cached_property
    def _plain(self) -> Launch:
        return self._launch(self._drawing, len(PLAIN))

    @cached_property
    def _any(self) -> Launch:
        return self._launch(self._choosing, len(Numbers._fields), self._memory)

    def _launch(
        self, program: JitFunction[..., tuple[Tensor, Tensor]], numbers: int, *memory: list[Tensor]
    ) -> Launch:
        cache = self._cache
        where = Inbox((2, cache.batch), "int32", cache.device)
        how = Inbox((numbers, cache.batch), "float32", cache.device)
        rest = (*memory, cache.turns, cache.keys, cache.values, *self._parts)
        written = [*cache.keys, *cache.values, *(each for known in memory for each in known)]
        return Launch(program, (where, how), rest, written)
