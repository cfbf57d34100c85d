"""Monty's messages as percepts, without tbp.monty.

A message of a sensor has a location; one of a learning module has none and is felt where the sensors are, so
that it does not change their mean. Where the mean is, is what Monty displaces hypotheses by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.cortex.messages import Percept
from saccade.monty.configs.settings import channel_name


def mean_location(messages: Sequence[Any]) -> npt.NDArray[np.float64]:
    """(3,) where the sensors are."""
    located = [np.asarray(m.location, np.float64) for m in messages if m.location is not None]
    if not located:
        raise ValueError(
            f"none of the messages from {[m.sender_id for m in messages]} has a location: a learning module "
            "needs a sensor module beside others"
        )
    return np.asarray(np.mean(np.stack(located), axis=0))


def percepts_of(messages: Sequence[Any], tolerances: Mapping[str, Mapping[str, Any]]) -> list[Percept]:
    """One percept a message, in the same order; channels are numbered as in the tolerances."""
    centre = mean_location(messages)
    names = list(tolerances)
    return [_percept(message, names, tolerances, centre) for message in messages]


def _percept(message: Any, names: Sequence[str], tolerances: Mapping[str, Any], centre: Any) -> Percept:
    if message.sender_id not in names:
        raise ValueError(
            f"a message from {message.sender_id!r}, for which the learning module has no tolerances; it has "
            f"them for {list(names)}"
        )
    channel = channel_name(names.index(message.sender_id))
    location = centre if message.location is None else message.location
    if not message.process_features_in_lm:
        return Percept(location=location, sender=channel, moved_only=True)
    shape = message.morphological_features
    felt = {**(message.non_morphological_features or {}), **shape}
    wanted = {
        name: felt[name]
        for name in tolerances[message.sender_id]
        if name in felt and name not in ("pose_vectors", "pose_fully_defined")
    }
    vectors = shape["pose_vectors"]
    return Percept(
        location=location,
        pose_vectors=getattr(vectors, "value", vectors),
        features=wanted,
        pose_fully_defined=bool(shape["pose_fully_defined"]),
        sender=channel,
        on_object=bool(shape.get("on_object", True)),
    )
