"""The plain updater: displace all hypotheses, test those above a threshold, accumulate.

    in   hypotheses, StepInput, tables per channel, settings
    out  hypotheses with new locations and evidence, and what happened per object (Update)

Channels count for an object if they were sensed on this step and its model stores them; an object with none
of them is left as it is. Hypotheses below the threshold get the benefit of the doubt: max(0, the smallest
tested value).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from saccade.cortex.bank.inputs import StepInput
from saccade.cortex.features import FeatureLayout, feature_evidence
from saccade.cortex.geometry import Vector
from saccade.cortex.hypotheses.evidence import Sensed, channel_evidence
from saccade.cortex.hypotheses.hypotheses import Hypotheses, displace, mean_evidence, rotations, valid
from saccade.cortex.hypotheses.tables import ChannelTable, TableShape
from saccade.cortex.ops import (
    ascending_order,
    cast,
    existing,
    first_highest,
    highest,
    integers,
    lowest,
    maximum,
    pick,
    where,
)
from saccade.cortex.settings import EvidenceSettings
from saccade.tensor import Tensor

INFINITY = float("inf")


class Channel(NamedTuple):
    """One channel of a program: how its features are scored, its tables, and their shape."""

    layout: FeatureLayout
    table: ChannelTable
    shape: TableShape


class Update(NamedTuple):
    """What a step did to each object, (R, M, O)."""

    threshold: Tensor
    prediction_error: Tensor  # NaN where nothing was tested
    channels_used: Tensor  # int32


def node_scores(sensed: Sensed, channel: Channel, settings: EvidenceSettings) -> Tensor:
    """(R, M, O, N) feature evidence of every node; stored, because every hypothesis reads it several
    times.
    """
    nodes = channel.table.features.unsqueeze(0)
    rows = sensed.features.shape[0]
    query = sensed.features.unsqueeze(2)
    scores = feature_evidence(nodes, query, channel.layout, settings.feature_evidence_increment)
    there = integers(scores.shape[-1], scores) < channel.table.counts.unsqueeze(-1)
    return existing(there, scores.expand(rows, *scores.shape[1:])).contiguous()


def usable(sensed: Sensed, channel: Channel) -> Tensor:
    """(R, M, O) whether a channel was sensed and is stored."""
    return sensed.usable.unsqueeze(-1) & (channel.table.counts > 0).unsqueeze(0)


def threshold(hypotheses: Hypotheses, settings: EvidenceSettings) -> Tensor:
    """(R, M, O) the evidence below which a hypothesis is not tested."""
    there = valid(hypotheses)
    known = where(there, hypotheses.evidence, INFINITY)
    chosen = settings.evidence_threshold
    least = lowest(known)
    if chosen == "all":
        return where(hypotheses.counts > 0, least, 0.0)
    if chosen == "mean":
        return mean_evidence(hypotheses)
    if chosen == "median":
        return _median(known, hypotheses.counts)
    percent = settings.threshold_percent
    if percent is None:
        return least * 0.0 + float(chosen)
    best = highest(highest(where(there, hypotheses.evidence, -INFINITY))).unsqueeze(-1)
    if chosen == "x_percent_threshold":
        cut = best - best / 100.0 * percent
    else:
        cut = best - best * percent / 100.0
    return where(hypotheses.counts > 0, cut, 0.0)


def _median(known: Tensor, counts: Tensor) -> Tensor:
    """Median of the entries that exist; the padding is infinite and sorts last."""
    order = known.gather(-1, ascending_order(known))
    middle = maximum(counts - 1, 0) // 2
    other = counts // 2
    both = pick(order, cast(middle, "int64")) + pick(order, cast(other, "int64"))
    return where(counts > 0, both * 0.5, 0.0)


def displacement_of(step: StepInput, moves: Tensor) -> Vector:
    """The step's displacement where `moves` (R, M, O), else zero; components (R, M, O, 1)."""
    a, b, c = (where(moves.unsqueeze(-1), part, 0.0) for part in step.displacement)
    return a, b, c


def accumulated(
    hypotheses: Hypotheses,
    tested: Tensor,
    step: StepInput,
    channels: Sequence[Channel],
    scores: Sequence[Tensor],
    settings: EvidenceSettings,
    all_tested: bool,
) -> tuple[Tensor, Tensor]:
    """(R, M, O, H) sum over the usable channels of this step's evidence, and (R, M, O) how many those are.

    `hypotheses` are already displaced. With `all_tested` the untested are padding and need no value.
    """
    total: Tensor | None = None
    number: Tensor | None = None
    for sensed, channel, score in zip(step.channels, channels, scores, strict=True):
        use = usable(sensed, channel)
        asked = tested & use.unsqueeze(-1)
        value = channel_evidence(
            hypotheses.location,
            rotations(hypotheses),
            asked,
            sensed,
            channel.table,
            channel.shape,
            score,
            settings,
        )
        if all_tested:
            value = where(asked, value, 0.0)
        else:
            floor = maximum(lowest(where(tested, value, INFINITY)), 0.0)
            value = where(tested, value, floor.unsqueeze(-1))
            value = where(use.unsqueeze(-1), value, 0.0)
        total = value if total is None else total + value
        used = cast(use, "int32")
        number = used if number is None else number + used
    assert total is not None, "a program needs at least one channel"
    assert number is not None
    return existing(tested, total) if all_tested else total, number


def prediction_error(before: Tensor, gained: Tensor, used: Tensor, tested_any: Tensor) -> Tensor:
    """(2C - A) / 3C at the hypothesis that was best before the step; NaN where nothing was tested."""
    best = pick(gained, cast(first_highest(before), "int64"))
    c = cast(maximum(used, 1), best)
    error = (2.0 * c - best) / (3.0 * c)
    return where(tested_any & (used > 0), error, float("nan"))


def update(
    hypotheses: Hypotheses, step: StepInput, channels: Sequence[Channel], settings: EvidenceSettings
) -> tuple[Hypotheses, Update, tuple[Tensor, ...]]:
    """One step. Also returns the node scores of each channel, which starting new channels needs."""
    scores = tuple(
        node_scores(s, channel, settings) for s, channel in zip(step.channels, channels, strict=True)
    )
    cut = threshold(hypotheses, settings)
    there = valid(hypotheses)
    everyone = settings.evidence_threshold == "all"
    # nobody is below the least evidence, and the test of a hypothesis need not wait for it
    tested = there if everyone else there & (hypotheses.evidence >= cut.unsqueeze(-1))
    any_usable = usable(step.channels[0], channels[0])
    for sensed, channel in zip(step.channels[1:], channels[1:], strict=True):
        any_usable = any_usable | usable(sensed, channel)
    moved = displace(hypotheses, displacement_of(step, any_usable | step.moved_only.unsqueeze(-1)))
    gained, used = accumulated(moved, tested, step, channels, scores, settings, everyone)
    # stored, because the prediction error asks for one of them again
    gained = gained.contiguous()
    tested_any = hypotheses.counts > 0 if everyone else highest(cast(tested, "int32")) > 0
    weighed = settings.past_weight * moved.evidence + settings.present_weight * gained
    changes = (tested_any & (used > 0)).unsqueeze(-1)
    before = where(there, hypotheses.evidence, -INFINITY)
    error = prediction_error(before, gained, used, tested_any)
    # stored: each is one pass over the evidence of an object
    report = Update(cut.contiguous(), error.contiguous(), used)
    return moved._replace(evidence=where(changes, weighed, moved.evidence)), report, scores
