"""Everything that is in the file or folder of a model: weights, tokenizer, chat template.

loaded = load("model.gguf")
loaded.chat_ids([{"role": "user", "content": "Hello"}])
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...runtime.device import Device
from ...runtime.process.collection import give_back
from ..model.llama import Llama
from ..serving.chat_template import ChatTemplate, Message
from ..tokenizer.tokenizer import Tokenizer
from .gguf import Gguf


@dataclass(frozen=True)
class LanguageModel:
    """A model that can be talked to. name: as its file calls it."""

    name: str
    model: Llama
    tokenizer: Tokenizer
    template: ChatTemplate

    def chat_ids(self, messages: Sequence[Message], tools: Sequence[Any] = ()) -> list[int]:
        """The prompt of a conversation. tools: functions that may be called, as OpenAI's clients tell."""
        return self.template.ids(messages, **({"tools": list(tools)} if tools else {}))


def _quiet(stage: str) -> None:
    """Tell nobody."""


def load(
    path: os.PathLike[str] | str,
    tell: Callable[[str], None] = _quiet,
    activations: str = "float",
    device: str = "cpu",
) -> LanguageModel:
    """The model in a GGUF file or a folder of the transformers library; `tell` hears what is being read.
    activations: "float", or "int8" (`lanes.py`), which is for the CPU. device: one that computes values."""
    place, name = Path(path), Device.usable(device)
    if name != "cpu" and activations == "int8":
        raise ValueError(f"activations of 8 bits are for the cpu, and the device is {name}: choose float")
    loaded = (_from_folder if place.is_dir() else _from_gguf)(place, tell, activations)
    if name != "cpu":
        tell(f"moving the weights to {name}")
        loaded.model.on(name)
    give_back()
    return loaded


def _from_gguf(path: Path, tell: Callable[[str], None], activations: str) -> LanguageModel:
    tell("reading the weights")
    file = Gguf(path)
    model = Llama.from_gguf(file, activations)
    tell("reading the tokenizer")
    tokenizer = Tokenizer.from_gguf(file)
    file.forget()
    name, template = (file.metadata.get(key) for key in ("general.name", "tokenizer.chat_template"))
    return LanguageModel(
        name if isinstance(name, str) and name else path.stem,
        model,
        tokenizer,
        ChatTemplate(template if isinstance(template, str) else None, tokenizer),
    )


def _from_folder(path: Path, tell: Callable[[str], None], activations: str) -> LanguageModel:
    from .folder import folder_tokenizer

    tell("reading the weights")
    model = Llama.from_folder(path, activations)
    tell("reading the tokenizer")
    tokenizer, template = folder_tokenizer(path)
    return LanguageModel(path.resolve().name, model, tokenizer, ChatTemplate(template, tokenizer))
