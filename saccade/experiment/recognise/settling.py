"""The pose that is reported: not that of the strongest hypothesis, but that which explains best all that was
felt in the episode.

In: what all sensors of a row felt, the report of a module, and the hypotheses it holds (`Claim`). Out: the
report with a pose laid on the model by `saccade.cortex.fitting.settle` (`Standing`). It names the same object
and has the same evidence. The claims of a step are settled by all threads of the host.

With `eval.margin` an episode may end by it (`standings`). Where every other pose explains what was felt worse
by that much, the pose is clear; where several poses stay as good as each other for `module.symmetry_evidence`
steps, nothing tells them apart, which is a symmetry.

Episodes whose objects are exchanged unannounced are left as they are, for nobody knows which percepts are of
which object; and so are pictures, which have no shape, and wholes, whose models are made of parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Protocol

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.results import Pose as Hypothesis
from saccade.cortex.comparing.misfit import fitted
from saccade.cortex.comparing.overlap import Overlap
from saccade.cortex.fitting.fitter import Fitter, HostFitter
from saccade.cortex.fitting.fitter_device import fitter_for
from saccade.cortex.fitting.settle import Claim as Question
from saccade.cortex.fitting.settle import Placed, Settled, alike, packed, settle, settle_all
from saccade.cortex.fitting.surface import MOST, ModelSurface
from saccade.cortex.fitting.telling import Place, are_alike, is_own_symmetry, telling
from saccade.cortex.models.model import NodeSet, Observations
from saccade.experiment.config.probe import device_of
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.memory import Memory
from saccade.reproducible import apply, matmul, total
from saccade.reproducible.threads import in_threads

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

#: hypotheses that are poses to begin with, the strongest
BEGINNING = 200
#: radians by which a pose is another one
OTHER_POSE = 0.35
#: what a percept may cost on average in a pose that explains what was felt
FITS = 4.0
#: places to look at that are told at once
PLACES = 3


@dataclass(frozen=True)
class Claim:
    """An object that is to be laid under what was felt after so many steps, percepts (P, 9), and where
    nothing was, lines of sight free (Q, 8). anchor (3,): where in the world the report's location lies. Poses
    to begin with: a report of the object, the modules' strongest hypotheses, poses (K, 12), and what was
    found some steps ago."""

    object: str
    report: Hypothesis | None
    percepts: Floats
    free: Floats
    anchor: Floats
    held: Floats
    steps: int
    before: Standing | None = None

    @property
    def is_due(self) -> bool:
        """Whether all turns are to be tried: nothing was found before, or as much was felt again by half."""
        return self.before is None or 2 * self.steps >= 3 * self.before.searched

    def beginning(self) -> Floats:
        """(K, 12) the poses to begin with; those found before are where there are no others."""
        given = self.held
        if self.report is not None:
            report = packed(self.report.rotation[None], self.anchor, self.report.location[None])
            given = np.concatenate([report, given])
        return self.before.found.packed if not len(given) and self.before is not None else given


class Settles(Protocol):
    """What lays objects under what the first `sensors` sensors of a row felt. reach: metres within which a
    model point counts."""

    reach: float
    sensors: int

    def settle(
        self, claims: Sequence[Claim], margin: float, search: bool | None = None
    ) -> list[Standing]: ...

    def alike(self, standing: Standing, percepts: Floats, free: Floats, margin: float) -> Floats: ...

    def places_to_look(self, best: Standing, other: Standing, seen: Sequence[Floats]) -> list[Place]: ...

    def is_symmetric(self, standing: Standing, margin: float) -> bool: ...

    def are_one(self, best: Standing, other: Standing) -> bool: ...

    def standard_errors(
        self, best: Standing, other: Standing, percepts: Floats, steps: Indices, free: Floats
    ) -> float: ...


@dataclass
class Settler:
    """Models by name, prepared when they are first asked for. Implements `Settles`.

    What all sensors felt is laid on what all modules know. A sensor beside the middle one misses much of what
    is thin: a quarter of a knife was missing in the model of one module, and nothing in those of five.
    """

    memory: Memory
    reach: float
    sensors: int
    fitter: Fitter = field(default_factory=HostFitter)
    prepared: dict[str, ModelSurface] = field(default_factory=dict)
    #: what two models of one object have in common at least, and how far they are apart at most (`misfit`)
    overlap: float = 0.7
    misfit: float = 1.2
    compared: dict[tuple[str, str], bool] = field(default_factory=dict)

    @staticmethod
    def of(
        config: ExperimentConfig, memory: Memory, surfaces: Mapping[str, ModelSurface] | None = None
    ) -> Settler | None:
        """The settler of a config, None where poses are reported as they are. surfaces: those that are made
        already (`surfaces_of`)."""
        if not settles(config):
            return None
        fitter, prepared = fitter_for(device_of(config)), dict(surfaces or {})
        fitter.know(list(prepared.values()))
        module, train = config.module, config.train
        return Settler(
            memory, module.match_distance, module.count, fitter, prepared, train.overlap, train.misfit
        )

    def _prepare(self, claims: Sequence[Claim]) -> None:
        """Prepare the models of these claims that nobody asked for yet, or all, where that is better."""
        asked = dict.fromkeys(claim.object for claim in claims)  # in this order in every run
        if self.fitter.whole and not self.prepared:
            asked |= dict.fromkeys(name for models in self.memory.modules for name in models)
        made = surfaces_of(self.memory, [name for name in asked if name not in self.prepared], self.reach)
        self.prepared.update(made)
        self.fitter.know(list(made.values()))

    def surface(self, name: str) -> ModelSurface:
        """What modules know of an object, to lay percepts on."""
        if name not in self.prepared:
            self.prepared.update(surfaces_of(self.memory, [name], self.reach))
        return self.prepared[name]

    def settle(self, claims: Sequence[Claim], margin: float, search: bool | None = None) -> list[Standing]:
        """What was felt so far says about the pose of each claim. search: whether turns of the poses to begin
        with are tried, by default where it is due."""
        self._prepare(claims)
        turns = [claim.is_due if search is None else search for claim in claims]
        questions = [
            Question(
                claim.percepts,
                self.prepared[claim.object],
                claim.beginning(),
                None if claim.before is None else claim.before.found,
                claim.free,
                turned,
            )
            for claim, turned in zip(claims, turns, strict=True)
        ]
        found = settle_all(questions, self.fitter)
        return [_standing(*each, margin) for each in zip(claims, found, turns, strict=True)]

    def alike(self, standing: Standing, percepts: Floats, free: Floats, margin: float) -> Floats:
        """(K, 3, 3) the rotations in which an object explains what was felt as well as in its best pose."""
        return alike(percepts, self.prepared[standing.object], standing.found, margin, free)

    def places_to_look(self, best: Standing, other: Standing, seen: Sequence[Floats]) -> list[Place]:
        """At most `PLACES` places and normals, in the world, where two objects in their best poses differ
        most, or the best pose of one and its rivals; not near those that were `seen` (3,)."""
        rivals = best.found.rivals(OTHER_POSE) if other is best else other.found.poses[:1]
        if not best.found.poses:
            return []
        first, found = (self.prepared[best.object], best.found.poses[0]), list[Place]()
        wanted = -(-PLACES // max(len(rivals), 1))
        for rival in rivals[:PLACES]:
            avoided = [*seen, *(place for place, _ in found)]
            found += telling(first, (self.prepared[other.object], rival), wanted, avoided)
        return found[:PLACES]

    def is_symmetric(self, standing: Standing, margin: float) -> bool:
        """Whether every pose of an object that explains what was felt nearly as well as the best is one of
        its model's own symmetries, so that no look can tell them apart."""
        best, surface = standing.found.poses[0], self.prepared[standing.object]
        near = best.cost + margin / max(standing.found.percepts, 1)
        rivals = [rival for rival in standing.found.rivals(OTHER_POSE) if rival.cost < near]
        return all(is_own_symmetry(surface, best, rival) for rival in rivals)

    def are_one(self, best: Standing, other: Standing) -> bool:
        """Whether the models of two objects are samplings of one thing, by the rule by which learning without
        names knows one again: what was felt tells their noise apart, and not the objects."""
        first = self.prepared[best.object], best.found.poses[0]
        theirs = self.prepared[other.object]
        laid = next((each for each in other.found.poses if are_alike(first, (theirs, each))), None)
        if laid is None:
            return False
        names = best.object, other.object
        if names not in self.compared:
            mine, others = (next(filter(len, _known(self.memory, name))) for name in names)
            turn = matmul(laid.rotation, first[1].rotation.T)
            begun = Overlap(turn, laid.shift - apply(turn, first[1].shift), 1.0)
            fit = fitted(Observations.of(mine), others, begun, self.reach)
            self.compared[names] = fit.lies.share >= self.overlap and fit.misfit <= self.misfit
        return self.compared[names]

    def are_twins(self, name: str, other: str) -> bool:
        """As `are_one` where nothing was felt: what one of the models is of is laid on the other."""
        one, two = self.surface(name), self.surface(other)
        middle_on_middle = np.concatenate([np.eye(3).reshape(9), two.middle - one.middle])
        as_it_is = Settled([Placed(np.eye(3), np.zeros(3))], len(one.some))
        found = settle(one.some, two, middle_on_middle[None])
        return self.are_one(Standing(name, as_it_is, 0), Standing(other, found, 0))

    def standard_errors(
        self, best: Standing, other: Standing, percepts: Floats, steps: Indices, free: Floats
    ) -> float:
        """How much less percepts (P, 9) and lines of sight free (Q, 8) cost on one object than on another, in
        standard errors of that difference, step by step (a paired test). The percepts of a step are one
        sample, steps (P,): several sensors feel one neighbourhood, and what a model has wrong there is the
        same for all of them (standard errors clustered by step)."""
        each, crossed = [], []
        for standing in (other, best):
            surface, pose = self.prepared[standing.object], standing.found.poses[0].packed
            each.append(surface.fine.each(percepts, pose))
            crossed.append(MOST * float(surface.shell.crossed(free, pose[None])[0]))
        gaps, lines = np.bincount(steps, each[0] - each[1]), crossed[0] - crossed[1]
        # a line of sight that is crossed in one of both costs the most
        squares = float(total(gaps**2)) + MOST * abs(lines)
        return (float(total(gaps)) + lines) / sqrt(max(squares, 1e-12))


def settles(config: ExperimentConfig) -> bool:
    """Whether poses are settled before they are reported."""
    held = "evidence" in config.module.each_kind  # by others there are no poses to begin with
    return (
        held
        and config.world.kind != "image"
        and config.eval.settle
        and config.eval.mode in ("reset", "scene")
    )


def surfaces_of(memory: Memory, names: Sequence[str], reach: float) -> dict[str, ModelSurface]:
    """The surfaces of objects that modules know something of."""
    known = {name: _known(memory, name) for name in names}
    there = [name for name in names if any(map(len, known[name]))]
    made = in_threads(lambda name: ModelSurface.of(known[name], reach), there)
    return dict(zip(there, made, strict=True))


def _known(memory: Memory, name: str) -> list[NodeSet]:
    """What the modules know of an object."""
    models = [each[name] for each in memory.modules if name in each]
    return [next(iter(model.channels.values())) for model in models]


@dataclass(frozen=True)
class Standing:
    """What the percepts of an episode have said so far about the pose of an object: the poses that explain
    them, after how many steps, at which of them all turns were tried last, for how many steps no pose was
    clear, and whether those that are as good are a symmetry of its model."""

    object: str
    found: Settled
    steps: int
    searched: int = 0
    unclear: int = 0
    symmetric: bool = False

    @property
    def cost(self) -> float:
        """What all percepts together cost in the best pose; infinity where there is none."""
        return self.found.poses[0].cost * self.found.percepts if self.found.poses else np.inf

    @property
    def fits(self) -> bool:
        """Whether the best pose explains what was felt."""
        return self.cost <= FITS * self.found.percepts

    def report(self, report: Hypothesis, anchor: Floats) -> Hypothesis:
        """A report with the best of the poses."""
        best = self.found.poses[0]
        return replace(report, rotation=best.rotation, location=apply(best.rotation, anchor) + best.shift)

    def followed(self, before: Standing | None, margin: float) -> Standing:
        """This standing after one `before`: counts on while no pose is clear."""
        if before is None or before.object != self.object or self.found.margin(OTHER_POSE) >= margin:
            return self
        return replace(self, unclear=before.unclear + self.steps - before.steps)


def _standing(claim: Claim, found: Settled, turned: bool, margin: float) -> Standing:
    """What was found about a claim, after what was before; turned: whether turns were tried."""
    searched = claim.steps if turned or claim.before is None else claim.before.searched
    return Standing(claim.object, found, claim.steps, searched).followed(claim.before, margin)
