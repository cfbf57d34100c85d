"""Whose a cache folder is: only what we made is read or removed, and only where nobody else can write."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from saccade.runtime.cache.cache import Cache, key_of
from saccade.runtime.cache.folder import MARKER, FolderError, seal

from ..patience import HANG

#: an entry as the first version of the cache wrote it, in a folder named by the start of its key
OLD_KEY = key_of("test", "old")
OLD_ENTRY = b"saccade cache 1\n" + bytes(32) + b"value"


def cache_in(folder: Path, cap: int = 1 << 20) -> Cache:
    return Cache(folder, cap)


def foreign_files(folder: Path) -> dict[Path, bytes]:
    """Things that a person or another program keeps there, some with names like ours."""
    names = ["notes.txt", "ab/thesis.tex", key_of("test", "not ours"), f"cd/{key_of('test', 'nor this')}"]
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"precious " * 1000)
    return {folder / name: (folder / name).read_bytes() for name in names}


# --- other people's files


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    before = foreign_files(tmp_path)
    cache = cache_in(tmp_path, cap=100)
    key = key_of("test", "x")
    with pytest.warns(UserWarning, match="has other things in it") as caught:
        cache.get(key)
    assert len(caught) == 1
    assert str(tmp_path) in str(caught[0].message)
    assert "SACCADE_CACHE" in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.put(key, bytes(1000))
    assert cache.get(key) == bytes(1000)  # in memory
    with pytest.raises(FolderError, match="SACCADE_CACHE"):
        cache.clear()
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert cache.stats().problem is not None


def test_a_process_is_told_once(tmp_path: Path) -> None:
    foreign_files(tmp_path)
    with pytest.warns(UserWarning, match="not used"):
        cache_in(tmp_path).get(OLD_KEY)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache_in(tmp_path).get(OLD_KEY)


def test_other_things_in_our_folder_survive_eviction_and_clearing(tmp_path: Path) -> None:
    cache = cache_in(tmp_path, cap=5000)
    cache.put(key_of("test", "first"), bytes(1000))
    before = foreign_files(tmp_path)
    (tmp_path / key_of("test", "link")).symlink_to(tmp_path / "notes.txt")
    for i in range(20):
        cache.put(key_of("test", str(i)), bytes(1000))
    assert 0 < cache.stats().entries < 6
    assert cache.clear() > 0
    assert cache.stats().entries == 0
    for path, data in before.items():
        assert path.read_bytes() == data
    assert (tmp_path / key_of("test", "link")).is_symlink()
    cache.put(key_of("test", "again"), b"value")  # still ours
    assert cache_in(tmp_path).get(key_of("test", "again")) == b"value"


def test_large_foreign_files_do_not_push_out_what_is_used(tmp_path: Path) -> None:
    cache = cache_in(tmp_path, cap=5000)
    key = key_of("test", "used")
    cache.put(key, bytes(100))
    (tmp_path / key_of("test", "not ours")).write_bytes(bytes(100_000))
    again = cache_in(tmp_path, cap=5000)
    again.put(key_of("test", "other"), bytes(100))
    assert again.get(key) is not None


# --- a folder becomes ours


@pytest.mark.parametrize("there", [False, True])
def test_an_empty_or_missing_folder_becomes_ours(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "a" / "cache"
    if there:
        folder.mkdir(parents=True, mode=0o700)
    cache = cache_in(folder)
    assert cache.get(OLD_KEY) is None
    assert folder.exists() == there  # looking makes nothing
    cache.put(OLD_KEY, b"value")
    assert (folder / MARKER).read_bytes().startswith(b"Signature: 8a477f597d28d172789f06886806bc55\n")
    if os.name == "posix":
        assert folder.stat().st_mode & 0o077 == 0
        assert (folder / OLD_KEY).stat().st_mode & 0o077 == 0


def test_a_lost_or_half_written_marker_is_made_again(tmp_path: Path) -> None:
    cache_in(tmp_path).put(OLD_KEY, b"value")
    whole = (tmp_path / MARKER).read_bytes()
    for left in (None, b"", whole[:20]):
        (tmp_path / MARKER).unlink()
        if left is not None:
            (tmp_path / MARKER).write_bytes(left)
        cache = cache_in(tmp_path)
        assert cache.get(OLD_KEY) == b"value"
        cache.put(key_of("test", "x"), b"other")
        assert (tmp_path / MARKER).read_bytes() == whole


def test_the_marker_of_another_program_is_none_of_ours(tmp_path: Path) -> None:
    tag = b"Signature: 8a477f597d28d172789f06886806bc55\n# made by another program\n"
    (tmp_path / MARKER).write_bytes(tag)
    with pytest.warns(UserWarning, match="has other things in it"):
        cache_in(tmp_path).put(OLD_KEY, b"value")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [tag]


def old_cache(folder: Path) -> Path:
    path = folder / OLD_KEY[:2] / OLD_KEY
    path.parent.mkdir(parents=True)
    path.write_bytes(OLD_ENTRY)
    path.with_name(f"{OLD_KEY}.12.34.part").write_bytes(OLD_ENTRY[:7])
    return path


def test_a_cache_of_the_first_version_becomes_ours_and_can_be_cleared(tmp_path: Path) -> None:
    path = old_cache(tmp_path)
    (tmp_path / "fields").mkdir()  # the first version had its distance fields beside the entries
    cache = cache_in(tmp_path)
    assert cache.get(OLD_KEY) is None  # nothing in it says which key it is for
    cache.put(OLD_KEY, b"value")
    assert cache.get(OLD_KEY) == b"value"
    assert cache.stats().entries == 2
    assert cache.clear() == 2
    assert not path.exists()
    assert (tmp_path / "fields").exists()


def test_a_cache_of_the_first_version_with_other_things_is_left_alone(tmp_path: Path) -> None:
    path = old_cache(tmp_path)
    path.with_name("thesis.tex").write_text("precious")
    with pytest.warns(UserWarning, match="has other things in it"):
        cache_in(tmp_path).put(OLD_KEY, b"value")
    assert path.exists()


def test_a_folder_that_only_looks_like_an_old_cache_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "fields").mkdir()
    with pytest.warns(UserWarning, match="has other things in it"):
        cache_in(tmp_path).put(OLD_KEY, b"value")


# --- who may write there


needs_owners = pytest.mark.skipif(os.name != "posix", reason="files have owners and modes on POSIX")
needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files to another user"
)


@needs_owners
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
def test_a_folder_that_others_may_write_is_refused(tmp_path: Path, mode: int) -> None:
    cache_in(tmp_path).put(OLD_KEY, b"value")
    tmp_path.chmod(mode)
    cache = cache_in(tmp_path)
    with pytest.warns(UserWarning, match=r"others may write.*chmod go-w"):
        found = cache.get(OLD_KEY)
    assert found is None
    cache.put(OLD_KEY, b"mine")
    assert cache.get(OLD_KEY) == b"mine"
    tmp_path.chmod(0o755)  # others may look
    assert cache_in(tmp_path).get(OLD_KEY) == b"value"


@needs_root
def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    cache_in(tmp_path).put(OLD_KEY, b"value")
    os.chown(tmp_path, 12345, -1)
    with pytest.warns(UserWarning, match="belongs to user 12345") as warned:
        assert cache_in(tmp_path).get(OLD_KEY) is None
    assert "chmod" not in str(warned[0].message)  # which would change nothing


@needs_root
def test_a_folder_of_root_is_not_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where an image brings a cache along: whoever is root can change what Python runs anyway."""
    cache_in(tmp_path).put(OLD_KEY, b"value")
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert cache_in(tmp_path).get(OLD_KEY) == b"value"


@needs_root
def test_an_entry_of_another_user_is_dropped(tmp_path: Path) -> None:
    cache_in(tmp_path).put(OLD_KEY, b"value")
    os.chown(tmp_path / OLD_KEY, 12345, -1)
    assert cache_in(tmp_path).get(OLD_KEY) is None


@needs_owners
def test_an_entry_that_others_may_write_is_dropped(tmp_path: Path) -> None:
    cache_in(tmp_path).put(OLD_KEY, b"value")
    (tmp_path / OLD_KEY).chmod(0o620)
    assert cache_in(tmp_path).get(OLD_KEY) is None


# --- entries


def test_an_entry_under_another_key_is_not_believed(disk: Cache) -> None:
    one, two = key_of("test", "one"), key_of("test", "two")
    disk.put(one, b"value of one")
    disk.put(two, b"value of two")
    assert disk.folder is not None
    shutil.copy(disk.folder / one, disk.folder / two)
    assert disk.get(two) is None
    assert disk.get(one) == b"value of one"


def damaged(path: Path, key: str, damage: str) -> None:
    data = path.read_bytes()
    path.unlink()
    match damage:
        case "directory":
            path.mkdir()
            (path / "precious").write_text("foreign")
        case "link":
            (path.parent / "elsewhere").write_bytes(data)
            path.symlink_to(path.parent / "elsewhere")
        case "dangling link":
            path.symlink_to(path.parent / "nowhere")
        case "pipe":
            os.mkfifo(path)
        case "old":
            path.write_bytes(b"saccade cache 1\n" + data[16:])
        case "other key":
            path.write_bytes(seal(key_of("test", "other"), b"value"))
        case "longer":
            path.write_bytes(data + b"more")
        case "no rights":
            path.write_bytes(data)
            path.chmod(0o000)


@needs_owners
@pytest.mark.parametrize(
    "damage", ["directory", "link", "dangling link", "pipe", "old", "other key", "longer", "no rights"]
)
def test_what_is_no_entry_is_made_again_in_silence(disk: Cache, damage: str) -> None:
    key = key_of("test", "x")
    disk.put(key, b"value")
    assert disk.folder is not None
    path = disk.folder / key
    damaged(path, key, damage)
    again = Cache(disk.folder, disk.cap)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = again.get(key)
        assert found is None or (damage == "no rights" and os.geteuid() == 0)
        again.put(key, b"made again")
        assert again.get(key) == b"made again"
        if damage == "directory":  # not ours to remove: the value stays in memory
            assert (path / "precious").read_text() == "foreign"
        else:
            assert Cache(disk.folder, disk.cap).get(key) == b"made again"
    if damage == "link":
        assert seal(key, b"value") == (disk.folder / "elsewhere").read_bytes()


def test_a_dropped_entry_is_told_to_whoever_listens(disk: Cache, caplog: pytest.LogCaptureFixture) -> None:
    key = key_of("test", "x")
    disk.put(key, b"value")
    assert disk.folder is not None
    (disk.folder / key).write_bytes(b"nonsense")
    with caplog.at_level(logging.DEBUG, "saccade.runtime.cache.cache"):
        disk.get(key)
    assert len(caplog.messages) == 1
    assert key in caplog.text


def test_a_value_that_cannot_be_decoded_is_dropped(disk: Cache) -> None:
    key = key_of("test", "x")
    disk.put(key, b"7")
    assert disk.load(key, int) == 7
    disk.put(key, b"seven")
    assert disk.load(key, int) is None
    assert disk.discarded == 1
    assert disk.get(key) is None


def test_a_folder_that_is_removed_meanwhile_is_made_again(disk: Cache) -> None:
    disk.put(OLD_KEY, b"value")
    assert disk.folder is not None
    shutil.rmtree(disk.folder)
    assert disk.get(OLD_KEY) is None
    disk.put(OLD_KEY, b"again")
    assert Cache(disk.folder, disk.cap).get(OLD_KEY) == b"again"


def test_a_relative_folder_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cache = cache_in(Path("cache"))
    cache.put(OLD_KEY, b"value")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert cache.get(OLD_KEY) == b"value"


# --- the command


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "saccade", "cache", *arguments],
        env=os.environ | {"SACCADE_CACHE": str(folder), "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )


def test_clear_refuses_a_folder_that_is_not_ours(tmp_path: Path) -> None:
    before = foreign_files(tmp_path)
    done = command(tmp_path, "clear")
    assert done.returncode == 1
    assert str(tmp_path) in done.stderr
    assert "SACCADE_CACHE" in done.stderr
    assert "Traceback" not in done.stderr
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    shown = command(tmp_path, "show", "--json")
    assert shown.returncode == 0
    assert "has other things in it" in shown.stdout
