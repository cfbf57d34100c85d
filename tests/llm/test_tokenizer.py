"""Tokenizers with tiny vocabularies, whose ids can be worked out by hand; streams; files that are wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from saccade.fuzz.files.gguf_corpus import gguf_bytes
from saccade.fuzz.files.tokenizer_corpus import charsmap, gguf_tokenizers, json_tokenizers
from saccade.llm.files.texts import Texts
from saccade.llm.generation.text import end_ids
from saccade.llm.tokenizer.models.bpe import Bpe, merged, ranked_by_merges, ranked_by_texts
from saccade.llm.tokenizer.models.unigram import Unigram
from saccade.llm.tokenizer.parts import TokenizerError
from saccade.llm.tokenizer.text.charsmap import CharsMap
from saccade.llm.tokenizer.text.split_patterns import GPT2, LLAMA3, QWEN2, SplitPattern
from saccade.llm.tokenizer.tokenizer import Tokenizer

from .strings import some_texts


def from_json(folder: Path, kind: str, change: Callable[[dict[str, Any]], None] | None = None) -> Tokenizer:
    told = json_tokenizers()[kind]
    if change is not None:
        change(told)
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(told))
    return Tokenizer.from_json(path)


def from_gguf(folder: Path, kind: str, **others: tuple[str, Any]) -> Tokenizer:
    pairs = [
        pair for pair in gguf_tokenizers()[kind] if pair[0].removeprefix("tokenizer.ggml.") not in others
    ]
    pairs += [(f"tokenizer.ggml.{key}", *value) for key, value in others.items() if value[0]]
    path = folder / "a.gguf"
    path.write_bytes(gguf_bytes(pairs))
    return Tokenizer.from_gguf(path)


def told(tokenizer: Tokenizer, text: str, **how: bool) -> list[str]:
    """The tokens of a text."""
    return [tokenizer.token(number) for number in tokenizer.encode(text, **how)]


BYTE_LEVEL = {
    "hello world": ["hello", "Ġworld"],
    "hello's": ["hello", "'s"],
    "1234": ["12", "3", "4"],
    "é€": ["Ã©", "â", "Ĥ", "¬"],
    "  hello": ["Ġ", "Ġ", "hello"],
    "a<|end|> world": ["a", "<|end|>", "Ġworld"],
    "": [],
}
SENTENCEPIECE = {
    "hello": ["<s>", "▁hello"],
    "hello world": ["<s>", "▁hello", "▁wor", "ld"],
    " hello": ["<s>", "▁", "▁hello"],
    "é€": ["<s>", "▁", "é", "<0xE2>", "<0x82>", "<0xAC>"],
    "</s>he": ["<s>", "</s>", "▁", "he"],
    "a": ["<s>", "▁", "<0x61>"],
    "": ["<s>"],
}
UNIGRAM = {
    "hello world": ["▁hello", "▁wor", "ld"],
    "hexyz": ["▁", "he", "<unk>"],
    "ﬁ": ["▁", "<unk>"],
    "he</s>": ["▁", "he", "</s>"],
}
WORDPIECE = {
    "Hello, World": ["hello", ",", "wor", "##ld"],
    "unable HÉLLO": ["un", "##able", "hello"],
    "世e": ["世", "e"],
    "worldx é": ["[UNK]", "e"],
    "worl\tx": ["wor", "##l", "[UNK]"],
}


@pytest.mark.parametrize("text", BYTE_LEVEL)
def test_byte_level_bpe(text: str, tmp_path: Path) -> None:
    assert told(from_json(tmp_path, "byte-level"), text) == BYTE_LEVEL[text]
    assert told(from_gguf(tmp_path, "gpt2"), text) == BYTE_LEVEL[text]


@pytest.mark.parametrize("text", SENTENCEPIECE)
def test_sentencepiece_bpe(text: str, tmp_path: Path) -> None:
    assert told(from_json(tmp_path, "sentencepiece"), text) == SENTENCEPIECE[text]
    assert told(from_gguf(tmp_path, "llama"), text) == SENTENCEPIECE[text]


@pytest.mark.parametrize("text", UNIGRAM)
def test_unigram(text: str, tmp_path: Path) -> None:
    assert told(from_json(tmp_path, "unigram"), text) == UNIGRAM[text]


def test_tokens_that_end_answers_by_their_roles(tmp_path: Path) -> None:
    roles = {f"{role}_token_id": ("I", number) for number, role in enumerate(("eos", "eot", "eom"), 5)}
    assert {5, 6, 7} <= end_ids(from_gguf(tmp_path, "gpt2", **roles))


def test_unigram_of_gguf(tmp_path: Path) -> None:
    found = from_gguf(tmp_path, "t5")
    assert told(found, "hello world") == ["▁hello", "▁wor", "ld", "</s>"]
    assert told(found, "hex", add_special=False) == ["▁", "he", "<0x78>"]


@pytest.mark.parametrize("text", WORDPIECE)
def test_wordpiece(text: str, tmp_path: Path) -> None:
    wanted = ["[CLS]", *WORDPIECE[text], "[SEP]"]
    tokenizer = from_json(tmp_path, "wordpiece")
    assert told(tokenizer, text) == wanted
    assert from_gguf(tmp_path, "bert").encode(text) == [tokenizer.id_of(token) for token in wanted]


def test_ids_are_fixed(tmp_path: Path) -> None:
    """A few ids as numbers, so that no mistake is made on both ways."""
    assert from_json(tmp_path, "byte-level").encode("hello world!") == [260, 265, 1]
    assert from_json(tmp_path, "sentencepiece").encode("hello a") == [1, 271, 259, 100]
    assert from_json(tmp_path, "unigram").encode("hello wor") == [15, 18]
    assert from_json(tmp_path, "wordpiece").encode("hello unable") == [2, 4, 9, 10, 3]


def test_special_tokens_of_others_are_only_text(tmp_path: Path) -> None:
    found = from_json(tmp_path, "byte-level")
    assert found.encode("<|end|>") == [0]
    plain = found.encode("<|end|>", parse_special=False)
    assert 0 not in plain
    assert found.decode(plain) == "<|end|>"
    assert (found.decode([0]), found.decode([0], skip_special=False)) == ("", "<|end|>")


@pytest.mark.parametrize("kind", ["byte-level", "sentencepiece"])
def test_texts_come_back(kind: str, tmp_path: Path) -> None:
    found = from_json(tmp_path, kind)
    for text in some_texts(150, seed=3):
        if not set("<▁") & set(text):  # a token, or a space
            assert found.decode(found.encode(text)) == text


def test_a_stream_never_cuts_a_character(tmp_path: Path) -> None:
    found = from_json(tmp_path, "byte-level")
    text = "é€ 👩‍👩‍👧 hello 日本"
    stream = found.stream()
    given = [stream.put(number) for number in found.encode(text)]
    assert "".join(given) + stream.end() == text
    assert "" in given
    assert "�" not in "".join(given)
    cut = found.stream()
    assert "".join(cut.put(number) for number in found.encode("a€")[:-1]) == "a"
    assert cut.end() == "�"


def test_a_stream_of_words(tmp_path: Path) -> None:
    words = from_json(tmp_path, "wordpiece")
    assert words.decode(words.encode("Hello, unable world")) == "hello, unable world"
    marked = from_gguf(tmp_path, "bert")
    assert marked.decode(marked.encode("Hello, unable world")) == "hello, unable world"
    spaces = from_gguf(tmp_path, "llama")
    stream = spaces.stream()
    assert [stream.put(number) for number in spaces.encode("hello world")] == ["", "hello", " wor", "ld"]


def test_long_texts_take_time_in_proportion(tmp_path: Path) -> None:
    """A piece without an end is merged with a heap; one of a million characters would take hours without."""
    found = from_json(tmp_path, "byte-level")
    assert len(found.encode("hell" * 4_000)) == 4_000
    assert (
        from_gguf(tmp_path, "llama").decode(from_gguf(tmp_path, "llama").encode("wx" * 4_000)) == "wx" * 4_000
    )


def test_a_table_of_normal_forms(tmp_path: Path) -> None:
    table = CharsMap(
        charsmap({"ﬁ": "fi", "A\u030a": "Å", "A": "a", "B\u030a": "b", "(c)": "©", "①": "1", "x\u0301": ""})
    )
    for text, wanted in {
        "AﬁA\u030a①": "afiÅ1",  # the longest counts
        "B B\u030a BB": "B b BB",
        "x(c) (d)": "x© (d)",
        "x\u0301y": "y",
        "日本": "日本",
        "": "",
    }.items():
        assert table.normalized(text) == wanted
    assert told(from_gguf(tmp_path, "t5"), "he\u0301", add_special=False) == ["▁", "h", "é"]
    for broken in (b"", b"\0\0\0\0", b"\xff\xff\xff\xff" + bytes(8), b"\3\0\0\0" + bytes(8)):
        with pytest.raises(ValueError, match="a table of characters with a trie of"):
            CharsMap(broken)


def test_merges_go_by_rank_then_from_the_left() -> None:
    rank = ranked_by_merges([("a", "a"), ("aa", "b"), ("b", "a")])
    assert merged(list("aaa"), rank) == ["aa", "a"]
    assert merged(list("aabaab"), rank) == ["aab", "aab"]
    assert merged(list("bab"), rank) == ["ba", "b"]
    assert merged(list("xyz"), rank) == ["x", "y", "z"]
    assert merged([], rank) == []


def test_what_is_no_token() -> None:
    vocabulary = {"a": 0, "?": 1, "ab": 2, "b": 3}
    rank = ranked_by_merges([("a", "b")])
    assert Bpe(vocabulary, rank, unknown=1, fuse=True).encode("axxab") == (0, 1, 2)
    assert Bpe(vocabulary, rank, unknown=1).encode("axxab") == (0, 1, 1, 2)
    assert Bpe(vocabulary, rank).encode("axb") == (2,)  # what is left out does not part the others


PIECES = [
    (GPT2, "I'll pay 20€  now\n\n ok", ["I", "'ll", " pay", " 20", "€", " ", " now", "\n\n", " ok"]),
    (GPT2, "x'S don't", ["x", "'", "S", " don", "'t"]),
    (LLAMA3, "I'LL pay 12345 €!\n\n  ok", ["I", "'LL", " pay", " ", "123", "45", " €!\n\n", " ", " ok"]),
    (QWEN2, "(word) 42 \n x", ["(word", ")", " ", "4", "2", " \n", " x"]),
    (LLAMA3, "日本語 テスト ۱۲۳۴", ["日本語", " テスト", " ", "۱۲۳", "۴"]),
    (GPT2, "a\u00a0b\u0085c\u3000 d", ["a", "\u00a0", "b", "\u0085", "c", "\u3000", " d"]),
    (LLAMA3, "it'ſx", ["it", "'ſ", "x"]),
    (GPT2, "e\u0301 𝟙🦜", ["e", "\u0301", " 𝟙", "🦜"]),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "text", "wanted"), PIECES, ids=[text for _, text, _ in PIECES])
def test_patterns(pattern: SplitPattern, text: str, wanted: list[str]) -> None:
    assert pattern.pieces(text) == wanted


def test_pieces_are_the_whole_text() -> None:
    for pattern in (GPT2, LLAMA3, QWEN2, SplitPattern(r"\d|\P{L}")):
        for text in some_texts(40, seed=5):
            assert "".join(pattern.pieces(text)) == text


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (r"(a+)+", "repeats a group"),
        (r"a|.*.*.*.*b", "more than 3 times in one alternative"),
        (r"[一-龥]+", "'一' in brackets"),
        ("é", "'é', which is not read"),
        (r"\w+", r"\\w, which is not read"),
        (r"\p{Greek}", "a category 'Greek'"),
        (r"a$", r"'\$', which is not read"),
        ("[a", "'' in brackets"),
        ("a" * 3000, "at most 2000"),
        ("a\\", "ends with a backslash"),
        ("(a", "is broken"),
        ("a)", "ends one that is none"),
    ],
)
def test_patterns_that_are_refused(source: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        SplitPattern.read(source)


def remove(*path: str) -> Callable[[dict[str, Any]], None]:
    def change(found: dict[str, Any]) -> None:
        for key in path[:-1]:
            found = found[key]
        del found[path[-1]]

    return change


def put(value: Any, *path: str) -> Callable[[dict[str, Any]], None]:
    def change(found: dict[str, Any]) -> None:
        for key in path[:-1]:
            found = found[key]
        found[path[-1]] = value

    return change


WRONG = [
    ("byte-level", remove("model"), "it has no 'model'"),
    ("byte-level", put("RNN", "model", "type"), "the model is broken: a model of type 'RNN', which is"),
    ("byte-level", put(["x y"], "model", "merges"), "'x' and 'y' are merged, and not all are tokens"),
    ("byte-level", put({"a": -1}, "model", "vocab"), "-1 is no id of a token"),
    ("wordpiece", put({"[UNK]": 1 << 23}, "model", "vocab"), "5 tokens have ids up to 8388608"),
    ("byte-level", put({"type": "Magic"}, "pre_tokenizer"), "a pre-tokenizer of type 'Magic'"),
    ("byte-level", put({"type": "Magic"}, "normalizer"), "a normalizer of type 'Magic'"),
    ("byte-level", put({"type": "Magic"}, "decoder"), "a decoder of type 'Magic'"),
    ("byte-level", put({"type": "Magic"}, "post_processor"), "a post-processor of type 'Magic'"),
    ("sentencepiece", put([9999], "post_processor", "special_tokens", "<s>", "ids"), "it adds id 9999"),
    ("unigram", put(5000, "model", "unk_id"), "the unknown token is 5000, and there are 22"),
    ("wordpiece", put(10**9, "model", "max_input_chars_per_word"), "words of up to 1000000000 characters"),
    ("wordpiece", put("[NO]", "model", "unk_token"), r"it has no '\[NO\]'"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "change", "why"), WRONG, ids=[why for *_, why in WRONG])
def test_what_is_wrong_with_a_json_is_said(kind: str, change: Any, why: str, tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match=why) as caught:
        from_json(tmp_path, kind, change)
    assert str(tmp_path / "tokenizer.json") in str(caught.value)
    assert "fetch it again" in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "key", "value", "why"),
    [
        ("gpt2", "model", ("", None), "it has no tokenizer.ggml.model"),
        (
            "gpt2",
            "model",
            ("text", "rwkv"),
            "tokenizer.ggml.model is 'rwkv', and gpt2, llama, t5 and bert are known",
        ),
        ("gpt2", "pre", ("text", "other"), "tokenizer.ggml.pre is 'other', which is not known here"),
        ("gpt2", "merges", ("", None), "it has no 'merges'"),
        ("gpt2", "tokens", ("[i", [1, 2]), "tokenizer.ggml.tokens is .*, and texts are due"),
        (
            "gpt2",
            "eos_token_id",
            ("I", 9999),
            "tokenizer.ggml.eos_token_id is 9999, and there are 269 tokens",
        ),
        ("llama", "scores", ("[f", [1.0]), "has no number for each of the 278 tokens"),
        ("llama", "token_type", ("[f", [1.0]), "token_type has no number for each"),
        ("bert", "unknown_token_id", ("", None), "it has no tokenizer.ggml.unknown_token_id"),
    ],
)
def test_what_is_wrong_with_a_gguf_is_said(kind: str, key: str, value: Any, why: str, tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match=why) as caught:
        from_gguf(tmp_path, kind, **{key: value})
    assert str(tmp_path / "a.gguf") in str(caught.value)


def test_texts_and_ids_that_are_none(tmp_path: Path) -> None:
    found = from_json(tmp_path, "byte-level")
    with pytest.raises(TokenizerError, match="character 1 of the text is half of a surrogate pair"):
        found.encode("a\ud800")
    with pytest.raises(TokenizerError, match="id 9999 is no token: there are 269"):
        found.decode([9999])
    with pytest.raises(TypeError, match="encode takes a str, not bytes"):
        found.encode(b"x")


def test_a_token_without_end_takes_no_memory_of_its_square() -> None:
    """All beginnings of a token of 500,000 characters were kept: 125 GB."""
    long = "ab" * 100_000
    model = Unigram({"a": 0, "b": 1, long: 2, long[:100]: 3}, [-1.0, -1.0, -1.0, -1.0])
    assert model.ids_of(long[:101]) == [3, 0]
    assert model.ids_of(long[:99]) == [0, 1] * 49 + [0]
    assert len(model.starts) < 1000


def test_ranks_of_texts_are_those_of_pairs() -> None:
    """Two merges that make one token, one that is there twice, and what is none."""
    merges = ["a b", "b c", "ab c", "a bc", "c d", "a b", "d d", "abc", " a", "b "]
    pairs = [text.split(" ") for text in merges[:7]]
    ours, theirs = ranked_by_texts(Texts.of(merges)), ranked_by_merges((a, b) for a, b in pairs)
    symbols = ["a", "b", "c", "d", "ab", "bc", "cd", "abc"]
    found = [ours((first, second)) for first in symbols for second in symbols]
    assert found == [theirs((first, second)) for first in symbols for second in symbols]
    assert ours(("a", "b")) == 5
    assert ranked_by_texts(Texts.of([]))(("a", "b")) is None
