"""The settings of an experiment checked, changed from the command line, printed and read back.

In: defaults, a preset, a TOML file, or `--set section.key=value` overrides. Out: one `ExperimentConfig` whose
every value has the right type and lies in its range. A wrong key names the nearest right one, a wrong value
names what is allowed.

    >>> config = override(ExperimentConfig(), ["noise.location=0.002", "batch=16"])
    >>> config.batch, config.noise.location
    (16, 0.002)
    >>> loads(dumps(config)) == config
    True
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import sys
import typing
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from saccade import extend
from saccade.experiment.config import toml
from saccade.experiment.config.agreement import check_agreement, check_bursts
from saccade.experiment.config.sections import (
    ConfigError,
    all_keys,
    fields_of,
    from_dict,
    to_dict,
)
from saccade.experiment.config.settings import ExperimentConfig
from saccade.files.reading import FAILURES, read_text, reading, shown

# What to do about a file of settings that cannot be read.
PRINT = "`saccade run --print-config` prints one"


# Settings that change where and how fast a run happens but not what it finds: a resumed run may change them.
PLACEMENT = ("batch", "device", "backend")


# --- what is allowed ----------------------------------------------------------------------------------------


def check(config: ExperimentConfig) -> ExperimentConfig:
    """`config` itself if every value is allowed and the sections agree with each other."""
    from_dict(ExperimentConfig, to_dict(config))
    check_agreement(config)
    return config


# --- text in, text out --------------------------------------------------------------------------------------


def dumps(config: ExperimentConfig, comments: bool = True) -> str:
    """The config as TOML; `loads` gives the same config back."""
    return toml.dumps(to_dict(config), all_keys(ExperimentConfig) if comments else None)


def loads(
    text: str, base: ExperimentConfig | None = None, name: str = "the config", trusted: bool = True
) -> ExperimentConfig:
    """The config of a TOML text over `base`; `name`: of its file, for messages. Where it is not `trusted` its
    extensions are not imported at its word.
    """
    with reading(name, ConfigError, PRINT):
        table = toml.parse(text)
    given = table.get("extensions", [])
    if isinstance(given, list):  # anything else is refused below
        modules = [str(module) for module in given]
        if trusted:
            extend.use(modules)
        else:
            _check_imported(modules)
    return check(from_dict(ExperimentConfig, table, base))


def _check_imported(modules: list[str]) -> None:
    """Run folders may come from anybody, so what they name is imported at the user's word alone."""
    extend.use(filter(None, os.environ.get("SACCADE_EXTENSIONS", "").split(",")))
    missing = [name for name in modules if name not in sys.modules]
    if missing:
        raise ConfigError(
            f"it has the extensions {shown(missing)}, which a run folder cannot import by itself: if you "
            f"trust them, set SACCADE_EXTENSIONS={','.join(modules)[:200]}"
        )


def load(path: Path, base: ExperimentConfig | None = None, trusted: bool = True) -> ExperimentConfig:
    """The config of a TOML file over `base`; `trusted` as for `loads`."""
    with reading(path, ConfigError, PRINT):
        text = read_text(path, toml.TOML_BYTES, "utf-8-sig")  # some editors begin a file with a mark
    try:
        return loads(text, base, str(path), trusted)
    except ConfigError as error:
        raise error if str(error).startswith(str(path)) else ConfigError(f"{path}: {error}") from None


def parse_override(text: str) -> dict[str, object]:
    """`noise.location=0.002` as {"noise": {"location": 0.002}}."""
    key, equals, raw = text.partition("=")
    key, raw = key.strip(), raw.strip()
    if not equals or not key:
        raise ConfigError(
            f"{text!r} is not an override; write section.key=value, such as noise.location=0.002"
        )
    kind = _type_of(key)
    value: object = raw
    if kind is str:
        if len(raw) >= 2 and raw[0] == raw[-1] and raw[0] in "'\"":
            value = raw[1:-1]
    elif kind == tuple[str, ...] and not raw.startswith("["):
        value = [part.strip() for part in raw.split(",") if part.strip()]
    else:
        value = _parsed_value(raw)
    for part in reversed(key.split(".")):
        value = {part: value}
    return typing.cast(dict[str, object], value)


def _parsed_value(raw: str) -> object:
    """What a text says as TOML, or the text itself."""
    try:
        table = toml.parse(f"x = {raw}")
    except FAILURES:
        return raw
    return table["x"] if len(table) == 1 else raw


def _type_of(key: str) -> Any:
    """The type of a dotted key, None if there is no such key."""
    kind: Any = ExperimentConfig
    for part in key.split("."):
        known = fields_of(kind) if dataclasses.is_dataclass(kind) else {}  # type: ignore[arg-type]
        if part not in known:
            return None
        kind = known[part][0]
    return kind


def override(config: ExperimentConfig, settings: Iterable[str]) -> ExperimentConfig:
    """`config` with `section.key=value` settings applied in order, then checked as a whole."""
    given = [parse_override(text) for text in settings]
    for table in given:
        config = from_dict(ExperimentConfig, table, config)
        extend.use(config.extensions)
    check(config)
    if {"module": {"evidence_threshold": config.module.evidence_threshold}} in given:
        check_bursts(config)  # the default too, if somebody wishes for it
    return config


def with_absolute_paths(config: ExperimentConfig) -> ExperimentConfig:
    """The config with its folders named from the root, so that it means the same from anywhere."""

    def whole(path: str) -> str:
        return str(Path(path).resolve()) if path else path

    objects, train = config.objects, config.train
    return dataclasses.replace(
        config,
        objects=dataclasses.replace(objects, folder=whole(objects.folder), images=whole(objects.images)),
        train=dataclasses.replace(train, models=whole(train.models)),
    )


def fingerprint(config: ExperimentConfig) -> str:
    """A short name of what a run will find: equal for configs that differ only in placement or in what is
    recorded.
    """
    table = {
        key: value for key, value in to_dict(config).items() if key not in (*PLACEMENT, "recording", "name")
    }
    return hashlib.blake2b(toml.dumps(table).encode(), digest_size=8).hexdigest()
