"""Programs are made for few sizes: other numbers of objects, rows or nodes, another seed and a second run
make none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from saccade.cortex.bank.knowledge import Knowledge
from saccade.cortex.bank.program import flatten
from saccade.cortex.hypotheses.tables import stepped, table_objects
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.settings import EvidenceSettings
from saccade.experiment.config.config import override
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.engine import CortexEngine, make_engine
from saccade.experiment.plan.plan import plan_eval, plan_train
from saccade.fuzz.attacks.kills import SMALL
from saccade.runtime.cpu import build
from saccade.tensor import Tensor


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of all kernels that are compiled from now on."""
    names: list[str] = []
    compile_object = build.compile_object

    def told(name, text, quick):
        names.append(name)
        return compile_object(name, text, quick)

    monkeypatch.setattr(build, "compile_object", told)
    return names


def with_fewer_nodes(model: ObjectModel) -> ObjectModel:
    channels = {
        name: replace(
            nodes,
            positions=nodes.positions[:-1],
            pose_vectors=nodes.pose_vectors[:-1],
            fully_defined=nodes.fully_defined[:-1],
            features={key: value[:-1] for key, value in nodes.features.items()},
            seen=nodes.seen[:-1],
        )
        for name, nodes in model.channels.items()
    }
    return replace(model, channels=channels)


def shapes_of(known: Knowledge) -> list[tuple[tuple[int, ...], str]]:
    """Shapes and dtypes of all tables."""
    leaves: list[Tensor] = []
    flatten(known.tables, leaves)
    return [(tuple(leaf.shape), leaf.dtype.name) for leaf in leaves]


def learned_and_recognised(names: Sequence[str], rows: int, *settings: str) -> CortexEngine:
    """An engine that has learned these objects, each of which was recognised twice, in so many rows."""
    chosen = [*SMALL, f"objects.names={','.join(names)}", "module.max_nodes=40", "train.steps=40", *settings]
    config = override(ExperimentConfig(), chosen)
    engine = make_engine(config)
    learned = plan_train(config, names)
    list(engine.learn(learned, rows=8))
    engine.finish_learning(learned)
    units = plan_eval(config, names)
    assert len(list(engine.recognise(units, rows))) == len(units)
    return engine


@pytest.mark.slow
def test_objects_rows_nodes_seeds_and_a_second_run_compile_nothing(compiled: list[str]) -> None:
    names = ["mug", "hammer", "bowl", "spoon"]
    engine = learned_and_recognised(names[:3], 3)
    assert compiled
    compiled.clear()
    units = plan_eval(engine.config, names[:3])
    for rows in (3, 4):
        assert len(list(engine.recognise(units, rows))) == 6
    assert len(list(engine.recognise(units[:3], rows=4))) == 3  # a row has nothing to do
    (memory,) = engine.memory.modules
    engine.memory = replace(
        engine.memory, modules=({name: with_fewer_nodes(model) for name, model in memory.items()},)
    )
    assert len(list(engine.recognise(units[:4], rows=4))) == 4
    learned_and_recognised(names, 3)
    learned_and_recognised(names[:3], 4, "seed=2")
    assert compiled == []


def test_banks_of_one_object_more_and_of_other_models_have_the_same_programs() -> None:
    """Few sizes for objects, nodes and the lists of voxels; what is beyond the models has no nodes."""

    def known(objects: int, nodes: int, seed: int) -> Knowledge:
        random = np.random.default_rng(seed)
        features = {"hsv": np.zeros((nodes, 3)), "principal_curvatures_log": np.zeros((nodes, 2))}
        poses, defined = np.tile(np.eye(3), (nodes, 1, 1)), np.ones(nodes, bool)
        models = [
            ObjectModel(f"o{number}", {"patch": NodeSet(places, poses, defined, features)})
            for number, places in enumerate(random.normal(size=(objects, nodes, 3)) / 20)
        ]
        return Knowledge.of([models], [["patch"]], EvidenceSettings(), table_objects([models]), None)

    few, more = known(3, 97, 0), known(4, 110, 1)
    assert few.spec == more.spec
    assert few.row_places == more.row_places
    assert shapes_of(few) == shapes_of(more)
    assert few.tables[0].counts.numpy().tolist() == [[97, 97, 97, 0]]
    assert known(1, 97, 0).objects == 1


@pytest.mark.parametrize("least", [1, 4, 8])
def test_sizes_are_few_and_waste_an_eighth_at_most(least: int) -> None:
    sizes = [stepped(needed, least) for needed in range(1, 5000)]
    for needed, size in enumerate(sizes, start=1):
        assert needed <= size < max(needed + least, needed * 9 / 8 + 1)
    assert sizes == sorted(sizes)
    assert [stepped(size, least) for size in set(sizes)] == list(set(sizes))
    assert len(set(sizes)) < 100
