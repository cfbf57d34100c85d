"""The cache on disk: right or not found, whatever happens to its files."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.runtime.cache.cache import Cache, key_of
from saccade.runtime.cache.folder import MARKER, seal

from ..patience import HANG


def entry(cache: Cache, key: str) -> Path:
    assert cache.folder is not None
    return cache.folder / key


def test_values_come_back_in_another_process(disk: Cache) -> None:
    key = key_of("test", "x")
    assert disk.get(key) is None
    disk.put(key, b"value")
    again = Cache(disk.folder, disk.cap)
    assert again.get(key) == b"value"
    assert (again.hits, again.misses) == (1, 0)


@given(st.lists(st.text(max_size=4), max_size=3), st.lists(st.text(max_size=4), max_size=3))
def test_keys_differ_exactly_when_their_parts_do(a: list[str], b: list[str]) -> None:
    assert (key_of("k", *a) == key_of("k", *b)) == (a == b)
    assert key_of("k", *a) != key_of("other", *a)


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "header"])
def test_damaged_entries_are_discarded(disk: Cache, damage: str) -> None:
    key = key_of("test", damage)
    disk.put(key, b"value" * 100)
    path = entry(disk, key)
    data = bytearray(path.read_bytes())
    if damage == "flip":
        data[-3] ^= 1
    elif damage == "header":
        data[0] ^= 1
    else:
        del data[0 if damage == "empty" else len(data) // 2 :]
    path.write_bytes(bytes(data))
    assert disk.get(key) is None
    assert not path.exists()
    assert disk.discarded == 1
    disk.put(key, b"new")
    assert disk.get(key) == b"new"


def test_the_entries_used_longest_ago_go_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path, cap=20_000)
    keys = [key_of("test", str(i)) for i in range(30)]
    for age, key in enumerate(keys[:15]):
        cache.put(key, bytes(1000))
        past = time.time() - 1e6 + age
        os.utime(entry(cache, key), (past, past))
    assert cache.get(keys[0]) is not None  # used just now, so it stays
    for key in keys[15:]:
        cache.put(key, bytes(1000))
    assert cache.stats().nbytes <= 20_000
    assert cache.get(keys[0]) is not None
    assert cache.get(keys[1]) is None
    assert cache.get(keys[29]) is not None


def test_stats_and_clear(disk: Cache) -> None:
    for i in range(5):
        disk.put(key_of("test", str(i)), bytes(100))
    assert disk.stats().entries == 5
    assert disk.stats().nbytes > 500
    assert disk.clear() == 5
    assert disk.stats().entries == 0
    assert disk.get(key_of("test", "0")) is None


def test_a_folder_that_cannot_be_written_is_reported_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file" / "cache", 1 << 20)
    with pytest.warns(UserWarning, match="SACCADE_CACHE"):
        cache.put("ab" * 32, b"one")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.put("cd" * 32, b"two")
    assert cache.get("ab" * 32) == b"one"
    assert cache.stats().folder is None
    assert cache.clear() == 2


def test_a_folder_that_can_only_be_read_still_serves(disk: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = key_of("test", "old"), key_of("test", "new")
    disk.put(old, b"there before")

    open_file = os.open

    def refuse(path: str, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_CREAT:
            raise PermissionError("read-only")
        return open_file(path, flags, mode)

    monkeypatch.setattr(os, "open", refuse)
    reader = Cache(disk.folder, disk.cap)
    with pytest.warns(UserWarning, match="read-only"):
        reader.put(new, b"made here")
    assert (reader.get(new), reader.get(old)) == (b"made here", b"there before")


def test_without_a_folder_memory_is_bounded() -> None:
    cache = Cache(None, cap=5000)
    for i in range(20):
        cache.put(key_of("test", str(i)), bytes(1000))
    assert cache.stats().nbytes <= 5000
    assert cache.get(key_of("test", "19")) is not None
    assert cache.get(key_of("test", "0")) is None


def test_an_interrupted_write_leaves_nothing_behind(disk: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    key = key_of("test", "x")
    disk.put(key, b"old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            disk.put(key, b"new")
    assert disk.get(key) == b"old"
    assert disk.folder is not None
    assert sorted(path.name for path in disk.folder.iterdir()) == sorted([key, MARKER])


def test_leftovers_of_killed_processes_are_removed(disk: Cache) -> None:
    key = key_of("test", "x")
    disk.put(key, b"value")
    leftover = entry(disk, key).with_name(f"{key}.12ab.part")
    leftover.write_bytes(seal(key, b"value")[:9])
    foreign = leftover.with_name(f"{key}.34cd.part")
    foreign.write_bytes(b"half of something else")
    assert disk.stats().entries == 1
    disk.clear()
    assert not leftover.exists()
    assert foreign.exists()


def test_threads_and_processes_may_write_the_same_entries(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import sys
        from pathlib import Path
        from saccade.runtime.cache.cache import Cache, key_of
        cache = Cache(Path(sys.argv[1]), 60_000)         # small: the processes also evict under each other
        for turn in range(15):
            for i in range(20):
                key = key_of("test", str(i))
                value = cache.get(key)
                assert value is None or value == bytes([i]) * 5000, "a torn entry"
                cache.put(key, bytes([i]) * 5000)
        assert cache.folder is not None and cache.discarded == 0
    """)
    command = [sys.executable, "-W", "error", "-c", script, str(tmp_path)]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    cache = Cache(tmp_path, 60_000)
    errors: list[str] = []

    def work() -> None:
        for _ in range(15):
            for i in range(20):
                cache.put(key_of("test", str(i)), bytes([i]) * 5000)
                value = cache.get(key_of("test", str(i)))
                if value is not None and value != bytes([i]) * 5000:
                    errors.append("a torn entry")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for process in processes:
        _, text = process.communicate(timeout=HANG)
        assert process.returncode == 0, text
    assert not errors
    assert cache.folder is not None


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_writer_that_is_killed_leaves_whole_entries(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import sys
        from pathlib import Path
        from saccade.runtime.cache.cache import Cache, key_of
        cache = Cache(Path(sys.argv[1]), 1 << 40)
        print("ready", flush=True)
        while True:
            for i in range(4):
                cache.put(key_of("test", str(i)), bytes([i]) * (1 << 22))
    """)
    folder = tmp_path / "cache"
    for pause in (0.0, 0.004, 0.011):
        with subprocess.Popen([sys.executable, "-c", script, str(folder)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(pause)
            process.kill()
    cache = Cache(folder, 1 << 40)
    for i in range(4):
        assert cache.get(key_of("test", str(i))) in (None, bytes([i]) * (1 << 22))
    assert cache.discarded == 0
    cache.put(key_of("test", "new"), b"value")
    cache.clear()
    assert [path.name for path in folder.iterdir()] == [MARKER]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_forked_while_a_thread_writes_is_not_stuck(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import os, sys, threading
        from pathlib import Path
        from saccade.runtime.cache.cache import Cache, key_of
        cache = Cache(Path(sys.argv[1]), 1 << 20)
        held, over = threading.Event(), threading.Event()

        def hold():
            with cache._lock:  # as in the middle of a put
                held.set()
                over.wait()

        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()
        child = os.fork()
        if child == 0:
            cache.put(key_of("test", "x"), b"value")
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        over.set()
        thread.join()
        print(status, cache.get(key_of("test", "x")))
    """)
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    assert done.stdout == "0 b'value'\n", done.stderr
