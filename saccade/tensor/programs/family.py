"""Computations that differ in numbers alone: a family, of which the third is compiled for all that follow.

    for i in range(1000):
        (x[i] * float(i)).sum().item()      # two programs that know i, and one that is given it

The first members of a family are compiled with their numbers known: `x * 1` is nothing, bounds are constants.
With the third, the numbers that were seen to differ become runtime values (see graph.value): one program is
given them as words with each call. A member that differs in yet another number makes the program more
general; as there are only so many numbers, that ends. Numbers that were always equal are one word.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Container, Hashable, Sequence
from operator import itemgetter
from typing import Any, Final

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.node import Shape, in_dtype
from ...graph.ops import Op
from ...runtime.executable import Executable
from ..jit.number import is_given
from .form import Form, Given, Numbers, Structure, as_number, hole_types
from .result import Result

#: Members that are compiled with their numbers known.
SPECIALISED: Final = 2

#: Bytes of a result that is kept to be handed out again: there are many families.
_LARGEST_KEPT: Final = 1 << 14

#: A program, and the words it is given beside its inputs, if it takes any.
Ready = tuple[Executable, bytes | None]
Make = Callable[[Form, str], Executable]


class General:
    """A program of which some numbers are given with each call."""

    __slots__ = ("_expected", "_first", "_known", "_pack", "_tied", "_to", "executable", "numbers", "single")

    def __init__(self, executable: Executable, numbers: Numbers, types: list[DType]) -> None:
        self.executable = executable
        self.single: Result | None = None
        self.numbers = numbers
        first: dict[int, int] = {}
        tied, known = [], []
        for hole, number in enumerate(numbers):
            if type(number) is not Given:
                known.append(hole)
            elif first.setdefault(number.word, hole) != hole:
                tied.append((hole, first[number.word]))
        holes = [first[word] for word in range(len(first))]
        self._first, self._known = _picker(holes), _picker(known)
        self._tied, self._to = _picker([hole for hole, _ in tied]), _picker([hole for _, hole in tied])
        self._expected = self._known(numbers)
        self._pack = struct.Struct("=" + "".join([word_format(types[hole]) for hole in holes])).pack

    def words(self, numbers: Numbers) -> bytes | None:
        """The words for these numbers; None if one that is known differs, or two that are one word do."""
        if self._known(numbers) != self._expected or self._tied(numbers) != self._to(numbers):
            return None
        try:
            return self._pack(*self._first(numbers))
        except struct.error:
            return None  # numbers of a trace that is over: see `settled`


def given(columns: Sequence[Hashable], varying: Container[int], numbers: Numbers) -> Numbers:
    """Numbers of which those that vary are given: one word for holes whose columns are equal, of whatever was
    seen in them."""
    words: dict[Hashable, int] = {}
    return tuple(
        [
            Given(words.setdefault(columns[hole], len(words))) if hole in varying else number
            for hole, number in enumerate(numbers)
        ]
    )


class WordsOf:
    """The words of a traced computation: which of the numbers a call computes, and as which dtype."""

    __slots__ = ("_numbers", "_pack")

    def __init__(self, numbers: list[tuple[int, DType]]) -> None:
        self._numbers = numbers
        self._pack = struct.Struct("=" + "".join([word_format(dtype) for _, dtype in numbers])).pack

    def pack(self, values: list[Any]) -> bytes:
        """The words, or what Python raises for numbers that a dtype does not hold."""
        return self._pack(*[in_dtype(values[place], dtype) for place, dtype in self._numbers])


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

    __slots__ = ("_types", "copies", "device", "exact", "general", "results", "single", "structure", "used")

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
        #: of those with one result that were asked for again, what makes it
        self.single: dict[Numbers, Result] = {}
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

    def find_single(self, numbers: Numbers) -> tuple[Result, bytes | None] | None:
        """What makes the only result for these numbers, and the words it is given, if there is a program."""
        if self.copies or self.results is None or len(self.results) > 1:
            return None
        executable = self.exact.get(numbers)
        if executable is not None:
            made = self.single[numbers] = self._single(executable)
            return made, None
        general = self.general
        words = None if general is None else general.words(numbers)
        if general is None or words is None:
            return None
        if general.single is None:
            general.single = self._single(general.executable)
        return general.single, words

    def _single(self, executable: Executable) -> Result:
        """What makes the only result. A GPU's goes back to the allocator, which knows the queues that read
        it: who computes without `jit` may use several."""
        assert self.results is not None
        return Result(executable, *self.results[0], _LARGEST_KEPT if executable.on_host else -1)

    def add(self, numbers: Numbers, make: Make) -> Ready:
        """A new program for these numbers: their own, or from the third on one for others too."""
        if len(self.exact) < SPECIALISED or not numbers:
            return self.specialise(numbers, make), None
        # what was seen in each hole; of a general program's calls, which holes were equal
        before = [] if self.general is None else [self.general.numbers]
        columns = list(zip(self._types, *self.exact, *before, numbers, strict=True))
        varying = {hole for hole, (_, *column) in enumerate(columns) if any(n != column[0] for n in column)}
        general = self.given(given(columns, varying, numbers), make)
        words = general.words(numbers)
        assert words is not None
        self.general = general
        return general.executable, words

    def settled(self, numbers: Numbers) -> Numbers:
        """The numbers, with those of a trace that is over as they were then."""
        pairs = zip(numbers, self._types, strict=True)
        return tuple([as_number(n.recorder.known(n), dtype) if is_given(n) else n for n, dtype in pairs])

    def specialise(self, numbers: Numbers, make: Make) -> Executable:
        """The program that knows its numbers."""
        made = self.exact[numbers] = make((self.structure, numbers), self.device)
        self.single.pop(numbers, None)
        return made

    def given(self, numbers: Numbers, make: Make) -> General:
        """The program for numbers of which some are `Given`; the family's, if it is that."""
        general = self.general
        if general is None or general.numbers != numbers:
            general = General(make((self.structure, numbers), self.device), numbers, self._types)
        return general

    @property
    def nbytes(self) -> int:
        """Of the sources of its programs."""
        general = () if self.general is None else (self.general.executable,)
        programs = (*self.exact.values(), *general)
        return sum(program.recipe.nbytes for program in programs)

    def forms(self) -> list[Form]:
        """What was compiled of it."""
        every = [*self.exact] if self.general is None else [*self.exact, self.general.numbers]
        return [(self.structure, numbers) for numbers in every]
