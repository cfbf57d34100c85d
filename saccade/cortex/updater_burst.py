"""The burst updater: hypotheses come in bursts when nothing explains the percepts well, and go when theirs
stop growing.

Every hypothesis keeps its last W evidence values and an age. Its *slope* is the mean of the successive
differences, each divided by the number of channels used at the later step; without two values it has none.
Each step:

1. a module whose largest slope is at most `burst_trigger_slope` and that is in no burst begins one of D
steps;
2. all hypotheses are displaced; those whose slope is below `deletion_trigger_slope` and that are old enough
go;
3. the kept ones are tested with the percept as in the plain updater;
4. in a burst the best-fitting nodes give new hypotheses: n/p nodes in ascending order of fit, rotation by
rotation;
5. all evidence is pushed to the histories and everybody ages.

All of that is one program of fixed shape: removal is a running sum and a scatter of places, and addition a
selection by place, so counts change freely within the capacity.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from saccade.cortex.hypotheses import (
    Hypotheses,
    Poses,
    displace,
    global_node,
    kept_order,
    merge,
    new_pose,
    reorder,
    valid,
    widen,
)
from saccade.cortex.inputs import StepInput
from saccade.cortex.ops import (
    ascending_order,
    cast,
    highest,
    integers,
    lowest,
    maximum,
    minimum,
    upload,
    where,
)
from saccade.cortex.settings import BurstSettings, EvidenceSettings
from saccade.cortex.updater_plain import (
    INFINITY,
    Channel,
    Update,
    accumulated,
    displacement_of,
    node_scores,
    prediction_error,
    usable,
)
from saccade.tensor import Tensor


class Tracker(NamedTuple):
    """How the evidence of every hypothesis went, oldest value first; entries older than its age mean
    nothing.
    """

    history: tuple[Tensor, ...]  # W x (R, M, O, H)
    channels: tuple[Tensor, ...]  # W x (R, M, O) channels used when that value was pushed, as numbers
    ages: Tensor  # (R, M, O, H) int32
    burst_left: Tensor  # (R, M) int32


class Burst(NamedTuple):
    """What a step did beyond `Update`."""

    max_slope: Tensor  # (R, M), -inf if nothing has a slope
    removed: Tensor  # (R, M, O, H) bool, places before the step
    kept: Tensor  # (R, M, O) int32
    added: Tensor  # (R, M, O) int32
    upcoming: Tensor  # (R, M) bool: the next step with a percept will be part of a burst


class SampleSize(NamedTuple):
    """How many nodes a burst takes from each model of a channel, (M, O) int32, made on the host."""

    defined: Tensor  # if the sensed pose is fully defined
    undefined: Tensor


def nodes_to_sample(nodes: int, poses: int, multiplier: float) -> int:
    """Nodes that get `poses` new hypotheses each: round(N min(m, p)) hypotheses, cut to a multiple of p.

    >>> nodes_to_sample(150, 2, 0.4), nodes_to_sample(10, 8, 0.7), nodes_to_sample(5, 1, 0.5)
    (30, 0, 2)
    """
    wanted = round(nodes * min(multiplier, poses))
    return wanted // poses


def empty(
    rows: int, modules: int, objects: int, size: int, settings: BurstSettings, dtype: str, device: str | None
) -> Tracker:
    def zeros(shape: tuple[int, ...], kind: str) -> Tensor:
        return upload(np.zeros(shape), kind, device)

    lead = (rows, modules, objects)
    return Tracker(
        history=tuple(zeros((*lead, size), dtype) for _ in range(settings.window_size)),
        channels=tuple(zeros(lead, dtype) for _ in range(settings.window_size)),
        ages=zeros((*lead, size), "int32"),
        burst_left=zeros((rows, modules), "int32"),
    )


def grown(tracker: Tracker, objects: int, size: int) -> Tracker:
    """The same with room for more objects and hypotheses."""
    return Tracker(
        history=tuple(widen(widen(value, 3, size), 2, objects) for value in tracker.history),
        channels=tuple(widen(value, 2, objects) for value in tracker.channels),
        ages=widen(widen(tracker.ages, 3, size), 2, objects),
        burst_left=tracker.burst_left,
    )


def slopes(tracker: Tracker) -> tuple[Tensor, Tensor]:
    """(R, M, O, H) mean growth per step and channel, and whether a hypothesis has one (two values or
    more).
    """
    window = len(tracker.history)
    total: Tensor | None = None
    for k in range(1, window):
        grown_by = tracker.history[k] - tracker.history[k - 1]
        grown_by = grown_by / maximum(tracker.channels[k], 1.0).unsqueeze(-1)
        # a hypothesis of age a has its last a values
        part = where(tracker.ages >= window - k + 1, grown_by, 0.0)
        total = part if total is None else total + part
    assert total is not None
    number = minimum(tracker.ages, window) - 1
    return total / cast(maximum(number, 1), total), number > 0


def largest_slope(hypotheses: Hypotheses, tracker: Tracker) -> Tensor:
    """(R, M) the largest slope of all hypotheses of all objects, -inf if none has one."""
    slope, has_slope = slopes(tracker)
    return highest(highest(where(valid(hypotheses) & has_slope, slope, -INFINITY)))


def update(
    hypotheses: Hypotheses,
    tracker: Tracker,
    step: StepInput,
    channels: Sequence[Channel],
    poses: Sequence[Poses],
    samples: Sequence[SampleSize],
    settings: EvidenceSettings,
) -> tuple[Hypotheses, Tracker, Update, Burst]:
    """One step; objects without a usable channel are only moved along if the whole step only moved.

    With empty `poses` nothing is sampled: for steps that are known to lie outside a burst, because ranking
    all nodes is the most expensive part of a burst.
    """
    burst = settings.updater
    assert isinstance(burst, BurstSettings)
    there = valid(hypotheses)
    slope, has_slope = slopes(tracker)
    max_slope = largest_slope(hypotheses, tracker)
    any_sensed = step.channels[0].usable
    for sensed in step.channels[1:]:
        any_sensed = any_sensed | sensed.usable
    begins = any_sensed & (max_slope <= burst.burst_trigger_slope) & (tracker.burst_left == 0)
    left = where(begins, burst.sampling_burst_duration, tracker.burst_left)

    scores = tuple(
        node_scores(s, channel, settings) for s, channel in zip(step.channels, channels, strict=True)
    )
    uses = [usable(s, channel) for s, channel in zip(step.channels, channels, strict=True)]
    active = uses[0]
    for use in uses[1:]:
        active = active | use
    cut = where(hypotheses.counts > 0, lowest(where(there, hypotheses.evidence, INFINITY)), 0.0)
    moved = displace(hypotheses, displacement_of(step, active | step.moved_only.unsqueeze(-1)))
    deserves = (has_slope & (slope >= burst.deletion_trigger_slope)) | (tracker.ages < burst.min_age)
    keep = there & (deserves | ~active.unsqueeze(-1))
    gained, used = accumulated(moved, keep, step, channels, scores, settings, all_tested=True)
    weighed = settings.past_weight * moved.evidence + settings.present_weight * gained
    tested = moved._replace(evidence=where(active.unsqueeze(-1), weighed, moved.evidence))

    order, kept = kept_order(keep)
    current = reorder(tested, order, kept)
    for i, (pose, sample) in enumerate(zip(poses, samples, strict=False)):
        sensed, channel, score, use = step.channels[i], channels[i], scores[i], uses[i]
        nodes = where(
            sensed.fully_defined.squeeze(-1) > 0.5, sample.defined.unsqueeze(0), sample.undefined.unsqueeze(0)
        )
        nodes = where(use & (left > 0).unsqueeze(-1), nodes, 0)
        current = sampled(current, nodes, channel, score, pose)

    followed = _followed(tracker, order, kept, current.evidence, active, used)
    report = Update(
        cut, prediction_error(where(keep, hypotheses.evidence, -INFINITY), gained, used, kept > 0), used
    )
    left = where(any_sensed, maximum(left - 1, 0), left)
    followed = followed._replace(burst_left=left)
    upcoming = (left > 0) | (largest_slope(current, followed) <= burst.burst_trigger_slope)
    return current, followed, report, Burst(max_slope, there & ~keep, kept, current.counts - kept, upcoming)


def sampled(
    hypotheses: Hypotheses, nodes: Tensor, channel: Channel, scores: Tensor, poses: Poses
) -> Hypotheses:
    """Append `nodes` (R, M, O) best-fitting nodes times every way to read the pose; their evidence is their
    fit.
    """
    size, capacity = hypotheses.shape[3], scores.shape[3]
    existing = channel.table.counts.unsqueeze(0).unsqueeze(-1)
    slot = integers(capacity, scores)
    # padding sorts first, so the best-fitting nodes are the last ones
    ranked = ascending_order(where(slot < existing, scores, -INFINITY))
    place = integers(size, scores)
    old = hypotheses.counts.unsqueeze(-1)
    ordinal = maximum(place - old, 0)
    per_way = maximum(nodes, 1).unsqueeze(-1)
    way = minimum(ordinal // per_way, poses.sets.shape[2] - 1)
    rank = capacity - per_way + ordinal % per_way
    node = cast(ranked.gather(-1, cast(rank, "int64")), "int32")
    location, rotation = new_pose(
        channel.table, global_node(channel.table, node, capacity), way, poses, informed=True
    )
    fit = scores.gather(-1, cast(node, "int64"))
    merged = merge(place < old, hypotheses, fit, location, rotation)
    added = nodes * poses.number.unsqueeze(-1)
    return merged._replace(counts=minimum(hypotheses.counts + added, size))


def _followed(
    tracker: Tracker, order: Tensor, kept: Tensor, evidence: Tensor, active: Tensor, used: Tensor
) -> Tracker:
    """Histories in the new order, one value longer (the oldest goes), and ages one higher; idle objects
    keep theirs.
    """
    survivor = integers(order.shape[-1], order) < kept.unsqueeze(-1)
    index, busy = cast(order, "int64"), active.unsqueeze(-1)
    old = [value.gather(-1, index) for value in tracker.history]
    pushed = [*old[1:], evidence]
    ages = where(survivor, tracker.ages.gather(-1, index), 0)
    shifted = [*tracker.channels[1:], cast(used, evidence)]
    return Tracker(
        history=tuple(where(busy, a, b) for a, b in zip(pushed, old, strict=True)),
        channels=tuple(where(active, a, b) for a, b in zip(shifted, tracker.channels, strict=True)),
        ages=where(busy, ages + 1, ages),
        burst_left=tracker.burst_left,
    )
