"""saccade inside Monty: parts of tbp.monty that run on our backend, its models, its configs.

One line of a Monty config chooses each part:

    monty_class: ${monty.class:saccade.monty.Monty}    # all learning modules enqueued, then one wait
    _target_: saccade.monty.LearningModule             # all objects in one program (the fast way)
    hypotheses_updater_class: ${monty.class:saccade.monty.HypothesesUpdater}    # object by object
    hypotheses_updater_class: ${monty.class:saccade.monty.BurstHypothesesUpdater}

    read_models(path), write_models(path, models)          # its pretrained models and ours
    translate(name)                                        # its experiment configs and ours

The classes are Monty's own with other insides, so they are made when first asked for and need tbp.monty (the
extra `monty`). Reading models needs neither it nor torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

#: where each name is, imported when it is first used
_PLACES = {
    "Monty": "monty_class",
    "LearningModule": "learning_module",
    "HypothesesUpdater": "updater",
    "BurstHypothesesUpdater": "updater",
    "read_models": "saved.models",
    "write_models": "saved.write",
    "translate": "configs.translate",
}

__all__ = [
    "BurstHypothesesUpdater",
    "HypothesesUpdater",
    "LearningModule",
    "Monty",
    "read_models",
    "translate",
    "write_models",
]

#: names whose modules subclass tbp.monty, or write with it
_NEED_MONTY = ("Monty", "LearningModule", "HypothesesUpdater", "BurstHypothesesUpdater", "write_models")


def __getattr__(name: str) -> Any:
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"saccade.monty has no {name!r}; it has {', '.join(__all__)}")
    try:
        found = getattr(import_module(f"saccade.monty.{place}"), name)
    except ImportError as error:
        if name not in _NEED_MONTY or not str(error.name or "").startswith(("tbp", "torch")):
            raise
        raise ImportError(
            f"saccade.monty.{name} needs tbp.monty, and {error.name!r} cannot be imported: "
            "pip install 'saccade[monty]'",
            name=error.name,
        ) from error
    globals()[name] = found
    return found
