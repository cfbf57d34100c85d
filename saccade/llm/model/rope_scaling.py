"""RoPE for texts longer than a model was trained for: by which factor each pair turns more slowly.

    scaling_of_json({"rope_type": "linear", "factor": 4.0}, base=1e4, width=64, context=8192)
    # Scaling(factors=(4.0, ...), size=1.0): 32 of them

`linear`: all pairs by one factor. `llama3` and `yarn`: only those that turn so slowly that training never saw
them turn once, and over to the others smoothly; YaRN makes scores of attention larger too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...files.reading import shown


@dataclass(frozen=True)
class Scaling:
    """factors: what the frequency of each pair is divided by, () for nothing; size: what cosines and sines
    are multiplied by."""

    factors: tuple[float, ...] = ()
    size: float = 1.0


def scaling_of_json(told: Mapping[str, Any], base: float, width: int, context: int) -> Scaling:
    """As the `rope_scaling` of a config.json tells. width: elements that turn; context: the longest text."""
    match told.get("rope_type", told.get("type", "default")):
        case "default":
            return Scaling()
        case "linear":
            return Scaling((float(told["factor"]),) * (width // 2))
        case "llama3":
            return Scaling(_llama3(told, base, width))
        case "yarn":
            factor = float(told["factor"])
            original = told.get("original_max_position_embeddings") or context
            ends = float(told.get("beta_fast") or 32), float(told.get("beta_slow") or 1)
            size = told.get("attention_factor")
            if size is None:
                parts = [float(told.get(key) or 0.0) for key in ("mscale", "mscale_all_dim")]
                above, below = (_size(factor, each) for each in (parts if all(parts) else (1.0, 0.0)))
                size = above / below
            whole = bool(told.get("truncate", True))
            return Scaling(_yarn(base, width, factor, float(original), ends, whole), float(size))
    raise ValueError(f"its rope_scaling is {shown(told)}, which is not known here")


def scaling_of_gguf(metadata: Mapping[str, Any], kind: str, base: float, width: int) -> Scaling:
    """As the metadata of a GGUF file tells. kind: the architecture."""

    def told(key: str, default: float | None = None) -> float:
        name = f"{kind}.rope.scaling.{key}"
        return float(metadata[name] if default is None else metadata.get(name, default))

    match metadata.get(f"{kind}.rope.scaling.type", "none"):
        case "none":
            return Scaling()
        case "linear":
            return Scaling((told("factor"),) * (width // 2))
        case "yarn":
            factor = told("factor")
            original = told("original_context_length", float(metadata[f"{kind}.context_length"]))
            ends = told("yarn_beta_fast", 32.0), told("yarn_beta_slow", 1.0)
            size = _size(factor) * told("attn_factor", 1.0)
            return Scaling(_yarn(base, width, factor, original, ends), size)
        case other:
            raise ValueError(f"its RoPE is scaled as {shown(other)}, which is not known here")


def _llama3(told: Mapping[str, Any], base: float, width: int) -> tuple[float, ...]:
    """Pairs that turn less than `low_freq_factor` times in a text are slowed down, those that turn more than
    `high_freq_factor` times are not."""
    low, high = float(told["low_freq_factor"]), float(told["high_freq_factor"])
    turns = [
        told["original_max_position_embeddings"] * base ** (-2 * pair / width) / (2 * math.pi)
        for pair in range(width // 2)
    ]
    return _mixed(float(told["factor"]), [(each - low) / (high - low) for each in turns])


def _yarn(
    base: float, width: int, factor: float, original: float, ends: tuple[float, float], whole: bool = True
) -> tuple[float, ...]:
    """Pairs that turn more than ends[0] times in a text of `original` tokens keep their frequency, those that
    turn less than ends[1] times are slowed down. whole: pairs at both ends are counted in whole numbers."""
    first, last = (
        width * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base)) for turns in ends
    )
    if whole:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, width - 1)
    span = max(last - first, 0.001)
    return _mixed(factor, [1 - (pair - first) / span for pair in range(width // 2)])


def _mixed(factor: float, shares: list[float]) -> tuple[float, ...]:
    """What frequencies are divided by: by 1 where a share is 1, by the factor where it is 0."""
    bounded = [min(max(share, 0.0), 1.0) for share in shares]
    return tuple(1 / ((1 - share) / factor + share) for share in bounded)


def _size(factor: float, weight: float = 1.0) -> float:
    """How much larger YaRN has queries and keys."""
    return 0.1 * weight * math.log(factor) + 1 if factor > 1 else 1.0
