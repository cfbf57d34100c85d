"""Settings in sections: frozen dataclasses whose fields say what they mean and which values they may take.

In: a dataclass of fields declared with `setting(default, help, ...)`, some of them sections of their own, and
tables of values from anywhere. Out: the dataclass with these values, every one of the right type and in its
range. A wrong key names the nearest right one, a wrong value names what is allowed.

    @dataclass(frozen=True)
    class Walk:
        steps: int = setting(100, "how far", low=1)

    from_dict(Walk, {"steps": 20})       # Walk(steps=20)
    from_dict(Walk, {"step": 20})        # ConfigError: unknown key 'step'; did you mean 'steps'?
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeVar

from saccade.files.reading import shown

# Characters of a wrong name that are compared with right ones: it takes the square of their number.
MOST_COMPARED = 100


class ConfigError(ValueError):
    """A config that cannot be used; the message names the key, the value and the remedy."""


Default = TypeVar("Default")


def setting(
    default: Default,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[str] | Callable[[], Sequence[str]] = (),
) -> Default:
    """A config field: its default, what it means, and which values it may take; choices that can grow are
    asked for.
    """
    metadata = {"help": help, "low": low, "high": high, "choices": choices}
    result: Default = field(default=default, metadata=metadata)
    return result


_fields: dict[type[Any], dict[str, tuple[Any, Mapping[str, Any]]]] = {}


def fields_of(cls: type[Any]) -> dict[str, tuple[Any, Mapping[str, Any]]]:
    """Each field's resolved type and metadata; resolved once, for it takes a millisecond."""
    if cls not in _fields:
        _fields[cls] = _resolved(cls)
    return _fields[cls]


def _resolved(cls: type[Any]) -> dict[str, tuple[Any, Mapping[str, Any]]]:
    hints = typing.get_type_hints(cls)
    return {item.name: (hints[item.name], item.metadata) for item in dataclasses.fields(cls)}


def unknown(kind: str, name: str, known: Iterable[str]) -> ConfigError:
    """The error for a name that does not exist, with the nearest that does."""
    names = list(known)
    close = difflib.get_close_matches(name[:MOST_COMPARED], names, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(sorted(names))}"
    return ConfigError(f"unknown {kind} {shown(name)}; {hint}")


def all_keys(cls: type[Any]) -> dict[str, str]:
    """Every dotted key of a config with its help line."""
    keys: dict[str, str] = {}
    for name, (kind, metadata) in fields_of(cls).items():
        if dataclasses.is_dataclass(kind):
            assert isinstance(kind, type)
            keys.update({f"{name}.{key}": meta["help"] for key, (_, meta) in fields_of(kind).items()})
        else:
            keys[name] = metadata["help"]
    return keys


#: Types of values in the words of whoever writes them.
KINDS = {bool: "true or false", int: "an integer", float: "a number", str: "text", list: "a list"}


def is_tuple(kind: Any) -> bool:
    return typing.get_origin(kind) is tuple


def convert(kind: Any, value: object, key: str, metadata: Mapping[str, Any]) -> object:
    """`value` as the field's type, in its range: integers widen to floats and lists become tuples, nothing
    else changes."""
    if is_tuple(kind):
        if not isinstance(value, (list, tuple)):
            raise ConfigError(f"{key} = {shown(value)} must be a list")
        items = typing.get_args(kind)
        if items[-1] is Ellipsis:
            items = (items[0],) * len(value)
        if len(value) != len(items):
            raise ConfigError(f"{key} = {shown(value)} must have {len(items)} entries, it has {len(value)}")
        pairs = enumerate(zip(items, value))
        return tuple(convert(item, part, f"{key}[{i}]", metadata) for i, (item, part) in pairs)
    allowed = (int, float) if kind is float else kind
    if not isinstance(value, allowed) or (isinstance(value, bool) and kind is not bool):
        given = KINDS.get(type(value), type(value).__name__)
        bounds = _range(metadata, " ")
        raise ConfigError(f"{key} = {shown(value)} must be {KINDS[kind]}{bounds}, not {given}")
    check_value(value, metadata, key)
    return float(typing.cast(float, value)) if kind is float else value


def check_value(value: object, metadata: Mapping[str, Any], key: str) -> None:
    """Raise a ConfigError for a value of the right type that is not allowed."""
    choices, low, high = metadata["choices"], metadata["low"], metadata["high"]
    choices = choices() if callable(choices) else choices
    if choices and value not in choices:
        close = difflib.get_close_matches(str(value)[:MOST_COMPARED], choices, n=1, cutoff=0.5)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ConfigError(f"{key} = {shown(value)} must be one of {', '.join(choices)}{hint}")
    if isinstance(value, str) and not _can_be_written(value):
        raise ConfigError(f"{key} = {shown(value)} must be text that a file can hold")
    if isinstance(value, float) and not math.isfinite(value):
        bounds = _range(metadata, "; it must be ")
        raise ConfigError(f"{key} = {value} is not a number that can be used{bounds}")
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return
    if (low is not None and value < low) or (high is not None and value > high):
        raise ConfigError(f"{key} = {shown(value)} must be{_range(metadata, ' ')}")


def _can_be_written(text: str) -> bool:
    """Whether a text has neither a zero, which ends the names of files, nor half a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _range(metadata: Mapping[str, Any], before: str) -> str:
    """The limits of a number in words, after some others; nothing where there are none."""
    low, high = metadata["low"], metadata["high"]
    told = [
        f"{words} {_written(limit)}"
        for words, limit in (("at least", low), ("at most", high))
        if limit is not None
    ]
    return before + " and ".join(told) if told else ""


def _written(limit: float) -> str:
    """A limit with all of its digits, or as short as a fraction can be."""
    return str(limit) if isinstance(limit, int) else f"{limit:g}"


Section = TypeVar("Section")


def from_dict(
    cls: type[Section], table: Mapping[str, object], base: Section | None = None, path: str = ""
) -> Section:
    """`base` (or the defaults) with the entries of `table`; unknown keys and wrong values are refused."""
    start = cls() if base is None else base
    known = fields_of(cls)
    changes: dict[str, Any] = {}
    for name, value in table.items():
        key = f"{path}{name}"
        if name not in known:
            nearest = [full for full in all_keys(cls) if full.endswith(f".{name}")] if not path else []
            if nearest:
                raise ConfigError(f"unknown key {shown(key)}; did you mean {nearest[0]!r}?")
            raise unknown("key", key, [f"{path}{other}" for other in known])
        kind, metadata = known[name]
        if dataclasses.is_dataclass(kind):
            if not isinstance(value, Mapping):
                example = next(iter(fields_of(typing.cast(type, kind))))
                raise ConfigError(f"{key} is a section; set one of its keys, such as {key}.{example}")
            assert isinstance(kind, type)
            changes[name] = from_dict(kind, value, getattr(start, name), f"{key}.")
            continue
        changes[name] = convert(kind, value, key, metadata)
    return typing.cast(Section, dataclasses.replace(typing.cast(Any, start), **changes))


def to_dict(config: object) -> dict[str, object]:
    return dataclasses.asdict(typing.cast(Any, config))
