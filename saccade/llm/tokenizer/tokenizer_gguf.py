"""Tokenizers from the metadata of a GGUF file (`tokenizer.ggml.*`)."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...files.reading import Place, shown
from ..files.gguf import Gguf
from ..files.gguf_header import Value
from ..files.texts import Texts
from .added_tokens import Added
from .decoding import bytes_of_characters, spaces_of_marks, words_of_pieces
from .models.bpe import Bpe, ranked_by_scores, ranked_by_texts
from .models.pieces import MARK, boundary_of, byte_tokens
from .parts import Parts
from .text.charsmap import CharsMap
from .text.normalizers import Normalizer, bert
from .text.pretokenizers import BERT, Splitter, chained, isolated
from .text.split_patterns import DIGIT, GPT2, GPT4O, LLAMA3, QWEN2, QWEN35, TEKKEN, SplitPattern
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from .models.unigram import Unigram

PREFIX: Final = "tokenizer.ggml."
#: Types of tokens.
UNKNOWN, CONTROL, USER_DEFINED = 2, 3, 4

_FALCON: Final = (SplitPattern(r"[\p{P}\$\+<=>\^~\|`]+"), GPT2, SplitPattern("[0-9][0-9][0-9]"))
#: The patterns that cut a text, one after the other, by the name that a file gives to them.
PATTERNS: Final[dict[str, tuple[SplitPattern, ...]]] = {
    **dict.fromkeys(
        ("gpt-2", "mpt", "olmo", "jais", "phi-2", "jina-es", "jina-de", "jina-v2-es", "jina-v2-de",
         "gigachat", "modern-bert", "roberta-bpe", "jina-v1-en", "jina-v2-code", "trillion",
         "granite-docling", "a.x-4.0", "mellum", "exaone4"),
        (GPT2,),
    ),
    **dict.fromkeys(
        ("smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"), (DIGIT, GPT2)
    ),
    **dict.fromkeys(
        ("llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "dbrx",
         "smaug-bpe", "chatglm-bpe", "glm4"),
        (LLAMA3,),
    ),
    **dict.fromkeys(("qwen2", "deepseek-r1-qwen", "kormo", "stablelm2", "megrez", "hunyuan"), (QWEN2,)),
    "qwen35": (QWEN35,),
    **dict.fromkeys(("gpt-4o", "llama4", "kanana2"), (GPT4O,)),
    "tekken": (TEKKEN,),
    "falcon": _FALCON,
}  # fmt: skip
#: Those whose pieces are not taken apart when they are tokens, and which begin texts with a token by default.
WHOLE: Final = frozenset(["llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "tekken"])
_NAMES: Final = {
    "bos": "bos_token_id", "eos": "eos_token_id", "unknown": "unknown_token_id", "pad": "padding_token_id",
    "sep": "seperator_token_id", "cls": "cls_token_id", "mask": "mask_token_id", "eot": "eot_token_id",
    "eom": "eom_token_id",
}  # fmt: skip
_BERT: Final = bert({"clean_text": True, "handle_chinese_chars": True, "lowercase": True})


def gguf_parts(file: Gguf, place: Place) -> Parts:
    """What the metadata of a file tell; ValueError where they have no tokenizer, or one that is not known
    here."""
    place.where = "its tokenizer"
    return _Reader(file.metadata).parts()


class _Reader:
    """The tokenizer of some metadata."""

    def __init__(self, metadata: Mapping[str, Value]) -> None:
        self.found = {key[len(PREFIX) :]: each for key, each in metadata.items() if key.startswith(PREFIX)}
        if "model" not in self.found:
            raise ValueError("it has no tokenizer.ggml.model, and so no tokenizer")
        self.tokens = self.texts("tokens")
        self.vocabulary = Vocabulary(self.tokens)
        self.named = {name: self.id(key) for name, key in _NAMES.items() if key in self.found}
        self.pre = self.found.get("pre", "default")

    def parts(self) -> Parts:
        match self.found["model"]:
            case "gpt2":
                return self.byte_level()
            case "llama":
                return self.sentencepiece(self.scored_bpe())
            case "t5":
                return self.sentencepiece(self.unigram())
            case "bert":
                return self.wordpiece()
        known = "gpt2, llama, t5 and bert"
        raise ValueError(f"tokenizer.ggml.model is {shown(self.found['model'])}, and {known} are known here")

    # --- values of the metadata

    def texts(self, key: str) -> Texts:
        found = self.found[key]
        if not isinstance(found, Texts):
            raise ValueError(f"tokenizer.ggml.{key} is {shown(found)}, and texts are due")
        return found

    def numbers(self, key: str, kinds: str) -> np.ndarray[Any, Any]:
        """A number for each token."""
        found = self.found[key]
        if (
            not isinstance(found, np.ndarray)
            or found.dtype.kind not in kinds
            or len(found) != len(self.tokens)
        ):
            raise ValueError(f"tokenizer.ggml.{key} has no number for each of the {len(self.tokens)} tokens")
        return found

    def id(self, key: str) -> int:
        found = self.found[key]
        if type(found) is not int or not 0 <= found < len(self.tokens):
            raise ValueError(
                f"tokenizer.ggml.{key} is {shown(found)}, and there are {len(self.tokens)} tokens"
            )
        return found

    def flag(self, key: str, default: bool) -> bool:
        return bool(self.found.get(key, default))

    def added(self) -> list[Added]:
        """Tokens that are found before a text is cut."""
        if "token_type" not in self.found:
            return []
        kinds = self.numbers("token_type", "iu")
        found = np.flatnonzero(np.isin(kinds, (UNKNOWN, CONTROL, USER_DEFINED))).tolist()
        return [Added(self.tokens[n], n, special=bool(kinds[n] != USER_DEFINED)) for n in found]

    def around(self, begins: bool, ends: bool, begin: str = "bos", end: str = "eos") -> dict[str, list[int]]:
        """The ids before and after each text, and whether they are there if the file does not say."""
        wanted = {"begin": (begin, "add_bos_token", begins), "end": (end, "add_eos_token", ends)}
        return {
            side: [self.named[name]] if self.flag(key, default) and name in self.named else []
            for side, (name, key, default) in wanted.items()
        }

    # --- kinds

    def byte_level(self) -> Parts:
        pre = self.pre
        # files from before it was named
        patterns = (GPT2,) if pre == "default" else PATTERNS.get(pre if isinstance(pre, str) else "")
        if patterns is None:
            raise ValueError(f"tokenizer.ggml.pre is {shown(pre)}, which is not known here")
        whole = pre in WHOLE
        rank = ranked_by_texts(self.texts("merges"))
        model = Bpe(self.vocabulary, rank, on_bytes=True, whole=whole)
        return self.made(
            model, _same, chained([isolated(each) for each in patterns]), bytes_of_characters,
            self.around(whole, False),
        )  # fmt: skip

    def scored_bpe(self) -> Bpe:
        scores = array("d", self.numbers("scores", "f").tolist())
        return Bpe(
            self.vocabulary,
            ranked_by_scores(self.vocabulary, scores),
            fallback=byte_tokens(self.vocabulary),
            unknown=self.named.get("unknown"),
            boundary=boundary_of(self.vocabulary),
            by_text=True,
        )

    def unigram(self) -> Unigram:
        from .models.unigram import Unigram

        return Unigram(
            self.vocabulary,
            array("d", self.numbers("scores", "f").tolist()),
            self.named.get("unknown"),
            byte_tokens(self.vocabulary),
            boundary=boundary_of(self.vocabulary),
        )

    def sentencepiece(self, model: Bpe | Unigram) -> Parts:
        """Spaces are marks, of which one comes before each text that is not cut out by a token."""
        space = self.flag("add_space_prefix", True)
        mapped: Normalizer = _same
        table = self.found.get("precompiled_charsmap")
        if isinstance(table, np.ndarray):
            mapped = CharsMap(table.astype(np.uint8).tobytes()).normalized
        single = self.flag("remove_extra_whitespaces", False)

        def normalize(text: str) -> str:
            text = mapped(text)
            if single:
                text = " ".join(part for part in text.split(" ") if part)
            return (MARK if space and text else "") + text.replace(" ", MARK)

        ends = self.found["model"] == "t5"
        return self.made(model, normalize, _whole, spaces_of_marks(space), self.around(not ends, ends))

    def wordpiece(self) -> Parts:
        """Tokens that begin words have a mark."""
        unknown = self.named.get("unknown")
        if unknown is None:
            raise ValueError("it has no tokenizer.ggml.unknown_token_id")
        from .models.wordpiece import WordPiece

        model = WordPiece(self.vocabulary, unknown, inside="", start=MARK)
        around = self.around(True, True, "cls", "sep")
        return self.made(model, _BERT, BERT, words_of_pieces("", MARK, True), around)

    def made(
        self,
        model: Any,
        normalize: Normalizer,
        split: Splitter,
        token_bytes: Any,
        around: dict[str, list[int]],
    ) -> Parts:
        return Parts(
            self.tokens, model, normalize, split, token_bytes, self.added(), **around, named=self.named
        )


def _same(text: str) -> str:
    return text


def _whole(piece: str, first: bool) -> list[str]:
    return [piece]
