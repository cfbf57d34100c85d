"""Complex tensors: their parts, and how they are made of real ones.

complex64 and complex128 are pairs of floats, in memory side by side as NumPy and torch have them. All of
arithmetic, analysis, movement and indexing is for them as for real tensors (`complex_rules.py`,
`complex_functions.py`); what is here is theirs alone.

    >>> z = Tensor([3 + 4j])
    >>> z.abs().tolist(), z.conj().tolist(), (z * 1j).real.tolist()
    ([5.0], [(3-4j)], [-4.0])
"""

from __future__ import annotations

from typing import Self

from ...graph import dtypes
from .. import build
from ..core import Core, Operand
from ..stores.inplace import InPlace


class Complex(InPlace):
    __slots__ = ()

    @property
    def real(self) -> Self:
        """The real part; a real tensor itself."""
        return self._new(build.real(self.node)) if self.dtype.is_complex else self

    @real.setter
    def real(self, value: Operand) -> None:
        if self.dtype.is_complex:
            self.assign(self.complex(self._part_of(value), self.imag))
        else:
            self.copy_(value)

    @property
    def imag(self) -> Self:
        """The imaginary part, which real tensors do not have."""
        if not self.dtype.is_complex:
            raise TypeError(f"{self.dtype.name} has no imaginary part: use zeros_like, or cast to complex64")
        return self._new(build.imag(self.node))

    @imag.setter
    def imag(self, value: Operand) -> None:
        self.assign(self.complex(self.real, self.imag.zeros_like().add(self._part_of(value))))

    def _part_of(self, value: Operand) -> Self:
        """A value broadcast to this shape, in the dtype of the parts."""
        given = (
            self._coerce(value) if not isinstance(value, (bool, int, float)) else self.real.full_like(value)
        )
        return given.cast(self.dtype.part).expand(self.shape)

    def angle(self) -> Self:
        """The direction in radians; of real numbers 0, pi where they are negative, NaN of NaN."""
        if self.dtype.is_complex:
            return self._of_complex("angle")
        x = self._floating()
        return x.isnan()._choose(x, (x < 0)._choose(3.141592653589793, x._constant(0.0)))

    def isreal(self) -> Self:
        return self.imag.eq(0) if self.dtype.is_complex else ~self._never()

    @classmethod
    def complex(cls, real: Core, imag: Core) -> Self:
        """The complex tensor with these parts, floats of one dtype, broadcast."""
        a, b = cls._of(real.node), cls._of(imag.node)
        if a.dtype is not b.dtype or a.dtype not in (dtypes.float32, dtypes.float64):
            raise TypeError(
                f"the parts of complex numbers are both float32 or both float64, not {a.dtype.name} and "
                f"{b.dtype.name}: cast them"
            )
        return cls._of(build.complex_(*a._pair(b)))

    @classmethod
    def polar(cls, abs: Core, angle: Core) -> Self:
        """The complex tensor of these lengths and directions in radians."""
        length, turn = cls._of(abs.node), cls._of(angle.node)
        return cls.complex(length * turn.cos(), length * turn.sin())

    def view_as_real(self) -> Self:
        """Both parts along a new last axis, (..., 2): a value of its own, not a view as in torch."""
        if not self.dtype.is_complex:
            raise TypeError(f"view_as_real takes complex numbers, not {self.dtype.name}")
        return self.stack([self.real, self.imag], -1)

    def view_as_complex(self) -> Self:
        """Pairs along the last axis as complex numbers, (..., 2) -> (...)."""
        if not self.shape or self.shape[-1] != 2:
            raise ValueError(f"view_as_complex takes a last axis of size 2, not shape {self.shape}")
        return self.complex(self.select(-1, 0), self.select(-1, 1))


__all__ = ["Complex"]
