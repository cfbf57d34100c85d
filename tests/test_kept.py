"""Code that is kept from one session of tests to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import kept as kept_code


def test_code_is_made_again_where_anything_differs_or_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_code, "FOLDER", tmp_path)
    asked: list[str] = []

    def compile_(text: str, quick: bool = False) -> bytes:
        asked.append(text)
        return f"{text} {quick} {len(asked)}".encode()

    one, other = (kept_code.kept(lambda version=version: version, compile_) for version in ("1", "2"))
    first = one("a")
    assert one("a") == first
    assert asked == ["a"]
    assert len({first, one("b"), one("a", True), other("a")}) == len(asked) == 4
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_bytes()[:-1])
    assert one("a") != first
    assert len(asked) == 5


def test_what_fails_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_code, "FOLDER", tmp_path)

    def compile_(text: str) -> bytes:
        raise ValueError(text)

    for _ in range(2):
        with pytest.raises(ValueError, match="bad"):
            kept_code.kept(str, compile_)("bad")
    assert not list(tmp_path.iterdir())
