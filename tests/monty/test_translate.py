"""Monty's experiment configs as ours, from dicts as hydra composes them."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from saccade.cli.app import app
from saccade.experiment.config.config import dumps, loads
from saccade.experiment.config.sections import all_keys
from saccade.experiment.config.settings import ExperimentConfig
from saccade.monty.configs import translate
from saccade.monty.configs.hydra import composed, resolved
from saccade.monty.configs.translate import translated

TOLERANCES = {"hsv": "${np.array:[0.1, 0.2, 0.2]}", "principal_curvatures_log": "${np.ones:2}"}
WEIGHTS = {"hsv": [2, 0.5, 0.5]}
FEATURES = {"m": {"_target_": "a.FeatureGraphLM"}}


def tree(**changes: Any) -> dict[str, Any]:
    """A config like Monty's randrot_noise_10distinctobj_surf_agent."""
    module = {
        "_target_": "tbp.monty.frameworks.models.evidence_matching.learning_module.EvidenceGraphLM",
        "hypotheses_updater_class": "${monty.class:tbp.monty.x.BurstSamplingHypothesesUpdater}",
        "hypotheses_updater_args": {"max_nneighbors": 7},
        "tolerances": {"patch": TOLERANCES},
        "feature_weights": {"patch": WEIGHTS},
        "max_match_distance": 0.02,
        "x_percent_threshold": 15,
        "max_graph_size": 0.3,
        "num_model_voxels_per_dim": 100,
        "gsg": {"_target_": "a.EvidenceGoalGenerator", "min_post_goal_success_steps": 5},
    }  # fmt: skip
    sensor = {
        "_target_": "tbp.monty.frameworks.models.sensor_modules.CameraSM",
        "sensor_module_id": "patch",
        "delta_thresholds": {"on_object": 0, "distance": 0.02},
        "noise_params": {"features": {"pose_vectors": 2, "hsv": 0.1}, "location": 0.002},
    }
    monty = {
        "monty_args": {"min_eval_steps": "${constants.min_eval_steps}", "num_exploratory_steps": 1000},
        "motor_system_config": {
            "policy_selector": {"policy": {"_target_": "a.SurfacePolicyCurvatureInformed"}}
        },
        "learning_modules": {"learning_module_0": module},
        "sensor_modules": {"sensor_module_0": sensor},
        "sm_to_lm_matrix": [[0]],
    }
    config = {
        "do_eval": True,
        "do_train": False,
        "seed": 42,
        "n_eval_epochs": 10,
        "monty_config": monty | changes.pop("monty", {}),
        "environment": {"env_init_args": {"agents": {"action_space_type": "surface_agent"}}},
        "eval_env_interface_args": {
            "object_names": ["mug", "bowl"],
            "object_init_sampler": {"_target_": "a.RandomRotation"},
        },
        "recognition_policy": {"max_eval_steps": 300},
        "match_criterion": {"_target_": "a.AnyLMsMatch", "count": 1},
    } | changes
    whole = {
        "constants": {"min_eval_steps": 20},
        "experiment": {"_target_": "a.Experiment", "config": config},
    }
    return {key: resolved(value, whole) for key, value in whole.items()}


def test_a_config_with_a_twin_becomes_it() -> None:
    told = translated(tree(), "randrot")
    config = told.config
    assert config is not None, told.missing
    assert (config.name, config.seed, config.world.agent) == ("randrot", 42, "surface")
    assert config.objects.names == ("mug", "bowl")
    module = config.module
    assert (module.updater, module.neighbours, module.match_distance) == ("burst", 7, 0.02)
    assert (module.x_percent_threshold, module.node_spacing) == (15.0, pytest.approx(0.003))
    assert (config.noise.location, config.noise.pose, config.noise.hsv) == (0.002, 2.0, 0.1)
    assert (config.sensor.change_filter, config.sensor.change_distance) == (True, 0.02)
    assert (config.policy.motion, config.policy.hypothesis_testing) == ("curvature", True)
    assert config.policy.goal_interval == 5
    assert (config.eval.rotations, config.eval.epochs, config.eval.min_steps) == ("random", 10, 20)
    assert (config.eval.max_steps, config.train.mode) == (300, "none")
    assert told.missing == ()


def test_a_threshold_that_monty_refuses_is_refused() -> None:
    module = {"_target_": "a.EvidenceGraphLM", "hypotheses_updater_class": "a.BurstSamplingHypothesesUpdater"}
    told = translated(
        tree(monty={"learning_modules": {"m": {**module, "evidence_threshold_config": "80%"}}}), "n"
    )
    assert told.config is None
    assert any("evidence_threshold_config = '80%'" in line for line in told.missing)


EVIDENCE = {"_target_": "a.EvidenceGraphLM", "hypotheses_updater_class": "a.DefaultHypothesesUpdater"}


@pytest.mark.parametrize(
    ("heard", "count", "levels"),
    [([[], [0]], 1, 2), ([[], [], [0, 1]], 2, 2), ([[], [0], [1]], 1, 3), ([[], [], [1, 0], [2]], 2, 3)],
)
def test_modules_that_hear_modules_are_levels(heard: list[list[int]], count: int, levels: int) -> None:
    modules = {f"m{number}": dict(EVIDENCE) for number in range(len(heard))}
    told = translated(tree(monty={"learning_modules": modules, "lm_to_lm_matrix": heard}), "n")
    assert told.config is not None, told.missing
    assert (told.config.module.count, told.config.module.levels) == (count, levels)
    assert any("objects.set=compositional" in line for line in told.missing)


@pytest.mark.parametrize("heard", [[[], [0], [0]], [[], [], [0]], [[1], []], [[], [0], [0, 1]]])
def test_modules_that_hear_each_other_otherwise_have_no_twin(heard: list[list[int]]) -> None:
    modules = {f"m{number}": dict(EVIDENCE) for number in range(len(heard))}
    told = translated(tree(monty={"learning_modules": modules, "lm_to_lm_matrix": heard}), "n")
    assert told.config is None
    assert "one module on each" in told.missing[0]


def test_mixed_modules_become_kinds() -> None:
    modules = {"m0": {"_target_": "a.DisplacementGraphLM"}, "m1": EVIDENCE | {"max_match_distance": 0.03}}
    told = translated(tree(monty={"learning_modules": modules}), "n")
    assert told.config is not None, told.missing
    assert told.config.module.kinds == ("displacement", "evidence")
    assert told.config.module.match_distance == 0.03


def test_what_has_no_twin_is_said() -> None:
    sensors = {"s": {"_target_": "a.TwoDSensorModule", "sensor_module_id": "patch"}}
    told = translated(tree(monty={"sensor_modules": sensors}, model_name_or_path="pretrained/x"), "n")
    assert told.config is not None
    assert any("TwoDSensorModule" in line for line in told.missing)
    assert any("saccade monty read" in line for line in told.missing)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tolerances": {"patch": {"hsv": [0.1, 1, 1]}}}, "tolerance of hsv from patch: [0.1, 1.0, 1.0]"),
        ({"feature_weights": {}}, "weight of hsv from patch: [1.0, 1.0, 1.0], ours is [2.0, 0.5, 0.5]"),
        ({"feature_weights": {"patch": WEIGHTS | {"pose_vectors": [9, 9, 9]}}}, "weight of pose_vectors"),
        ({"gsg": {"elapsed_steps_factor": 20}}, "elapsed_steps_factor = 20, ours is 10"),
        ({"gsg": {"goal_tolerances": {"location": 0.02}}}, "goal location = 0.02, ours is 0.015"),
        ({"gsg": {"mine": 1}}, "goal generator: mine = 1, ours is none"),
        ({"vote_weight": None}, "learning module: vote_weight = None"),
    ],
)
def test_numbers_that_ours_do_not_take_are_said(changes: dict[str, Any], says: str) -> None:
    given = tree()
    given["experiment"]["config"]["monty_config"]["learning_modules"]["learning_module_0"] |= changes
    told = translated(given, "n")
    assert told.config is not None, told.missing
    (line,) = told.missing
    assert says in line


@pytest.mark.parametrize(("votes", "said"), [([[1, 2], [0, 2], [1, 0]], False), ([[1], [0, 2], [1]], True)])
def test_votes_that_not_everybody_hears_are_said(votes: list[list[int]], said: bool) -> None:
    modules = {f"m{number}": EVIDENCE for number in range(3)}
    told = translated(tree(monty={"learning_modules": modules, "lm_to_lm_vote_matrix": votes}), "n")
    assert told.config is not None, told.missing
    assert told.config.module.vote == "reference"
    assert any("votes by" in line for line in told.missing) == said


def test_what_is_written_and_printed_is_a_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a line for each thing without a twin, however long."""
    given = tree(model_name_or_path="pretrained/" + "long/" * 40)
    monkeypatch.setattr(translate, "translate", lambda name, conf: translated(given, name))
    told = translated(given, "n")
    command, out = ["monty", "translate", "n"], tmp_path / "n.toml"
    printed = CliRunner().invoke(app, command).output
    noted = CliRunner().invoke(app, [*command, "--out", str(out)]).output
    assert noted.splitlines() == [f"# without a twin: {line}" for line in told.missing] != []
    assert told.config is not None
    assert printed == out.read_text() == noted + dumps(told.config)
    assert loads(printed) == told.config
    taken = CliRunner().invoke(app, [*command, "--out", str(tmp_path)])
    assert taken.exit_code == 1
    assert "it is a folder" in taken.stderr
    assert list(tmp_path.iterdir()) == [out]
    everything = CliRunner().invoke(app, ["monty", "translate", "all", "--out", str(out)])
    assert everything.exit_code == 1
    assert "one experiment" in everything.stderr


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"monty": {"learning_modules": FEATURES}}, "FeatureGraphLM has no twin"),
        ({"environment": {"env_init_func": "a.OmniglotEnvironment"}}, "Omniglot, has no twin"),
        ({"monty": {"learning_modules": {}}}, "no learning modules"),
    ],
)  # fmt: skip
def test_a_config_whose_core_has_no_twin_says_why(changes: dict[str, Any], says: str) -> None:
    told = translated(tree(**changes), "n")
    assert told.config is None
    assert says in told.missing[0]


def test_noise_of_each_part_of_a_feature_becomes_its_mean() -> None:
    noise = {"features": {"hsv": [0.1, 0.2, 0.3]}, "location": 0.002}
    sensors = {"s": {"_target_": "a.CameraSM", "sensor_module_id": "patch", "noise_params": noise}}
    told = translated(tree(monty={"sensor_modules": sensors}), "n")
    assert told.config is not None, told.missing
    assert told.config.noise.hsv == pytest.approx(0.2)
    assert any("noise on hsv" in line for line in told.missing)


def test_modules_of_two_levels_that_end_an_episode_together_are_said() -> None:
    modules = {"m0": EVIDENCE, "m1": EVIDENCE}
    both = {"_target_": "a.AnyLMsMatch", "count": 2}
    monty = {"learning_modules": modules, "lm_to_lm_matrix": [[], [0]]}
    told = translated(tree(monty=monty, match_criterion=both), "n")
    assert told.config is not None, told.missing
    assert told.config.eval.modules_to_match == 1
    assert any("the one on top" in line for line in told.missing)


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": [1]},
        {"n_eval_epochs": "many"},
        {"match_criterion": "any"},
        {"eval_env_interface_args": {"object_init_sampler": {"rotations": [1, 2]}}},
        {"monty": {"sm_to_lm_matrix": 3}},
        {"monty": {"learning_modules": {"m": "a.EvidenceGraphLM"}}},
        {
            "monty": {
                "learning_modules": None,
                "learning_module_configs": {"m": {"learning_module_class": "a.LM"}},
            }
        },
        {"monty": {"sensor_modules": {"s": {"_target_": "a.CameraSM", "noise_params": [1]}}}},
    ],
)
def test_configs_of_other_versions_are_refused_with_the_reason(changes: dict[str, Any]) -> None:
    told = translated(tree(**changes), "n")
    assert told.config is None
    assert "configs of tbp.monty 0.55 are known here" in told.missing[0]


PAGE = Path(__file__).parents[2] / "docs" / "monty.md"


def test_the_page_says_where_each_argument_and_class_went() -> None:
    page = PAGE.read_text("utf-8")
    known = {*translate.ARGUMENTS, *translate.MODULES, *translate.MOTIONS, *translate.UPDATERS}
    missing = {name for name in known | translate.SENSORS if f"`{name}" not in page}
    assert not missing


def test_every_setting_and_name_on_the_page_exists() -> None:
    """Settings are `section.key`, names `cortex.place.name`."""
    page, keys = PAGE.read_text("utf-8"), all_keys(ExperimentConfig)
    sections = {key.partition(".")[0] for key in keys if "." in key}
    for path in re.findall(r"`([a-z_]+\.[\w.]+)", page):
        first, _, rest = path.partition(".")
        if first in sections:
            assert path in keys
        elif first == "cortex":
            place, _, name = rest.rpartition(".")
            inside = import_module(f"saccade.cortex.{place}" if place else "saccade.cortex")
            assert hasattr(inside, name) or find_spec(f"saccade.{path}"), path


def test_a_part_of_a_config_is_no_config() -> None:
    assert "not a whole one" in translated({"experiment": {"config": {}}}, "n").missing[0]


def test_an_experiment_is_one_of_the_folder_that_was_named(tmp_path: Path) -> None:
    """With tbp.monty installed, hydra would find one of that name there."""
    (tmp_path / "experiment").mkdir()
    (tmp_path / "experiment" / "mine.yaml").write_text("experiment: {}\n")
    with pytest.raises(ValueError, match="has no experiment 'base_77obj_dist_agent'"):
        composed("base_77obj_dist_agent", tmp_path)
