"""Who asks for a goal, and what became of the last one, as tensor programs: what `goals.propose` does, where
reports are.

Comes in: the report of a bank, the memory of goals of every row and the goal that was acted upon last. Goes
out: questions for `goal_program`, and with its answers the goals of all modules, the one to act upon, and the
memory. The formulas are those of `goals`, where they are explained. A row that asks nothing asks about a
model without points.

    considered = consider(asker, given)                # of each module that asks
    settled = settle(askers, heard, owned)             # of all modules, when answers are there
"""

from __future__ import annotations

from typing import Any, NamedTuple

from saccade.cortex.columns import Columns, packed
from saccade.cortex.geometry import Rotation, Vector, dot, subtract
from saccade.cortex.goals.goal_program import cosine_between
from saccade.cortex.goals.goals import EMPTY_PLACES
from saccade.cortex.goals.questions import GoalSettings
from saccade.cortex.hypotheses.decide import CLEAR_DIFFERENCE
from saccade.cortex.ops import (
    cast,
    clip,
    highest,
    integers,
    logical_and,
    maximum,
    minimum,
    pick,
    where,
)
from saccade.cortex.row_random import Stream
from saccade.cortex.sense.noise_program import Draws, uniforms
from saccade.cortex.vectors import choose, length
from saccade.reproducible import cosine_of
from saccade.tensor import Tensor

INFINITY = float("inf")
#: numbers of a goal: place, normal, whether there is one, confidence, and who wants it
GOAL = 9
#: after the goal that is acted upon: whether some module's last test of a pose met nothing, and whether some
#: module may ask at the next step
UNSETTLED, EAGER = GOAL, GOAL + 1


class At(NamedTuple):
    """Where in a report (R, M, columns) things are: see `decide.Beliefs` and `inputs.Senders`."""

    per_object: tuple[int, int]
    counts: tuple[int, int]
    best: int
    evidence: int
    rotation: int
    ready: int
    place: int

    @staticmethod
    def of(places: Any) -> At:
        """From the places of a report's layout."""
        beliefs, _, _, senders = places
        best, counts = beliefs.best, beliefs.counts
        return At(
            (best.per_object.start, best.per_object.stop),
            (counts.start, counts.stop),
            best.object,
            best.evidence,
            best.rotation[0],
            senders.active,
            senders.place.start,
        )


class Asker(NamedTuple):
    """A module that asks. number: among all modules. module, modules: which of so many of its bank it is.
    at: where in a report its beliefs are. objects: places for them in the bank. aimed: its own sensor is the
    one that is brought before a goal."""

    settings: GoalSettings
    number: int
    module: int
    modules: int
    at: At
    objects: int
    aimed: bool


class Memory(NamedTuple):
    """As `goals.GoalMemory`, (R,) each, empty (R, E); matched: percepts so far, which the module counts."""

    since: Tensor
    wait: Tensor
    top: Tensor
    second: Tensor
    rotation: Rotation
    target: Vector
    facing: Vector
    open: Tensor
    tried: Tensor
    reached: Tensor
    of_pose: Tensor
    empty: Vector
    vain: Tensor
    unsettled: Tensor
    matched: Tensor

    @staticmethod
    def of(columns: Columns) -> Memory:
        number, flag, vector = columns.number, columns.flag, columns.vector
        return Memory(
            number(), number(), number(), number(), columns.rotation(), vector(), vector(), flag(), number(),
            number(), flag(), columns.vectors(EMPTY_PLACES), number(), flag(), number(),
        )  # fmt: skip


class Standing(NamedTuple):
    """As `goals.Standing`, (R,) and (R, O) each."""

    per_object: Tensor
    counts: Tensor
    best: Tensor
    evidence: Tensor
    rotation: Rotation
    sensed: Vector
    ready: Tensor

    @staticmethod
    def of(values: Tensor, at: At) -> Standing:
        """From rows (R, columns) of a report."""
        return Standing(
            values[:, slice(*at.per_object)],
            values[:, slice(*at.counts)],
            values[:, at.best],
            values[:, at.evidence],
            Columns(values, at.rotation).rotation(),
            Columns(values, at.place).vector(),
            values[:, at.ready] > 0.5,
        )


class Wish(NamedTuple):
    """What a module wants to ask, (R,) each. waited: only because it waited long enough."""

    top: Tensor
    second: Tensor
    rotation: Rotation
    wanted: Tensor
    focus_pose: Tensor
    waited: Tensor
    ready: Tensor
    confidence: Tensor

    @staticmethod
    def of(columns: Columns) -> Wish:
        number, flag = columns.number, columns.flag
        return Wish(number(), number(), columns.rotation(), flag(), flag(), flag(), flag(), number())


class Places(NamedTuple):
    """Rows of a run and those of a bank. bank (room,): where each row of the run is there; run (W,): the row
    of the run that each is, -1 where it is nobody's."""

    bank: Tensor
    run: Tensor


class Given(NamedTuple):
    """table (room, C): the memory of the last step. fresh (1, C): of a row that begins. last (room, EAGER
    + 1): the goal that was acted upon, as `settle` gives it. sent (room, GOAL + 1): wishes of nobody's here,
    and whether a row begins. reports: of the blocks of a bank, (size, M, columns) each. places: of rows
    there. draws: of rows."""

    table: Tensor
    fresh: Tensor
    last: Tensor
    sent: Tensor
    reports: tuple[Tensor, ...]
    places: Places
    draws: Draws


class Considered(NamedTuple):
    """table (room, C): the memory, and behind it the `Wish`. asked (S, 2 size): places of the hypotheses of
    both objects of each question, block by block. questions (S size, ...): as `goal_program` takes them."""

    table: Tensor
    asked: Tensor
    questions: Tensor


def consider(asker: Asker, given: Given) -> Considered:
    """What a module wants to know in each row."""
    begun = given.sent[:, GOAL] > 0.5
    memory = Memory.of(Columns(where(begun.unsqueeze(-1), given.fresh, given.table)))
    every = Tensor.cat(list(given.reports), dim=0)[:, asker.module]
    standing = Standing.of(every[given.places.bank].contiguous(), asker.at)
    # only the goal that is acted upon can be found reached or in vain
    last = Goal.of(Columns(given.last))
    acted = last.active & (last.sender == float(asker.number))
    ready = cast(standing.ready, "float64")
    memory = memory._replace(open=memory.open & acted & ~begun, matched=memory.matched + ready)
    memory, reached = _check_reached(asker, memory, standing)
    wish = _wants(asker.settings, memory, standing, given.draws)
    wish = wish._replace(wanted=wish.wanted & ~reached)

    nobody = float(asker.objects)  # a model without points
    rival = where(wish.focus_pose, wish.top, wish.second)
    models = [where(wish.wanted, each, nobody) for each in (wish.top, rival)]
    vain = minimum(memory.vain, float(EMPTY_PLACES))
    own = packed(*models, vain, standing.sensed, memory.empty)
    run = given.places.run
    spare = where(integers(own.shape[1], own) < 2, nobody, own[:1] * 0.0)
    questions = where((run >= 0).unsqueeze(-1), own[maximum(run, 0)], spare).contiguous()
    return Considered(packed(memory, wish), _places(asker, questions[:, :2], len(given.reports)), questions)


def _places(asker: Asker, models: Tensor, blocks: int) -> Tensor:
    """(S, 2 size) rows, modules and objects of each block numbered through, as `HeldRoom.ranked` takes
    them, of models (S size, 2); of nobody's any."""
    size = models.shape[0] // blocks
    row = cast(integers(models.shape[0], models) % size, "int64")
    first = (row * asker.modules + asker.module) * asker.objects
    number = minimum(cast(models, "int64"), asker.objects - 1)
    return (first.unsqueeze(-1) + number).reshape(blocks, 2 * size)


def _check_reached(asker: Asker, memory: Memory, standing: Standing) -> tuple[Memory, Tensor]:
    """As `goals._check_reached`."""
    settings, most = asker.settings, float(EMPTY_PLACES)
    away = subtract(standing.sensed, memory.target)
    now = logical_and(memory.open, standing.ready, length(away) <= settings.tolerance)
    behind = dot(away, memory.facing) < -settings.tolerance
    vain = memory.open & (~standing.ready | behind)
    if not asker.aimed:
        vain = vain & ~vain
    again = logical_and(vain, memory.of_pose, memory.vain < most)
    oldest = cast(memory.vain, "int32") % EMPTY_PLACES
    place = (integers(EMPTY_PLACES, memory.vain) == oldest.unsqueeze(-1)) & vain.unsqueeze(-1)
    target = [each.unsqueeze(-1) for each in memory.target]
    x, y, z = (where(place, one, old) for one, old in zip(target, memory.empty, strict=True))
    return memory._replace(
        reached=memory.reached + cast(now, "float64"),
        since=where(again, float(settings.min_steps + 1), memory.since),
        empty=(x, y, z),
        vain=memory.vain + cast(vain, "float64"),
        unsettled=(memory.unsettled | again) & ~(now | (vain & ~again)),
    ), now


def _wants(settings: GoalSettings, memory: Memory, standing: Standing, draws: Draws) -> Wish:
    """As `goals._wants`."""
    top, second = _top_two(standing)
    number = cast(maximum(top, 0.0), "int64")
    may = logical_and(standing.ready, memory.since > float(settings.min_steps), top >= 0.0)
    several = (top >= 0.0) & (pick(standing.counts, number) > 1.0)
    settled, nearly = (
        cast(_possible(standing.per_object, settings.x_percent, scale), "int32").sum(-1) == 1
        for scale in (1.0, settings.pose_focus_scale)
    )
    coin = uniforms(draws, 1, Stream.GOAL, 1)[0][:, 0] <= 0.5
    focus_pose = (second < 0.0) | settled | (nearly & coin)
    tested_before = memory.top >= 0.0
    changed = tested_before & ((top != memory.top) | (second != memory.second))
    cosine = cosine_between(standing.rotation, memory.rotation)
    turned = tested_before & (cosine < float(cosine_of(settings.new_rotation)))
    since, period = cast(memory.since, "int64"), cast(memory.wait, "int64") * settings.elapsed_steps
    cause = changed | turned
    wanted = may & where(focus_pose, several, cause | (since % period == 0))
    confidence = clip(standing.evidence / maximum(memory.matched, 1.0), 0.0, 1.0)
    waited = logical_and(wanted, ~focus_pose, ~cause)
    return Wish(
        top, second, standing.rotation, wanted, focus_pose, waited, standing.ready,
        where(standing.evidence > -INFINITY, confidence, 0.0),
    )  # fmt: skip


def _top_two(standing: Standing) -> tuple[Tensor, Tensor]:
    """As `goals.top_two`, (R,)."""
    there = standing.per_object > -INFINITY
    number = cast(integers(there.shape[1], there), "float64")
    top = where(highest(standing.per_object) > -INFINITY, standing.best, -1.0)
    rest = where(number == top.unsqueeze(-1), -INFINITY, standing.per_object)
    most = highest(rest).unsqueeze(-1)
    return top, highest(where((rest == most) & (most > -INFINITY), number, -1.0))


def _possible(per_object: Tensor, x_percent: float, scale: float) -> Tensor:
    """As `goals.possible_matches`, (R, O)."""
    there = per_object > -INFINITY
    count = cast(there, "float64").sum(-1)
    number = maximum(count, 1.0)
    finite = where(there, per_object, 0.0)
    mean = finite.sum(-1) / number
    far = finite - mean.unsqueeze(-1)
    deviation = (where(there, far * far, 0.0).sum(-1) / number).sqrt()
    top = where(count > 0.0, highest(per_object), 0.0)
    cut = where(top > 0.0, top - top / 100.0 * x_percent * scale, 0.0).unsqueeze(-1)
    clear = ((deviation > CLEAR_DIFFERENCE) | (top < 0.0)).unsqueeze(-1)
    several = (count != 1.0).unsqueeze(-1)
    return there & where(clear, per_object > cut, several | (per_object >= 0.0))


class Owned(NamedTuple):
    """What a module considered, `Considered.table`, the answers (W, ANSWER) to its questions, and where they
    are."""

    table: Tensor
    answers: Tensor
    places: Places


class Settled(NamedTuple):
    """tables (room, C): the memory of each module that asks. wanted (room, M, GOAL): goals of all modules.
    last (room, EAGER + 1): the goal that is acted upon, and whether some module is unsettled and eager."""

    tables: tuple[Tensor, ...]
    wanted: Tensor
    last: Tensor


class Heard(NamedTuple):
    """Whose goals come down. above: of each module, the numbers of those that hear it; near: the modules that
    have sensors, whose goals are acted upon."""

    above: tuple[tuple[int, ...], ...]
    near: tuple[int, ...]


def settle(
    askers: tuple[Asker, ...], heard: Heard, owned: tuple[Owned, ...], before: Tensor, sent: Tensor
) -> Settled:
    """The goals of all modules: of each its own or one that came down to it, as `before` (room, M, GOAL) was
    wanted, and the one to act upon: a wish of nobody's here, as sent (room, GOAL + 1), or the most confident.
    """
    begun = sent[:, GOAL] > 0.5
    tables, own = list[Tensor](), dict[int, Goal]()
    unsettled = eager = begun & ~begun
    for asker, one in zip(askers, owned, strict=True):
        columns = Columns(one.table)
        memory, wish = Memory.of(columns), Wish.of(columns)
        memory, own[asker.number] = _asked(asker, memory, wish, one.answers[one.places.bank].contiguous())
        unsettled = unsettled | memory.unsettled
        eager = eager | memory.open | (memory.since > float(asker.settings.min_steps))
        tables.append(packed(memory))
    none = Goal.none(begun)
    came = [Goal.of(Columns(before[:, number])) for number in range(len(heard.above))]
    came = [each._replace(active=each.active & ~begun) for each in came]
    wanted = [
        _selected([own.get(number, none), *(came[other] for other in above)])
        for number, above in enumerate(heard.above)
    ]
    chosen = _selected([wanted[number] for number in heard.near]) if heard.near else none
    wished = Goal.of(Columns(sent))
    chosen = choose(wished.active, wished, chosen)
    return Settled(
        tuple(tables),
        Tensor.stack([packed(each) for each in wanted], 1),
        packed(chosen, unsettled, eager),
    )


class Goal(NamedTuple):
    """As `goals.GoalBatch`, (R,) each, in the order of their columns."""

    location: Vector
    normal: Vector
    active: Tensor
    confidence: Tensor
    sender: Tensor

    @staticmethod
    def of(columns: Columns) -> Goal:
        return Goal(columns.vector(), columns.vector(), columns.flag(), columns.number(), columns.number())

    @staticmethod
    def none(like: Tensor) -> Goal:
        zero = cast(like & ~like, "float64")
        return Goal((zero, zero, zero), (zero, zero, zero + 1.0), zero > 0.0, zero, zero - 1.0)


def _asked(asker: Asker, memory: Memory, wish: Wish, answers: Tensor) -> tuple[Memory, Goal]:
    """The goals of a module, for answers (room, ANSWER), and its memory after making them."""
    columns = Columns(answers)
    made = wish.wanted & columns.flag()
    location, normal = columns.vector(), columns.vector()
    none = Goal.none(made)
    goal = choose(
        made, Goal(location, normal, made, wish.confidence, none.sender * 0.0 + float(asker.number)), none
    )
    grown = memory.wait * float(asker.settings.wait_growth)
    idle = logical_and(wish.wanted, wish.focus_pose, ~made)  # nothing is left to tell apart
    return memory._replace(
        since=where(made, 0.0, memory.since + cast(wish.ready, "float64")),
        wait=where(made & wish.waited, grown, memory.wait),
        top=where(made, wish.top, memory.top),
        second=where(made, wish.second, memory.second),
        rotation=choose(made, wish.rotation, memory.rotation),
        target=choose(made, location, memory.target),
        facing=choose(made, normal, memory.facing),
        open=made,
        of_pose=where(made, wish.focus_pose, memory.of_pose),
        unsettled=memory.unsettled & ~idle,
        tried=memory.tried + cast(made, "float64"),
    ), goal


def _selected(goals: list[Goal]) -> Goal:
    """As `goals.select_goals`."""
    best = goals[0]
    for other in goals[1:]:
        better = other.active & (~best.active | (other.confidence > best.confidence))
        best = choose(better, other, best)
    return best
