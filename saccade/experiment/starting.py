"""The engine of a run on this machine: how many processes share its device, and what they begin with.

In: a config, and what somebody wishes. Out: a `ProcessEngine` and the names of the objects; what the config
or the machine lacks is an error.

    engine, names = engine_here(config)
    engine, names = engine_here(config, processes=8, models=Path("runs/learned/models/memory"))
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from saccade.experiment.config.probe import look_at
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.build import check_device, device_of
from saccade.experiment.engine.engine import make_engine, waiting_engine
from saccade.experiment.engine.objects import chosen_names
from saccade.experiment.plan.plan import plan_eval
from saccade.experiment.processes import LEAST_GPU_UNITS, ProcessEngine, Standby, processes_for


def engine_here(
    config: ExperimentConfig, processes: int | None = None, models: Path | None = None
) -> tuple[ProcessEngine, list[str]]:
    """By so many processes, by default as many as suit the device. models: what the run recognises with, and
    no others."""
    device = device_of(config)
    count = processes_for(device, processes, config.batch)
    several = count > 1 and device != "cpu"
    standby = None
    if several:
        if models is not None:
            standby = _standby(config, count, device, models)
        look_at(device)  # while objects are loaded
    else:
        check_device(config)
    engine = make_engine(config)
    if standby is not None:
        standby.expect(plan_eval(config, [each.name for each in engine.objects]))
    if several:
        check_device(config, apart=True)
    return ProcessEngine(engine, count, device, standby), [each.name for each in engine.objects]


def _standby(config: ExperimentConfig, count: int, device: str, models: Path) -> Standby | None:
    """Processes for the units that there will be, where several are worth it."""
    units = len(plan_eval(config, chosen_names(config)))
    worth = min(count, units // LEAST_GPU_UNITS, config.batch)
    if worth < 2:
        return None
    return Standby(partial(waiting_engine, config, models), worth, device, (units, config.batch))
