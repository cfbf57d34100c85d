"""Transforms of a few points as straight code: NumPy's, for complex and for real points."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.fft.butterfly import Point, butterfly
from saccade.fft.transform import RADIX


def whole(points: list[Point]) -> np.ndarray:
    return np.stack(
        [(0 if re is None else re.numpy()) + 1j * (0 if im is None else im.numpy()) for re, im in points]
    )


@pytest.mark.parametrize("n", [*range(1, RADIX + 1), 9, 11, 12, 15, 16])
def test_points(n: int, rng: np.random.Generator) -> None:
    a, b = rng.normal(size=(2, n, 5))
    complex_points: list[Point] = [(Tensor(x), Tensor(y)) for x, y in zip(a, b, strict=True)]
    real_points: list[Point] = [(Tensor(x), None) for x in a]
    np.testing.assert_allclose(whole(butterfly(complex_points)), np.fft.fft(a + 1j * b, axis=0), atol=1e-13)
    np.testing.assert_allclose(whole(butterfly(real_points)), np.fft.fft(a, axis=0), atol=1e-13)
