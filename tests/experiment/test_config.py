"""Configs: what is written reads back, overrides arrive, mistakes are named."""

from __future__ import annotations

import dataclasses
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.experiment.config import toml
from saccade.experiment.config.agreement import why_on_host
from saccade.experiment.config.config import check, dumps, fingerprint, loads, override
from saccade.experiment.config.presets import preset, presets
from saccade.experiment.config.sections import ConfigError, all_keys, fields_of
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine import build

values = st.recursive(
    st.booleans()
    | st.integers(-(2**62), 2**62)
    | st.floats(allow_nan=False)
    | st.text(st.characters(blacklist_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)
keys = st.text(st.characters(blacklist_categories=["Cs"]), min_size=1)


@given(st.dictionaries(keys, values | st.dictionaries(keys, values, max_size=3), max_size=4))
def test_written_toml_reads_back(table: dict[str, Any]) -> None:
    assert tomllib.loads(toml.dumps(table)) == table


def field_value(kind: Any, metadata: Any) -> st.SearchStrategy[Any]:
    low, high = metadata["low"], metadata["high"]
    choices = metadata["choices"]() if callable(metadata["choices"]) else metadata["choices"]
    if choices and kind == tuple[str, ...]:
        return st.lists(st.sampled_from(choices), max_size=3, unique=True).map(tuple)
    if choices:
        return st.sampled_from(choices)
    if metadata["help"].startswith("Python modules"):
        return st.just(("json", "csv"))  # they are imported
    if kind is bool:
        return st.booleans()
    if kind is int:
        return st.integers(int(low or 0), int(high if high is not None else 10**6))
    if kind is float:
        return st.floats(low or 0.0, high if high is not None else 1e6)
    if kind is str:
        return st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=10)
    if kind == tuple[str, ...]:
        names = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"))
        return st.lists(names, max_size=3, unique=True).map(tuple)
    triple = st.tuples(*[st.floats(-360, 360)] * 3)
    return st.lists(triple, min_size=1, max_size=3).map(tuple)


@st.composite
def any_config(draw: st.DrawFn) -> ExperimentConfig:
    config = ExperimentConfig()
    for name, (kind, metadata) in fields_of(ExperimentConfig).items():
        if dataclasses.is_dataclass(kind):
            inner = {key: draw(field_value(*entry)) for key, entry in fields_of(kind).items()}
            config = dataclasses.replace(
                config, **{name: dataclasses.replace(getattr(config, name), **inner)}
            )
        else:
            config = dataclasses.replace(config, **{name: draw(field_value(kind, metadata))})
    evaluation = dataclasses.replace(config.eval, min_steps=0, modules_to_match=1)
    module = dataclasses.replace(config.module, evidence_threshold="all", kinds=())
    name = "n" + config.name.replace("/", "").replace("\0", "")
    features = tuple(draw(st.permutations(["hsv", "principal_curvatures_log"])))[: draw(st.integers(0, 2))]
    sensor = dataclasses.replace(config.sensor, features=features)
    policy = dataclasses.replace(config.policy, motion=draw(st.sampled_from(["auto", "random_walk"])))
    config = dataclasses.replace(
        config, name=name, eval=evaluation, module=module, sensor=sensor, policy=policy
    )
    # What several levels and pictures do not go with.
    objects, world, train = config.objects, config.world, config.train
    if module.levels > 1 or world.kind == "image":
        objects = dataclasses.replace(objects, folder="")
    if module.levels > 1:
        world = dataclasses.replace(world, kind="mesh")
        train = dataclasses.replace(train, mode="supervised")
    if world.kind == "image":
        world = dataclasses.replace(world, distractors=0)
    else:
        objects = dataclasses.replace(objects, images="")
    if why_on_host(dataclasses.replace(config, world=world)) is not None:
        world = dataclasses.replace(world, rays="auto")
    return check(dataclasses.replace(config, objects=objects, world=world, train=train))


@given(any_config(), st.booleans())
def test_a_config_survives_its_text(config: ExperimentConfig, comments: bool) -> None:
    assert loads(dumps(config, comments)) == config


@pytest.mark.parametrize("name", sorted(presets()))
def test_presets_survive_their_text(name: str) -> None:
    config = preset(name)
    assert config.name == name
    assert loads(dumps(config)) == config


def test_every_key_has_a_help_line() -> None:
    assert all(all_keys(ExperimentConfig).values())
    assert {"seed", "noise.location", "eval.given"} <= set(all_keys(ExperimentConfig))


def test_overrides_arrive_in_order() -> None:
    config = override(
        ExperimentConfig(),
        [
            "batch=4",
            "batch=8",
            "noise.location=1",
            "objects.names=mug, can",
            "world.agent=surface",
            "eval.given=[[0,90,0]]",
        ],
    )
    assert config.batch == 8
    assert config.noise.location == 1.0
    assert isinstance(config.noise.location, float)
    assert config.objects.names == ("mug", "can")
    assert config.eval.given == ((0.0, 90.0, 0.0),)
    assert override(config, ["objects.folder='a b'"]).objects.folder == "a b"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("world.kind=image", "world.kind = 'image' has no triangles"),
        ("recording.traces=true", "recording.traces keeps patches"),
    ],
)
def test_rays_stay_on_the_host_where_it_needs_what_is_seen(text: str, told: str) -> None:
    with pytest.raises(ConfigError, match=f"{told}; set it to auto or host"):
        override(ExperimentConfig(), ["world.rays=device", text])
    assert override(ExperimentConfig(), ["world.rays=auto", text]).world.rays == "auto"


def test_auto_casts_rays_on_a_gpu_that_has_many_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many rows, or fewer with more sensors or larger patches; never where the device is the host."""
    config = override(ExperimentConfig(), ["device=cpu"])
    assert config.world.rays == "auto"
    more = override(config, ["module.count=5"])
    wide = override(config, ["sensor.pixels=32"])
    assert not build.stays_on_device(config, 4096)
    monkeypatch.setattr(build, "in_host_memory", lambda device: False)
    assert [build.stays_on_device(config, rows) for rows in (255, 256)] == [False, True]
    assert [build.stays_on_device(more, rows) for rows in (51, 52)] == [False, True]
    assert [build.stays_on_device(wide, rows) for rows in (63, 64)] == [False, True]
    assert not build.stays_on_device(override(config, ["world.rays=host"]), 4096)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("noise.locatoin=1", "noise.location"),
        ("sensor.features=hsvv", "sensor.features: unknown feature 'hsvv'; did you mean 'hsv'"),
        ("sensor.features=hsv,hsv", "sensor.features has hsv more than once"),
        ("policy.motion=curvature", "'curvature' is for the surface agent; use auto, random_walk or spiral"),
        ("location=1", "noise.location"),
        ("noise.location=-1", "at least 0"),
        ("batch=0", "at least 1"),
        ("sensor.pixels=3", "at least 4"),
        ("batch=many", "int"),
        ("batch=1.5", "int"),
        ("batch=true", "int"),
        ("world.agent=surfce", "surface"),
        ("noise=3", "section"),
        ("noise.location=nan", "not a number"),
        ("noise.location=inf", "noise.location = inf is not a number"),
        ("eval.given=[[0, inf, 0]]", "not a number"),
        ("module.evidence_threshold=nan%", "80%"),
        ("module=3", "such as module.count"),
        ("seed=1979-05-27", "must be an integer"),
        ("name=a/b", "name that a folder can have"),
        ("name=", "name that a folder can have"),
        ("objects.names=mug,can,mug", "objects.names has mug more than once"),
        ("eval.given=[[1, 2]]", "3 entries"),
        ("eval.rotations=given", "eval.given"),
        ("eval.min_steps=501", "eval.max_steps"),
        ("eval.modules_to_match=2", "module.count"),
        ("module.evidence_threshold=most", "80%"),
        ("module.evidence_threshold=mean", "'mean' is for module.updater = 'plain': bursts test every"),
        ("module.evidence_threshold=80%", "set it to all, or the updater to plain"),
        ("batch", "section.key=value"),
    ],
)
def test_mistakes_are_named(text: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        override(ExperimentConfig(), [text])
    assert told in str(caught.value)


def test_a_threshold_goes_with_the_plain_updater_and_all_with_both() -> None:
    both = ["module.evidence_threshold=mean", "module.updater=plain"]
    assert override(ExperimentConfig(), both) == override(ExperimentConfig(), both[::-1])
    assert override(ExperimentConfig(), ["module.evidence_threshold=all"]).module.updater == "burst"
    with pytest.raises(ConfigError, match=r"is for module\.updater = 'plain'"):
        loads('[module]\nevidence_threshold = "median"')


def test_a_wrong_preset_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="distinct_surface_noise"):
        preset("distinct_surfce_noise")


def test_bad_toml_is_refused() -> None:
    with pytest.raises(ConfigError, match="not valid TOML"):
        loads("batch = ")


def test_fingerprint_follows_what_a_run_finds() -> None:
    base = ExperimentConfig()
    assert fingerprint(base) == fingerprint(
        override(base, ["batch=9", "recording.traces=true", "name=other"])
    )
    assert fingerprint(base) != fingerprint(override(base, ["seed=1"]))
    assert fingerprint(base) != fingerprint(override(base, ["noise.hsv=0.1"]))
