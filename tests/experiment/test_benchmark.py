"""Monty's experiments by their names: their lists, their rules, and runs that go on."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table
from typer.testing import CliRunner

from saccade.cli import app as cli
from saccade.cli.commands import benchmark
from saccade.experiment.config.environment import environment_of
from saccade.experiment.config.sections import ConfigError
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.errors import RunError
from saccade.experiment.plan.plan import plan_eval
from saccade.experiment.record.record import RunFolder
from saccade.experiment.report.benchmark import (
    Execute,
    Line,
    Placement,
    benchmark_table,
    check_objects,
    run_all,
    without_table,
)
from saccade.experiment.report.monty_twins import (
    ALL,
    DISTINCT,
    OBJECTS,
    SIMILAR,
    TWINS,
    recognising_config,
    twin,
)
from saccade.world.formats.ply import write_ply
from saccade.world.objects.shapes import box

NAMES = [each.name for each in TWINS]


def scans(folder: Path, names: tuple[str, ...]) -> Path:
    for name in names:
        write_ply(folder / f"{name}.ply", box((0.05, 0.05, 0.05)))
    return folder


def test_lists_and_names_are_whole() -> None:
    assert [len(OBJECTS[each]) for each in ("10distinctobj", "10simobj", "77obj")] == [10, 10, 77]
    assert len(set(ALL)) == 77
    assert set(DISTINCT) | set(SIMILAR) <= set(ALL)
    assert len(set(NAMES)) == len(NAMES)
    assert twin("base_77obj_surf_agent_mujoco").name == "base_77obj_surf_agent"
    with pytest.raises(ConfigError, match="did you mean 'base_77obj_surf_agent'"):
        twin("base_77obj_surf_agnt")
    with pytest.raises(ConfigError, match="did you mean 'base_77obj_surf_agent'"):
        twin("base_77obj_surf_agnt_mujoco")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("randrot_noise_10distinctobj_vocus_on_vocusm", "salience"),
        ("base_infer_cows_large_compositional_random_locs", "logos"),
        ("randrot_noise_infer_cows_small_monolithic_mujoco", "logos"),
        ("bright_world_image_on_scanned_model", "photos"),
        ("supervised_pre_training_5lms_all_objects", "learn alone"),
        ("only_surf_agent_training_10simobj", "learn alone"),
    ],
)
def test_names_without_a_twin_are_refused_with_the_reason(name: str, why: str) -> None:
    with pytest.raises(ConfigError, match=f"{name}' of Monty has no twin: .*{why}"):
        twin(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_twin_is_a_config_with_the_episodes_of_the_experiment(name: str) -> None:
    each = twin(name)
    config = recognising_config(each, "ycb", "models", 0)
    assert config.objects.names == OBJECTS[each.objects]
    if config.eval.mode != "reset":
        return
    episodes = sum(len(unit.episodes) for unit in plan_eval(config, OBJECTS[each.objects]))
    rounds = 1 if "77obj_5lms" in name else 3 if "77obj" in name else 14 if name.startswith("base") else 10
    assert episodes == rounds * len(OBJECTS[each.objects])
    assert ("noise" in name) == (config.noise.location > 0)


def test_missing_objects_are_an_error_before_anything_runs(tmp_path: Path) -> None:
    folder = tmp_path / "few"
    folder.mkdir()
    scans(folder, ("mug", "bowl"))
    chosen = [twin("randrot_noise_10distinctobj_surf_agent")]
    with pytest.raises(ConfigError, match=r"lacks 8 of the 10 objects.*potted_meat_can"):
        list(run_all(chosen, folder, tmp_path / "out", 0, Placement(), never))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("placement", "why"), [(Placement(batch=0), "batch = 0"), (Placement(backend="foo"), "backend = 'foo'")]
)
def test_a_wrong_placement_is_an_error_before_anything_runs(
    placement: Placement, why: str, tmp_path: Path
) -> None:
    (tmp_path / "scans").mkdir()
    chosen = [twin("base_10simobj_surf_agent")]
    with pytest.raises(ConfigError, match=why):
        list(run_all(chosen, scans(tmp_path / "scans", SIMILAR), tmp_path / "out", 0, placement, never))
    assert not (tmp_path / "out").exists()


def never(path: Path, config: ExperimentConfig) -> Execute:
    raise AssertionError("nothing was to be run")


def test_what_is_done_is_not_run_again_and_models_are_shared(tmp_path: Path) -> None:
    folder = tmp_path / "all"
    folder.mkdir()
    scans(folder, DISTINCT)
    chosen = [twin("randrot_noise_10distinctobj_surf_agent"), twin("randrot_noise_10distinctobj_dist_agent")]
    ran: list[str] = []
    figures = {"episodes": 100, "correct": 99.0, "used_mlh": 1.0, "match_steps": 20.0, "rotation_error": 5.0,
               "steps": 25.0, "rotation_error_reference": 9.0}  # fmt: skip

    def execute(run: RunFolder) -> dict[str, Any]:
        ran.append(run.path.name)
        done = {"name": "x", "results": {"eval": figures}, "timing": {"eval": {"seconds": 1.0}}}
        run.finish(done)
        return done

    def prepare(path: Path, config: ExperimentConfig) -> Execute:
        return execute

    lines = list(run_all(chosen, folder, tmp_path / "out", 0, Placement(), prepare))
    assert ran == ["models_all_surface_noise_10distinctobj", *[each.name for each in chosen]]
    assert [line.figures[2] for line in lines] == [("steps", 25.0, 29), ("steps", 25.0, 30)]
    told = printed(benchmark_table(lines))
    for line in lines:
        assert f" {line.twin.name} " in told
    assert re.search(r"steps .* 25\.0 .* 29\.0 .* -4\.0 ", told)
    assert re.search(r"up to symmetry ° .* 5\.0 ", told)
    assert len(list(run_all(chosen, folder, tmp_path / "out", 0, Placement(), prepare))) == 2
    assert len(ran) == 3
    with pytest.raises(RunError, match="another seed"):
        list(run_all(chosen, folder, tmp_path / "out", 1, Placement(), prepare))


def printed(table: Table) -> str:
    """A table, as wide as a narrow terminal."""
    console = Console(width=80, file=io.StringIO())
    with console.capture() as text:
        console.print(table)
    return text.get()


@pytest.mark.parametrize("name", NAMES)
def test_no_name_is_cut_off(name: str) -> None:
    told = printed(benchmark_table([Line(twin(name), {"episodes": 100, "correct": 100.0}, 7200.0)]))
    assert name in re.sub(r"[\s│]", "", told)


def test_what_is_not_run_is_told_in_full() -> None:
    assert "…" not in printed(without_table())


def test_objects_are_checked_by_name(tmp_path: Path) -> None:
    check_objects([twin("base_10simobj_surf_agent")], scans(tmp_path, SIMILAR))


def test_a_benchmark_that_was_stopped_tells_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(run: RunFolder) -> dict[str, Any]:
        raise KeyboardInterrupt

    monkeypatch.setattr(benchmark, "_preparing", lambda quiet: lambda path, config: stopped)
    (tmp_path / "scans").mkdir()
    command = ["benchmark", "monty", "--objects", str(scans(tmp_path / "scans", SIMILAR)), "--only",
               "base_10simobj_surf_agent", "--out", str(tmp_path / "out")]  # fmt: skip
    for _ in range(2):  # before and behind what was begun
        result = CliRunner().invoke(cli.app, command)
        assert result.exit_code == 130
        assert f"everything recorded is in {tmp_path / 'out'}. Go on with the same command" in result.stderr


def test_scans_in_millimetres_leave_no_folder_and_run_by_their_scale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scans").mkdir()
    for name in SIMILAR:
        write_ply(tmp_path / "scans" / f"{name}.ply", box((50, 50, 60)))
    command = ["benchmark", "monty", "--objects", str(tmp_path / "scans"), "--only",
               "base_10simobj_surf_agent", "--out", str(tmp_path / "out")]  # fmt: skip
    result = CliRunner().invoke(cli.app, command)
    assert result.exit_code == 1
    assert "in a benchmark --scale 0.001" in result.stderr
    assert not (tmp_path / "out").exists()
    begun: list[ExperimentConfig] = []

    def note(folder: RunFolder) -> dict[str, Any]:
        begun.append(folder.config)
        raise KeyboardInterrupt

    monkeypatch.setattr(benchmark, "_preparing", lambda quiet: lambda path, config: note)
    CliRunner().invoke(cli.app, [*command, "--scale", "0.001"])
    assert [each.objects.scale for each in begun] == [0.001]


def test_runs_of_a_benchmark_record_their_steps_if_asked(tmp_path: Path) -> None:
    (tmp_path / "scans").mkdir()
    begun: dict[str, bool] = {}

    def prepare(path: Path, config: ExperimentConfig) -> Execute:
        begun[path.name] = config.recording.traces

        def execute(run: RunFolder) -> dict[str, Any]:
            figures = {"episodes": 1, "correct": 100.0}
            return {"results": {"eval": figures}, "timing": {"eval": {"seconds": 1.0}}}

        return execute

    chosen = [twin("base_10simobj_surf_agent")]
    folder = scans(tmp_path / "scans", SIMILAR)
    list(run_all(chosen, folder, tmp_path / "out", 0, Placement(), prepare, traces=True))
    assert begun == {"models_all_surface_noise_10simobj": False, "base_10simobj_surf_agent": True}


def test_a_run_begun_by_other_code_goes_on_if_asked(tmp_path: Path) -> None:
    (tmp_path / "scans").mkdir()

    def prepare(path: Path, config: ExperimentConfig) -> Execute:
        def stopped(run: RunFolder) -> dict[str, Any]:
            run.continue_under({**environment_of("cpu"), "source": "that of somebody else"}, mixed=True)
            raise KeyboardInterrupt

        return stopped

    chosen = [twin("surf_agent_unsupervised_10simobj")]
    folder = scans(tmp_path / "scans", SIMILAR)

    def begin(placement: Placement) -> None:
        list(run_all(chosen, folder, tmp_path / "out", 0, placement, prepare))

    with pytest.raises(KeyboardInterrupt):
        begin(Placement())
    with pytest.raises(RunError, match="--mixed"):
        begin(Placement())
    with pytest.raises(KeyboardInterrupt):
        begin(Placement(mixed=True))
