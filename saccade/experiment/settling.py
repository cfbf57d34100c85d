"""The pose that is reported: not that of the strongest hypothesis, but that which explains best all that was
felt in the episode.

In: what all sensors of a row felt, the report of a module, and the hypotheses it holds. Out: the report with
a pose laid on the model by `saccade.cortex.settle`. It names the same object and has the same evidence.

Episodes whose objects are exchanged unannounced are left as they are, for nobody knows which percepts are of
which object; and so are pictures, which have no shape, and wholes, whose models are made of parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from saccade.cortex.model import Observations
from saccade.cortex.results import Pose as Hypothesis
from saccade.cortex.settle import ModelSurface, Placed, settle
from saccade.experiment.config import ExperimentConfig
from saccade.experiment.memory import Memory
from saccade.experiment.thought import Held
from saccade.reproducible import apply

#: hypotheses that are poses to begin with, the strongest
BEGINNING = 200


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
        report: Hypothesis,
        anchor: npt.NDArray[np.float64],
        held: Held,
    ) -> Hypothesis:
        """The report with the pose that fits best. anchor (3,): where in the world hypotheses lie."""
        surface, beginning = self.surface(module, report.object), self._beginning(report, anchor, held)
        best = settle(felt, surface, beginning).poses[0]
        location = apply(best.rotation, anchor) + best.shift
        return replace(report, rotation=best.rotation, location=location)

    @staticmethod
    def _beginning(report: Hypothesis, anchor: npt.NDArray[np.float64], held: Held) -> Sequence[Placed]:
        some = held.strongest(BEGINNING)
        poses = [(report.rotation, report.location), *zip(some.rotations, some.locations)]
        return [Placed.of(rotation, anchor, location) for rotation, location in poses]
