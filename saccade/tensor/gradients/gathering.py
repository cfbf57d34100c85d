"""A jit function that is given tensors which gather gradients (`requires_grad`): their `.grad` goes in and
comes out beside arguments and result.

    step(model, batch)    is    WithGrads(step)((model, batch), {}, {0: None}) -> (result, {0: gradient})

So a trace sees gradients as it sees everything: those that are there are inputs, adding to one is a write in
place, and those that are new, or dropped, are results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from ..core import Core
from ..jit.trace import current_trace
from ..jit.tree import flatten

#: what comes out for a gradient that is the tensor it was
KEPT: Final = "kept"
#: by the number of a tensor among those of all arguments
Grads = dict[int, Any]


class WithGrads:
    """The function to trace."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__wrapped__ = function
        self.__name__ = getattr(function, "__name__", str(function))
        if hasattr(function, "__code__"):
            self.__code__ = function.__code__  # what `environment` reads

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any], grads: Grads) -> Any:
        if current_trace() is None:
            return None  # one that cannot be replayed: the caller has the arguments themselves
        tensors: list[Any] = []
        flatten((args, kwargs), tensors)
        for number, grad in grads.items():
            tensors[number].requires_grad_()
            tensors[number].leaf.set(grad)  # of one that is captured too, the trace gives it back
        result = self.__wrapped__(*args, **kwargs)
        left = {n: tensors[n].grad for n in grads}
        return result, {n: KEPT if left[n] is grads[n] else left[n] for n in grads}


def grads_of(tensors: Sequence[Core]) -> Grads:
    """What these tensors have gathered, of those that do: each once."""
    found: dict[int, int] = {}
    for number, tensor in enumerate(tensors):
        if hasattr(tensor, "leaf"):
            found.setdefault(id(tensor), number)
    return {number: tensors[number].leaf.grad for number in found.values()}


def give_back(tensors: Sequence[Core], left: Grads) -> None:
    """Tensors have the gradients that came out."""
    for number, grad in left.items():
        if grad is not KEPT:
            tensors[number].leaf.set(grad)
