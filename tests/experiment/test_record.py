"""Run folders: whole at every moment, whatever happens to the process or the disk."""

from __future__ import annotations

import errno
import io
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.episode import EpisodeRow, Outcome
from saccade.experiment.errors import RunError
from saccade.experiment.record import rows as lines
from saccade.experiment.record.record import RunFolder
from saccade.experiment.report.report import objects_table, summary_table


def row(index: int, **changes: Any) -> EpisodeRow:
    fields = {"id": f"eval-{index:06d}", "phase": "eval", "index": index, "epoch": 0, "object": "mug"}
    return EpisodeRow(**{**fields, "correct": True, "ending": "match", "steps": 10 + index, **changes})


@given(
    st.text(st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp"])),
    st.floats(allow_nan=False),
    st.integers(0, 2**63),
    st.booleans(),
)
def test_a_row_survives_its_line(name: str, number: float, seed: int, flag: bool) -> None:
    original = row(0, object=name, detected=name, rotation_error=number, seed=seed, symmetric=flag)
    assert lines.parse(lines.format_row(original)) == original


@given(st.integers(0, 400))
def test_a_torn_line_is_no_row(cut: int) -> None:
    text = lines.format_row(row(3, object='a "quoted", name'))
    assert lines.parse(text[: min(cut, len(text) - 1)]) is None


def test_appended_rows_are_read_back(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path / "run", ExperimentConfig()) as folder:
        folder.append([Outcome(row(1)), Outcome(row(0))])
        folder.append([Outcome(row(1, steps=99)), Outcome(row(2))])
    again = RunFolder.open(tmp_path / "run")
    assert [each.index for each in again.rows()] == [0, 1, 2]
    kept = again.recorded("eval-000001")
    assert kept is not None
    assert kept.steps == 11


@pytest.mark.parametrize("keep", range(1, 60, 7))
def test_a_torn_tail_is_cut_off(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "run"
    with RunFolder.create(path, ExperimentConfig()) as folder:
        folder.append([Outcome(row(0))])
    with (path / "episodes.csv").open("a") as file:
        file.write(lines.format_row(row(1))[:keep])
    with RunFolder.open(path, write=True) as folder:
        assert len(folder.rows()) == 1
        folder.append([Outcome(row(1))])
    assert [each.index for each in RunFolder.open(path).rows()] == [0, 1]


def as_older(path: Path, lacking: tuple[str, ...]) -> None:
    """Rewrite the rows of a run as a version without some columns left them."""
    columns = [name for name in lines.ROW_TYPES if name not in lacking]
    found = [",".join([*columns, lines.CHECK])]
    for each in RunFolder.open(path).rows():
        text = lines._line([lines._format_value(getattr(each, name)) for name in columns])
        found.append(f"{text},{zlib.crc32(text.encode()):08x}")
    (path / "episodes.csv").write_text("\n".join(found) + "\n")


def test_a_run_of_a_version_with_fewer_columns_is_read_and_goes_on(tmp_path: Path) -> None:
    path, lacking = tmp_path / "run", ("rotation_error_shape", "rotation_error_reference", "nodes")
    with RunFolder.create(path, ExperimentConfig()) as folder:
        folder.append([Outcome(row(k, rotation_error=2.5, rotation_error_shape=1.5)) for k in range(2)])
    as_older(path, lacking)
    before = (path / "episodes.csv").read_bytes()
    read = RunFolder.open(path).rows()
    assert [(each.index, each.rotation_error) for each in read] == [(0, 2.5), (1, 2.5)]
    assert all(math.isnan(each.rotation_error_shape) for each in read)
    assert (path / "episodes.csv").read_bytes() == before
    with RunFolder.open(path, write=True) as folder:
        folder.append([Outcome(row(2, rotation_error_shape=0.5))])
    assert (path / "episodes.csv").read_text().startswith(lines.HEADER)
    assert [each.steps for each in RunFolder.open(path).rows()] == [10, 11, 12]
    assert RunFolder.open(path).rows()[2].rotation_error_shape == 0.5


@pytest.mark.parametrize(
    ("header", "told"),
    [
        (lines.HEADER.replace("nodes", "colour"), "columns that this version does not know"),
        (lines.HEADER.replace("object", "nodes"), "does not begin with the columns of episodes"),
        ("what,ever,check\n", "does not begin with the columns of episodes"),
        ("what,ever", "cut off"),
    ],
)
def test_columns_of_nobody_or_of_a_later_version_are_named(tmp_path: Path, header: str, told: str) -> None:
    RunFolder.create(tmp_path / "run", ExperimentConfig()).close()
    (tmp_path / "run" / "episodes.csv").write_text(header)
    with pytest.raises(RunError, match=rf"episodes\.csv is broken: .*{told}.*start a new run"):
        RunFolder.open(tmp_path / "run")


def test_damage_in_the_middle_is_not_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with RunFolder.create(path, ExperimentConfig()) as folder:
        folder.append([Outcome(row(0)), Outcome(row(1))])
    text = (path / "episodes.csv").read_text().replace("eval-000000", "eval-000007", 1)
    (path / "episodes.csv").write_text(text)
    with pytest.raises(RunError, match="line 2"):
        RunFolder.open(path)


def test_two_writers_are_refused(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path / "run", ExperimentConfig()):
        with pytest.raises(RunError, match="another process"):
            RunFolder.open(tmp_path / "run", write=True)
        RunFolder.open(tmp_path / "run")
    RunFolder.open(tmp_path / "run", write=True).close()


def test_folders_that_are_taken_or_foreign(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "run", ExperimentConfig()).close()
    with pytest.raises(RunError, match="saccade resume"):
        RunFolder.create(tmp_path / "run", ExperimentConfig())
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="is a file"):
        RunFolder.create(tmp_path / "file", ExperimentConfig())
    (tmp_path / "other").mkdir()
    RunFolder.create(tmp_path / "other", ExperimentConfig()).close()
    with pytest.raises(RunError, match=r"no run\.json"):
        RunFolder.open(tmp_path)
    with pytest.raises(RunError, match="not a folder"):
        RunFolder.open(tmp_path / "missing")


def test_another_format_is_refused(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "run", ExperimentConfig()).close()
    head = json.loads((tmp_path / "run" / "run.json").read_text())
    (tmp_path / "run" / "run.json").write_text(json.dumps({**head, "format": 99, "saccade": "9.9"}))
    with pytest.raises(RunError, match=r"format 99.*format 2.*9\.9"):
        RunFolder.open(tmp_path / "run")


def test_a_run_goes_on_with_the_config_it_began_with(tmp_path: Path) -> None:
    path = tmp_path / "run"
    RunFolder.create(path, ExperimentConfig()).close()
    text = (path / "config.toml").read_text()
    (path / "config.toml").write_text(text.replace("seed = 0", "seed = 7"))
    with pytest.raises(RunError, match=r"config.toml is not what the run began with"):
        RunFolder.open(path, write=True)
    assert RunFolder.open(path).config.seed == 7


def summary_with(**changes: Any) -> str:
    """A summary of one episode, with other figures."""
    names = ("episodes", "correct", "used_mlh", "match_steps", "rotation_error")
    figures: dict[str, Any] = {**dict.fromkeys(names, 1), **changes}
    whole = {"complete": True, "name": "x", "results": {"eval": figures}, "timing": {"eval": {"seconds": 1}}}
    return json.dumps(whole)


DAMAGED = [
    "", "{", "[]", "{}", "\x00", "[" * 100_000, '{"results": 1, "timing": {}}', summary_with(correct="most"),
    summary_with(correct=10**400), summary_with(objects=[1]), summary_with(objects={"a": {}}),
    summary_with(known={}), summary_with(seconds=math.inf), summary_with(rotation_error={"": {}}),
    summary_with(correct=[]), summary_with(seconds={}), summary_with(rotation_error_shape={}),
]  # fmt: skip


@pytest.mark.parametrize("damaged", DAMAGED)
def test_a_damaged_summary_is_named_with_the_remedy(tmp_path: Path, damaged: str) -> None:
    with RunFolder.create(tmp_path / "run", ExperimentConfig()) as folder:
        folder.finish({"results": {}, "timing": {}})
        assert folder.summary() is not None
        folder.summary_path.write_text(damaged)
        with pytest.raises(RunError, match=r"summary.json is broken: .*saccade resume"):
            folder.summary()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("run.json", b"[" * 100_000, "run.json is broken: it is nested too deeply"),
        ("run.json", b"\xff", "run.json is broken: byte 0"),
        ("run.json", b"[1]", "run format None"),
        ("config.toml", b"x = " + b"[" * 50_000, "config.toml is broken: it is nested too deeply"),
        (
            "config.toml",
            b"[noise]\nlocation = 1e300",
            "noise.location = 1e.300 must be at least 0 and at most",
        ),
    ],
)
def test_a_damaged_head_is_named(tmp_path: Path, name: str, content: bytes, told: str) -> None:
    RunFolder.create(tmp_path / "run", ExperimentConfig()).close()
    (tmp_path / "run" / name).write_bytes(content)
    with pytest.raises(RunError, match=told):
        RunFolder.open(tmp_path / "run")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("true", "maybe"),
        ("eval-000003", "../secrets"),
        (",3,", ",x,"),
        (",3,", f",{'9' * 400},"),
        ("mug", '"'),
    ],
)
def test_a_line_that_no_episode_wrote_is_no_row(old: str, new: str) -> None:
    text = lines.format_row(row(3))[:-1].rpartition(",")[0]
    assert old in text
    forged = text.replace(old, new, 1)
    assert lines.parse(f"{text},{zlib.crc32(text.encode()):08x}\n") is not None
    assert lines.parse(f"{forged},{zlib.crc32(forged.encode()):08x}\n") is None
    long = text.replace("mug", "m" * 200_000)
    assert lines.parse(f"{long},{zlib.crc32(long.encode()):08x}\n") is None


def test_names_of_others_are_shown_as_they_are() -> None:
    names = ("[/bold]", "\x1b[2J", "[red]x[/red]")
    figures = {
        "episodes": 1,
        "correct": 1e308,
        "used_mlh": math.inf,
        "match_steps": None,
        "rotation_error": 1,
    }
    whole = {"name": "[/]", "results": {"eval": {**figures, "objects": dict.fromkeys(names, figures)}},
             "timing": {"eval": {"seconds": math.inf}}}  # fmt: skip
    console = Console(width=200, file=io.StringIO())
    console.print(summary_table(whole, 200), objects_table(whole))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "[/bold]" in shown
    assert "\x1b" not in shown
    assert "[red]x[/red]" in shown


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_place_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(RunError, match="--out"):
        RunFolder.create(tmp_path / "run", ExperimentConfig())


def test_a_place_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match=r"file/run: .*--out"):
        RunFolder.create(tmp_path / "file" / "run", ExperimentConfig())


def full_disk_after(written: int) -> Callable[[int, bytes], int]:
    """os.write on a disk with room for `written` more bytes."""
    real, left = os.write, [written]

    def write(descriptor: int, data: bytes) -> int:
        if left[0] <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        done = real(descriptor, bytes(data)[: left[0]])
        left[0] -= done
        return done

    return write


@pytest.mark.parametrize("room", [0, 1, 50])
def test_a_full_disk_loses_nothing_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    path = tmp_path / "run"
    with RunFolder.create(path, ExperimentConfig()) as folder:
        folder.append([Outcome(row(0))])
        before = (path / "episodes.csv").read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full_disk_after(room))
            with pytest.raises(RunError, match="no space left"):
                folder.append([Outcome(row(1))])
        assert (path / "episodes.csv").read_bytes() == before
        folder.append([Outcome(row(1))])
    assert len(RunFolder.open(path).rows()) == 2


def test_traces_hold_what_was_given(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path / "run", ExperimentConfig()) as folder:
        folder.append([Outcome(row(0), {"best_evidence": np.arange(5.0)})])
        with np.load(folder.trace_path("eval-000000")) as trace:
            assert trace["best_evidence"].tolist() == [0, 1, 2, 3, 4]


def test_half_built_things_are_removed(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "run", ExperimentConfig()).close()
    (tmp_path / "run" / "models").mkdir()
    (tmp_path / "run" / "models" / ".part.1.partial").write_text("torn")
    RunFolder.open(tmp_path / "run", write=True).close()
    assert list((tmp_path / "run" / "models").iterdir()) == []


def killed_after(path: Path, settings: list[str], lines_written: int, pause: float) -> bool:
    """Start or continue the run in a process of its own and kill it once so many rows are written."""
    root = Path(__file__).parents[2]
    script = [sys.executable, str(Path(__file__).with_name("fake_engine.py")), str(path), *settings]
    process = subprocess.Popen(script, env={**os.environ, "PYTHONPATH": str(root)})
    table = path / "episodes.csv"
    while process.poll() is None:
        if table.exists() and table.read_bytes().count(b"\n") > lines_written:
            time.sleep(pause)
            process.kill()
            process.wait()
            return process.returncode == -signal.SIGKILL
        time.sleep(0.001)
    assert process.returncode == 0
    return False


@pytest.mark.parametrize(
    "settings",
    [
        ["train.rotations=3", "eval.epochs=5", "recording.traces=true"],
        ["train.rotations=3", "eval.epochs=5", "eval.mode=swap", "batch=3"],
        ["train.mode=unsupervised", "train.epochs=5", "eval.mode=none"],
        ["train.mode=unsupervised", "train.epochs=5", "eval.mode=none", "train.together=2"],
    ],
    ids=["supervised", "swap", "unsupervised", "waves"],
)
class TestKilled:
    """kill -9 at many moments, then going on: the same rows and summary as a run that was left alone."""

    def expected(self, fake: ModuleType, path: Path, settings: list[str]) -> tuple[Any, list[dict[str, Any]]]:
        summary = fake.run(path, settings)
        return summary["results"], [each.results() for each in RunFolder.open(path).rows()]

    def test_kill_and_resume(self, fake: ModuleType, tmp_path: Path, settings: list[str]) -> None:
        results, wanted = self.expected(fake, tmp_path / "whole", settings)
        path = tmp_path / "killed"
        # By default a few kills; SACCADE_KILLS=20 for the full check.
        kills = int(os.environ.get("SACCADE_KILLS", "3"))
        random = np.random.default_rng(7)
        recorded: list[dict[str, Any]] = []
        landed = attempts = 0
        while attempts < kills or landed < kills // 2:
            attempts += 1
            # Moments are spread over what is left of the run, some of them before it begins.
            left = len(wanted) - len(recorded)
            target = len(recorded) + int(random.integers(0, max(1, 2 * left // kills)))
            if not killed_after(path, settings, target, pause=float(random.uniform(0.0, 0.01))):
                shutil.rmtree(path)  # it was over before, on a machine that was busy here: another run
                recorded = []
                continue
            landed += 1
            if (path / "run.json").exists():
                rows = [each.results() for each in RunFolder.open(path).rows()]
                assert len({each["id"] for each in rows}) == len(rows)
                assert set(map(repr, recorded)) <= set(map(repr, rows)), "a kill lost what was recorded"
                recorded = rows
        summary = fake.run(path, settings)
        assert json.dumps(summary["results"]) == json.dumps(results)
        assert [repr(each.results()) for each in RunFolder.open(path).rows()] == list(map(repr, wanted))

    def test_interrupted_after_every_episode(
        self, fake: ModuleType, tmp_path: Path, settings: list[str]
    ) -> None:
        results, wanted = self.expected(fake, tmp_path / "whole", settings)
        path = tmp_path / "stopped"

        class Stopping(fake.FakeEngine):  # type: ignore[misc, name-defined]
            """Runs a few more episodes every time and then is interrupted, as by Ctrl-C."""

            def _outcome(self, episode: Any, state: int, explored: bool = False) -> Outcome:
                if len(self.episodes_run) >= 6:
                    raise KeyboardInterrupt
                return super()._outcome(episode, state, explored)  # type: ignore[no-any-return]

        from saccade.experiment.config.config import override
        from saccade.experiment.progress import Silent
        from saccade.experiment.resume import reopen, standing
        from saccade.experiment.run import execute

        RunFolder.create(path, override(ExperimentConfig(), settings)).close()
        progress, summary = Silent(), None
        for _ in range(40):
            with reopen(path) as folder:
                try:
                    summary = execute(folder, Stopping(folder.config), fake.NAMES, progress)
                    break
                except KeyboardInterrupt:
                    assert not standing(folder, fake.NAMES).complete
        assert summary is not None
        assert json.dumps(summary["results"]) == json.dumps(results)
        assert progress.notes == []
        with reopen(path) as folder:
            assert standing(folder, fake.NAMES).recorded == len(wanted)

    def test_batch_and_order_change_nothing(
        self, fake: ModuleType, tmp_path: Path, settings: list[str]
    ) -> None:
        results, wanted = self.expected(fake, tmp_path / "one", settings)
        summary = fake.run(tmp_path / "many", [*settings, "batch=7"], reverse=True)
        assert json.dumps(summary["results"]) == json.dumps(results)
        rows = [repr(each.results()) for each in RunFolder.open(tmp_path / "many").rows()]
        assert rows == list(map(repr, wanted))
