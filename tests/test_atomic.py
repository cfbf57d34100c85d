"""Files that are whole or not there: what a file may take the place of."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from saccade.files.atomic import staged, write_text


def test_a_file_takes_the_place_of_a_file_and_no_folder(tmp_path: Path) -> None:
    """A wrong name, `--out runs`, removed all that was in the folder."""
    path, folder = tmp_path / "one.txt", tmp_path / "folder"
    path.write_text("before")
    write_text(path, "after")
    assert path.read_text() == "after"
    folder.mkdir()
    (folder / "kept").write_text("")
    with pytest.raises(OSError, match=r"it is a folder; give the name of a file"):
        write_text(folder, "after")
    assert sorted(tmp_path.rglob("*")) == [folder, folder / "kept", path]


def test_a_folder_takes_the_place_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "old").write_text("")
    with staged(folder) as stage:
        stage.mkdir()
        (stage / "new").write_text("")
    assert [each.name for each in folder.iterdir()] == ["new"]


def test_a_folder_that_cannot_take_its_place_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "old").write_text("")
    replace = os.replace

    def failing(source: Path, target: Path) -> None:
        if (Path(source) / "new").exists():
            raise OSError("no")
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing)
    building = staged(folder)
    stage = building.__enter__()
    stage.mkdir()
    (stage / "new").write_text("")
    with pytest.raises(OSError, match="no"):
        building.__exit__(None, None, None)
    assert sorted(tmp_path.rglob("*")) == [folder, folder / "old"], "whole, and nothing beside it"
