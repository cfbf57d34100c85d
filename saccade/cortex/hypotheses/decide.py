"""What a module believes after a step: possible objects, the most likely hypothesis, and whether its pose
is settled.

    in   hypotheses (R, M, O, H), the symmetry counter (R, M), which modules make the end check (R, M) and
         which of them processed a percept on this step (R, M)
    out  Beliefs: small tensors that are read back, plus the new flags and counter

Decisions per module: objects compete by their best evidence; if the best values differ clearly (standard
deviation above 0.1) only those near the top stay possible, else all do. A single possible object whose
possible hypotheses agree in place and rotation has a unique pose; one whose possible hypotheses stay the
same set over several checks is symmetric. Only checks of steps with a percept count: without one they stay
the same of course.
"""

from __future__ import annotations

from math import cos, pi
from typing import NamedTuple

from saccade.cortex.geometry import Rotation, Vector, dot, subtract
from saccade.cortex.hypotheses.hypotheses import Hypotheses, count, rotations, valid
from saccade.cortex.ops import (
    cast,
    clip,
    first_highest,
    highest,
    integers,
    lowest,
    maximum,
    pick,
    take,
    where,
)
from saccade.cortex.settings import EvidenceSettings
from saccade.tensor import Tensor

INFINITY = float("inf")
#: objects' best values closer together than this (standard deviation) do not tell them apart
CLEAR_DIFFERENCE = 0.1
#: tenths of the hypotheses that must stay possible from check to check to speak for a symmetry
SAME_TENTHS = 9


class Best(NamedTuple):
    """The best hypothesis of every object and of every module."""

    per_object: Tensor  # (R, M, O) largest evidence, -inf without hypotheses
    place: Tensor  # (R, M, O) int32 first hypothesis that has it
    object: Tensor  # (R, M) int32
    id: Tensor  # (R, M) int32
    evidence: Tensor  # (R, M), -inf if there are no hypotheses
    location: Vector  # (R, M)
    rotation: Rotation  # (R, M)


class Beliefs(NamedTuple):
    """Everything that is read back after a step."""

    best: Best
    possible: Tensor  # (R, M, O) bool possible matches
    matches: Tensor  # (R, M) int32 their number
    unique: Tensor  # (R, M) bool, False unless checked
    symmetric: Tensor  # (R, M) bool, False unless checked
    symmetry: Tensor  # (R, M) int32 the counter
    possible_hypotheses: Tensor  # (R, M, O) int32 flagged hypotheses
    counts: Tensor  # (R, M, O) int32


def best_hypotheses(hypotheses: Hypotheses) -> Best:
    evidence = where(valid(hypotheses), hypotheses.evidence, -INFINITY)
    per_object, index = highest(evidence).contiguous(), first_highest(evidence).contiguous()
    chosen = first_highest(per_object)
    rows, modules, objects, size = hypotheses.shape
    own = integers(rows * modules, evidence).reshape(rows, modules)
    number = pick(index, cast(chosen, "int64"))
    flat = (cast(own, "int64") * objects + cast(chosen, "int64")) * size + cast(number, "int64")

    def at(value: Tensor) -> Tensor:
        return take(value.reshape(-1), flat)

    x, y, z = (at(value) for value in hypotheses.location)
    turn = rotations(hypotheses, at, cast(own, "int64") * objects + cast(chosen, "int64"))
    return Best(per_object, index, chosen, number, highest(per_object), (x, y, z), turn)


def possible_matches(per_object: Tensor, x_percent: float, scale: float = 1.0) -> Tensor:
    """(R, M, O) bool from each object's largest evidence, -inf for objects without hypotheses."""
    there = per_object > -INFINITY
    number = cast(there, per_object).sum(-1).unsqueeze(-1)
    number = maximum(number, 1.0)
    finite = where(there, per_object, 0.0)
    mean = finite.sum(-1).unsqueeze(-1) / number
    spread = where(there, (finite - mean) * (finite - mean), 0.0).sum(-1).unsqueeze(-1)
    deviation = (spread / number).sqrt()
    top = highest(per_object).unsqueeze(-1)
    cut = where(top > 0.0, top - top / 100.0 * x_percent * scale, 0.0)
    clear = (deviation > CLEAR_DIFFERENCE) | (top < 0.0)
    return there & (~clear | (per_object > cut))


def possible_hypotheses(evidence: Tensor, there: Tensor, settings: EvidenceSettings) -> Tensor:
    """(..., H) bool: near the best of their object, if that is above the threshold at all."""
    top = highest(where(there, evidence, -INFINITY)).unsqueeze(-1)
    near = evidence > top - top / 100.0 * settings.x_percent_threshold
    return there & near & (top > settings.object_evidence_threshold)


def pose_is_unique(
    flagged: Tensor, location: Vector, rotation: Rotation, best: Rotation, settings: EvidenceSettings
) -> Tensor:
    """(...) bool: the flagged of (..., H) lie close together and are turned like `best` (...)."""
    number = maximum(cast(flagged, location[0]).sum(-1), 1.0)

    def mean(value: Tensor) -> Tensor:
        return (where(flagged, value, 0.0).sum(-1) / number).unsqueeze(-1)

    centre = (mean(location[0]), mean(location[1]), mean(location[2]))
    away = subtract(location, centre)
    farthest = highest(where(flagged, dot(away, away), 0.0)).sqrt()
    trace: Tensor | None = None
    for one, other in zip(rotation, best, strict=True):
        product = one * other.unsqueeze(-1)
        trace = product if trace is None else trace + product
    assert trace is not None
    cosine = clip((lowest(where(flagged, trace, 3.0)) - 1.0) * 0.5, -1.0, 1.0)
    # angles fall as cosines rise, so no arccos is needed
    least = cos(min(settings.pose_similarity_threshold, pi))
    return (farthest < settings.path_similarity_threshold) & (cosine >= least)


class Checks(NamedTuple):
    """What the last end check of each module found."""

    symmetry: Tensor  # (R, M) int32 the counter
    flagged: Tensor  # (R, M, O) int32 possible hypotheses


def believe(hypotheses: Hypotheses, last: Checks, settings: EvidenceSettings) -> Beliefs:
    """Beliefs after a step without an end check."""
    best = best_hypotheses(hypotheses)
    possible = possible_matches(best.per_object, settings.x_percent_threshold)
    none = Tensor.zeros(last.symmetry.shape, dtype="bool", device=last.symmetry.device)
    return Beliefs(
        best, possible, count(possible), none, none, last.symmetry, last.flagged, hypotheses.counts
    )


def decide(
    hypotheses: Hypotheses, symmetry: Tensor, check: Tensor, processed: Tensor, settings: EvidenceSettings
) -> tuple[Hypotheses, Beliefs]:
    """Beliefs after a step; where `check` (R, M), the end check with its flags and symmetry counter. The
    counter goes on where a percept was `processed` (R, M).
    """
    best = best_hypotheses(hypotheses)
    possible = possible_matches(best.per_object, settings.x_percent_threshold)
    matches = count(possible)
    single = matches == 1
    rows, modules, objects, size = hypotheses.shape
    own = integers(rows * modules, hypotheses.evidence).reshape(rows, modules)
    model = cast(own, "int64") * objects + cast(best.object, "int64")
    begin = model * size
    place = begin.unsqueeze(-1) + cast(integers(size, begin), "int64")

    def of_best_object(value: Tensor) -> Tensor:
        return take(value.reshape(-1), place)

    there = integers(size, begin) < pick(hypotheses.counts, cast(best.object, "int64")).unsqueeze(-1)
    # masked once more after it is stored, so that loops over them end at the count
    ids = there & possible_hypotheses(of_best_object(hypotheses.evidence), there, settings).contiguous()
    x, y, z = (of_best_object(value) for value in hypotheses.location)
    turn = rotations(hypotheses, of_best_object, model.unsqueeze(-1))
    unique = pose_is_unique(ids, (x, y, z), turn, best.rotation, settings)
    before = of_best_object(hypotheses.possible) & there
    number, same, previous = count(ids), count(ids & before), count(before)
    checked = check & single & (number > 0)
    compared = checked & (previous > 0)
    stays = same * 10 > number * SAME_TENTHS
    counter = where(compared & processed, where(stays, symmetry + 1, symmetry * 0), symmetry)
    symmetric = compared & (counter >= settings.required_symmetry_evidence)
    flags = _flags(hypotheses, ids, best.object, check, single)
    beliefs = Beliefs(
        best, possible, matches, unique & checked, symmetric, counter,
        count(flags & valid(hypotheses)), hypotheses.counts,
    )  # fmt: skip
    return hypotheses._replace(possible=flags), beliefs


def _flags(hypotheses: Hypotheses, ids: Tensor, chosen: Tensor, check: Tensor, single: Tensor) -> Tensor:
    """Flags after a check: the single object's possible hypotheses, or none at all if the match is not
    single.
    """
    objects = hypotheses.shape[2]
    is_chosen = integers(objects, ids) == chosen.unsqueeze(-1)
    new = where(is_chosen.unsqueeze(-1), ids.unsqueeze(2), hypotheses.possible)
    new = new & single.unsqueeze(-1).unsqueeze(-1)
    return where(check.unsqueeze(-1).unsqueeze(-1), new, hypotheses.possible)
