"""One text in the making: it takes logits and gives pieces.

generation = Generation(tokenizer, tokenizer.encode("Once upon a time"), Options(max_tokens=20))
generation.take(logits, capacity).text
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

import numpy as np

from ..tokenizer.tokenizer import Tokenizer
from .sampling import BROKEN, Sampler, Sampling, log_probabilities
from .stopping import StopStrings

Array = np.ndarray[Any, Any]
#: Why a text ended: a token or a string that ends it, or its length.
Finish = Literal["stop", "length"]
#: Special tokens that end an answer, whatever the file names as its end.
END_TOKENS: Final = (
    "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|endoftext|>", "<|end|>", "<|end_of_text|>", "<end_of_turn>",
    "</s>",
)  # fmt: skip


class Constraint(Protocol):
    """What a text may be (`grammar.py`)."""

    def allowed(self, ends: frozenset[int]) -> Array:
        """(vocabulary,) of bool: tokens that may come next, with `ends` where the text may end here."""

    def advance(self, id: int) -> None:
        """A token came."""

    @property
    def complete(self) -> bool:
        """Nothing can follow."""


@dataclass(frozen=True)
class Options:
    """What a text should be like.

    max_tokens: None is as many as there is room for. stop: strings before which it ends. logprobs: how many
    alternatives to tell with each token, None for no probabilities at all. speculate: how many tokens are
    guessed at a time from what was there before; the text is the same. constraint: see `grammar.py`.
    """

    sampling: Sampling = field(default_factory=Sampling)
    max_tokens: int | None = None
    stop: Sequence[str] = ()
    logprobs: int | None = None
    speculate: int = 0
    constraint: Constraint | None = None

    def __post_init__(self) -> None:
        for name, least in (("max_tokens", 1), ("logprobs", 0), ("speculate", 0)):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
                raise ValueError(f"{name} is {value!r}, and a whole number from {least} on is due")
        if isinstance(self.stop, str):
            raise ValueError(f"stop is {self.stop!r}, and a list of strings is due")


@dataclass(frozen=True)
class Piece:
    """A token and the text that is sure with it ("" while a character or a stop string may be cut).

    logprob: of the token in the model's own distribution; top: the most probable ones with theirs.
    """

    id: int
    text: str
    finish: Finish | None = None
    logprob: float | None = None
    top: tuple[tuple[int, float], ...] = ()


def end_ids(tokenizer: Tokenizer) -> frozenset[int]:
    """Tokens that end an answer."""
    roles = ("eos", "eot", "eom")  # with a number behind it, where there are several
    named = [id for role, id in tokenizer.named.items() if role.partition(" ")[0] in roles]
    special = {token.text: token.id for token in tokenizer.added if token.special}
    return frozenset([*named, *(special[text] for text in END_TOKENS if text in special)])


class Generation:
    """One text in the making. ids: of the prompt, and of what was made after it. finish: None until its end.

    reused: tokens of the prompt whose keys and values were there already.
    """

    def __init__(self, tokenizer: Tokenizer, prompt: Sequence[int], options: Options) -> None:
        if not prompt:
            raise ValueError("the prompt is empty: a model needs at least one token to go on with")
        wrong = [id for id in (*prompt, *options.sampling.bias) if not 0 <= id < len(tokenizer)]
        if wrong:
            raise ValueError(
                f"id {wrong[0]} in the prompt or the bias is no token: there are {len(tokenizer)}"
            )
        self.options, self.prompt = options, list(prompt)
        self.ids, self.reused = list(prompt), 0
        self.finish: Finish | None = None
        self.stopped_by: str | None = None
        self._ends, self._size = end_ids(tokenizer), len(tokenizer)
        self._sampler = Sampler(options.sampling, prompt)
        self._stream = tokenizer.stream(continues=True)
        self._stops = StopStrings(options.stop)

    @property
    def made(self) -> int:
        """Tokens of the answer, with the one that ended it."""
        return len(self.ids) - len(self.prompt)

    def drafts(self, most: int) -> list[int]:
        """Tokens that may follow, guessed: those that came after the same two tokens before."""
        return _looked_up(self.ids, min(self.options.speculate, most))

    @property
    def needs_logits(self) -> bool:
        """Do logits have to come to the host, to choose a token by or to tell of? Else a device can choose
        it, by `chance`, `limits` and `memory`."""
        return self.options.constraint is not None or self.options.logprobs is not None

    @property
    def is_plain(self) -> bool:
        """Is `chance` all that a device has to know?"""
        return self._sampler.is_plain

    def chance(self) -> tuple[float, float]:
        """The temperature of the next token, and what it is drawn with, from 0 to 1."""
        return self.options.sampling.heat, self._sampler.luck()

    def limits(self) -> tuple[float, ...]:
        """What else a device chooses by: `Numbers` of `model/choice.py`, but for the first and the last."""
        given = self.options.sampling
        return (
            given.top_k, given.top_p, given.min_p, given.repetition_penalty, given.frequency_penalty,
            given.presence_penalty,
        )  # fmt: skip

    @property
    def remembers(self) -> bool:
        """Has a device to know what is in the text, too?"""
        return self._sampler.remembers

    def memory(self) -> Array:
        """What a device has to know of the text so far, (3, tokens), as of `Memory` in `model/choice.py`."""
        return self._sampler.memory(self._size)

    def take(self, logits: Array, capacity: int) -> Piece:
        """Choose the next token. logits: (vocabulary,); capacity: tokens of the prompt and the answer."""
        constraint = self.options.constraint
        logits = logits[: self._size]  # models have rows beyond their tokens
        allowed = None if constraint is None else constraint.allowed(self._ends)
        id = self._sampler.choose(logits, allowed)
        return self._followed(id, capacity, *self._probabilities(logits, id))

    def take_drawn(self, id: int, capacity: int) -> Piece:
        """The next token is one that a device chose; -1 says that it found NaN."""
        if id < 0:
            raise ValueError(BROKEN)
        self._sampler.took(id)
        return self._followed(id, capacity)

    def _followed(
        self, id: int, capacity: int, logprob: float | None = None, top: tuple[tuple[int, float], ...] = ()
    ) -> Piece:
        """The piece of a token, which is the next one."""
        constraint, options = self.options.constraint, self.options
        self.ids.append(id)
        text = ""
        if id in self._ends:
            self.finish = "stop"
            text = self._stops.put(self._stream.end())
        else:
            if constraint is not None:
                constraint.advance(id)
            text = self._stops.put(self._stream.put(id))
            if self._stops.found is not None:
                self.finish, self.stopped_by = "stop", self._stops.found
            elif constraint is not None and constraint.complete:
                self.finish = "stop"
            elif len(self.ids) >= capacity or self.made == options.max_tokens:
                self.finish = "length"
        if self.finish is not None:
            text += self._stops.end()
        return Piece(id, text, self.finish, logprob, top)

    def _probabilities(self, logits: Array, id: int) -> tuple[float | None, tuple[tuple[int, float], ...]]:
        count = self.options.logprobs
        if count is None:
            return None, ()
        logs = log_probabilities(logits)
        largest = np.argsort(-logs, kind="stable")[:count]
        return float(logs[id]), tuple((int(number), float(logs[number])) for number in largest)


def _looked_up(ids: Sequence[int], most: int) -> list[int]:
    """Prompt lookup: what followed the last two tokens where they were last before, again and again if that
    is less than what is wanted."""
    last = len(ids) - 2
    for place in range(last - 1, -1, -1) if most > 0 else ():
        if ids[place] == ids[last] and ids[place + 1] == ids[last + 1]:
            after = ids[place + 2 :]
            return [after[n % len(after)] for n in range(most)]
    return []
