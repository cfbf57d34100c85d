"""What tests of tensors share."""

from __future__ import annotations

from typing import Any

import pytest

from saccade.runtime.executable import Executable
from saccade.tensor.programs import realize


@pytest.fixture(name="made")
def made_fixture(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The forms that are prepared during a test, which starts with none."""
    prepared: list[object] = []
    original = realize.make_executable

    def noted(form: Any, device: str) -> Executable:
        prepared.append(form)
        return original(form, device)

    monkeypatch.setattr(realize, "make_executable", noted)
    monkeypatch.setattr(realize, "_executables", realize.Families())
    return prepared
