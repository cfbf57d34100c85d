"""All that was worked out for a computation, as plain data: sources, launches, memory, and notes for people.

A recipe is what the cache on disk keeps, so that a second process schedules, rewrites and renders nothing:

    recipe = Recipe.from_bytes(stored)
    executable = executable_of(recipe, "cpu")   # loads machine code from the cache, or compiles the sources
"""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from ..graph import dtypes
from ..graph.dtypes import DType
from .program import Source

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

    @property
    def nbytes(self) -> int:
        """Of its sources."""
        return sum(len(source.text) for source in self.sources)

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
            sources = tuple(_source(source) for source in fields["sources"])
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


def _source(fields: dict[str, Any]) -> Source:
    """A source whose text is one with that of equal ones: programs for several lengths share most kernels."""
    own = {"text": sys.intern(fields["text"]), "settled": tuple(fields["settled"])}
    return Source(**fields | own)


def _step(fields: dict[str, Any], sources: int) -> Step:
    notes, source = fields["notes"], fields["source"]
    if source not in range(sources):
        raise ValueError(f"a step of source {source}, and there are {sources}")
    return Step(
        source,
        tuple((slot, offset) for slot, offset in fields["params"]),
        Notes(notes["reason"], tuple(notes["moves"]), notes["nbytes"], notes["operations"]),
    )
