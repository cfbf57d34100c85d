"""Monty's evidence learning module on our backend: all objects of a step in one program.

It is chosen by one line, `_target_: saccade.monty.LearningModule`, and takes the arguments of
Monty's `EvidenceGraphLM`; `hypotheses_updater_class` may be Monty's plain or burst updater, whose twin runs.
Two arguments are ours: `device` ("cpu", "cuda", ...) and `dtype` ("float64", Monty's, or "float32").

A matching step has two halves, so that `saccade.monty.Monty` enqueues those of all modules before it waits:

    percepts = lm.stage(messages)                  # short-term memory, messages as percepts
    lm.finish(ctx, messages, sight)                # what follows once the device has answered

Used alone, or in another Monty class, a module steps by itself and votes as Monty's modules do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from tbp.monty.cmp import Message
from tbp.monty.frameworks.models.evidence_matching.burst_sampling import BurstSamplingHypothesesUpdater
from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import DefaultHypothesesUpdater
from tbp.monty.frameworks.models.evidence_matching.learning_module import EvidenceGraphLM
from tbp.monty.frameworks.models.graph_matching import is_location_only_step
from tbp.monty.geometry import Rotation

from saccade.cortex.messages import Percept
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.modules.module import EvidenceModule, EvidenceResult
from saccade.monty.configs.settings import SAME, channel_name, settings_of
from saccade.monty.messages import mean_location, percepts_of
from saccade.monty.mind import Mind, Sight
from saccade.monty.saved.graphs import nodes_of
from saccade.monty.spaces import Spaces


class LearningModule(EvidenceGraphLM):  # type: ignore[misc]  # tbp.monty is not typed for us
    """Accumulates evidence for objects and poses on our backend."""

    def __init__(
        self,
        *,
        hypotheses_updater_class: type = DefaultHypothesesUpdater,
        hypotheses_updater_args: dict[str, Any] | None = None,
        device: str | None = None,
        dtype: str = "float64",
        **arguments: Any,
    ) -> None:
        burst = hypotheses_updater_class is BurstSamplingHypothesesUpdater
        if not burst and hypotheses_updater_class is not DefaultHypothesesUpdater:
            raise ValueError(
                f"saccade.monty.LearningModule has no twin of {hypotheses_updater_class.__name__}: use it "
                "with Monty's own EvidenceGraphLM, or one of DefaultHypothesesUpdater and "
                "BurstSamplingHypothesesUpdater"
            )
        self._spaces, self._mind = Spaces(), Mind(device=device)
        self._module: EvidenceModule | None = None
        self._graphs: tuple[Any, ...] = ()
        self._nodes: dict[int, NodeSet] = {}
        self._begun = False
        super().__init__(
            hypotheses_updater_class=hypotheses_updater_class,
            hypotheses_updater_args=hypotheses_updater_args,
            **arguments,
        )
        self.device = device
        given = {name: getattr(self, name) for name in (*SAME, "evidence_threshold_config")}
        self.settings = settings_of(
            given, self.tolerances, self.feature_weights, dict(hypotheses_updater_args or {}), burst, dtype
        )

    def __getstate__(self) -> dict[str, Any]:
        """What a copy is made of, as Monty keeps modules in the config that it saves: what the module knows.
        What lies on the device is left out, so that a copy begins an episode before its next step."""
        kept = {name: value for name, value in vars(self).items() if name != "_result"}
        return {**kept, "_spaces": Spaces(), "_module": None, "_graphs": (), "_nodes": {}, "_begun": False}

    # --- what Monty's methods find in `_hypotheses`

    @property
    def _hypotheses(self) -> Spaces:
        return self._spaces

    @_hypotheses.setter
    def _hypotheses(self, spaces: Any) -> None:
        """Monty forgets hypotheses by setting an empty dict."""
        if len(spaces):
            raise ValueError("hypotheses live on the device; only an empty dict can be set")
        self._spaces, self._begun = Spaces(), False

    # --- what it knows

    def module(self) -> EvidenceModule:
        """Its settings and models for the cortex; another one only when Monty's memory has changed."""
        models = self.graph_memory.models_in_memory
        graphs = tuple(
            (name, channel, graph._graph)
            for name, channels in models.items()
            for channel, graph in channels.items()
        )
        same = len(graphs) == len(self._graphs) and all(
            (a, b) == (c, d) and g is h for (a, b, g), (c, d, h) in zip(graphs, self._graphs, strict=True)
        )
        if self._module is None or not same:
            names = {channel: channel_name(c) for c, channel in enumerate(self.tolerances)}
            known = [
                ObjectModel(
                    name,
                    {
                        names[c]: self._nodes_of(graph._graph, f"model {name!r}, channel {c!r}")
                        for c, graph in channels.items()
                        if c in names
                    },
                )
                for name, channels in models.items()
            ]
            self._graphs = graphs
            used = {id(graph) for *_, graph in graphs}
            self._nodes = {key: nodes for key, nodes in self._nodes.items() if key in used}
            self._module = EvidenceModule(self.learning_module_id, list(names.values()), self.settings, known)
        return self._module

    def _nodes_of(self, graph: Any, where: str) -> NodeSet:
        if id(graph) not in self._nodes:
            self._nodes[id(graph)] = nodes_of(graph.pos, graph.x, graph.feature_mapping, where)
        return self._nodes[id(graph)]

    # --- a step

    def join(self, mind: Mind) -> None:
        """Take part in the steps of a mind, which has begun an episode."""
        self._mind, self._begun = mind, True

    def matching_step(self, ctx: Any, percepts: Sequence[Message]) -> None:
        self.finish(ctx, percepts, self.step_alone(self.stage(percepts)))

    def step_alone(self, felt: Sequence[Percept]) -> Sight | None:
        """The step of this module without others; None if there is nothing to know or to feel."""
        if not felt or not self.knows_anything:
            return None
        if not self._begun:
            self._mind.begin([self.module()])
            self._begun = True
        self.write_back()
        self._mind.dispatch({self.learning_module_id: felt})
        return self._mind.gather()[self.learning_module_id]

    @property
    def knows_anything(self) -> bool:
        return len(self.graph_memory) > 0

    def write_back(self) -> None:
        """What Monty wrote into hypotheses, to the device."""
        self._spaces.write_back(self._mind, self.learning_module_id)

    def stage(self, percepts: Sequence[Message]) -> list[Percept]:
        """Put messages into short-term memory; the same as percepts, none where nothing can be moved."""
        moved_only = is_location_only_step(percepts)
        if moved_only and self.buffer.last_location is None:
            return []
        felt = percepts_of(percepts, self.tolerances)
        if moved_only:
            self.buffer.last_location = mean_location(percepts)
        else:
            self.buffer.append(self._add_displacements(percepts))
            self.buffer.append_input_percepts(percepts)
        return felt

    def finish(self, ctx: Any, percepts: Sequence[Message], sight: Sight | None) -> None:
        """What follows when the step was computed."""
        if is_location_only_step(percepts):
            if sight is not None and self._spaces:
                self._result = sight.before
                self._spaces.renew(self._mind, sight.before)
                best = sight.before.best[0]
                if best is not None:
                    self.current_mlh["location"] = best.location
            return
        self.previous_mlh = self.current_mlh
        self._take(None if sight is None else sight.before)
        if not self.get_possible_matches():
            self.set_individual_ts(terminal_state="no_match")
        if self.gsg is not None:
            self.gsg.step(ctx, [p for p in percepts if p.process_features_in_lm])
        self.buffer.update_stats(self.collect_stats_to_save(), append=self.has_detailed_logger)

    def take_votes(self, sight: Sight) -> None:
        """Believe what is left after votes."""
        if self.buffer.get_num_observations_on_object() > 0 and sight.after is not None:
            self._take(sight.after, after_votes=True)

    def _take(self, result: EvidenceResult | None, after_votes: bool = False) -> None:
        if result is not None:
            self._spaces.renew(self._mind, result)
            self._result = result
            if not after_votes:
                errors = zip(result.objects, result.prediction_error[0].tolist(), strict=True)
                self.hypotheses_updater_telemetry = {
                    name: {} if np.isnan(error) else {"mlh_prediction_error": error} for name, error in errors
                }
        self.possible_matches = self._threshold_possible_matches()
        self.current_mlh = self._calculate_most_likely_hypothesis()

    def _displace_hypotheses(self, percepts: Sequence[Message]) -> None:
        self.finish(None, percepts, self.step_alone(self.stage(percepts)))

    # --- answers from the report of the step

    def evidence_for_each_graph(self) -> tuple[list[str], Any]:
        if not self._spaces:
            return ["patch_off_object"], np.array([0])
        return self._spaces.largest()

    def _get_current_mlh(self) -> dict[str, Any]:
        return self.current_mlh

    def _calculate_most_likely_hypothesis(self, graph_id: str | None = None) -> dict[str, Any]:
        best = self._result.best[0] if self._spaces and graph_id is None else None
        if best is None or self._spaces.rewritten:
            found: dict[str, Any] = super()._calculate_most_likely_hypothesis(graph_id)
            return found
        return {
            "graph_id": best.object,
            "mlh_id": best.id,
            "location": best.location,
            "rotation": Rotation.from_matrix(best.rotation),
            "scale": self.get_object_scale(best.object),
            "evidence": best.evidence,
        }
