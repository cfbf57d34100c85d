"""Tokenizers from a `tokenizer.json`, as the `tokenizers` library writes it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Final

from ...files.reading import Place, read_json, shown
from .added_tokens import Added
from .decoding import TokenBytes, bytes_of_characters, spaces_of_marks, words_of_pieces
from .models.bpe import Bpe, ranked_by_merges
from .models.pieces import boundary_of, byte_tokens
from .models.unigram import Unigram
from .models.wordpiece import WordPiece
from .parts import Model, Parts
from .text.normalizers import normalizer
from .text.pretokenizers import splitter

REMEDY: Final = "fetch it again, or save it again with a current release of tokenizers"
#: Bytes of a file, and the largest id of a token.
MOST_BYTES: Final = 1 << 27
MOST_TOKENS: Final = 1 << 24
#: Looking a word up takes time with the square of its length.
LONGEST_WORD: Final = 10_000


def json_parts(path: os.PathLike[str] | str, place: Place) -> Parts:
    """What a file tells; ValueError and its kin for one that is broken or has what is not known here."""
    found = read_json(path, MOST_BYTES)
    place.where = "the model"
    vocabulary = _vocabulary(found["model"])
    on_bytes = _is_byte_level(found.get("pre_tokenizer"))
    model = _model(found["model"], vocabulary, on_bytes)
    place.where = "the added tokens"
    added = [_added(each) for each in found.get("added_tokens") or []]
    tokens = _tokens(vocabulary, added)
    place.where = "the normalizer"
    normalize = normalizer(found.get("normalizer"))
    place.where = "the pre-tokenizer"
    split = splitter(found.get("pre_tokenizer"))
    place.where = "the decoder"
    token_bytes = _token_bytes(found.get("decoder"), on_bytes)
    place.where = "the post-processor"
    begin, end = _around(found.get("post_processor"))
    for number in (*begin, *end):
        if not 0 <= number < len(tokens):
            raise ValueError(f"it adds id {shown(number)}, and there are {len(tokens)} tokens")
    return Parts(tokens, model, normalize, split, token_bytes, added, begin, end, {})


def _number(value: Any) -> int:
    """An id of a token."""
    if type(value) is not int or not 0 <= value < MOST_TOKENS:
        raise ValueError(f"{shown(value)} is no id of a token")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} where a text is due")
    return value


def _vocabulary(model: Mapping[str, Any]) -> dict[str, int]:
    """Ids by token. Unigram has a list of pairs, the others a dict."""
    listed = model["vocab"]
    if isinstance(listed, list):
        return {_text(text): number for number, (text, _) in enumerate(listed)}
    return {text: _number(number) for text, number in listed.items()}


def _added(entry: Mapping[str, Any]) -> Added:
    flags = ("special", "normalized", "lstrip", "rstrip", "single_word")
    return Added(_text(entry["content"]), _number(entry["id"]), *(bool(entry.get(flag)) for flag in flags))


def _tokens(vocabulary: Mapping[str, int], added: Iterable[Added]) -> list[str]:
    """Texts by id. There may be gaps, but not more of them than tokens."""
    numbered = [(number, text) for text, number in vocabulary.items()]
    numbered += [(token.id, token.text) for token in added]
    size = max((number for number, _ in numbered), default=-1) + 1
    if size > 2 * len(numbered) + 100_000:
        raise ValueError(f"{len(numbered)} tokens have ids up to {size - 1}")
    tokens = [""] * size
    for number, text in numbered:
        tokens[number] = text
    return tokens


# --- models


def _model(described: Mapping[str, Any], vocabulary: dict[str, int], on_bytes: bool) -> Model:
    # old files do not name the kind: only BPE has merges
    kind = described.get("type") or ("BPE" if "merges" in described else "WordPiece")
    fallback = byte_tokens(vocabulary) if described.get("byte_fallback") else []
    match kind:
        case "BPE":
            return _bpe(described, vocabulary, on_bytes, fallback)
        case "Unigram":
            scores = [float(score) for _, score in described["vocab"]]
            unknown = described.get("unk_id")
            if unknown is not None and _number(unknown) >= len(scores):
                raise ValueError(f"the unknown token is {unknown}, and there are {len(scores)}")
            return Unigram(vocabulary, scores, unknown, fallback, boundary=boundary_of(vocabulary))
        case "WordPiece":
            return _wordpiece(described, vocabulary)
    raise ValueError(f"a model of type {shown(kind)}, which is not known here")


def _wordpiece(described: Mapping[str, Any], vocabulary: dict[str, int]) -> WordPiece:
    inside, longest = _text(described["continuing_subword_prefix"]), described["max_input_chars_per_word"]
    if type(longest) is not int or not 0 <= longest <= LONGEST_WORD:
        raise ValueError(
            f"words of up to {shown(longest)} characters, and at most {LONGEST_WORD} are looked up"
        )
    return WordPiece(vocabulary, vocabulary[described["unk_token"]], inside, longest=longest)


def _bpe(
    described: Mapping[str, Any], vocabulary: dict[str, int], on_bytes: bool, fallback: list[int | None]
) -> Bpe:
    if described.get("dropout") or described.get("continuing_subword_prefix"):
        raise ValueError("dropout, or a prefix of tokens inside of words, which are not known here")
    unknown, suffix = described.get("unk_token"), _text(described.get("end_of_word_suffix") or "")
    return Bpe(
        vocabulary,
        ranked_by_merges(_merges(described["merges"], vocabulary)),
        on_bytes,
        fallback,
        None if unknown is None else vocabulary[unknown],
        bool(described.get("fuse_unk")),
        bool(described.get("ignore_merges")),
        suffix,
        boundary="" if on_bytes or suffix else boundary_of(vocabulary),
    )


def _merges(listed: Iterable[Any], vocabulary: Mapping[str, int]) -> list[tuple[str, str]]:
    """Pairs, which old files write as one text with a space."""
    found = []
    for each in listed:
        first, second = each.split(" ") if isinstance(each, str) else each
        if first not in vocabulary or second not in vocabulary or first + second not in vocabulary:
            raise ValueError(f"{shown(first)} and {shown(second)} are merged, and not all are tokens")
        found.append((first, second))
    return found


# --- what is around


def _is_byte_level(described: Mapping[str, Any] | None) -> bool:
    """Whether pieces become bytes; what would come after that is refused."""
    if described is None:
        return False
    if described["type"] == "Sequence":
        *before, last = [_is_byte_level(each) for each in described["pretokenizers"]] or [False]
        if any(before):
            raise ValueError("a pre-tokenizer after ByteLevel, which has to be the last")
        return last
    return bool(described["type"] == "ByteLevel")


def _token_bytes(described: Mapping[str, Any] | None, on_bytes: bool) -> TokenBytes:
    """How tokens become text. Without a decoder they do it as the model suggests."""
    if described is None:
        return bytes_of_characters if on_bytes else spaces_of_marks(False)
    match described["type"]:
        case "ByteLevel":
            return bytes_of_characters
        case "WordPiece":
            return words_of_pieces(_text(described["prefix"]), "", bool(described["cleanup"]))
        case "Metaspace":
            plain = "always" if described.get("add_prefix_space", True) else "never"
            strip = described.get("prepend_scheme", plain) != "never"
            return spaces_of_marks(strip, _text(described["replacement"]))
        case "Sequence":
            kinds = [each["type"] for each in described["decoders"]]
            if "ByteLevel" in kinds:
                return bytes_of_characters
            strips = [each for each in described["decoders"] if each["type"] == "Strip"]
            return spaces_of_marks(any(each["start"] for each in strips))
        case "ByteFallback" | "Fuse" | "Replace":
            return spaces_of_marks(False)
    raise ValueError(f"a decoder of type {shown(described['type'])}, which is not known here")


def _around(described: Mapping[str, Any] | None) -> tuple[list[int], list[int]]:
    """The ids before and after a text."""
    if described is None:
        return [], []
    match described["type"]:
        case "ByteLevel":
            return [], []
        case "BertProcessing" | "RobertaProcessing":
            return [_number(described["cls"][1])], [_number(described["sep"][1])]
        case "Sequence":
            each = [_around(step) for step in described["processors"]]
            before, after = [b for b, _ in reversed(each)], [e for _, e in each]
            return list(chain.from_iterable(before)), list(chain.from_iterable(after))
        case "TemplateProcessing":
            return _template(described)
    raise ValueError(f"a post-processor of type {shown(described['type'])}, which is not known here")


def _template(described: Mapping[str, Any]) -> tuple[list[int], list[int]]:
    before: list[int] = []
    after: list[int] = []
    found = before
    for part in described["single"]:
        if "Sequence" in part:
            found = after
        else:
            name = part["SpecialToken"]["id"]
            found += [_number(number) for number in described["special_tokens"][name]["ids"]]
    return before, after
