"""Sequences of several lengths as one tensor."""

from __future__ import annotations

from collections.abc import Sequence

from ...graph.node import Scalar
from ...tensor.tensor import Tensor


def pad_sequence(
    sequences: Sequence[Tensor],
    batch_first: bool = False,
    padding_value: Scalar = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Tensors (length, ...) of several lengths, filled up to the longest: (longest, batch, ...), or with
    `batch_first` (batch, longest, ...)."""
    if padding_side not in ("left", "right"):
        raise ValueError(f"padding_side is 'left' or 'right', not {padding_side!r}")
    longest = max(sequence.shape[0] for sequence in sequences)
    filled = []
    for sequence in sequences:
        missing = longest - sequence.shape[0]
        around = (0, missing) if padding_side == "right" else (missing, 0)
        filled.append(sequence.pad((0, 0) * (sequence.ndim - 1) + around, value=padding_value))
    return Tensor.stack(filled, 0 if batch_first else 1)


__all__ = ["pad_sequence"]
