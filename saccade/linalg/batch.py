"""Batches of small matrices, laid out for kernels: (..., m, n) as (m, n, batch), the batch innermost.

Every factorisation here is a loop over columns. A step works on the first row and column of what is left, and
moves the rest up and to the left by one, with zeros behind where it does not become smaller:

    step k:   [a b]        out: what belongs to row and column k
              [c D]   ->   [D - c b / a   0]
                           [0             0]

Matrices have few shapes on the way, multiples of `PART` or of half of it, so most steps are the same kernel,
compiled once, that runs over the batch with vectors; the zeros take part in nothing. `unshifted` puts what
the steps gave back in its place.
"""

from __future__ import annotations

from math import prod

from ..graph import dtypes
from ..graph.dtypes import DType
from ..tensor.jit.trace import current_trace
from ..tensor.tensor import Tensor

#: steps of a factorisation that are computed as one program
PART = 8
#: bytes of a line of memory
LINE = 64


class Batch:
    """The matrices of a tensor (..., m, n), and the way back."""

    def __init__(self, x: Tensor, verb: str, square: bool = False) -> None:
        need_matrices(x, verb, square)
        self.lead = x.shape[:-2]
        self.dtype = x.dtype
        self.count = prod(self.lead)
        self.rows, self.columns = x.shape[-2:]
        self.inner = self.layout(x)

    def layout(self, x: Tensor) -> Tensor:
        """(..., m, n) as (m, n, batch), in the dtype that is computed in."""
        wide = x.cast(x.dtype.accumulator)
        return wide.reshape(self.count, *x.shape[-2:]).permute(1, 2, 0).contiguous()

    def result(self, x: Tensor) -> Tensor:
        """(m, n, batch), or (n, batch), as (..., m, n) or (..., n), in our dtype; what is real of complex
        matrices, such as singular values, in that of its parts."""
        moved = x.permute(x.ndim - 1, *range(x.ndim - 1))
        dtype = self.dtype if x.dtype.is_complex else self.dtype.part
        return moved.reshape(*self.lead, *x.shape[:-1]).cast(dtype)


class Blocks(Batch):
    """The same in blocks: (..., m, n) as (blocks, m, n, lanes), with zeros behind the last matrix. On a CPU
    the lanes are a line of memory, so that a block stays in the first cache, and what is made of it beside
    it: several steps of an algorithm are one kernel. A GPU has one block."""

    def layout(self, x: Tensor) -> Tensor:
        wide = x.cast(x.dtype.accumulator)
        lanes = self.count
        if x.device == "cpu":
            lanes = min(LINE // wide.dtype.part.itemsize, 1 << max(self.count - 1, 0).bit_length())
        blocks = -(-self.count // lanes) if lanes else 0
        whole = wide.reshape(self.count, *x.shape[-2:]).pad((0, 0, 0, 0, 0, blocks * lanes - self.count))
        return whole.reshape(blocks, lanes, *x.shape[-2:]).permute(0, 2, 3, 1).contiguous()

    def result(self, x: Tensor) -> Tensor:
        """(blocks, m, n, lanes), or (blocks, n, lanes), as (..., m, n) or (..., n), in our dtype."""
        blocks, *inner, lanes = x.shape
        moved = x.permute(0, x.ndim - 1, *range(1, x.ndim - 1)).reshape(blocks * lanes, *inner)
        dtype = self.dtype if x.dtype.is_complex else self.dtype.part
        return moved[: self.count].reshape(*self.lead, *inner).cast(dtype)


def need_matrices(x: Tensor, verb: str, square: bool = False) -> None:
    if x.ndim < 2 or (square and x.shape[-1] != x.shape[-2]):
        kind = "square matrices" if square else "matrices"
        raise ValueError(f"{verb} takes {kind} (..., m, n), not shape {x.shape}")
    if not x.dtype.has_gradient:
        raise TypeError(f"{verb} takes floats, not {x.dtype.name}: use x.float()")


def shifted(x: Tensor, *left: int, by: int = 1) -> Tensor:
    """What is left of (m, ..., batch) without the first, or so many, of each of the first axes: at least
    `left` of them, with zeros behind where it keeps a shape that others have; stored."""
    sizes = [min(_kept(n), size) for n, size in zip(left, x.shape, strict=False)]
    part = x[tuple([slice(by, by + n) for n in sizes])]
    behind = [n - m for n, m in zip(sizes, part.shape, strict=False)]
    amounts = [0, 0] * (x.ndim - len(left)) + [amount for n in reversed(behind) for amount in (0, n)]
    return part.pad(amounts).contiguous()


def _kept(left: int) -> int:
    """Rows to keep of a matrix of which so many are left: few numbers, so that few kernels are compiled. Of
    small matrices multiples of half a part: SVD of 10,000 of 8x8 takes no longer than with the rows
    themselves (87 and 88 ms), and compiles in 2.3 s of the processor instead of 2.9."""
    part = PART // 2 if left <= PART else PART
    return -(-left // part) * part


def unshifted(lines: list[Tensor], length: int, *, columns: bool) -> Tensor:
    """Lines (n, batch) that begin on the diagonal, with zeros before them: as columns (length, lines, batch),
    or as rows (lines, length, batch); stored, each line at its place."""
    axis = 1 if columns else 0
    placed = [line[: length - k].pad((0, 0, k, 0)).unsqueeze(axis) for k, line in enumerate(lines)]
    return Tensor.cat(placed, axis).contiguous()


def settle(*tensors: Tensor) -> None:
    """Have these computed from here on, outside of jit: what is queued is one program, and the next part of a
    loop, which looks the same, is not compiled again. Nobody waits for it."""
    if current_trace() is None:
        tensors[0].realize(*tensors[1:])


def identity(n: int, dtype: DType, device: str) -> Tensor:
    return Tensor.eye(n, dtype=dtype, device=device)


def epsilon(dtype: DType) -> float:
    """The distance from 1 to the next number."""
    return 2.0 ** -(52 if dtype.part is dtypes.float64 else 23)


def squares(x: Tensor) -> Tensor:
    """|x|^2, a real tensor."""
    return x.real * x.real + x.imag * x.imag if x.dtype.is_complex else x * x


def sign_of(x: Tensor) -> Tensor:
    """1 or -1, of complex numbers x / |x|; 1 for 0."""
    if x.dtype.is_complex:
        return x.eq(0)._choose(1.0, x.sign())
    return (x < 0)._choose(-1.0, x._constant(1.0))


__all__ = [
    "PART",
    "Batch",
    "Blocks",
    "epsilon",
    "identity",
    "need_matrices",
    "settle",
    "shifted",
    "sign_of",
    "squares",
    "unshifted",
]
