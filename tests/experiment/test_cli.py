"""The command line with an engine that only pretends: exit codes, messages, what is printed and left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

from saccade.cli import app as cli
from saccade.experiment.config.config import loads
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine import objects
from saccade.experiment.record import record
from saccade.experiment.record.record import RunFolder
from saccade.version import saccade_version

SMALL = ["-s", "train.rotations=2", "-s", "eval.epochs=2"]


@pytest.fixture
def invoke(fake: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def pretend(
        config: ExperimentConfig, ray: str | None, processes: int | None, models: Path | None = None
    ) -> tuple[Any, list[str]]:
        return fake.FakeEngine(config), fake.NAMES

    monkeypatch.setattr(cli, "_engine", pretend)
    monkeypatch.setattr(objects, "object_names", lambda config: fake.NAMES)

    def run(*arguments: str) -> Any:
        return CliRunner().invoke(cli.app, list(arguments))

    return run


def test_run_leaves_a_folder_and_a_table(invoke: Any, tmp_path: Path) -> None:
    result = invoke("run", "distinct_surface_noise", *SMALL)
    assert result.exit_code == 0, result.output
    assert "correct %" in result.stdout or "correct" in result.stdout
    folder = tmp_path / "runs" / "distinct_surface_noise-1"
    assert str(folder.relative_to(tmp_path)) in result.stdout
    assert {"run.json", "config.toml", "episodes.csv", "summary.json", "plots"} <= {
        p.name for p in folder.iterdir()
    }
    assert invoke("run", "distinct_surface_noise", *SMALL).exit_code == 0
    assert (tmp_path / "runs" / "distinct_surface_noise-2").exists()


def test_nothing_is_left_when_a_run_cannot_begin(
    invoke: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(
        config: ExperimentConfig, ray: str | None, processes: int | None, models: Path | None = None
    ) -> tuple[Any, list[str]]:
        raise ImportError("--ray needs the extra ray")

    monkeypatch.setattr(cli, "_engine", lacking)
    result = invoke("run", "--ray", "local")
    assert result.exit_code == 1
    assert "needs the extra ray" in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_run_means_the_same_folder_from_anywhere(
    invoke: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert invoke("run", "--objects", "meshes", "--out", "a", *SMALL).exit_code == 0
    (tmp_path / "b").mkdir()
    monkeypatch.chdir(tmp_path / "b")
    assert RunFolder.open(Path("../a")).config.objects.folder == str(tmp_path / "meshes")


def test_pictures_that_cannot_be_drawn_are_an_error(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert invoke("run", "--out", "a", *SMALL).exit_code == 0
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = invoke("plots", "a", "--format", "png")
    assert result.exit_code == 1
    assert "saccade[plot]" in result.stderr
    assert not list(Path("a/plots").glob("*.png"))


def test_json_is_one_object(invoke: Any) -> None:
    result = invoke("run", "--json", "--out", "a", *SMALL)
    summary = json.loads(result.stdout)
    assert summary["complete"]
    assert summary["results"]["eval"]["episodes"] == 8


def test_options_reach_the_config(invoke: Any, tmp_path: Path) -> None:
    (tmp_path / "more.toml").write_text("[module]\ncount = 3\n")
    result = invoke(
        "run", "all_distant_noise", "--agent", "surface", "--seed", "9", "--batch", "5", "--no-noise",
        "--config", "more.toml", "--traces", "-s", "eval.max_steps=77", "--print-config",
    )  # fmt: skip
    config = loads(result.stdout)
    assert (config.world.agent, config.seed, config.batch, config.module.count) == ("surface", 9, 5, 3)
    assert config.noise.location == 0.0
    assert config.recording.traces
    assert config.eval.max_steps == 77


def test_a_config_is_printed_as_asked_for_and_read_back(invoke: Any) -> None:
    printed = invoke("run", "swap_surface", "--print-config").stdout
    Path("mine.toml").write_text(printed, encoding="utf-8-sig")  # as some editors save it
    assert invoke("run", "--config", "mine.toml", "--print-config").stdout == printed
    table = json.loads(invoke("run", "--config", "mine.toml", "--print-config", "--json").stdout)
    assert (table["name"], table["eval"]["mode"]) == ("swap_surface", "swap")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["run", "-s", "policy.motion=spiral"], 2, "use auto, random_walk or curvature"),
        (["run", "defualt"], 2, "did you mean 'default'"),
        (["run", "-s", "noise.locaton=1"], 2, "noise.location"),
        (["run", "--config", "missing.toml"], 2, "missing.toml"),
        (["run", "-s", "train.mode=none"], 2, "name a run that learned"),
        (["train", "-s", "train.mode=none"], 2, "nothing to do"),
        (["run", "--seed", str(2**70)], 2, "at most 9223372036854775807"),
        (["eval"], 2, "--models"),
        (["resume", "nowhere"], 1, "not a folder"),
        (["show", "."], 1, "no run.json"),
        (["compare", "nowhere"], 1, "not a folder"),
    ],
)
def test_mistakes_have_messages_and_codes(invoke: Any, arguments: list[str], code: int, told: str) -> None:
    result = invoke(*arguments)
    assert result.exit_code == code
    assert told in result.stderr
    assert not Path("runs").exists()


def test_errors_are_json_too(invoke: Any) -> None:
    result = invoke("run", "defualt", "--json")
    assert json.loads(result.stdout)["code"] == 2


def test_a_taken_folder_is_refused(invoke: Any) -> None:
    assert invoke("run", "--out", "a", *SMALL).exit_code == 0
    again = invoke("run", "--out", "a", *SMALL)
    assert again.exit_code == 1
    assert "saccade resume a" in again.stderr


def test_runs_that_begin_at_the_same_moment_have_folders_of_their_own(
    invoke: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process makes the folder after this one saw that there is none."""

    def other_run(*arguments: Any) -> str:
        for name in ("runs/default-1", "named"):
            Path(name).mkdir(parents=True, exist_ok=True)
            Path(name, "run.json").write_text("theirs")
        return "1"

    monkeypatch.setattr(record, "saccade_version", other_run)
    assert invoke("run", *SMALL).exit_code == 0
    assert RunFolder.open(Path("runs/default-2")).summary() is not None
    Path("named/run.json").unlink()
    Path("named").rmdir()
    refused = invoke("run", "--out", "named", *SMALL)
    assert refused.exit_code == 1
    assert "saccade resume named" in refused.stderr
    for name in ("runs/default-1", "named"):
        assert [each.name for each in Path(name).iterdir()] == ["run.json"]
    assert not list(Path().rglob(".*partial*"))


def test_train_then_eval_is_run(invoke: Any) -> None:
    whole = json.loads(invoke("run", "--json", "--out", "whole", *SMALL).stdout)
    assert invoke("train", "--out", "models", *SMALL).exit_code == 0
    parts = json.loads(invoke("eval", "--models", "models", "--json", "--out", "parts", *SMALL).stdout)
    assert parts["results"]["eval"] == whole["results"]["eval"]
    missing = invoke("eval", "--models", "absent", "--out", "x")
    assert missing.exit_code == 1
    assert "no models" in missing.stderr


@pytest.mark.parametrize("silent", [[], ["--quiet"]])
def test_objects_that_nobody_learned_are_named_and_counted_apart(invoke: Any, silent: list[str]) -> None:
    assert invoke("train", "--out", "models", *SMALL).exit_code == 0
    memory = Path("models/models/memory/memory.json")
    memory.write_text(json.dumps(json.loads(memory.read_text())[:2]))
    result = invoke("eval", "--models", "models", "--out", "run", *silent, *SMALL)
    assert result.exit_code == 0
    assert "2 of 4 objects were not learned by the models at" in result.output.replace("\n", " ")
    assert "can, box" in result.output.replace("\n", " ")
    assert "known objects" in result.stdout
    figures = json.loads(Path("run/summary.json").read_text())["results"]["eval"]
    assert figures["unknown"]["names"] == ["can", "box"]
    assert (figures["known"]["episodes"], figures["unknown"]["episodes"], figures["episodes"]) == (4, 4, 8)


def test_more_episodes_than_can_be_listed_begin_no_run(
    invoke: Any, fake: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fake, "NAMES", [f"object_{number}" for number in range(12)])
    result = invoke("run", "-s", "eval.epochs=100000")
    assert result.exit_code == 2
    assert "set it to 83333 or less" in result.stderr
    assert not Path("runs").exists()


def test_models_that_cannot_be_read_begin_no_run(invoke: Any) -> None:
    assert invoke("train", "--out", "models", *SMALL).exit_code == 0
    Path("models/models/memory/memory.json").write_text("[")
    assert invoke("eval", "--models", "models", "--out", "x", *SMALL).exit_code == 1
    assert not Path("x").exists()


def test_learning_alone_is_not_wrong_in_every_episode(invoke: Any) -> None:
    learned = json.loads(invoke("train", "--json", "--out", "models", *SMALL).stdout)
    assert learned["results"]["train"]["correct"] is None
    assert "0.0" not in invoke("show", "models").stdout.split("match steps")[0]


def test_interrupted_runs_say_how_to_go_on(
    invoke: Any, fake: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = json.loads(invoke("run", "--json", "--out", "whole", *SMALL).stdout)
    left = [11]

    engine: Any = fake.FakeEngine  # of a module that is known when the test runs

    class Stopping(engine):
        def _outcome(self, *arguments: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt
            return super()._outcome(*arguments, **named)

    with monkeypatch.context() as patch:
        patch.setattr(
            cli, "_engine", lambda config, ray, processes, models=None: (Stopping(config), fake.NAMES)
        )
        result = invoke("run", "--out", "stopped", *SMALL)
    assert result.exit_code == 130
    assert "saccade resume stopped" in result.stderr
    assert len(RunFolder.open(Path("stopped")).rows()) == 11
    shown = invoke("show", "stopped")
    assert "not complete" in shown.stdout
    resumed = json.loads(invoke("resume", "stopped", "--batch", "3", "--json").stdout)
    assert resumed["results"] == whole["results"]


def test_too_little_memory_is_told(invoke: Any, fake: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    engine: Any = fake.FakeEngine  # of a module that is known when the test runs

    class Hungry(engine):
        def recognise(self, *arguments: Any) -> Any:
            raise MemoryError("Unable to allocate 3 TiB")

    with monkeypatch.context() as patch:
        patch.setattr(
            cli, "_engine", lambda config, ray, processes, models=None: (Hungry(config), fake.NAMES)
        )
        result = invoke("run", "--out", "a", *SMALL)
    assert result.exit_code == 1
    assert "not enough memory (Unable to allocate 3 TiB)" in result.stderr
    assert "--batch" in result.stderr
    assert invoke("resume", "a", "--batch", "1").exit_code == 0


def test_compare_and_plots(invoke: Any) -> None:
    invoke("run", "--out", "a", *SMALL)
    invoke("run", "--out", "b", "--seed", "3", *SMALL)
    result = invoke("compare", "a", "b", "--json")
    compared = json.loads(result.stdout)
    assert compared["differences"] == {"seed": [0, 3]}
    assert Path(compared["plot"]).exists()
    assert invoke("compare", "a", "b").exit_code == 0
    wrong = invoke("compare", "a", "b", "--plot", "picture.jpg")
    assert wrong.exit_code == 1
    assert "cannot draw picture.jpg: name a file that ends in .svg or .png" in wrong.stderr
    drawn = json.loads(invoke("plots", "a", "--json").stdout)
    assert all(Path(path).exists() for path in drawn["pictures"])


def test_runs_that_can_only_be_read_are_compared_without_a_picture(invoke: Any) -> None:
    for name in ("a", "b"):
        invoke("run", "--out", name, "-s", "recording.plots=false", *SMALL)
        Path(name, "plots").write_text("no folder can be here")
    result = invoke("compare", "a", "b")
    assert result.exit_code == 0
    assert "correct %" in result.stdout
    assert "no picture: cannot write b/plots/comparison.svg" in result.stderr
    assert json.loads(invoke("compare", "a", "b", "--json").stdout)["plot"] is None
    assert invoke("compare", "a", "b", "--plot", "a/plots/x.svg").exit_code == 1


def test_lists(invoke: Any) -> None:
    assert "all_surface_noise_5_modules" in json.loads(invoke("run", "--list", "--json").stdout)
    devices = json.loads(invoke("devices", "--json").stdout)
    assert any(each["name"] == "cpu" for each in devices["devices"])


@pytest.mark.parametrize("name", ["run", "train", "eval", "resume", "show", "compare", "plots", "devices"])
def test_help_has_an_example(invoke: Any, name: str) -> None:
    assert "Example" in invoke(name, "--help").stdout


def test_the_version_is_that_of_new_runs(invoke: Any) -> None:
    told = invoke("--version").stdout.split()
    assert told == ["saccade", saccade_version()]
    assert "130" in invoke("--help").stdout


def test_a_terminal_that_knows_few_characters_gets_the_table_too(invoke: Any) -> None:
    assert invoke("run", "--out", "a", *SMALL).exit_code == 0
    shown = subprocess.run(
        [sys.executable, "-m", "saccade", "show", str(Path("a").resolve())],
        cwd=Path(__file__).parents[2], env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True, check=False,
    )  # fmt: skip
    assert shown.returncode == 0, shown.stderr
    assert b"rotation error ?" in shown.stdout


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("SACCADE_THREADS", "0", "SACCADE_THREADS=0 is out of range: set it to 1..1024"),
        ("SACCADE_DEBUG", "9", "a debug level (SACCADE_DEBUG) is one of 0, 1, 2, 3, not '9'"),
    ],
)
def test_an_environment_that_cannot_be_is_named(name: str, value: str, told: str) -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "saccade", "show", "nowhere"],
        cwd=Path(__file__).parents[2], env={**os.environ, name: value},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert shown.returncode == 2
    assert shown.stderr.startswith(f"error {told}")


@pytest.mark.parametrize("line", [["--help"], ["run", "--help"], ["cache", "--help"]])
def test_help_imports_nothing_heavy(line: list[str]) -> None:
    code = (
        f"import sys; sys.argv = ['saccade', *{line}]\n"
        "from saccade.cli.process import main\n"
        "assert main() == 0\n"
        "heavy = {'numpy', 'llvmlite', 'saccade.tensor', 'saccade.cortex'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    root = Path(cli.__file__).parents[1]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root, stdout=subprocess.DEVNULL)
