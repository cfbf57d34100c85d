"""A graph in tensor terms becomes a graph of kernels over inputs, results, and what is between them.

    schedule((out,), inputs=2)  ->  KernelGraph: items (kernels over buffers), buffers, the arena's size

Kernels come in an order that respects who reads what.
"""

from __future__ import annotations

from functools import partial

from ..codegen.moves.analysis import floating_operations
from ..graph.forms import LEAST_WORK, TILED
from ..graph.kernels.kernel import Kernel
from ..graph.node import Node
from ..graph.ops import ELEMENTWISE, Op
from ..graph.rewriting.passes import Kernels, Roots, rewrite_pass
from ..runtime.config import settings
from ..transform.cat import cats_resolved
from ..transform.complex_parts import without_complex
from ..transform.parallel.by_rows import rows_reduced_first
from ..transform.parallel.long_totals import totals_in_parts
from ..transform.parallel.moments import moments_in_parts, totals_from_distances
from ..transform.parallel.split import split_reductions
from ..transform.parallel.spread import spread
from ..transform.parallel.tall import columns_in_parts
from ..transform.simplify import simplified
from ..transform.stores import Targets, stores_apart
from .cost import CPU, Machine
from .donate import donated
from .joining.beside import stored_beside
from .joining.bundle import bundled
from .joining.chain import join_chains
from .joining.epilogue import with_epilogues
from .joining.join import join_maps, without_dead_stores
from .joining.order import Entry
from .joining.release import released_early
from .joining.rematerialise import computed_again
from .joining.sums import join_sums
from .kernel_graph import KernelGraph, Parts, kernel_graph
from .parts import Budget, parts_of
from .places import Places
from .products.apart import products_apart
from .products.byte_products import bytes_for_dots
from .products.forms import kernels_in_forms
from .products.layout import factors_laid_out
from .products.results import results_turned
from .products.side_by_side import products_beside
from .products.split_products import products_split
from .products.turned import weights_turned
from .reuse import reused
from .rows.row_maps import join_row_maps
from .rows.row_parts import whole_rows
from .rows.row_steps import join_row_steps
from .rows.rowwise import join_rows
from .softmax.masked import masked_products
from .softmax.online import online_softmax, weighed_reductions
from .softmax.row_totals import with_totals
from .softmax.scores_again import reductions_again, scores_again
from .softmax.slopes import slopes_by_weights
from .target import Target, target_of
from .walk.facts import ALWAYS_STORED
from .walk.settled import reductions_read_again, with_stored
from .winograd.tiles import convolutions_in_tiles

Placed = tuple[Kernel, tuple[Node, ...]]

#: schedules that are tried until one keeps within its budget
MOST_BUDGETS = 5
#: times a budget that values may take because of the holes between them
NEAR = 1.25


def schedule(
    roots: tuple[Node, ...], inputs: int, machine: Machine = CPU, keep: int | None = None
) -> KernelGraph:
    """Kernels for `roots`, a graph over PARAMs numbered 0 to `inputs` - 1. With `keep`, values between them
    take so many bytes at most, if that is possible."""
    made = last = _scheduled(roots, inputs, machine, keep)
    wanted = keep or 0
    for _ in range(MOST_BUDGETS):
        if keep is None or made.arena <= keep:
            break
        # values that fit leave holes between them: a little less may do. Where far too little is asked for,
        # all is computed again, and that takes memory too
        near = last.arena <= NEAR * wanted
        wanted = wanted * keep // last.arena if near else (wanted + last.arena) // 2
        last = _scheduled(roots, inputs, machine, wanted)
        made = last if last.arena < made.arena else made
    return made


def _scheduled(roots: Roots, inputs: int, machine: Machine, keep: int | None) -> KernelGraph:
    roots, targets = stores_apart(simplified(without_complex(roots)))
    outputs = tuple(root for root, target in zip(roots, targets, strict=True) if target is None)
    budget = Budget(machine.budgets * settings.graph_nodes, settings.graph_bytes)
    parts, why = parts_of(roots, inputs, budget)
    whole = None
    if not parts or budget.holds(roots):
        whole = _in_one(roots, inputs, machine, targets, keep)
        if not parts or whole.arena <= budget.nbytes:
            return whole
    known: dict[Roots, tuple[Roots, Kernels]] = {}
    every: Kernels = []
    each: list[Kernels] = []
    for number, part in enumerate(parts):
        if part.roots not in known:
            known[part.roots] = _kernels(part.roots, machine, (None,) * len(part.roots))
        results, kernels = known[part.roots]
        each.append(part.placed(kernels, results, number))
        every += each[-1]
    places = Places(roots, targets, chains=False)
    every = _in_place(every, roots, places, machine, 0, keep)
    made = kernel_graph(every, outputs, inputs)
    made.parts = Parts(_starts(each, every, places), len(known), why)
    # a part stores what crosses into the next, and that may be more than a kernel around it would
    return made if whole is None or made.arena < whole.arena else whole


def _in_one(roots: Roots, inputs: int, machine: Machine, targets: Targets, keep: int | None) -> KernelGraph:
    roots, kernels = _kernels(roots, machine, targets)
    kernels = _in_place(kernels, roots, Places(roots, targets), machine, machine.whole, keep)
    results = tuple(root for root, target in zip(roots, targets, strict=True) if target is None)
    return kernel_graph(kernels, results, inputs)


def _in_place(
    kernels: Kernels, roots: Roots, places: Places, machine: Machine, whole: int, keep: int | None
) -> Kernels:
    """The kernels with results in the memory they go to, and as few kept values as asked for. Only then are
    small ones put together: results are looked at one by one, each with the whole kernel it is of, and a step
    of an optimiser has thousands."""
    loses = None if machine.is_gpu else partial(_is_tiled_product, target_of(machine))
    results = frozenset(roots)
    kernels = released_early(donated(kernels, places, whole, loses), results)
    if keep is not None:
        kernels = computed_again(kernels, results, keep, target_of(machine).seconds)
    kernels = reused(kernels, results, machine.whole, loses)
    if machine.bundles == "any":
        kernels = with_epilogues(kernels, results, target_of(machine), machine.processors)
    if not machine.is_gpu:
        kernels = whole_rows(kernels)
    return bundled(kernels, machine.bundles, results, target_of(machine))


def _is_tiled_product(target: Target, kernel: Kernel) -> bool:
    """Is it a large product in tiles of registers? Edges of such tiles overlap, which stores in place must
    not: it would be made in plain loops. The gradient of 128 x 64 weights added to its momentum, a sum of
    6,272, took 35 ms in place and 4 with a copy on a Neoverse N1."""
    if not any(n.op is Op.FOLD for n in kernel.nodes) or floating_operations(kernel) < 2 * LEAST_WORK:
        return False
    return target.form(kernel) == TILED


def _starts(parts: list[Kernels], made: Kernels, places: Places) -> tuple[int, ...]:
    """The first of the kernels that writes what a part writes, for each part: they are in another order now,
    and some have become one."""
    names = {value: places.targets[root] for root, values in places.values.items() for value in values}
    first: dict[Node, int] = {}
    for number, placed in reversed(list(enumerate(made))):
        first |= dict.fromkeys(Entry(placed).writes, number)
    starts = [0]
    for kernels in parts[1:]:
        written = [names.get(m, m) for placed in kernels for m in Entry(placed).writes]
        found = min([first[m] for m in written if m in first], default=starts[-1])
        starts.append(max(starts[-1], found))
    return tuple(starts)


def _kernels(roots: Roots, machine: Machine, targets: Targets) -> tuple[Roots, Kernels]:
    """Results as their kernels name them, and kernels in the order they run."""
    roots = cats_resolved(roots, machine.launch, copies=not machine.is_gpu)
    roots, kernels = _placed(roots if machine.is_gpu else products_beside(roots), machine, targets)
    places = Places(roots, targets)
    kernels = join_maps(kernels, machine.most_stores, places)
    kernels = join_chains(kernels, maps_only=not machine.joins_chains, places=places)
    if machine.attends:
        kernels = join_sums(kernels, target_of(machine), machine.adds_across)
    kernels = without_dead_stores(kernels, roots)
    if machine.is_gpu:
        kernels = join_rows(kernels, frozenset(roots), target_of(machine))
        kernels = join_row_maps(kernels, target_of(machine), places)
        kernels = join_row_steps(kernels, frozenset(roots), places)
        kernels = stored_beside(kernels, frozenset(roots), frozenset(places.targets), target_of(machine))
        return roots, kernels
    kernels = join_row_steps(kernels, frozenset(roots), places, light=False)
    if machine.leaves_out:
        kernels = masked_products(kernels, frozenset(roots) | frozenset(places.targets))
    return roots, kernels


def _as_stored(roots: tuple[Node, ...], machine: Machine) -> tuple[Node, ...]:
    """Results that are other shapes of what is in memory anyway, as what they are there. On a core those of
    elements too, unless their rows would be shorter: nine sums of quaternions are a row, and three by three
    none."""
    made = []
    for root in roots:
        below = root
        while below.op is Op.RESHAPE:
            below = below.src[0]
        stored = below.op in ALWAYS_STORED and below.op is not Op.COPY
        stored |= below.op in ELEMENTWISE and not machine.is_gpu and _is_longer(below, root)
        made.append(below if stored and below not in roots and below not in made else root)
    return tuple(made)


def _is_longer(below: Node, root: Node) -> bool:
    return below.shape[-1:] > root.shape[-1:]


def _placed(
    roots: tuple[Node, ...], machine: Machine, targets: Targets
) -> tuple[tuple[Node, ...], list[Placed]]:
    """Results and their kernels. What may become attention is kept whole for that first, and if it cannot be
    attention cut into parts like everything else."""
    parts = _as_stored(_in_parts(roots, machine, whole=False), machine)
    weighed = machine.attends and _around_softmaxes(roots, machine)
    kept = _as_stored(_in_parts(roots, machine, whole=True), machine) if weighed else parts
    made = _walked(kept, machine, targets, strict=True) if kept != parts else None
    made = made or _walked(parts, machine, targets, strict=False)
    assert made is not None  # only a strict walk gives up
    return made


def _in_parts(roots: tuple[Node, ...], machine: Machine, whole: bool) -> tuple[Node, ...]:
    """The same results with long work in parts and factors laid out, as the machine needs it; or with the
    reductions around a softmax `whole`."""
    roots = products_apart(totals_from_distances(roots))
    roots = results_turned(roots if machine.is_gpu else slopes_by_weights(roots))
    if machine.is_gpu:
        roots = moments_in_parts(roots)
        roots = totals_in_parts(roots, frozenset(_around_softmaxes(roots, machine)) if whole else frozenset())
    kept = _around_softmaxes(roots, machine) if whole else ()
    gpu = machine.is_gpu
    roots = rows_reduced_first(roots, kept) if gpu else roots
    roots = split_reductions(roots, machine.parts, kept, by_axis=not gpu, in_pairs=gpu, by_bytes=gpu)
    if machine.wanted:
        roots = spread(roots, machine.wanted, _around_softmaxes(roots, machine) if whole else ())
    else:
        roots = columns_in_parts(bytes_for_dots(roots))
    roots = convolutions_in_tiles(roots, machine)
    if machine.lays_out_factors:
        roots = factors_laid_out(roots, machine, _around_softmaxes(roots, machine))
    else:
        roots = weights_turned(roots)
    return products_split(roots, machine)


def _around_softmaxes(roots: Roots, machine: Machine) -> set[Node]:
    return weighed_reductions(roots, machine.attends) | reductions_again(roots)


@rewrite_pass("place values in kernels")
def kernels_of(roots: Roots, machine: Machine, targets: Targets) -> Kernels:
    """Kernels that store the results, and whatever does not pay to compute where it is read."""
    return kernels_in_forms(roots, machine, targets)


def _settled(
    roots: Roots, kernels: Kernels, machine: Machine, targets: Targets
) -> tuple[Roots, Kernels, dict[Node, Node]]:
    """Results and kernels of a walk that knows which products and reductions are stored, if that is faster;
    and what each node became."""
    stored = reductions_read_again(roots, kernels, rows=machine.is_gpu)
    if not stored:
        return roots, kernels, {}
    other, became = with_stored(roots, stored)
    made, target = kernels_of(other, machine, targets), target_of(machine)
    before, after = (sum(target.seconds(k) for k, _ in each) for each in (kernels, made))
    return (other, made, became) if after < before else (roots, kernels, {})


def _walked(
    roots: tuple[Node, ...], machine: Machine, targets: Targets, strict: bool
) -> tuple[tuple[Node, ...], list[Placed]] | None:
    """Results and their kernels, with products of softmaxes in one pass where the machine has a way to; None
    if it is `strict` and one of them has no kernel."""
    if not machine.attends:
        roots, kernels, _ = _settled(roots, kernels_of(roots, machine, targets), machine, targets)
        return roots, kernels
    target = target_of(machine)
    alone: set[Node] = set()
    refused: set[Node] = set()
    while True:
        new, sums = online_softmax(roots, alone, refused, machine.attends)
        new, again = scores_again(new, alone, refused)
        sums = {again.became(end): made for end, made in sums.items()} | again.sums
        kernels = kernels_of(new, machine, targets)
        new, kernels, became = _settled(new, kernels, machine, targets)
        sums = {became.get(end, end): made for end, made in sums.items()}
        totals = {became.get(row, row): became.get(mean, mean) for row, mean in again.totals.items()}
        kernels = with_totals(kernels, totals)
        impossible = {m[0] for k, m in kernels if m[0] in sums and not target.attends(k)}
        alone_rows = {mean for row, mean in totals.items() if any(m[0] is row for _, m in kernels)}
        if not impossible and not alone_rows:
            return new, kernels
        refused |= {again.weights[sums[mean]] for mean in alone_rows}
        for end in impossible:
            turned = end.op is Op.PERMUTE or end.op is Op.RESHAPE or end.op is Op.CONTIGUOUS
            if turned and sums[end] not in alone:
                alone.add(sums[end])
            else:
                refused.add(again.weights.get(sums[end], sums[end]))
        if strict and refused:
            return None
