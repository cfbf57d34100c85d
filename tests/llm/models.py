"""A small model at random that tests share."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from saccade.fuzz.files.gguf_corpus import Pair
from saccade.fuzz.files.model_corpus import model_bytes
from saccade.llm import Llama, Tokenizer


@functools.cache
def tiny_path() -> Path:
    path = Path(tempfile.mkdtemp(prefix="saccade-tiny-")) / "tiny.gguf"
    path.write_bytes(model_bytes())
    return path


@functools.cache
def tiny() -> tuple[Llama, Tokenizer]:
    """The same for all tests of a process: its programs are compiled once."""
    return Llama.from_gguf(tiny_path()), Tokenizer.from_gguf(tiny_path())


def sizes_told(layers: int, context: int, width: int, inner: int, heads: int, kv_heads: int) -> list[Pair]:
    """What a GGUF file says of a Llama of these sizes."""
    sizes = {
        "block_count": layers, "context_length": context, "embedding_length": width,
        "feed_forward_length": inner, "attention.head_count": heads, "attention.head_count_kv": kv_heads,
    }  # fmt: skip
    pairs: list[Pair] = [("general.architecture", "text", "llama")]
    pairs += [(f"llama.{key}", "I", value) for key, value in sizes.items()]
    return [*pairs, ("llama.attention.layer_norm_rms_epsilon", "f", 1e-5)]


def matrix_shapes(layers: int, width: int, inner: int, keys: int) -> dict[str, tuple[int, int]]:
    """Its matrices, by the names of GGUF without their last part; keys: what keys have together."""
    shapes = {
        "attn_q": (width, width), "attn_k": (keys, width), "attn_v": (keys, width),
        "attn_output": (width, width), "ffn_gate": (inner, width), "ffn_up": (inner, width),
        "ffn_down": (width, inner),
    }  # fmt: skip
    return {f"blk.{n}.{key}": shape for n in range(layers) for key, shape in shapes.items()}
