"""The best value is part of what a search for its place knows: one reduction instead of two.

    p0[c] = max(x[r, c] over r);  p1[c] = argmax(x[s, c] over s)
        ->  both components of the second fold, in one pass over x

Both agree on NaN, which is the best of all; of zeros of either sign the value is the one that is found."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ....graph.kernels.kernel import Kernel, range_size
from ....graph.node import Node, make, own_ranges
from ....graph.ops import Op
from .shape import folds_of

_BEST: Final = {"argmax": "max", "argmin": "min"}


def best_of_searches(kernel: Kernel) -> Kernel:
    """The kernel with maxima and minima that a search for their place finds anyway."""
    folds = folds_of(kernel)
    searches = [f for f in folds if f.arg.kind in _BEST]
    mapping: dict[Node, Node] = {}
    for fold in folds if searches else ():
        found = next((s for s in searches if _is_best_of(fold, s)), None)
        if found is not None:
            mapping[fold] = make(Op.PROJECT, fold.dtype, (found,), 0)
    return replace(kernel, sink=kernel.sink.substitute(mapping)) if mapping else kernel


def _is_best_of(fold: Node, search: Node) -> bool:
    """Is a fold the value of what the search looks for?"""
    own, theirs = own_ranges(fold), own_ranges(search)
    if fold.arg.kind != _BEST[search.arg.kind] or len(own) != len(theirs):
        return False
    if any(r.src[0].op is not Op.CONST for r in (*own, *theirs)):
        return False
    same = [range_size(r) for r in own] == [range_size(r) for r in theirs]
    return same and fold.src[0].substitute(dict(zip(own, theirs, strict=True))) is search.src[0]
