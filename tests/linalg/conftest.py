"""Linear algebra by kernels of our own, also of a few matrices: what is tried here is not NumPy."""

from __future__ import annotations

import pytest

from saccade.linalg import host


@pytest.fixture
def by_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "FEW", 0)
