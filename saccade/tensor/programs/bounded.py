"""A function traced at several lengths, and a program for every length between them.

    made = bounded(function, structure, args, at, 2, 4096)      # `at` gives the arguments at a length
    made.run(leaves, addresses, 100)

The function runs on placeholders at both ends, next to them and at some lengths in between, and must leave
the same graph at all of them, with sizes that are affine in the length. Then no call runs it again: sizes,
offsets and numbers follow from the length. Programs are made as lengths ask for them, each for those between
two powers of two (`lengths.py`). Where the shortest are different, as slices are that reach past the end, the
program begins at the first length that is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from ...runtime.device import Memory
from ...transform.sizes import Unbounded
from .. import build
from ..core import Core
from ..jit.captured.escapes import check_escapes
from ..jit.replay import COMPUTED, LEAF, Output, Stage, Variant
from ..jit.trace import TraceError
from ..jit.tracing import Linker, Traced, run_function
from ..jit.tree import LEAF as TENSOR
from ..jit.tree import Structure, rebuild
from .following import Follows, following
from .form import hole_types
from .lengths import Program, capacity_for, taken_apart
from .realize import make_executable

#: Lengths whose executables and words are kept.
_MOST_READY: Final = 256

Leaves = list[Core]
#: base and step of each size of a shape
Shape = tuple[tuple[int, int], ...]
#: Lengths that a program for all the others may begin with, where shorter ones differ.
_BEGINNINGS: Final = (2, 3, 4, 8, 16, 32, 64)


def bounded(
    function: Callable[..., Any],
    structure: Structure,
    args: tuple[Any, ...],
    at: Callable[[int], Leaves],
    least: int,
    most: int,
) -> Bounded:
    """The function for arguments that `at` gives for a length, from `least` or a little later on to `most`;
    TraceError where it is not the same for these lengths."""
    later = [v for v in _BEGINNINGS if least < v <= most // 2]
    for begin in (least, *later):
        try:
            made = Bounded(lambda v: run_function(function, structure, at(v), args), begin, most)
            check_escapes(needed=True)
            return made
        except Differs as error:
            problem = error
    raise problem


class Differs(TraceError):
    """A function that is not the same at all lengths."""


def samples_between(least: int, most: int) -> list[int]:
    """Lengths to trace at: both ends and their neighbours, where clamped slices show, and some in between."""
    between = {least + (most - least) * k // 7 for k in range(1, 7)}
    return sorted({least, least + 1, *between, most - 1, most} & set(range(least, most + 1)))


class Bounded:
    """A function for arguments of one kind, at any length from `least`, which is at least 2, to `most`."""

    def __init__(self, trace: Callable[[int], Traced], least: int, most: int) -> None:
        self.least = least
        self._lengths = samples_between(least, most)
        traced = list(map(trace, self._lengths))
        linkers = [_linker(each) for each in traced]
        self._parts = [linker.parts[0] for linker in linkers]
        one, first = linkers[-1], traced[-1]
        roles, (skeleton, _) = _roles(one), taken_apart(self._parts[-1].form[0])
        for v, linker, each in zip(self._lengths, linkers, traced, strict=True):
            if each.result != first.result or _roles(linker) != roles:
                raise self._differs(v, "it returns, or computes with, something else")
            if taken_apart(linker.parts[0].form[0])[0] != skeleton:
                raise self._differs(v, "there are other operations")
        self._programs: dict[int, Program] = {}
        self._ready: dict[int, _Ready] = {}
        self._leaves = len(one.leaves)
        self._place = self._find_place()
        self._given = self._find_given()
        self._stage = one.stage_with(one.parts[0], self._program(self._lengths[-1]).executable)
        self._result, self._repeats = first.result, first.repeats
        self._outputs = [one.output(tensor) for tensor in first.made]
        alone = len(self._outputs) == 1 and first.result == TENSOR and self._outputs[0].source == COMPUTED
        #: the kind of tensor it returns, where that is all
        self._single = self._outputs[0].kind if alone else None
        shapes = [[linker.output(t).shape for t in each.made] for linker, each in
                  zip(linkers, traced, strict=True)]  # fmt: skip
        self._shapes = [self._shape(list(column)) for column in zip(*shapes, strict=True)]
        #: knows whether all that was captured is as it was
        self.variant = Variant(
            first.structure, first.result, (self._stage,), tuple(self._outputs), (), (), first.captures,
            first.guards, first.aliases if first.aliases != tuple(range(len(first.symbols))) else None,
        )  # fmt: skip

    # --- what the traces have in common

    def _find_place(self) -> int:
        """Which of the sizes is the length."""
        columns = zip(*[taken_apart(part.form[0])[1] for part in self._parts], strict=False)
        found = next((n for n, column in enumerate(columns) if list(column) == self._lengths), None)
        if found is None:
            raise TraceError("no tensor of this jit function has the length that dims= names: leave it out")
        return found

    def _find_given(self) -> list[Follows]:
        """The numbers that differ from length to length, as functions of it."""
        program = self._make(self._lengths[-1])
        for v, part in zip(self._lengths, self._parts, strict=True):
            sizes = taken_apart(part.form[0])[1]
            if not program.describes(part.form, sizes, v):
                raise self._differs(v, "a size or an offset is not what the other lengths say")
        types, found = hole_types(self._parts[0].form[0]), []
        for hole in program.given:
            seen = [(v, part.form[1][hole]) for v, part in zip(self._lengths, self._parts, strict=True)]
            follows = following(seen, types[hole])
            if follows is None:
                values = ", ".join(f"{number} at {v}" for v, number in seen[:3])
                raise TraceError(
                    f"a number of this jit function depends on the length in a way that cannot be followed "
                    f"({values}): pass it as an argument, or compute it from a tensor"
                )
            found.append(follows)
        return found

    def _shape(self, shapes: list[tuple[int, ...]]) -> Shape:
        """A shape as a function of the length."""
        (v1, v2), (first, second) = self._lengths[:2], shapes[:2]
        steps = [(b - a) // (v2 - v1) for a, b in zip(first, second, strict=True)]
        found = tuple([(size - step * v1, step) for size, step in zip(first, steps, strict=True)])
        for v, shape in zip(self._lengths, shapes, strict=True):
            if _at(found, v) != shape:
                raise self._differs(v, f"a result has the shape {shape}")
        return found

    def _differs(self, v: int, how: str) -> Differs:
        return Differs(
            f"this jit function is not the same at all lengths from {self._lengths[0]} to "
            f"{self._lengths[-1]}: at {v} {how} (a slice that ends past the end, a branch on the length?). "
            f"Choose other bounds for the Dim, or leave dims= out: then each length is traced"
        )

    # --- programs

    def _make(self, v: int) -> Program:
        seen = [(part.form, taken_apart(part.form[0])[1]) for part in self._parts[:2]]
        try:
            return Program(seen, self._place, capacity_for(v))
        except Unbounded as error:
            raise self._differs(self._lengths[1], str(error)) from None

    def _program(self, v: int) -> Program:
        capacity = capacity_for(v)
        found = self._programs.get(capacity)
        if found is None:
            made = self._make(v)
            try:
                made.compile(make_executable, self._parts[0].device)
            except Unbounded as error:
                raise TraceError(
                    f"this jit function cannot be compiled for every length: {error}. Leave dims= out"
                ) from None
            found = self._programs.setdefault(capacity, made)
        return found

    def _at(self, v: int) -> _Ready:
        """What computes a length."""
        found = self._ready.get(v)
        if found is None:
            program, base = self._program(v), self._stage
            executable = program.at(v)
            words = program.words([follows(v) for follows in self._given], v)
            made = [(dtype, _at(shape, v)) for dtype, shape in program.made()]
            stage = Stage(executable, base.leaves, (), base.bound[1], made, self._leaves)
            found = _Ready(stage, words, executable.written(words) if executable.on_host else None)
            if len(self._ready) >= _MOST_READY:
                self._ready = {}  # not emptied one by one: another thread may be at it
            self._ready[v] = found
        return found

    def run(self, leaves: Sequence[Any], given: list[int], v: int) -> Any:
        """The result for these tensors, whose memory is at the addresses `given`, a list that is used up,
        at a length."""
        ready = self._ready.get(v) or self._at(v)
        stage, addresses = ready.stage, given
        if not stage.in_order:
            known, _keep = self._stage.bound
            addresses = known.copy()
            for slot, number in stage.leaves:
                addresses[slot] = given[number]
        memory = ready.memory or stage.executable.written(ready.words)  # or it is this call's alone
        addresses.append(memory.address)
        if self._single is not None:
            return self._single._of(stage.results[0].run(addresses))
        buffers = stage.executable.run(addresses)
        made: list[Core] = []
        for output, shape in zip(self._outputs, self._shapes, strict=True):
            if output.source == COMPUTED:
                node = stage.results[output.of[1]].of(buffers[output.of[1]])
            else:
                node = build.reshape(_source(output, leaves, self.variant), _at(shape, v))
            made.append(output.kind._of(node))
        return rebuild(self._result, iter([made[n] for n in self._repeats]))


class _Ready(NamedTuple):
    """What computes a length: its words, and the memory they are in for good where a call waits for its
    end."""

    stage: Stage
    words: bytes
    memory: Memory | None


def _source(output: Output, leaves: Sequence[Any], variant: Variant) -> Any:
    """The node of an argument or a captured tensor that is a result."""
    return leaves[output.of].node if output.source == LEAF else variant.captured(output.of)


def _at(shape: Shape, v: int) -> tuple[int, ...]:
    return tuple([base + step * v for base, step in shape])


def _linker(traced: Traced) -> Linker:
    """Where the memory of a trace comes from; refuses what differs from call to call in other ways."""
    linker = Linker(traced)
    for problem, what in (
        (traced.changed, "assigns to a tensor"),
        (traced.trace.keys, "draws random numbers"),
        (not traced.is_pure, "changes a list or an attribute"),
        (len(linker.parts) > 1, "computes on several devices"),
    ):
        if problem:
            raise TraceError(f"a jit function with dims= {what}: leave dims= out, or do that outside")
    if not linker.parts:  # at this length
        raise Differs("a jit function with dims= computes nothing: leave dims= out")
    return linker


def _roles(linker: Linker) -> list[tuple[int, Any]]:
    """Where the memory of a trace comes from; of what the function made of arrays, what is in it."""
    found = []
    for buffer in linker.parts[0].buffers:
        source, of = linker.role(buffer)
        found.append((source, buffer.numpy().tobytes() if source == COMPUTED else of))
    return found
