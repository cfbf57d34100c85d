"""Runs as views and as a report: what is there agrees with the run folder, and nothing else is asked for."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from saccade.cli import app
from saccade.experiment.charts import Lines, render
from saccade.experiment.config import override
from saccade.experiment.episode import EpisodeRow, Outcome
from saccade.experiment.plots import charts_of, confusion
from saccade.experiment.presets import preset
from saccade.experiment.record import RunError, RunFolder
from saccade.experiment.rotations import from_euler
from saccade.viz.minds import RunView
from saccade.viz.report import essentials, report, worst_first, write_report

STEPS = 6


def trace_of(names: list[str]) -> dict[str, np.ndarray]:
    evidence = np.arange(STEPS * len(names), dtype=float).reshape(STEPS, len(names))
    evidence[0, 0] = -np.inf
    return {
        "sensed": np.full((STEPS, 1, 3), 0.01),
        "processed": np.ones(STEPS, bool),
        "best_evidence": evidence.max(1),
        "second_evidence": evidence.min(1),
        "object_evidence": evidence,
        "hypotheses": np.full(STEPS, 40),
        "best_object": np.ones(STEPS, int),
        "best_location": np.full((STEPS, 3), np.nan),
        "best_rotation": np.tile(np.eye(3), (STEPS, 1, 1)),
        "objects": np.array(names),
    }


def row(number: int, shown: str, reported: str, **more: object) -> EpisodeRow:
    plain = EpisodeRow(
        id=f"eval-{number:06}", phase="eval", index=number, epoch=0, object=shown, detected=reported,
        ending="match", correct=shown == reported, steps=10 + number, target_rotation="0.00 90.00 0.00",
    )  # fmt: skip
    return dataclasses.replace(plain, **more)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    names = ["<b>mug</b>", "bowl", "can"]
    rows = [row(0, names[0], names[0]), row(1, names[0], "bowl"), row(2, "can", ""), row(3, "bowl", "bowl")]
    with RunFolder.create(tmp_path / "run", override(preset("default"), [])) as made:
        made.append([Outcome(each, trace_of(names) if each.index < 2 else {}) for each in rows])
    return RunFolder.open(tmp_path / "run")


def test_wrong_episodes_come_first(folder: RunFolder) -> None:
    told = RunView(folder.path).episodes()["episodes"]
    assert [each["correct"] for each in told] == [False, False, True, True]
    assert [each.id for each in worst_first(folder.rows())][:2] == ["eval-000002", "eval-000001"]


def test_an_episode_is_told_step_by_step(folder: RunFolder) -> None:
    found = RunView(folder.path).episode("eval-000001")
    assert found["steps_traced"] == STEPS
    assert found["object_evidence"][0][0] is None  # there is no infinity in JSON
    assert found["best_location"][0] == [None, None, None]
    np.testing.assert_allclose(found["rotation"], from_euler((0.0, 90.0, 0.0)), atol=1e-6)
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("eval-000002", "no trace"),
        ("../../etc/passwd", "no episode"),
        ("", "no episode"),
        ("eval-000099", "no ep"),
    ],
)
def test_episodes_that_there_are_not(folder: RunFolder, name: str, told: str) -> None:
    with pytest.raises(RunError, match=told):
        RunView(folder.path).episode(name)


def test_arrays_that_do_not_fit_are_told(folder: RunFolder) -> None:
    broken = trace_of(["a", "b"]) | {"sensed": np.zeros((STEPS, 3))}
    np.savez_compressed(folder.trace_path("eval-000001"), **broken)
    with pytest.raises(RunError, match="array sensed has shape"):
        RunView(folder.path).episode("eval-000001")
    assert "eval-000001" in report(folder)  # and the rest is reported all the same


def test_hypotheses_stand_as_the_object_does(folder: RunFolder) -> None:
    assert RunView(folder.path).episode("eval-000001")["cloud"] is None
    places = np.full((STEPS, 4, 3), np.nan, np.float32)
    evidence = np.full((STEPS, 4), np.nan, np.float32)
    places[:, 0], evidence[:, 0] = (0.0, 0.0, 0.25), 3.5
    clouds = {"cloud_location": places, "cloud_evidence": evidence}
    np.savez_compressed(folder.trace_path("eval-000001"), **trace_of(["bowl", "can"]), **clouds)
    cloud = RunView(folder.path).episode("eval-000001")["cloud"]
    assert cloud["place"] == [[[0.25, 0.0, 0.0]]] * STEPS  # a quarter turn about y
    assert cloud["evidence"] == [[3.5]] * STEPS
    clouds["cloud_evidence"] = evidence[:, :2]
    np.savez_compressed(folder.trace_path("eval-000001"), **trace_of(["bowl", "can"]), **clouds)
    with pytest.raises(RunError, match="its hypotheses have shape"):
        RunView(folder.path).episode("eval-000001")


def test_the_report_is_one_file_with_everything_in_it(folder: RunFolder) -> None:
    text = report(folder)
    assert "<script" not in text
    assert "<b>mug" not in text  # names are text
    assert not re.search(r"(src|href)=", text)
    assert set(re.findall(r"https?://[^\"' ]*", text)) <= {"http://www.w3.org/2000/svg"}
    assert text.count("<svg") >= 5
    assert "taken for bowl" in text


def test_the_confusion_plot_has_its_counts(folder: RunFolder) -> None:
    rows = [row(number, "mug", "bowl" if number < 7 else "mug") for number in range(12)]
    picture = render([confusion(rows)], "svg").decode()
    numbers = re.findall(r'font-size="9"[^>]*>(\d+)<', picture)
    assert sorted(numbers) == ["5", "7"]
    drawn = charts_of(folder)["evidence"]
    assert isinstance(drawn, Lines)
    named = render([drawn], "svg").decode()
    assert all(f">{label}<" in named for label in ("best object", "second", "evidence"))


def test_the_report_counts_what_was_taken_for_what(folder: RunFolder) -> None:
    told = essentials(folder)
    mistakes = {(each["shown"], each["reported"]): each["times"] for each in told["mistakes"]}
    assert mistakes == {("<b>mug</b>", "bowl"): 1, ("can", "none"): 1}
    assert [each["id"] for each in told["worst"]][:2] == ["eval-000002", "eval-000001"]


def test_the_report_goes_where_it_is_asked_for(folder: RunFolder, tmp_path: Path) -> None:
    assert write_report(folder, None) == folder.path / "report.html"
    out = tmp_path / "r.html"
    told = CliRunner().invoke(app, ["report", str(folder.path), "--out", str(out), "--json"])
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["report"] == str(out)
    assert out.read_text().startswith("<!doctype html>")
    (tmp_path / "file").write_text("")
    wrong = CliRunner().invoke(app, ["report", str(folder.path), "--out", str(tmp_path / "file" / "r.html")])
    assert wrong.exit_code == 1
    assert "cannot write" in wrong.stderr


def test_a_run_without_episodes_has_a_report(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path / "run", preset("default")) as made:
        assert "No episode" in report(made)


def test_the_command_line_tells_episodes(folder: RunFolder) -> None:
    told = CliRunner().invoke(app, ["view", str(folder.path), "--json"])
    assert told.exit_code == 0, told.output
    assert len(json.loads(told.stdout)["episodes"]) == 4
    one = CliRunner().invoke(app, ["view", str(folder.path), "--episode", "eval-000000", "--json"])
    assert json.loads(one.stdout)["objects"][1] == "bowl"
    none = CliRunner().invoke(app, ["view", str(folder.path / "nowhere"), "--json"])
    assert none.exit_code == 1


@pytest.mark.slow
def test_models_and_meshes_of_a_real_run(small_run: Path) -> None:
    """The believed model, laid where the mind believes it to be, lies on the thing that was shown."""
    run = RunView(small_run)
    for told in run.episodes()["episodes"]:
        episode = run.episode(told["id"])
        points = np.array(run.model(episode["object"])["points"])
        vertices = np.array(run.mesh(episode["object"])["vertices"])
        low, high = vertices.min(0) - 0.01, vertices.max(0) + 0.01
        assert ((points > low) & (points < high)).all()
        sensed = np.array(episode["sensed"])[-1, 0] @ np.array(episode["rotation"])  # in the object's frame
        assert np.linalg.norm(vertices - sensed, axis=1).min() < 0.03
        cloud = episode["cloud"]
        assert len(cloud["place"]) == episode["steps_traced"]
        for places, evidence in zip(cloud["place"], cloud["evidence"], strict=True):
            assert len(places) == len(evidence) <= 300
            assert evidence == sorted(evidence, reverse=True)
        assert max(map(len, cloud["place"])) > 10
