"""What the percepts of all rows say about objects and poses: which episodes end by it, where to look next.

In: what was felt in every step, and the objects that modules hold for possible. Out: a `Standing` with the
slot of each row and object that was asked about; verdicts; wishes to look where poses differ.

    standings.note(thought, slots)                      # every step
    contest = standings.contest(slot, thought, row)     # enough modules agree: which objects are in question?
    contests = standings.narrowed(slots, {row: contest}, thought)   # of many, those that may explain it
    standings.settle(slots, contests, thought)          # all rows of a step at once, by threads
    standings.decided(slots, contests)                  # {row: verdict} of those where one is clear

Evidence falls off slowly between objects that are much alike: of cups that fit into each other five are
possible after 40 steps, and after 500. What all percepts together cost on the model of each tells them apart
long before. So every object that the agreeing modules hold for possible, and the runner-up, is laid under
what was felt; the one that costs least is the object as soon as all others cost `eval.margin` and `CLEAR`
standard errors more. So it is with its poses, by the margin. At the end of time the likeliest objects are
compared so, too. Where no object is clear for `TOLD_APART` steps, nothing tells them apart: the episode ends,
and its ending says that it was not a match.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from saccade.cortex.fitting.free_space import Reals
from saccade.cortex.fitting.settle import packed_each
from saccade.cortex.laps import Laps
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine import levels
from saccade.experiment.recognise import judge
from saccade.experiment.recognise.judge import Contest, Verdict
from saccade.experiment.recognise.settling import BEGINNING, OTHER_POSE, Claim, Settles, Standing
from saccade.experiment.recognise.slot import Slot
from saccade.experiment.recognise.thought import TellsHypotheses, Thought
from saccade.experiment.recognise.trace import Diary
from saccade.reproducible.threads import in_threads
from saccade.world.protocol import Observation

Floats = npt.NDArray[np.float64]
Slots = Sequence[Slot | None]

#: steps between two tries: each lays all that was felt on models, and says where to look next. Ten scans:
#: with 5, two steps of five looked nowhere in particular, and episodes had 29 steps and not 25
SETTLED_EVERY = 2
#: steps after which poses are settled to know where to look, although the episode may not end yet
LOOKED_FROM = 10
#: standard errors by which what was felt costs less on an object than on all others that are in question
CLEAR = 3.0
#: objects that are laid under what was felt in all turns; of so many of the likeliest, those that cost least,
#: and at most so many margins more than the best, in the poses of their hypotheses
MOST_OBJECTS, WIDEST, NEAR = 6, 24, 4
#: of so many where evidence is in doubt and nothing was clear yet
MANY = 200
#: steps for which no object is clear before objects count as not to be told apart, of one module or several:
#: objects that are nearly alike differ by some 1.5 standard errors after 100 percepts
TOLD_APART = 100
_NO_POSE = np.zeros((0, 12))


class Standings:
    """What was felt in the rows of a recogniser. settler None: poses are reported as they are."""

    def __init__(
        self, config: ExperimentConfig, mind: object, settler: Settles | None, laps: Laps | None = None
    ) -> None:
        self.config, self.mind, self.laps = config, mind, laps or Laps()
        self.settler = settler if isinstance(mind, TellsHypotheses) else None
        self.diary = Diary("hsv" in config.sensor.features)

    @property
    def end_episodes(self) -> bool:
        """Whether poses decide when an episode ends."""
        return self.settler is not None and self.config.eval.margin > 0

    @property
    def now(self) -> int:
        """The number of the next step."""
        return self.diary.now

    def note(self, thought: Thought, slots: Slots, seen: Observation, tangent: Reals) -> None:
        """Take down what was felt in a step, and how far was seen: tangent (S,) of half the angle of view."""
        if self.settler is not None and thought.felt is not None:
            self.diary.forget(min((slot.since for slot in slots if slot), default=self.now))
            self.diary.add(thought.felt, seen.sights(), tangent, self.settler.reach)

    def keep(self, rows: npt.NDArray[np.int64]) -> None:
        """Go on with these rows alone."""
        self.diary.keep(rows)

    def contest(self, slot: Slot, thought: Thought, row: int) -> Contest | None:
        """What enough modules agree on, on steps on which poses are settled. A look that felt nothing says
        nothing: the wish that led there is not repeated. Steps without agreement count as undecided."""
        least = self.config.eval.min_steps
        early = slot.matched <= min(least, LOOKED_FROM)
        if early or (slot.matched - least - 1) % SETTLED_EVERY or not thought.processed[row]:
            return None
        below = levels.below(self.config)
        found = judge.contest(thought.results[below:], row, slot.felt[below:], self.config)
        if found is not None:
            found = replace(found, module=found.module + below)
        slot.contested += 0 if found or not self._may_end(slot) else SETTLED_EVERY
        return found

    def _may_end(self, slot: Slot) -> bool:
        return slot.matched > self.config.eval.min_steps

    def has_failed(self, slot: Slot) -> bool:
        """Whether no object was clear for so long that none will be."""
        return slot.contested >= TOLD_APART

    def narrowed(self, slots: Slots, asked: Mapping[int, Contest], thought: Thought) -> dict[int, Contest]:
        """The contests with the objects that may explain what was felt. Evidence knows nothing of where
        nothing was, and may have given up the truth: the likeliest of all objects are laid under what was
        felt in the poses of their hypotheses, and those that cost least are in question beside those that
        are possible. As long as nothing fits, poses are wrong and costs rule nothing out: the next objects
        whose turns were never tried are, out of all where evidence is in doubt."""
        if self.settler is None or not asked:
            return dict(asked)
        wide, below = dict[int, Contest](), levels.below(self.config)
        for row, found in asked.items():
            slot = slots[row]
            assert slot is not None
            # what was in question once has poses, even if evidence has given it up since
            most = MANY if found.doubtful and slot.contested else WIDEST
            likely = *slot.standings, *judge.likeliest(thought.results[below:], row, most)
            wide[row] = replace(found, objects=tuple(sorted({*_few(found), *likely})))
        standings = self._laid(slots, wide, thought, search=False)
        laid: dict[int, list[Standing]] = {row: [] for row in asked}
        for row, _, standing in standings:
            laid[row].append(standing)
        self.laps.lap("narrow")
        near = NEAR * self.config.eval.margin
        return {
            row: replace(found, objects=_best(found, laid[row], near, slots[row]))
            for row, found in asked.items()
        }

    def last_contest(self, verdict: Verdict, thought: Thought, row: int) -> Contest:
        """What is in question where modules or the clock have ended an episode: at the end of time the
        likeliest objects, else the one that was matched."""
        assert verdict.report is not None
        names = [verdict.report.object]
        if verdict.ending == "mlh" and self.end_episodes:
            names += judge.likeliest([thought.results[verdict.module]], row, 2)
        return Contest(verdict.module, verdict.report, tuple(sorted(set(names))), verdict.ending == "mlh")

    def named(
        self, slots: Slots, verdicts: Mapping[int, Verdict], contests: Mapping[int, Contest]
    ) -> dict[int, Verdict]:
        """The verdicts of these contests, of the object that explains best what was felt."""
        if self.settler is None:
            return {}
        return {
            row: replace(
                verdicts[row], report=replace(found.report, object=self._ranked(slots[row], found)[0].object)
            )
            for row, found in contests.items()
        }

    def _ranked(self, slot: Slot | None, found: Contest) -> list[Standing]:
        """How the objects in question stand, the best first."""
        assert slot is not None
        return sorted((slot.standings[name] for name in found.objects), key=lambda standing: standing.cost)

    def confirmed(
        self, slots: Slots, contests: Mapping[int, Contest], thought: Thought
    ) -> dict[int, Verdict]:
        """As `decided`, but all turns of a pose that is clear are tried once more with all that was felt: the
        first time there was little to tell them by, and what was not found then has no other chance."""
        first = self.decided(slots, contests)
        clear = {
            row: replace(contests[row], objects=(verdict.report.object,))
            for row, verdict in first.items()
            if verdict.report is not None and not _is_searched(slots[row], verdict.report.object)
        }
        if not clear:
            return first
        self.settle(slots, clear, thought, search=True)
        again = self.decided(slots, {row: contests[row] for row in clear})
        return {row: verdict for row, verdict in first.items() if row not in clear} | again

    def decided(self, slots: Slots, contests: Mapping[int, Contest]) -> dict[int, Verdict]:
        """Verdicts where what was felt decides, or has failed to for long enough; elsewhere a look at where
        the two best objects differ is wished for, or, where one is clear, its two best poses."""
        config, decided = self.config, {}
        margin, patience = config.eval.margin, config.module.symmetry_evidence
        unclear: list[tuple[Slot, Standing, Standing]] = []
        for row, found in contests.items():
            slot = slots[row]
            assert slot is not None
            assert self.settler is not None
            slot.places = []
            best, *others = self._ranked(slot, found)
            may_end = self._may_end(slot)
            verdict = Verdict("match", found.module, replace(found.report, object=best.object))
            contested = not self._is_clear(slot, row, best, others)
            doubtful = found.doubtful and not best.fits
            if contested or doubtful:
                slot.contested += SETTLED_EVERY if may_end else 0
                if self.has_failed(slot) and contested and not found.doubtful:
                    decided[row] = replace(verdict, ending="mlh")
                else:
                    unclear.append((slot, best, others[0] if contested else best))
                continue
            slot.contested = 0
            if best.found.margin(OTHER_POSE) < margin:
                symmetric = self.settler.is_symmetric(best, margin)
                slot.standings[best.object] = replace(best, symmetric=symmetric)
                if not symmetric and best.unclear < patience:
                    unclear.append((slot, best, best))
                    continue
            if may_end:
                # what was felt lies nearer to the noise of one model than to that of its twin
                told = [other for other in others if other.cost < np.inf]
                one = any(self.settler.are_one(best, other) for other in told)
                decided[row] = replace(verdict, ending="mlh") if one else verdict
        if config.policy.hypothesis_testing:
            self._wish(unclear)
        return decided

    def _is_clear(self, slot: Slot, row: int, best: Standing, others: Sequence[Standing]) -> bool:
        """Whether what was felt tells the best object from all others, the next best first: by a margin, and
        by so many standard errors, for where much was felt, models differ by what they lack, too."""
        assert self.settler is not None
        rivals = [other for other in others if other.cost < np.inf]
        if not rivals:
            return True
        if rivals[0].cost - best.cost < self.config.eval.margin:
            return False
        asked = row, slot.since, self.settler.sensors
        felt = self.diary.of(*asked), self.diary.steps_of(*asked), self.diary.free(*asked)
        return all(self.settler.standard_errors(best, other, *felt) >= CLEAR for other in rivals)

    def _wish(self, unclear: Sequence[tuple[Slot, Standing, Standing]]) -> None:
        """Ask for looks at the places where the two best objects or poses of these rows differ."""
        if not unclear or self.settler is None:
            return
        slots, best, others = zip(*unclear)
        # a place that was looked at is not looked at again: what a model has wrong there would count twice
        seen = [slot.looked for slot in slots]
        for slot, places in zip(slots, in_threads(self.settler.places_to_look, best, others, seen)):
            slot.places = places
        self.laps.lap("look")

    def look(self, slots: Slots) -> None:
        """Send the agents of these rows to the next of the places that they are to look at."""
        if not isinstance(self.mind, TellsHypotheses):
            return
        for row, slot in enumerate(slots):
            if slot is not None and slot.places:
                place = slot.places.pop(0)
                slot.looked.append(place[0])
                self.mind.wish(row, *place)

    def settle(
        self, slots: Slots, asked: Mapping[int, Contest], thought: Thought, search: bool | None = None
    ) -> None:
        """Lay what was felt so far on the models of all objects in question; kept with the slots. search: as
        for `Settler.settle`."""
        if self.settler is None or not asked:
            return
        self.laps.lap("judge")
        for _, slot, standing in self._laid(slots, asked, thought, search):
            slot.standings[standing.object] = standing
        self.laps.lap("settle")

    def _laid(
        self, slots: Slots, asked: Mapping[int, Contest], thought: Thought, search: bool | None
    ) -> list[tuple[int, Slot, Standing]]:
        """How the objects in question stand after all that was felt, with their rows and slots."""
        assert self.settler is not None
        began = time.perf_counter()
        claims = self._claims(slots, asked, thought, search is not False)
        standings = self.settler.settle([claim for _, _, claim in claims], self.config.eval.margin, search)
        seconds = (time.perf_counter() - began) / len(claims)
        for _, slot, _ in claims:
            slot.seconds_modules += seconds
        return [(row, slot, standing) for (row, slot, _), standing in zip(claims, standings, strict=True)]

    def _claims(
        self, slots: Slots, asked: Mapping[int, Contest], thought: Thought, anew: bool
    ) -> list[tuple[int, Slot, Claim]]:
        """What is to be laid under what was felt, object by object."""
        assert self.settler is not None
        held = self._held(slots, asked, thought, anew)
        self.laps.lap("hypotheses")
        sensors = self.settler.sensors
        claims: list[tuple[int, Slot, Claim]] = []
        for row, found in asked.items():
            slot, anchor = slots[row], thought.sensed[row, found.module]
            assert slot is not None
            felt = self.diary.of(row, slot.since, sensors)
            free = self.diary.free(row, slot.since, sensors)
            for name in found.objects:
                report = found.report if name == found.report.object else None
                given = Claim(
                    name, report, felt, free, anchor, held.get((row, name), _NO_POSE), slot.matched,
                    slot.standings.get(name),
                )  # fmt: skip
                claims.append((row, slot, given))
        return claims

    def _held(
        self, slots: Slots, asked: Mapping[int, Contest], thought: Thought, anew: bool
    ) -> dict[tuple[int, str], Floats]:
        """The poses (K, 12) of the strongest hypotheses that all modules have of the objects in question, by
        row and object: one module may have given up what another still holds. Of those that something was
        laid on before only where they are to be asked anew: where that is at a wrong place no turn of it is
        right, and hypotheses that were made since then may be."""
        assert isinstance(self.mind, TellsHypotheses)
        fresh: list[tuple[int, str]] = []
        for row, found in asked.items():
            slot = slots[row]
            assert slot is not None
            known = {name for name, each in slot.standings.items() if each.fits or not found.doubtful}
            fresh += [(row, name) for name in found.objects if anew or name not in known]
        modules = range(levels.below(self.config), len(thought.results))
        most = BEGINNING // len(modules)
        if not fresh:
            return {}
        rows = np.array([row for row, _ in fresh])
        told = list[list[Floats]]()
        for module in modules:
            held = self.mind.strongest(module, fresh, most)
            turns, places = [each.rotations for each in held], [each.locations for each in held]
            told.append(packed_each(turns, thought.sensed[rows, module], places))
        return dict(zip(fresh, told[0] if len(told) == 1 else map(_in_turns, *told), strict=True))

    def undecided(self, slot: Slot, verdict: Verdict, thought: Thought, row: int) -> Floats | None:
        """(H, 3, 3) the rotations that are still possible where a symmetry was found: those that explain as
        much as the best, or those of the module's hypotheses; None where none was found."""
        report, module, settings = verdict.report, verdict.module, self.config.module
        if report is None or verdict.ending != "match" or not isinstance(self.mind, TellsHypotheses):
            return None
        possible = np.zeros((0, 3, 3))
        standing = slot.standings.get(report.object)
        if standing is not None and (standing.symmetric or standing.unclear >= settings.symmetry_evidence):
            possible = self._alike(slot, standing, row)
        elif int(thought.results[module].symmetry[row]) >= settings.symmetry_evidence:
            held = self.mind.held(row, module, report.object)
            top = held.evidence.max(initial=0.0)
            possible = held.rotations[held.evidence > top - top / 100.0 * settings.x_percent_threshold]
        return possible

    def _alike(self, slot: Slot, standing: Standing, row: int) -> Floats:
        """(K, 3, 3) the rotations that nothing of what was felt tells from the best."""
        assert self.settler is not None
        felt = self.diary.of(row, slot.since, self.settler.sensors)
        free = self.diary.free(row, slot.since, self.settler.sensors)
        return self.settler.alike(standing, felt, free, self.config.eval.margin)


def _in_turns(*given: Floats) -> Floats:
    """The first of each, then the second of each."""
    order = np.argsort(np.concatenate([np.arange(len(each)) for each in given]), kind="stable")
    return np.concatenate(given)[order]


def settled(slot: Slot, verdict: Verdict, anchor: Floats) -> Verdict:
    """The verdict with the pose that explains best all that was felt. anchor (3,): where hypotheses lie."""
    report = verdict.report
    standing = None if report is None else slot.standings.get(report.object)
    if report is None or standing is None:
        return verdict
    return replace(verdict, report=standing.report(report, anchor))


def _few(found: Contest) -> tuple[str, ...]:
    """The objects that modules hold for possible; that of the report alone where these are too many."""
    return found.objects if len(found.objects) <= MOST_OBJECTS else (found.report.object,)


def _best(found: Contest, laid: Sequence[Standing], near: float, slot: Slot | None) -> tuple[str, ...]:
    """The few possible objects, and as many as there is room for of those that cost least, and at most so
    much more than the best; where the best does not fit, the best and those that nothing was laid on yet."""
    assert slot is not None
    kept = set(_few(found))
    best, *others = sorted(laid, key=lambda each: (each.cost, each.object))
    others = [each for each in others if each.cost < (best.cost + near if best.fits else np.inf)]
    if not best.fits:
        others.sort(key=lambda each: each.object in slot.standings)
    for each in (best, *others):
        if len(kept) < MOST_OBJECTS:
            kept.add(each.object)
    return tuple(sorted(kept))


def _is_searched(slot: Slot | None, name: str) -> bool:
    """Whether all turns of an object were tried with all that was felt so far."""
    assert slot is not None
    return slot.standings[name].searched == slot.standings[name].steps
