"""Programs are made for few sizes: other numbers of episodes or nodes, and a second run, make none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from saccade.cortex.hypotheses.tables import stepped
from saccade.cortex.models.model import ObjectModel
from saccade.experiment.config.config import override
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.engine import make_engine
from saccade.experiment.plan.plan import plan_eval, plan_train
from saccade.fuzz.attacks.kills import SMALL
from saccade.runtime.cpu import build


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


@pytest.mark.slow
def test_rows_nodes_and_a_second_run_compile_nothing(compiled: list[str]) -> None:
    config = override(ExperimentConfig(), [*SMALL, "eval.epochs=3", "seed=1"])
    engine = make_engine(config)
    names = ["mug", "hammer"]
    learned = plan_train(config, names)
    list(engine.learn(learned, rows=8))
    engine.finish_learning(learned)
    units = plan_eval(config, names)
    assert len(list(engine.recognise(units, rows=4))) == 6
    compiled.clear()
    assert len(list(engine.recognise(units, rows=4))) == 6
    assert len(list(engine.recognise(units[:3], rows=4))) == 3  # a row has nothing to do
    (memory,) = engine.memory.modules
    engine.memory = replace(
        engine.memory, modules=({name: with_fewer_nodes(model) for name, model in memory.items()},)
    )
    assert len(list(engine.recognise(units[:4], rows=4))) == 4
    assert compiled == []


@pytest.mark.parametrize("least", [1, 4, 8])
def test_sizes_are_few_and_waste_an_eighth_at_most(least: int) -> None:
    sizes = [stepped(needed, least) for needed in range(1, 5000)]
    for needed, size in enumerate(sizes, start=1):
        assert needed <= size < max(needed + least, needed * 9 / 8 + 1)
    assert sizes == sorted(sizes)
    assert [stepped(size, least) for size in set(sizes)] == list(set(sizes))
    assert len(set(sizes)) < 100
