"""The attack on readers finds nothing, and would: hangs, deaths, too much memory, errors without a name."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
import zlib
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from saccade.files.reading import reading
from saccade.fuzz.files import files
from saccade.fuzz.files.file_damage import DAMAGES, MOST, damaged
from saccade.fuzz.files.file_kinds import Kind, all_kinds
from saccade.fuzz.files.file_worker import FAILED, REFUSED, RESULT, outcome_of, write
from saccade.fuzz.files.files import Case, Failure, Reader, attack, draw, small
from saccade.world.meshes.mesh import MeshError

from ..patience import HANG

REPLY = 'print(\'{"outcome": "result", "told": ""}\', flush=True)'


def test_some_damaged_files_of_each_kind() -> None:
    report = attack(seed=7, count=8 * len(all_kinds()))
    assert not report.failures, str(report.failures[0])
    assert set(report.tried.values()) == {8}
    assert set(report.tried) == set(all_kinds())
    assert 0 < report.results.total() < report.tried.total()


@pytest.mark.slow
def test_many_damaged_files_of_each_kind() -> None:
    report = attack(seed=50_000, count=int(os.environ.get("SACCADE_FILES", "2000")))
    assert not report.failures, str(report.failures[0])


def test_a_seed_is_a_file() -> None:
    for kind in all_kinds():
        assert draw(kind, 3) == draw(kind, 3)
        assert len({draw(kind, seed).files[draw(kind, seed).name] for seed in range(20)}) > 10


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda each: each.__name__)
def test_every_damage_changes_most_texts(damage: object) -> None:
    text = b'{"a": [1, 2.5, "x"],\n "b": null}\n' * 3
    changed = [damage(Random(seed), text, [b"other\ntext\n"]) for seed in range(20)]  # type: ignore[operator]
    assert sum(each != text for each in changed) > 10
    damage(Random(0), b"", [])  # type: ignore[operator]
    assert all(len(damaged(Random(seed), text, [text])) <= MOST for seed in range(200))


def kind_that(action: object) -> Kind:
    def read(folder: Path) -> object:
        with reading(folder / "a", MeshError, "repair it"):
            return action()  # type: ignore[operator]

    return Kind("made up", ({"a": b""},), ("a",), read, (MeshError,))


def raising(error: Exception) -> object:
    def act() -> None:
        raise error

    return act


@pytest.mark.parametrize(
    ("action", "outcome", "told"),
    [
        (lambda: 1, RESULT, ""),
        (raising(KeyError("x")), REFUSED, "a is broken: it has no 'x'"),
        (raising(AssertionError("wrong")), FAILED, "AssertionError: wrong"),
        (raising(MemoryError()), FAILED, "more memory than allowed"),
        (raising(MeshError("a vertex is wrong")), FAILED, "does not name the file"),
        (lambda: warnings.warn("divide by zero", RuntimeWarning, stacklevel=1), FAILED, "RuntimeWarning"),
    ],
)
def test_what_counts_as_what(tmp_path: Path, action: object, outcome: str, told: str) -> None:
    found = outcome_of(kind_that(action), tmp_path / "case")
    assert found[0] == outcome
    assert told in found[1]


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (f"import time; time.sleep({HANG})", "hung"),
        ("import os; os._exit(7)", "died: exit code 7"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "died: exit code -11"),
    ],
)
def test_a_process_that_hangs_or_dies_is_replaced(script: str, told: str) -> None:
    """The first answers once and then does as the script says; so does the next."""
    code = f"print('ready', flush=True); input(); {REPLY}; input(); {script}"
    case = draw("stl", 0)
    with Reader([], seconds=HANG, command=[sys.executable, "-c", code]) as reader:
        assert reader.read(case)[0] == RESULT
        reader.seconds = 0.1 if told == "hung" else HANG
        outcome, words, _ = reader.read(case)
        reader.seconds = HANG
        assert outcome == FAILED
        assert told in words
        assert reader.read(case)[0] == RESULT


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is limited on Linux")
def test_memory_is_limited() -> None:
    allowed = "from saccade.fuzz.files.file_worker import limit_memory; limit_memory(1 << 28); "
    code = f"{allowed} bytearray(1 << 26); print('so far', flush=True); bytearray(1 << 29)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "so far\n"
    assert done.stderr.strip().endswith("MemoryError")


class Pretending:
    """Fails wherever some bytes are left."""

    def read(self, case: Case) -> tuple[str, str, float]:
        failed = b"bad" in case.files["a"]
        return (FAILED, "KeyError: 'x'", 0.0) if failed else (RESULT, "", 0.0)


def test_a_failure_becomes_small(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("stl", 5, {"a": b"x" * 300 + b"bad" + b"y" * 500, "b": b"other"}, "a", False)
    found = small(Pretending(), Failure(case, "KeyError: 'x'"))  # type: ignore[arg-type]
    assert found.case.files == {"a": b"bad", "b": b"other"}
    assert "attack(5, 1, ['stl'])" in str(found)
    monkeypatch.setattr(files, "PATIENCE", 0.0)
    assert small(Pretending(), Failure(case, "KeyError: 'x'")).case == case  # type: ignore[arg-type]
    assert replace(case, mended=True).on_disk() == case.files


@pytest.mark.parametrize(
    ("file", "data"),
    [
        ("run.json", b'\xef\xbb\xbf{"format": 2}'),
        ("run.json", '{"format": 2}'.encode("utf-16-le")),
        ("run.json", b'{"format": 2, "environments": 7}'),
        ("run.json", b'{"format": 2, "environments": [7]}'),
        ("episodes.csv", None),
    ],
)
def test_runs_that_were_opened_and_then_not_read(tmp_path: Path, file: str, data: bytes | None) -> None:
    """The first reader of run.json took other encodings than the second; a name made a path too long to ask
    for."""
    kind = all_kinds()["run"]
    whole = dict(kind.whole[0])
    if data is None:
        header, row, *rest = whole[file].decode().splitlines(keepends=True)
        long = f"{'x' * 300}{row[row.index(',') : row.rindex(',')]}"
        data = "".join([header, f"{long},{zlib.crc32(long.encode()):08x}\n", *rest]).encode()
    write(tmp_path / "run", {**whole, file: data})
    outcome, told = outcome_of(kind, tmp_path / "run")
    assert outcome in (RESULT, REFUSED), told
