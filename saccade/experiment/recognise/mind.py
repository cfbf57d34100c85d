"""A cortex as an experiment sees it: looks go in, beliefs and movements come out.

In: a config and what the modules know. Out: a `Mind` for the recogniser. The cortex itself
(`saccade.cortex.step`) is pure and knows no episodes; here its state is kept from step to step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade import extend
from saccade.cortex.goals.goals import GoalBatch
from saccade.cortex.laps import Laps
from saccade.cortex.modules.backend import make_backend
from saccade.cortex.modules.displacement_module import DisplacementModule
from saccade.cortex.modules.group import make_groups
from saccade.cortex.modules.module import EvidenceModule, LearningModule
from saccade.cortex.motor import Policy
from saccade.cortex.rows import take_rows
from saccade.cortex.step import Cortex, StepReport, StepSettings, StepState
from saccade.experiment.config.probe import device_of
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine import build, levels
from saccade.experiment.engine.memory import Memory
from saccade.experiment.recognise.thought import Held, Thought
from saccade.world.protocol import Observation

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


def make_modules(config: ExperimentConfig, memory: Memory, channels: Sequence[str]) -> list[LearningModule]:
    """One module per sensor, and one on each level above them."""
    modules: list[LearningModule] = []
    names, kinds = levels.lower_names(config), config.module.each_kind
    for name, kind, channel, known in zip(names, kinds, channels, memory.modules):
        models = list(known.values())
        if extend.is_own("learning_module", kind):
            modules.append(extend.made("learning_module", kind, name, [channel], models, config))
        elif kind == "displacement":
            modules.append(DisplacementModule(name, [channel], build.displacement_settings(config), models))
        else:
            modules.append(EvidenceModule(name, [channel], build.evidence_settings(config), models))
    for level in range(2, config.module.levels + 1):
        number, heard = levels.upper_number(config, level), levels.heard_by(config, level)
        settings = levels.upper_settings(heard, build.evidence_settings(config))
        models = list(memory.modules[number].values())
        modules.append(EvidenceModule(f"module_{number}", [channels[0], *heard], settings, models))
    return modules


def voting_of(config: ExperimentConfig) -> dict[str, list[str]]:
    """Everyone with a sensor hears everyone else of those that can vote, unless votes are off."""
    every = zip(levels.lower_names(config), config.module.each_kind, strict=True)
    names = [name for name, kind in every if kind == "evidence"]
    if config.module.vote == "off" or len(names) < 2:
        return {}
    return {name: [other for other in names if other != name] for name in names}


class CortexMind:
    """Implements `Mind` with a cortex of `rows` rows."""

    def __init__(
        self,
        config: ExperimentConfig,
        memory: Memory,
        channels: Sequence[str],
        rows: int,
        policy: Policy[Any] | None = None,
    ) -> None:
        self.rows = rows
        modules = make_modules(config, memory, channels)
        device = device_of(config)
        voting = voting_of(config)
        self._votes = bool(voting)
        backend = make_backend(config.backend, rows, device, voting, make_groups(modules))
        settings = StepSettings(
            seed=config.seed,
            sensor=build.sensor_settings(config),
            sense=build.sensing(config),
            change=build.change_thresholds(config),
            noise=build.noise_settings(config),
            goals=build.goal_settings(config),
            resident_goals=build.stays_on_device(config, rows),
            asking=(modules[-1].name,) if config.module.levels > 1 else (),
        )
        chosen = build.acting_policy(config, rows) if policy is None else policy
        self.cortex: Cortex[Any] = Cortex(modules, channels, chosen, backend, settings)
        self.state: StepState[Any] = self.cortex.start(np.zeros(rows, np.int64))
        self.report: StepReport | None = None
        # The modules above sit over the first sensor.
        self._sensors = np.array([*range(len(channels)), *[0] * (len(modules) - len(channels))])
        self._below = levels.below(config)
        self._checks_always = config.module.levels > 1
        self._sensed = np.zeros((rows, len(modules), 3))
        self._wish = GoalBatch.none(rows)

    def rehearsals(self) -> list[Callable[[], None]]:
        """Calls that make the programs of steps while there is time, where banks can: those that hear each
        other have others."""
        return [] if self._votes else self.cortex.rehearsals(self.rows)

    def reset(self, rows: Bools, episodes: npt.NDArray[np.int64]) -> None:
        self.state = self.cortex.reset(self.state, rows, episodes)

    def rest(self, rows: Bools) -> None:
        self.reset(rows, np.zeros(self.rows, np.int64))

    @property
    def laps(self) -> Laps:
        return self.cortex.laps

    @property
    def programs(self) -> int:
        """How many programs the modules have made so far."""
        banks = [seat.bank for seat in self.cortex.backend.seats(self.cortex.groups)]
        return sum(getattr(bank, "compilations", 0) for bank in banks)

    def interrupt(self, rows: Bools) -> None:
        self.state = replace(self.state, motor=self.cortex.policy.interrupt(self.state.motor, rows))

    def keep(self, rows: npt.NDArray[np.int64]) -> None:
        self.state = self.cortex.keep(self.state, rows)
        self._sensed, self.rows = self._sensed[rows], len(rows)
        self._wish = take_rows(self._wish, rows)

    def wish(self, row: int, location: Floats, normal: Floats) -> None:
        """Look at this place (3,) of the world, with its normal (3,), at the next step if policies jump."""
        wish = self._wish
        wish.location[row], wish.normal[row], wish.confidence[row], wish.active[row] = (
            location,
            normal,
            1,
            True,
        )

    def held(self, row: int, module: int, name: str) -> Held:
        """All hypotheses that a module of a row has of an object. Waits for the device."""
        source = self.cortex.source(self.cortex.modules[module])
        names = [] if source is None else [model.name for model in source.models]
        if source is None or name not in names:
            return Held(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3)))
        return Held(*source.hypotheses(row, names.index(name)))

    def strongest(self, module: int, wanted: Sequence[tuple[int, str]], most: int) -> list[Held]:
        """At most so many of the hypotheses that a module has of the object of each row, the strongest. Waits
        for the device once."""
        source = self.cortex.source(self.cortex.modules[module])
        known = set() if source is None else {model.name for model in source.models}
        asked = [each for each in wanted if each[1] in known]
        found = iter(source.strongest(asked, most) if source is not None and asked else [])
        nothing = Held(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3)))
        return [Held(*next(found)) if name in known else nothing for _, name in wanted]

    def think(self, seen: Observation, check: Bools) -> Thought:
        # A part is sent up when a check finds it settled, which may be at any step.
        asked = np.ones_like(check) if self._checks_always else check
        actions, self.state, self.report = self.cortex.step(self.state, seen, asked, self._wish)
        self._wish = GoalBatch.none(self.rows)
        results = [self.report.results[module.name] for module in self.cortex.modules]
        # one that failed says nothing on this step; where nobody is left to be judged, nothing can go on
        judged = results[self._below :]
        failures = [result.failure for result in judged if result.failure is not None]
        if len(failures) == len(judged):
            raise failures[0]
        # Hypotheses stay where the sensor last felt something while it feels nothing.
        felt, sensors = self.report.felt, self._sensors
        usable, location = felt.usable[:, sensors], felt.location[:, sensors]
        self._sensed = np.where(usable[..., None], location, self._sensed)
        processed = np.asarray(np.any([result.processed for result in results], axis=0))
        return Thought(results, actions, self._sensed.copy(), processed, felt, self.report.goal)
