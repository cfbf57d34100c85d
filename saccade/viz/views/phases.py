"""Forward and backward: which kernels compute gradients, and what forward keeps for them.

    phases = phases_of(data)            # the data of a kernel graph (`KernelGraph.to_data`)
    phases.kernels                      # "forward", "backward" or "both", for each kernel
    phases.kept                         # names of buffers that forward makes and backward reads

A buffer is backward if the tensor it holds was made by differentiating (`graph.origin`), or computed from one
that was: gradients, and what an optimiser makes of them. What a forward kernel writes and a backward kernel
reads has to be kept across the loss; these are the long edges that a `checkpoint` would cut.
"""

from __future__ import annotations

from typing import Any, NamedTuple

FORWARD, BACKWARD, BOTH = "forward", "backward", "both"


class Phases(NamedTuple):
    """`kernels` has a phase for each kernel, `kept` the names of what is kept for backward; `backward` is
    whether there are gradients at all."""

    kernels: list[str]
    kept: frozenset[str]

    @property
    def backward(self) -> bool:
        return any(phase != FORWARD for phase in self.kernels)


def phases_of(data: dict[str, Any]) -> Phases:
    """The phases of a computation's kernels, which come in an order that respects who reads what."""
    backward = {buffer["name"] for buffer in data["buffers"] if buffer.get("backward")}
    phases = []
    for kernel in data["kernels"]:
        if backward.intersection(kernel["reads"]):
            backward.update(kernel["writes"])
        written = [name in backward for name in kernel["writes"]]
        phases.append(BACKWARD if written and all(written) else BOTH if any(written) else FORWARD)
    kept = frozenset(
        buffer["name"]
        for buffer in data["buffers"]
        if buffer["name"] not in backward
        and buffer["writers"]
        and any(phases[reader] == BACKWARD for reader in buffer["readers"])
    )
    return Phases(phases, kept)
