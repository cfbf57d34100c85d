"""Sequences of several lengths in one tensor: side by side with padding, or packed without.

    padded = pad_sequence([Tensor([1, 2, 3]), Tensor([4])])         # (3, 2): [[1, 4], [2, 0], [3, 0]]
    packed = pack_padded_sequence(padded, [3, 1])                   # data [1, 4, 2, 3], batch_sizes (2, 1, 1)
    results, state = nn.LSTM(...)(packed)                           # each row ends with its own last state
    pad_packed_sequence(results)                                    # padded again, and the lengths

Lengths are numbers that are known when a program is made: they decide shapes, and a jit function has a trace
for each batch of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from ..graph.node import Scalar
from ..tensor.core import inverse
from ..tensor.tensor import Tensor

Lengths = Sequence[int] | Tensor


class PackedSequence(NamedTuple):
    """`data` (elements, ...) has the first elements of all sequences, then the second ones, and so on, of the
    longest sequence first; `batch_sizes` says how many there are of each. Where sequences were not in that
    order, number i here is number sorted_indices[i] of those that were given."""

    data: Tensor
    batch_sizes: tuple[int, ...]
    sorted_indices: tuple[int, ...] | None = None
    unsorted_indices: tuple[int, ...] | None = None

    @property
    def lengths(self) -> list[int]:
        """Of the sequences in the order in which they were given."""
        count = self.batch_sizes[0]
        found = [sum(size > rank for size in self.batch_sizes) for rank in range(count)]
        return found if self.unsorted_indices is None else [found[rank] for rank in self.unsorted_indices]


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


def unpad_sequence(padded_sequences: Tensor, lengths: Lengths, batch_first: bool = False) -> list[Tensor]:
    """The tensors (length, ...) that `pad_sequence` was given."""
    x = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [x[number, :length] for number, length in enumerate(_known(lengths))]


def pack_padded_sequence(
    input: Tensor, lengths: Lengths, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """(longest, batch, ...), or with `batch_first` (batch, longest, ...), without what is behind the end of
    each sequence. With `enforce_sorted` the longest has to come first."""
    x = input.transpose(0, 1) if batch_first else input
    known = _known(lengths)
    longest, count = x.shape[:2]
    if len(known) != count or min(known) < 1 or max(known) > longest:
        raise ValueError(f"lengths {known} of {count} sequences: each is between 1 and {longest}")
    order = sorted(range(count), key=lambda number: -known[number])
    if enforce_sorted and any(known[order[n]] != known[n] for n in range(count)):
        raise ValueError(f"lengths {known} do not fall: sort the sequences, or use enforce_sorted=False")
    given, ranks = (None, None) if enforce_sorted else (tuple(order), inverse(order))
    sizes = tuple([sum(length > t for length in known) for t in range(max(known))])
    return packed_like(x, PackedSequence(x, sizes, given, ranks))


def packed_like(x: Tensor, packed: PackedSequence) -> PackedSequence:
    """(longest, batch, ...) packed as another is."""
    count = packed.batch_sizes[0]
    order = range(count) if packed.sorted_indices is None else packed.sorted_indices
    places = [t * count + order[rank] for t, size in enumerate(packed.batch_sizes) for rank in range(size)]
    return packed._replace(data=x.flatten(0, 1).index_select(0, Tensor(places, device=x.device)))


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: Scalar = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """(longest, batch, ...), or with `batch_first` (batch, longest, ...), in the order in which sequences
    were given, and their lengths (batch,). `total_length`: that many elements instead of the longest."""
    data, sizes = sequence.data, sequence.batch_sizes
    longest, count, known = len(sizes), sizes[0], sequence.lengths
    total = longest if total_length is None else total_length
    if total < longest:
        raise ValueError(f"total_length={total} is less than the longest sequence has: {longest}")
    ranks = range(count) if sequence.unsorted_indices is None else sequence.unsorted_indices
    starts = [0, *accumulate(sizes)]
    gone = [[t >= known[n] for n in range(count)] for t in range(total)]
    places = [0 if gone[t][n] else starts[t] + ranks[n] for t in range(total) for n in range(count)]
    found = data.index_select(0, Tensor(places, device=data.device)).unflatten(0, (total, count))
    mask = Tensor(gone, device=data.device).reshape(total, count, *[1] * (data.ndim - 1))
    padded = found.masked_fill(mask, padding_value)
    return (padded.transpose(0, 1) if batch_first else padded), Tensor(known)


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Tensors (length, ...) of several lengths, packed."""
    known = [sequence.shape[0] for sequence in sequences]
    return pack_padded_sequence(pad_sequence(sequences), known, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The tensors (length, ...) that `pack_sequence` was given."""
    padded, _ = pad_packed_sequence(packed_sequences)
    return unpad_sequence(padded, packed_sequences.lengths)


def _known(lengths: Lengths) -> list[int]:
    return [int(n) for n in (lengths.tolist() if isinstance(lengths, Tensor) else lengths)]
