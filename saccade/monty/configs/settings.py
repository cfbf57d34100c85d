"""The arguments of Monty's evidence module as our settings, without tbp.monty.

Monty names its input channels; modules that differ in nothing else should share a program, so here channels
are numbered. What has no twin is refused by name, with the part to use instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from saccade.cortex.features import POSE_FEATURES, sizes
from saccade.cortex.settings import BurstSettings, EvidenceSettings, PlainSettings, Table

#: arguments of the module that are settings of the same name here
SAME = (
    "max_match_distance", "feature_evidence_increment", "past_weight", "present_weight", "vote_weight",
    "x_percent_threshold", "object_evidence_threshold", "path_similarity_threshold",
    "pose_similarity_threshold", "required_symmetry_evidence", "vote_evidence_threshold",
)  # fmt: skip
#: arguments of Monty's updaters, and of the burst updater alone
UPDATER = {"max_nneighbors": 3, "umbilical_num_poses": 8, "initial_possible_poses": "informed"}
BURST = ("sampling_multiplier", "deletion_trigger_slope", "sampling_burst_duration", "burst_trigger_slope")

INSTEAD = "use hypotheses_updater_class: saccade.monty.{} with Monty's own learning module, which takes it"


def channel_name(number: int) -> str:
    return f"channel {number}"


def _table(values: Mapping[str, Any]) -> Table:
    return tuple((name, sizes(value)) for name, value in values.items() if name not in POSE_FEATURES)


def settings_of(
    module: Mapping[str, Any],
    tolerances: Mapping[str, Mapping[str, Any]],
    weights: Mapping[str, Mapping[str, Any]],
    updater: Mapping[str, Any],
    burst: bool,
    dtype: str = "float64",
) -> EvidenceSettings:
    """From the module's arguments, its tolerances and weights per channel, and its updater's arguments."""
    instead = INSTEAD.format("BurstHypothesesUpdater" if burst else "HypothesesUpdater")
    known = {*UPDATER, *(BURST if burst else ()), "include_telemetry"}
    strange = sorted(set(updater) - known)
    if strange:
        raise ValueError(
            f"saccade.monty.LearningModule knows no hypotheses_updater_args {strange}: {instead}"
        )
    if updater.get("include_telemetry"):
        raise ValueError(
            f"saccade.monty.LearningModule keeps no telemetry of bursts (include_telemetry): {instead}"
        )
    given = {name: updater.get(name, default) for name, default in UPDATER.items()}
    return EvidenceSettings(
        **{name: module[name] for name in SAME},
        **{name: given[name] for name in ("max_nneighbors", "umbilical_num_poses")},
        initial_possible_poses=_poses(given["initial_possible_poses"]),
        evidence_threshold=module["evidence_threshold_config"],
        tolerances=(),
        feature_weights=(("pose_vectors", _pose_weights(weights, instead)),),
        channel_tolerances=tuple((channel_name(c), _table(one)) for c, one in enumerate(tolerances.values())),
        channel_weights=tuple(
            (channel_name(c), _table(weights.get(channel, {}))) for c, channel in enumerate(tolerances)
        ),
        vote_geometry="reference",
        updater=BurstSettings(**{n: updater[n] for n in BURST if n in updater}) if burst else PlainSettings(),
        dtype=dtype,
    )


def _pose_weights(weights: Mapping[str, Mapping[str, Any]], instead: str) -> tuple[float, ...]:
    """The weights of pose vectors, which all channels must share."""
    found = {sizes(one["pose_vectors"]) for one in weights.values() if "pose_vectors" in one}
    if len(found) > 1:
        raise ValueError(
            f"channels weigh pose_vectors differently, {sorted(found)}, and saccade.monty.LearningModule has "
            f"one weight for all: {instead}"
        )
    return found.pop() if found else (1.0, 1.0, 1.0)


def _poses(given: Any) -> str | tuple[tuple[float, float, float], ...]:
    """Monty takes a word or a list of Euler angles in degrees."""
    if isinstance(given, str):
        return given
    if not isinstance(given, Sequence):
        raise ValueError(f"initial_possible_poses is {given!r}: use informed, uniform or Euler triples")
    triples = np.asarray([np.asarray(one, np.float64) for one in given])
    if triples.ndim != 2 or triples.shape[1] != 3:
        raise ValueError(f"initial_possible_poses has shape {triples.shape}: use triples of degrees")
    return tuple((a, b, c) for a, b, c in triples.tolist())


def evidence_settings(
    tolerances: Mapping[str, Any], weights: Mapping[str, Any], reach: float, neighbours: int, increment: float
) -> EvidenceSettings:
    """What one channel's evidence depends on, for who asks object by object."""
    return EvidenceSettings(
        max_match_distance=reach,
        max_nneighbors=neighbours,
        feature_evidence_increment=increment,
        tolerances=_table(tolerances),
        feature_weights=(*_table(weights), ("pose_vectors", sizes(weights["pose_vectors"]))),
        dtype="float64",
    )
