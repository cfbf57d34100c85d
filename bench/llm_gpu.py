"""Decoding on a GPU, with random weights: tokens a second, and the share of the copy bandwidth they read at.

python -m bench.llm_gpu [--shape 135m|8b|tiny] [--format bf16|q4_k] [--batch 1,32] [--no-torch]

Ours is `saccade.llm.model.decoder`: a token is one captured graph. The peer is a decoder as gpt-fast has it:
a static cache, one compiled step (`torch.compile(mode="reduce-overhead")`), greedy. Bytes of a token are
those of all weights and of the keys and values that attention looks at.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from bench.gpu_timing import attempt
from saccade import Tensor
from saccade.llm.model.cache import Cache
from saccade.llm.model.config import LlamaConfig
from saccade.llm.model.decoder import Decoder
from saccade.llm.model.llama import Llama
from saccade.llm.weights.quants import FORMATS

KINDS = {"bf16": 30, "q4_k": 12, "f32": 0, "q8_0": 8}
#: tokens in the cache, and those that are timed
PLACES, WARM, TIMED = 512, 8, 128


def config(layers: int, width: int, inner: int, heads: int, kv_heads: int, vocabulary: int) -> LlamaConfig:
    size = width // heads
    return LlamaConfig(
        vocabulary, layers, width, inner, heads, kv_heads, size, size, 8192, 5e5, 1e-5, interleaved=False
    )


SHAPES = {
    "135m": config(30, 576, 1536, 9, 3, 49152),
    "8b": config(32, 4096, 14336, 32, 8, 128256),
    "tiny": config(2, 256, 256, 4, 2, 512),
}


@dataclass(frozen=True)
class RandomWeight:
    """A weight that is made on the device when it is asked for."""

    kind: int
    shape: tuple[int, ...]
    device: str

    def raw(self) -> Tensor:
        form = FORMATS[self.kind]
        if form.dtype is not None:
            made = Tensor.randn(*self.shape, device=self.device) * self.shape[-1] ** -0.5
            weight: Tensor = made.cast(form.dtype).realize()
            return weight
        rows, blocks = self.shape[0], self.shape[1] // form.items
        codes = Tensor.randint(0, 256, (rows, blocks, form.bytes), device=self.device).cast("uint8")
        small = np.zeros(form.bytes, np.uint8)
        small[:4] = np.array([0.0005, 0.0005], np.float16).view(np.uint8)  # d and dmin; d alone in Q8_0
        head = Tensor(np.arange(form.bytes) < (4 if form.bytes > 100 else 2), device=self.device)
        return Tensor(small, device=self.device).where(head, codes).realize()

    def dequantised(self) -> Tensor:
        if len(self.shape) == 1:
            return Tensor.ones(*self.shape, device=self.device).contiguous().realize()
        return FORMATS[self.kind].dequantised(self.raw()).reshape(*self.shape)


class RandomFile(Mapping[str, RandomWeight]):
    """Weights of a model of some sizes, by their names."""

    def __init__(self, sizes: LlamaConfig, kind: int, device: str) -> None:
        width, inner = sizes.width, sizes.inner
        keys = sizes.kv_heads * sizes.head_width
        shapes: dict[str, tuple[int, ...]] = {
            "token_embd": (sizes.vocabulary, width), "output": (sizes.vocabulary, width),
            "output_norm": (width,),
        }  # fmt: skip
        for n in range(sizes.layers):
            block = {
                "attn_norm": (width,), "attn_q": (width, width), "attn_k": (keys, width),
                "attn_v": (keys, width), "attn_output": (width, width), "ffn_norm": (width,),
                "ffn_gate": (inner, width), "ffn_up": (inner, width), "ffn_down": (width, inner),
            }  # fmt: skip
            shapes |= {f"blk.{n}.{name}": shape for name, shape in block.items()}
        self._found = {
            f"{name}.weight": RandomWeight(kind if len(shape) > 1 else 0, shape, device)
            for name, shape in shapes.items()
        }

    def __getitem__(self, name: str) -> RandomWeight:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def bytes_of_token(sizes: LlamaConfig, kind: int, batch: int, places: int, each: int) -> float:
    """What a step reads: all weights but the embedding, and the cache."""
    form = FORMATS[kind]
    queries, keys = sizes.heads * sizes.head_width, sizes.kv_heads * sizes.head_width
    block = sizes.width * (2 * queries + 2 * keys + 3 * sizes.inner)
    weights = (sizes.layers * block + sizes.vocabulary * sizes.width) * form.bytes / form.items
    return weights + 2.0 * batch * sizes.layers * keys * places * each


def launches(decoder: Decoder, ids: Tensor) -> int:
    """Kernels of a token."""
    from saccade.explain import explain

    recipes = [computation.recipe for computation in explain(lambda: decoder.step(ids)).computations]
    sources = [recipe.sources[step.source] for recipe in recipes for step in recipe.steps]
    return sum(1 + bool(source.join_grid) + bool(source.first_grid) for source in sources)


def ours(sizes: LlamaConfig, kind: int, batch: int, device: str) -> float:
    """Tokens a second of each row."""
    model = Llama(RandomFile(sizes, kind, device), sizes, Path("random"))
    dtype = "float32" if device == "cpu" else "bfloat16"
    cache = Cache(sizes, batch, PLACES, device, dtype)
    decoder = Decoder(model, cache)
    ids = decoder.start([1] * batch)
    count = launches(decoder, ids)
    print(f"  {count} kernels a token, about {count / sizes.layers:.1f} a layer", flush=True)
    for _ in range(WARM):
        ids = decoder.step(ids)
    ids.numpy()
    begin = time.perf_counter()
    for _ in range(TIMED):
        ids = decoder.step(ids)
    ids.numpy()
    return TIMED / (time.perf_counter() - begin)


def report(name: str, sizes: LlamaConfig, kind: int, batch: int, rate: float, bandwidth: float) -> str:
    read = bytes_of_token(sizes, kind, batch, PLACES, 2) * rate
    share = f", {read / bandwidth:.0%} of copy bandwidth" if bandwidth else ""
    return f"{name}: {rate * batch:.0f} tokens/s, {1e3 / rate:.3f} ms a token, {read / 1e12:.2f} TB/s{share}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shape", choices=SHAPES, default="135m")
    parser.add_argument("--format", choices=KINDS, default="bf16")
    parser.add_argument("--batch", default="1,32")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--no-torch", action="store_true")
    given = parser.parse_args()
    sizes, kind, bandwidth = SHAPES[given.shape], KINDS[given.format], 0.0
    if given.device != "cpu" and not given.no_torch:
        from bench.gpu_check import copy_bandwidth

        bandwidth = copy_bandwidth()
        print(f"copy bandwidth {bandwidth / 1e12:.2f} TB/s", flush=True)

    def timed(name: str, rate_of: Callable[[int], float], batch: int) -> str:
        return report(name, sizes, kind, batch, rate_of(batch), bandwidth)

    for batch in map(int, given.batch.split(",")):
        label = f"{given.shape} {given.format} batch {batch}"
        attempt(label, partial(timed, "saccade", lambda b: ours(sizes, kind, b, given.device), batch))
        if not given.no_torch and given.format == "bf16":
            from bench.llm_gpu_peer import torch_rate

            attempt(
                label, partial(timed, "torch", lambda b: torch_rate(sizes, b, given.device, PLACES), batch)
            )


if __name__ == "__main__":
    main()
