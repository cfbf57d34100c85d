"""Texts that a model goes on with.

    for piece in generate(model, tokenizer, "Once upon a time", max_tokens=20):
        print(piece.text, end="")

    generator = Generator(model, tokenizer)          # keeps what it has read, for prompts that go on with it
    print(generator.text("The capital of France is", sampling=Sampling(temperature=0.7, seed=1)))

A text is a `Generation`; `slots.py` runs one of them, or several together.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..tokenizer.tokenizer import Tokenizer
from .slots import Slots
from .text import Generation, Options, Piece

if TYPE_CHECKING:
    from ..model.llama import Llama


@dataclass
class Speed:
    """Tokens and seconds of one text. first: until its first token."""

    prompt: int = 0
    reused: int = 0
    made: int = 0
    first: float = 0.0
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Tokens a second after the first one."""
        later = self.seconds - self.first
        return (self.made - 1) / later if self.made > 1 and later > 0 else 0.0


class Generator:
    """A model with its tokenizer that makes one text at a time, and keeps what it has read in between; with
    `exact` only what leaves every text as it would be alone (`slots.py`)."""

    def __init__(
        self, model: Llama, tokenizer: Tokenizer, capacity: int | None = None, exact: bool = True
    ) -> None:
        self.tokenizer = tokenizer
        self.slots = Slots(model, tokenizer, 1, capacity, exact)
        self.speed = Speed()

    def stream(self, prompt: str | Sequence[int], options: Options | None = None) -> Iterator[Piece]:
        """The pieces of the text that follows a prompt, as they come. Whoever stops early loses nothing."""
        ids = self.tokenizer.encode(prompt) if isinstance(prompt, str) else list(prompt)
        generation = Generation(self.tokenizer, ids, options or Options())
        begun = time.perf_counter()
        self.speed = speed = Speed(len(ids))
        self.slots.add(generation)
        speed.reused = generation.reused
        try:
            while generation.finish is None:
                for _, piece in self.slots.step():
                    if isinstance(piece, Exception):
                        raise piece
                    speed.seconds = time.perf_counter() - begun
                    speed.made += 1
                    speed.first = speed.first or speed.seconds
                    yield piece
        finally:
            self.slots.remove(generation)

    def text(self, prompt: str | Sequence[int], options: Options | None = None, **changed: Any) -> str:
        """The whole text that follows a prompt; `changed` are single options by name."""
        return "".join(piece.text for piece in self.stream(prompt, options or Options(**changed)))


def generate(
    model: Llama, tokenizer: Tokenizer, prompt: str | Sequence[int], schema: Any = None, **options: Any
) -> Iterator[Piece]:
    """The pieces of the text that follows a prompt; `options` are those of `Options`. schema: a JSON schema
    that the text keeps to."""
    if schema is not None:
        from .grammar import JsonConstraint  # few ask for it

        options["constraint"] = JsonConstraint(schema, tokenizer)
    return Generator(model, tokenizer).stream(prompt, Options(**options))
