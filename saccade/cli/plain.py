"""Command lines that need no library to be read: `chat model.gguf --max-tokens 100 --json`.

    plain_arguments(chat, ["model.gguf", "--seed", "7"])    # {"model": Path("model.gguf"), "seed": 7}
    plain_arguments(chat, ["--help"])                       # None: typer has to look at it

Typer reads a line through pydantic, which takes 0.12 s to import: an eighth of the time to the first token of
a small model. Here options are matched with the same signature that typer reads, and everything that is not
plainly right (help, a missing or unknown name, a value out of bounds) is left to typer, which says why.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Final, NamedTuple, get_args, get_origin

from typer.models import ArgumentInfo, OptionInfo, ParameterInfo

#: What may be said of a parameter: it changes nothing about how a value is read, or is looked at here.
_KNOWN: Final = frozenset(["default", "param_decls", "help", "metavar", "min", "max", "envvar"])
#: What asks for a look at the file system, where the parameter is given.
_OF_FILES: Final = frozenset(["exists", "file_okay", "dir_okay", "readable", "writable", "resolve_path"])
_NUMBERS: Final = {int: r"-?\d{1,18}", float: r"-?\d{1,18}(\.\d*)?"}


class NotPlain(Exception):
    """Something that typer has to look at."""


class Wanted(NamedTuple):
    """A parameter: its type without None, and what typer knows of it."""

    kind: type
    info: ParameterInfo


def plain_arguments(command: Callable[..., object], line: Sequence[str]) -> dict[str, Any] | None:
    """The arguments that a line gives to a command; None where typer has to read it."""
    try:
        return _matched(command, line)
    except NotPlain:
        return None


def _matched(command: Callable[..., object], line: Sequence[str]) -> dict[str, Any]:
    options: dict[str, str] = {}  # parameters by the names of options
    places: list[str] = []
    wanted: dict[str, Wanted] = {}
    required = set()
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        wanted[name] = _wanted(parameter.annotation)
        if parameter.default is inspect.Parameter.empty:
            required.add(name)
        if isinstance(wanted[name].info, ArgumentInfo):
            places.append(name)
        else:
            options |= dict.fromkeys(_names(name, wanted[name]), name)
    found: dict[str, Any] = {}
    rest = iter(line)
    for word in rest:
        if word.startswith("-"):
            given, _, value = word.partition("=")
            name = options.get(given, "")
            if wanted.get(name) is not None and wanted[name].kind is bool:
                text = "" if word == given else None
            else:
                text = value if word != given else next(rest, None)
        else:
            name, text = places.pop(0) if places else "", word
        if name not in wanted or name in found or text is None or text.startswith("-"):
            raise NotPlain
        found[name] = _value(wanted[name], text)
    if not required <= found.keys():
        raise NotPlain
    return found


def _wanted(annotation: Any) -> Wanted:
    if get_origin(annotation) is not Annotated:
        raise NotPlain
    kind, info, *_ = get_args(annotation)
    kinds = [each for each in get_args(kind) or (kind,) if each is not NoneType]
    if len(kinds) != 1 or not isinstance(kinds[0], type) or not isinstance(info, (ArgumentInfo, OptionInfo)):
        raise NotPlain
    plain = vars(type(info)())
    told = {name for name, value in vars(info).items() if value != plain[name]}
    if not told <= _KNOWN | _OF_FILES or (info.envvar is not None and str(info.envvar) in os.environ):
        raise NotPlain
    return Wanted(kinds[0], info)


def _names(name: str, wanted: Wanted) -> list[str]:
    """What an option is called."""
    told = [each for each in (wanted.info.default, *(wanted.info.param_decls or ())) if isinstance(each, str)]
    if (wanted.kind is bool and not told) or not all(re.fullmatch(r"--?[a-z-]+", each) for each in told):
        raise NotPlain
    return told or [f"--{name.replace('_', '-')}"]


def _value(wanted: Wanted, text: str) -> Any:
    kind, info = wanted
    if kind is bool:
        return True
    if any(getattr(info, name) != getattr(type(info)(), name) for name in _OF_FILES):
        raise NotPlain
    if kind in (str, Path):
        return kind(text)
    if issubclass(kind, StrEnum):
        if text not in list(kind):
            raise NotPlain
        return kind(text)
    if kind not in _NUMBERS or not re.fullmatch(_NUMBERS[kind], text):
        raise NotPlain
    number = int(text) if kind is int else float(text)
    if (info.min is not None and number < info.min) or (info.max is not None and number > info.max):
        raise NotPlain
    return number
