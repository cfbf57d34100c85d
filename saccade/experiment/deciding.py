"""When what was felt decides an episode: one object, in one pose, explains all of it better than any other.

In: rows that may end, what modules hold for possible, and the diary. Out: verdicts, and reports whose pose is
the one that explains best what was felt (`settling`).

Evidence falls off slowly between objects that are much alike: of cups that fit into each other five are
possible after 40 steps, and after 500. What all percepts together cost on the model of each tells them apart
long before. So every object that the agreeing modules hold for possible is laid under what was felt; the one
that costs least is the object as soon as all others cost `eval.margin` more, and so it is with its poses.
Where no object is clear for `TOLD_APART` times `module.symmetry_evidence` steps, nothing tells them apart:
the episode ends, and its ending says that it was not a match.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from saccade.cortex.results import Pose as Hypothesis
from saccade.cortex.settle import Settled
from saccade.experiment.config import ExperimentConfig
from saccade.experiment.judge import Contest, Verdict, contest
from saccade.experiment.settling import OTHER_POSE, Settler, Standing
from saccade.experiment.slot import Slot
from saccade.experiment.thought import TellsHypotheses, Thought
from saccade.experiment.trace import Diary
from saccade.reproducible.threads import threads

Floats = npt.NDArray[np.float64]

#: steps between two tries: each lays all that was felt on models
EVERY = 5
#: objects that are laid under what was felt at once; while more are possible, evidence has yet to speak
MOST_OBJECTS = 6
#: so many times the steps that prove a symmetry must pass before objects count as not to be told apart
TOLD_APART = 2


@dataclass(frozen=True)
class Decider:
    """Lays what the rows felt on models. `mind` is asked for hypotheses, and told where to look next."""

    settler: Settler
    mind: TellsHypotheses
    config: ExperimentConfig
    diary: Diary

    def decide(self, slots: Mapping[int, Slot], thought: Thought) -> dict[int, Verdict]:
        """Verdicts on the rows where what was felt decides, or has failed to for long enough."""
        due = {row: slot for row, slot in slots.items() if self._is_due(slot)}
        for slot in due.values():
            slot.tried = slot.matched
        contests = {
            row: found
            for row, slot in due.items()
            if (found := contest(thought.results, row, slot.felt, self.config)) is not None
            and len(found.objects) <= MOST_OBJECTS
        }
        self._lay({row: (due[row], found) for row, found in contests.items()}, thought)
        verdicts = {row: self._verdict(row, due[row], found) for row, found in contests.items()}
        return {row: verdict for row, verdict in verdicts.items() if verdict is not None}

    def settled(self, row: int, slot: Slot, verdict: Verdict, thought: Thought) -> Verdict:
        """The verdict with the pose that explains best all that was felt."""
        report = verdict.report
        if report is None:
            return verdict
        asked = Contest(verdict.module, report, (report.object,))
        self._lay({row: (slot, asked)}, thought)
        standing = slot.standings[report.object]
        return replace(verdict, report=standing.report(report, thought.sensed[row, verdict.module]))

    def undecided(self, slot: Slot, name: str) -> Floats | None:
        """(H, 3, 3) the rotations that explain as much as the best, where that was found to be a symmetry."""
        standing = slot.standings.get(name)
        if standing is None or standing.unclear < self.config.module.symmetry_evidence:
            return None
        return standing.found.within(self.config.eval.margin)

    def _is_due(self, slot: Slot) -> bool:
        """Not again while looks bring nothing: an agent that was sent to the same place each time stays
        there."""
        past = slot.matched - self.config.eval.min_steps
        return past > 0 and (past - 1) % EVERY == 0 and slot.tried != slot.matched

    def _verdict(self, row: int, slot: Slot, found: Contest) -> Verdict | None:
        margin, patience = self.config.eval.margin, self.config.module.symmetry_evidence
        standings = sorted((slot.standings[name] for name in found.objects), key=lambda each: each.cost)
        best, others = standings[0], standings[1:]
        verdict = Verdict("match", found.module, _report_of(found.report, best))
        if others and others[0].cost - best.cost < margin:
            slot.contested += EVERY
            return replace(verdict, ending="mlh") if slot.contested >= TOLD_APART * patience else None
        slot.contested = 0
        if best.found.margin(OTHER_POSE) >= margin or best.unclear >= patience:
            return verdict
        place = self.settler.place_to_look(found.module, best)
        if place is not None and self.config.policy.hypothesis_testing:
            self.mind.wish(row, *place)
        return None

    def _lay(self, asked: Mapping[int, tuple[Slot, Contest]], thought: Thought) -> None:
        """Bring the standings of the objects in question up to date, those of all rows side by side."""
        began = time.perf_counter()
        jobs = [
            (row, slot, found, name)
            for row, (slot, found) in asked.items()
            for name in found.objects
            if name not in slot.standings or slot.standings[name].steps != slot.matched
        ]
        sensors, features = range(self.settler.sensors), self.config.sensor.features
        felt = {row: self.diary.of(row, asked[row][0].since, sensors, features) for row in asked}
        held = {
            (row, name): self.mind.held(row, found.module, name)
            for row, slot, found, name in jobs
            if name not in slot.standings
        }

        def settle(job: tuple[int, Slot, Contest, str]) -> Settled:
            row, slot, found, name = job
            before = slot.standings[name].found if name in slot.standings else None
            report = found.report if found.report.object == name else None
            anchor = thought.sensed[row, found.module]
            return self.settler.settle(
                felt[row], found.module, name, anchor, report, held.get((row, name)), before
            )

        for _, _, found, name in jobs:
            self.settler.surface(found.module, name)
        for (_, slot, _, name), settled in zip(jobs, threads().map(settle, jobs), strict=True):
            now = Standing(name, settled, slot.matched)
            slot.standings[name] = now.followed(slot.standings.get(name), self.config.eval.margin)
        seconds = time.perf_counter() - began
        for slot, _ in asked.values():
            slot.seconds_modules += seconds / len(asked)


def possible_rotations(mind: TellsHypotheses, row: int, module: int, name: str, percent: float) -> Floats:
    """(H, 3, 3) of the hypotheses of an object whose evidence is within some percent of the largest."""
    held = mind.held(row, module, name)
    top = held.evidence.max(initial=0.0)
    rotations: Floats = held.rotations[held.evidence > top - top / 100.0 * percent]
    return rotations


def _report_of(report: Hypothesis, standing: Standing) -> Hypothesis:
    """A report of the object that stands best; its pose is that of `standing` when it is told."""
    return report if report.object == standing.object else replace(report, object=standing.object)
