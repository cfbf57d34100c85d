"""Everything that is in the file of a model: weights, tokenizer, chat template.

loaded = load("model.gguf")
loaded.chat_ids([{"role": "user", "content": "Hello"}])
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .chat_template import ChatTemplate, Message
from .gguf import Gguf, GgufError
from .llama import Llama
from .tokenizer import Tokenizer


@dataclass(frozen=True)
class LanguageModel:
    """A model that can be talked to. name: as its file calls it."""

    name: str
    model: Llama
    tokenizer: Tokenizer
    template: ChatTemplate

    def chat_ids(self, messages: Sequence[Message]) -> list[int]:
        """The prompt of a conversation."""
        return self.template.ids(messages)


def _quiet(stage: str) -> None:
    """Tell nobody."""


def load(path: os.PathLike[str] | str, tell: Callable[[str], None] = _quiet) -> LanguageModel:
    """The model in a GGUF file; `tell` hears what is being read."""
    place = Path(path)
    if place.is_dir():
        raise GgufError(f"{place} is a folder, and a GGUF file is due: convert the model to GGUF")
    tell("weights")
    file = Gguf(place)
    model = Llama(file)
    tell("tokenizer")
    tokenizer = Tokenizer.from_gguf(place)
    template = file.metadata.get("tokenizer.chat_template")
    name = file.metadata.get("general.name")
    return LanguageModel(
        name if isinstance(name, str) and name else place.stem,
        model,
        tokenizer,
        ChatTemplate(template if isinstance(template, str) else None, tokenizer),
    )
