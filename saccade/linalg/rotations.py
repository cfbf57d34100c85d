"""Jacobi's rotations of pairs of columns, half as many pairs at once as there are columns.

Column i plays against column n - 1 - i. Then the columns are dealt anew, as the players of a round-robin
tournament (Brent and Luk 1985): the first stays, the others go round. The same move after every step, so all
steps are one kernel, and after n - 1 of them, a sweep, everybody has met everybody and sits where it sat:

    0 1 2 3         0 7 1 2
    7 6 5 4   ->    6 5 4 3

Places are arithmetic, no table is read: a kernel unrolls them, and keeps the angles of a block of matrices
(`batch.Blocks`) in registers.
"""

from __future__ import annotations

from ..tensor import build
from ..tensor.tensor import Tensor
from .batch import sign_of


class Tournament:
    """Who plays whom among an even number of columns, along an axis of (blocks, m, n, lanes)."""

    def __init__(self, n: int) -> None:
        self.steps = n - 1
        self.half = n // 2
        place = Tensor._of(build.iota((n,), 0))
        #: where the column at each place comes from, whom it has played there, in which pair, on which side
        self.own = place.eq(1)._choose(n - 1, (place - 1).maximum(0))
        self.other = n - 1 - self.own
        self.pair = self.own.minimum(self.other).minimum(self.half - 1)
        self.is_left = self.own < self.half

    def players(self, x: Tensor, axis: int) -> tuple[Tensor, Tensor]:
        """The left and the right columns (or rows) of all pairs."""
        return x.narrow(axis, 0, self.half), x.narrow(axis, self.half, self.half).flip(axis)

    def turned(self, x: Tensor, axis: int, cosine: Tensor, sine: Tensor) -> Tensor:
        """Every column (or row) rotated with its partner by the angle of their pair (blocks, pairs, lanes),
        and dealt anew."""
        cosine, sine = (t.index_select(1, self.pair).unsqueeze(3 - axis) for t in (cosine, sine))
        shape = [1] * x.ndim
        shape[axis] = x.shape[axis]
        signed = self.is_left.reshape(shape).expand(sine.shape)._choose(-sine, sine.conj())
        own, other = (x.index_select(axis, to) for to in (self.own, self.other))
        return own * cosine + other * signed


def rotations(difference: Tensor, product: Tensor) -> tuple[Tensor, Tensor]:
    """Cosine and sine for every pair, from how much larger the right's product with itself is than the
    left's, and from their product with each other: the smaller angle that makes that 0. Of complex columns,
    the partner is turned by the direction of the product first: then it is real, and so is the rotation."""
    if product.dtype.is_complex:
        cosine, sine = rotations(difference, product.abs())
        return cosine, sign_of(product).conj() * sine
    none = product.eq(0)
    cotangent = none._choose(1.0, difference / (2 * none._choose(1.0, product)))
    tangent = none._choose(0.0, sign_of(cotangent) / (cotangent.abs() + (cotangent * cotangent + 1).sqrt()))
    # of a small angle exactly 1: rotations that do next to nothing do not add their rounding
    cosine = 1 / (tangent * tangent + 1).sqrt()
    return cosine, tangent * cosine


__all__ = ["Tournament", "rotations"]
