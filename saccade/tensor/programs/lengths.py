"""Computations that differ in one length: the third is compiled for all that follow, up to a capacity.

    for n in range(3, 500):
        Tensor(data[:n]).softmax(0).numpy()     # three programs that know n, and a few that are given it

A structure (form.py) is taken apart into a *skeleton* and its sizes. Computations with one skeleton whose
sizes are all affine in one of them are of one kind, whatever its value v. The first two of a kind are
compiled as they are. With the third, `transform.lengths` makes a program that is given v, for v between two
powers of two; others make another. Every call checks that its sizes are what v says, so a kind that was only
guessed is never wrong: such a computation is compiled for itself. So is a length that comes again and again,
for a program that knows its length is the faster one; of each kind a few are. And so is one whose results,
in the memory of a capacity, would waste a megabyte: weights of a model are a few lengths, and stay.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, Final

from ...graph.node import Node
from ...graph.ops import Op
from ...graph.param import Param
from ...graph.value import length
from ...runtime.executable import Executable
from ...runtime.process.forking import fork_lock
from .family import Ready, word_format
from .form import Form, Given, Numbers, Structure, constant_holes, graph_of, hole_types

if TYPE_CHECKING:
    from ...graph.dtypes import DType
    from ...transform.sizes import Size

#: Kinds that are remembered.
_MOST_KINDS: Final = 512
#: Lengths that are compiled as they are, and how often computations may turn out not to be of one kind.
SPECIALISED, _MOST_MISSES = 2, 4
#: Computations of a length, or replays of a trace of it, after which it is compiled for itself; and how many
#: lengths of a kind are: a loop over all of them does not compile each in the end.
OFTEN: Final = 32
_MOST_EXACT: Final = 8
#: Bytes of results beyond their length for which one is compiled for itself, and how many of a kind are.
_MUCH_WASTED: Final = 1 << 20
_MOST_SMALL: Final = 8
#: Lengths of a kind that are counted.
_MOST_COUNTED: Final = 4096
#: The least capacity; others are powers of two.
_LEAST: Final = 64

Make = Callable[[Any, str], Executable]
#: a form, and its sizes
Seen = tuple[Form, tuple[int, ...]]

_kinds: dict[tuple[Any, str], Kind] = {}
#: held while the kinds change, or what is known of one; not while a program is made
_changing: Final = fork_lock()


def ready_at_any_length(form: Form, device: str, make: Make) -> Ready | None:
    """The program for all lengths that serves a form, and the words it is given, if there is any."""
    skeleton, sizes = taken_apart(form[0])
    if not sizes:
        return None
    key = (skeleton, device)
    kind = _kinds.get(key) or _new_kind(key)
    found = kind.find(form, sizes, make)
    if found is None or kind.comes_often(sizes):
        return None
    program, v = found
    wastes = program.wasted(v) >= _MUCH_WASTED and kind.keeps_small(sizes)
    return None if wastes else program.ready(form[1], v)


def prefer_exact(form: Form, device: str) -> bool:
    """Compile a form for itself when it comes next; False where too many of its kind are."""
    skeleton, sizes = taken_apart(form[0])
    kind = _kinds.get((skeleton, device))
    return kind is None or kind.prefers(sizes)


def _new_kind(key: tuple[Any, str]) -> Kind:
    with _changing:
        while len(_kinds) >= _MOST_KINDS:
            del _kinds[next(iter(_kinds))]
        return _kinds.setdefault(key, Kind(key[1]))


@dataclass(frozen=True)
class Lengths:
    """A computation for every length up to a capacity, as it was seen at two: what a program is made of."""

    first: Form
    second: Form
    lengths: tuple[int, int]
    capacity: int

    def graph(self) -> tuple[tuple[Node, ...], int]:
        """Its results, flat, and how many memories it is given."""
        roots, inputs, _ = self._made()
        return roots, inputs

    def results(self) -> tuple[tuple[Size, ...], ...]:
        """The sizes of the axes of each result."""
        return self._made()[2]

    def _made(self) -> tuple[tuple[Node, ...], int, tuple[tuple[Size, ...], ...]]:
        from ...transform.lengths import at_capacity  # 4 ms that most processes are spared
        from ...transform.sizes import Span

        one, inputs = graph_of(self.first)
        other, _ = graph_of(self.second)
        given = sum(isinstance(number, Given) for number in self.first[1])
        words = Param(inputs - (given > 0), given + 1)  # the words of numbers, then the length
        n = length(words, given, least_of(self.capacity), self.capacity)
        roots, sizes = at_capacity(one, other, Span(*self.lengths, self.capacity, n), words)
        return roots, words.slot + 1, sizes


class Kind:
    """All computations of one skeleton on one device."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.seen: list[Seen] = []
        self.programs: list[Program] = []
        self.misses = 0
        #: how often sizes came, and those that are compiled for themselves
        self._counts: dict[tuple[int, ...], int] = {}
        self._exact: set[tuple[int, ...]] = set()
        self._small: set[tuple[int, ...]] = set()

    def find(self, form: Form, sizes: tuple[int, ...], make: Make) -> tuple[Program, int] | None:
        for program in self.programs:
            v = program.length_of(form, sizes)
            if v is not None:
                return program, v
        pair = self._noted(form, sizes)
        if pair is None:
            return None
        made = self._made(pair, form, sizes, make)
        with _changing:
            # another thread may have tried the same pair meanwhile
            if made is not None:
                self.programs.append(made)
            elif self.seen[0] is pair[0]:
                self.misses += 1
                del self.seen[0]
        return None if made is None else (made, sizes[made.place])

    def comes_often(self, sizes: tuple[int, ...]) -> bool:
        """Count a computation of these sizes; whether it is one to compile for itself."""
        with _changing:
            if len(self._counts) >= _MOST_COUNTED:
                self._counts.clear()
            count = self._counts[sizes] = self._counts.get(sizes, 0) + 1
        return sizes in self._exact or (count > OFTEN and self.prefers(sizes))

    def prefers(self, sizes: tuple[int, ...]) -> bool:
        """Compile these sizes for themselves from now on, unless too many are."""
        with _changing:
            if len(self._exact) < _MOST_EXACT:
                self._exact.add(sizes)
            return sizes in self._exact

    def keeps_small(self, sizes: tuple[int, ...]) -> bool:
        """Compile these sizes for themselves, for the memory they waste, unless too many are."""
        with _changing:
            if len(self._small) < _MOST_SMALL:
                self._small.add(sizes)
            return sizes in self._small

    def _noted(self, form: Form, sizes: tuple[int, ...]) -> tuple[Seen, Seen] | None:
        """Remember a form; the two to make a program of, where there are enough of the kind."""
        with _changing:
            if self.misses >= _MOST_MISSES:
                return None
            if all(sizes != known for _, known in self.seen):
                self.seen.append((form, sizes))
            return (self.seen[0], self.seen[1]) if len(self.seen) > SPECIALISED else None

    def _made(
        self, pair: tuple[Seen, Seen], form: Form, sizes: tuple[int, ...], make: Make
    ) -> Program | None:
        """A program for the lengths of two forms, if this form is of one kind with them."""
        from ...transform.sizes import Unbounded

        (_, before), (_, after) = pair
        steps = [b - a for a, b in zip(before, after, strict=True)]
        place = min((p for p, step in enumerate(steps) if step), key=lambda p: abs(steps[p]))
        try:
            program = Program(pair, place, capacity_for(sizes[place]))
            if program.length_of(form, sizes) is None:
                return None
            program.compile(make, self.device)
        except Unbounded:
            return None
        return program


def capacity_for(v: int) -> int:
    """The most of the lengths that are served by the program for one."""
    return max(_LEAST, 1 << (v - 1).bit_length())


def least_of(capacity: int) -> int:
    """The least length that a program of this capacity serves: at least half of it is there."""
    return 1 if capacity == _LEAST else capacity // 2 + 1


class Program:
    """One program for the lengths up to its capacity."""

    def __init__(self, seen: Sequence[Seen], place: int, capacity: int) -> None:
        from ...transform.sizes import Span, Unbounded

        (first, before), (second, after) = seen
        self.place, self.least, self.capacity = place, least_of(capacity), capacity
        self.lengths = before[place], after[place]
        span = Span(*self.lengths, capacity, length(Param(0, 1), 0, least_of(capacity), capacity))
        self._sizes = [span.size(a, b) for a, b in zip(before, after, strict=True)]
        types = hole_types(first[0])
        if len(types) != len(first[1]) or hole_types(second[0]) != types:
            raise Unbounded("there are other numbers at another length")
        constants = constant_holes(first[0])
        #: the holes whose numbers follow from the length; those that are given; those that stay as they are
        self._following: list[tuple[int, Size]] = []
        self.given: list[int] = []
        self._known: list[tuple[int, Any]] = []
        for hole, (a, b) in enumerate(zip(first[1], second[1], strict=True)):
            if not constants[hole]:
                self._following.append((hole, span.size(a, b)))
            elif a == b:
                self._known.append((hole, a))
            else:
                self.given.append(hole)
        words = {hole: Given(word) for word, hole in enumerate(self.given)}
        one, other = (
            (structure, tuple([words.get(hole, number) for hole, number in enumerate(numbers)]))
            for structure, numbers in (first, second)
        )
        self.source = Lengths(one, other, self.lengths, capacity)
        formats = [word_format(types[hole]) for hole in self.given]
        self._pack = struct.Struct("=" + "".join(formats) + "q").pack

    def compile(self, make: Make, device: str) -> None:
        self.results = self.source.results()
        self.executable = make(self.source, device)

    def length_of(self, form: Form, sizes: tuple[int, ...]) -> int | None:
        """The length of a form that this program serves, or None."""
        v = sizes[self.place]
        return v if self.least <= v <= self.capacity and self.describes(form, sizes, v) else None

    def describes(self, form: Form, sizes: tuple[int, ...], v: int) -> bool:
        """Whether the sizes and numbers of a form are what they are at this length, whichever it is."""
        if len(sizes) != len(self._sizes):
            return False
        for size, expected in zip(sizes, self._sizes, strict=True):
            if size != expected.base + expected.per * v:
                return False
        numbers = form[1]
        if any(numbers[hole] != known for hole, known in self._known):
            return False
        return all(numbers[hole] == size.at(v) for hole, size in self._following)

    def ready(self, numbers: Numbers, v: int) -> Ready:
        """What computes the results at a length, and the words it is given."""
        return self.at(v), self.words([numbers[hole] for hole in self.given], v)

    def at(self, v: int) -> Executable:
        """What computes the results at a length."""
        return self.executable.sized([prod([size.at(v) for size in sizes]) for sizes in self.results])

    def made(self) -> list[tuple[DType, tuple[tuple[int, int], ...]]]:
        """The dtypes of the results, and base and step of each size of their shapes."""
        shapes = [tuple([(size.base, size.per) for size in sizes]) for sizes in self.results]
        return [
            (dtype, shape) for (_, dtype), shape in zip(self.executable.recipe.outputs, shapes, strict=True)
        ]

    def wasted(self, v: int) -> int:
        """Bytes that results take beyond their elements at a length."""
        most = zip(self.results, self.executable.recipe.outputs, strict=True)
        return sum(
            (count - prod([size.at(v) for size in sizes])) * dtype.itemsize for sizes, (count, dtype) in most
        )

    def words(self, given: Sequence[Any], v: int) -> bytes:
        """The words for the numbers that are given, and a length."""
        return self._pack(*given, v)


# --- skeletons


def taken_apart(structure: Structure) -> tuple[Any, tuple[int, ...]]:
    """A structure without its sizes, but for those that are 0 or 1, and the sizes."""
    sizes: list[int] = []
    entries: list[tuple[Any, ...]] = []
    for entry in structure[0]:
        op = entry[0]
        if op is Op.BUFFER:
            shape = entry[3]
            sizes += (shape,) if isinstance(shape, int) else shape
            entries.append((*entry[:3], _kept(shape), entry[4]))
        elif op is Op.CONST:
            sizes += entry[2]
            entries.append((*entry[:2], _kept(entry[2]), *entry[3:]))
        elif op in _SIZED:
            found, rest = _SIZED[op](entry[3])
            sizes += found
            entries.append((*entry[:3], rest, _kept(found)))
        else:
            entries.append(entry)
    return (tuple(entries), structure[1]), tuple(sizes)


def _kept(shape: Any) -> Any:
    """What of a shape belongs to the skeleton."""
    return None if isinstance(shape, int) else tuple([n if n <= 1 else None for n in shape])


def _sizes_of_slices(slices: Any) -> tuple[tuple[int, ...], Any]:
    sizes = [n for start, length, _ in slices for n in (start, length) if n is not None]
    return tuple(sizes), tuple([(start is None, step) for start, _, step in slices])


_SIZED: Final[dict[Op, Callable[[Any], tuple[tuple[int, ...], Any]]]] = {
    Op.RESHAPE: lambda shape: (shape, None),
    Op.EXPAND: lambda shape: (shape, None),
    Op.IOTA: lambda n: ((n,), None),
    Op.PAD: lambda totals: (totals, None),
    Op.SLICE: _sizes_of_slices,
    Op.UPDATE: _sizes_of_slices,
    Op.WINDOW: lambda arg: ((arg[1],), (arg[0], *arg[2:])),
    Op.SORT: lambda arg: ((arg[2],), (*arg[:2], *arg[3:])),
}
