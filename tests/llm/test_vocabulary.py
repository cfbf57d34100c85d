"""Texts in one run of bytes beside a list of them, and ids by text beside a dict."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from saccade.fuzz.files.gguf_corpus import gguf_bytes
from saccade.llm.files.texts import Texts
from saccade.llm.tokenizer.tokenizer import Tokenizer
from saccade.llm.tokenizer.vocabulary import LONG, MOST_RECENT, Vocabulary, hash_of, hashes

from .strings import some_texts


def words(count: int, seed: int = 0) -> list[str]:
    """Short texts, of which some come twice, with zeros and spaces in them."""
    random = np.random.default_rng(seed)
    letters = list("ab é€\0\U0001f600")
    return ["".join(random.choice(letters, size)) for size in random.integers(0, 7, count)]


def test_texts_are_those_of_a_list() -> None:
    listed = words(300)
    texts = Texts.of(listed)
    assert list(texts) == listed
    assert texts == listed
    assert texts == Texts.of(listed)
    assert texts != Texts.of([*listed, ""])
    assert [texts[number] for number in range(-300, 300)] == listed + listed
    assert texts[5:40:3] == listed[5:40:3]
    assert listed[7] in texts
    for number in (300, -301):
        with pytest.raises(IndexError, match="of 300"):
            texts[number]
    assert repr(Texts.of(["a"] * 9)) == "['a', 'a', 'a', 'a', ...]"
    assert list(Texts.of([])) == []


@pytest.mark.parametrize("count", [0, 1, 2, 300, 20_000])
def test_a_vocabulary_is_a_dict(count: int) -> None:
    listed = words(count)
    vocabulary = Vocabulary(Texts.of(listed))
    known = {text: number for number, text in reversed(list(enumerate(listed)))}
    asked = [*known, *words(200, seed=1), *some_texts(50), "\ud800", "a\0\0\0", "x" * 1000]
    for _ in range(2):  # looked up, and remembered
        assert [vocabulary.get(text) for text in asked] == [known.get(text) for text in asked]
    assert [text in vocabulary for text in asked] == [text in known for text in asked]
    assert vocabulary.get("nowhere", 5) == 5
    assert 7 not in vocabulary
    with pytest.raises(KeyError):
        vocabulary["nowhere"]
    assert dict(vocabulary) == known
    assert len(vocabulary) == len(known)
    assert len(vocabulary._recent) <= MOST_RECENT
    assert dict(Vocabulary(Texts.of(listed), last=True)) == {text: n for n, text in enumerate(listed)}


def test_all_at_once_hashes_are_those_of_single_texts() -> None:
    around = [letter * size for letter in "a\0" for size in (7, 8, 9, 16, 17, LONG - 1, LONG, LONG + 1)]
    listed = [*words(300), *around, "", "\0", "\0\0", "ÿ" * 5000, "é" * LONG]
    texts = Texts.of(listed)
    found = hashes(texts).tolist()
    assert found == [hash_of(content) for content in texts.contents()]
    assert len({*found[-5:]}) == 5


def test_texts_that_begin_alike_are_spread() -> None:
    """Those of two and three letters had one bucket for each beginning, of 800 tokens."""
    letters = [chr(code) for code in range(ord("a"), ord("z"))]
    listed = [f"Ġ{first}{second}" for first in letters for second in letters] + letters
    low = hashes(Texts.of(listed)) & 1023
    assert np.bincount(low).max() < 16


def test_a_tokenizer_takes_little_memory(tmp_path: Path) -> None:
    """As texts in lists and dicts, 40,000 tokens and their merges took 15 MB."""
    letters = [chr(ord("a") + number) for number in range(26)]
    pairs = [first + second for first in letters for second in letters]
    merges = [f"{first} {second}" for first in letters for second in letters]
    fours = [(first, second) for first in pairs for second in pairs][:40_000]
    tokens = [*letters, *pairs, *(first + second for first, second in fours)]
    merges += [f"{first} {second}" for first, second in fours]
    path = tmp_path / "a.gguf"
    path.write_bytes(
        gguf_bytes(
            [
                ("tokenizer.ggml.model", "text", "gpt2"),
                ("tokenizer.ggml.tokens", "[text", tokens),
                ("tokenizer.ggml.merges", "[text", merges),
            ]
        )
    )
    Tokenizer.from_gguf(path)  # modules, patterns
    tracemalloc.start()
    tokenizer = Tokenizer.from_gguf(path)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 2_500_000
    assert [tokenizer.token(number) for number in tokenizer.encode("abcdxyz")] == ["abcd", "xy", "z"]
