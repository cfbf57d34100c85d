"""Tensors that outlive the trace they were made in: a function that stores what it computes.

    @jit
    def step(x):
        model.last = x * 2       # TraceError: a replay computes no such tensor

Nobody but the result of a trace needs its placeholders. If one is alive when the trace is compiled, a tensor
that was computed from it was stored: in an attribute, a global, a list, a cache. Which one is looked for only
then, among all objects of the process.
"""

from __future__ import annotations

import gc
from types import CellType, FrameType, ModuleType
from weakref import ref

from ....graph.node import Node, walk
from ....graph.ops import Op
from ....runtime.memory.buffer import Buffer
from ...core import Core
from ...programs.holes import numbers_given
from ..trace import Placeholder, TraceError, tracing


def is_traced(node: Node) -> bool:
    """Does a value depend on what each call gives?"""
    return any(
        (n.op is Op.BUFFER and isinstance(n.arg, Placeholder)) or numbers_given(n) for n in walk((node,))
    )


def check_escapes(needed: bool = False) -> None:
    """Raise if a tensor is left that belongs to the traces made since the last check. With `needed`, their
    placeholders are in use, and say nothing."""
    made, tracing.placeholders = tracing.placeholders, []
    if not needed and not _alive(made):
        return
    gc.collect()  # a function may leave cycles
    left = _alive(made)
    found = _tensor_of(left) if left else None
    if found is not None:
        raise TraceError(
            f"a jit function stores a tensor it computes, of shape {found.shape}, in {_holder(found)}: "
            f"return it instead, or assign to a tensor that is there (x.assign(...))"
        )


def _tensor_of(placeholders: set[Buffer]) -> Core | None:
    """A tensor that depends on one of them."""
    kinds, waiting = set[type](), [Core]
    while waiting:  # asking each of a million objects whether its type is one took twice the time
        kind = waiting.pop()
        kinds.add(kind)
        waiting += kind.__subclasses__()
    tensors = [found for found in gc.get_objects() if type(found) in kinds]
    return next((t for t in tensors if not placeholders.isdisjoint(_placeholders(t))), None)


def _alive(made: list[ref[Buffer]]) -> set[Buffer]:
    return {buffer for buffer in [get() for get in made] if buffer is not None}


def _placeholders(tensor: Core) -> list[Buffer]:
    node = getattr(tensor, "node", None)  # one that is being made has none
    return [] if node is None else [n.arg for n in walk((node,)) if n.op is Op.BUFFER]


def _holder(tensor: Core) -> str:
    """Who has the tensor, in words."""
    for holder in gc.get_referrers(tensor):
        if isinstance(holder, dict):
            return _place(holder, list(holder)[list(map(id, holder.values())).index(id(tensor))])
        if isinstance(holder, CellType):
            return "a closed-over variable"
        if not isinstance(holder, FrameType):
            return f"a {type(holder).__name__}"
    return "an object"


def _place(holder: dict[object, object], key: object) -> str:
    for owner in gc.get_referrers(holder):
        if isinstance(owner, ModuleType):
            return f"global {key}"
        if getattr(owner, "__dict__", None) is holder:
            return f"attribute {key} of a {type(owner).__name__}"
    return f"a dict, under {key!r}"


__all__ = ["check_escapes", "is_traced"]
