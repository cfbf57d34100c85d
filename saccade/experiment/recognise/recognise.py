"""Recognition: rows of a world and of a cortex, each filled with the next episode as soon as its last one is
over.

In: a world, a mind (what senses, thinks and decides how to move), and units of episodes. Out: one `Outcome`
per episode, when it is over. Rows do not know of each other, so an episode's outcome does not depend on how
many there are nor on which row it is given.

    for outcome in Recogniser(world, mind, config, symmetries).run(units):
        print(outcome.row.object, outcome.row.detected)

Between the episodes of a unit the object is exchanged and the agent put in front of the new one; the mind is
not told that it is another object.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.results import Pose as Hypothesis
from saccade.cortex.fitting.settle import packed
from saccade.cortex.laps import Laps
from saccade.cortex.rows import take_rows
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine import levels
from saccade.experiment.engine.episode import EpisodeRow, Outcome
from saccade.experiment.engine.memory import Origin
from saccade.experiment.plan.plan import Episode, Unit
from saccade.experiment.plan.scenes import episode_number, scene_of, starting_poses
from saccade.experiment.recognise.judge import Contest, Verdict, errors_of, format_angles, judge
from saccade.experiment.recognise.settling import Settler
from saccade.experiment.recognise.slot import Ended, Slot, step_news
from saccade.experiment.recognise.standings import Standings, settled
from saccade.experiment.recognise.thought import Measured, Mind, Thought
from saccade.experiment.record.episode_trace import EpisodeTrace
from saccade.extend.loggers import StepNews
from saccade.reproducible import apply, matmul
from saccade.world.protocol import Actions, Observation, Pose, Scene, World
from saccade.world.scene_rows import NOWHERE
from saccade.world.symmetry.symmetry import Symmetry

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


# Looks that an episode may take for each step that counts, before its time is over all the same: steps on
# which nothing new is sensed do not count, and an agent that has lost the object would look for ever.
LOOKS_PER_STEP = 4


class Recogniser:
    """Runs units on the rows of a world."""

    def __init__(
        self,
        world: World,
        mind: Mind,
        config: ExperimentConfig,
        symmetries: Mapping[str, Symmetry],
        distance: float,
        parts: Mapping[str, Sequence[str]] | None = None,
        origins: Mapping[str, Origin] | None = None,
        known: Collection[str] | None = None,
        shapes: Mapping[str, Symmetry] | None = None,
        settler: Settler | None = None,
        tell: Callable[[StepNews], None] | None = None,
        profile: Callable[[Recogniser], None] | None = None,
        narrows: bool = True,
    ) -> None:
        """`parts`: of objects made of others, the names that modules of the lower level may report.
        `origins`: of models that were found without names, what they were made from. `known`: the objects
        there are models of, by default all. `shapes`: symmetries of shape alone, by default `symmetries`.
        `settler`: lays what was felt on the model before a pose is reported; None: nobody does.
        `tell`: who is told of every step of a row, `profile`: of every step of all, if anybody. `narrows`:
        rows that are done leave the world and the mind; False where somebody counts on their numbers."""
        if world.rows != mind.rows:
            raise ValueError(f"the world has {world.rows} rows and the mind {mind.rows}")
        self.world, self.mind, self.config = world, mind, config
        self.symmetries, self.distance = symmetries, distance
        self.parts, self.origins, self.known = parts or {}, origins or {}, known
        self.shapes = shapes or {}
        self._below = levels.below(config)
        self._told, self._profile, self._narrows = tell, profile, narrows
        #: where the time of steps goes, those that the mind measures included, and steps of all rows so far
        self.laps: Laps = mind.laps if isinstance(mind, Measured) else Laps()
        self.steps = 0
        self.standings = Standings(config, mind, settler, self.laps)
        self.slots: list[Slot | None] = [None] * world.rows
        self.ended: dict[str, Ended] = {}  # by episode

    def run(self, units: Sequence[Unit]) -> Iterator[Outcome]:
        """Recognise all episodes; yields each outcome when its episode is over."""
        if not units:
            return
        self.laps.begin()
        waiting = deque(units)
        starts = self._starts([episode for unit in units for episode in unit.episodes])
        self.slots = [None] * self.world.rows
        seen = self._begin(*self._assign(range(self.world.rows), waiting), starts, None)
        laps = self.laps
        laps.lap("start")
        while any(self.slots):
            began = time.perf_counter()
            thought = self.mind.think(seen, self._wants_check())
            laps.begin()
            self._count(thought, seen, time.perf_counter() - began)
            laps.lap("count")
            over = dict(self._finished(thought))
            self.standings.look([None if row in over else slot for row, slot in enumerate(self.slots)])
            laps.lap("judge")
            yield from over.values()
            laps.lap("record")
            begun, exchanged = self._assign(over, waiting)
            if begun or exchanged or not self._narrows:
                self._rest([row for row in over if self.slots[row] is None])
            if begun or exchanged:
                seen = self._begin(begun, exchanged, starts, thought.actions)
            else:
                actions = self._narrowed(thought.actions)
                laps.lap("begin")
                began = time.perf_counter()
                seen = self.world.step(actions)
                self._share("seconds_world", time.perf_counter() - began)
            laps.lap("world")
            self.steps += 1
            if self._profile is not None:
                self._profile(self)

    # --- filling rows

    def _starts(self, episodes: Sequence[Episode]) -> dict[str, Pose]:
        """The start pose of every episode, found a world full at a time."""
        rows, poses = self.world.rows, {}
        for begin in range(0, len(episodes), rows):
            wave = episodes[begin : begin + rows]
            filled = [*wave, *[wave[-1]] * (rows - len(wave))]
            found = starting_poses(self.world, filled, self.distance).poses
            for row, episode in enumerate(wave):
                poses[episode.id] = Pose(found.position[row], found.rotation[row])
        return poses

    def _assign(self, free: Iterable[int], waiting: deque[Unit]) -> tuple[list[int], list[int]]:
        """Give the free rows their unit's next episode, or the next unit, or nothing; the rows that begin
        anew, and those that exchange the object.
        """
        begun, exchanged = list[int](), list[int]()
        for row in free:
            slot = self.slots[row]
            if slot is not None and slot.position + 1 < len(slot.unit.episodes):
                self.slots[row] = Slot(slot.unit, slot.position + 1, self.standings.now, trace=self._trace())
                # of a scene every object is looked at afresh
                (begun if self.config.eval.mode == "scene" else exchanged).append(row)
            elif waiting:
                self.slots[row] = Slot(waiting.popleft(), 0, self.standings.now, trace=self._trace())
                begun.append(row)
            else:
                self.slots[row] = None
        return begun, exchanged

    def _trace(self) -> EpisodeTrace:
        recording = self.config.recording
        return EpisodeTrace(recording.hypotheses, recording.clouds)

    def _begin(
        self,
        begun: Sequence[int],
        exchanged: Sequence[int],
        starts: Mapping[str, Pose],
        actions: Actions | None,
    ) -> Observation:
        """Put the agents of these rows in front of their new objects, move the others, and look."""
        began = time.perf_counter()
        rows = self.world.rows
        scenes: list[Scene | None] = [None] * rows
        agent = Pose.identity(rows)  # of rows that go on, nobody reads it
        for row in (*begun, *exchanged):
            slot = self.slots[row]
            assert slot is not None
            start = starts[slot.episode.id]
            scenes[row] = scene_of(slot.episode)
            agent.position[row], agent.rotation[row] = start.position, start.rotation
        fresh, moved = np.isin(np.arange(rows), begun), np.isin(np.arange(rows), exchanged)
        self.mind.reset(fresh, self._numbers())
        self.mind.interrupt(moved)
        seen = self.world.reset(fresh | moved, scenes, agent, actions)
        self._share("seconds_world", time.perf_counter() - began)
        return seen

    def _rest(self, rows: Sequence[int]) -> None:
        """Nothing is left to do in these rows: they see nothing and believe nothing."""
        if not rows:
            return
        idle = np.isin(np.arange(self.world.rows), rows)
        self.world.place(idle, [NOWHERE if each else None for each in idle])
        self.mind.rest(idle)

    def _narrowed(self, actions: Actions) -> Actions:
        """Leave out rows that have nothing to do any more; the actions of those that stay."""
        busy = np.array([row for row, slot in enumerate(self.slots) if slot is not None], np.int64)
        if not self._narrows or not 0 < len(busy) < self.world.rows:
            return actions
        self.world.keep(busy)
        self.mind.keep(busy)
        self.standings.keep(busy)
        self.slots = [self.slots[row] for row in busy]
        return take_rows(actions, busy)

    # --- one step

    def _numbers(self) -> npt.NDArray[np.int64]:
        """The random numbers of a row belong to the episode that it began with."""
        whole = self.config.eval.mode != "scene"
        begun = [slot and (slot.unit.episodes[0] if whole else slot.episode) for slot in self.slots]
        return np.array([episode_number(each) if each else 0 for each in begun], np.int64)

    def _wants_check(self) -> Bools:
        """Rows that may end on this step: more than the least number of steps is matched by then."""
        return np.array(
            [slot is not None and slot.matched >= self.config.eval.min_steps for slot in self.slots]
        )

    def _count(self, thought: Thought, seen: Observation, seconds: float) -> None:
        self._share("seconds_modules", seconds)
        self.standings.note(thought, self.slots, seen, self.world.rig.half_tangent)
        for row, slot in enumerate(self.slots):
            if slot is None:
                continue
            slot.looks += 1
            slot.matched += bool(thought.processed[row])
            had = [bool(result.processed[row]) for result in thought.results]
            for failed in (result for result in thought.results if result.failure is not None):
                slot.failures.setdefault(failed.module, _when_and_why(slot, failed.failure))
            slot.felt = [before + now for before, now in zip(slot.felt or [0] * len(had), had, strict=True)]
            if self._told is not None:
                self._told(step_news(slot, thought, row))
            if self.config.recording.traces:
                slot.trace.add(thought, seen, row, self.mind)

    def _share(self, name: str, seconds: float) -> None:
        """Add every busy row's part of some time."""
        busy = [slot for slot in self.slots if slot is not None]
        for slot in busy:
            setattr(slot, name, getattr(slot, name) + seconds / len(busy))

    def _finished(self, thought: Thought) -> Iterator[tuple[int, Outcome]]:
        """The rows whose episodes are over on this step."""
        verdicts: dict[int, Verdict] = {}
        contests: dict[int, Contest] = {}
        for row, slot in enumerate(self.slots):
            if slot is None:
                continue
            verdict = self._verdict(slot, thought, row)
            if verdict is not None:
                verdicts[row] = verdict
            elif self.standings.end_episodes:
                # hypotheses agree on a pose also where the right one was given up: what was felt decides
                found = self.standings.contest(slot, thought, row)
                if found is not None:
                    contests[row] = found
        ending = {
            row: self.standings.last_contest(verdict, thought, row)
            for row, verdict in verdicts.items()
            if verdict.report is not None
        }
        if self.standings.end_episodes:
            asked = self.standings.narrowed(self.slots, {**ending, **contests}, thought)
            ending, contests = ({row: asked[row] for row in each} for each in (ending, contests))
        self.standings.settle(self.slots, {**ending, **contests}, thought)
        verdicts |= self.standings.confirmed(self.slots, contests, thought)
        verdicts |= self.standings.named(self.slots, verdicts, ending)
        for row in sorted(verdicts):
            slot, verdict = self.slots[row], verdicts[row]
            assert slot is not None
            yield row, self._outcome(slot, verdict, thought, row)

    def _verdict(self, slot: Slot, thought: Thought, row: int) -> Verdict | None:
        """The verdict of the modules, or of the clock where poses decide."""
        most = self.config.eval.max_steps
        expired = slot.matched >= most or slot.looks >= LOOKS_PER_STEP * most
        early = not expired and self.standings.end_episodes
        if early and not self.standings.has_failed(slot):
            return None
        results, felt = thought.results[self._below :], slot.felt[self._below :]
        verdict = judge(results, row, slot.matched, self.config, expired or early, felt)
        if verdict is None or (early and verdict.report is None):
            return None  # whoever believes nothing yet may still find something
        return replace(verdict, module=verdict.module + self._below) if verdict.module >= 0 else verdict

    def _meant(self, name: str) -> str:
        """The object that a model is of."""
        return self.origins[name].object if name in self.origins else name

    def _is_right(self, report: Hypothesis | None, episode: Episode) -> bool:
        """Whether a report names the object; of one that nobody learned, nothing should be reported."""
        if self.known is not None and episode.object not in self.known:
            return report is None
        return report is not None and self._meant(report.object) == episode.object

    def _in_object_frame(self, report: Hypothesis) -> Hypothesis:
        """A report in the frame of the object: a model found without a name lies as the object did then."""
        back = self._back(report.object)
        if back is None:
            return report
        return replace(report, rotation=matmul(back, report.rotation), location=apply(back, report.location))

    # --- poses

    def _undecided(self, slot: Slot, verdict: Verdict, thought: Thought, row: int) -> Floats | None:
        """(H, 3, 3) in the frame of the object, the rotations that are still possible where a symmetry was
        found; None where none was."""
        possible = self.standings.undecided(slot, verdict, thought, row)
        back = None if verdict.report is None else self._back(verdict.report.object)
        return possible if possible is None or back is None else matmul(back, possible)

    def _back(self, name: str) -> Floats | None:
        """(3, 3) from the frame of a model that was found without a name to that of its object."""
        if name not in self.origins:
            return None
        return np.array(self.origins[name].rotation, np.float64).reshape(3, 3).T

    def _outcome(self, slot: Slot, verdict: Verdict, thought: Thought, row: int) -> Outcome:
        verdict = settled(slot, verdict, thought.sensed[row, verdict.module])
        anchor, agent = thought.sensed[row, verdict.module], self.world.agent
        stood = agent.position[row].copy(), agent.rotation[row].copy()
        self.ended[slot.episode.id] = Ended(verdict, anchor.copy(), *stood, slot.looks)
        episode, report = slot.episode, verdict.report
        symmetry = self.symmetries.get(episode.object, Symmetry())
        correct = self._is_right(report, episode)
        believed = [each.best[row] for each in thought.results]
        named = ["" if best is None else self._meant(best.object) for best in believed]
        whole = sum(name == episode.object for name in named[self._below :])
        parts = sum(name in self.parts.get(episode.object, ()) for name in named[: self._below])
        fields: dict[str, float | str] = {}
        if report is not None:
            fields["evidence"] = round(float(report.evidence), 3)
            errors = errors_of(
                self._in_object_frame(report),
                thought.sensed[row, verdict.module],
                episode,
                symmetry,
                self.shapes.get(episode.object),
                self._undecided(slot, verdict, thought, row) if correct else None,
            )
            fields["detected_rotation"] = errors.detected_rotation
            if correct:
                fields["rotation_error"], fields["location_error"] = errors.rotation, errors.location
                fields["rotation_error_shape"] = errors.shape
                fields["rotation_error_reference"] = errors.reference
        result = EpisodeRow(
            id=episode.id,
            phase=episode.phase,
            index=episode.index,
            epoch=episode.epoch,
            object=episode.object,
            detected="" if report is None else report.object,
            ending=verdict.ending,
            correct=correct,
            steps=slot.matched,
            symmetric=not symmetry.is_trivial,
            target_rotation=format_angles(episode.rotation),
            modules=len(thought.results),
            modules_correct=whole + parts,
            part=" ".join(named[: self._below]),
            parts=self._below,
            parts_correct=parts,
            modules_failed=len(slot.failures),
            seed=episode.seed,
            seconds=slot.seconds_world + slot.seconds_modules,
            seconds_world=slot.seconds_world,
            seconds_modules=slot.seconds_modules,
            **fields,  # type: ignore[arg-type]
        )
        kept = slot.trace.arrays()
        if kept and report is not None:
            kept["report_pose"] = packed(report.rotation[None], anchor, report.location[None])[0]
        return Outcome(result, kept, dict(slot.failures))


def _when_and_why(slot: Slot, error: Exception | None) -> str:
    return f"step {slot.looks} of {slot.episode.id}: {type(error).__name__}: {error}"
