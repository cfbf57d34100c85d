"""Whether the sections of a config agree with each other.

In: a config whose every value is allowed by itself. Out: nothing, or a `ConfigError` that names the setting
and what would do. So what cannot work is told at once, not when learning is over and the setting is used:

    check_agreement(replace(config, policy=replace(config.policy, motion="spiral")))
    # ConfigError: policy.motion = 'spiral' is for the distant agent; use auto, random_walk or curvature
"""

from __future__ import annotations

import math

from saccade import extend
from saccade.cortex.settings import DEFAULT_TOLERANCES
from saccade.experiment.config.sections import ConfigError, unknown
from saccade.experiment.config.settings import ExperimentConfig
from saccade.files.reading import shown

# Evidence that no hypothesis gathers, however long a run.
MOST_EVIDENCE = 1_000_000
# Movements that one kind of agent alone can make, and what the other can use instead.
MOTIONS = {
    "spiral": ("distant", "auto, random_walk or curvature"),
    "curvature": ("surface", "auto, random_walk or spiral"),
}


def check_agreement(config: ExperimentConfig) -> None:
    """Raise a `ConfigError` for the first thing that cannot work."""
    if not config.name or set("/\0") & set(config.name) or config.name.startswith("."):
        raise ConfigError(f"name = {shown(config.name)} must be a name that a folder can have")
    for key, names in (("objects.names", config.objects.names), ("sensor.features", config.sensor.features)):
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ConfigError(f"{key} has {', '.join(twice)} more than once; name each once")
    evaluation = config.eval
    if evaluation.rotations == "given" and not evaluation.given:
        raise ConfigError(
            "eval.rotations = 'given' needs eval.given, for example --set 'eval.given=[[0, 90, 0]]'"
        )
    if evaluation.min_steps > evaluation.max_steps:
        raise ConfigError(
            f"eval.min_steps = {evaluation.min_steps} must not exceed eval.max_steps = {evaluation.max_steps}"
        )
    if evaluation.modules_to_match > config.module.count:
        raise ConfigError(
            f"eval.modules_to_match = {evaluation.modules_to_match} needs at least that many modules, "
            f"module.count = {config.module.count}"
        )
    if len(config.module.each_kind) != config.module.count:
        raise ConfigError(
            f"module.kinds names {len(config.module.kinds)} kinds for module.count = {config.module.count} "
            "modules; name one for each, or none"
        )
    _check_levels(config)
    _check_senses(config)
    _check_pictures(config)
    _check_threshold(config.module.evidence_threshold)
    if config.module.evidence_threshold != type(config.module).evidence_threshold:
        check_bursts(config)


def check_bursts(config: ExperimentConfig) -> None:
    """Bursts test whatever they keep, so a threshold that somebody chose would do nothing."""
    module = config.module
    if module.updater == "burst" and module.evidence_threshold != "all":
        raise ConfigError(
            f"module.evidence_threshold = {shown(module.evidence_threshold)} is for module.updater = 'plain'"
            ": bursts test every hypothesis that they keep; set it to all, or the updater to plain"
        )


def _check_threshold(threshold: str) -> None:
    """A rule, evidence, or a share of the best."""
    if threshold in ("all", "mean", "median", "x_percent_threshold"):
        return
    try:
        number = float(threshold.removesuffix("%"))
    except ValueError:
        number = math.nan
    low, high = (0, 100) if threshold.endswith("%") else (-MOST_EVIDENCE, MOST_EVIDENCE)
    if not low <= number <= high:
        raise ConfigError(
            f"module.evidence_threshold = {shown(threshold)} must be all, mean, median, x_percent_threshold, "
            f"a number of at least {-MOST_EVIDENCE} and at most {MOST_EVIDENCE}, or a percentage such as 80%"
        )


def _check_senses(config: ExperimentConfig) -> None:
    """What is sensed can be scored, and the agent can move as it should."""
    known = [name for name, _ in DEFAULT_TOLERANCES]
    for name in config.sensor.features:
        if name not in known:
            raise ConfigError(f"sensor.features: {unknown('feature', name, known)}")
    agent, others = MOTIONS.get(config.policy.motion, (config.world.agent, ""))
    if agent != config.world.agent:
        raise ConfigError(f"policy.motion = {config.policy.motion!r} is for the {agent} agent; use {others}")
    why = why_on_host(config)
    if config.world.rays == "device" and why is not None:
        raise ConfigError(f"world.rays = 'device': {why}; set it to auto or host")


def why_on_host(config: ExperimentConfig) -> str | None:
    """What needs what is seen on the host, so that rays are cast there; None: nothing does."""
    if config.world.kind not in ("mesh", "field"):
        return f"world.kind = {config.world.kind!r} has no triangles"
    if config.recording.traces:
        return "recording.traces keeps patches"
    if extend.is_own("sensor_module", config.sensor.module):
        return f"sensor.module = {config.sensor.module!r} computes on the host"
    return None


def _check_levels(config: ExperimentConfig) -> None:
    """Levels are taught part by part, and one module is above each."""
    levels = config.module.levels
    if levels == 1:
        return
    if config.objects.folder:
        raise ConfigError(
            f"module.levels = {levels} needs objects made of parts; meshes of a folder are whole: set it to 1"
        )
    if config.world.kind == "image":
        raise ConfigError(
            f"module.levels = {levels} needs objects made of parts; pictures are whole: set it to 1"
        )
    if config.train.mode == "unsupervised":
        raise ConfigError(f"module.levels = {levels} is learned with names: set train.mode = supervised")
    if config.eval.modules_to_match > 1:
        raise ConfigError(
            f"eval.modules_to_match = {config.eval.modules_to_match}: with module.levels = {levels} the one "
            "module on top decides; set it to 1"
        )


def _check_pictures(config: ExperimentConfig) -> None:
    """Pictures are moved over, one at a time."""
    if config.world.kind != "image":
        if config.objects.images:
            raise ConfigError("objects.images needs world.kind = image")
        return
    for key, value, wanted in (
        ("world.distractors", config.world.distractors, 0),
        ("objects.folder", config.objects.folder, ""),
    ):
        if value != wanted:
            raise ConfigError(f"{key} = {value!r}: in a world of pictures it must be {wanted!r}")
