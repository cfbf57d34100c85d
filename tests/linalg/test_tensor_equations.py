"""Equations of tensors with several axes, beside NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor, linalg

from .matrices import close, normal


def test_tensorsolve() -> None:
    a, b = normal(2, 3, 6), normal(2, 3)
    close(linalg.tensorsolve(Tensor(a), Tensor(b)), np.linalg.tensorsolve(a, b))
    a, b = normal(3, 4, 2, 3, 2), normal(3, 4)
    close(linalg.tensorsolve(Tensor(a), Tensor(b)), np.linalg.tensorsolve(a, b))
    a, b = normal(4, 2, 2, 4), normal(2, 4)
    close(linalg.tensorsolve(Tensor(a), Tensor(b), dims=(0, 2)), np.linalg.tensorsolve(a, b, axes=(0, 2)))
    with pytest.raises(ValueError, match="tensorsolve of shape"):
        linalg.tensorsolve(Tensor(a), Tensor(b))


def test_tensorinv() -> None:
    a, b = normal(4, 6, 8, 3), normal(4, 6)
    found = linalg.tensorinv(Tensor(a), ind=2)
    close(found, np.linalg.tensorinv(a, ind=2), 1e-9)
    close(found.tensordot(Tensor(b), 2), np.linalg.tensorsolve(a, b), 1e-9)
    with pytest.raises(ValueError, match="1 axes in front"):
        linalg.tensorinv(Tensor(a), ind=1)
