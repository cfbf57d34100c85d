"""Monty's hypotheses updaters with our evidence: the compatible way, one object at a time.

    hypotheses_updater_class: ${monty.class:saccade.monty.HypothesesUpdater}
    hypotheses_updater_class: ${monty.class:saccade.monty.BurstHypothesesUpdater}

for DefaultHypothesesUpdater and for BurstSamplingHypothesesUpdater. They take the same arguments and do the
same; only how much a percept speaks for each hypothesis is computed by our program. Hypotheses stay on the
host, as Monty's learning module, logs and plots want them. The device is the one saccade takes by default
(`SACCADE_DEVICE`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from tbp.monty.frameworks.models.evidence_matching.burst_sampling import BurstSamplingHypothesesUpdater
from tbp.monty.frameworks.models.evidence_matching.feature_evidence.calculator import (
    DefaultFeatureEvidenceCalculator,
)
from tbp.monty.frameworks.models.evidence_matching.features_for_matching.selector import (
    DefaultFeaturesForMatchingSelector,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses_displacer import DefaultHypothesesDisplacer
from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import DefaultHypothesesUpdater

from saccade.cortex.messages import Percept
from saccade.cortex.models.model import ObjectModel
from saccade.cortex.settings import EvidenceSettings
from saccade.monty.configs.settings import evidence_settings
from saccade.monty.object_evidence import KnownObjects
from saccade.monty.saved.graphs import nodes_of


class Displacer(DefaultHypothesesDisplacer):  # type: ignore[misc]  # tbp.monty is not typed for us
    """Moves hypotheses as Monty does, and asks our program what the new locations are worth."""

    def __init__(self, monty: DefaultHypothesesDisplacer, arguments: dict[str, Any]) -> None:
        super().__init__(
            feature_weights=monty.feature_weights,
            graph_memory=monty.graph_memory,
            max_match_distance=monty.max_match_distance,
            max_nneighbors=monty.max_nneighbors,
            past_weight=monty.past_weight,
            present_weight=monty.present_weight,
            feature_evidence_scorer=monty._feature_evidence_scorer,
        )
        self._tolerances = arguments["tolerances"]
        self._increment = arguments.get("feature_evidence_increment", 1)
        self._known: dict[str, tuple[list[Any], KnownObjects]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What a copy is made of: all but tables on the device, which it makes again."""
        return {**vars(self), "_known": {}}

    def _calculate_evidence_for_new_locations(
        self,
        graph_id: str,
        input_channel: str,
        search_locations: Any,
        channel_possible_poses: Any,
        channel_features: dict[str, Any],
    ) -> Any:
        felt = dict(channel_features)
        vectors, defined = felt.pop("pose_vectors"), felt.pop("pose_fully_defined")
        percept = Percept(
            location=np.zeros(3),
            pose_vectors=getattr(vectors, "value", vectors),
            features=felt,
            pose_fully_defined=bool(defined),
            sender=input_channel,
        )
        known = self.known(input_channel)
        return known.evidence(graph_id, 0, search_locations, channel_possible_poses, percept)

    def known(self, channel: str) -> KnownObjects:
        """The objects that have this channel, made again when Monty's memory has changed."""
        models = self.graph_memory.models_in_memory
        graphs = [one[channel]._graph for one in models.values() if channel in one]
        held = self._known.get(channel)
        if held is None or len(held[0]) != len(graphs) or any(a is not b for a, b in zip(held[0], graphs)):
            objects = [
                ObjectModel(name, {channel: nodes_of(g.pos, g.x, g.feature_mapping, f"model {name!r}")})
                for name, one in models.items()
                if channel in one and (g := one[channel]._graph) is not None
            ]
            held = self._known[channel] = (graphs, KnownObjects(objects, [channel], self._settings(channel)))
        return held[1]

    def _settings(self, channel: str) -> EvidenceSettings:
        return evidence_settings(
            self._tolerances[channel],
            self.feature_weights[channel],
            self.max_match_distance,
            self.max_nneighbors,
            self._increment,
        )


def _checked(updater: str, arguments: dict[str, Any]) -> None:
    for name, own in (
        ("feature_evidence_calculator", DefaultFeatureEvidenceCalculator),
        ("features_for_matching_selector", DefaultFeaturesForMatchingSelector),
    ):
        if arguments.get(name, own) is not own:
            raise ValueError(
                f"saccade.monty.{updater} computes evidence as {own.__name__} does and cannot take {name} "
                f"{arguments[name].__name__}: use Monty's own updater with it"
            )


class HypothesesUpdater(DefaultHypothesesUpdater):  # type: ignore[misc]
    """All poses are made at the first percept; afterwards evidence accumulates."""

    def __init__(self, **arguments: Any) -> None:
        _checked("HypothesesUpdater", arguments)
        super().__init__(**arguments)
        self._hypotheses_displacer: Any = Displacer(self._hypotheses_displacer, arguments)


class BurstHypothesesUpdater(BurstSamplingHypothesesUpdater):  # type: ignore[misc]
    """Hypotheses are added in bursts and removed when their evidence does not grow."""

    def __init__(self, **arguments: Any) -> None:
        _checked("BurstHypothesesUpdater", arguments)
        super().__init__(**arguments)
        self._hypotheses_displacer: Any = Displacer(self._hypotheses_displacer, arguments)
