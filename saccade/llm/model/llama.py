"""Models of the Llama family: tokens in, logits out, with keys and values kept from call to call.

    model = Llama.from_gguf("model.gguf")
    cache = model.cache(capacity=512)
    logits = model(Tensor([ids]), cache)            # (1, len(ids), vocabulary), and the cache is longer
    logits = model(Tensor([[next_id]]), cache)

Weights stay packed: a layer unpacks the bytes of the file in its product. All blocks have one structure, so
one program serves them all; it writes keys and values to the cache in place.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from ...nn.module import Module
from ...runtime.config import settings
from ...tensor.core import Core
from ...tensor.jit.function import JitFunction
from ...tensor.jit.jit import jit
from ...tensor.jit.tree import Structure, flatten, rebuild
from ...tensor.tensor import Tensor
from ..files.gguf import Gguf, GgufError
from ..weights.lanes import LaneWeight, in_lanes
from ..weights.own_memory import Slabs
from ..weights.packed import FEW_TOKENS, PackedWeight
from ..weights.quants import Weight
from ..weights.words import Linear, in_words
from .block import Block, Places, capped, norm_weight
from .cache import Cache
from .chain import Chain, Step
from .config import ConfigError, LlamaConfig

#: What has the rows of tokens.
Embedding = PackedWeight | LaneWeight
#: What weights may be multiplied with.
ACTIVATIONS: Final = ("float", "int8")
#: Blocks of a program on another device than the CPU: compiled in seconds, and called in less than they run.
TOGETHER: Final = 8
_SHAPES: Final = "convert the model again"


@lru_cache(maxsize=128)
def _program(
    structure: Structure, batch: int, length: int, reach: int, apart: bool
) -> JitFunction[..., Tensor]:
    """What runs a block of this structure for tokens (batch, length) that look at so many places. apart: each
    has the bits that it has alone. It takes tensors and nothing else, the block's last: there are 30 calls a
    token, and taking a block apart anew took half of their time."""

    def run(
        x: Tensor, keys: Tensor, values: Tensor, at: Tensor, seen: Tensor, cosines: Tensor, sines: Tensor,
        *parts: Tensor,
    ) -> Tensor:  # fmt: skip
        block: Block = rebuild(structure, iter(parts))
        return block.forward(x, keys, values, Places(at, seen, cosines, sines, apart=apart))

    return jit(run)


@lru_cache(maxsize=64)
def _blocks_program(
    structures: tuple[Structure, ...], turned: tuple[tuple[int, int], ...], batch: int, length: int
) -> JitFunction[..., Tensor]:
    """What runs several blocks on another device than the CPU, for tokens (batch, length). Places are numbers
    of the program there, not memory: attention sees that a row ends at its count, and reads no more, so one
    program serves every length. `turned`: where each block's cosines and sines are."""

    def run(
        x: Tensor, at: Tensor, turns: list[Tensor], keys: list[Tensor], values: list[Tensor], *parts: Tensor
    ) -> Tensor:
        seen = Tensor.arange(keys[0].shape[2] - 1, device=x.device, dtype="int32")
        given = iter(parts)
        for structure, (start, end), key, value in zip(structures, turned, keys, values, strict=True):
            block: Block = rebuild(structure, given)
            x = block.forward(x, key, value, Places(at, seen, *turns[start:end]))
        return x

    return jit(run)


@lru_cache(maxsize=64)
def _rows_program(batch: int, length: int, scale: float) -> JitFunction[[Embedding, Tensor], Tensor]:
    """An embedding, and (batch, length) numbers of rows -> (batch, length, width)."""
    return jit(lambda embedding, ids: embedding.rows(ids) * scale)


@lru_cache(maxsize=64)
def _end_program(
    batch: int, length: int, epsilon: float, cap: float
) -> JitFunction[[Linear, Tensor, Tensor], Tensor]:
    """The head, x (batch, length, width) and the weight of the norm -> logits."""
    return jit(lambda head, x, norm: logits_of(head, epsilon, cap, x, norm))


@lru_cache(maxsize=64)
def _states_program(batch: int, length: int, epsilon: float) -> JitFunction[[Tensor, Tensor], Tensor]:
    """x (batch, length, width) and the weight of the norm -> what the head multiplies."""
    return jit(lambda x, norm: x.rms_norm(x.shape[-1], norm, epsilon))


def logits_of(head: Linear, epsilon: float, cap: float, x: Tensor, norm: Tensor) -> Tensor:
    """What logits are made of is rounded finely, if at all: words that are nearly as probable as each other
    would change places."""
    normal = x.rms_norm(x.shape[-1], norm, epsilon).contiguous()
    made = head.finely(normal) if isinstance(head, LaneWeight) else head.forward(normal)
    return capped(made, cap) if cap else made


class Llama(Module):
    """A whole model. file: its weights by the names of GGUF; path: where they are from. activations: "float",
    or "int8", with which packed weights of blocks are multiplied with numbers of 8 bits. forget: called when
    weights were laid out anew and those of the file are not needed in memory."""

    def __init__(
        self,
        file: Mapping[str, Weight],
        config: LlamaConfig,
        path: Path,
        activations: str = "float",
        forget: Callable[[], None] = lambda: None,
    ) -> None:
        if activations not in ACTIVATIONS:
            raise ValueError(f"activations are {activations!r}: choose one of {', '.join(ACTIVATIONS)}")
        self.config = config
        slabs = Slabs() if activations == "int8" else None
        _check(file, config, path)
        # without weights of its own the end is the embedding
        tied = "output.weight" not in file
        end = file["token_embd.weight" if tied else "output.weight"]
        self.blocks, self.head = _layers(file, end, config, slabs, forget)
        # whose rows are read from the lanes too, so that no page of the file is
        rows = self.head if tied and isinstance(self.head, LaneWeight) else None
        self.embedding: Embedding = PackedWeight(file["token_embd.weight"]) if rows is None else rows
        # is a token computed the same way alone and beside others?
        self.alike = all(each.alike for block in self.blocks for each in block.weights())
        self.norm = norm_weight(file["output_norm.weight"], config)
        self._take_apart()
        forget()

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
        for block in self.blocks:
            block.lay_out()
        self.head = in_words(self.head)
        self._take_apart()
        return self

    @staticmethod
    def from_gguf(source: Gguf | os.PathLike[str] | str, activations: str = "float") -> Llama:
        """The model in a GGUF file, which may be open already."""
        file = source if isinstance(source, Gguf) else Gguf(source)
        return Llama(file, LlamaConfig.from_gguf(file), file.path, activations, file.forget)

    @staticmethod
    def from_folder(path: os.PathLike[str] | str, activations: str = "float") -> Llama:
        """The model in a folder of the transformers library."""
        from ..files.folder import FolderWeights

        folder = Path(path)
        if not (folder / "config.json").exists():
            raise ConfigError(
                f"{folder} has no config.json: a model is a GGUF file, or a folder with config.json, "
                "safetensors and tokenizer.json"
            )
        config = LlamaConfig.from_json(folder / "config.json")  # first: it tells whether the rest is known
        return Llama(FolderWeights(folder), config, folder, activations)

    def cache(self, capacity: int | None = None, batch: int = 1) -> Cache:
        """Room for the keys and values of so many tokens; None: as many as the model was trained for."""
        size, device = self.config.context if capacity is None else capacity, self.norm.device
        # tensor cores take halves, and it is half the memory
        dtype = "bfloat16" if device.partition(":")[0] == "cuda" else "float32"
        return Cache(self.config, batch, size, device, dtype)

    def forward(
        self, ids: Tensor, cache: Cache, last: bool = False, counts: np.ndarray | None = None
    ) -> Tensor:
        """Logits (batch, length, vocabulary) of ids (batch, length), which follow those in the cache.

        counts (batch,): so many of each row count, and the rest is there to fill it up; all, if None. last:
        only the logits of the last one that counts are computed, (batch, 1, vocabulary). Else, on the CPU,
        those of a few tokens are what each would have alone: guesses are compared with them.
        """
        apart = not last and 1 < ids.shape[1] <= FEW_TOKENS
        x, given = self._through(ids, cache, counts, apart)
        if last and ids.shape[1] > 1:
            ends = Tensor(np.maximum(given, 1) - 1, device=cache.device)
            x = x[Tensor.arange(cache.batch, device=cache.device), ends].unsqueeze(1)
        config = self.config
        return _end_program(*x.shape[:2], config.epsilon, config.logits_cap)(self.head, x, self.norm)

    def states(self, ids: Tensor, cache: Cache, counts: np.ndarray | None = None) -> Tensor:
        """What the head would multiply for ids (batch, length): (batch, length, width), as `forward`."""
        x, _ = self._through(ids, cache, counts)
        return _states_program(*x.shape[:2], self.config.epsilon)(x, self.norm)

    def _through(
        self, ids: Tensor, cache: Cache, counts: np.ndarray | None, apart: bool = False
    ) -> tuple[Tensor, np.ndarray]:
        """ids (batch, length) through all blocks: (batch, length, width), and how many of each row count."""
        length = ids.shape[1]
        given = np.full(cache.batch, length) if counts is None else counts
        if ids.shape[0] != cache.batch or (cache.lengths + given).max() > cache.capacity:
            raise ValueError(
                f"ids of shape {ids.shape} do not fit a cache for {cache.batch} texts of {cache.capacity} "
                f"tokens, of which {cache.length} are there: make a larger one"
            )
        steps = np.arange(length)
        at = np.where(steps < given[:, None], cache.lengths[:, None] + steps, cache.capacity)
        config = self.config
        x = _rows_program(*ids.shape, config.embedding_scale)(self.embedding, ids.to(cache.device))
        if cache.device == "cpu":
            seen = cache.reach(int((cache.lengths + given).max()))
            chain = cache.chains.get((length, seen.shape[0]))
            x = self._run(x, Tensor(at), seen, cache, apart) if chain is None else chain.run(x, at)
        else:
            x = self._run_together(x, Tensor(at.astype(np.int32), device=cache.device), cache)
        cache.lengths += given
        return x, given

    def _run(self, x: Tensor, at: Tensor, seen: Tensor, cache: Cache, apart: bool) -> Tensor:
        """Through all blocks: (batch, length, width) -> the same. Single tokens after these take the programs
        bound to their memory (`chain.py`)."""
        config, place = self.config, at.realize()
        kind = (*x.shape[:2], seen.shape[0], apart)
        calls: list[Step] = []
        for number, ((structure, parts), keys, values) in enumerate(
            zip(self._apart, cache.keys, cache.values)
        ):
            if number == 0 or structure is not self._apart[number - 1][0]:
                run = _program(structure, *kind)
            rest = (seen, *cache.turns[config.turned_by(number)], *parts)
            x = run(x, keys, values, place, *rest)
            calls.append(Step(run, (keys, values), rest))
        if x.shape[1] == 1:
            chain = Chain.of(calls, x, at)
            if chain is not None:
                cache.chains[1, seen.shape[0]] = chain
        return x

    def _run_together(self, x: Tensor, at: Tensor, cache: Cache) -> Tensor:
        """Through all blocks on another device, several in a program: of 32 calls a token the host would take
        longer than a GPU."""
        place, turns, size = at.realize(), cache.turns, x.shape[:2]
        for first in range(0, len(self._apart), TOGETHER):
            numbers = range(first, min(first + TOGETHER, len(self._apart)))
            slices = [self.config.turned_by(number) for number in numbers]
            structures, parts = zip(*(self._apart[number] for number in numbers), strict=True)
            run = _blocks_program(structures, tuple((s.start, s.stop) for s in slices), *size)
            own = [each[numbers.start : numbers.stop] for each in (cache.keys, cache.values)]
            x = run(x, place, turns, *own, *(part for each in parts for part in each))
        return x


def _layers(
    file: Mapping[str, Weight],
    end: Weight,
    config: LlamaConfig,
    slabs: Slabs | None,
    forget: Callable[[], None],
) -> tuple[list[Block], Linear]:
    """All blocks, and the head. Laying weights out anew is copying, for which NumPy needs no GIL: it is done
    in threads."""
    from concurrent.futures import ThreadPoolExecutor  # 10 ms, for who loads a model alone

    def head() -> Linear:
        lanes = None if slabs is None else in_lanes(end, None, slabs)
        return in_words(PackedWeight(end)) if lanes is None else lanes

    blocks = []
    with ThreadPoolExecutor(1 if slabs is None else settings.threads) as threads:
        last = threads.submit(head)
        for block in threads.map(lambda number: Block(file, config, number, slabs), range(config.layers)):
            blocks.append(block)
            forget()
        return blocks, last.result()


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
    if config.post_norms:
        block |= {"post_attention_norm": (width,), "post_ffw_norm": (width,)}
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
