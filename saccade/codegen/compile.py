"""A kernel becomes the source a device compiles: moves, lowering, rendering."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from ..graph.kernel import Kernel, range_size
from ..graph.ops import Op
from ..runtime.program import Source
from .decompose import decompose
from .lower import Lowering
from .opt.heuristic import optimise
from .render.llvm import render


@lru_cache(maxsize=4096)
def cpu_source(kernel: Kernel) -> Source:
    """LLVM IR of a kernel, shaped by the heuristics. Equal kernels are rendered once."""
    shaped = optimise(kernel)
    shaped = replace(shaped, sink=decompose(shaped.sink))
    name = kernel_name(kernel)
    code = Lowering(shaped).code(name)
    return Source(name, render(code), code.tasks, len(kernel.params), code.scratch)


def kernel_name(kernel: Kernel) -> str:
    """What it does and over what: `add_1024x1024`, `map_16777216`."""
    folds = [n.arg.kind for n in kernel.sink.toposort() if n.op is Op.FOLD]
    kind = folds[-1] if folds else "map"
    return f"{kind}_{'x'.join(str(range_size(r)) for r in kernel.order) or 'scalar'}"
