"""A cortex as an experiment sees it: looks go in, beliefs and movements come out.

In: a config and what the modules know. Out: a `Mind` for the recogniser. The cortex itself
(`saccade.cortex.step`) is pure and knows no episodes; here its state is kept from step to step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.cortex.backend import make_backend
from saccade.cortex.group import make_groups
from saccade.cortex.module import EvidenceModule
from saccade.cortex.motor import Policy
from saccade.cortex.step import Cortex, StepReport, StepSettings, StepState
from saccade.experiment import build
from saccade.experiment.config import ExperimentConfig
from saccade.experiment.memory import Memory
from saccade.experiment.recognise import Thought
from saccade.runtime.device import Device
from saccade.world.protocol import Observation

Bools = npt.NDArray[np.bool_]


def make_modules(config: ExperimentConfig, memory: Memory, channels: Sequence[str]) -> list[EvidenceModule]:
    """One module per sensor."""
    settings = build.evidence_settings(config)
    return [
        EvidenceModule(f"module_{number}", [channel], settings, list(models.values()))
        for number, (channel, models) in enumerate(zip(channels, memory.modules, strict=True))
    ]


def voting_of(config: ExperimentConfig, names: Sequence[str]) -> dict[str, list[str]]:
    """Everyone hears everyone else, unless votes are off."""
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
        names = [module.name for module in modules]
        device = Device.default if config.device == "auto" else config.device
        voting = voting_of(config, names)
        backend = make_backend(config.backend, rows, device, voting, make_groups(modules))
        settings = StepSettings(
            seed=config.seed,
            sensor=build.sensor_settings(config),
            change=build.change_thresholds(config),
            noise=build.noise_settings(config),
            goals=build.goal_settings(config),
        )
        chosen = build.recognising_policy(config) if policy is None else policy
        self.cortex: Cortex[Any] = Cortex(modules, channels, chosen, backend, settings)
        self.state: StepState[Any] = self.cortex.start(np.zeros(rows, np.int64))
        self.report: StepReport | None = None
        self._sensed = np.zeros((rows, len(modules), 3))

    def reset(self, rows: Bools, episodes: npt.NDArray[np.int64]) -> None:
        self.state = self.cortex.reset(self.state, rows, episodes)

    def interrupt(self, rows: Bools) -> None:
        self.state = replace(self.state, motor=self.cortex.policy.interrupt(self.state.motor, rows))

    def think(self, seen: Observation, check: Bools) -> Thought:
        actions, self.state, self.report = self.cortex.step(self.state, seen, check)
        results = [self.report.results[module.name] for module in self.cortex.modules]
        for result in results:
            if result.failure is not None:
                raise result.failure
        # Hypotheses stay where the sensor last felt something while it feels nothing.
        felt = self.report.felt
        self._sensed = np.where(felt.usable[..., None], felt.location, self._sensed)
        processed = np.asarray(np.any([result.processed for result in results], axis=0))
        return Thought(results, actions, self._sensed.copy(), processed)
