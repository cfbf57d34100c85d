"""A small model at random that tests share."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from saccade.fuzz.files.model_corpus import model_bytes
from saccade.llm import Llama, Tokenizer


@functools.cache
def tiny_path() -> Path:
    path = Path(tempfile.mkdtemp(prefix="saccade-tiny-")) / "tiny.gguf"
    path.write_bytes(model_bytes())
    return path


@functools.cache
def tiny() -> tuple[Llama, Tokenizer]:
    """The same for all tests of a process: its programs are compiled once."""
    return Llama.from_gguf(tiny_path()), Tokenizer.from_gguf(tiny_path())
