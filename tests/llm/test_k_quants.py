"""K-quants end to end: a Llama of width 1024 at random, whose rows are wide enough for blocks of 256."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.fuzz.files.gguf_corpus import Described, gguf_bytes
from saccade.llm import Gguf, Llama
from saccade.llm.weights.quants import FORMATS

from . import numpy_llama
from .models import matrix_shapes, sizes_told

KINDS = {form.name: kind for kind, form in FORMATS.items()}
WIDTH, INNER, LAYERS, HEADS, KV_HEADS, VOCABULARY = 1024, 2048, 2, 16, 4, 512
#: Where the scales of 16 bits are in a block, and what they are for weights of about 0.03 around 0.
SCALES: dict[str, dict[int, float]] = {
    "Q4_K": {0: 2.5e-4, 2: 1.9e-3},
    "Q5_K": {0: 1.1e-4, 2: 1.7e-3},
    "Q6_K": {208: 2.3e-5},
    "IQ4_XS": {0: 2.7e-5},
}
IDS = list(range(3, 27))


def weights_at_random(name: str, shape: tuple[int, int], random: np.random.Generator) -> bytes:
    """Blocks whose codes and small scales are random bytes."""
    form = FORMATS[KINDS[name]]
    blocks = random.integers(0, 256, (shape[0], shape[1] // form.items, form.bytes), np.uint8)
    for place, scale in SCALES[name].items():
        near = (scale * random.uniform(0.8, 1.2, blocks.shape[:2])).astype("<f2")
        blocks[..., place : place + 2] = near[..., None].view(np.uint8)
    return blocks.tobytes()


def model_file(folder: Path, name: str, down: str) -> Path:
    """A model whose matrices are of one format, and of another one where mixtures such as Q4_K_M have it."""
    random = np.random.default_rng(11)
    pairs = sizes_told(LAYERS, 64, WIDTH, INNER, HEADS, KV_HEADS)
    named = matrix_shapes(LAYERS, WIDTH, INNER, WIDTH // HEADS * KV_HEADS)
    tensors: list[Described] = []
    for key, shape in {**named, "token_embd": (VOCABULARY, WIDTH)}.items():
        kind = down if key.endswith(("ffn_down", "attn_v", "token_embd")) else name
        tensors.append((f"{key}.weight", shape, KINDS[kind], weights_at_random(kind, shape, random)))
    norms = [f"blk.{n}.{key}" for n in range(LAYERS) for key in ("attn_norm", "ffn_norm")]
    for key in [*norms, "output_norm"]:
        values = random.normal(1, 0.1, WIDTH).astype("<f4").tobytes()
        tensors.append((f"{key}.weight", (WIDTH,), 0, values))
    path = folder / f"{name}.gguf"
    path.write_bytes(gguf_bytes(pairs, tensors))
    return path


def logits(model: Llama, at_once: int) -> np.ndarray[Any, Any]:
    cache = model.cache(64)
    parts = [IDS[at : at + at_once] for at in range(0, len(IDS), at_once)]
    return np.concatenate([model(Tensor([part]), cache).numpy()[0] for part in parts])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "down"), [("Q4_K", "Q6_K"), ("Q5_K", "Q6_K"), ("Q6_K", "Q6_K"), ("IQ4_XS", "Q5_K")]
)
def test_a_llama_of_k_quants_is_that_of_numpy(name: str, down: str, tmp_path: Path) -> None:
    path = model_file(tmp_path, name, down)
    file = Gguf(path)
    weights = {key: file[key].dequantised().numpy() for key in file}
    assert 0.005 < np.std(weights["blk.0.attn_q.weight"]) < 0.2
    model = Llama.from_gguf(path)
    wanted = numpy_llama.logits(weights, model.config, IDS)
    size = np.sqrt((wanted**2).mean())
    for at_once in (1, 8, len(IDS)):  # multiplied as they are unpacked, and unpacked once
        assert np.abs(logits(model, at_once) - wanted).max() < 1e-4 * np.abs(wanted).max()
    rounded = logits(Llama.from_gguf(path, "int8"), 1)
    assert 0 < np.sqrt(((rounded - wanted) ** 2).mean()) < 0.05 * size
