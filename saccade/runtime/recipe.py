"""All that was worked out for a computation, as plain data: sources, launches, memory, and notes for people.

A recipe is what the cache on disk keeps, so that a second process schedules, rewrites and renders nothing:

    recipe = Recipe.from_bytes(stored)
    executable = recipe.executable("cpu")       # loads machine code from the cache, or compiles the sources
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ..graph import dtypes
from ..graph.dtypes import DType
from .device import Device, Memory, Runnable
from .memory.buffer import Buffer
from .program import Launch, Program, Source
from .watch.debug import run_watched, watching

# Plain records are NamedTuples where every process imports them: a frozen dataclass takes 0.7 ms to make.


class Notes(NamedTuple):
    """What a person wants to know of a kernel: why it is one, what was done to it, the least it has to do."""

    reason: str
    moves: tuple[str, ...]
    nbytes: int
    operations: int


class Step(NamedTuple):
    """One launch: the number of its source, where its parameters are, and the notes."""

    source: int
    params: tuple[tuple[int, int], ...]
    notes: Notes


class Floor(NamedTuple):
    """The least a computation can do: inputs read once, results written once, nothing computed twice."""

    nbytes: int
    operations: int


@dataclass(frozen=True)
class Recipe:
    """A computation over `inputs` buffers, of which some are `written`; slots are the inputs, then the
    results."""

    sources: tuple[Source, ...]
    steps: tuple[Step, ...]
    inputs: int
    outputs: tuple[tuple[int, DType], ...]
    arena: int
    floor: Floor
    written: tuple[int, ...] = ()

    def to_bytes(self) -> bytes:
        import json  # needed by the first computation only

        fields = {
            "sources": [asdict(source) for source in self.sources],
            "steps": [step._asdict() | {"notes": step.notes._asdict()} for step in self.steps],
            "inputs": self.inputs,
            "outputs": [(size, dtype.name) for size, dtype in self.outputs],
            "arena": self.arena,
            "floor": self.floor._asdict(),
            "written": self.written,
        }
        return json.dumps(fields).encode()

    @staticmethod
    def from_bytes(data: bytes) -> Recipe:
        """The recipe, or ValueError for bytes that are none."""
        import json

        try:
            fields = json.loads(data)
            sources = tuple(Source(**source) for source in fields["sources"])
            return Recipe(
                sources=sources,
                steps=tuple(_step(step, len(sources)) for step in fields["steps"]),
                inputs=fields["inputs"],
                outputs=tuple((size, dtypes.by_name(name)) for size, name in fields["outputs"]),
                arena=fields["arena"],
                floor=Floor(**fields["floor"]),
                written=tuple(fields["written"]),
            )
        except (KeyError, TypeError, UnicodeDecodeError) as error:
            raise ValueError(f"not a recipe of this version: {error!r}") from None

    def executable(self, device: str, programs: Sequence[Program] | None = None) -> Executable:
        """Programs, where they are not there already, and a plan: ready to run on that device."""
        runtime = Device[device]
        if programs is None:
            programs = runtime.compile(self.sources)
        launches = [Launch(programs[step.source], step.params) for step in self.steps]
        plan = runtime.plan(launches, self.inputs + len(self.outputs), self.arena)
        if isinstance(plan, KnowsInputs):
            plan.inputs, plan.written = self.inputs, self.written
        return Executable(plan, self, device)


def _step(fields: dict[str, Any], sources: int) -> Step:
    notes, source = fields["notes"], fields["source"]
    if source not in range(sources):
        raise ValueError(f"a step of source {source}, and there are {sources}")
    return Step(
        source,
        tuple((slot, offset) for slot, offset in fields["params"]),
        Notes(notes["reason"], tuple(notes["moves"]), notes["nbytes"], notes["operations"]),
    )


@runtime_checkable
class KnowsInputs(Protocol):
    """A plan that wants to know how many of its first slots are read, and which of these are written too."""

    inputs: int
    written: tuple[int, ...]


@runtime_checkable
class Profiled(Protocol):
    """A plan that can time its launches."""

    def profile(self, addresses: Sequence[int]) -> list[float]: ...


class Executable:
    """A computation ready to run: a plan, and what its results are. `form` is the graph as it was written
    down (`tensor.programs.form.Form`), for those who ask what the computation was."""

    __slots__ = ("_allocate", "_outputs", "_runtime", "device", "form", "plan", "recipe")

    def __init__(self, plan: Runnable, recipe: Recipe, device: str) -> None:
        self.plan = plan
        self.recipe = recipe
        self.device = device
        self.form: Any = None
        self._outputs = [(size * dtype.itemsize, size, dtype) for size, dtype in recipe.outputs]
        self._runtime = Device[device]
        self._allocate = self._runtime.allocate

    def sized(self, counts: Sequence[int]) -> Executable:
        """The same computation, of whose results only so many elements are there: the first of each."""
        made = object.__new__(Executable)
        made.plan, made.recipe, made.device, made.form = self.plan, self.recipe, self.device, self.form
        made._runtime, made._allocate = self._runtime, self._allocate
        made._outputs = [
            (nbytes, n, dtype) for (nbytes, _, dtype), n in zip(self._outputs, counts, strict=True)
        ]
        return made

    def written(self, words: bytes) -> Memory:
        """Memory of the device that holds these words, for work that is queued from now on."""
        memory = self._allocate(len(words))
        self._runtime.queue.write(memory.address, words)
        return memory

    def run(self, addresses: list[int]) -> list[Buffer]:
        """The results for inputs at these addresses, in buffers of their own; the list is used up."""
        results, memories = [], []
        for nbytes, size, dtype in self._outputs:
            memory = self._allocate(nbytes)
            memories.append(memory)
            results.append(Buffer.on(memory, size, dtype, self.device))
            addresses.append(memory.address)
        if watching.active:
            run_watched(self, addresses, memories)
        else:
            self._runtime.queue.submit(self.plan, addresses)  # the queue that is current now
        return results

    def run_one(self, addresses: list[int]) -> Buffer:
        """`run` for a computation with one result, as most have."""
        nbytes, size, dtype = self._outputs[0]
        memory = self._allocate(nbytes)
        addresses.append(memory.address)
        if watching.active:
            run_watched(self, addresses, (memory,))
        else:
            self._runtime.queue.submit(self.plan, addresses)
        return Buffer.on(memory, size, dtype, self.device)

    def timed(self, addresses: list[int]) -> list[float]:
        """Run it and wait; the seconds of each launch, or of all together where the device cannot tell."""
        if isinstance(self.plan, Profiled):
            return self.plan.profile(addresses)
        queue = Device[self.device].queue
        queue.synchronize()
        start = perf_counter()
        queue.submit(self.plan, addresses)
        queue.synchronize()
        return [perf_counter() - start]
