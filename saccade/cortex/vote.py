"""Voting: modules that look at different spots of one object tell each other where they think they are.

A module sends its well-supported hypotheses. The receiver knows how far its own sensor is from the sender's
(d, in the body frame), so a sent location becomes a claim about the *receiver's* location on the object:
sent location + R d, with the sent hypothesis' rotation R. Each of the receiver's hypotheses then looks for
the nearest claims about its object and gains the confidence of the best one within the match radius.

    send      hypotheses -> Ballot: compacted lists, so that receivers loop over the votes there are
    receive   hypotheses, ballots of all modules, Routing -> hypotheses with changed evidence

Geometry: `corrected` uses R d. `reference` uses R^T d, which is what the reference implementation computes;
it puts claims several centimetres away unless R is its own transpose, and exists to compare with it.

Modules are numbered over all banks (G of them); a receiver's senders fill up to S slots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.cortex.geometry import Rotation, Vector, add, dot, rotate, rotate_back, vector_cast
from saccade.cortex.hypotheses import Hypotheses, kept_order, valid, widen
from saccade.cortex.ops import cast, clip, highest, integers, lowest, maximum, nearest, take, upload, where
from saccade.cortex.settings import EvidenceSettings
from saccade.tensor import Tensor

INFINITY = float("inf")


class Ballot(NamedTuple):
    """The votes of G modules, (R, G, O, V) each; only the first `counts` of each list are votes."""

    location: Vector
    rotation: Rotation
    confidence: Tensor
    counts: Tensor  # (R, G, O) int32


class Routing(NamedTuple):
    """Who listens to whom, for the M modules of one bank; made on the host from names."""

    sender: Tensor  # (S, M) int32 number of the sending module, 0 where there is none
    partner: Tensor  # (S, M, O) int32 the sender's number for the receiver's object, -1 where it has none


def support(hypotheses: Hypotheses) -> Tensor:
    """(R, M, O, H) confidence of every hypothesis in [-1, 1].

    Evidence spread over [-1, 1] between the module's worst and best; modules whose best is below 1 do not
    boast.
    """
    there = valid(hypotheses)
    top = highest(highest(where(there, hypotheses.evidence, -INFINITY))).unsqueeze(-1).unsqueeze(-1)
    bottom = lowest(lowest(where(there, hypotheses.evidence, INFINITY))).unsqueeze(-1).unsqueeze(-1)
    spread = where(top > bottom, top - bottom, 1.0)
    relative = ((hypotheses.evidence - bottom) / spread - 0.5) * 2.0
    # with all evidence equal nothing stands out, and nothing is sent
    relative = where(top > bottom, relative, -1.0)
    return where(top >= 1.0, relative, clip(hypotheses.evidence, -1.0, 1.0))


def send(hypotheses: Hypotheses, active: Tensor, settings: EvidenceSettings) -> Ballot:
    """Hypotheses whose confidence exceeds the threshold, of the modules that are `active` (R, M)."""
    confidence = support(hypotheses)
    chosen = valid(hypotheses) & (confidence > settings.vote_evidence_threshold)
    order, number = kept_order(chosen & active.unsqueeze(-1).unsqueeze(-1))
    index = cast(order, "int64")

    def listed(value: Tensor) -> Tensor:
        return value.gather(-1, index)

    x, y, z = (listed(value) for value in hypotheses.location)
    a, b, c, d, e, f, g, h, i = (listed(value) for value in hypotheses.rotation)
    return Ballot((x, y, z), (a, b, c, d, e, f, g, h, i), listed(confidence), number)


def joined(ballots: Sequence[Ballot]) -> Ballot:
    """The ballots of several banks as one, padded to common numbers of objects and votes."""
    if len(ballots) == 1:
        return ballots[0]
    objects = max(ballot.counts.shape[2] for ballot in ballots)
    votes = max(ballot.confidence.shape[3] for ballot in ballots)

    def put_together(values: Sequence[Tensor]) -> Tensor:
        wide = [widen(value, 2, objects) for value in values]
        return Tensor.cat([widen(v, 3, votes) if len(v.shape) == 4 else v for v in wide], dim=1)

    x, y, z = (put_together([ballot.location[i] for ballot in ballots]) for i in range(3))
    a, b, c, d, e, f, g, h, i = (put_together([ballot.rotation[i] for ballot in ballots]) for i in range(9))
    return Ballot(
        (x, y, z), (a, b, c, d, e, f, g, h, i),
        put_together([ballot.confidence for ballot in ballots]),
        put_together([ballot.counts for ballot in ballots]),
    )  # fmt: skip


class Claims(NamedTuple):
    """Votes as one sender slot's claims about the receivers' own locations, (R, M, O, V) each."""

    location: Vector
    confidence: Tensor
    counts: Tensor  # (R, M, O)


def claims_of(
    ballot: Ballot,
    sender: Tensor,
    partner: Tensor,
    offset: Tensor,
    active: Tensor,
    settings: EvidenceSettings,
) -> Claims:
    """The votes of one slot: sender (M,), partner (M, O), offset (R, M, 3) from sender to receiver, active
    (R, M).
    """
    rows, modules, objects, votes = ballot.confidence.shape
    row = cast(integers(rows, partner), "int64").reshape(rows, 1, 1)
    there = maximum(partner, 0)
    lists = (row * modules + cast(sender, "int64").unsqueeze(-1).unsqueeze(0)) * objects + cast(
        there, "int64"
    ).unsqueeze(0)
    entry = lists.unsqueeze(-1) * votes + cast(integers(votes, partner), "int64")

    def listed(value: Tensor) -> Tensor:
        return take(value.reshape(-1), entry)

    x, y, z = (listed(value) for value in ballot.location)
    a, b, c, d, e, f, g, h, i = (listed(value) for value in ballot.rotation)
    turn: Rotation = (a, b, c, d, e, f, g, h, i)
    away = [offset[..., k].unsqueeze(-1).unsqueeze(-1).cast(a.dtype) for k in range(3)]
    move = rotate if settings.vote_geometry == "corrected" else rotate_back
    shifted = add((x, y, z), vector_cast(move(turn, (away[0], away[1], away[2])), x))
    heard = (partner >= 0).unsqueeze(0) & active.unsqueeze(-1)
    counts = where(heard, take(ballot.counts.reshape(-1), lists), 0)
    # stored once, read by every hypothesis
    place = (shifted[0].contiguous(), shifted[1].contiguous(), shifted[2].contiguous())
    return Claims(place, listed(ballot.confidence).contiguous(), counts)


def receive(
    hypotheses: Hypotheses,
    ballot: Ballot,
    routing: Routing,
    offsets: Tensor,
    active: Tensor,
    settings: EvidenceSettings,
) -> Hypotheses:
    """Evidence changed by the votes; offsets (R, S, M, 3) from each slot's sender, active (R, M)."""
    found: list[tuple[Tensor, Tensor]] = []
    for slot in range(routing.sender.shape[0]):
        claims = claims_of(
            ballot, routing.sender[slot], routing.partner[slot], offsets[:, slot], active, settings
        )
        found.append(_nearest_claims(hypotheses, claims, settings))
    distances = Tensor.cat([distance for distance, _ in found], dim=-1)
    confidences = Tensor.cat([confidence for _, confidence in found], dim=-1)
    if len(found) > 1:
        distances, index = nearest(distances, min(settings.vote_neighbours, distances.shape[-1]))
        confidences = confidences.gather(-1, index)
    within = distances < settings.max_match_distance * settings.max_match_distance
    best = highest(where(within, confidences, -INFINITY))
    if settings.past_weight + settings.present_weight == 1.0:
        changed = (hypotheses.evidence + settings.vote_weight * best) / (1.0 + settings.vote_weight)
    else:
        changed = hypotheses.evidence + settings.vote_weight * best
    return hypotheses._replace(evidence=where(best > -INFINITY, changed, hypotheses.evidence))


def _nearest_claims(
    hypotheses: Hypotheses, claims: Claims, settings: EvidenceSettings
) -> tuple[Tensor, Tensor]:
    """Squared distances and confidences of the nearest claims, (R, M, O, H, k).

    Padding looks at no claims: a hypothesis' own count makes the search a loop over the claims there are.
    """
    votes = claims.confidence.shape[3]
    slot = integers(votes, claims.counts)
    delta = [
        (mine.unsqueeze(-1) - theirs.unsqueeze(-2))
        for mine, theirs in zip(hypotheses.location, claims.location, strict=True)
    ]
    away: Vector = (delta[0], delta[1], delta[2])
    number = where(valid(hypotheses), claims.counts.unsqueeze(-1), 0)
    listed = slot < number.unsqueeze(-1)
    squared = where(listed, dot(away, away), INFINITY)
    distances, index = nearest(squared, min(settings.vote_neighbours, votes))
    shape = (*distances.shape[:-1], votes)
    confidences = claims.confidence.unsqueeze(-2).expand(*shape).gather(-1, index)
    return distances, confidences


def routing_of(
    receivers: Sequence[str],
    senders: Mapping[str, Sequence[str]],
    numbers: Mapping[str, int],
    objects: Mapping[str, Sequence[str]],
    capacity: int,
    device: str | None,
) -> tuple[Routing, npt.NDArray[np.int64]]:
    """Names to numbers: `senders[receiver]` lists modules, `numbers` their places, `objects` what each one
    knows.

    Also returns (S, M) the sender of each slot for the host, -1 where there is none.
    """
    slots = max((len(senders.get(name, ())) for name in receivers), default=0)
    sender = np.full((slots, len(receivers)), -1, np.int64)
    partner = np.full((slots, len(receivers), capacity), -1, np.int64)
    for m, name in enumerate(receivers):
        for slot, other in enumerate(senders.get(name, ())):
            if other not in numbers:
                raise ValueError(
                    f"module {name!r} listens to {other!r}, which does not vote; voters: {list(numbers)}"
                )
            sender[slot, m] = numbers[other]
            theirs = list(objects[other])
            for o, known in enumerate(objects[name]):
                partner[slot, m, o] = theirs.index(known) if known in theirs else -1
    routing = Routing(upload(np.maximum(sender, 0), "int32", device), upload(partner, "int32", device))
    return routing, sender
