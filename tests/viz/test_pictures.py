"""Drawings of episodes for reports, and what is exported to rerun."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from saccade.cli.app import app
from saccade.experiment.config.presets import preset
from saccade.experiment.engine.episode import Outcome
from saccade.experiment.record.record import RunFolder
from saccade.viz.picture import MOST_FACES, _clustered, episode_picture
from saccade.viz.report import report
from saccade.viz.rerun_export import MissingRerun, export_episode
from saccade.viz.views.minds import RunView

from .test_runs import STEPS, row, trace_of


@pytest.fixture
def run(tmp_path: Path) -> RunView:
    """An episode of a mug that was taken for a bowl, with two modules that moved along x."""
    arrays = trace_of(["mug", "bowl"])
    arrays["sensed"][..., 0] += np.arange(STEPS)[:, None] * 0.01
    arrays["module_location"][:] = 0.0
    with RunFolder.create(tmp_path / "run", preset("default")) as made:
        made.append([Outcome(row(0, "mug", "bowl"), arrays)])
    return RunView(tmp_path / "run")


def test_an_episode_is_drawn_with_its_object_and_paths(run: RunView) -> None:
    drawn = ElementTree.fromstring(episode_picture(run, "eval-000000"))
    parts = [each.tag.rpartition("}")[2] for each in drawn.iter()]
    assert 100 < parts.count("polygon") <= 3 * MOST_FACES
    assert parts.count("polyline") == 2
    lines = [each.get("points", "").split() for each in drawn.iter() if each.tag.endswith("polyline")]
    for line in lines:
        rights = [float(point.partition(",")[0]) for point in line]
        assert len(line) == STEPS
        assert rights == sorted(rights)  # seen from in front, x goes right
    assert "mug, taken for bowl" in "".join(drawn.itertext())


def test_the_report_has_the_picture(run: RunView) -> None:
    text = report(run.folder)
    assert text.count("<polyline") >= 2
    assert "as it was believed to stand" in text


def test_many_faces_become_fewer_in_the_same_place() -> None:
    rng = np.random.default_rng(0)
    vertices = rng.standard_normal((3000, 3))
    vertices /= np.linalg.norm(vertices, axis=1)[:, None]
    faces = rng.integers(0, 3000, (9000, 3))
    made, fewer, colours = _clustered(vertices, faces, np.ones((9000, 3)))
    assert len(fewer) == len(colours) < len(faces)
    assert fewer.max() < len(made) < 3000
    assert (np.linalg.norm(made, axis=1) > 0.9).all()  # still on the ball


def test_an_episode_for_rerun(run: RunView, tmp_path: Path) -> None:
    pytest.importorskip("rerun", reason="the extra rerun is not installed")
    export_episode(run, "eval-000000", tmp_path / "e.rrd")
    assert (tmp_path / "e.rrd").read_bytes()[:3] == b"RRF"
    assert (tmp_path / "e.rrd").stat().st_size > 10_000


def test_without_rerun_the_extra_is_named(
    run: RunView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rerun", None)
    with pytest.raises(MissingRerun, match=r"saccade\[rerun\]"):
        export_episode(run, "eval-000000", tmp_path / "e.rrd")
    assert not (tmp_path / "e.rrd").exists()


@pytest.mark.parametrize(
    ("asked", "keys"),
    [
        (["--view", "episodes"], {"episodes", "latest", "complete"}),
        (["--view", "episode", "--episode", "eval-000000"], {"votes", "decisions", "module_best"}),
        (["--view", "mesh", "--object", "mug"], {"vertices", "faces", "colors"}),
        (["--view", "model", "--object", "mug", "--module", "1"], {"points"}),
    ],
)
def test_every_view_of_a_run_as_json(run: RunView, asked: list[str], keys: set[str]) -> None:
    told = CliRunner().invoke(app, ["view", str(run.path), *asked, "--json"])
    assert told.exit_code == 0, told.output
    assert keys <= set(json.loads(told.stdout))


def test_hypotheses_that_were_not_kept_are_told(run: RunView) -> None:
    asked = ["view", str(run.path), "--view", "cloud", "--episode", "eval-000000", "--json"]
    told = CliRunner().invoke(app, asked)
    assert told.exit_code == 1
    assert "recording.hypotheses" in told.stderr
