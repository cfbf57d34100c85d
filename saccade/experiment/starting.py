"""The engine of a run on this machine: how many processes share its device, and what they begin with.

In: a config, and what somebody wishes. Out: a `ProcessEngine` and the names of the objects; what the config
or the machine lacks is an error.

    engine, names = engine_here(config)
    engine, names = engine_here(config, processes=8, models=Path("runs/learned/models/memory"))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from saccade.experiment.config import probe
from saccade.experiment.config.environment import host_environment
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.objects import are_single, chosen_names
from saccade.experiment.plan.plan import plan_eval
from saccade.experiment.processes import LEAST_GPU_UNITS, ProcessEngine, processes_for
from saccade.experiment.standby import Part, Standby, parts_of
from saccade.runtime.process.mps import MpsService

if TYPE_CHECKING:
    from saccade.experiment.engine.engine import CortexEngine


def engine_here(
    config: ExperimentConfig, processes: int | None = None, models: Path | None = None
) -> tuple[ProcessEngine, list[str]]:
    """By so many processes, by default as many as suit the device. models: what the run recognises with, and
    no others."""
    device = probe.device_of(config)
    count = processes_for(device, processes, config.batch)
    apart = count > 1 and device != "cpu"
    if apart:
        if models is not None:
            started = with_standby(config, count, device, models)
            if started is not None:
                return started
        probe.look_at(device)  # while objects are loaded
    from saccade.experiment.engine.build import check_device
    from saccade.experiment.engine.engine import make_engine

    if not apart:
        check_device(config)
    engine = make_engine(config)
    if apart:
        check_device(config, apart=True)  # it was looked at meanwhile
    return ProcessEngine(engine, count, device), [each.name for each in engine.objects]


def with_standby(
    config: ExperimentConfig, count: int, device: str, models: Path
) -> tuple[ProcessEngine, list[str]] | None:
    """The same with processes that wait for the units that there will be, where several are worth it."""
    names = list(chosen_names(config))
    units = plan_eval(config, names)
    worth = min(count, len(units) // LEAST_GPU_UNITS, config.batch)
    if worth < 2:
        return None
    parts = parts_of(units, worth, config.batch)
    if not are_single(config):  # there are more objects than those that are chosen
        parts = [replace(part, shown=None) for part in parts]
    service = None if device == "cpu" else MpsService.start()
    engine, standby = _waiting_for(config, parts, device, models, service)
    if engine.objects:
        names = [each.name for each in engine.objects]
    return ProcessEngine(engine, count, device, standby), names


def _waiting_for(
    config: ExperimentConfig, parts: Sequence[Part], device: str, models: Path, service: MpsService | None
) -> tuple[CortexEngine, Standby]:
    """Processes that are ready for their parts, and the engine whose models they know."""
    standby = Standby(partial(_without_objects, config, models), parts, device, service)
    try:
        if service is not None:
            service.release()
        engine = _without_objects(config, models)
        if any(part.shown is None for part in parts):
            engine.show(None)
            standby.expect(plan_eval(config, [each.name for each in engine.objects]))
        host_environment()  # for the run folder, while others open the device
        try:
            probe.know(device, standby.ready())
        except (ValueError, RuntimeError):
            if service is None:
                raise
            # it may not work here: containers may lack what it needs
            standby.close()
            return _waiting_for(config, parts, device, models, None)
    except BaseException:
        standby.close()
        raise
    return engine, standby


def _without_objects(config: ExperimentConfig, models: Path) -> CortexEngine:
    from saccade.experiment.engine.engine import CortexEngine  # after the fork: see `experiment.standby`

    engine = CortexEngine(config, ())
    engine.load_memory(models)
    return engine
