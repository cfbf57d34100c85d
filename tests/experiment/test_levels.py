"""Levels and kinds of modules by config: who learns what, who hears whom, what is recognised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from saccade.cortex.bank.results import object_number
from saccade.cortex.modules.displacement_module import DisplacementModule
from saccade.cortex.modules.module import EvidenceModule
from saccade.experiment.config.config import dumps, loads, override
from saccade.experiment.config.sections import ConfigError
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.engine import make_engine
from saccade.experiment.engine.levels import below, module_count, parts_of
from saccade.experiment.engine.memory import Memory
from saccade.experiment.engine.objects import object_names
from saccade.experiment.plan.plan import plan_eval
from saccade.experiment.progress import Silent
from saccade.experiment.recognise.mind import make_modules, voting_of
from saccade.experiment.record.record import RunFolder
from saccade.experiment.run import execute
from saccade.world.objects import NESTED, builtin_object
from saccade.world.objects.compositional import STACKS, levels_of

SMALL = [
    "world.agent=surface", "train.rotations=4", "train.steps=60", "module.updater=plain",
    "module.node_spacing=0.008", "module.neighbours=4", "module.match_distance=0.0125", "eval.epochs=1",
    "eval.min_steps=10", "eval.max_steps=25", "recording.plots=false", "recording.parquet=false",
]  # fmt: skip
THREE = ["module.levels=3", "objects.set=nested"]


def config_of(*settings: str) -> ExperimentConfig:
    return override(ExperimentConfig(), [*SMALL, *settings])


def run(path: Path, *settings: str) -> tuple[dict[str, Any], Memory]:
    config = config_of(*settings)
    assert loads(dumps(config)) == config
    with RunFolder.create(path, config) as folder:
        engine = make_engine(config)
        summary = execute(folder, engine, object_names(config), Silent())
    return summary, engine.memory


def test_every_level_hears_the_one_below() -> None:
    config = config_of(*THREE, "module.count=2")
    modules = make_modules(config, Memory.empty(module_count(config)), ["patch_0", "patch_1"])
    assert [module.channels for module in modules] == [
        ("patch_0",),
        ("patch_1",),
        ("patch_0", "module_0", "module_1"),
        ("patch_0", "module_2"),
    ]
    assert below(config) == 3  # the one on top is judged
    assert voting_of(config) == {"module_0": ["module_1"], "module_1": ["module_0"]}
    shown = {unit.episodes[0].object for unit in plan_eval(config, NESTED)}
    assert shown == set(STACKS)


def test_what_is_sent_up_can_be_told_apart() -> None:
    sent = [object_number(name) for name in NESTED if levels_of(name) < 3]
    assert len(set(sent)) == len(sent)
    assert min(abs(a - b) for a in sent for b in sent if a != b) > 1  # more than the tolerance


@pytest.mark.slow
def test_three_levels_learn_parts_wholes_and_what_wholes_make(tmp_path: Path) -> None:
    names = ("drum_star_on_block_arrow", "disc_arrow_on_drum_star")
    summary, memory = run(
        tmp_path / "run",
        *THREE,
        f"objects.names={','.join(names)}",
        "train.steps=150",
        "eval.margin=12",
        "eval.max_steps=100",
        "batch=2",
    )
    parts, wholes, stacks = map(set, memory.modules)
    assert parts == {"block", "disc", "drum", "star", "arrow"}
    assert wholes == {"drum_star", "block_arrow", "disc_arrow"}
    assert stacks == set(names)
    assert set(memory.modules[2][names[0]].channels) == {"patch_0", "module_1"}
    rows = [row for row in RunFolder.open(tmp_path / "run").rows() if row.phase == "eval"]
    assert [row.object for row in rows] == list(names)
    assert all(row.parts == 2 and row.modules == 3 for row in rows)
    assert summary["results"]["eval"]["correct"] == 100.0


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (["module.levels=3", "objects.set=compositional"], "use objects.set = nested"),
        (["module.levels=2", "objects.set=nested"], "set it to 3"),
        (["module.levels=4", "objects.set=nested"], "there are 3 at most"),
    ],
)
def test_objects_of_another_depth_are_refused(settings: list[str], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        object_names(config_of(*settings))


def test_wholes_that_are_learned_as_one_thing_need_no_parts() -> None:
    names = ["block_star", "drum_star_on_block_arrow"]
    table = {name: builtin_object(name) for name in names}
    assert parts_of("block_star", table) == ("block", "star")
    assert parts_of(names[1], table) == ("block_arrow", "drum_star")
    whole = {name: builtin_object(name) for name in NESTED}
    assert parts_of(names[1], whole) == ("block_arrow", "drum_star", "block", "arrow", "drum", "star")


MIXED = ["module.count=3", "module.kinds=evidence,displacement,evidence"]


def test_kinds_of_module_can_be_mixed() -> None:
    config = config_of(*MIXED)
    modules = make_modules(config, Memory.empty(3), ["patch_0", "patch_1", "patch_2"])
    assert [type(module) for module in modules] == [EvidenceModule, DisplacementModule, EvidenceModule]
    assert voting_of(config) == {"module_0": ["module_2"], "module_2": ["module_0"]}


def test_a_kind_is_named_for_each_module_or_none() -> None:
    with pytest.raises(ConfigError, match=r"module.kinds names 2 kinds for module.count = 3"):
        config_of("module.count=3", "module.kinds=evidence,displacement")
    with pytest.raises(ConfigError, match=r"module.kinds\[1\] = 'guess' must be one of evidence"):
        config_of("module.count=2", "module.kinds=evidence,guess")


@pytest.mark.slow
def test_mixed_kinds_recognise_together(tmp_path: Path) -> None:
    names = ["objects.names=mug,hammer", "module.max_nodes=200"]
    summary, _ = run(tmp_path / "run", *MIXED, *names)
    assert summary["results"]["eval"]["correct"] == 100.0
    rows = [row for row in RunFolder.open(tmp_path / "run").rows() if row.phase == "eval"]
    assert [row.modules for row in rows] == [3, 3]
