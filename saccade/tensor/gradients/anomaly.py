"""`detect_anomaly`: where the first number that is not finite comes from.

    with detect_anomaly():
        loss = model(x).log().mean()
        loss.backward()
    FloatingPointError: the value that backward starts from is not finite: LOG at train.py:2, shape (8, 10),
    is the first with NaN or infinities (3 of 80 elements); all that it was computed from is finite

Inside, nodes remember the line that made them, and `backward` looks at its value and at all gradients before
it hands them out. Only if one is not finite is everything below it computed again, with a flag for each node.
jit functions are called as they are: a trace has no values to look at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ...graph.node import Node, sources_first
from ...graph.ops import MOVEMENT, Op
from ...graph.origin import origin_of, tracking
from ..jit.trace import checking
from ..stores.stores import realize_tensors
from ..tensor import Tensor
from .leaves import no_grad, past


@contextmanager
def detect_anomaly() -> Iterator[None]:
    """Have `backward` raise FloatingPointError for NaN and infinities, and say where they come from."""
    before = checking.examine
    checking.examine = examine
    try:
        with tracking():
            yield
    finally:
        checking.examine = before


def examine(value: Node, gradients: Sequence[Node]) -> None:
    """Raise for the value of `backward`, or one of its gradients, that is not finite."""
    ends = [end for end in (value, *gradients) if end.dtype.is_float]
    with no_grad():
        bad = [end for end, count in zip(ends, _counts(ends), strict=True) if count]
        if not bad:
            return
        order = [node for node in sources_first([bad[0]], _below) if _is_judged(node)]
        counts = dict(zip(order, _counts(order), strict=True))
    what = "the value that backward starts from" if bad[0] is value else "a gradient"
    raise FloatingPointError(f"{what} is not finite: {_first(order, counts)}")


def _first(order: list[Node], counts: dict[Node, int]) -> str:
    """Words about the first node that is not finite."""
    node = next(node for node in order if counts[node])
    origin = origin_of(node)
    line = f" at {origin.line}" if origin.line else ""
    part = f"({counts[node]} of {node.size} elements)"
    if _below(node) == ():
        return f"a tensor of shape {node.shape} that was given holds NaN or infinities {part}"
    made = f"the gradient{line}" if origin.backward else f"{node.op.name}{line}"
    return (
        f"{made}, shape {node.shape}, is the first with NaN or infinities {part}; all that it was computed "
        "from is finite"
    )


def _is_judged(node: Node) -> bool:
    """Constants may be infinite (what a maximum begins with); views are their sources."""
    return node.dtype.is_float and node.op not in MOVEMENT and node.device is not None and node.size > 0


def _below(node: Node) -> tuple[Node, ...]:
    """What a node was computed from, also one that is in memory by now."""
    if node.op is Op.BUFFER:
        before = past().get(node)
        return () if before is None else (before,)
    return node.src


def _counts(nodes: Sequence[Node]) -> list[int]:
    """How many elements of each are not finite."""
    flags = [(~Tensor._of(node).isfinite()).sum() for node in nodes]
    realize_tensors(flags)
    return [int(flag.item()) for flag in flags]
