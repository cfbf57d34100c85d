"""The digest of the compiler: by what its files say, and by nothing else."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from saccade.runtime.cache import compiler_digest as module
from saccade.runtime.cache.compiler_digest import compiler_digest, edited


def digest() -> str:
    compiler_digest.cache_clear()
    return compiler_digest()


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small compiler, written before this process began."""
    for name in (*module._COMPILER, "tensor/programs"):
        (tmp_path / name / "inner").mkdir(parents=True)
        (tmp_path / name / "prepare.py").write_text(f"name = {name!r}\n")
        (tmp_path / name / "inner" / "deep.py").write_text("x = 1\n")
    monkeypatch.setattr(module, "_ROOT", str(tmp_path))
    monkeypatch.setattr(module, "_BEGUN", time.time() + 3600)
    monkeypatch.setattr(module, "_unedited", None)
    compiler_digest.cache_clear()
    return tmp_path


@pytest.fixture(autouse=True)
def fresh() -> None:
    compiler_digest.cache_clear()


def test_it_is_stable() -> None:
    first, second = digest(), digest()
    if edited():
        pytest.skip("somebody edits the compiler while its tests run")
    assert first == second


def test_a_change_shows_whatever_its_size_and_time(tree: Path) -> None:
    before = digest()
    path = tree / "codegen" / "inner" / "deep.py"
    status = path.stat()
    path.write_text("x = 2\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert digest() != before
    path.write_text("x = 1\n")
    assert digest() == before


def test_another_time_or_place_is_no_change(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest()
    for path in tree.rglob("*.py"):
        os.utime(path, (1, 1))
    (tree / "graph" / "__pycache__").mkdir()
    (tree / "graph" / "__pycache__" / "left.py").write_text("")
    assert digest() == before
    shutil.copytree(tree, tree / "elsewhere")
    monkeypatch.setattr(module, "_ROOT", str(tree / "elsewhere"))
    assert digest() == before


def test_names_and_borders_of_files_count(tree: Path) -> None:
    seen = {digest()}
    (tree / "graph" / "prepare.py").rename(tree / "graph" / "other.py")
    seen.add(digest())
    (tree / "graph" / "a.py").write_text("12")
    (tree / "graph" / "b.py").write_text("3")
    seen.add(digest())
    (tree / "graph" / "a.py").write_text("1")
    (tree / "graph" / "b.py").write_text("23")
    seen.add(digest())
    assert len(seen) == 4


def test_nothing_is_found_or_kept_once_files_were_edited(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    time.sleep(0.02)  # a tick of the file system's clock
    monkeypatch.setattr(module, "_BEGUN", time.time())
    before = digest()
    assert not edited()
    time.sleep(0.02)
    (tree / "schedule" / "prepare.py").write_text("changed\n")
    assert not edited()  # what is imported runs on as it was read
    monkeypatch.setitem(sys.modules, "imported_since", module)
    assert edited()
    assert edited()
    assert len({before, digest(), digest()}) == 3


def test_files_of_a_clock_that_is_ahead_are_no_edits(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BEGUN", time.time() - 7200)
    monkeypatch.setattr(module.time, "time", lambda now=time.time: now() - 3600)
    assert not edited()
    assert digest() == digest()


def test_without_source_files_nothing_is_found(tree: Path) -> None:
    shutil.rmtree(tree / "runtime")
    assert digest() != digest()
    assert edited()
