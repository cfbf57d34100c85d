"""Command lines that need no library to be read: `chat model.gguf --max-tokens 100 --json`.

    plain_arguments(chat, ["model.gguf", "--seed", "7"])    # {"model": Path("model.gguf"), "seed": 7}
    plain_arguments(chat, ["--help"])                       # None: typer has to look at it

Typer takes 0.04 s to import, and reads a line through pydantic, which takes 0.12 s: a quarter of the time to
the first token of a small model. Here options are matched with the marks (`marks.py`) that typer is told of
too, and everything that is not plainly right (help, a missing or unknown name, a value out of bounds) is left
to typer, which says why.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Final, NamedTuple, get_args, get_origin

from saccade.cli.marks import Mark

#: What may be said of a parameter: it changes nothing about how a value is read, or is looked at here.
_KNOWN: Final = frozenset(["help", "metavar", "min", "max"])
#: What asks for a look at the file system, where the parameter is given.
_OF_FILES: Final = frozenset(["exists", "file_okay", "dir_okay", "readable", "writable", "resolve_path"])
_NUMBERS: Final = {int: r"-?\d{1,18}", float: r"-?\d{1,18}(\.\d*)?"}


class NotPlain(Exception):
    """Something that typer has to look at."""


class Wanted(NamedTuple):
    """A parameter: its type without None, and what is said of it."""

    kind: type
    mark: Mark


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
        if wanted[name].mark.is_option:
            options |= dict.fromkeys(_names(name, wanted[name]), name)
        else:
            places.append(name)
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
    kind, mark, *_ = get_args(annotation)
    kinds = [each for each in get_args(kind) or (kind,) if each is not NoneType]
    if len(kinds) != 1 or not isinstance(kinds[0], type) or not isinstance(mark, Mark):
        raise NotPlain
    if not mark.told.keys() <= _KNOWN | _OF_FILES:
        raise NotPlain
    return Wanted(kinds[0], mark)


def _names(name: str, wanted: Wanted) -> list[str]:
    """What an option is called."""
    told = list(wanted.mark.names)
    if (wanted.kind is bool and not told) or not all(re.fullmatch(r"--?[a-z-]+", each) for each in told):
        raise NotPlain
    return told or [f"--{name.replace('_', '-')}"]


def _value(wanted: Wanted, text: str) -> Any:
    kind, told = wanted.kind, wanted.mark.told
    if kind is bool:
        return True
    if _OF_FILES & told.keys():
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
    if number < told.get("min", number) or number > told.get("max", number):
        raise NotPlain
    return number
