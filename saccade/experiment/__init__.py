"""Experiments: train, evaluate, record, resume and compare runs of the cortex in a world.

from saccade.experiment import RunFolder, execute, make_engine, override, preset
"""

from typing import TYPE_CHECKING

from saccade.lazy import names_of

if TYPE_CHECKING:
    from .config.config import override
    from .config.presets import preset
    from .config.settings import ExperimentConfig
    from .engine.engine import make_engine
    from .progress import Silent
    from .record.record import RunFolder
    from .run import execute

__all__ = ["ExperimentConfig", "RunFolder", "Silent", "execute", "make_engine", "override", "preset"]

__getattr__ = names_of(
    __name__,
    {
        "ExperimentConfig": ".config.settings",
        "RunFolder": ".record.record",
        "Silent": ".progress",
        "execute": ".run",
        "make_engine": ".engine.engine",
        "override": ".config.config",
        "preset": ".config.presets",
    },
)
