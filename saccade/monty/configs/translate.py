"""Experiment configs of Monty as ours, where a twin exists; what has none is said.

    told = translate("base_77obj_dist_agent")     # composed from the installed tbp.monty
    told = translated(tree, "name")               # or from a config as a dict, without it
    told.config        an ExperimentConfig, None where its core has no twin
    told.missing       what has no twin and was left out, a line each; why, where there is no config

Objects are meshes of a folder that whoever runs it has: `saccade run --config FILE --objects FOLDER`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saccade.cortex.features import sizes
from saccade.cortex.goals.questions import GoalSettings
from saccade.cortex.settings import DEFAULT_TOLERANCES, DEFAULT_WEIGHTS
from saccade.experiment.config.config import check
from saccade.experiment.config.sections import ConfigError, from_dict
from saccade.experiment.config.settings import ExperimentConfig
from saccade.files.reading import reading
from saccade.monty.configs.hydra import composed

VERSION = "configs of tbp.monty 0.55 are known here"
#: classes of Monty by their last name, and what stands for them
MODULES = {
    "EvidenceGraphLM": "evidence",
    "NoResetEvidenceGraphLM": "evidence",
    "DisplacementGraphLM": "displacement",
    "GraphLM": "evidence",
}
MOTIONS = {
    "InformedPolicyRandomWalk": "auto",
    "NaiveScanPolicy": "spiral",
    "SurfacePolicy": "random_walk",
    "SurfacePolicyCurvatureInformed": "curvature",
    "BasePolicy": "random_walk",
}
UPDATERS = {"DefaultHypothesesUpdater": "plain", "BurstSamplingHypothesesUpdater": "burst"}
SENSORS = {"CameraSM", "Probe", "ExperimentSensorModule"}
#: arguments of an evidence module and of its updater, and our keys
ARGUMENTS = {
    "max_match_distance": "match_distance",
    "x_percent_threshold": "x_percent_threshold",
    "object_evidence_threshold": "object_evidence_threshold",
    "path_similarity_threshold": "path_similarity",
    "pose_similarity_threshold": "pose_similarity",
    "required_symmetry_evidence": "symmetry_evidence",
    "past_weight": "past_weight",
    "present_weight": "present_weight",
    "vote_evidence_threshold": "vote_threshold",
    "vote_weight": "vote_weight",
    "max_nodes_per_graph": "max_nodes",
    "max_graph_size": "max_size",
    "max_nneighbors": "neighbours",
    "umbilical_num_poses": "umbilical_poses",
    "deletion_trigger_slope": "slope_to_stay",
    "sampling_multiplier": "sampling",
}
#: those of our keys that are whole numbers
WHOLE = {"neighbours", "umbilical_poses", "symmetry_evidence", "max_nodes"}
#: arguments that need no twin, for others or nothing depend on them
KNOWN = {
    "_target_", "tolerances", "feature_weights", "gsg", "hypotheses_updater_class", "hypotheses_updater_args",
    "evidence_threshold_config", "num_model_voxels_per_dim", "use_multithreading",
}  # fmt: skip
NOISE = {
    "pose_vectors": "pose",
    "hsv": "hsv",
    "principal_curvatures_log": "curvature",
    "pose_fully_defined": "flags",
}
#: steps without a goal after one, our `policy.goal_interval`
GOAL_INTERVAL = "min_post_goal_success_steps"
#: what our modules go by where Monty's generators of goals have arguments
GOALS = {
    "elapsed_steps_factor": GoalSettings.elapsed_steps,
    "wait_growth_multiplier": GoalSettings.wait_growth,
    "x_percent_scale_factor": GoalSettings.pose_focus_scale,
    "goal location": GoalSettings.tolerance,
    "desired_object_distance": "the agent's own (world.distance)",
}
FEATURES = ("hsv", "principal_curvatures_log", "object_id", "rgba", "principal_curvatures")

Tree = Mapping[str, Any]


class NoTwinError(ValueError):
    """The core of a config has no twin."""


@dataclass(frozen=True)
class Translation:
    name: str
    config: ExperimentConfig | None
    missing: tuple[str, ...]


def translate(name: str, folder: Path | None = None) -> Translation:
    """The config of this name in the installed tbp.monty, or in another conf folder."""
    return translated(composed(name, folder), name)


def translated(tree: Tree, name: str) -> Translation:
    """A composed config as ours."""
    missing: list[str] = []
    try:
        with reading("it", NoTwinError, VERSION):
            table = _table(tree, name, missing)
        config = check(from_dict(ExperimentConfig, table))
    except (NoTwinError, ConfigError) as error:
        return Translation(name, None, (str(error),))
    return Translation(name, config, tuple(dict.fromkeys(missing)))


def _last(target: Any) -> str:
    return str(target).rpartition(".")[2]


def _table(tree: Tree, name: str, missing: list[str]) -> dict[str, Any]:
    experiment = tree.get("experiment") or {}
    config = experiment.get("config")
    if not isinstance(config, Mapping) or "monty_config" not in config:
        raise NoTwinError("it has no experiment.config.monty_config: it is part of a config, not a whole one")
    monty, kind = config["monty_config"], _last(experiment.get("_target_"))
    table: dict[str, Any] = {"name": name.replace("/", "-"), "seed": int(config.get("seed") or 0)}
    table["world"] = _world(config, monty)
    table["module"] = _module(monty, missing)
    sensor, table["noise"] = _sensor(monty, missing)
    table["sensor"] = sensor | _features(monty, missing)
    table["policy"] = _policy(monty, missing)
    table["train"] = _train(config, kind, missing)
    table["eval"] = _eval(config, monty, missing)
    table["objects"] = {"names": _objects(config)}
    table["recording"] = {"traces": "Detailed" in str(config.get("logging"))}
    if "Wandb" in str(config.get("logging")):
        missing.append("logging to wandb: --set recording.loggers=wandb")
    if monty.get("lm_to_lm_matrix") and any(monty["lm_to_lm_matrix"]):
        _levels(monty, table, missing)
    return table


def _world(config: Tree, monty: Tree) -> dict[str, Any]:
    environment = str(config.get("environment"))
    if "SaccadeOnImage" in environment:
        return {"kind": "image", "agent": "distant"}
    for strange in ("Omniglot", "RealRobots"):
        if strange in environment or strange in str(config.get("eval_env_interface_class")):
            raise NoTwinError(f"its world, {strange}, has no twin")
    surface = "surface_agent" in environment or "SurfaceAgent" in environment
    return {"kind": "mesh", "agent": "surface" if surface else "distant"}


def _modules(monty: Tree) -> list[Tree]:
    given = monty.get("learning_modules") or monty.get("learning_module_configs") or {}
    return [one for one in (given.values() if isinstance(given, Mapping) else given) if one]


def _module(monty: Tree, missing: list[str]) -> dict[str, Any]:
    modules = _modules(monty)
    if not modules:
        raise NoTwinError("it has no learning modules")
    if not all(one.get("_target_") for one in modules):
        raise NoTwinError(f"its learning modules name no _target_: {VERSION}")
    kinds = {_last(one.get("_target_")) for one in modules}
    strange = sorted(kinds - MODULES.keys())
    if strange:
        raise NoTwinError(f"its learning module {strange[0]} has no twin; ours are evidence and displacement")
    each = [MODULES[_last(one.get("_target_"))] for one in modules]
    found: dict[str, Any] = {"count": len(modules), "kind": each[0]}
    if set(each) == {"displacement"}:
        return found
    if len(set(each)) > 1:
        found["kinds"] = each
        modules = [one for one, kind in zip(modules, each, strict=True) if kind == "evidence"]
    first = modules[0]
    arguments = {**first, **(first.get("hypotheses_updater_args") or {})}
    for name, value in arguments.items():
        key = ARGUMENTS.get(name)
        if key is not None and isinstance(value, (int, float)):
            found[key] = int(value) if key in WHOLE else float(value)
        elif name not in KNOWN:
            missing.append(f"learning module: {name} = {value!r}")
    found["updater"] = UPDATERS.get(_last(first.get("hypotheses_updater_class", "DefaultHypothesesUpdater")))
    if found["updater"] is None:
        raise NoTwinError(f"its updater {_last(first['hypotheses_updater_class'])} has no twin")
    found["evidence_threshold"] = str(first.get("evidence_threshold_config", "all"))
    if found["updater"] == "burst" and found["evidence_threshold"] != "all":
        raise NoTwinError(
            f"its evidence_threshold_config = {found['evidence_threshold']!r} is refused by Monty's updater "
            "of bursts too, which tests all hypotheses; set it to all"
        )
    plain = [{key: one[key] for key in ARGUMENTS if key in one} for one in modules]
    if any(one != plain[0] for one in plain):
        missing.append("learning modules differ in their arguments; all get those of the first")
    voxels = first.get("num_model_voxels_per_dim")
    if voxels:
        found["node_spacing"] = float(first.get("max_graph_size", 0.3)) / float(voxels)
    votes = monty.get("lm_to_lm_vote_matrix")
    everybody = [sorted({*range(len(each))} - {number}) for number in range(len(each))]
    if votes and any(votes) and [sorted(row) for row in votes] != everybody:
        missing.append(f"votes by {votes}: every module hears every other")
    found["vote"] = "reference" if votes and any(votes) else "off" if len(each) > 1 else "corrected"
    return found


def _features(monty: Tree, missing: list[str]) -> dict[str, Any]:
    """What is matched: the features that modules have tolerances for."""
    wanted: dict[str, Any] = {}
    for one in _modules(monty):
        weights = one.get("feature_weights") or {}
        for name, channel in (one.get("tolerances") or {}).items():
            wanted.update(channel or {})
            missing.extend(_other_numbers(name, channel or {}, weights.get(name) or {}))
    strange = sorted(set(wanted) - set(FEATURES))
    missing.extend(f"feature {name}" for name in strange)
    known = [name for name in ("hsv", "principal_curvatures_log") if name in wanted]
    return {"features": known} if known else {}


def _other_numbers(channel: str, tolerances: Tree, weights: Tree) -> Iterator[str]:
    """Where tolerances and weights are not those that ours have; Monty gives 1 to who has no weight."""
    for what, owns, numbers in (
        ("tolerance", DEFAULT_TOLERANCES, tolerances), ("weight", DEFAULT_WEIGHTS, weights)
    ):  # fmt: skip
        for feature, own in owns:
            given = sizes(numbers.get(feature, [1.0] * len(own)))
            if feature in (*tolerances, "pose_vectors") and given != own:
                yield f"{what} of {feature} from {channel}: {list(given)}, ours is {list(own)}"


def _sensor(monty: Tree, missing: list[str]) -> tuple[dict[str, Any], dict[str, float]]:
    given = monty.get("sensor_modules") or {}
    sensors = [one for one in (given.values() if isinstance(given, Mapping) else given) if one]
    fed = {j for row in monty.get("sm_to_lm_matrix") or [] for j in row}
    for number, one in enumerate(sensors):
        kind = _last(one.get("_target_"))
        if kind not in SENSORS and number in fed:
            missing.append(f"sensor module {kind} ({one.get('sensor_module_id')}): a camera takes its place")
        elif kind not in SENSORS:
            missing.append(f"sensor module {kind} ({one.get('sensor_module_id')})")
    first: Tree = next((one for number, one in enumerate(sensors) if number in fed), {})
    deltas = first.get("delta_thresholds") or {}
    sensor: dict[str, Any] = {"change_filter": bool(deltas)}
    if "distance" in deltas:
        sensor["change_distance"] = float(deltas["distance"])
    missing.extend(
        f"change filter: {name}" for name in sorted(set(deltas) - {"distance", "on_object", "n_steps"})
    )
    params = first.get("noise_params") or {}
    features = params.get("features", {})
    noise = {key: _one_number(features.get(name, 0.0), name, missing) for name, key in NOISE.items()}
    missing.extend(f"noise on {name}" for name in sorted(set(features) - NOISE.keys()))
    return sensor, noise | {"location": _one_number(params.get("location", 0.0), "location", missing)}


def _one_number(given: Any, name: str, missing: list[str]) -> float:
    """The noise on a feature; of a number for each of its parts their mean."""
    if not isinstance(given, list):
        return float(given)
    missing.append(f"noise on {name} of {given}: all of its parts get the mean")
    return sum(map(float, given)) / len(given)


def _policies(tree: Any) -> Iterator[str]:
    """The last names of all policies in a motor system."""
    if isinstance(tree, Mapping):
        kind = _last(tree.get("_target_"))
        if kind.endswith("Policy") or kind in MOTIONS or ("Policy" in kind and "Selector" not in kind):
            yield kind
        for one in tree.values():
            yield from _policies(one)
    elif isinstance(tree, list):
        for one in tree:
            yield from _policies(one)


def _policy(monty: Tree, missing: list[str]) -> dict[str, Any]:
    motor = monty.get("motor_system_config") or {}
    found = list(dict.fromkeys(_policies(motor)))
    moving = [kind for kind in found if kind in MOTIONS]
    missing.extend(f"motor policy {kind}" for kind in found if kind not in MOTIONS and "Jump" not in kind)
    goals = any(one.get("gsg") for one in _modules(monty)) and "'use_goal_driven_actions': False" not in str(
        motor
    )
    motion = MOTIONS[moving[0]] if moving else "auto"
    return {"motion": motion, "hypothesis_testing": goals} | (_goals(monty, missing) if goals else {})


def _goals(monty: Tree, missing: list[str]) -> dict[str, int]:
    """When modules ask for a look; ours agree on it."""
    given = [one["gsg"] for one in _modules(monty) if one.get("gsg")]
    if any(one != given[0] for one in given):
        missing.append("goal generators differ; all modules get the first")
    numbers = {
        **given[0],
        **{f"goal {name}": n for name, n in (given[0].get("goal_tolerances") or {}).items()},
    }
    for name in sorted(numbers.keys() - {"_target_", "goal_tolerances", GOAL_INTERVAL}):
        if numbers[name] != GOALS.get(name):
            missing.append(f"goal generator: {name} = {numbers[name]!r}, ours is {GOALS.get(name, 'none')}")
    least = numbers.get(GOAL_INTERVAL)
    return {"goal_interval": least} if isinstance(least, int) else {}


def _rotations(interface: Any) -> list[list[float]] | None:
    """Predefined rotations of an interface; None for random ones."""
    sampler = interface.get("object_init_sampler") if isinstance(interface, Mapping) else None
    given = sampler.get("rotations") if isinstance(sampler, Mapping) else None
    return [list(map(float, one)) for one in given] if isinstance(given, list) else None


def _train(config: Tree, kind: str, missing: list[str]) -> dict[str, Any]:
    models = config.get("model_name_or_path")
    if models:
        missing.append(f"models of {models}: saccade monty read, then --set train.models=FOLDER")
    if not config.get("do_train"):
        return {"mode": "none"}
    if "Supervised" in kind:
        rotations = _rotations(config.get("train_env_interface_args"))
        steps = config["monty_config"].get("monty_args", {}).get("num_exploratory_steps", 500)
        if config.get("supervised_lm_ids") not in (None, "all", []):
            missing.append("only some modules are supervised; ours all are")
        return {"mode": "supervised", "steps": int(steps), "rotations": min(len(rotations or [0]), 14)}
    return {"mode": "unsupervised", "epochs": max(int(config.get("n_train_epochs") or 1), 1)}


def _find(tree: Any, key: str) -> Any:
    """The first value of a key anywhere below."""
    if isinstance(tree, Mapping):
        if key in tree:
            return tree[key]
        parts: Any = tree.values()
    else:
        parts = tree if isinstance(tree, list) else ()
    return next((found for one in parts if (found := _find(one, key)) is not None), None)


def _eval(config: Tree, monty: Tree, missing: list[str]) -> dict[str, Any]:
    if not config.get("do_eval"):
        return {"mode": "none"}
    swapped = any("NoReset" in _last(one.get("_target_")) for one in _modules(monty))
    found: dict[str, Any] = {"mode": "swap" if swapped else "reset"}
    rotations = _rotations(config.get("eval_env_interface_args"))
    if rotations is None:
        found |= {"rotations": "random", "epochs": max(int(config.get("n_eval_epochs") or 1), 1)}
    else:
        shown = rotations[: max(int(config.get("n_eval_epochs") or len(rotations)), 1)]
        found |= {"rotations": "given", "given": shown}
    least = monty.get("monty_args", {}).get("min_eval_steps")
    most = _find(config.get("recognition_policy"), "max_eval_steps") or _find(config, "max_eval_steps")
    found["max_steps"] = int(most) if isinstance(most, int) else 500
    found["min_steps"] = min(int(least), found["max_steps"]) if isinstance(least, int) else 20
    criterion = config.get("match_criterion") or {}
    if _last(criterion.get("_target_")) == "AnyLMsMatch":
        found["modules_to_match"] = min(int(criterion.get("count", 1)), len(_modules(monty)))
    elif criterion:
        missing.append(f"match criterion {_last(criterion.get('_target_'))}: any one module ends an episode")
    found["evidence_per_step"] = 0.0  # Monty asks for none
    return found


def _objects(config: Tree) -> list[str]:
    names: dict[str, None] = {}
    for key in ("train_env_interface_args", "eval_env_interface_args"):
        given = (config.get(key) or {}).get("object_names") or []
        groups = given.values() if isinstance(given, Mapping) else [given]
        names.update(
            dict.fromkeys(str(name) for group in groups if isinstance(group, list) for name in group)
        )
    return list(names)


def _levels(monty: Tree, table: dict[str, Any], missing: list[str]) -> None:
    """Modules that hear modules: ours have one module a level above the first, which hears all below it."""
    heard = [sorted(row) for row in monty["lm_to_lm_matrix"]]
    count = next((number for number, row in enumerate(heard) if row), 0)
    above = [list(range(count)), *([number] for number in range(count, len(heard) - 1))]
    if heard[count:] != above:
        raise NoTwinError(
            f"modules hear each other by {heard}; above the first level ours have one module on each, which "
            "hears all of the level below"
        )
    votes = table["module"]["vote"] if count > 1 else "corrected"
    if table["eval"].get("modules_to_match", 1) > 1:
        table["eval"]["modules_to_match"] = 1
        missing.append("several modules of different levels end an episode; ours ends by the one on top")
    kinds = table["module"].pop("kinds", [])[:count]
    table["module"] |= {"count": count, "levels": len(above) + 1, "vote": votes, "kinds": kinds}
    missing.append(
        "objects made of parts, which meshes of a folder are not: --set objects.set=compositional "
        "--set objects.names="
    )
