"""What is different between two data sets of kernels, in words.

    for change in changes(before, after):
        print(change)              # sweep: softmax, cpu: add_8x4 changed: EXP -1, MUL +1

A kernel has changed where a program had one and now has another of the same name; otherwise it appeared or
vanished. Programs that only one of the two has are told as a whole.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ..codegen.opt.analysis import kernel_name
from ..graph.kernel import Kernel, range_size
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


def difference(before: Kernel, after: Kernel) -> str:
    """How a kernel differs from another, in words: loops, memory, and how often each op occurs."""
    told = []
    loops = [[range_size(r) for r in kernel.order] for kernel in (before, after)]
    if loops[0] != loops[1]:
        told.append(f"loops {_product(loops[0])} -> {_product(loops[1])}")
    if before.params != after.params:
        gone, come = Counter(before.params), Counter(after.params)
        memory = [f"-{d.name}[{n}]" for d, n in (gone - come).elements()]
        memory += [f"+{d.name}[{n}]" for d, n in (come - gone).elements()]
        told.append(f"memory {' '.join(memory) or 'in another order'}")
    counts = [Counter(node.op.name for node in kernel.nodes) for kernel in (before, after)]
    changed = [
        f"{op} {counts[1][op] - counts[0][op]:+d}"
        for op in dict.fromkeys([*counts[0], *counts[1]])
        if counts[0][op] != counts[1][op]
    ]
    return ", ".join([*told, *changed]) or "the same ops, otherwise connected"


def _within(key: tuple[str, str], before: list[Kernel], after: list[Kernel]) -> list[Change]:
    gone = [k for k in before if k not in after]
    come = [k for k in after if k not in before]
    found = []
    for kernel in gone:
        name = kernel_name(kernel)
        other = next((k for k in come if kernel_name(k) == name), None)
        if other is None:
            found.append(Change(*key, "vanished", name))
        else:
            come.remove(other)
            found.append(Change(*key, "changed", name, difference(kernel, other)))
    return found + [Change(*key, "appeared", kernel_name(kernel)) for kernel in come]


def _by_program(data: DataSet) -> dict[tuple[str, str], list[Kernel]]:
    found: dict[tuple[str, str], list[Kernel]] = {}
    for program in data.programs:
        found.setdefault((program.name, program.machine), []).extend(
            data.kernels[digest] for digest in program.kernels
        )
    return found


def _product(sizes: list[int]) -> str:
    return "x".join(map(str, sizes)) or "none"
