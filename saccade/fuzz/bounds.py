"""Proofs that the kernels of a program stay inside their memory.

    before = computed()
    run_script(script, [])
    for proof in prove_since(before):
        print(proof)

What was computed since is scheduled and shaped again, as the compiler does it, and every index of every
kernel is given to z3: that it lies in its buffer wherever its mask holds, and that nothing on the way wraps.
Kernels that sort are a fixed procedure over whole rows, of which nothing is proved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ..codegen.compile import shaped
from ..codegen.moves.analysis import kernel_name
from ..graph.kernels.kernel import Kernel
from ..graph.ops import Op
from ..tensor.programs.form import Form
from ..tensor.programs.prepare import scheduled
from ..tensor.programs.realize import computed
from .programs.check import prove_bounds

__all__ = ["Proof", "computed", "prove_since"]


@dataclass(frozen=True)
class Proof:
    """Of one kernel on one device: how many loads and stores it has; `problem` is empty if all are proved."""

    kernel: str
    device: str
    accesses: int
    problem: str = ""

    def __str__(self) -> str:
        told = self.problem or (f"{self.accesses} accesses proved" if self.accesses else "sorts whole rows")
        return f"{self.kernel} on {self.device}: {told}"


def prove_since(before: Collection[tuple[Form, str]]) -> Iterator[Proof]:
    """A proof for each different kernel of what was computed since `before` was."""
    known = set(before)
    seen: set[tuple[Kernel, str]] = set()
    for form, device in computed():
        if (form, device) in known:
            continue
        for item in scheduled(form, device).items:
            if (item.kernel, device) not in seen:
                seen.add((item.kernel, device))
                yield _proof(item.kernel, device)


def _proof(kernel: Kernel, device: str) -> Proof:
    name = kernel_name(kernel)
    if kernel.sink.src[0].op is Op.SORT:
        return Proof(name, device, 0)
    moved = shaped(kernel) if device == "cpu" else kernel
    accesses = sum(n.op is Op.LOAD or n.op is Op.STORE for n in moved.sink.toposort())
    try:
        prove_bounds(moved)
    except AssertionError as error:
        return Proof(name, device, accesses, str(error))
    return Proof(name, device, accesses)
