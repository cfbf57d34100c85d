"""What is asked before a run begins, so that what cannot work makes no run folder and learns nothing.

In: a config, its objects, what modules know. Out: nothing, or an error that says what is missing: a part of
one's own that lacks methods or whose state has no rows (`PartError`), a logger that cannot be made, more rows
than memory holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from saccade import extend
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.modules.block_sizes import check_rows_of, stepped_rows
from saccade.cortex.modules.displacement_module import DisplacementModule, check_path_rows
from saccade.cortex.modules.group import make_groups
from saccade.cortex.modules.module import EvidenceModule
from saccade.cortex.rows import take_rows
from saccade.experiment.config.probe import device_of
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine import build, levels
from saccade.experiment.engine.memory import Memory
from saccade.experiment.engine.objects import Thing
from saccade.experiment.plan.plan import Unit
from saccade.experiment.recognise.mind import make_modules, voting_of
from saccade.extend.loggers import make_loggers


def check_parts(config: ExperimentConfig, things: Sequence[Thing]) -> None:
    """Make every part of one's own once, and every logger, in a folder that is thrown away."""
    channels = build.make_rig(config).names
    if extend.is_own("sensor_module", config.sensor.module):
        build.sensing(config)
    if extend.is_own("motor_policy", config.policy.motion):
        state = build.recognising_policy(config).start(1)
        try:
            take_rows(state, np.zeros(1, np.int64))
        except TypeError as error:
            raise extend.PartError(f"the state of motor_policy {config.policy.motion!r}: {error}") from None
    if any(extend.is_own("learning_module", kind) for kind in config.module.each_kind):
        make_groups(make_modules(config, Memory.empty(levels.module_count(config)), channels))
    if extend.is_own("world", config.world.kind):
        build.make_world(config, things, 1, noisy=False)
    if config.recording.loggers:
        with TemporaryDirectory() as folder:
            make_loggers(config, Path(folder), lambda text: None)


def largest_memory(config: ExperimentConfig, units: Sequence[Unit], objects: levels.Table) -> Memory:
    """What modules will know at most when they have learned these units: models of as many nodes as a model
    may have, or as there are percepts, if these are fewer."""
    most, channels = config.module.max_nodes, build.make_rig(config).names
    modules: list[dict[str, ObjectModel]] = [{} for _ in range(levels.module_count(config))]
    for unit in units:
        named = config.train.mode == "supervised"
        nodes = _nodes(min(most, len(unit.episodes) * config.train.steps) if named else most)
        for name in dict.fromkeys(episode.object for episode in unit.episodes):
            if levels.is_whole(name, config, objects):
                level = levels.level_of(name, objects)
                told = [channels[0], *levels.heard_by(config, level)]
                modules[levels.upper_number(config, level)][name] = ObjectModel(
                    name, dict.fromkeys(told, nodes)
                )
                continue
            for known, kind, channel in zip(modules, config.module.each_kind, channels, strict=False):
                if not extend.is_own("learning_module", kind):  # nobody knows what those hold
                    known[name] = ObjectModel(name, {channel: nodes})
    return Memory.of(modules)


def _nodes(count: int) -> NodeSet:
    """So many, of which nothing is known but their number."""
    places, poses = np.zeros((count, 3), NodeSet.dtype), np.zeros((count, 3, 3), NodeSet.dtype)
    return NodeSet(places, poses, np.zeros(count, bool), {})


def check_rows(
    config: ExperimentConfig, memory: Memory, rows: int, free: int | None, sharers: int = 1
) -> None:
    """MemoryError if the hypotheses, or paths, of so many rows do not fit into so many bytes, with the number
    that do; sharers: processes of which each has as many. Opens no device."""
    gpu, voted = device_of(config).startswith("cuda"), bool(voting_of(config))
    for group in make_groups(make_modules(config, memory, build.make_rig(config).names)):
        if issubclass(group.kind, EvidenceModule):
            modules = [module for module in group.modules if isinstance(module, EvidenceModule)]
            memories = [list(module.memory.values()) for module in modules]
            channels = [module.channels for module in modules]
            settings = modules[0].settings
            check_rows_of(memories, channels, settings, rows, gpu, free, sharers, stepped_rows, voted)
        elif issubclass(group.kind, DisplacementModule):
            paths = [module for module in group.modules if isinstance(module, DisplacementModule)]
            check_path_rows(paths, rows, free, sharers, stepped_rows)
