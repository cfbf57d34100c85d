"""`checkpoint`: of a function, arguments and results are kept for `backward`; the rest is computed again.

    block = checkpoint(layer)
    for _ in range(12):
        x = block(x)                    # computed now: twelve values are kept, and not what is between them

A value that was realised keeps the graph behind it (`leaves`), and a gradient through that graph starts from
what is in memory. So it is enough to realise both ends. The function is not called again, and random
numbers in it are those that were drawn. Inside `jit` and `grad` nothing is realised: the schedule decides.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ..core import Core
from ..jit.trace import current_trace
from ..jit.tree import flatten
from ..stores.stores import realize_tensors
from .leaves import recording
from .tape import tapes

P = ParamSpec("P")
R = TypeVar("R")


def checkpoint(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose inner values are not kept for `backward`."""

    @functools.wraps(function)
    def computed(*args: P.args, **kwargs: P.kwargs) -> R:
        result = function(*args, **kwargs)
        if recording() and current_trace() is None and not tapes.open:
            ends: list[Core] = []
            flatten((args, kwargs, result), ends)
            realize_tensors(list({id(tensor): tensor for tensor in ends}.values()))
        return result

    return computed
