"""Monty's own class with another loop over learning modules: enqueue the steps of all, then wait once.

    monty_class: ${monty.class:saccade.monty.Monty}

Modules of ours step together, whatever their number, and vote on the device. Where no module has a goal
generator or a detailed log, which look at hypotheses before the votes, updates and votes are one wait;
otherwise votes are a second one. Other learning modules take their steps as before, one after the other.
"""

from __future__ import annotations

from typing import Any

from tbp.monty.frameworks.models.evidence_matching.model import MontyForEvidenceGraphMatching
from tbp.monty.frameworks.models.graph_matching import is_location_only_step

from saccade.monty.learning_module import LearningModule
from saccade.monty.mind import Mind, Sight


class Monty(MontyForEvidenceGraphMatching):  # type: ignore[misc]  # tbp.monty is not typed for us
    """Monty for evidence modules, whose modules of ours share every step."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        devices = {lm.device for lm in self._ours}
        if len(devices) > 1:
            raise ValueError(f"learning modules of one Monty share a device, and these have {devices}")
        hears: dict[str, list[str]] = {}
        if self._vote_together:
            names = [lm.learning_module_id for lm in self.learning_modules]
            rows = zip(names, self.lm_to_lm_vote_matrix, strict=True)
            hears = {name: [names[j] for j in row] for name, row in rows}
        self._mind = Mind(hears, devices.pop() if devices else None)
        self._mind_begun = False
        self._sights: dict[str, Sight] = {}

    @property
    def _ours(self) -> list[LearningModule]:
        return [lm for lm in self.learning_modules if isinstance(lm, LearningModule)]

    @property
    def _vote_together(self) -> bool:
        """Whether votes are exchanged on the device: they are, if all modules are ours."""
        return self.lm_to_lm_vote_matrix is not None and len(self._ours) == len(self.learning_modules)

    @property
    def _look_before_votes(self) -> bool:
        return any(lm.gsg is not None or lm.has_detailed_logger for lm in self._ours)

    def reset(self) -> None:
        super().reset()
        self._mind_begun = False

    def _step_learning_modules(self, ctx: Any) -> None:
        if self.step_type != "matching_step":
            super()._step_learning_modules(ctx)
            return
        inputs = [self._collect_inputs_to_lm(i) for i in range(len(self.learning_modules))]
        for lm, given in zip(self.learning_modules, inputs, strict=True):
            if given:
                self._set_stepwise_targets(lm, given)
            else:
                lm.stepwise_targets_list.append(lm.stepwise_target_object)
        self._sights = self._step_together(inputs)
        for lm, given in zip(self.learning_modules, inputs, strict=True):
            if given and isinstance(lm, LearningModule):
                lm.finish(ctx, given, self._sights.get(lm.learning_module_id))
            elif given:
                lm.matching_step(ctx, given)
            processed = bool(given) and not is_location_only_step(given)
            lm.add_lm_processing_to_buffer_stats(lm_processed=processed)

    def _step_together(self, inputs: list[list[Any]]) -> dict[str, Sight]:
        """Enqueue the steps of all modules of ours, then wait for them."""
        felt = {
            lm.learning_module_id: lm.stage(given)
            for lm, given in zip(self.learning_modules, inputs, strict=True)
            if given and isinstance(lm, LearningModule)
        }
        percepts = {name: one for name, one in felt.items() if one}
        if not percepts or not all(lm.knows_anything for lm in self._ours):
            return self._step_apart(percepts)
        if not self._mind_begun:
            self._mind.begin([lm.module() for lm in self._ours])
            for lm in self._ours:
                lm.join(self._mind)
            self._mind_begun = True
        for lm in self._ours:
            lm.write_back()
        self._mind.dispatch(percepts)
        if self._vote_together and not self._look_before_votes:
            self._mind.vote()
        return self._mind.gather()

    def _step_apart(self, percepts: dict[str, Any]) -> dict[str, Sight]:
        """While some module knows nothing yet, each steps by itself."""
        sights = {
            lm.learning_module_id: lm.step_alone(percepts.get(lm.learning_module_id, ())) for lm in self._ours
        }
        return {name: sight for name, sight in sights.items() if sight is not None}

    def _vote(self) -> None:
        if not self._vote_together or not self._mind_begun or not self._sights:
            super()._vote()
            return
        sights = self._sights
        if any(sight.after is None for sight in sights.values()):
            self._mind.vote()
            after = self._mind.gather()
            sights = {name: Sight(one.before, after[name].before) for name, one in sights.items()}
        for lm in self.learning_modules:
            lm.take_votes(sights[lm.learning_module_id])
            self.update_stats_after_vote(lm)
