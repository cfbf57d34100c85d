"""Every numeric setting, given as what no one should give: a config within its bounds, or an error that names
the setting, the value and the bounds."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from saccade.cortex.motor import GoalDriven
from saccade.experiment.config.config import load, loads, override
from saccade.experiment.config.presets import preset
from saccade.experiment.config.sections import ConfigError, fields_of, is_tuple
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.build import recognising_policy, viewing_distance
from saccade.experiment.engine.engine import make_engine
from saccade.experiment.engine.objects import object_names
from saccade.experiment.progress import Silent
from saccade.experiment.record.record import RunFolder
from saccade.experiment.run import execute


def numeric() -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """Dotted key, type and metadata of every setting that is a number or holds some."""
    for name, (kind, metadata) in fields_of(ExperimentConfig).items():
        inner = fields_of(kind) if dataclasses.is_dataclass(kind) else {"": (kind, metadata)}
        for key, (each, about) in inner.items():
            if each in (int, float) or (is_tuple(each) and "float" in str(each)):
                yield (f"{name}.{key}" if key else name), each, about


def leaves(value: Any) -> Iterator[float]:
    if isinstance(value, tuple):
        for item in value:
            yield from leaves(item)
    else:
        yield value


def value_of(config: ExperimentConfig, key: str) -> Any:
    found: Any = config
    for part in key.split("."):
        found = getattr(found, part)
    return found


SETTINGS = list(numeric())
GIVEN = [
    "inf", "-inf", "nan", "1e300", "-1e300", "1e999", "-1", "-0", "100000000000000000000",
    "9" * 5000, "0x" + "f" * 5000, '"text"', "text", "", "[]", "[1]", "[" * 5000, "[[inf, 0, 0]]",
    "[[1e300, 0, 0]]", "[[0, 0, " + "9" * 400 + "]]", "{}", "{a=1}", "true", "1979-05-27",
    "1\nbatch = 3", "\0", "0.1.2", "'''", "1__0", "+", "a." * 5000,
]  # fmt: skip


def test_every_number_has_bounds() -> None:
    assert len(SETTINGS) > 40
    for key, kind, about in SETTINGS:
        low, high = about["low"], about["high"]
        assert low is not None, key
        assert high is not None, key
        assert -1e10 < low < high <= 2**63 - 1, key
        assert all(low <= leaf <= high for leaf in leaves(value_of(ExperimentConfig(), key))), key
        if kind is int:
            assert type(low) is type(high) is int, key


@pytest.mark.parametrize(("key", "kind", "about"), SETTINGS, ids=[key for key, *_ in SETTINGS])
def test_what_is_given_is_in_bounds_or_named(key: str, kind: Any, about: Mapping[str, Any]) -> None:
    for given in GIVEN:
        try:
            config = override(ExperimentConfig(), [f"{key}={given}"])
        except ConfigError as error:
            told = str(error)
            assert key in told, (given, told)
            assert len(told) < 500, given
            if given in ("inf", "-inf", "nan", "1e300", "-1", "100000000000000000000") and kind is float:
                assert f"at least {about['low']:g} and at most {about['high']:g}" in told, (given, told)
                assert given in told or repr(float(given)) in told, (given, told)
        else:
            found = value_of(config, key)
            assert all(
                math.isfinite(leaf) and about["low"] <= leaf <= about["high"] for leaf in leaves(found)
            )


@pytest.mark.parametrize("given", ["inf", "1e300", "[" * 100_000, "{a=" * 50_000, "9" * 5000, '"\\ud800"'])
def test_a_file_with_such_settings_is_named(tmp_path: Path, given: str) -> None:
    path = tmp_path / "my.toml"
    path.write_text(f"[noise]\nlocation = {given}\n")
    with pytest.raises(ConfigError, match=r"my\.toml"):
        load(path)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff\xfe\x00", "byte 0 .0xff. is no utf-8"),
        (b"a." * 30_000 + b"a = 1", "key of more than"),
        (b"[" + b"a." * 30_000 + b"a]", "key of more than"),
        (b"x = {" + b"'a' . " * 30_000 + b"a = 1}", "key of more than"),
        (b'x = {k = """a"""", ' + b"a." * 30_000 + b"a = 1}", "key of more than"),
        (b'x = {k = """a\\"""""", ' + b"a." * 30_000 + b"a = 1}", "key of more than"),
        (b"x = {k = ''''a''''', " + b"a." * 30_000 + b"a = 1}", "key of more than"),
        (b"#" * (1 << 20), "too large"),
        (b"a = [" + b"[" * 60_000, "nested too deeply"),
        (b"x = 1\nx = 2", "not valid TOML"),
    ],
)
def test_a_file_that_is_no_config_is_named(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "my.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=rf"my\.toml .*{told}"):
        load(path)
    assert loads("").batch == 1


# Settings that say how much work there is.
WORK = {"batch", "seed", "module.count", "eval.given", "sensor.pixels", "train.rotations", "train.steps"}
WORK |= {"train.epochs", "eval.epochs", "eval.max_steps"}
EDGES = [(key, about) for key, _, about in SETTINGS if key not in WORK]
SHORT = [
    "objects.names=mug", "train.rotations=1", "train.steps=12", "eval.epochs=1", "eval.max_steps=6",
    "eval.min_steps=2", "recording.plots=false",
]  # fmt: skip
# What may be told of a setting at its edge: it does not go with another, or nothing can be sensed so.
TOLD = ("must not exceed", "needs at least", "needs objects", "no view of 'mug' shows a surface")


@pytest.mark.slow
@pytest.mark.parametrize("edge", ["low", "high"])
@pytest.mark.parametrize(("key", "about"), EDGES, ids=[key for key, _ in EDGES])
def test_runs_at_the_bounds(tmp_path: Path, key: str, about: Mapping[str, Any], edge: str) -> None:
    told = ""
    try:
        config = override(preset("distinct_surface"), [*SHORT, f"{key}={about[edge]}"])
        with warnings.catch_warnings(), RunFolder.create(tmp_path / "run", config) as folder:
            warnings.simplefilter("error", RuntimeWarning)
            execute(folder, make_engine(config), object_names(config), Silent())
            assert folder.summary() is not None
    except ValueError as error:
        told = str(error)
    assert not told or any(words in told for words in TOLD), told


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no\.toml cannot be read: No such file.*--print-config"):
        load(tmp_path / "no.toml")


@pytest.mark.parametrize("name", ["all_surface_noise", "all_distant_noise"])
def test_a_look_is_from_as_far_as_models_were_felt(name: str) -> None:
    """From farther a patch reaches over edges, and normals there are not those of a model."""
    config = override(preset(name), ["world.distance=0.05"])
    policy = recognising_policy(config)
    assert isinstance(policy, GoalDriven)
    assert policy.distance == viewing_distance(config) == 0.05
