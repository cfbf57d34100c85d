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
from typing import Any, Final

import numpy as np

from ..nn.module import Module
from ..tensor.core import Core
from ..tensor.jit import JitFunction, jit
from ..tensor.tensor import Tensor
from ..tensor.tree import Structure, flatten, rebuild
from .chain import Chain, Step
from .config import LlamaConfig
from .gguf import Gguf, GgufError
from .lanes import LaneWeight, in_lanes
from .quants import FORMATS, Weight

#: Tokens at once up to which unpacking again for each of them pays: 5 take 0.98 ms, not 1.6, for 576 x 1536
#: in Q4_1 on a Neoverse N1.
FEW_TOKENS: Final = 8
#: Attention looks at no fewer places of the cache.
LEAST_REACH: Final = 128
#: What weights may be multiplied with.
ACTIVATIONS: Final = ("float", "int8")
_SHAPES: Final = "convert the model again"


class PackedWeight(Module):
    """A matrix (out, in) in the format of its file, and a bias if it has one. integers: few tokens are
    rounded to bytes."""

    def __init__(self, weight: Weight, bias: Weight | None = None, integers: bool = False) -> None:
        self.raw, self.kind, self.integers = weight.raw(), weight.kind, integers
        self.bias = None if bias is None else bias.dequantised()

    @property
    def alike(self) -> bool:
        """Is a token computed the same way alone and beside others?"""
        return not self.integers or FORMATS[self.kind].unpack is None

    def rows(self, ids: Tensor) -> Tensor:
        """(...) numbers of rows -> (..., in)."""
        return _dequantised_rows(self.kind, ids, self.raw)

    def forward(self, x: Tensor) -> Tensor:
        """(..., in) -> (..., out)."""
        made = _product(self.kind, self.raw, x, "int8" if self.integers else "float")
        return made if self.bias is None else made + self.bias


def _dequantised_rows(kind: int, ids: Tensor, raw: Tensor) -> Tensor:
    return FORMATS[kind].dequantised(raw[ids]).reshape(*ids.shape, -1)


def _product(kind: int, raw: Tensor, x: Tensor, activations: str) -> Tensor:
    """(..., in) -> (..., out). For few tokens the time is that of reading the weights: their bytes are
    multiplied as they are unpacked. For many, they are unpacked once."""
    form = FORMATS[kind]
    if math.prod(x.shape[:-1]) > FEW_TOKENS:
        return x.linear(form.dequantised(raw).reshape(raw.shape[0], -1))
    return form.product(raw, x, activations)


def linear(weight: Weight, bias: Weight | None, integers: bool) -> PackedWeight | LaneWeight:
    """What multiplies with a weight: with activations of 8 bits in lanes, where its format can lie so."""
    found = in_lanes(weight, bias) if integers else None
    return PackedWeight(weight, bias, integers) if found is None else found


class Cache:
    """Keys and values of the tokens so far, each (layers) of (batch, kv_heads, capacity + 1, head_width): the
    last place takes what is not to be kept. `lengths`: tokens of each row; to forget some, make it smaller.
    """

    def __init__(
        self, config: LlamaConfig, batch: int, capacity: int, device: str = "cpu", dtype: str = "float32"
    ) -> None:
        shape = (batch, config.kv_heads, capacity + 1, config.head_width)
        like: dict[str, Any] = {"device": device, "dtype": dtype}
        self.keys = [Tensor.zeros(*shape, **like).contiguous().realize() for _ in range(config.layers)]
        self.values = [Tensor.zeros(*shape, **like).contiguous().realize() for _ in range(config.layers)]
        self.cosines, self.sines = (
            Tensor(turn, device=device).realize() for turn in rope_table(config, capacity + 1)
        )
        self.device = device
        #: blocks that are bound to this memory, by (length, reach)
        self.chains: dict[tuple[int, int], Chain] = {}
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
        made.batch, made.lengths, made.chains = 1, self.lengths[rows], {}
        return made

    def reach(self, wanted: int) -> Tensor:
        """The places that attention looks at, 0, 1, ...: a power of two of them, so that few programs serve
        all lengths."""
        size = min(max(LEAST_REACH, 1 << (wanted - 1).bit_length()), self.capacity)
        return Tensor(np.arange(size), device=self.device)


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

    def __init__(self, file: Mapping[str, Weight], number: int, integers: bool) -> None:
        def weight(name: str) -> PackedWeight | LaneWeight:
            full = f"blk.{number}.{name}"
            return linear(file[f"{full}.weight"], file.get(f"{full}.bias"), integers)

        self.attention_norm = file[f"blk.{number}.attn_norm.weight"].dequantised()
        self.query, self.key, self.value = (weight(f"attn_{name}") for name in "qkv")
        norms = [file.get(f"blk.{number}.attn_{name}_norm.weight") for name in "qk"]
        self.query_norm, self.key_norm = (None if each is None else each.dequantised() for each in norms)
        self.output = weight("attn_output")
        self.inner_norm = file[f"blk.{number}.ffn_norm.weight"].dequantised()
        self.gate, self.up, self.down = (weight(f"ffn_{name}") for name in ("gate", "up", "down"))

    def weights(self) -> tuple[PackedWeight | LaneWeight, ...]:
        """What activations are multiplied with."""
        return self.query, self.key, self.value, self.output, self.gate, self.up, self.down

    def forward(
        self, x: Tensor, keys: Tensor, values: Tensor, places: Places, epsilon: float,
        interleaved: bool,
    ) -> Tensor:  # fmt: skip
        """(batch, length, width) -> the same, after keys and values of them were written to (batch, kv_heads,
        capacity + 1, head_width)."""
        normal = x.rms_norm(x.shape[-1], self.attention_norm, epsilon)
        q, k, v = (
            made.unflatten(-1, (-1, keys.shape[-1]))
            for made in (each.forward(normal).contiguous() for each in (self.query, self.key, self.value))
        )
        if self.query_norm is not None and self.key_norm is not None:
            q = q.rms_norm(q.shape[-1], self.query_norm, epsilon)
            k = k.rms_norm(k.shape[-1], self.key_norm, epsilon)
        rows, at = Tensor.arange(x.shape[0], device=x.device).unsqueeze(-1), places.at
        turns = places.cosines[at].unsqueeze(2), places.sines[at].unsqueeze(2), interleaved
        keys[rows, :, at] = turned(k, *turns).cast(keys.dtype)
        values[rows, :, at] = v.cast(values.dtype)
        reach = places.seen.shape[0]
        seen = (places.seen <= at.unsqueeze(-1)).unsqueeze(1)  # (batch, 1, length, reach)
        q = turned(q, *turns).transpose(1, 2)
        made = q.cast(keys.dtype).scaled_dot_product_attention(
            keys[:, :, :reach], values[:, :, :reach], seen, enable_gqa=q.shape[1] != keys.shape[1]
        )
        made = made.cast(x.dtype)
        # stored: a product is not made anew for each use, nor row by row for the norm
        x = (x + self.output.forward(made.transpose(1, 2).flatten(2))).contiguous()
        normal = x.rms_norm(x.shape[-1], self.inner_norm, epsilon)
        inner = self.gate.forward(normal).silu() * self.up.forward(normal)
        return x + self.down.forward(inner)


@lru_cache(maxsize=64)
def _program(
    structure: Structure, batch: int, length: int, reach: int, epsilon: float, interleaved: bool
) -> JitFunction[..., Tensor]:
    """What runs a block of this structure for tokens (batch, length) that look at so many places. It takes
    tensors and nothing else, the block's last: there are 30 calls a token, and taking a block apart anew took
    half of their time."""

    def run(
        x: Tensor, keys: Tensor, values: Tensor, at: Tensor, seen: Tensor, cosines: Tensor, sines: Tensor,
        *parts: Tensor,
    ) -> Tensor:  # fmt: skip
        block: Block = rebuild(structure, iter(parts))
        return block.forward(x, keys, values, Places(at, seen, cosines, sines), epsilon, interleaved)

    return jit(run)


@lru_cache(maxsize=64)
def _rows_program(kind: int, batch: int, length: int) -> JitFunction[[Tensor, Tensor], Tensor]:
    """(batch, length) numbers of rows, and an embedding -> (batch, length, width)."""
    return jit(lambda ids, raw: _dequantised_rows(kind, ids, raw))


@lru_cache(maxsize=64)
def _end_program(
    batch: int, length: int, epsilon: float
) -> JitFunction[[PackedWeight | LaneWeight, Tensor, Tensor], Tensor]:
    """The head, x (batch, length, width) and the weight of the norm -> logits."""
    return jit(lambda head, x, norm: logits_of(head, epsilon, x, norm))


def logits_of(head: PackedWeight | LaneWeight, epsilon: float, x: Tensor, norm: Tensor) -> Tensor:
    """What logits are made of is rounded finely, if at all: words that are nearly as probable as each other
    would change places."""
    normal = x.rms_norm(x.shape[-1], norm, epsilon).contiguous()
    return head.finely(normal) if isinstance(head, LaneWeight) else head.forward(normal)


class Llama(Module):
    """A whole model. file: its weights by the names of GGUF; path: where they are from. activations: "float",
    or "int8", with which packed weights of blocks are multiplied with numbers of 8 bits."""

    def __init__(
        self, file: Mapping[str, Weight], config: LlamaConfig, path: Path, activations: str = "float"
    ) -> None:
        if activations not in ACTIVATIONS:
            raise ValueError(f"activations are {activations!r}: choose one of {', '.join(ACTIVATIONS)}")
        self.config = config
        integers = activations == "int8"
        _check(file, config, path)
        self.embedding = PackedWeight(file["token_embd.weight"])
        self.blocks = [Block(file, number, integers) for number in range(config.layers)]
        # is a token computed the same way alone and beside others?
        self.alike = all(each.alike for block in self.blocks for each in block.weights())
        self.norm = file["output_norm.weight"].dequantised()
        # without weights of its own the end is the embedding
        end = file["output.weight" if "output.weight" in file else "token_embd.weight"]
        lanes = in_lanes(end) if integers else None
        self.head = PackedWeight(end) if lanes is None else lanes
        self._take_apart()

    def _take_apart(self) -> None:
        known: dict[Structure, Structure] = {}  # equal ones as one object, which is found at sight
        self._apart = [
            (known.setdefault(structure, structure), parts)
            for structure, parts in map(_taken_apart, self.blocks)
        ]

    def on(self, device: str) -> Llama:
        """This model, with its weights on a device. Caches that it makes are there too."""
        for module in self.modules():
            for name, value in list(vars(module).items()):
                if isinstance(value, Tensor):
                    setattr(module, name, value.to(device).realize())
        self._take_apart()
        return self

    @staticmethod
    def from_gguf(source: Gguf | os.PathLike[str] | str, activations: str = "float") -> Llama:
        """The model in a GGUF file, which may be open already."""
        file = source if isinstance(source, Gguf) else Gguf(source)
        return Llama(file, LlamaConfig.from_gguf(file), file.path, activations)

    @staticmethod
    def from_folder(path: os.PathLike[str] | str, activations: str = "float") -> Llama:
        """The model in a folder of the transformers library."""
        from .folder import FolderWeights

        folder = Path(path)
        return Llama(
            FolderWeights(folder), LlamaConfig.from_json(folder / "config.json"), folder, activations
        )

    def cache(self, capacity: int | None = None, batch: int = 1) -> Cache:
        """Room for the keys and values of so many tokens; None: as many as the model was trained for."""
        return Cache(
            self.config, batch, self.config.context if capacity is None else capacity, self.norm.device
        )

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
        x = _rows_program(self.embedding.kind, *ids.shape)(ids.to(cache.device), self.embedding.raw)
        chain, config = cache.chains.get((length, seen.shape[0])), self.config
        if chain is not None:
            x = chain.run(x, at)
        else:
            x = self._run(x, Tensor(at, device=cache.device), seen, cache)
        cache.lengths += given
        if last and length > 1:
            ends = Tensor(np.maximum(given, 1) - 1, device=cache.device)
            x = x[Tensor.arange(cache.batch, device=cache.device), ends].unsqueeze(1)
        return _end_program(*x.shape[:2], config.epsilon)(self.head, x, self.norm)

    def _run(self, x: Tensor, at: Tensor, seen: Tensor, cache: Cache) -> Tensor:
        """Through all blocks: (batch, length, width) -> the same. Single tokens after these take the programs
        bound to their memory (`chain.py`)."""
        config, where = self.config, (at.realize(), seen, cache.cosines, cache.sines)
        sizes = (*x.shape[:2], seen.shape[0])
        calls: list[Step] = []
        for (structure, parts), keys, values in zip(self._apart, cache.keys, cache.values):
            if not calls or structure is not self._apart[len(calls) - 1][0]:
                run = _program(structure, *sizes, config.epsilon, config.interleaved)
            x = run(x, keys, values, *where, *parts)
            calls.append(Step(run, (keys, values), (*where[1:], *parts)))
        if x.shape[1] == 1 and cache.device == "cpu":
            chain = Chain.of(calls, x, at)
            if chain is not None:
                cache.chains[1, seen.shape[0]] = chain
        return x


def _taken_apart(block: Block) -> tuple[Structure, tuple[Tensor, ...]]:
    """What a block is made of, and its tensors, in memory."""
    parts: list[Core] = []
    structure = flatten(block, parts)
    return structure, tuple(part.realize() for part in parts if isinstance(part, Tensor))


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
