"""Runs as views and as a report: what is there agrees with the run folder, and nothing else is asked for."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from saccade.cli.app import app
from saccade.experiment.config.config import override
from saccade.experiment.config.presets import preset
from saccade.experiment.engine.episode import EpisodeRow, Outcome
from saccade.experiment.errors import RunError
from saccade.experiment.plan.rotations import from_euler
from saccade.experiment.record.episode_trace import ENDINGS
from saccade.experiment.record.record import RunFolder
from saccade.experiment.report.chart_picture import render
from saccade.experiment.report.charts import Lines
from saccade.experiment.report.plots import charts_of, confusion
from saccade.viz.report import essentials, report, worst_first, write_report
from saccade.viz.views.minds import RunView, sheet
from saccade.viz.views.traces import Trace, decisions, votes
from saccade.world.images import Picture

STEPS = 6


def trace_of(names: list[str], modules: int = 2) -> dict[str, np.ndarray]:
    """What `experiment.record.episode_trace` writes, of modules that all believe in the second object."""
    evidence = np.arange(STEPS * len(names), dtype=float).reshape(STEPS, len(names))
    evidence[0, 0] = -np.inf
    turned = np.tile(np.eye(3), (STEPS, modules, 1, 1))
    return {
        "sensed": np.full((STEPS, modules, 3), 0.01),
        "processed": np.ones(STEPS, bool),
        "best_evidence": evidence.max(1),
        "second_evidence": evidence.min(1),
        "module_evidence": np.repeat(evidence[:, None], modules, axis=1),
        "module_best": np.ones((STEPS, modules), np.int16),
        "module_location": np.full((STEPS, modules, 3), np.nan),
        "module_rotation": turned,
        "module_hypotheses": np.full((STEPS, modules), 40),
        "module_possible": np.ones((STEPS, modules), np.int16),
        "module_terminal": np.zeros((STEPS, modules), np.int8),
        "module_processed": np.ones((STEPS, modules), bool),
        "goal_location": np.full((STEPS, 3), np.nan),
        "goal_normal": np.full((STEPS, 3), np.nan),
        "goal_sender": np.full(STEPS, -1),
        "patch_rgb": np.full((STEPS, modules, 4, 4, 3), 200, np.uint8),
        "sensor_position": np.zeros((STEPS, modules, 3)),
        "sensor_rotation": turned,
        "object_evidence": evidence,
        "objects": np.array(names),
        "module_objects": np.array(names),
        "modules": np.array([f"module_{number}" for number in range(modules)]),
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
    assert found["modules"] == ["module_0", "module_1"]
    own = found["evidence_of"].index(0)
    assert found["module_evidence"][0][1][own] is None  # there is no infinity in JSON
    assert found["module_location"][0][0] == [None, None, None]
    np.testing.assert_allclose(found["rotation"], from_euler((0.0, 90.0, 0.0)), atol=1e-6)
    json.dumps(found, allow_nan=False)


def test_a_vote_agrees_where_it_puts_the_receiver_where_it_believes_to_be(folder: RunFolder) -> None:
    arrays = trace_of(["bowl", "can"])
    arrays["sensed"][:, 1] = (0.04, 0.01, 0.01)  # three centimetres along x from the other
    turn = from_euler((0.0, 0.0, 90.0))  # body to object: x becomes y
    arrays["module_rotation"][:] = turn
    arrays["module_location"][:, 0] = (0.0, 0.0, 0.0)
    arrays["module_location"][:, 1] = turn @ (0.03, 0.0, 0.0)
    arrays["module_location"][3, 1] = (0.0, -0.03, 0.0)  # on the other side
    arrays["module_best"][4, 1] = 0
    arrays["module_processed"][5, 0] = False  # who felt nothing says nothing
    np.savez_compressed(folder.trace_path("eval-000001"), **arrays)
    config = preset("distinct_surface_noise_5_modules")  # modules that are not there hear nothing
    told = votes(Trace.read(folder.trace_path("eval-000001")), STEPS, config)
    heard = [[vote for vote in step if vote["to"] == 1] for step in told]
    assert [[vote["agrees"] for vote in step] for step in heard] == [[True]] * 3 + [[False], [False], []]
    assert heard[0][0]["off"] == pytest.approx(0.0, abs=1e-6)
    assert heard[3][0]["off"] == pytest.approx(0.06, abs=1e-6)
    assert heard[4][0]["off"] is None  # another object: nowhere to be compared


def test_decisions_and_changes_of_mind_are_told(folder: RunFolder) -> None:
    arrays = trace_of(["bowl", "can"], modules=1)
    arrays["module_best"][:, 0] = [0, 0, 0, 1, 1, 1]
    arrays["module_terminal"][4:, 0] = ENDINGS.index("match")
    np.savez_compressed(folder.trace_path("eval-000001"), **arrays)
    told = decisions(Trace.read(folder.trace_path("eval-000001")), STEPS)
    assert [(each["step"], each["ending"], each["object"]) for each in told] == [
        (4, "match", 1),
        (0, "", 0),
        (3, "", 1),
    ]


def test_patches_are_bytes(folder: RunFolder) -> None:
    told = RunView(folder.path).patches("eval-000001")
    assert np.frombuffer(told, "<i4", 3).tolist() == [STEPS, 2, 4]
    assert set(told[12:]) == {200}
    assert len(told) == 12 + STEPS * 2 * 4 * 4 * 3


def test_a_picture_is_a_sheet_of_its_colours() -> None:
    rgb = np.zeros((4, 6, 3))
    rgb[0, 5] = (1.0, 0.5, 0.0)
    paper = np.zeros((4, 6), bool)
    paper[3] = True
    found = sheet(Picture("flag", rgb, width=0.6, paper=paper))
    corners, faces = np.array(found["vertices"]), np.array(found["faces"])
    assert len(faces) == len(found["colors"]) == 2 * 3 * 6
    place = next(n for n, colour in enumerate(found["colors"]) if colour == [1.0, 0.5, 0.0])
    x, y = corners[faces[place]].mean(axis=0)[:2]
    assert x > 0.2  # to the right
    assert y > 0.1  # and up


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
    run, path = RunView(folder.path), folder.trace_path("eval-000001")
    assert run.episode("eval-000001")["cloud"] is None
    with pytest.raises(RunError, match=r"recording\.hypotheses"):
        run.cloud("eval-000001", 0, 0)
    count = 2 * STEPS  # one hypothesis of each step and module
    clouds = {
        "cloud_start": np.arange(count).reshape(STEPS, 2),
        "cloud_location": np.tile([0.0, 0.0, 0.25], (count, 1)).astype("f4"),
        "cloud_evidence": np.arange(count, dtype="f4"),
        "cloud_object": np.ones(count, np.int16),
    }
    np.savez_compressed(path, **trace_of(["bowl", "can"]), **clouds)
    assert run.episode("eval-000001")["cloud"] == [[1, 1]] * STEPS
    told = run.cloud("eval-000001", 3, 1)
    assert np.frombuffer(told, "<i4", 1)[0] == 1
    np.testing.assert_allclose(np.frombuffer(told, "<f4", 4, 4), [0.25, 0, 0, 7], atol=1e-6)  # turned about y
    assert np.frombuffer(told, "<i2", 1, 20)[0] == 1
    for step, module in ((STEPS, 0), (0, 2)):
        with pytest.raises(RunError, match="and no step"):
            run.cloud("eval-000001", step, module)
    for wrong in ({"cloud_evidence": np.zeros(3, "f4")}, {"cloud_start": clouds["cloud_start"][::-1]}):
        np.savez_compressed(path, **trace_of(["bowl", "can"]), **(clouds | wrong))
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
        sizes = episode["cloud"]
        assert len(sizes) == episode["steps_traced"]
        for step, (size,) in enumerate(sizes):
            told = run.cloud(told_id := episode["id"], step, 0)
            assert np.frombuffer(told, "<i4", 1)[0] == size <= 2 * 300
            assert len(told) == 4 + 18 * size, told_id
        assert max(size for (size,) in sizes) > 10
        assert episode["second"]
        assert {each["ending"] for each in episode["decisions"]} <= {*ENDINGS}
