"""A conversation with a model: what was said, and the next answer.

    talk = Conversation(load("model.gguf"), system="Be brief.")
    for piece in talk.answer("Hello"):
        print(piece.text, end="")

Each turn goes on from the keys and values of the one before.
"""

from __future__ import annotations

import collections.abc
import json
import os
from pathlib import Path

from ...files.atomic import write_text
from ..files.load import LanguageModel
from ..generation.generate import Generator
from ..generation.text import Options, Piece


class Conversation:
    """Messages so far; `generator.speed` tells how fast the last answer came."""

    def __init__(self, loaded: LanguageModel, system: str | None = None, capacity: int | None = None) -> None:
        self.loaded = loaded
        # nobody waits for an answer to be read again
        self.generator = Generator(loaded.model, loaded.tokenizer, capacity, exact=False)
        self.start(system)

    def start(self, system: str | None) -> None:
        """Begin anew."""
        self.system = system
        self.messages: list[dict[str, str]] = (
            [] if system is None else [{"role": "system", "content": system}]
        )

    def answer(self, text: str, options: Options | None = None) -> collections.abc.Generator[Piece]:
        """Say something, and hear the answer. An answer that is not heard to its end stays as far as it
        came; a message that there is no room for is not kept."""
        said = {"role": "user", "content": text}
        ids = self.loaded.chat_ids([*self.messages, said])
        self.generator.slots.check(ids)
        heard = ""
        try:
            for piece in self.generator.stream(ids, options):
                heard += piece.text
                yield piece
        finally:
            self.messages += [said, {"role": "assistant", "content": heard}]

    def save(self, path: os.PathLike[str] | str) -> None:
        """Write the messages to a file as JSON, whole or not at all."""
        content = json.dumps(
            {"model": self.loaded.name, "messages": self.messages}, ensure_ascii=False, indent=1
        )
        write_text(Path(path), content + "\n")
