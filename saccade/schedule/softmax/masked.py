"""What a mask leaves out is not multiplied: the half above the diagonal in causal attention.

    s = q k^T;  w = softmax(s where j <= i else -inf);  out = w v

Weights are zero where the mask of their scores fails, so a product that reads them adds up nothing there, and
scores that every reader leaves out there need not be computed. Both are said in the kernels:

    add(w[i, j] * v[j, n] over j)    ->    add(where(j < i + 1, w[i, j] * v[j, n], 0) over j)
    s[i, j] = add(...)               ->    s[i, j] = where(j < i + 1, add(...), anything)

Codegen shapes such a product as if nothing was masked, and ends its loops where the mask does
(`codegen.linear.triangles`). Slopes of the scores, `where(j < i + 1, w * (g - d), 0)`, are zero there too. As
on a GPU, a NaN among values that a mask leaves out reaches no result.

In: kernels in order, each value written by one. Out: the same with such conditions in those that multiply.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ...graph.constants import anything
from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import Kernel, range_size
from ...graph.monoid import ADD
from ...graph.node import Node, const, index_const
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rules.sums import affine
from ...graph.rules.symbolic import simplify
from ..joining.order import Placed

#: rows and columns that a mask compares: of fewer, a tile of registers has most
LEAST = 48


@dataclass(frozen=True)
class Axis:
    """A loop over the elements of a value: their distance in memory, and how many there are."""

    step: int
    size: int


@dataclass(frozen=True)
class Mask:
    """The sum of axes, each so many times, and a constant is below zero."""

    terms: frozenset[tuple[Axis, int]]
    constant: int

    def over(self, loops: dict[Axis, Node]) -> Node:
        """The test in these loops: place < count."""
        place, count = index_const(0), index_const(-self.constant)
        for axis, times in sorted(self.terms, key=lambda term: term[0].step):
            if times > 0:
                place = place + loops[axis] * times
            else:
                count = count - loops[axis] * times
        return simplify(place).alu(Op.LT, simplify(count))


@rewrite_pass("leave out what a mask does")
def masked_products(kernels: list[Placed], roots: frozenset[Node]) -> list[Placed]:
    """The same kernels, with the masks of softmaxes in products that read weights or make scores. Results in
    `roots` are whole."""
    made: list[Placed] = []
    zeros: dict[Node, Mask] = {}
    for kernel, memories in kernels:
        kernel = _with_masked_sums(kernel, memories, zeros)
        made.append((kernel, memories))
        mask = _zeros_of(kernel, memories, zeros)
        if mask is not None:
            zeros[memories[kernel.outputs[0]]] = mask
    if not zeros:
        return kernels
    asked = {memory: mask for memory, mask in _asked(made).items() if memory not in roots}
    return [(_as_asked(kernel, memories, asked), memories) for kernel, memories in made]


# --- places of values


def _axes(index: Node) -> dict[Axis, Node] | None:
    """The loops that a place is made of, each by the axis of the value that it goes along."""
    steps, constant = affine(index)
    loops = {Axis(step, range_size(r)): r for r, step in steps.items() if r.op is Op.RANGE}
    if constant or len(loops) != len(steps) or any(r.src[0].op is not Op.CONST for r in loops.values()):
        return None
    return loops


def _covers(loops: dict[Axis, Node], size: int) -> bool:
    """Are these all elements of a memory, each once?"""
    whole = 1
    for axis in sorted(loops, key=lambda axis: axis.step):
        if axis.size > 1 and axis.step != whole:
            return False
        whole *= axis.size
    return whole == size


def _only_store(kernel: Kernel) -> Node | None:
    """The store of a kernel that writes one value, each element without a condition."""
    first, *others = kernel.sink.src
    plain = first.op is Op.STORE and len(first.src) == 3 and first.arg is None
    return first if plain and not others else None


def _mask(test: Node, loops: dict[Axis, Node]) -> Mask | None:
    """A test of two long loops of a value, in terms of the value."""
    if test.op is not Op.LT or len(test.ranges) != 2 or not test.ranges <= set(loops.values()):
        return None
    steps, constant = affine(simplify(test.src[0] - test.src[1]))
    named = {r: axis for axis, r in loops.items()}
    if not set(steps) <= set(named) or any(named[r].size < LEAST for r in steps) or len(steps) != 2:
        return None
    if sorted(steps.values()) != [-1, 1]:
        return None
    return Mask(frozenset((named[r], times) for r, times in steps.items()), constant)


def _tests(root: Node) -> list[Node]:
    return [n for n in root.toposort() if n.op is Op.LT and n.ranges]


# --- zeros


def _zeros_of(kernel: Kernel, memories: tuple[Node, ...], zeros: dict[Node, Mask]) -> Mask | None:
    """Where what a kernel stores is zero because scores were masked, if it stores one value."""
    store = _only_store(kernel)
    if store is None:
        return None
    loops = _axes(store.src[1])
    if loops is None or not _covers(loops, store.src[0].arg.size):
        return None
    value = _without_tiles(store.src[2])
    if value is None:
        return None
    for test in _tests(value):
        mask = _mask(test, loops)
        if mask is not None and _is_of_softmax(value, test, mask, memories, zeros):
            return mask
    return None


def _is_of_softmax(
    value: Node, test: Node, mask: Mask, memories: tuple[Node, ...], zeros: dict[Node, Mask]
) -> bool:
    """Is a value zero where a test fails, as the exponential of -inf or made of weights that are?"""
    if _where_failed(value, test) != 0:
        return False
    if any(n.op is Op.EXP for n in value.toposort()):
        return True
    return any(
        n.op is Op.LOAD and n.src[0].op is Op.PARAM and zeros.get(memories[n.src[0].arg.slot]) == mask
        for n in value.toposort()
    )


def _without_tiles(value: Node) -> Node | None:
    """The value with what tiles hold in their places; None where one is not plain."""
    for _ in range(4):
        loads = [n for n in value.toposort(_is_open) if n.op is Op.LOAD and n.src[0].op is Op.STAGE]
        if not loads:
            return value
        held = {}
        for load in loads:
            tile = load.src[0]
            own = tile.src[2:]
            if len(own) != 1 or tile.src[1] is not own[0] or len(load.src) != 2:
                return None
            held[load] = tile.src[0].substitute({own[0]: load.src[1]})
        value = value.substitute(held)
    return None


def _is_open(node: Node) -> bool:
    return node.op is not Op.FOLD and node.op is not Op.STAGE


def _where_failed(node: Node, test: Node) -> float | None:
    """What a value is where a test fails, 0 or -inf; None if it is something else."""
    if node.op is Op.CONST and node.dtype.is_float:
        return float(node.arg) if node.arg in (0, -math.inf) else None
    if node.op is Op.WHERE:
        return _where_failed(node.src[2], test) if node.src[0] is test else None
    if node.op is Op.CAST:
        return _where_failed(node.src[0], test)
    if node.op is Op.EXP:
        return 0.0 if _where_failed(node.src[0], test) == -math.inf else None
    if node.op is Op.MUL:
        return 0.0 if 0 in [_where_failed(s, test) for s in node.src] else None
    if node.op is Op.DIV:
        return 0.0 if _where_failed(node.src[0], test) == 0 else None
    if node.op is Op.SUB:
        return -math.inf if _where_failed(node.src[0], test) == -math.inf else None
    return None


def _with_masked_sums(kernel: Kernel, memories: tuple[Node, ...], zeros: dict[Node, Mask]) -> Kernel:
    """A kernel whose sums of products end where a factor is zero."""
    masked = {}
    for fold in kernel.nodes:
        body = fold.src[0] if fold.op is Op.FOLD else fold
        if fold.op is not Op.FOLD or fold.arg != ADD or body.op is not Op.MUL:
            continue
        for load in body.src:
            if load.op is not Op.LOAD or load.src[0].op is not Op.PARAM or len(load.src) != 2:
                continue
            mask, loops = zeros.get(memories[load.src[0].arg.slot]), _axes(load.src[1])
            if mask is None or loops is None or not {axis for axis, _ in mask.terms} <= set(loops):
                continue
            masked[fold] = fold.replace(
                src=(mask.over(loops).where(body, const(0, body.dtype)), *fold.src[1:])
            )
    return replace(kernel, sink=kernel.sink.substitute(masked)) if masked else kernel


# --- what nobody asks for


def _asked(kernels: list[Placed]) -> dict[Node, Mask | None]:
    """Of each value the mask under which all that read it do; None where somebody reads all of it."""
    asked: dict[Node, Mask | None] = {}
    for kernel, memories in kernels:
        for load in kernel.nodes:
            if load.op is Op.LOAD and load.src[0].op is Op.PARAM:
                memory = memories[load.src[0].arg.slot]
                mask = _guard(kernel, load)
                asked[memory] = mask if asked.get(memory, mask) == mask else None
    return asked


def _guard(kernel: Kernel, load: Node) -> Mask | None:
    """The mask without which a load is not needed."""
    loops = _axes(load.src[1]) if len(load.src) == 2 else None
    if loops is None:
        return None
    for test in _tests(kernel.sink):
        mask = _mask(test, loops)
        if mask is not None and not _needed(kernel.sink, load, test):
            return mask
    return None


def _needed(root: Node, load: Node, test: Node) -> bool:
    """Is a load computed where a test fails?"""
    failed = {n: n.src[2] for n in root.toposort() if n.op is Op.WHERE and n.src[0] is test}
    seen: set[Node] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        node = failed.get(node, node)
        if node is load:
            return True
        if node not in seen:
            seen.add(node)
            stack.extend(node.src)
    return False


def _as_asked(kernel: Kernel, memories: tuple[Node, ...], asked: dict[Node, Mask | None]) -> Kernel:
    """A kernel of one product that leaves out what nobody reads."""
    store = _only_store(kernel)
    if store is None:
        return kernel
    memory, index, value = store.src
    mask, loops = asked.get(memories[memory.arg.slot]), _axes(index)
    folds = [n for n in kernel.nodes if n.op is Op.FOLD]
    if mask is None or loops is None or len(folds) != 1 or folds[0].src[0].op is not Op.MUL:
        return kernel
    if not {axis for axis, _ in mask.terms} <= set(loops) or not _covers(loops, memory.arg.size):
        return kernel
    part = mask.over(loops).where(value, anything(value.dtype))
    return replace(kernel, sink=terms.sink((terms.store(memory, index, part),)))
