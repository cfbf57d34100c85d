"""Computations that differ in numbers alone: a family, of which the third is compiled for all that follow.

    for i in range(1000):
        (x[i] * float(i)).sum().item()      # two programs that know i, and one that is given it

The first members of a family are compiled with their numbers known: `x * 1` is nothing, bounds are constants.
With the third, the numbers that were seen to differ become runtime values (see graph.value): one program is
given them as words with each call. A member that differs in yet another number makes the program more
general; as there are only so many numbers, that ends.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any, Final

from ..graph import dtypes
from ..graph.dtypes import DType
from ..graph.node import Shape
from ..graph.ops import Op
from ..runtime.recipe import Executable
from .form import GIVEN, Form, Numbers, Structure, hole_types

#: Members that are compiled with their numbers known.
SPECIALISED: Final = 2

#: A program, and the words it is given beside its inputs, if it takes any.
Ready = tuple[Executable, bytes | None]
Make = Callable[[Form, str], Executable]


class General:
    """A program of which some numbers are given with each call."""

    __slots__ = ("_expected", "_given", "_known", "_pack", "executable", "numbers")

    def __init__(self, executable: Executable, numbers: Numbers, types: list[DType]) -> None:
        self.executable = executable
        self.numbers = numbers
        given = [hole for hole, number in enumerate(numbers) if number is GIVEN]
        known = [hole for hole, number in enumerate(numbers) if number is not GIVEN]
        self._given, self._known = _picker(given), _picker(known)
        self._expected = self._known(numbers)
        self._pack = struct.Struct("=" + "".join([word_format(types[hole]) for hole in given])).pack

    def words(self, numbers: Numbers) -> bytes | None:
        """The words for these numbers; None if they differ in one that is known."""
        return self._pack(*self._given(numbers)) if self._known(numbers) == self._expected else None


def word_format(dtype: DType) -> str:
    """How a number of this dtype is packed into a word of 64 bits."""
    return "d" if dtype.is_float else "Q" if dtype is dtypes.uint64 else "q"


def _picker(places: list[int]) -> Callable[[Numbers], tuple[Any, ...]]:
    """The elements of a tuple at some places, as a tuple."""
    if not places:
        return lambda numbers: ()
    if len(places) == 1:
        (place,) = places
        return lambda numbers: (numbers[place],)
    return itemgetter(*places)


class Family:
    """All computations of one structure on one device."""

    __slots__ = ("_types", "_varying", "copies", "device", "exact", "general", "results", "structure", "used")

    def __init__(self, structure: Structure, device: str) -> None:
        self.structure = structure
        self.device = device
        #: what the results are, once somebody has asked
        self.results: list[tuple[DType, Shape]] | None = None
        #: whether parts of it are on other devices
        self.copies = any(entry[0] is Op.COPY for entry in structure[0])
        #: asked for again, since the cache last looked for what to drop
        self.used = False
        #: members by their numbers
        self.exact: dict[Numbers, Executable] = {}
        self.general: General | None = None
        self._varying: frozenset[int] = frozenset()
        self._types = hole_types(structure)

    def find(self, numbers: Numbers) -> Ready | None:
        """A program for these numbers, if there is one."""
        found = self.exact.get(numbers)
        if found is not None:
            return found, None
        general = self.general
        if general is None:
            return None
        words = general.words(numbers)
        return None if words is None else (general.executable, words)

    def add(self, numbers: Numbers, make: Make) -> Ready:
        """A new program for these numbers: their own, or from the third on one for others too."""
        if len(self.exact) < SPECIALISED or not numbers:
            return self.specialise(numbers, make), None
        before = [*self.exact, self.general.numbers] if self.general is not None else self.exact
        differ = {hole for other in before for hole in _different(numbers, other)}
        general = self.generalise(self._varying | differ, numbers, make)
        words = general.words(numbers)
        assert words is not None
        self._varying, self.general = self._varying | differ, general
        return general.executable, words

    def specialise(self, numbers: Numbers, make: Make) -> Executable:
        """The program that knows its numbers."""
        made = self.exact[numbers] = make((self.structure, numbers), self.device)
        return made

    def generalise(self, given: Iterable[int], numbers: Numbers, make: Make) -> General:
        """A program that is given the numbers in some holes and knows the others."""
        wanted = set(given)
        form = tuple([GIVEN if hole in wanted else number for hole, number in enumerate(numbers)])
        return General(make((self.structure, form), self.device), form, self._types)

    def forms(self) -> list[Form]:
        """What was compiled of it."""
        every = [*self.exact] if self.general is None else [*self.exact, self.general.numbers]
        return [(self.structure, numbers) for numbers in every]


def _different(numbers: Numbers, others: Numbers) -> list[int]:
    return [
        hole for hole, (a, b) in enumerate(zip(numbers, others, strict=True)) if a != b and b is not GIVEN
    ]
