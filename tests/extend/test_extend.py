"""Parts registered from outside the package: chosen by Python and by config; a failing one fails alone."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from saccade import extend
from saccade.cli.app import app
from saccade.cortex.modules.module import LearningModule
from saccade.cortex.motor import Policy
from saccade.experiment.config.config import dumps, load, loads, override
from saccade.experiment.config.sections import ConfigError
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.engine import make_engine
from saccade.experiment.progress import Silent
from saccade.experiment.record.record import RunFolder
from saccade.experiment.record.rows import EpisodeRow
from saccade.experiment.run import execute
from saccade.extend.loggers import Logger, StepNews, make_loggers
from saccade.world.protocol import World

PARTS = "tests.extend.parts"
OWN = [
    f'extensions=["{PARTS}"]', "sensor.module=grey", "module.kind=careful", "policy.motion=stroll",
    "world.kind=room", "recording.loggers=counting,failing,csv,json",
]  # fmt: skip
SMALL = [
    "objects.names=mug,bowl", "train.rotations=2", "train.steps=20", "eval.episodes=2", "eval.min_steps=4",
    "eval.max_steps=8", "recording.plots=false", "recording.parquet=false", "world.agent=distant",
    "policy.hypothesis_testing=false",
]  # fmt: skip


@pytest.mark.slow  # compiles a cortex
def test_one_of_each_kind_is_chosen_by_config(tmp_path: Path) -> None:
    config = override(ExperimentConfig(), [*SMALL, *OWN])
    assert loads(dumps(config)) == config
    from tests.extend import parts

    parts.CALLS.clear()
    progress = Silent()
    with RunFolder.create(tmp_path / "run", config) as folder:
        engine = make_engine(config)
        summary = execute(folder, engine, [each.name for each in engine.objects], progress)
    assert {"sense", "module", "policy", "world"} <= set(parts.CALLS)
    assert summary["complete"]
    (counted,) = parts.LOGGERS[-1:]
    assert counted.told["begin"] == counted.told["end"] == 1
    assert counted.told["episode"] == 6  # two views of two objects explored, two recognised
    with (tmp_path / "run" / "steps.csv").open() as file:
        steps = list(csv.DictReader(file))
    assert len(steps) == counted.told["step"] > 0
    assert {row["object"] for row in steps} <= {"mug", "bowl"}
    lines = (tmp_path / "run" / "log.jsonl").read_text().splitlines()
    kinds = [json.loads(line, parse_constant=pytest.fail)["kind"] for line in lines]
    assert kinds[0] == "begin"
    assert kinds[-1] == "end"
    assert kinds.count("step") == len(steps)
    # the one that fails is left out, and nobody else loses anything
    assert [note for note in progress.notes if "'failing' failed in step" in note]
    assert len(folder.rows()) == 6


@pytest.mark.slow  # compiles a cortex
def test_a_module_that_fails_does_not_lose_the_results_of_the_others(tmp_path: Path) -> None:
    mixed = [f'extensions=["{PARTS}"]', "module.count=2", "module.kinds=evidence,brittle"]
    config = override(ExperimentConfig(), [*SMALL, *mixed])
    progress = Silent()
    with RunFolder.create(tmp_path / "run", config) as folder:
        summary = execute(folder, make_engine(config), ["mug", "bowl"], progress)
    assert summary["complete"]
    rows = [row for row in folder.rows() if row.phase == "eval"]
    assert [(row.modules, row.modules_failed) for row in rows] == [(2, 1)] * 2
    assert all(row.steps > 3 and row.detected for row in rows)
    (note,) = (note for note in progress.notes if "failed" in note)
    assert "'module_1' failed and said nothing on step 3 of eval-000000: KeyError: 'what it never" in note


@pytest.mark.slow  # compiles a cortex
def test_where_nobody_is_left_the_run_ends_with_the_reason(tmp_path: Path) -> None:
    config = override(ExperimentConfig(), [*SMALL, f'extensions=["{PARTS}"]', "module.kind=brittle"])
    with RunFolder.create(tmp_path / "run", config) as folder, pytest.raises(KeyError, match="never learned"):
        execute(folder, make_engine(config), ["mug", "bowl"], Silent())
    assert [row.phase for row in folder.rows()] == ["train"] * 4  # what was recorded stays


def test_a_run_folder_imports_nothing_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parts_of_a_run.py").write_text("from pathlib import Path\nPath(__file__ + '.ran').touch()\n")
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "config.toml"
    path.write_text('extensions = ["parts_of_a_run"]\n')
    ran = tmp_path / "parts_of_a_run.py.ran"
    with pytest.raises(ConfigError, match="SACCADE_EXTENSIONS=parts_of_a_run"):
        load(path, trusted=False)
    assert not ran.exists()
    monkeypatch.setenv("SACCADE_EXTENSIONS", "parts_of_a_run")
    assert load(path, trusted=False).extensions == ("parts_of_a_run",)
    assert ran.exists()


def test_modules_of_the_working_directory_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command `saccade` has the folder it is installed in on the path instead."""
    (tmp_path / "parts_of_this_folder.py").write_text("")
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder not in ("", str(Path.cwd()))])
    monkeypatch.chdir(tmp_path)
    extend.use(["parts_of_this_folder"])
    assert sys.modules.pop("parts_of_this_folder").__file__ == str(tmp_path / "parts_of_this_folder.py")


@pytest.mark.parametrize(
    ("kind", "protocol"),
    [("learning_module", LearningModule), ("motor_policy", Policy), ("world", World), ("logger", Logger)],
)
def test_a_part_is_asked_for_all_of_its_protocol(kind: str, protocol: type) -> None:
    names = {*vars(protocol), *protocol.__annotations__}
    assert set(extend.METHODS[kind]) == {name for name in names if not name.startswith("_")}


def test_a_part_without_a_name_is_refused() -> None:
    with pytest.raises(TypeError, match=r"@extend.motor_policy\(\"mine\"\), not <function"):
        extend.motor_policy(lambda config: None)


def test_a_name_is_registered_once() -> None:
    extend.use([PARTS])
    with pytest.raises(ValueError, match=r"'stroll' is registered already, by tests.extend.parts"):
        extend.motor_policy("stroll")(lambda config: None)
    with pytest.raises(ValueError, match="world 'mesh' is built in"):
        extend.world("mesh")(lambda *given: None)


def test_a_part_without_its_methods_is_refused_by_name() -> None:
    extend.motor_policy("nothing")(lambda config: object())
    try:
        with pytest.raises(TypeError, match="motor_policy 'nothing' lacks start, act, interrupt"):
            extend.made("motor_policy", "nothing", ExperimentConfig())
    finally:
        extend.forget("motor_policy", "nothing")


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("sensor.module=empty", "sensor_module 'empty' lacks __call__"),
        ("module.kind=empty", "learning_module 'empty' lacks name, channels"),
        ("policy.motion=empty", "motor_policy 'empty' lacks start, act, interrupt"),
        ("policy.motion=remembering", "the state of motor_policy 'remembering': dict has no rows to choose"),
        ("world.kind=empty", "world 'empty' lacks rows"),
        ("recording.loggers=csv,empty", "logger 'empty' lacks begin, step"),
        ("recording.loggers=wandb", "wandb, which is not installed: pip install 'saccade[wandb]'"),
    ],
)
def test_a_part_that_lacks_something_begins_no_run(
    setting: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    chosen = [each for one in (*SMALL, f'extensions=["{PARTS}"]', setting) for each in ("-s", one)]
    result = CliRunner().invoke(app, ["run", *chosen, "--out", str(tmp_path / "run")])
    assert result.exit_code == 1, result.output
    assert told in " ".join(result.stderr.split())
    assert list(tmp_path.iterdir()) == []


class FakeWandb(SimpleNamespace):
    """Its module and the run that `init` begins: what it was told."""

    def init(self, **given: object) -> FakeWandb:
        self.begun, self.lines, self.summary, self.finished = given, [], {}, False
        return self

    def log(self, line: dict[str, object]) -> None:
        self.lines.append(line)

    def finish(self) -> None:
        self.finished = True


def test_wandb_gets_a_line_an_episode_and_the_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wandb = FakeWandb()
    monkeypatch.setitem(sys.modules, "wandb", wandb)
    config = override(ExperimentConfig(), ["recording.loggers=wandb"])
    notes: list[str] = []
    loggers = make_loggers(config, tmp_path, notes.append)
    loggers.begin(config)
    for step in (1, 2):
        loggers.step(StepNews("eval-000000", step, "mug", "cup", 1.5, 2))
    loggers.episode(EpisodeRow("eval-000000", "eval", 0, 0, "mug", "cup", "match", False, 2, 4.0))
    loggers.end({"results": {"correct": 0.0}})
    assert notes == []
    assert (wandb.begun["name"], wandb.begun["dir"]) == (config.name, str(tmp_path))
    (line,) = wandb.lines
    assert (line["steps"], line["steps_so_far"], line["rotation_error"]) == (2, 2, 4.0)
    assert (wandb.summary, wandb.finished) == ({"correct": 0.0}, True)


def test_unknown_names_and_modules_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"policy.motion = 'dance' must be one of auto"):
        override(ExperimentConfig(), ["policy.motion=dance"])
    with pytest.raises(ConfigError, match="must be one of csv, json, wandb"):
        override(ExperimentConfig(), ["recording.loggers=smoke"])
    with pytest.raises(ImportError, match="extensions has 'no_such_parts'"):
        override(ExperimentConfig(), ['extensions=["no_such_parts"]'])
