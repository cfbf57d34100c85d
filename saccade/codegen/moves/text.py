"""Moves in words and as JSON: what people write, `explain` prints, and a search keeps.

    >>> words_of(Split(0, 8, "vector"))
    'split 0 8 vector'
    >>> from_words("order 1,0")
    Order(axes=(1, 0))
    >>> from_json(to_json([Bind(1, "parallel")]))
    [Bind(axis=1, kind='parallel')]

Fields come in the order the move has them; those with a default may be left out at the end.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any, Final

from ...files.reading import FAILURES, parse_json, shown
from ...graph.kernels.kernel import LOOP, PARALLEL, UNROLL, VECTOR
from ..cuda.search.moves import Attend, Flat, GpuMove, Multiply, Rows, Turn
from .moves import Accumulate, Bind, Copy, Merge, Move, Order, Pack, Split, Widen

_MOVES: Final[dict[str, type[Any]]] = {
    kind.__name__: kind
    for kind in (Split, Merge, Bind, Order, Pack, Copy, Accumulate, Widen, Flat, Rows, Multiply, Attend, Turn)
}
#: the values of a field, by its type
_VALUES: Final[dict[str, type]] = {"int": int, "str": str, "bool": bool, "tuple[int, ...]": tuple}
#: moves of a kernel, and the numbers in them
MOST_MOVES: Final = 256
MOST_NUMBER: Final = 1 << 31
_KINDS: Final = (LOOP, PARALLEL, VECTOR, UNROLL)


def words_of(move: object) -> str:
    """A move in a few words. A number at the end that says nothing is left out."""
    values = list(vars(move).values())
    if isinstance(move, Split) and move.unit == 0:
        values.pop()
    return " ".join([type(move).__name__.lower(), *map(_word, values)])


def as_words(move: Move | GpuMove | str) -> str:
    """A move in words, whichever way it is given; TypeError or ValueError for what is none."""
    if not isinstance(move, Move | GpuMove | str):
        raise TypeError(f"a move is data, as Split(0, 8), or words, as 'split 0 8'; not {move!r}")
    return words_of(from_words(move if isinstance(move, str) else words_of(move)))


def _word(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value).lower()


def from_words(text: str) -> Move | GpuMove:
    """The move that some words say, or ValueError."""
    name, *words = text.split() or [""]
    kind = _kind(name.capitalize())
    known = fields(kind)
    if len(words) > len(known):
        raise ValueError(f"{text!r}: {name} takes {', '.join(f.name for f in known)} and no more")
    try:
        given = {f.name: _value(word, str(f.type)) for f, word in zip(known, words, strict=False)}
        return _move({"move": kind.__name__, **given})
    except (ValueError, TypeError) as error:
        raise ValueError(f"{text!r} is not a move: {error}") from None


def _value(word: str, type_name: str) -> Any:
    if type_name == "int":
        return int(word)
    if type_name == "bool":
        return {"true": True, "false": False}.get(word.lower(), word)
    return tuple(map(int, word.split(","))) if type_name.startswith("tuple") else word


def to_json(moves: Sequence[Move | GpuMove]) -> str:
    return json.dumps([{"move": type(move).__name__, **asdict(move)} for move in moves])


def from_json(text: str) -> list[Move | GpuMove]:
    """The moves, or ValueError for a text that is none."""
    try:
        listed = parse_json(text)
        if len(listed) > MOST_MOVES:
            raise ValueError(f"{len(listed)} moves, and at most {MOST_MOVES} are made")
        return [_move(values) for values in listed]
    except FAILURES as error:
        raise ValueError(f"not a list of moves: {shown(text)} ({error or type(error).__name__})") from None


def _move(given: dict[str, Any]) -> Move | GpuMove:
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    kind = _kind(values.pop("move"))
    for field in fields(kind):
        value = values.get(field.name, field.default)
        numbers = value if isinstance(value, tuple) else (value,)
        if field.name in values and type(value) is not _VALUES[str(field.type)]:
            raise ValueError(f"{field.name} of {kind.__name__} is a {field.type}, not {shown(value)}")
        if any(isinstance(number, int) and not 0 <= number < MOST_NUMBER for number in numbers):
            raise ValueError(f"{field.name} of {kind.__name__} is {shown(value)}, not 0 to {MOST_NUMBER}")
    if "kind" in values and values["kind"] not in _KINDS:
        raise ValueError(f"an axis is {', '.join(_KINDS)}; not {values['kind']!r}")
    made: Move | GpuMove = kind(**values)
    return made


def _kind(name: object) -> type[Any]:
    if name not in _MOVES:
        raise ValueError(f"unknown move {name!r}: use one of {', '.join(_MOVES)}")
    return _MOVES[str(name)]
