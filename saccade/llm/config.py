"""The sizes of a model of the Llama family, from the metadata of a GGUF file or from a `config.json`.

LlamaConfig.from_gguf(Gguf("model.gguf")), LlamaConfig.from_json("config.json")
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from ..reading import read_json, reading, shown
from .gguf import REMEDY, Gguf

#: Architectures of GGUF files, and whether a head's pairs for RoPE lie side by side (or in its two halves).
INTERLEAVED: Final = {"llama": True, "qwen2": False, "qwen3": False}
#: `model_type` of a config.json; all have their pairs in halves.
MODEL_TYPES: Final = ("llama", "mistral", "qwen2", "qwen3")
#: No model has sizes beyond this, and products of them stay small numbers.
MOST: Final = 1 << 24


class ConfigError(ValueError):
    """A description of a model that is broken, or of a kind that is not known here."""


@dataclass(frozen=True)
class LlamaConfig:
    """A decoder of blocks: RMSNorm, attention with grouped queries and RoPE, RMSNorm, gated SiLU.

    vocabulary: rows of the embedding. width: of the stream between blocks; inner: of the feed-forward part.
    head_width: of a head, rope_width: those of its elements that turn. interleaved: pairs that turn together
    are neighbours, not half a head apart. context: the longest text it was trained for. head_norms: queries
    and keys are normalised head by head. rope_factors: what the frequency of each pair is divided by.
    """

    vocabulary: int
    layers: int
    width: int
    inner: int
    heads: int
    kv_heads: int
    head_width: int
    rope_width: int
    context: int
    rope_base: float
    epsilon: float
    interleaved: bool
    head_norms: bool = False
    rope_factors: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.type == "int" and (type(value) is not int or not 1 <= value <= MOST):
                raise ValueError(f"its {each.name} is {shown(value)}, and a number from 1 to {MOST} is due")
        if self.heads % self.kv_heads or self.rope_width % 2 or self.rope_width > self.head_width:
            raise ValueError(
                f"{self.heads} heads of {self.head_width}, {self.kv_heads} of keys and {self.rope_width} "
                "elements that turn do not fit"
            )
        if self.rope_factors and len(self.rope_factors) != self.rope_width // 2:
            raise ValueError(f"{len(self.rope_factors)} factors of RoPE for {self.rope_width // 2} pairs")
        if not all(0 < factor < 1e12 for factor in self.rope_factors):
            raise ValueError(f"a factor of its RoPE is {min(self.rope_factors)}, and one above 0 is due")
        if not 0 < self.rope_base < 1e12 or not 0 <= self.epsilon < 1:
            raise ValueError(f"its rope_base is {self.rope_base} and its epsilon {self.epsilon}")

    @staticmethod
    def from_gguf(file: Gguf) -> LlamaConfig:
        """The sizes of the model in a file."""
        with reading(file.path, ConfigError, REMEDY) as place:
            place.where = "its metadata"
            return _from_metadata(file)

    @staticmethod
    def from_json(path: os.PathLike[str] | str) -> LlamaConfig:
        """The sizes that a `config.json` of the transformers library tells."""
        with reading(path, ConfigError, "fetch it again") as place:
            found = read_json(path)
            place.where = "it"
            return _from_json(found)


def _from_metadata(file: Gguf) -> LlamaConfig:
    found = file.metadata
    kind = found["general.architecture"]
    if not isinstance(kind, str) or kind not in INTERLEAVED:
        raise ValueError(f"its architecture is {shown(kind)}, and {', '.join(INTERLEAVED)} are known here")

    def value(key: str, default: Any = None) -> Any:
        return found[f"{kind}.{key}"] if default is None else found.get(f"{kind}.{key}", default)

    width, heads = value("embedding_length"), value("attention.head_count")
    head_width = value("attention.key_length", width // heads)
    rope_width = value("rope.dimension_count", head_width)
    return LlamaConfig(
        vocabulary=file["token_embd.weight"].shape[0],
        layers=value("block_count"),
        width=width,
        inner=value("feed_forward_length"),
        heads=heads,
        kv_heads=value("attention.head_count_kv", heads),
        head_width=head_width,
        rope_width=rope_width,
        context=value("context_length"),
        rope_base=float(value("rope.freq_base", 10000.0)),
        epsilon=float(value("attention.layer_norm_rms_epsilon")),
        interleaved=INTERLEAVED[kind],
        head_norms=kind == "qwen3",
        rope_factors=_factors_of_gguf(file, kind, rope_width),
    )


def _factors_of_gguf(file: Gguf, kind: str, rope_width: int) -> tuple[float, ...]:
    """Llama 3 keeps them as a tensor; a scale for all is in the metadata."""
    if "rope_freqs.weight" in file:
        return tuple(file["rope_freqs.weight"].dequantised().numpy().ravel().tolist())
    scaling = file.metadata.get(f"{kind}.rope.scaling.type", "none")
    if scaling == "linear":
        return (float(file.metadata[f"{kind}.rope.scaling.factor"]),) * (rope_width // 2)  # type: ignore[arg-type]
    if scaling != "none":
        raise ValueError(f"its RoPE is scaled as {shown(scaling)}, which is not known here")
    return ()


def _from_json(found: Mapping[str, Any]) -> LlamaConfig:
    kind = found["model_type"]
    if kind not in MODEL_TYPES:
        raise ValueError(f"its model_type is {shown(kind)}, and {', '.join(MODEL_TYPES)} are known here")
    scaling = found.get("rope_scaling") or found.get("rope_parameters") or {}
    base = float(found.get("rope_theta", scaling.get("rope_theta", 10000.0)))
    width, heads = found["hidden_size"], found["num_attention_heads"]
    head_width = found.get("head_dim") or width // heads
    return LlamaConfig(
        vocabulary=found["vocab_size"],
        layers=found["num_hidden_layers"],
        width=width,
        inner=found["intermediate_size"],
        heads=heads,
        kv_heads=found.get("num_key_value_heads") or heads,
        head_width=head_width,
        rope_width=head_width,
        context=_context(found),
        rope_base=base,
        epsilon=float(found["rms_norm_eps"]),
        interleaved=False,
        head_norms=kind == "qwen3",
        rope_factors=_factors_of_json(scaling, base, head_width),
    )


def _factors_of_json(scaling: Mapping[str, Any], base: float, width: int) -> tuple[float, ...]:
    """Llama 3: pairs that turn slowly, which it never saw turn once, are slowed down by a factor; those that
    turn fast are not; in between it goes over smoothly."""
    match scaling.get("rope_type", scaling.get("type", "default")):
        case "default":
            return ()
        case "linear":
            return (float(scaling["factor"]),) * (width // 2)
        case "llama3":
            low, high = float(scaling["low_freq_factor"]), float(scaling["high_freq_factor"])
            turns = [
                scaling["original_max_position_embeddings"] * base ** (-2 * pair / width) / (2 * math.pi)
                for pair in range(width // 2)
            ]
            shares = [min(max((each - low) / (high - low), 0.0), 1.0) for each in turns]
            return tuple(1 / ((1 - share) / float(scaling["factor"]) + share) for share in shares)
    raise ValueError(f"its rope_scaling is {shown(scaling)}, which is not known here")


def _context(found: Mapping[str, Any]) -> int:
    """The longest text. A model that looks back only so far (a sliding window) is used for shorter ones."""
    window = found.get("sliding_window") if found.get("use_sliding_window", True) else None
    longest: int = found["max_position_embeddings"]
    return longest if window is None else min(longest, window)
