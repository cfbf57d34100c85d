"""Tiny whole tokenizers of every kind, as `tokenizer.json` and as the metadata of GGUF files.

json_tokenizers()["wordpiece"]          # a dict, as the file has it
gguf_tokenizers()["llama"]              # pairs of metadata
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

from ...llm.tokenizer.models.bpe import BYTE_LEVEL
from .gguf_corpus import Pair, gguf_bytes

#: Byte-level tokens beside the 256 bytes, each made of two others.
MERGES = ["h e", "l l", "he ll", "hell o", "Ġ w", "o r", "Ġw or", "Ġwor l", "Ġworl d", "Ã ©", "1 2", "' s"]
BYTE_TOKENS = [f"<0x{code:02X}>" for code in range(256)]
#: Tokens of SentencePiece with scores, after <unk>, <s>, </s> and the bytes.
SCORED = [
    ("▁", -1.0), ("h", -9.0), ("e", -9.1), ("l", -9.2), ("o", -9.3), ("w", -9.4), ("r", -9.5), ("d", -9.6),
    ("he", -3.0), ("ll", -2.0), ("hell", -4.0), ("hello", -5.0), ("▁hello", -6.0), ("or", -3.5), ("▁w", -2.5),
    ("▁wor", -4.5), ("ld", -3.2), ("é", -8.0), ("▁▁", -7.0),
]  # fmt: skip
WORDPIECES = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "hello",
    "wor",
    "##ld",
    "##l",
    ",",
    "un",
    "##able",
    "世",
    "e",
]
MODERN = r"(?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def byte_vocabulary() -> list[str]:
    return ["<|end|>", *BYTE_LEVEL.values(), *(merge.replace(" ", "") for merge in MERGES)]


def scored_vocabulary() -> list[tuple[str, float]]:
    return [("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0), *((token, 0.0) for token in BYTE_TOKENS), *SCORED]


def charsmap(strings: Mapping[str, str]) -> bytes:
    """Normal forms: a double array of strings, then what they become (`llm/tokenizer/text/charsmap.py`)."""
    texts = {key.encode(): value.encode() for key, value in strings.items()}
    starts, data = {}, b""
    for key, value in texts.items():
        starts[key] = len(data)
        data += value + b"\0"
    units: dict[int, int] = {0: 0}
    bases: set[int] = set()

    def place(node: int, start: bytes) -> None:
        """Put the children of a node where all of them have room; 0 is the child that holds the value."""
        after = {key[len(start)] for key in texts if key.startswith(start) and len(key) > len(start)}
        children = sorted(after | ({0} if start in texts else set()))
        free = (n for n in range(1, 1 << 16) if n not in bases and not any(n ^ c in units for c in children))
        base = next(free)
        bases.add(base)
        units[node] |= (base ^ node) << 10 | (256 if start in texts else 0)
        for child in children:
            units[base ^ child] = child if child else 1 << 31 | starts[start]
        for child in after:
            place(base ^ child, start + bytes([child]))

    place(0, b"")
    array = [units.get(node, 255) for node in range(max(units) + 256)]
    return struct.pack("<I", 4 * len(array)) + struct.pack(f"<{len(array)}I", *array) + data


def _added(text: str, number: int, special: bool = True) -> dict[str, Any]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": text, "special": special, **flags}


def json_tokenizers() -> dict[str, dict[str, Any]]:
    """Descriptions by kind."""
    scored = scored_vocabulary()
    ids = {token: number for number, (token, _) in enumerate(scored)}
    pairs = [(a, b) for a in ids for b in ids if a + b in ids and len(a + b) < 9]
    merges = sorted(pairs, key=lambda pair: -scored[ids["".join(pair)]][1])
    special = [_added(token, number) for number, token in enumerate(("<unk>", "<s>", "</s>"))]
    spaces = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    split = {"type": "Split", "pattern": {"Regex": MODERN}, "behavior": "Isolated", "invert": False}
    begins = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
    }
    return {
        "byte-level": {
            "added_tokens": [_added("<|end|>", 0)],
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
            "decoder": {"type": "ByteLevel"},
            "model": {
                "type": "BPE",
                "vocab": {token: number for number, token in enumerate(byte_vocabulary())},
                "merges": MERGES,
            },
        },
        "sentencepiece": {
            "added_tokens": special,
            "normalizer": {
                "type": "Sequence",
                "normalizers": [
                    {"type": "Prepend", "prepend": "▁"},
                    {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
                ],
            },
            "post_processor": begins,
            "decoder": {
                "type": "Sequence",
                "decoders": [
                    {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                    {"type": "ByteFallback"},
                    {"type": "Fuse"},
                    {"type": "Strip", "content": " ", "start": 1, "stop": 0},
                ],
            },
            "model": {
                "type": "BPE",
                "unk_token": "<unk>",
                "fuse_unk": True,
                "byte_fallback": True,
                "vocab": ids,
                "merges": [list(pair) for pair in merges],
            },
        },
        "unigram": {
            "added_tokens": special,
            "normalizer": {"type": "NFKC"},
            "pre_tokenizer": spaces,
            "decoder": spaces,
            "model": {"type": "Unigram", "unk_id": 0, "vocab": [*scored[:3], *SCORED]},
        },
        "wordpiece": {
            "added_tokens": [_added(token, number) for number, token in enumerate(WORDPIECES[:4])],
            "normalizer": {
                "type": "BertNormalizer",
                "clean_text": True,
                "handle_chinese_chars": True,
                "strip_accents": None,
                "lowercase": True,
            },
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
            "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
            "model": {
                "type": "WordPiece",
                "unk_token": "[UNK]",
                "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
                "vocab": {token: number for number, token in enumerate(WORDPIECES)},
            },
        },
    }  # fmt: skip


def gguf_tokenizers() -> dict[str, list[Pair]]:
    """Metadata by the name that GGUF gives to a kind."""
    scored = scored_vocabulary()
    marked = [
        token[2:] if token[:2] == "##" else token if token[0] == "[" else "▁" + token for token in WORDPIECES
    ]
    sentencepiece = [
        ("tokens", "[text", [token for token, _ in scored]),
        ("scores", "[f", [score for _, score in scored]),
        ("token_type", "[i", [2, 3, 3, *[6] * 256, *[1] * len(SCORED)]),
        ("bos_token_id", "I", 1),
        ("eos_token_id", "I", 2),
        ("unknown_token_id", "I", 0),
    ]
    kinds: dict[str, list[Pair]] = {
        "gpt2": [
            ("pre", "text", "llama-bpe"),
            ("tokens", "[text", byte_vocabulary()),
            ("token_type", "[i", [3, *[1] * (len(byte_vocabulary()) - 1)]),
            ("merges", "[text", MERGES),
            ("eos_token_id", "I", 0),
        ],
        "llama": sentencepiece,
        "t5": [
            *sentencepiece,
            ("precompiled_charsmap", "[B", charsmap({"ﬁ": "fi", "e\u0301": "é", "①": "1"})),
        ],
        "bert": [
            ("tokens", "[text", marked),
            ("token_type", "[i", [3] * 4 + [1] * (len(marked) - 4)),
            ("unknown_token_id", "I", 1),
            ("cls_token_id", "I", 2),
            ("seperator_token_id", "I", 3),
        ],
    }
    return {
        kind: [
            (f"tokenizer.ggml.{key}", form, value) for key, form, value in [("model", "text", kind), *pairs]
        ]
        for kind, pairs in kinds.items()
    }


def tokenizer_files() -> tuple[list[dict[str, bytes]], list[dict[str, bytes]]]:
    """Whole files: JSON, and GGUF."""
    texts = [{"tokenizer.json": json.dumps(each).encode()} for each in json_tokenizers().values()]
    return texts, [{"a.gguf": gguf_bytes(pairs)} for pairs in gguf_tokenizers().values()]
