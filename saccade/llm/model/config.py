"""The sizes of a model of the Llama family, from the metadata of a GGUF file or from a `config.json`.

LlamaConfig.from_gguf(Gguf("model.gguf")), LlamaConfig.from_json("config.json")
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from ...files.reading import read_json, reading, shown
from ..files.gguf import REMEDY, Gguf
from .rope_scaling import Scaling, scaling_of_gguf, scaling_of_json

#: Architectures of GGUF files, and whether a head's pairs for RoPE lie side by side (or in its two halves).
INTERLEAVED: Final = {
    "llama": True, "qwen2": False, "qwen3": False, "gemma": False, "gemma2": False, "gemma3": False,
}  # fmt: skip
#: `model_type` of a config.json, and the architecture; all have their pairs in halves.
MODEL_TYPES: Final = {
    "llama": "llama", "mistral": "llama", "qwen2": "qwen2", "qwen3": "qwen3", "gemma": "gemma",
    "gemma2": "gemma2", "gemma3_text": "gemma3",
}  # fmt: skip
#: What the gate of a config.json goes through, and whether that is GeGLU (or SwiGLU).
GATES: Final = {"silu": False, "gelu_pytorch_tanh": True}
#: Of so many layers that follow each other, the last one sees all and the others a window.
PATTERNS: Final = {"gemma2": 2, "gemma3": 6}
#: Layers of the 27B models of Gemma, whose attention is scaled by width / heads; GGUF does not tell.
_SCALED_BY_WIDTH: Final = {"gemma2": 46, "gemma3": 62}
#: No model has sizes beyond this, and products of them stay small numbers.
MOST: Final = 1 << 24


class ConfigError(ValueError):
    """A description of a model that is broken, or of a kind that is not known here."""


@dataclass(frozen=True)
class LlamaConfig:
    """A decoder of blocks: RMSNorm, attention with grouped queries and RoPE, RMSNorm, a gated product.

    vocabulary: rows of the embedding. width: of the stream between blocks; inner: of the feed-forward part.
    head_width: of a head, rope_width: those of its elements that turn. interleaved: pairs that turn together
    are neighbours, not half a head apart. context: the longest text it was trained for. head_norms: queries
    and keys are normalised head by head. rope_factors: what the frequency of each pair is divided by;
    rope_size: what turned pairs are multiplied by (YaRN); layers with a base of their own have neither.

    windows: how many places each layer sees, 0 for all; () if all do. local_rope_base: of layers with a
    window, 0 if it is that of all. gelu: GeGLU, not SwiGLU. post_norms: norms after attention and after the
    product. norm_offset: what is added to the weights of norms. embedding_scale: of what blocks begin with.
    attention_scale: of scores, 0 for 1 / sqrt(head_width). attention_cap, logits_cap: bounds, 0 for none.
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
    rope_size: float = 1.0
    windows: tuple[int, ...] = ()
    local_rope_base: float = 0.0
    gelu: bool = False
    post_norms: bool = False
    norm_offset: float = 0.0
    embedding_scale: float = 1.0
    attention_scale: float = 0.0
    attention_cap: float = 0.0
    logits_cap: float = 0.0

    @property
    def turns(self) -> list[tuple[float, tuple[float, ...]]]:
        """Base and factors of RoPE: for all layers, then for those with a window if theirs are others."""
        local = [(self.local_rope_base, ())] if self.local_rope_base else []
        return [(self.rope_base, self.rope_factors), *local]

    def turned_by(self, layer: int) -> slice:
        """Where the cosines and sines of a layer are in `Cache.turns`."""
        local = self.local_rope_base and self.windows and self.windows[layer]
        return slice(2, 4) if local else slice(0, 2)

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.type == "int":
                _check_size(each.name, value)
        if self.heads % self.kv_heads or self.rope_width % 2 or self.rope_width > self.head_width:
            raise ValueError(
                f"{self.heads} heads of {self.head_width}, {self.kv_heads} of keys and {self.rope_width} "
                "elements that turn do not fit"
            )
        if self.rope_factors and len(self.rope_factors) != self.rope_width // 2:
            raise ValueError(f"{len(self.rope_factors)} factors of RoPE for {self.rope_width // 2} pairs")
        if not all(0 < factor < 1e12 for factor in self.rope_factors):
            raise ValueError(f"a factor of its RoPE is {min(self.rope_factors)}, and one above 0 is due")
        if self.windows and (
            len(self.windows) != self.layers
            or not all(type(each) is int and 0 <= each <= MOST for each in self.windows)
        ):
            raise ValueError(f"its windows are {shown(self.windows)}, and one for each layer is due")
        for name in ("attention_cap", "logits_cap", "attention_scale", "local_rope_base", "rope_size"):
            if not 0 <= getattr(self, name) < 1e12:
                raise ValueError(f"its {name} is {getattr(self, name)}, and one from 0 on is due")
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
            kind, gate = found["model_type"], _gate(found)
            if kind not in MODEL_TYPES:
                raise _unknown(path, "model_type", kind, MODEL_TYPES)
            if gate not in GATES:
                raise _unknown(path, "hidden_act", gate, GATES)
            return _from_json(found)


def _from_metadata(file: Gguf) -> LlamaConfig:
    found = file.metadata
    kind = found["general.architecture"]
    if not isinstance(kind, str) or kind not in INTERLEAVED:
        raise _unknown(file.path, "architecture", kind, INTERLEAVED)
    if found.get(f"{kind}.expert_count"):  # Mixtral calls itself a llama
        known = ", ".join(INTERLEAVED)
        raise ConfigError(f"{file.path}: it is a mixture of experts, and {known} without them are known here")

    def value(key: str, default: Any = None) -> Any:
        return found[f"{kind}.{key}"] if default is None else found.get(f"{kind}.{key}", default)

    width, heads, layers = (value(key) for key in ("embedding_length", "attention.head_count", "block_count"))
    head_width = value("attention.key_length", width // heads)
    rope_width = value("rope.dimension_count", head_width)
    base = float(value("rope.freq_base", 10000.0))
    scaling = _scaling_of_gguf(file, kind, base, rope_width)
    return LlamaConfig(
        vocabulary=file["token_embd.weight"].shape[0],
        layers=layers,
        width=width,
        inner=value("feed_forward_length"),
        heads=heads,
        kv_heads=value("attention.head_count_kv", heads),
        head_width=head_width,
        rope_width=rope_width,
        context=value("context_length"),
        rope_base=base,
        epsilon=float(value("attention.layer_norm_rms_epsilon")),
        interleaved=INTERLEAVED[kind],
        rope_factors=scaling.factors,
        rope_size=scaling.size,
        windows=_windows(kind, layers, value("attention.sliding_window", 0)),
        local_rope_base=float(value("rope.freq_base_swa", 10000.0)) if kind == "gemma3" else 0.0,
        attention_scale=(width / heads) ** -0.5 if _SCALED_BY_WIDTH.get(kind) == layers else 0.0,
        attention_cap=float(value("attn_logit_softcapping", 0.0)),
        logits_cap=float(value("final_logit_softcapping", 0.0)),
        gelu=kind.startswith("gemma"),
        **_of_kind(kind, width),
    )


def _unknown(
    path: os.PathLike[str] | str, name: str, kind: object, known: Mapping[str, object]
) -> ConfigError:
    """A model of another kind: nothing is wrong with its file, and fetching it again would not help."""
    return ConfigError(f"{path}: its {name} is {shown(kind)}, and {', '.join(known)} are known here")


def _check_size(name: str, value: Any) -> None:
    """Before something of this size is made."""
    if type(value) is not int or not 1 <= value <= MOST:
        raise ValueError(f"its {name} is {shown(value)}, and a number from 1 to {MOST} is due")


def _of_kind(kind: str, width: int) -> dict[str, Any]:
    """What all models of an architecture have in common."""
    gemma = kind.startswith("gemma")
    return {
        "head_norms": kind in ("qwen3", "gemma3"),
        "post_norms": kind in ("gemma2", "gemma3"),
        "embedding_scale": math.sqrt(width) if gemma else 1.0,
    }


def _windows(kind: str, layers: int, window: int) -> tuple[int, ...]:
    """Of each layer."""
    pattern = PATTERNS.get(kind, 0)
    _check_size("layers", layers)
    return tuple(0 if pattern and (n + 1) % pattern == 0 else window for n in range(layers)) if window else ()


def _scaling_of_gguf(file: Gguf, kind: str, base: float, rope_width: int) -> Scaling:
    """Llama 3 keeps its factors as a tensor; others are in the metadata."""
    _check_size("rope_width", rope_width)
    if "rope_freqs.weight" in file:
        return Scaling(tuple(file["rope_freqs.weight"].dequantised().numpy().ravel().tolist()))
    return scaling_of_gguf(file.metadata, kind, base, rope_width)


def _from_json(found: Mapping[str, Any]) -> LlamaConfig:
    scaling = found.get("rope_scaling") or found.get("rope_parameters") or {}
    local = scaling.get("sliding_attention", {}).get("rope_theta", found.get("rope_local_base_freq", 10000.0))
    scaling = scaling.get("full_attention", scaling)
    base = float(found.get("rope_theta", scaling.get("rope_theta", 10000.0)))
    width, heads = found["hidden_size"], found["num_attention_heads"]
    head_width = found.get("head_dim") or width // heads
    kind = MODEL_TYPES[found["model_type"]]
    gemma = kind.startswith("gemma")
    _check_size("head_width", head_width)
    scaled = scaling_of_json(scaling, base, head_width, found["max_position_embeddings"])
    return LlamaConfig(
        vocabulary=found["vocab_size"],
        layers=found["num_hidden_layers"],
        width=width,
        inner=found["intermediate_size"],
        heads=heads,
        kv_heads=found.get("num_key_value_heads") or heads,
        head_width=head_width,
        rope_width=head_width,
        context=found["max_position_embeddings"],
        rope_base=base,
        epsilon=float(found["rms_norm_eps"]),
        interleaved=False,
        rope_factors=scaled.factors,
        rope_size=scaled.size,
        windows=_windows_of_json(found, kind),
        local_rope_base=float(local) if kind == "gemma3" else 0.0,
        norm_offset=1.0 if gemma else 0.0,
        attention_scale=float(found.get("query_pre_attn_scalar") or head_width) ** -0.5 if gemma else 0.0,
        attention_cap=float(found.get("attn_logit_softcapping") or 0.0),
        logits_cap=float(found.get("final_logit_softcapping") or 0.0),
        gelu=GATES[_gate(found)],
        **_of_kind(kind, width),
    )


def _gate(found: Mapping[str, Any]) -> str:
    """The name of what the gate goes through. Gemma's `hidden_act` is no longer what it means."""
    if str(found["model_type"]).startswith("gemma"):
        return str(found.get("hidden_activation") or "gelu_pytorch_tanh")
    return str(found.get("hidden_act") or "silu")


def _windows_of_json(found: Mapping[str, Any], kind: str) -> tuple[int, ...]:
    """Of each layer. Qwen has them only where it says so, and then in its last layers."""
    window, layers = found.get("sliding_window") or 0, found["num_hidden_layers"]
    _check_size("layers", layers)
    qwen = kind.startswith("qwen")
    if not window or not found.get("use_sliding_window", not qwen):
        return ()
    if found.get("layer_types"):
        return tuple(window if each == "sliding_attention" else 0 for each in found["layer_types"])
    if qwen:
        return tuple(window if n >= found["max_window_layers"] else 0 for n in range(layers))
    return _windows(kind, layers, window)
