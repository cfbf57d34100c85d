"""The head to head with Monty: both sides are shown the same, and one scorer reads both."""

from __future__ import annotations

import dataclasses
import pickle
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bench.monty_mujoco import frames, ours, theirs
from bench.monty_mujoco.__main__ import main
from bench.monty_mujoco.plan import plan_of
from bench.monty_mujoco.score import Row, Score
from saccade.experiment.engine.episode import EpisodeRow
from saccade.experiment.plan.plan import plan_eval
from saccade.experiment.plan.rotations import from_euler
from saccade.experiment.report.monty_twins import DISTINCT, recognising_config, twin
from saccade.world.formats.ply import write_ply
from saccade.world.objects.shapes import box
from saccade.world.symmetry.symmetry import Symmetry, rotation_error

NAME = "randrot_noise_10distinctobj_surf_agent"
HEAD = (
    "primary_target_object,primary_performance,monty_matching_steps,most_likely_rotation,rotation_error,time"
)


def test_both_are_shown_what_a_run_of_ours_shows() -> None:
    plan = plan_of(NAME, "ycb", epochs=2, views=3, contacts=50, seed=4)
    units = plan_eval(recognising_config(twin(NAME), "ycb", "", 4), DISTINCT)
    for epoch, turned in enumerate(plan.shown):
        for name, angles in zip(plan.objects, turned, strict=True):
            (episode,) = [
                each.episodes[0] for each in units
                if (each.episodes[0].epoch, each.episodes[0].object) == (epoch, name)
            ]  # fmt: skip
            assert np.degrees(rotation_error(from_euler(angles), episode.rotation)) < 1e-4
    assert plan.learned == ((0, 0, 0), (0, 90, 0), (0, 180, 0))


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"epochs": 11}, "1 to 10"), ({"views": 15}, "1 to 14"), ({"epochs": 0}, "1 to 10")],
)
def test_more_than_there_is_is_refused(changes: dict[str, int], message: str) -> None:
    with pytest.raises(SystemExit, match=message):
        plan_of(NAME, "ycb", **{"epochs": 1, "views": 1, "contacts": 9, "seed": 0} | changes)


def test_experiments_that_monty_learns_nothing_for_are_refused() -> None:
    with pytest.raises(SystemExit, match="no experiment that learns its models"):
        plan_of("surf_agent_unsupervised_10distinctobj", "ycb", 1, 1, 9, 0)


def test_rows_of_monty_are_read(tmp_path: Path) -> None:
    """Two modules and two objects; of the mug one module alone is right, which is not most of them."""
    path = tmp_path / "eval_stats.csv"
    lines = [
        "mug,correct,25,[10. 20. 30.],1.5,2.0",
        "mug,confused,25,[0. 0. 0.],,3.0",
        "bowl,correct_mlh,40,[-9.e+01  0.0e+00 1.e-05],7.0,1.0",
        "bowl,correct,40,[0. 0. 0.],8.0,1.0",
    ]
    path.write_text("\n".join([HEAD, *lines]) + "\n")
    mug, bowl = theirs.rows_of(path, ["mug", "bowl"], [(10, 20, 30), (270, 0, 0)])
    assert (mug.correct, mug.steps, mug.judged, mug.seconds) == (False, 25, 1.5, 3.0)
    assert bowl.correct
    assert bowl.found is not None
    np.testing.assert_allclose(bowl.found, bowl.truth, atol=1e-6)
    with pytest.raises(SystemExit, match="shows mug, not bowl"):
        theirs.rows_of(path, ["bowl", "mug"], [(0, 0, 0)] * 2)
    with pytest.raises(SystemExit, match="4 rows for 3 objects"):
        theirs.rows_of(path, ["mug", "bowl", "can"], [(0, 0, 0)] * 3)


def test_one_scorer_reads_both() -> None:
    """Turned by a half about its axis a bowl is as it was; wrong episodes have steps and no error."""
    half = from_euler((0, 0, 180))
    bowl = Row("bowl", True, 30, np.eye(3), half, 180.0, 1.0)
    rows = [bowl, dataclasses.replace(bowl, object="mug"), dataclasses.replace(bowl, correct=False, steps=90)]
    score = Score.of(rows, {"bowl": Symmetry(rotations=(np.eye(3), half)), "mug": Symmetry()})
    assert (score.episodes, score.steps, score.judged) == (3, 50.0, 180.0)
    assert score.correct == pytest.approx(200 / 3)
    assert score.error == pytest.approx(90.0)


def test_rows_of_ours_have_the_truth_of_the_plan() -> None:
    plan = plan_of(NAME, "ycb", 1, 1, 9, 0)
    name = plan.objects[3]
    row = EpisodeRow("e", "eval", 3, 0, name, name, "match", True, 21, detected_rotation="0.00 90.00 0.00")
    (read,) = ours.rows_of(plan, [row])
    np.testing.assert_allclose(read.truth, from_euler(plan.shown[0][3]))
    assert read.found is not None
    np.testing.assert_allclose(read.found, from_euler((0, 90, 0)))


def test_colours_are_drawn_once_and_where_they_were_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for MuJoCo's renderer counts its frames; after a movement, old colours cannot be had."""
    drawn: list[str] = []

    class Renderer:
        def update_scene(self, data: object, camera: str) -> None:
            drawn.append(camera)

        def render(self) -> np.ndarray:
            return np.full((2, 2, 3), 7, np.uint8)

    monkeypatch.setattr(frames, "keep_shadow_map", lambda renderer: None)
    simulator = SimpleNamespace(data=SimpleNamespace(qpos=np.zeros(3)))
    seen = [frames.Seen(simulator, Renderer(), name, np.ones((2, 2))) for name in ("patch", "finder")]
    assert drawn == []
    np.testing.assert_array_equal(seen[0]["rgba"][0, 0], [7, 7, 7, 255])
    assert seen[0]["rgba"].shape == (2, 2, 4)
    assert drawn == ["patch"]
    simulator.data.qpos[0] = 1.0
    assert seen[0]["rgba"].shape == (2, 2, 4)
    with pytest.raises(RuntimeError, match="finder are read after it moved"):
        seen[1]["rgba"]
    with pytest.raises(KeyError):
        seen[1]["semantic"]
    assert set(pickle.loads(pickle.dumps(seen[0]))) == {"depth", "rgba"}
    assert set(pickle.loads(pickle.dumps(seen[1]))) == {"depth"}


@pytest.mark.parametrize(
    ("experiment", "objects", "monty", "told"),
    [
        (NAME, "few", sys.executable, "lacks 9 of the 10 objects"),
        (NAME[:-1], "few", sys.executable, f"did you mean '{NAME}'"),
        (NAME, "few", "no/such/python", "no/such/python is no program"),
    ],
)
def test_what_is_missing_is_told_before_anything_runs(
    experiment: str, objects: str, monty: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / objects).mkdir()
    write_ply(tmp_path / objects / "mug.ply", box((0.05, 0.05, 0.05)))
    with pytest.raises(SystemExit) as ended:
        main(
            [
                experiment,
                "--objects",
                str(tmp_path / objects),
                "--monty",
                monty,
                "--out",
                str(tmp_path / "out"),
            ]
        )
    assert told in f"{ended.value} {capsys.readouterr().err}"
    assert not (tmp_path / "out").exists()
