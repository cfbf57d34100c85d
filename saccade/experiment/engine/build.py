"""From a config to the parts it names: sensors, world, policies, settings of the modules.

In: an `ExperimentConfig`. Out: values of `saccade.world` and `saccade.cortex`. Nothing here runs anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from saccade import extend
from saccade.cortex.goals.goals import GoalSettings
from saccade.cortex.models.model import GridSettings
from saccade.cortex.modules.displacement_module import DisplacementSettings
from saccade.cortex.motor import GoalDriven, Inhibition, Policy, RandomWalk, SpiralScan, SurfaceFollow
from saccade.cortex.motor_programs.policy import on_device
from saccade.cortex.ops import in_host_memory
from saccade.cortex.sense import ChangeThresholds, NoiseSettings, SensorSettings, sense
from saccade.cortex.sense.sense_program import DeviceSense
from saccade.cortex.settings import (
    DEFAULT_TOLERANCES,
    DEFAULT_WEIGHTS,
    BurstSettings,
    EvidenceSettings,
    PlainSettings,
)
from saccade.cortex.step import Sense
from saccade.experiment.config.agreement import why_on_host
from saccade.experiment.config.probe import Card, card_of, device_of, looked
from saccade.experiment.config.settings import ExperimentConfig
from saccade.reproducible import arctan
from saccade.runtime.device import Device
from saccade.world.agents import DISTANT_RANGE, SURFACE_RANGE, rig_of, spread
from saccade.world.images import ImageWorld, Picture
from saccade.world.meshes.mesh import WorldObject
from saccade.world.noise import DepthNoise
from saccade.world.protocol import Rig, World

# Metres seen by a patch and metres between patches, where the config leaves them to the agent.
PATCH = {"distant": 0.02, "surface": 0.014}
SPACING = {"distant": 0.015, "surface": 0.01}
# Chance of a new direction at each look of a distant agent that explores: runs of five looks cross an object.
EXPLORING_TURNS = 0.2
# Rays of a look of all rows of a process from which, with `world.rays = auto`, a GPU casts them and senses
# the patches. On an H200 beside 16 cores a look of 7,400 rays takes 7.8 ms on the host and 1.0 on the card,
# one of 59,000 rays 31 and 1.3: a hundred of those make up for programs that are not in the cache, 2.5 s.
DEVICE_RAYS = 65_536
# Metres that the range of colours is worth where colour tells models apart: so much that another colour
# counts for more than two poses of one body differ by.
COLOUR_SCALE = 0.1


def check_device(config: ExperimentConfig, apart: bool = False) -> None:
    """Open the device, so that one that cannot be used says what it lacks; `apart`, in another process."""
    name = device_of(config)
    with _saying_what_it_lacks(config):
        if apart:
            card_of(name)
        else:
            Device.usable(name)


def opened_card(config: ExperimentConfig) -> Card:
    """The device, opened here; one that cannot be used says what it lacks."""
    name = device_of(config)
    with _saying_what_it_lacks(config):
        return looked(name)


@contextmanager
def _saying_what_it_lacks(config: ExperimentConfig) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise ValueError(f"device = {config.device!r} cannot be used: {error}") from None


def viewing_distance(config: ExperimentConfig) -> float:
    """Metres between the sensors and the surface."""
    own = {"distant": DISTANT_RANGE, "surface": SURFACE_RANGE}[config.world.agent]
    return config.world.distance or own


def make_rig(config: ExperimentConfig) -> Rig:
    """One sensor per module of the lowest level."""
    agent, distance = config.world.agent, viewing_distance(config)
    patch = config.sensor.patch or PATCH[agent]
    offsets = spread(config.module.count, config.sensor.spacing or SPACING[agent])
    angle = 2 * float(arctan(patch / 2 / distance))
    converge = distance if agent == "distant" else None
    return rig_of(offsets, angle, config.sensor.pixels, converge)


def make_world(
    config: ExperimentConfig,
    things: Sequence[WorldObject | Picture],
    rows: int,
    noisy: bool,
    resident: bool = False,
) -> World:
    """The world of a config, with noise on raw depth if `noisy`; `resident`: what it shows stays on the
    device of the run where `stays_on_device` says so."""
    noise = DepthNoise(sigma=config.noise.depth) if noisy and config.noise.depth > 0 else None
    if extend.is_own("world", config.world.kind):
        own: World = extend.made("world", config.world.kind, config, things, rows, noisy)
        return own
    if config.world.kind == "image":
        return ImageWorld([t for t in things if isinstance(t, Picture)], make_rig(config), rows, noise)
    objects = [thing for thing in things if isinstance(thing, WorldObject)]
    stays = resident and stays_on_device(config, rows)
    if config.world.kind == "field":
        from saccade.world.fields.arrays import TensorArrays
        from saccade.world.fields.field_world import FieldWorld

        arrays = TensorArrays(device_of(config))
        return FieldWorld(objects, make_rig(config), rows, noise, arrays=arrays, fetched=True, resident=stays)
    from saccade.world.meshes.mesh_world import MeshWorld

    device = device_of(config) if stays else None
    return MeshWorld(objects, make_rig(config), rows=rows, noise=noise, device=device)


def stays_on_device(config: ExperimentConfig, rows: int) -> bool:
    """Whether rays are cast and patches sensed on the device while objects are recognised: where nobody on
    the host needs what is seen, and it is asked for or, with `auto`, is a GPU that has so many rays."""
    if config.world.rays == "host" or why_on_host(config) is not None:
        return False
    rays = rows * config.module.count * config.sensor.pixels**2
    pays = rays >= DEVICE_RAYS and not in_host_memory(device_of(config))
    return pays or config.world.rays == "device"


def sensor_settings(config: ExperimentConfig) -> SensorSettings:
    return SensorSettings()


def sensing(config: ExperimentConfig) -> Sense:
    """What turns patches into sensations."""
    if extend.is_own("sensor_module", config.sensor.module):
        own: Sense = extend.made("sensor_module", config.sensor.module, config)
        return own
    # what is seen on the host is sensed there
    return sense if why_on_host(config) else DeviceSense(device_of(config))


def noise_settings(config: ExperimentConfig) -> NoiseSettings | None:
    """Noise on percepts, None where there is none."""
    noise = config.noise
    chosen = NoiseSettings(noise.location, noise.pose, noise.hsv, noise.curvature, noise.flags)
    silent = NoiseSettings(0.0, 0.0, 0.0, 0.0, 0.0)
    return None if chosen == silent else chosen


def change_thresholds(config: ExperimentConfig) -> ChangeThresholds | None:
    """When a percept is news, None where every one is."""
    if not config.sensor.change_filter:
        return None
    return ChangeThresholds(distance=config.sensor.change_distance)


def grid_settings(config: ExperimentConfig) -> GridSettings:
    module = config.module
    return GridSettings(cell=module.node_spacing, max_size=module.max_size, max_nodes=module.max_nodes)


def _chosen_features(config: ExperimentConfig) -> tuple[Any, Any]:
    """Tolerances and weights of the features the config lists."""
    known = dict(DEFAULT_TOLERANCES)
    tolerances = tuple((name, known[name]) for name in config.sensor.features)
    kept = (*config.sensor.features, "pose_vectors")
    return tolerances, tuple((name, values) for name, values in DEFAULT_WEIGHTS if name in kept)


def evidence_settings(config: ExperimentConfig) -> EvidenceSettings:
    """What all evidence modules of the run agree on."""
    module = config.module
    tolerances, weights = _chosen_features(config)
    threshold: str | float = module.evidence_threshold
    if threshold not in (
        "all",
        "mean",
        "median",
        "x_percent_threshold",
    ) and not module.evidence_threshold.endswith("%"):
        threshold = float(threshold)
    if module.updater == "burst":
        threshold = "all"  # the default is for the plain updater; what does not grow here is removed
    return EvidenceSettings(
        max_match_distance=module.match_distance,
        max_nneighbors=module.neighbours,
        tolerances=tolerances,
        feature_weights=weights,
        past_weight=module.past_weight,
        present_weight=module.present_weight,
        evidence_threshold=threshold,
        x_percent_threshold=module.x_percent_threshold,
        object_evidence_threshold=module.object_evidence_threshold,
        path_similarity_threshold=module.path_similarity,
        pose_similarity_threshold=module.pose_similarity,
        required_symmetry_evidence=module.symmetry_evidence,
        umbilical_num_poses=module.umbilical_poses,
        vote_evidence_threshold=module.vote_threshold,
        vote_weight=module.vote_weight,
        vote_geometry="corrected" if module.vote == "off" else module.vote,
        updater=_updater(config),
    )


def _updater(config: ExperimentConfig) -> BurstSettings | PlainSettings:
    if config.module.updater == "plain":
        return PlainSettings()
    return BurstSettings(
        sampling_multiplier=config.module.sampling, deletion_trigger_slope=config.module.slope_to_stay
    )


def displacement_settings(config: ExperimentConfig) -> DisplacementSettings:
    """What all displacement modules of the run agree on."""
    module = config.module
    tolerances, weights = _chosen_features(config)
    return DisplacementSettings(
        tolerances=tolerances,
        feature_weights=weights,
        x_percent_threshold=module.x_percent_threshold,
        object_evidence_threshold=module.object_evidence_threshold,
        path_similarity_threshold=module.path_similarity,
    )


def exploring_policy(config: ExperimentConfig) -> Policy[Any]:
    """How the agent moves while it learns an object: to see all of it, not to surprise itself."""
    step, train = config.policy.step, config.train
    if config.world.agent == "surface":
        follow = SurfaceFollow(distance=viewing_distance(config), stride=step or 0.01)
        if train.mode != "unsupervised":
            return follow
        # All views are of one meeting, so all places are remembered, and what was not felt yet is sought.
        return replace(follow, inhibition=Inhibition(capacity=train.rotations * train.steps))
    # Looks two model points apart. A walk that stays on the object: of a spiral over the view 3 of 100 looks
    # met a spoon, and 20 a mug.
    angle = math.radians(step) if step else 2 * config.module.node_spacing / viewing_distance(config)
    return RandomWalk(amount=angle, switch=EXPLORING_TURNS)


def recognising_policy(config: ExperimentConfig) -> Policy[Any]:
    """How the agent moves while it recognises."""
    step, motion, distance = config.policy.step, config.policy.motion, viewing_distance(config)
    base: Policy[Any]
    if extend.is_own("motor_policy", motion):
        base = extend.made("motor_policy", motion, config)
    elif config.world.agent == "surface":
        base = SurfaceFollow(distance=distance, stride=step or 0.01, follow_curvature=motion != "random_walk")
    elif motion == "spiral":
        base = SpiralScan(amount=math.radians(step or 2.0))
    else:
        base = RandomWalk(amount=math.radians(step or 5.0))
    if not config.policy.hypothesis_testing:
        return base
    # from as far as models were felt: from half as far again a fifth of looks fitted no true pose (ten scans;
    # an eighth of other steps), and rotations were 32 degrees off and not 27
    return GoalDriven(base, kind="jump", distance=distance)


def acting_policy(config: ExperimentConfig, rows: int) -> Policy[Any]:
    """The `recognising_policy`; where patches are sensed on the device, its program acts there, if there is
    one."""
    policy = recognising_policy(config)
    return on_device(policy, device_of(config)) if stays_on_device(config, rows) else policy


def goal_settings(config: ExperimentConfig) -> GoalSettings | None:
    if not config.policy.hypothesis_testing:
        return None
    settings = GoalSettings(
        x_percent=config.module.x_percent_threshold, min_steps=config.policy.goal_interval
    )
    if config.module.levels > 1:
        # What is made of the same parts is told apart in few places, by colour: they are looked at often.
        return replace(settings, colour_scale=COLOUR_SCALE, min_steps=3, elapsed_steps=4, wait_growth=1)
    return settings
