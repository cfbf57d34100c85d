"""Settings come from the environment, and wrong ones name their variable."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from saccade.runtime.config import available_cores, read_settings, settings


def test_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("THREADS", "SPIN_US", "CACHE", "CACHE_BYTES", "DEVICE"):
        monkeypatch.delenv(f"SACCADE_{name}", raising=False)
    settings = read_settings()
    assert settings.threads == available_cores() >= 1
    assert settings.device == "auto"
    assert settings.cache is not None
    assert settings.cache.name == "saccade"


def test_threads_follow_the_affinity() -> None:
    assert available_cores() <= (os.cpu_count() or 1)


def test_values_are_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SACCADE_THREADS", "7")
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path))
    assert read_settings().threads == 7
    assert read_settings().cache == tmp_path
    monkeypatch.setenv("SACCADE_CACHE", "off")
    assert read_settings().cache is None


@pytest.mark.parametrize(
    ("name", "value"), [("SACCADE_THREADS", "0"), ("SACCADE_THREADS", "two"), ("SACCADE_CACHE_BYTES", "-1")]
)
def test_wrong_values_name_the_variable(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=f"{name}='?{value}"):
        read_settings()


def test_tests_have_a_cache_of_their_own() -> None:
    """Set before anything of ours was imported, and not the developer's."""
    assert settings.cache is not None
    assert settings.cache == Path(os.environ["SACCADE_CACHE"])
    assert settings.cache.parent.name.startswith("saccade-tests-")
