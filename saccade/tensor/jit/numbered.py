"""jit functions whose number arguments change: after the third value a trace takes them as they come.

    step(weights, 0.1); step(weights, 0.05)     # a trace each, as for everything that differs
    step(weights, 0.025)                        # a trace with a `Number` in the place of the rate
    step(weights, 0.0125)                       # replayed

The function runs once more as it is, on the numbers of the call, and both graphs must be the same but for
the numbers: whatever a number that is not known makes different is found. If it is, or if the function asks
for the value (`NumberRead`), those arguments stay what every other value is: a guard. So do the numbers of a
function that changes lists or attributes it can see.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import eq
from typing import Any, Final, cast

from ...graph.node import Scalar
from ..core import Core
from ..programs.form import as_number, hole_types
from .number import Number, NumberRead, Recorder, is_given
from .replay import Variant
from .tracing import Linker, Traced, link, run_function
from .tree import Structure, Value, with_numbers

#: Values of an argument before it is taken as it comes; the last of them is traced that way.
VALUES: Final = 3
#: Calls whose graphs may differ by accident, because two numbers are equal, before that is not believed.
_ACCIDENTS: Final = 3

Numbers = tuple[Value, ...]


class Numbered:
    """A trace for calls that have the same numbers in some places, and any in the others."""

    __slots__ = ("_given", "_known", "variant")

    def __init__(self, variant: Variant, numbers: Numbers, given: Sequence[int]) -> None:
        self.variant = variant
        self._given = tuple(given)
        self._known = [(place, number) for place, number in enumerate(numbers) if place not in self._given]

    def words(self, numbers: Sequence[Value]) -> list[bytes | None] | None:
        """The words for the numbers of a call; None if the trace is not for them."""
        for place, number in self._known:
            if numbers[place] != number:
                return None
        return self.variant.words(_scalars(numbers, self._given))


def _scalars(numbers: Sequence[Value], places: Sequence[int]) -> list[Scalar]:
    """The numbers in some places; `without_numbers` takes out ints and floats only."""
    return [cast(Scalar, numbers[place].value) for place in places]


class Record:
    """The numbers a function was called with, for arguments that are otherwise alike."""

    __slots__ = ("_accidents", "_refused", "_seen", "_varying")

    def __init__(self) -> None:
        self._accidents = 0
        self._seen: list[Numbers] = []
        self._varying: set[int] = set()
        self._refused: set[int] = set()

    def note(self, numbers: Numbers) -> tuple[int, ...]:
        """Another call: which of its numbers to take as they come."""
        if numbers not in self._seen and len(self._seen) < VALUES:
            self._seen.append(numbers)
        for other in self._seen:
            self._varying |= {place for place, same in enumerate(map(eq, numbers, other)) if not same}
        enough = len(self._seen) == VALUES
        return tuple(sorted(self._varying - self._refused)) if enough else ()

    def refuse(self, places: set[int]) -> None:
        """These have to be known."""
        self._refused |= places

    def differs(self, places: set[int]) -> None:
        """The graph was another one for these; if that happens again and again, they have to be known."""
        self._accidents += 1
        if self._accidents == _ACCIDENTS:
            self.refuse(places)


def trace_numbers(
    function: Callable[..., Any],
    structure: Structure,
    leaves: list[Core],
    args: tuple[Any, ...],
    numbers: Numbers,
    record: Record,
) -> tuple[Numbered | None, Traced | None]:
    """A trace that takes some numbers as they come, of a structure with places for numbers, if any can be
    taken so; and the run with all of them known, if there was one."""
    plain: Traced | None = None
    while given := record.note(numbers):
        if plain is None:  # whatever it raises is the caller's
            plain = run_function(function, with_numbers(structure, iter(numbers)), leaves, args)
            if (
                not plain.is_pure or plain.is_tangled
            ):  # what it does beside must happen once, and with numbers that are known
                record.refuse(set(given))
                break
        known = [None if place in given else number for place, number in enumerate(numbers)]
        recorder = Recorder(_scalars(numbers, given))
        symbols = [Number(recorder.argument(type(numbers[place].value))) for place in given]
        try:
            traced = run_function(function, with_numbers(structure, iter(known)), leaves, args, symbols)
            if recorder.read:
                raise NumberRead(frozenset(recorder.read))
        except NumberRead as error:
            record.refuse({given[number] for number in error.arguments})
        except Exception:  # noqa: BLE001  the function takes no such numbers, in whatever words it says so
            record.refuse(set(given))
        else:
            if _is_same(plain, traced, recorder, [numbers[place].value for place in given]):
                return Numbered(link(traced, recorder), numbers, given), plain
            record.differs(set(given))
            break
    return None, plain


def _is_same(plain: Traced, traced: Traced, recorder: Recorder, numbers: Sequence[Any]) -> bool:
    """Did two runs leave the same, but for numbers that the second one's recorder works out?"""
    values = recorder.values(numbers)
    one, other = Linker(plain), Linker(traced)
    if values is None or plain.result != traced.result or len(one.parts) != len(other.parts):
        return False
    for mine, theirs in zip(one.parts, other.parts, strict=True):
        if mine.device != theirs.device or mine.form[0] != theirs.form[0]:
            return False
        if list(map(one.role, mine.buffers)) != list(map(other.role, theirs.buffers)):
            return False
        holes = zip(mine.form[1], theirs.form[1], hole_types(mine.form[0]), strict=True)
        for number, there, dtype in holes:
            if number != (as_number(values[there.place], dtype) if is_given(there) else there):
                return False
    return _written(plain) == _written(traced) and _outputs(one, plain) == _outputs(other, traced)


def _written(traced: Traced) -> list[tuple[Any, ...]]:
    """What a run wrote to, and the views that they are then."""
    targets = [(change.target, change.moves) for change in traced.changed]
    return [(t if isinstance(t, int) else t.tensor, moves) for t, moves in targets]


def _outputs(linker: Linker, traced: Traced) -> list[tuple[Any, ...]]:
    """Where everything comes from that a run made, and what it is."""
    outputs = [linker.output(seen) for seen in traced.made]
    return [(o.source, o.of, o.shape, o.dtype, o.kind) for o in outputs]
