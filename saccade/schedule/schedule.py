"""A graph in tensor terms becomes a graph of kernels over inputs, results, and what is between them.

    schedule((out,), inputs=2)  ->  KernelGraph: items (kernels over buffers), buffers, the arena's size

Kernels come in an order that respects who reads what.
"""

from __future__ import annotations

from ..graph.kernel import Kernel
from ..graph.node import Node
from ..graph.ops import Op
from ..graph.passes import Kernels, Roots, rewrite_pass
from ..transform.cat import cats_resolved
from ..transform.simplify import simplified
from ..transform.split import split_reductions
from ..transform.spread import spread
from ..transform.tall import columns_in_parts
from .bundle import bundle_maps
from .chain import join_chains
from .cost import CPU, Machine
from .join import join_maps, without_dead_stores
from .kernel_graph import KernelGraph, kernel_graph
from .layout import factors_laid_out
from .online import online_softmax, weighed_reductions
from .placement import ALWAYS_STORED
from .ranges import Walk
from .split_products import products_split

Placed = tuple[Kernel, tuple[Node, ...]]


def schedule(roots: tuple[Node, ...], inputs: int, machine: Machine = CPU) -> KernelGraph:
    """Kernels for `roots`, a graph over PARAMs numbered 0 to `inputs` - 1."""
    roots, walked = _placed(cats_resolved(simplified(roots), machine.launch), machine)
    kernels = join_maps(walked, machine.most_stores)
    kernels = join_chains(kernels, maps_only=not machine.joins_chains)
    kernels = without_dead_stores(kernels, roots)
    if machine.bundles:
        kernels = bundle_maps(kernels)
    return kernel_graph(kernels, roots, inputs)


def _as_stored(roots: tuple[Node, ...]) -> tuple[Node, ...]:
    """Results that are other shapes of what is in memory anyway, as what they are there."""
    made = []
    for root in roots:
        below = root
        while below.op is Op.RESHAPE:
            below = below.src[0]
        alone = below.op in ALWAYS_STORED and below.op is not Op.COPY and below not in roots
        made.append(below if alone and below not in made else root)
    return tuple(made)


def _placed(roots: tuple[Node, ...], machine: Machine) -> tuple[tuple[Node, ...], list[Placed]]:
    """Results and their kernels. What may become attention is kept whole for that first, and if it cannot be
    attention cut into parts like everything else."""
    parts = _as_stored(_in_parts(roots, machine, whole=False))
    weighed = machine.attends and weighed_reductions(roots)
    kept = _as_stored(_in_parts(roots, machine, whole=True)) if weighed else parts
    made = _walked(kept, machine, strict=True) if kept != parts else None
    made = made or _walked(parts, machine, strict=False)
    assert made is not None  # only a strict walk gives up
    return made


def _in_parts(roots: tuple[Node, ...], machine: Machine, whole: bool) -> tuple[Node, ...]:
    """The same results with long work in parts and factors laid out, as the machine needs it; or with the
    reductions around a softmax `whole`."""
    roots = split_reductions(roots, machine.parts, weighed_reductions(roots) if whole else ())
    if machine.wanted:
        roots = spread(roots, machine.wanted, weighed_reductions(roots) if whole else ())
    else:
        roots = columns_in_parts(roots)
    if machine.lays_out_factors:
        roots = factors_laid_out(roots, machine.along_sums)
    return products_split(roots, machine) if machine.processors else roots


@rewrite_pass("place values in kernels")
def kernels_of(roots: Roots, machine: Machine) -> Kernels:
    """Kernels that store the results, and whatever does not pay to compute where it is read."""
    return Walk(roots, machine).kernels()


def _walked(
    roots: tuple[Node, ...], machine: Machine, strict: bool
) -> tuple[tuple[Node, ...], list[Placed]] | None:
    """Results and their kernels, with products of softmaxes in one pass where the machine has a way to; None
    if it is `strict` and one of them has no kernel."""
    if not machine.attends:
        return roots, kernels_of(roots, machine)
    from ..codegen.opt.gpu_attention import attention_of  # only who has such kernels needs it

    alone: set[Node] = set()
    refused: set[Node] = set()
    while True:
        new, sums = online_softmax(roots, alone, refused)
        kernels = kernels_of(new, machine)
        impossible = {m[0] for k, m in kernels if m[0] in sums and attention_of(k) is None}
        if not impossible:
            return new, kernels
        for end in impossible:
            turned = end.op is Op.PERMUTE or end.op is Op.RESHAPE
            (alone if turned and sums[end] not in alone else refused).add(sums[end])
        if strict and refused:
            return None
