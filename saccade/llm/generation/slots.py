"""Several texts at once (continuous batching): a slot is a row of the cache, and one step of the model gives
every slot its next token.

    slots = Slots(model, tokenizer, rows=4)
    slots.add(generation)                    # while others go on
    for generation, piece in slots.step(): ...

Prompts are read in chunks, one chunk a step, so that a long prompt does not hold up the others for long. A
free slot keeps its keys and values: a prompt that begins as it does goes on from there, on the CPU after as
many whole units of chunks as both share. So its tokens are read by the programs that would read them without,
and the text is the same: programs of other widths sum in other orders, and with activations of 8 bits another
bit is another word in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...tensor.tensor import Tensor
from ..model.cache import Cache
from ..model.llama import Llama
from ..tokenizer.tokenizer import Tokenizer
from ..weights.packed import FEW_TOKENS
from .text import Generation, Piece

if TYPE_CHECKING:
    from .drawing import Drawing

#: Tokens that are read at once: a program for each. A chunk is at least half full.
WIDTHS: Final = (1, FEW_TOKENS, 32, 128)
#: Room for tokens if nobody says how much, as keys and values take memory.
MOST_CAPACITY: Final = 4096

Array = np.ndarray[Any, Any]
#: A text, and its next piece or why there is none.
Made = tuple[Generation, Piece | Exception]


@dataclass
class Slot:
    """A row of the cache. ids: of the tokens that are there; whole: so many of the first were read in whole
    units of a prompt; since: when its text came, as a number."""

    number: int
    ids: list[int] = field(default_factory=list)
    whole: int = 0
    generation: Generation | None = None
    since: int = 0

    def kept(self, unit: int) -> list[int]:
        """The tokens that another text may go on from, if they are kept in such units."""
        return self.ids[: self.whole] if unit > 1 else self.ids

    @property
    def waiting(self) -> list[int]:
        """Tokens that the model has not seen."""
        return [] if self.generation is None else self.generation.ids[len(self.ids) :]


class Slots:
    """Rows of one cache, each with a text in the making or free. exact: on the CPU a text has the bits that
    it would have without what was read before."""

    def __init__(
        self,
        model: Llama,
        tokenizer: Tokenizer,
        rows: int = 1,
        capacity: int | None = None,
        exact: bool = True,
    ) -> None:
        context = model.config.context
        self.capacity = min(context, MOST_CAPACITY) if capacity is None else capacity
        if not 2 <= self.capacity <= context:
            raise ValueError(
                f"room for {self.capacity} tokens was asked for, and the model takes 2 to {context}"
            )
        if len(tokenizer) > model.config.vocabulary:
            raise ValueError(
                f"the tokenizer has {len(tokenizer)} tokens and the model {model.config.vocabulary}: "
                "they do not belong together"
            )
        self.model, self.tokenizer = model, tokenizer
        self.cache: Cache = model.cache(self.capacity, rows)
        self._rows: dict[int, Cache] = {} if rows > 1 else {0: self.cache}
        self.slots = [Slot(number) for number in range(rows)]
        self._came = 0
        self.unit = unit_of(self.cache.device) if exact else 1
        self._drawing: Drawing | None = None
        if self.cache.device != "cpu":  # where the host is the device
            from .drawing import Drawing

            self._drawing = Drawing(model, self.cache, len(tokenizer))

    @property
    def free(self) -> int:
        """Slots without a text."""
        return sum(slot.generation is None for slot in self.slots)

    def check(self, prompt: Sequence[int]) -> None:
        """ValueError for a prompt that leaves no room for an answer."""
        if len(prompt) >= self.capacity:
            raise ValueError(
                f"the prompt has {len(prompt)} tokens, and there is room for {self.capacity} with the answer"
            )

    def add(self, generation: Generation) -> None:
        """Give a free slot to a text: the one that keeps most of its prompt."""
        self.check(generation.prompt)
        free = [slot for slot in self.slots if slot.generation is None]
        if not free:
            raise ValueError(f"all {len(self.slots)} slots are taken: wait for a text to end")
        # the last token of a prompt is read again: its logits are wanted
        prompt = generation.prompt[:-1]
        shared = {
            slot.number: _common(slot.kept(self.unit), prompt) // self.unit * self.unit for slot in free
        }
        # of equals the one with the least to lose
        best = max(free, key=lambda slot: (shared[slot.number], -len(slot.ids)))
        generation.reused = shared[best.number]
        best.ids, best.whole = best.ids[: generation.reused], generation.reused
        best.generation = generation
        self._came += 1
        best.since = self._came

    def remove(self, generation: Generation) -> None:
        """Free the slot of a text, finished or not."""
        for slot in self.slots:
            if slot.generation is generation:
                slot.generation = None

    def warm(self, tell: Callable[[str], None] = lambda stage: None) -> None:
        """Compile what steps need, before anybody waits for them; `tell` hears what is being compiled."""
        if self._drawing is not None:
            tell("compiling")
            self._drawing.warm()
        for width in WIDTHS if self._drawing is None else WIDTHS[1:]:
            if width < self.capacity:
                tell(f"compiling for {width} tokens at once" if width > 1 else "compiling")
                self._run(self.slots[:1], [[]], width, last=True)
        if len(self.slots) > 1 and self._drawing is None:
            tell(f"compiling for {len(self.slots)} texts at once")
            self._run(self.slots, [[] for _ in self.slots], 1, last=True)

    def step(self) -> list[Made]:
        """Read a chunk of a prompt, and give each text that is read its next token (or more of them, where
        guesses came true). Texts that end leave their slots, and so does one that fails: what it failed with
        comes in place of a piece, and the others go on."""
        unread = [slot for slot in self.slots if len(slot.waiting) > 1]
        ready = [slot for slot in self.slots if len(slot.waiting) == 1]
        made = self._read(min(unread, key=lambda slot: slot.since)) if unread else []
        made += self._decode(ready) if ready else []
        for generation, piece in made:
            if isinstance(piece, Exception) or piece.finish is not None:
                self.remove(generation)
        return made

    def _read(self, slot: Slot) -> list[Made]:
        """The next chunk of a prompt; the first token of the answer, if it was the last one."""
        waiting, before = slot.waiting, len(slot.ids)
        width = chunk_width(len(waiting), self.unit)
        chunk = waiting[:width]
        try:
            logits = self._run([slot], [chunk], width, last=True)
        except Exception as error:  # noqa: BLE001 - it is this text's, whatever it is
            return [_failed(slot, error)]
        if before == slot.whole:
            slot.whole += len(chunk) // self.unit * self.unit
        return self._taken(slot, chunk, logits[0]) if len(chunk) == len(waiting) else []

    def _decode(self, ready: list[Slot]) -> list[Made]:
        """One token for each, or more where guesses come true."""
        given = [slot.waiting + self._drafts(slot) for slot in ready]
        width = 1 if max(map(len, given)) == 1 else FEW_TOKENS
        try:
            if width == 1 and self._drawing is not None:
                return self._draw(self._drawing, ready)
            logits = self._run(ready, given, width, last=width == 1)
        except Exception as error:  # noqa: BLE001 - whose it is shows when each runs alone
            if len(ready) == 1:
                return [_failed(ready[0], error)]
            return [made for slot in ready for made in self._decode([slot])]
        made: list[Made] = []
        for slot, ids, row in zip(ready, given, logits):
            made += self._taken(slot, ids, row)
        return made

    def _draw(self, drawing: Drawing, ready: list[Slot]) -> list[Made]:
        """One token for each, chosen on the device where its text allows that. What the other rows compute is
        written behind what they hold, where it means nothing."""
        texts = {slot.number: slot.generation for slot in ready if slot.generation is not None}
        found, logits = drawing.step(texts, np.array([len(slot.ids) for slot in self.slots]))
        made: list[Made] = []
        for number, generation in texts.items():
            slot = self.slots[number]
            slot.ids = list(generation.ids)
            try:
                if logits is not None and generation.needs_logits:
                    made.append((generation, generation.take(logits[number], self.capacity)))
                else:
                    made.append((generation, generation.take_drawn(found[number], self.capacity)))
            except Exception as error:  # noqa: BLE001 - a constraint or a sampler of this text alone
                made.append(_failed(slot, error))
        return made

    def _drafts(self, slot: Slot) -> list[int]:
        assert slot.generation is not None
        if not self.model.alike:  # several tokens at once would be computed otherwise than one
            return []
        room = self.capacity - len(slot.generation.ids)
        return slot.generation.drafts(min(FEW_TOKENS - 1, room))

    def _taken(self, slot: Slot, given: list[int], logits: Array) -> list[Made]:
        """Tokens after those that were given: the next one, and then the one after each guess that is it.
        Keys and values of guesses that are not it are forgotten."""
        generation = slot.generation
        assert generation is not None
        made: list[Made] = []
        for row, guess in zip(logits, [*given[len(given) - len(logits) + 1 :], None]):
            try:
                piece = generation.take(row, self.capacity)
            except Exception as error:  # noqa: BLE001 - a constraint or a sampler of this text alone
                return [*made, _failed(slot, error)]
            made.append((generation, piece))
            if piece.finish is not None or piece.id != guess:
                break
        slot.ids = slot.ids[: len(generation.ids) - 1]
        return made

    def _row(self, number: int) -> Cache:
        """One row of the cache. Those of the CPU have programs bound to them and are kept; elsewhere they are
        views, and all views of a tensor are looked at whenever it is written to: 7 ms a token for 16 rows."""
        row = self._rows.get(number)
        if row is None:
            row = self.cache.row(number)
            if self.cache.device == "cpu":
                self._rows[number] = row
        return row

    def _run(self, slots: list[Slot], given: list[list[int]], width: int, last: bool) -> list[Array]:
        """Read ids of some slots: logits (tokens, vocabulary) for each, of the last token or of all."""
        # also after one that was stopped, or failed
        self.cache.lengths[:] = [len(slot.ids) for slot in self.slots]
        # on another device a part of the cache that is written to would be copied, for each layer
        alone = len(slots) == 1 and (width > 1 or len(self.slots) == 1 or self.cache.device == "cpu")
        cache = self._row(slots[0].number) if alone else self.cache
        ids, counts = np.zeros((cache.batch, width), np.int64), np.zeros(cache.batch, np.int64)
        for slot, each in zip(slots, given):
            row = 0 if alone else slot.number
            ids[row, : len(each)], counts[row] = each, len(each)
        logits = self.model.forward(Tensor(ids), cache, last, counts).numpy()
        for slot, each in zip(slots, given):
            slot.ids = slot.ids + each
        rows = [0] if alone else [slot.number for slot in slots]
        return [logits[row, : 1 if last else len(each)] for row, each in zip(rows, given)]


def _failed(slot: Slot, error: Exception) -> Made:
    assert slot.generation is not None
    return slot.generation, error


def unit_of(device: str) -> int:
    """Tokens that are kept or read again together. On the CPU the two widest programs give a token the same
    bits. On a GPU, whose programs round to bfloat16, all that is common is kept: to read it again takes
    longer than to go on. 16 clients with three prompts on an H200 had 880 tokens a second, and 470 with units
    of 128."""
    return WIDTHS[-2] if device == "cpu" else 1


def chunk_width(count: int, unit: int) -> int:
    """How many tokens to read at once of so many: whole units first, by the widest program that they fill."""
    if unit > 1 and count >= unit:
        return max(width for width in WIDTHS if width <= count // unit * unit)
    fitting = next((width for width in WIDTHS if width >= count), WIDTHS[-1])
    smaller = WIDTHS[max(WIDTHS.index(fitting) - 1, 0)]
    return smaller if 1 < smaller < count <= fitting // 2 else fitting


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    """The length of the longest common prefix."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second)))
