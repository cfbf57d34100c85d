"""Sensorimotor learning: sensors move over objects, modules gather evidence for what they feel, and vote.

from saccade.cortex import EvidenceModule, ObjectModel, make_backend, make_groups
"""

from typing import TYPE_CHECKING

from saccade.lazy import names_of

if TYPE_CHECKING:
    from .messages import Percept
    from .models.model import GridSettings, ObjectModel, Observations, build_nodes
    from .models.storage import load_models, save_models
    from .modules.backend import make_backend
    from .modules.group import group_input, make_groups
    from .modules.module import EvidenceModule, LearningModule

#: for jit: programs close over frozen settings and shapes alone, and are replayed many times a second
__jit_library__ = True

__all__ = [
    "EvidenceModule",
    "GridSettings",
    "LearningModule",
    "ObjectModel",
    "Observations",
    "Percept",
    "build_nodes",
    "group_input",
    "load_models",
    "make_backend",
    "make_groups",
    "save_models",
]

__getattr__ = names_of(
    __name__,
    {
        "EvidenceModule": ".modules.module",
        "GridSettings": ".models.model",
        "LearningModule": ".modules.module",
        "ObjectModel": ".models.model",
        "Observations": ".models.model",
        "Percept": ".messages",
        "build_nodes": ".models.model",
        "group_input": ".modules.group",
        "load_models": ".models.storage",
        "make_backend": ".modules.backend",
        "make_groups": ".modules.group",
        "save_models": ".models.storage",
    },
)
