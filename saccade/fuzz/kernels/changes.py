"""What is different between two data sets of kernels, in words.

    for change in changes(before, after):
        print(change)              # sweep: softmax, cpu: add_8x4 changed: EXP -1, MUL +1

A kernel has changed where a program had one and now has another of the same name; otherwise it appeared or
vanished. Programs that only one of the two has are told as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...codegen.moves.analysis import kernel_name
from ...graph.kernels.kernel import Kernel
from ...graph.kernels.text import difference
from ...schedule.kernel_graph import paired
from .dataset import DataSet


@dataclass(frozen=True)
class Change:
    """Of one program on one machine: what happened (appeared, vanished, changed) to which kernel, or to the
    program itself where `kernel` is empty."""

    program: str
    machine: str
    what: str
    kernel: str = ""
    told: str = ""

    def __str__(self) -> str:
        told = f": {self.told}" if self.told else ""
        return f"{self.program}, {self.machine}: {self.kernel or 'the program'} {self.what}{told}"


def changes(before: DataSet, after: DataSet) -> list[Change]:
    """Every difference, programs in their order."""
    old, new = _by_program(before), _by_program(after)
    found: list[Change] = []
    for key in dict.fromkeys([*old, *new]):
        if key not in new:
            found.append(Change(*key, "vanished"))
        elif key not in old:
            found.append(Change(*key, "appeared"))
        elif old[key] != new[key]:
            found += _within(key, old[key], new[key])
    return found


def _within(key: tuple[str, str], before: list[Kernel], after: list[Kernel]) -> list[Change]:
    found = []
    for old, new in paired(before, after):
        if old is not None and new is not None:
            found.append(Change(*key, "changed", kernel_name(old), difference(old, new)))
        elif old is not None:
            found.append(Change(*key, "vanished", kernel_name(old)))
        elif new is not None:
            found.append(Change(*key, "appeared", kernel_name(new)))
    return found


def _by_program(data: DataSet) -> dict[tuple[str, str], list[Kernel]]:
    found: dict[tuple[str, str], list[Kernel]] = {}
    for program in data.programs:
        found.setdefault((program.name, program.machine), []).extend(
            data.kernels[digest] for digest in program.kernels
        )
    return found
