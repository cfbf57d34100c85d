"""The pose that is reported: not that of the strongest hypothesis, but that which explains best all that was
felt in the episode.

In: what all sensors of a row felt, the report of a module, and the hypotheses it holds. Out: the report with
a pose laid on the model by `saccade.cortex.settle`. It names the same object and has the same evidence.

With `eval.margin` an episode may end by it (`deciding`). Where every other pose explains what was felt worse
by that much, the pose is clear; where several poses stay as good as each other for `module.symmetry_evidence`
steps, nothing tells them apart, which is a symmetry.

Episodes whose objects are exchanged unannounced are left as they are, for nobody knows which percepts are of
which object; and so are pictures, which have no shape, and wholes, whose models are made of parts.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from saccade.cortex.model import Observations
from saccade.cortex.results import Pose as Hypothesis
from saccade.cortex.settle import ModelSurface, Placed, Settled, settle, telling
from saccade.experiment.config import ExperimentConfig
from saccade.experiment.memory import Memory
from saccade.experiment.thought import Held
from saccade.reproducible import apply

Floats = npt.NDArray[np.float64]

#: hypotheses that are poses to begin with, the strongest
BEGINNING = 200
#: radians by which a pose is another one
OTHER_POSE = 0.35


@dataclass
class Settler:
    """Models by module and name, prepared when they are first asked for."""

    memory: Memory
    reach: float
    sensors: int
    prepared: dict[tuple[int, str], ModelSurface] = field(default_factory=dict)

    @staticmethod
    def of(config: ExperimentConfig, memory: Memory) -> Settler | None:
        """The settler of a config, None where poses are reported as they are."""
        module, evaluation = config.module, config.eval
        plain = module.kind == "evidence" and module.levels == 1 and config.world.kind != "image"
        if not (plain and evaluation.settle and evaluation.mode == "reset"):
            return None
        return Settler(memory, module.match_distance, module.count)

    def surface(self, module: int, name: str) -> ModelSurface:
        key = module, name
        if key not in self.prepared:
            nodes = next(iter(self.memory.modules[module][name].channels.values()))
            self.prepared[key] = ModelSurface.of(nodes, self.reach)
        return self.prepared[key]

    def settle(
        self,
        felt: Observations,
        module: int,
        name: str,
        anchor: Floats,
        report: Hypothesis | None,
        held: Held | None,
        before: Settled | None = None,
    ) -> Settled:
        """The poses of an object that explain best what was felt. anchor (3,): where in the world hypotheses
        lie. To begin with: a `report` of the object, hypotheses that are `held` of it, and what was found
        `before`, some steps ago."""
        poses = [] if report is None else [(report.rotation, report.location)]
        if held is not None:
            some = held.strongest(BEGINNING)
            poses += zip(some.rotations, some.locations)
        beginning = [Placed.of(rotation, anchor, location) for rotation, location in poses]
        return settle(
            felt, self.surface(module, name), beginning or list(before.poses if before else ()), before
        )

    def place_to_look(self, module: int, standing: Standing) -> tuple[Floats, Floats] | None:
        """The place and normal, in the world, where the two best poses differ most; None if one is left."""
        rival = standing.found.rival(OTHER_POSE)
        if rival is None:
            return None
        return telling(self.surface(module, standing.object), standing.found.poses[0], rival)


@dataclass(frozen=True)
class Standing:
    """What the percepts of an episode have said so far about the pose of an object: the poses that explain
    them, after how many steps, and for how many steps no pose was clear."""

    object: str
    found: Settled
    steps: int
    unclear: int = 0

    @property
    def cost(self) -> float:
        """What all percepts together cost in the best pose; infinity where there is none."""
        return self.found.poses[0].cost * self.found.percepts if self.found.poses else np.inf

    def report(self, report: Hypothesis, anchor: Floats) -> Hypothesis:
        """A report with the best of the poses."""
        best = self.found.poses[0]
        return replace(report, rotation=best.rotation, location=apply(best.rotation, anchor) + best.shift)

    def followed(self, before: Standing | None, margin: float) -> Standing:
        """This standing after one `before`: counts on while no pose is clear."""
        if before is None or before.object != self.object or self.found.margin(OTHER_POSE) >= margin:
            return self
        return replace(self, unclear=before.unclear + self.steps - before.steps)
