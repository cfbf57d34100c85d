"""The blocks of a model bound to their memory: for a single token, thirty native calls and next to no Python.

    chain = Chain.of(calls, x, at)      # after each block ran once; None where they cannot be bound
    chain.run(x, at)                    # through all of them

A call of a jit function looks at each of its arguments, of which a block has two dozen, and makes a new
tensor: half of the time of a token of a small model. Here the stream between blocks goes to and fro between
two tensors, places are written where the blocks read them, all addresses are known (`tensor/jit/bound.py`).
SmolLM2-135M in Q4_1, one core of a busy Cascade Lake, processor time of a token: 37 -> 21 ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...tensor.jit.bound import Bound, Inbox, bind
from ...tensor.jit.function import JitFunction
from ...tensor.tensor import Tensor


class Step(NamedTuple):
    """A block that ran: its program, the cache it writes to, and what else it reads after x and places."""

    program: JitFunction[..., Tensor]
    cache: tuple[Tensor, Tensor]
    rest: tuple[Tensor, ...]


class Chain:
    """Bound calls, one after the other."""

    def __init__(self, calls: list[Bound], x: Inbox, at: Inbox) -> None:
        self._calls, self._x, self._at = calls, x, at

    @staticmethod
    def of(steps: Sequence[Step], x: Tensor, at: Tensor) -> Chain | None:
        """Calls for x and places of these shapes."""
        first, other = (Inbox(x.shape, x.dtype.name) for _ in range(2))
        where = Inbox(at.shape, at.dtype.name)
        calls = []
        for number, (program, cache, rest) in enumerate(steps):
            source, target = (first, other) if number % 2 == 0 else (other, first)
            made = bind(
                program, (source.tensor, *cache, where.tensor, *rest), (target.tensor,), overwrites=True
            )
            if made is None:
                return None
            calls.append(made)
        return Chain(calls, first, where)

    def run(self, x: Tensor, at: np.ndarray) -> Tensor:
        """The stream after the last block: the same tensor each time, which the next run overwrites."""
        self._x.array[...] = x.numpy()
        self._at.array[...] = at
        for call in self._calls:
            call.run()
        return self._calls[-1].outputs[0]
