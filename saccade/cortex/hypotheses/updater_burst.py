"""The burst updater: hypotheses come in bursts when nothing explains the percepts well, and go when theirs
stop growing.

Every hypothesis has a history of its last W evidence values and an age. Its *slope* is the mean of the
successive differences, each divided by the number of channels used at the later step; without two values it
has none. Of the history W - 2 values are stored: the newest is the evidence itself, and of the oldest nothing
is needed but the slope.
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
from math import ceil
from typing import NamedTuple

from saccade.cortex.bank.inputs import StepInput
from saccade.cortex.geometry import Vector
from saccade.cortex.hypotheses.hypotheses import (
    Hypotheses,
    Poses,
    displace,
    global_node,
    kept_order,
    merge,
    new_pose,
    padded,
    reorder,
    valid,
    widen,
    within,
)
from saccade.cortex.hypotheses.turns import TurnsOf, noted, sources
from saccade.cortex.hypotheses.updater_plain import (
    INFINITY,
    Channel,
    Update,
    accumulated,
    displacement_of,
    node_scores,
    prediction_error,
    usable,
)
from saccade.cortex.ops import (
    blank,
    cast,
    existing,
    highest,
    integers,
    lowest,
    maximum,
    minimum,
    where,
)
from saccade.cortex.settings import OLDEST, BurstSettings, EvidenceSettings
from saccade.tensor import Tensor


class Tracker(NamedTuple):
    """How the evidence of every hypothesis went, oldest value first; entries older than its age mean
    nothing.
    """

    history: Tensor  # (R, M, O, W - 2, H) without the oldest value and the newest
    newest: tuple[Tensor, ...]  # (R, M, O, H) where votes change evidence, else nothing: it is the evidence
    channels: tuple[Tensor, ...]  # W x (R, M, O) channels used when each value was pushed, as numbers
    slope: Tensor  # (R, M, O, H) mean growth per step and channel, -inf where there is none
    ages: Tensor  # (R, M, O, H) uint8: steps, or OLDEST for more
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
    rows: int, modules: int, objects: int, size: int, settings: BurstSettings, dtype: str,
    device: str | None, voted: bool = False,
) -> Tracker:  # fmt: skip
    """No hypotheses; voted: votes change their evidence."""

    def zeros(shape: tuple[int, ...], kind: str) -> Tensor:
        return blank(shape, kind, device)

    lead = (rows, modules, objects)
    return Tracker(
        history=zeros((*lead, settings.window_size - 2, size), dtype),
        newest=(zeros((*lead, size), dtype),) if voted else (),
        channels=tuple(zeros(lead, dtype) for _ in range(settings.window_size)),
        slope=zeros((*lead, size), dtype),
        ages=zeros((*lead, size), "uint8"),
        burst_left=zeros((rows, modules), "int32"),
    )


def grown(tracker: Tracker, objects: int, size: int) -> Tracker:
    """The same with room for more objects and hypotheses."""
    return Tracker(
        history=widen(widen(tracker.history, 4, size), 2, objects),
        newest=tuple(widen(widen(value, 3, size), 2, objects) for value in tracker.newest),
        channels=tuple(widen(value, 2, objects) for value in tracker.channels),
        slope=widen(widen(tracker.slope, 3, size), 2, objects),
        ages=widen(widen(tracker.ages, 3, size), 2, objects),
        burst_left=tracker.burst_left,
    )


def slopes(tracker: Tracker) -> tuple[Tensor, Tensor]:
    """(R, M, O, H) the slopes, and whether a hypothesis has one (two values or more)."""
    return where(tracker.ages > 1, tracker.slope, 0.0), tracker.ages > 1


def mean_growth(values: Sequence[Tensor], channels: Sequence[Tensor], ages: Tensor) -> Tensor:
    """(R, M, O, H) mean of the differences of W values, each per channel; -inf without two values."""
    window, ages = len(values), cast(ages, "int32")
    total: Tensor | None = None
    for k in range(1, window):
        grown_by = values[k] - values[k - 1]
        grown_by = grown_by / maximum(channels[k], 1.0).unsqueeze(-1)
        # a hypothesis of age a has its last a values
        part = where(ages >= window - k + 1, grown_by, 0.0)
        total = part if total is None else total + part
    assert total is not None
    return where(ages > 1, total / cast(maximum(minimum(ages, window) - 1, 1), total), -INFINITY)


def largest_slope(hypotheses: Hypotheses, tracker: Tracker) -> Tensor:
    """(R, M) the largest slope of all hypotheses of all objects, -inf if none has one."""
    return highest(highest(where(valid(hypotheses), tracker.slope, -INFINITY)))


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
    x, y, z = (existing(there, part) for part in moved.location)
    moved = moved._replace(location=(x, y, z))
    deserves = (tracker.slope >= burst.deletion_trigger_slope) | (tracker.ages < burst.min_age)
    # masked once more after it is stored, so that loops over the kept ones end at the count
    keep = there & (there & (deserves | ~active.unsqueeze(-1))).contiguous()
    gained, used = accumulated(moved, keep, step, channels, scores, settings, all_tested=True)
    weighed = settings.past_weight * moved.evidence + settings.present_weight * gained
    tested = moved._replace(evidence=where(active.unsqueeze(-1), weighed, moved.evidence))

    order, kept = kept_order(keep)
    turns = tested.rotation
    if isinstance(turns, TurnsOf):
        sensed_now = turns.sensed
        for pose in poses:
            assert isinstance(pose.slot, Tensor)
            sensed_now = noted(sensed_now, pose.sets, pose.slot)
        # stored, for every rotation reads it
        tested = tested._replace(rotation=turns._replace(sensed=sensed_now.contiguous()))
    fresh: list[Fresh] = []
    for i, (pose, sample) in enumerate(zip(poses, samples, strict=False)):
        sensed, score, use = step.channels[i], scores[i], uses[i]
        nodes = where(
            sensed.fully_defined.squeeze(-1) > 0.5, sample.defined.unsqueeze(0), sample.undefined.unsqueeze(0)
        )
        nodes = where(use & (left > 0).unsqueeze(-1), nodes, 0)
        fresh.append(sampled(nodes, channels, i, score, pose, settings, isinstance(turns, TurnsOf)))
    current = joined(reorder(tested, order, kept), fresh)

    followed = _followed(tracker, hypotheses.evidence, order, kept, current, active, used)
    report = Update(
        cut, prediction_error(where(keep, hypotheses.evidence, -INFINITY), gained, used, kept > 0), used
    )
    left = where(any_sensed, maximum(left - 1, 0), left)
    followed = followed._replace(burst_left=left)
    upcoming = (left > 0) | (largest_slope(current, followed) <= burst.burst_trigger_slope)
    return current, followed, report, Burst(max_slope, there & ~keep, kept, current.counts - kept, upcoming)


class Fresh(NamedTuple):
    """New hypotheses of one channel, (R, M, O, K) each; the first `number` of them count."""

    evidence: Tensor
    location: Vector
    rotation: tuple[Tensor, ...]  # nine components, or the source alone
    number: Tensor  # (R, M, O) int32


def sampled(
    nodes: Tensor, channels: Sequence[Channel], number_of_channel: int, scores: Tensor, poses: Poses,
    settings: EvidenceSettings, by_source: bool,
) -> Fresh:  # fmt: skip
    """The `nodes` (R, M, O) best-fitting nodes of a channel times every way to read the pose, or every given
    rotation if poses are not informed; their evidence is their fit. Where none are to be taken, little is
    done. by_source: rotations are told by what they came from.
    """
    channel = channels[number_of_channel]
    assert isinstance(settings.updater, BurstSettings)
    multiplier, informed = settings.updater.sampling_multiplier, settings.initial_possible_poses == "informed"
    capacity, ways = scores.shape[3], poses.sets.shape[2]
    most = max(1, ceil(capacity * min(multiplier, ways)))
    readings = (2, settings.umbilical_num_poses) if informed else (ways,)
    ranks = max(1, *(nodes_to_sample(capacity, number, multiplier) for number in readings))
    slot = integers(capacity, scores)
    # padding has the worst fit; the last of equals goes first, so that it is the last in ascending order
    taken = nodes.unsqueeze(-1) > 0
    known = taken & (slot < channel.table.counts.unsqueeze(0).unsqueeze(-1))
    _, ranked = where(known, scores, -INFINITY).flip(-1).topk(ranks, -1)
    ordinal = integers(most, scores)
    number = nodes * poses.number.unsqueeze(-1)
    new = ordinal < number.unsqueeze(-1)
    per_way = maximum(nodes, 1).unsqueeze(-1)
    # indices: whole, for what reads a few beyond the last
    way = where(new, within(ordinal // per_way, ways), 0).contiguous()
    rank = within(per_way - 1 - ordinal % per_way, ranks)
    node = within(capacity - 1 - cast(ranked.gather(-1, rank), "int32"), capacity)
    node = where(new, node, 0).contiguous()
    location, rotation = new_pose(
        channel.table, global_node(channel.table, node, capacity), way, poses, informed
    )
    kept: tuple[Tensor, ...] = rotation
    if by_source:
        assert isinstance(poses.slot, Tensor)
        most_nodes = max(each.shape.nodes for each in channels)
        kept = (sources(poses.slot, way, node, number_of_channel, len(channels), most_nodes),)
    # stored here, where they are few: the whole capacity would compute them again and again
    x, y, z = (existing(new, value).contiguous() for value in location)
    fit = existing(new, scores.gather(-1, node)).contiguous()
    return Fresh(fit, (x, y, z), tuple(existing(new, value).contiguous() for value in kept), number)


def joined(hypotheses: Hypotheses, fresh: Sequence[Fresh]) -> Hypotheses:
    """`hypotheses` with the new ones of every channel after them."""
    size = hypotheses.shape[3]
    place = integers(size, hypotheses.evidence)
    for new in fresh:
        old = hypotheses.counts.unsqueeze(-1)
        most = new.evidence.shape[3]
        index = cast(minimum(maximum(place - old, 0), most - 1), "int64")
        x, y, z = (value.gather(-1, index) for value in new.location)
        turn = [value.gather(-1, index) for value in new.rotation]
        hypotheses = merge(place < old, hypotheses, new.evidence.gather(-1, index), (x, y, z), turn)
        counts = minimum(hypotheses.counts + new.number, size)
        hypotheses = hypotheses._replace(counts=counts.contiguous())
    return padded(hypotheses)


def _followed(
    tracker: Tracker, evidence: Tensor, order: Tensor, kept: Tensor, current: Hypotheses, active: Tensor,
    used: Tensor,
) -> Tracker:  # fmt: skip
    """Histories in the new order, one value longer (the oldest goes), and ages one higher; idle objects
    keep theirs. evidence: before the step.
    """
    stored, size = tracker.history.shape[3:]
    there, lead = valid(current), tracker.history.shape[:3]
    survivor = integers(size, order) < kept.unsqueeze(-1)
    index, busy = within(order, size), active.unsqueeze(-1)
    newest = (tracker.newest[0] if tracker.newest else evidence).gather(-1, index)
    oldest, history = newest, tracker.history
    if stored:
        # place w takes the value of place w + 1 where the object is active, and the last the newest
        source = integers(stored, order) + cast(busy, "int32")  # (R, M, O, W - 2)
        entry = minimum(source, stored - 1).unsqueeze(-1) * size + index.unsqueeze(-2)
        flat = history.reshape(*lead, -1)
        shifted = flat.gather(-1, entry.reshape(*lead, -1)).reshape(history.shape)
        oldest = flat.gather(-1, index)
        history = where((source < stored).unsqueeze(-1), shifted, newest.unsqueeze(-2))
        history = existing(there.unsqueeze(-2), history).contiguous()
    ages = where(survivor, cast(tracker.ages.gather(-1, index), "int32"), 0)
    ages = cast(existing(there, where(busy, minimum(ages + 1, OLDEST), ages)), "uint8")
    pushed = [*tracker.channels[1:], cast(used, current.evidence)]
    channels = tuple(where(active, a, b) for a, b in zip(pushed, tracker.channels, strict=True))
    values = [oldest, *(history[..., k, :] for k in range(stored)), current.evidence]
    # of idle objects all places are as they were
    slope = where(busy, mean_growth(values, channels, ages), tracker.slope)
    if tracker.newest:
        newest = existing(there, where(busy, current.evidence, newest)).contiguous()
    return Tracker(
        history, (newest,) if tracker.newest else (), channels, existing(there, slope).contiguous(), ages,
        tracker.burst_left,
    )  # fmt: skip
