"""Write nested tables as TOML, the part of the format that configs need, and read it within bounds.

In: a mapping of names to booleans, integers, floats, strings, tuples of those, and further mappings.
Out: TOML text that `parse` reads back to the same values (tuples come back as lists).

    >>> print(dumps({"seed": 1, "noise": {"hsv": 0.1}}))
    seed = 1
    <BLANKLINE>
    [noise]
    hsv = 0.1
    <BLANKLINE>
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
#: Bytes of a file of settings; a whole config with its comments takes 9 kB.
TOML_BYTES = 1 << 18
#: Parts of a dotted key. The library takes the square of their number: a key of 60 kB would take minutes.
MOST_PARTS = 32
# Strings and comments, ended or not: what is left of a text without them has dots in keys and numbers alone.
_TEXTS = re.compile(
    r"""
      \"{3} (?: [^\\] | \\[\s\S] )*? (?: \"{3,5} | \Z )   # three quotes may be preceded by two that are text
    | '{3} [\s\S]*? (?: '{3,5} | \Z )
    | \" (?: [^\"\\\n] | \\. )* \"?
    | ' [^'\n]* '?
    | \# [^\n]*
    """,
    re.VERBOSE,
)
_LONG_KEY = re.compile(rf"(?:\.[ \t]*[\w-]+[ \t]*){{{MOST_PARTS}}}")


def parse(text: str) -> dict[str, Any]:
    """The table of a TOML text; one of `saccade.files.reading.FAILURES` if it is none."""
    if _LONG_KEY.search(_TEXTS.sub("s", text)):
        raise ValueError(f"not valid TOML: it has a key of more than {MOST_PARTS} parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not valid TOML: {error}") from None


def format_string(text: str) -> str:
    """A TOML basic string: quotes, backslashes and control characters escaped."""
    pieces = []
    for character in text:
        if character in _ESCAPES:
            pieces.append(_ESCAPES[character])
        elif ord(character) < 0x20 or ord(character) == 0x7F:
            pieces.append(f"\\u{ord(character):04x}")
        else:
            pieces.append(character)
    return '"' + "".join(pieces) + '"'


def format_float(value: float) -> str:
    """The shortest text that reads back as the same float, always recognisable as a float."""
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return repr(value)


def format_value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return format_float(value)
    if isinstance(value, str):
        return format_string(value)
    if isinstance(value, Sequence):
        return "[" + ", ".join(format_value(item) for item in value) + "]"
    raise TypeError(f"cannot write {value!r} ({type(value).__name__}) as TOML")


def _format_key(key: str) -> str:
    bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if bare else format_string(key)


def dumps(
    table: Mapping[str, object], comments: Mapping[str, str] | None = None, prefix: tuple[str, ...] = ()
) -> str:
    """TOML text of `table`; `comments` maps dotted keys (`noise.hsv`) to a remark behind the value."""
    comments = comments or {}
    lines: list[str] = []
    nested: list[tuple[str, Mapping[str, object]]] = []
    for key, value in table.items():
        if isinstance(value, Mapping):
            nested.append((key, value))
            continue
        remark = comments.get(".".join((*prefix, key)))
        lines.append(f"{_format_key(key)} = {format_value(value)}" + (f"  # {remark}" if remark else ""))
    for key, value in nested:
        path = (*prefix, key)
        lines.append("")
        lines.append("[" + ".".join(_format_key(part) for part in path) + "]")
        lines.append(dumps(value, comments, path).rstrip("\n"))
    return "\n".join(lines) + "\n"
