"""BERT encoders: texts in, one vector for each, whose products tell how near their meanings are.

    encoder = Encoder.from_folder("all-MiniLM-L6-v2")       # config.json, model.safetensors, tokenizer.json
    encoder.embed(["a cat", "a kitten"])                    # (2, 384) of float32, of length 1

A text's vector is the mean of its tokens', or that of its first one (CLS) where the folder says so. Texts are
cut at the longest that the model was trained for, and computed together, filled up to powers of two: few
programs serve all lengths, and a mask keeps what fills a text up from its meaning.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from ...files.reading import read_json, reading, shown
from ...nn.module import Module
from ...nn.saved.safetensors import SafeTensors
from ...tensor.jit.function import JitFunction
from ...tensor.jit.jit import jit
from ...tensor.tensor import Tensor
from ..tokenizer.tokenizer import Tokenizer
from .config import MOST, ConfigError

Array = np.ndarray[Any, Any]
REMEDY: Final = "fetch the folder again"
#: Texts that are computed together, and the fewest tokens of each.
TOGETHER: Final = 16
LEAST: Final = 16
#: Parts of a folder of sentence-transformers, and ways to one vector of many, that are known here.
MODULES: Final = ("Transformer", "Pooling", "Normalize")
POOLING: Final = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}


@dataclass(frozen=True)
class BertConfig:
    """The sizes of an encoder. longest: tokens of a text; unit: vectors have length 1; first: a text's vector
    is that of its first token, not the mean of all."""

    vocabulary: int
    layers: int
    width: int
    inner: int
    heads: int
    places: int
    epsilon: float
    longest: int
    unit: bool
    first: bool

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.type == "int" and (type(value) is not int or not 1 <= value <= MOST):
                raise ValueError(f"its {each.name} is {shown(value)}, and a number from 1 to {MOST} is due")
        if self.width % self.heads or self.longest > self.places or not 0 <= self.epsilon < 1:
            raise ValueError(
                f"{self.heads} heads, a width of {self.width}, texts of {self.longest} tokens, {self.places} "
                f"places and an epsilon of {self.epsilon} do not fit"
            )

    @staticmethod
    def from_folder(folder: Path) -> BertConfig:
        path = folder / "config.json"
        with reading(path, ConfigError, REMEDY) as place:
            found = read_json(path)
            place.where = "it"
            for key, known in (("model_type", "bert"), ("hidden_act", "gelu")):
                if found.get(key) != known:
                    raise ConfigError(
                        f"{path}: its {key} is {shown(found.get(key))}, and {known} is known here"
                    )
            if found.get("position_embedding_type", "absolute") != "absolute":
                raise ConfigError(f"{path}: its places are not absolute, which is all that is known here")
            places = found["max_position_embeddings"]
            longest = _optional(folder / "sentence_bert_config.json").get("max_seq_length") or places
            unit, first = _pooling(folder)
            return BertConfig(
                found["vocab_size"], found["num_hidden_layers"], found["hidden_size"],
                found["intermediate_size"], found["num_attention_heads"], places,
                found.get("layer_norm_eps", 1e-12), min(longest, places),
                unit, first,
            )  # fmt: skip


def _pooling(folder: Path) -> tuple[bool, bool]:
    """Have vectors length 1, and is a text's that of its first token? As `modules.json` of the
    sentence-transformers library tells, without which it is the mean, of any length."""
    path = folder / "modules.json"
    unit = first = False
    with reading(path, ConfigError, REMEDY):
        for part in _optional(path) or []:
            kind = str(part["type"]).rpartition(".")[2]
            if kind not in MODULES:
                raise ConfigError(f"{path}: a part is {shown(kind)}, and {', '.join(MODULES)} are known here")
            unit |= kind == "Normalize"
            if kind == "Pooling":
                first = _pools_first(folder / Path(str(part["path"])).name / "config.json")
    return unit, first


def _pools_first(path: Path) -> bool:
    """Is a text's vector that of its first token? False: the mean of all."""
    with reading(path, ConfigError, REMEDY):
        found = _optional(path)
        told = found.get("pooling_mode")  # as newer releases write it
        modes = [told] if isinstance(told, str) else told or [
            POOLING.get(key, key) for key, used in found.items() if key.startswith("pooling_mode_") and used
        ]  # fmt: skip
        if modes not in ([], *([mode] for mode in POOLING.values())):
            known = ", ".join(POOLING.values())
            raise ConfigError(f"{path}: it pools by {shown(modes)}, and one of {known} is known here")
        return modes == ["cls"]


class Dense(Module):
    """A matrix (out, in) and a bias."""

    def __init__(self, weights: Mapping[str, Tensor], name: str) -> None:
        self.weight, self.bias = weights[f"{name}.weight"].float(), weights[f"{name}.bias"].float()

    def forward(self, x: Tensor) -> Tensor:
        return x.linear(self.weight, self.bias)


class Norm(Dense):
    """LayerNorm."""

    def normal(self, x: Tensor, epsilon: float) -> Tensor:
        return x.layer_norm(x.shape[-1], self.weight, self.bias, epsilon)


class Layer(Module):
    """Attention of all tokens to all, then two dense layers; what each makes is added to what it took, and
    normalised."""

    def __init__(self, weights: Mapping[str, Tensor], number: int) -> None:
        own = f"encoder.layer.{number}"
        names = ("query", "key", "value")
        self.query, self.key, self.value = (Dense(weights, f"{own}.attention.self.{n}") for n in names)
        self.output = Dense(weights, f"{own}.attention.output.dense")
        self.first = Norm(weights, f"{own}.attention.output.LayerNorm")
        self.up = Dense(weights, f"{own}.intermediate.dense")
        self.down = Dense(weights, f"{own}.output.dense")
        self.second = Norm(weights, f"{own}.output.LayerNorm")

    def forward(self, x: Tensor, there: Tensor, heads: int, epsilon: float) -> Tensor:
        """x (texts, length, width), there (texts, length) -> like x."""
        q, k, v = (
            each.forward(x).unflatten(-1, (heads, -1)).transpose(1, 2)
            for each in (self.query, self.key, self.value)
        )
        made = q.scaled_dot_product_attention(k, v, there.unsqueeze(1).unsqueeze(1))
        x = self.first.normal(x + self.output.forward(made.transpose(1, 2).flatten(2)), epsilon)
        return self.second.normal(x + self.down.forward(self.up.forward(x).gelu()), epsilon)


class Bert(Module):
    """The whole encoder: ids and which of them count -> a vector for each text."""

    def __init__(self, weights: Mapping[str, Tensor], config: BertConfig) -> None:
        self.words, self.places, self.kinds = (
            weights[f"embeddings.{name}_embeddings.weight"].float()
            for name in ("word", "position", "token_type")
        )
        self.norm = Norm(weights, "embeddings.LayerNorm")
        self.layers = [Layer(weights, number) for number in range(config.layers)]
        self.first = config.first

    def forward(self, ids: Tensor, there: Tensor, heads: int, epsilon: float) -> Tensor:
        """ids, there: (texts, length) -> (texts, width)."""
        x = self.words[ids] + self.places[: ids.shape[1]] + self.kinds[0]
        x = self.norm.normal(x, epsilon)
        for layer in self.layers:
            x = layer.forward(x, there, heads, epsilon)
        if self.first:
            return x[:, 0]
        counted = there.float().unsqueeze(-1)
        return (x * counted).sum(1) / counted.sum(1)


@lru_cache(maxsize=64)
def _program(
    texts: int, length: int, heads: int, epsilon: float
) -> JitFunction[[Bert, Tensor, Tensor], Tensor]:
    return jit(lambda bert, ids, there: bert.forward(ids, there, heads, epsilon))


class Encoder:
    """An encoder with its tokenizer. name: that of its folder."""

    def __init__(self, bert: Bert, config: BertConfig, tokenizer: Tokenizer, name: str) -> None:
        self.bert, self.config, self.tokenizer, self.name = bert, config, tokenizer, name

    @staticmethod
    def from_folder(path: os.PathLike[str] | str) -> Encoder:
        """The encoder in a folder of the transformers or sentence-transformers library."""
        folder = Path(path)
        config = BertConfig.from_folder(folder)
        file = SafeTensors(folder / "model.safetensors")
        weights = {name.removeprefix("bert."): file[name] for name in file}
        _check(weights, config, folder)
        tokenizer = Tokenizer.from_json(folder / "tokenizer.json")
        if len(tokenizer) > config.vocabulary:
            raise ConfigError(
                f"{folder}: the tokenizer has {len(tokenizer)} tokens and the model {config.vocabulary}: "
                "they do not belong together"
            )
        return Encoder(Bert(weights, config), config, tokenizer, folder.resolve().name)

    @property
    def width(self) -> int:
        return self.config.width

    @property
    def vocabulary(self) -> int:
        return self.config.vocabulary

    @property
    def longest(self) -> int:
        return self.config.longest

    def ids(self, text: str) -> list[int]:
        """The tokens of a text, cut at the longest the model takes; its end stays."""
        found, end = self.tokenizer.encode(text, parse_special=False), self.tokenizer.end
        if len(found) <= self.config.longest:
            return found
        return found[: self.config.longest - len(end)] + list(end)

    def embed(self, texts: Sequence[str]) -> Array:
        """(texts, width) of float32."""
        return self.embed_ids([self.ids(text) for text in texts])

    def embed_ids(self, given: Sequence[Sequence[int]]) -> Array:
        """The same for texts as ids."""
        vocabulary, longest = self.config.vocabulary, self.config.longest
        for ids in given:
            if not 0 < len(ids) <= longest or not all(0 <= id < vocabulary for id in ids):
                raise ValueError(
                    f"a text of {len(ids)} ids: 1 to {longest} from 0 to {vocabulary - 1} are due"
                )
        made = np.zeros((len(given), self.config.width), np.float32)
        order = sorted(range(len(given)), key=lambda n: len(given[n]))  # with others of about its length
        for at in range(0, len(order), TOGETHER):
            numbers = order[at : at + TOGETHER]
            made[numbers] = self._run([given[n] for n in numbers])
        return made / np.linalg.norm(made, axis=1, keepdims=True) if self.config.unit else made

    def _run(self, given: list[Sequence[int]]) -> Array:
        length = max(LEAST, 1 << (max(map(len, given)) - 1).bit_length())
        texts, length = 1 << (len(given) - 1).bit_length(), min(length, self.config.places)
        ids, there = np.zeros((texts, length), np.int64), np.zeros((texts, length), bool)
        there[:, 0] = True  # of a text that fills the batch up too: a mean of nothing is no number
        for row, each in enumerate(given):
            ids[row, : len(each)], there[row, : len(each)] = each, True
        run = _program(texts, length, self.config.heads, self.config.epsilon)
        found: Array = run(self.bert, Tensor(ids), Tensor(there)).numpy()
        return found[: len(given)]


def _check(weights: Mapping[str, Tensor], config: BertConfig, folder: Path) -> None:
    """All weights are there, with the shapes that the sizes ask for."""
    width, inner = config.width, config.inner
    matrices = {
        "attention.self.query": (width, width), "attention.self.key": (width, width),
        "attention.self.value": (width, width), "attention.output.dense": (width, width),
        "intermediate.dense": (inner, width), "output.dense": (width, inner),
    }  # fmt: skip
    wanted: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (config.vocabulary, width),
        "embeddings.position_embeddings.weight": (config.places, width),
    }
    norms = ["embeddings.LayerNorm"]
    for number in range(min(config.layers, len(weights))):  # of more layers one of these lacks a tensor
        own = f"encoder.layer.{number}"
        for name, shape in matrices.items():
            wanted |= {f"{own}.{name}.weight": shape, f"{own}.{name}.bias": shape[:1]}
        norms += [f"{own}.attention.output.LayerNorm", f"{own}.output.LayerNorm"]
    wanted |= {f"{name}.{part}": (width,) for name in norms for part in ("weight", "bias")}
    for name, due in wanted.items():
        found = weights[name].shape if name in weights else "missing"
        if found != due:
            raise ConfigError(f"{folder}, tensor {name!r} is {found}, and {due} is due: {REMEDY}")
    kinds = weights.get("embeddings.token_type_embeddings.weight")
    if kinds is None or len(kinds.shape) != 2 or kinds.shape[0] < 1 or kinds.shape[1] != width:
        raise ConfigError(
            f"{folder}, tensor 'embeddings.token_type_embeddings.weight' does not fit: {REMEDY}"
        )


def _optional(path: Path) -> Any:
    """What a file holds that need not be there."""
    if not path.exists():
        return {}
    with reading(path, ConfigError, REMEDY):
        return read_json(path)
