"""A graph as a list of kernels over slots: inputs, then results, then intermediates in one arena.

    schedule((out,), inputs=2)  ->  Schedule((Item(kernel, params), ...), inputs=2, outputs=(out,), arena=0)

Kernels come in an order that respects who reads what.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.kernel import Kernel
from ..graph.node import Node
from ..graph.ops import Op
from ..transform.cat import cats_resolved
from ..transform.split import split_reductions
from ..transform.spread import spread
from ..transform.tall import columns_in_parts
from .bundle import bundle_maps
from .chain import join_chains
from .cost import CPU, Machine
from .join import join_maps, without_dead_stores
from .layout import factors_laid_out
from .memory import Lifetime, arena_offsets
from .online import online_softmax, weighed_reductions
from .placement import ALWAYS_STORED
from .ranges import Walk
from .split_products import products_split

#: The slot of intermediate memory, as in runtime.plan.
ARENA = -1


@dataclass(frozen=True)
class Item:
    """A kernel and where its parameters are: (slot, byte offset) each."""

    kernel: Kernel
    params: tuple[tuple[int, int], ...]


Placed = tuple[Kernel, tuple[Node, ...]]


@dataclass(frozen=True)
class Schedule:
    """Slots are the inputs in the order of their PARAM numbers, then one per output."""

    items: tuple[Item, ...]
    inputs: int
    outputs: tuple[Node, ...]
    arena: int


def schedule(roots: tuple[Node, ...], inputs: int, machine: Machine = CPU) -> Schedule:
    """Kernels for `roots`, a graph over PARAMs numbered 0 to `inputs` - 1."""
    roots, walked = _placed(cats_resolved(roots, machine.launch), machine)
    kernels = join_maps(walked, machine.most_stores)
    kernels = join_chains(kernels, maps_only=not machine.joins_chains)
    kernels = without_dead_stores(kernels, roots)
    if machine.bundles:
        kernels = bundle_maps(kernels)
    slots: dict[Node, tuple[int, int]] = {root: (inputs + number, 0) for number, root in enumerate(roots)}
    used: dict[Node, list[int]] = {}
    for number, (_, memories) in enumerate(kernels):
        for node in memories:
            if node.op is Op.PARAM:
                slots[node] = (node.arg.slot, 0)
            elif node not in slots:
                used.setdefault(node, []).append(number)
    between = list(used)
    lifetimes = [Lifetime(n.size * n.dtype.itemsize, min(used[n]), max(used[n])) for n in between]
    offsets, arena = arena_offsets(lifetimes)
    slots.update({node: (ARENA, offset) for node, offset in zip(between, offsets, strict=True)})
    items = tuple(_item(kernel, [slots[m] for m in memories]) for kernel, memories in kernels)
    return Schedule(items, inputs, roots, arena)


def _item(kernel: Kernel, params: list[tuple[int, int]]) -> Item:
    (slot, offset), *rest = params
    return Item(kernel, ((slot, offset + kernel.start), *rest))


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


def _walked(
    roots: tuple[Node, ...], machine: Machine, strict: bool
) -> tuple[tuple[Node, ...], list[Placed]] | None:
    """Results and their kernels, with products of softmaxes in one pass where the machine has a way to; None
    if it is `strict` and one of them has no kernel."""
    if not machine.attends:
        return roots, Walk(roots, machine).kernels()
    from ..codegen.opt.gpu_attention import attention_of  # only who has such kernels needs it

    alone: set[Node] = set()
    refused: set[Node] = set()
    while True:
        new, sums = online_softmax(roots, alone, refused)
        kernels = Walk(new, machine).kernels()
        impossible = {m[0] for k, m in kernels if m[0] in sums and attention_of(k) is None}
        if not impossible:
            return new, kernels
        for end in impossible:
            turned = end.op is Op.PERMUTE or end.op is Op.RESHAPE
            (alone if turned and sums[end] not in alone else refused).add(sums[end])
        if strict and refused:
            return None
