"""Voting: modules that look at different spots of one object tell each other where they think they are.

A module sends its well-supported hypotheses. The receiver knows how far its own sensor is from the sender's
(d, in the body frame), so a sent location becomes a claim about the *receiver's* location on the object:
sent location + R d, with the sent hypothesis' rotation R. Each of the receiver's hypotheses then looks for
the nearest claims about its object and gains the confidence of the best one within the match radius.

    choose    hypotheses -> Choice: lists of those that are sent, so that receivers loop over the votes there
              are
    receive   hypotheses, ballots of all modules, Routing -> changed evidence

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
from saccade.cortex.hypotheses.hypotheses import Hypotheses, kept_order, valid, widen
from saccade.cortex.hypotheses.turns import Turns, TurnsOf
from saccade.cortex.ops import (
    cast,
    clip,
    highest,
    integers,
    lowest,
    maximum,
    minimum,
    nearest,
    take,
    upload,
    where,
)
from saccade.cortex.settings import EvidenceSettings
from saccade.tensor import Tensor

INFINITY = float("inf")


class Choice(NamedTuple):
    """Which hypotheses of M modules are sent; only the first `counts` of each list are votes."""

    confidence: Tensor  # (R, M, O, H) of every hypothesis
    order: Tensor  # (R, M, O, H) int32 places of those that are sent
    counts: Tensor  # (R, M, O) int32


class Ballot(NamedTuple):
    """The hypotheses of G modules, (R, G, O, H) each, and which of them are votes."""

    location: Vector
    rotation: Rotation
    choice: Choice

    @staticmethod
    def of(hypotheses: Hypotheses, choice: Choice) -> Ballot:
        if isinstance(hypotheses.rotation, (Turns, TurnsOf)):
            raise ValueError("a bank whose modules are heard stores rotations: call expect_votes() before")
        return Ballot(hypotheses.location, hypotheses.rotation, choice)


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


def choose(hypotheses: Hypotheses, active: Tensor, settings: EvidenceSettings) -> Choice:
    """Hypotheses whose confidence exceeds the threshold, of the modules that are `active` (R, M)."""
    confidence = support(hypotheses)
    chosen = valid(hypotheses) & (confidence > settings.vote_evidence_threshold)
    return Choice(confidence, *kept_order(chosen & active.unsqueeze(-1).unsqueeze(-1)))


def joined(ballots: Sequence[Ballot]) -> Ballot:
    """The ballots of several banks as one, padded to common numbers of objects and hypotheses."""
    if len(ballots) == 1:
        return ballots[0]
    choices = [ballot.choice for ballot in ballots]
    objects = max(choice.counts.shape[2] for choice in choices)
    size = max(choice.order.shape[3] for choice in choices)

    def put_together(values: Sequence[Tensor]) -> Tensor:
        wide = [widen(value, 2, objects) for value in values]
        return Tensor.cat([widen(v, 3, size) if len(v.shape) == 4 else v for v in wide], dim=1)

    x, y, z = (put_together([ballot.location[i] for ballot in ballots]) for i in range(3))
    a, b, c, d, e, f, g, h, i = (put_together([ballot.rotation[i] for ballot in ballots]) for i in range(9))
    choice = Choice(*(put_together(values) for values in zip(*choices, strict=True)))
    return Ballot((x, y, z), (a, b, c, d, e, f, g, h, i), choice)


class Heard(NamedTuple):
    """The lists of votes that each receiver hears about each of its objects, S of them, read as one list.

    Place p of it is in the first list s with p < `ends[s]`.
    """

    order: Tensor  # the lists of all senders, flat
    begin: tuple[Tensor, ...]  # (R, M, O) int64 each: where list s begins in there
    shift: tuple[Tensor, ...]  # the same less the votes of the lists before, which is where place 0 would be
    ends: tuple[Tensor, ...]  # (R, M, O) int32 each: votes of the lists up to s

    def choose(self, of_list: Sequence[Tensor], place: Tensor) -> Tensor:
        """At each place (..., P) or (P,), the value (R, M, O) of the list that it is in."""

        def wide(value: Tensor) -> Tensor:
            return value.unsqueeze(-1).unsqueeze(-1)

        chosen = wide(of_list[-1])
        for end, value in reversed(list(zip(self.ends[:-1], of_list[:-1], strict=True))):
            chosen = where(place < wide(end), wide(value), chosen)
        return chosen

    def entry(self, place: Tensor) -> Tensor:
        """Where in the ballot's flat arrays the votes at these places are; anywhere beyond the last vote."""
        listed = minimum(self.choose(self.shift, place) + cast(place, "int64"), self.order.shape[0] - 1)
        return self.choose(self.begin, place) + cast(take(self.order, listed), "int64")


def heard_by(routing: Routing, ballot: Ballot, active: Tensor) -> Heard:
    """Whose votes the receivers hear; those that are not `active` (R, M) hear none."""
    counts = ballot.choice.counts
    rows, modules, objects, size = ballot.choice.order.shape
    row = cast(integers(rows, counts), "int64").reshape(rows, 1, 1)
    begin: list[Tensor] = []
    shift: list[Tensor] = []
    ends: list[Tensor] = []
    for slot in range(routing.sender.shape[0]):
        sender, partner = cast(routing.sender[slot], "int64"), routing.partner[slot]
        known = cast(maximum(partner, 0), "int64").unsqueeze(0)
        lists = (row * modules + sender.unsqueeze(-1).unsqueeze(0)) * objects + known
        hears = (partner >= 0).unsqueeze(0) & active.unsqueeze(-1)
        number = where(hears, take(counts.reshape(-1), lists), 0)
        # stored once, read by every hypothesis
        begin.append((lists * size).contiguous())
        shift.append((begin[-1] - cast(ends[-1], "int64")).contiguous() if ends else begin[-1])
        ends.append((ends[-1] + number if ends else number).contiguous())
    return Heard(ballot.choice.order.reshape(-1), tuple(begin), tuple(shift), tuple(ends))


def claims_of(
    ballot: Ballot, heard: Heard, place: Tensor, offsets: Tensor, settings: EvidenceSettings
) -> Vector:
    """The votes at places (P,) as claims about the receivers' own locations, (R, M, O, 1, P).

    offsets (R, S, M, 3) lead from each slot's sender to the receiver.
    """
    entry = heard.entry(place)

    def listed(value: Tensor) -> Tensor:
        return take(value.reshape(-1), entry)

    x, y, z = (listed(value) for value in ballot.location)
    a, b, c, d, e, f, g, h, i = (listed(value) for value in ballot.rotation)
    turn: Rotation = (a, b, c, d, e, f, g, h, i)
    shape = heard.ends[0].shape

    def away(axis: int) -> Tensor:
        of_slot = [offsets[:, s, :, axis].unsqueeze(-1).expand(*shape) for s in range(offsets.shape[1])]
        return heard.choose(of_slot, place).cast(a.dtype)

    move = rotate if settings.vote_geometry == "corrected" else rotate_back
    return add((x, y, z), vector_cast(move(turn, (away(0), away(1), away(2))), x))


def receive(
    hypotheses: Hypotheses,
    ballot: Ballot,
    routing: Routing,
    offsets: Tensor,
    active: Tensor,
    settings: EvidenceSettings,
) -> Tensor:
    """(R, M, O, H) evidence after the votes; offsets (R, S, M, 3) from each slot's sender, active (R, M).

    One search through the votes of all senders. Padding hears nothing, so it is a loop over the votes there
    are, for the hypotheses there are, whatever the room for both.
    """
    heard = heard_by(routing, ballot, active)
    places = routing.sender.shape[0] * ballot.choice.order.shape[3]
    place = integers(places, ballot.choice.counts)
    dx, dy, dz = (
        mine.unsqueeze(-1) - theirs
        for mine, theirs in zip(
            hypotheses.location, claims_of(ballot, heard, place, offsets, settings), strict=True
        )
    )
    number = where(valid(hypotheses), heard.ends[-1].unsqueeze(-1), 0)
    squared = where(place < number.unsqueeze(-1), dot((dx, dy, dz), (dx, dy, dz)), INFINITY)
    distances, index = nearest(squared, min(settings.vote_neighbours, places))
    # fewer votes than neighbours leave places beyond the last vote, whose distance is infinite
    confidences = take(ballot.choice.confidence.reshape(-1), heard.entry(cast(index, "int32")))
    within = distances < settings.max_match_distance * settings.max_match_distance
    best = highest(where(within, confidences, -INFINITY))
    if settings.past_weight + settings.present_weight == 1.0:
        changed = (hypotheses.evidence + settings.vote_weight * best) / (1.0 + settings.vote_weight)
    else:
        changed = hypotheses.evidence + settings.vote_weight * best
    return where(best > -INFINITY, changed, hypotheses.evidence)


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
