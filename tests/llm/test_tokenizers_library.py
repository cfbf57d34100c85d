"""The same ids as the `tokenizers` library: 12,000 texts, by tokenizers of every kind that it trains."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from saccade.llm.tokenizer.tokenizer import Tokenizer

from .strings import some_texts

tokenizers = pytest.importorskip(
    "tokenizers", reason="the package tokenizers is missing: pip install tokenizers"
)
decoders, models, normalizers = tokenizers.decoders, tokenizers.models, tokenizers.normalizers
pre, processors, trainers = tokenizers.pre_tokenizers, tokenizers.processors, tokenizers.trainers

MODERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}DIGITS| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
    r"\s+(?!\S)|\s+"
)
CASED = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SPECIAL = ["<s>", "</s>", "<unk>"]
BYTES = [f"<0x{code:02X}>" for code in range(256)]
TEXTS = some_texts(1500)


def byte_level(*steps: Any) -> Any:
    """Byte-level BPE of pieces cut in some way."""
    made = tokenizers.Tokenizer(models.BPE())
    made.pre_tokenizer = pre.Sequence(list(steps)) if len(steps) > 1 else steps[0]
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1200,
        special_tokens=SPECIAL,
        initial_alphabet=pre.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(TEXTS[:400], trainer)
    return made


def split(pattern: str) -> Any:
    return byte_level(
        pre.Split(tokenizers.Regex(pattern), "isolated"),
        pre.ByteLevel(add_prefix_space=False, use_regex=False),
    )


def llama2() -> Any:
    """SentencePiece's BPE as Llama 2 has it: no pieces, bytes for what is no token."""
    made = tokenizers.Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=1500, special_tokens=[*SPECIAL, *BYTES], limit_alphabet=400, show_progress=False
    )
    # merges do not cross words, as in the models themselves
    made.train_from_iterator([word for text in TEXTS[:400] for word in text.split(" ")], trainer)
    template = processors.TemplateProcessing("<s> $A", special_tokens=[("<s>", made.token_to_id("<s>"))])
    made.post_processor = template
    return made


def metaspace_bpe() -> Any:
    """BPE of words with marks, and one unknown token for characters that are none."""
    made = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    made.pre_tokenizer = pre.Metaspace(prepend_scheme="first")
    made.decoder = decoders.Metaspace(prepend_scheme="first")
    trainer = trainers.BpeTrainer(
        vocab_size=1000, special_tokens=SPECIAL, limit_alphabet=300, show_progress=False
    )
    made.train_from_iterator(TEXTS[:400], trainer)
    return made


def unigram(fallback: bool) -> Any:
    made = tokenizers.Tokenizer(models.Unigram())
    made.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(tokenizers.Regex(" {2,}"), " ")]
    )
    made.pre_tokenizer = pre.Metaspace()
    made.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=2500, special_tokens=[*SPECIAL, *BYTES * fallback], unk_token="<unk>", show_progress=False
    )
    made.train_from_iterator(TEXTS[:300], trainer)
    if fallback:
        import json

        told = json.loads(made.to_str())
        told["model"]["byte_fallback"] = True
        made = tokenizers.Tokenizer.from_str(json.dumps(told))
    return made


def wordpiece(lowercase: bool) -> Any:
    made = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    made.pre_tokenizer = pre.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    special = ["[UNK]", "[CLS]", "[SEP]"]
    trainer = trainers.WordPieceTrainer(
        vocab_size=1500, special_tokens=special, limit_alphabet=500, show_progress=False
    )
    made.train_from_iterator(TEXTS[:400], trainer)
    made.post_processor = processors.BertProcessing(
        *((name, made.token_to_id(name)) for name in ("[SEP]", "[CLS]"))
    )
    return made


KINDS: dict[str, Callable[[], Any]] = {
    "gpt-2": lambda: byte_level(pre.ByteLevel(add_prefix_space=True)),
    "smollm": lambda: byte_level(pre.Digits(individual_digits=True), pre.ByteLevel(add_prefix_space=False)),
    "llama-3": lambda: split(MODERN.replace("DIGITS", "{1,3}")),
    "qwen2": lambda: split(MODERN.replace("DIGITS", "")),
    "gpt-4o": lambda: split(CASED),
    "punctuation": lambda: byte_level(pre.Punctuation("contiguous"), pre.ByteLevel(add_prefix_space=False)),
    "llama-2": llama2,
    "metaspace bpe": metaspace_bpe,
    "unigram": lambda: unigram(False),
    "unigram with bytes": lambda: unigram(True),
    "bert": lambda: wordpiece(True),
    "bert with case": lambda: wordpiece(False),
}


@pytest.mark.parametrize("count", [200, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_ids_are_those_of_the_library(kind: str, count: int, tmp_path: Path) -> None:
    library = KINDS[kind]()
    library.add_tokens(
        [tokenizers.AddedToken("wurd", single_word=True), tokenizers.AddedToken(" x|", lstrip=True)]
    )
    library.add_special_tokens([tokenizers.AddedToken("<|end|>", normalized=False, rstrip=True)])
    library.save(str(tmp_path / "tokenizer.json"))
    ours = Tokenizer.from_json(tmp_path / "tokenizer.json")
    tail = ["a <|end|>  b", "a wurd wurds wurd", "q  x| y", "<|end|><|end|> <|end", "", " ", "\n"]
    texts = [*some_texts(count, seed=1), *tail]
    wanted = library.encode_batch(texts)
    wrong = [text for text, found in zip(texts, wanted) if ours.encode(text) != found.ids]
    assert not wrong, f"{len(wrong)} texts differ: {wrong[0]!r}"
    changed = [found.ids for found in wanted if ours.decode(found.ids) != library.decode(found.ids)]
    assert not changed, f"{len(changed)} texts come back differently: {changed[0]}"
