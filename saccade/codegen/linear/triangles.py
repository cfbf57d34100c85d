"""Loops of products that begin and end where a mask does, and of these the iterations it leaves whole.

    add(where(k < 8 i + u + 1, a[8 i + u, k] * b[k, n], 0) over k < 256), u unrolled
        ->  for k < 8 i + 1: ... without a condition;   for k in 8 i + 1 .. 8 i + 8: ... row by row

    c[8 i + u, 64 j + lane] = where(64 j + lane < 8 i + u + 1, ..., anything)
        ->  for j < (8 i + 71) // 64: ... without a condition: what is left out may hold anything

A loop has only those iterations in which the mask holds for some of the registers inside of it.
"""

from __future__ import annotations

from dataclasses import replace

from ...graph.kernels.kernel import Kernel, is_register
from ...graph.kernels.masks import masks_of
from ...graph.node import Node, index_const, own_ranges
from ...graph.ops import Op
from ...graph.rules.symbolic import affine, bounds, simplify
from .ends import Ends, known


def mask_ends(kernel: Kernel, found: Ends) -> Kernel:
    """Add where loops begin and end because of masks; the kernel without those that matter no more."""
    results: dict[Node, Node] = {}
    kept = {tile.src[0] for tile in kernel.nodes if tile.op is Op.STAGE and tile.arg.accumulates}
    for masked, whole in masks_of(kernel).items():
        if masked in kept:
            continue  # its loops are outside of those of its results
        if masked.op is Op.FOLD:
            own = own_ranges(masked)
            _end_nest(masked.src[0].src[0], own, masked.ranges, found)
        else:
            results[masked] = whole
    if len(results) == len(kernel.sink.src) and len({masked.src[0] for masked in results}) == 1:
        _end_nest(next(iter(results)).src[0], kernel.order, frozenset(), found, inner=False)
    return replace(kernel, sink=kernel.sink.substitute(results)) if results else kernel


def _end_nest(
    test: Node, loops: tuple[Node, ...], outer: frozenset[Node], found: Ends, inner: bool = True
) -> None:
    """Where the loops of a nest begin and end for a test; with `inner`, in which iterations of the innermost
    it need not be asked."""
    plain = [r for r in loops if not is_register(r)]
    for place, r in enumerate(plain):
        limits = _limits(test, r, outer | set(plain[:place]))
        if limits is None or r in found.end:
            continue
        first, some, every = limits
        innermost = inner and r is plain[-1]
        if first:
            if inner:
                found.begin[r] = known(some)
            if innermost:
                found.late[r] = known(every), (test,)
        else:
            found.end[r] = known(some)
            if innermost:
                found.full[r] = known(every), (test,)


def _limits(test: Node, r: Node, around: frozenset[Node]) -> tuple[bool, Node, Node] | None:
    """Does a test give the first iteration of `r`, or its end? For some of what is inside, and for all."""
    steps, least = affine(simplify(test.src[0] - test.src[1]))
    step, most, rest = 0, least, index_const(0)
    for term, factor in steps.items():
        if term is r:
            step = factor
        elif r in term.ranges:
            return None
        elif term.ranges <= around and not any(map(is_register, term.ranges)):
            rest = rest + term * factor
        elif term.ranges.isdisjoint(r for r in around if not is_register(r)):
            low, high = sorted((int(bounds(term)[0]) * factor, int(bounds(term)[1]) * factor))
            least, most = least + low, most + high
        else:
            return None
    if not step:
        return None
    size = r.src[0]
    if step > 0:  # step * r + rest + least < 0
        some, every = ((step - 1 - far - rest) // step for far in (least, most))
    else:
        some, every = ((rest + far) // -step + 1 for far in (least, most))
    return step < 0, some.minimum(size).maximum(0), every.minimum(size).maximum(0)
