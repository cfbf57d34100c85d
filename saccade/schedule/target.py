"""What the scheduler asks of the device that will run its kernels.

A kernel that computes a large product in plain loops takes hundreds of times as long as one whose form is
made for products. Only codegen knows which kernels have such a form, so the scheduler asks it, here.
"""

from __future__ import annotations

from typing import Protocol

from ..graph.kernels.kernel import Kernel
from .cost import Machine


class Target(Protocol):
    """A device as the scheduler sees it."""

    def attends(self, kernel: Kernel) -> bool:
        """Is a softmax and the product with it one pass in this kernel?"""

    def by_warps(self, kernel: Kernel) -> bool:
        """Is each result of a kernel's reductions the work of a warp, so that others fit beside it?"""

    def by_threads(self, kernel: Kernel) -> bool:
        """Is each result of a kernel's reductions the work of a thread, as those of a map are?"""

    def ends_groups(self, kernel: Kernel, size: int) -> bool:
        """Can a block have `size` neighbours of a kernel's results, and compute more from them?"""

    def form(self, kernel: Kernel) -> str:
        """How codegen writes the products of a kernel: one of `graph.forms`."""

    def seconds(self, kernel: Kernel) -> float:
        """How long a kernel takes, about: what it moves and what it multiplies, at the rate of its form."""


def target_of(machine: Machine) -> Target:
    """The target that a machine's numbers are of."""
    from ..codegen.target import CpuTarget, CudaTarget

    return CudaTarget(machine) if machine.is_gpu else CpuTarget(machine)
