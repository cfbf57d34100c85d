"""Models of the Llama family: tokens in, logits out, with keys and values kept from call to call.

    model = Llama.from_gguf("model.gguf")
    cache = model.cache(capacity=512)
    logits = model(Tensor([ids]), cache)            # (1, len(ids), vocabulary), and the cache is longer
    logits = model(Tensor([[next_id]]), cache)

Weights stay packed: a layer unpacks the bytes of the file in its product. All blocks have one structure, so
one program serves them all; it writes keys and values to the cache in place.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from ..nn.module import Module
from ..tensor.jit import JitFunction, jit
from ..tensor.tensor import Tensor
from .config import LlamaConfig
from .gguf import Gguf, GgufError
from .quants import FORMATS

#: Tokens at once up to which unpacking again for each of them pays: 5 take 0.98 ms, not 1.6, for 576 x 1536
#: in Q4_1 on a Neoverse N1.
FEW_TOKENS: Final = 8
#: Attention looks at no fewer places of the cache.
LEAST_REACH: Final = 128
_SHAPES: Final = "convert the model again"


class Weight(Protocol):
    """A tensor of a file. kind: the number of its format; raw: as it is there."""

    @property
    def kind(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def raw(self) -> Tensor: ...
    def dequantised(self) -> Tensor: ...


class PackedWeight(Module):
    """A matrix (out, in) in the format of its file, and a bias if it has one."""

    def __init__(self, weight: Weight, bias: Weight | None = None) -> None:
        self.raw, self.kind = weight.raw(), weight.kind
        self.bias = None if bias is None else bias.dequantised()

    def rows(self, ids: Tensor) -> Tensor:
        """(...) numbers of rows -> (..., in)."""
        return FORMATS[self.kind].dequantised(self.raw[ids]).reshape(*ids.shape, -1)

    def forward(self, x: Tensor, integers: bool = False) -> Tensor:
        """(..., in) -> (..., out). For few tokens the time is that of reading the weights: their bytes are
        multiplied as they are unpacked; of one token with activations of 8 bits, if `integers`. For many,
        they are unpacked once."""
        form, tokens = FORMATS[self.kind], math.prod(x.shape[:-1])
        if tokens > FEW_TOKENS:
            return x.linear(form.dequantised(self.raw).reshape(self.raw.shape[0], -1), self.bias)
        made = form.product(self.raw, x, "int8" if integers and tokens == 1 else "float")
        return made if self.bias is None else made + self.bias


class Cache:
    """Keys and values of the tokens so far, each (layers) of (batch, kv_heads, capacity + 1, head_width): the
    last place takes what is not to be kept. `lengths`: tokens of each row; to forget some, make it smaller.
    """

    def __init__(self, config: LlamaConfig, batch: int, capacity: int) -> None:
        shape = (batch, config.kv_heads, capacity + 1, config.head_width)
        self.keys = [Tensor.zeros(*shape).realize() for _ in range(config.layers)]
        self.values = [Tensor.zeros(*shape).realize() for _ in range(config.layers)]
        self.cosines, self.sines = (Tensor(turn) for turn in rope_table(config, capacity + 1))
        self.batch, self.capacity = batch, capacity
        self.lengths = np.zeros(batch, np.int64)

    @property
    def length(self) -> int:
        """Tokens of the longest row."""
        return int(self.lengths.max())

    def row(self, number: int) -> Cache:
        """One of the rows as a cache of its own, which shares its memory and its length."""
        made = copy(self)
        rows = slice(number, number + 1)
        made.keys, made.values = [each[rows] for each in self.keys], [each[rows] for each in self.values]
        made.batch, made.lengths = 1, self.lengths[rows]
        return made

    def reach(self, wanted: int) -> Tensor:
        """The places that attention looks at, 0, 1, ...: a power of two of them, so that few programs serve
        all lengths."""
        size = min(max(LEAST_REACH, 1 << (wanted - 1).bit_length()), self.capacity)
        return Tensor(np.arange(size))


def rope_table(config: LlamaConfig, capacity: int) -> tuple[np.ndarray, np.ndarray]:
    """Cosines and sines of the angles by which pairs turn: (capacity, rope_width / 2) each, float32."""
    half = np.arange(config.rope_width // 2)
    frequencies = config.rope_base ** (-2.0 * half / config.rope_width) / np.array(config.rope_factors or 1.0)
    angles = np.arange(capacity)[:, None] * frequencies
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def turned(x: Tensor, cosines: Tensor, sines: Tensor, interleaved: bool) -> Tensor:
    """RoPE: (..., length, heads, head_width), of which the first elements turn in pairs by their angles, each
    (..., length, 1, pairs)."""
    size = 2 * cosines.shape[-1]
    part, rest = x[..., :size], x[..., size:]
    if interleaved:
        pairs = part.unflatten(-1, (size // 2, 2))
        first, second = pairs[..., 0], pairs[..., 1]
    else:
        first, second = part[..., : size // 2], part[..., size // 2 :]
    both = [first * cosines - second * sines, first * sines + second * cosines]
    made = Tensor.stack(both, -1).flatten(-2) if interleaved else Tensor.cat(both, -1)
    return Tensor.cat([made, rest], -1) if rest.shape[-1] else made


@dataclass(frozen=True)
class Places:
    """Where tokens are. at: (batch, length) places in the cache; seen: (reach,) those that attention looks
    at; cosines, sines: (capacity + 1, pairs) by place."""

    at: Tensor
    seen: Tensor
    cosines: Tensor
    sines: Tensor


class Block(Module):
    """A layer of the decoder."""

    def __init__(self, file: Mapping[str, Weight], number: int) -> None:
        def weight(name: str) -> PackedWeight:
            full = f"blk.{number}.{name}"
            return PackedWeight(file[f"{full}.weight"], file.get(f"{full}.bias"))

        self.attention_norm = file[f"blk.{number}.attn_norm.weight"].dequantised()
        self.query, self.key, self.value = (weight(f"attn_{name}") for name in "qkv")
        norms = [file.get(f"blk.{number}.attn_{name}_norm.weight") for name in "qk"]
        self.query_norm, self.key_norm = (None if each is None else each.dequantised() for each in norms)
        self.output = weight("attn_output")
        self.inner_norm = file[f"blk.{number}.ffn_norm.weight"].dequantised()
        self.gate, self.up, self.down = (weight(f"ffn_{name}") for name in ("gate", "up", "down"))

    def forward(
        self, x: Tensor, keys: Tensor, values: Tensor, places: Places, epsilon: float,
        interleaved: bool, integers: bool,
    ) -> Tensor:  # fmt: skip
        """(batch, length, width) -> the same, after keys and values of them were written to (batch, kv_heads,
        capacity + 1, head_width)."""
        normal = x.rms_norm(x.shape[-1], self.attention_norm, epsilon)
        q, k, v = (
            made.unflatten(-1, (-1, keys.shape[-1]))
            for made in (each.forward(normal, integers) for each in (self.query, self.key, self.value))
        )
        if self.query_norm is not None and self.key_norm is not None:
            q = q.rms_norm(q.shape[-1], self.query_norm, epsilon)
            k = k.rms_norm(k.shape[-1], self.key_norm, epsilon)
        rows, at = Tensor.arange(x.shape[0]).unsqueeze(-1), places.at
        turns = places.cosines[at].unsqueeze(2), places.sines[at].unsqueeze(2), interleaved
        keys[rows, :, at] = turned(k, *turns)
        values[rows, :, at] = v
        reach = places.seen.shape[0]
        seen = (places.seen <= at.unsqueeze(-1)).unsqueeze(1)  # (batch, 1, length, reach)
        q = turned(q, *turns).transpose(1, 2)
        made = q.scaled_dot_product_attention(
            keys[:, :, :reach], values[:, :, :reach], seen, enable_gqa=q.shape[1] != keys.shape[1]
        )
        x = x + self.output.forward(made.transpose(1, 2).flatten(2), integers)
        normal = x.rms_norm(x.shape[-1], self.inner_norm, epsilon)
        inner = self.gate.forward(normal, integers).silu() * self.up.forward(normal, integers)
        return x + self.down.forward(inner, integers)


@lru_cache(maxsize=64)
def _program(
    batch: int, length: int, reach: int, epsilon: float, interleaved: bool, integers: bool
) -> JitFunction[[Block, Tensor, Tensor, Tensor, Places], Tensor]:
    """What runs a block for tokens (batch, length) that look at so many places. It takes little beside
    tensors: there are 30 calls a token, and each takes its arguments apart."""

    def run(block: Block, x: Tensor, keys: Tensor, values: Tensor, places: Places) -> Tensor:
        return block.forward(x, keys, values, places, epsilon, interleaved, integers)

    return jit(run)


class Llama(Module):
    """A whole model. file: its weights by the names of GGUF; path: where they are from. integers: what a
    single token multiplies packed weights with has 8 bits (`quants.py`)."""

    def __init__(self, file: Mapping[str, Weight], config: LlamaConfig, path: Path) -> None:
        self.config, self.integers = config, False
        _check(file, config, path)
        self.embedding = PackedWeight(file["token_embd.weight"])
        self.blocks = [Block(file, number) for number in range(config.layers)]
        self.norm = file["output_norm.weight"].dequantised()
        # without weights of its own the end is the embedding
        self.head = PackedWeight(file["output.weight"]) if "output.weight" in file else self.embedding

    @staticmethod
    def from_gguf(source: Gguf | os.PathLike[str] | str) -> Llama:
        """The model in a GGUF file, which may be open already."""
        file = source if isinstance(source, Gguf) else Gguf(source)
        return Llama(file, LlamaConfig.from_gguf(file), file.path)

    @staticmethod
    def from_folder(path: os.PathLike[str] | str) -> Llama:
        """The model in a folder of the transformers library."""
        from .folder import FolderWeights

        folder = Path(path)
        return Llama(FolderWeights(folder), LlamaConfig.from_json(folder / "config.json"), folder)

    def cache(self, capacity: int | None = None, batch: int = 1) -> Cache:
        """Room for the keys and values of so many tokens; None: as many as the model was trained for."""
        return Cache(self.config, batch, self.config.context if capacity is None else capacity)

    def forward(
        self, ids: Tensor, cache: Cache, last: bool = False, counts: np.ndarray | None = None
    ) -> Tensor:
        """Logits (batch, length, vocabulary) of ids (batch, length), which follow those in the cache.

        counts (batch,): so many of each row count, and the rest is there to fill it up; all, if None. last:
        only the logits of the last one that counts are computed, (batch, 1, vocabulary).
        """
        length = ids.shape[1]
        given = np.full(cache.batch, length) if counts is None else counts
        if ids.shape[0] != cache.batch or (cache.lengths + given).max() > cache.capacity:
            raise ValueError(
                f"ids of shape {ids.shape} do not fit a cache for {cache.batch} texts of {cache.capacity} "
                f"tokens, of which {cache.length} are there: make a larger one"
            )
        steps = np.arange(length)
        at = np.where(steps < given[:, None], cache.lengths[:, None] + steps, cache.capacity)
        seen = cache.reach(int((cache.lengths + given).max()))
        places = Places(Tensor(at), seen, cache.cosines, cache.sines)
        x = self.embedding.rows(ids)
        sizes, config = (cache.batch, length, seen.shape[0]), self.config
        run = _program(*sizes, config.epsilon, config.interleaved, self.integers)
        for block, keys, values in zip(self.blocks, cache.keys, cache.values):
            x = run(block, x, keys, values, places)
        cache.lengths += given
        if last and length > 1:
            ends = Tensor(np.maximum(given, 1) - 1)
            x = x[Tensor.arange(cache.batch), ends].unsqueeze(1)
        # logits are not rounded: words that are nearly as probable as each other would change places
        return self.head.forward(x.rms_norm(config.width, self.norm, config.epsilon))


def _check(file: Mapping[str, Weight], config: LlamaConfig, path: Path) -> None:
    """All weights are there, with the shapes that the sizes ask for."""
    width, inner = config.width, config.inner
    queries, keys = config.heads * config.head_width, config.kv_heads * config.head_width
    block = {
        "attn_norm": (width,), "attn_q": (queries, width), "attn_k": (keys, width), "attn_v": (keys, width),
        "attn_output": (width, queries), "ffn_norm": (width,), "ffn_gate": (inner, width),
        "ffn_up": (inner, width), "ffn_down": (width, inner),
    }  # fmt: skip
    if config.head_norms:
        block |= {"attn_q_norm": (config.head_width,), "attn_k_norm": (config.head_width,)}
    wanted = {"token_embd.weight": (config.vocabulary, width), "output_norm.weight": (width,)}
    if "output.weight" in file:
        wanted["output.weight"] = (config.vocabulary, width)
    for number in range(config.layers):
        wanted |= {f"blk.{number}.{name}.weight": shape for name, shape in block.items()}
    for name, shape in wanted.items():
        if name not in file or file[name].shape != shape:
            found = file[name].shape if name in file else "missing"
            raise GgufError(f"{path}, tensor {name!r} is {found}, and {shape} is due: {_SHAPES}")
