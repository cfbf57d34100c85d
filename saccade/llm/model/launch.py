"""A step of a decoder bound to its memory: for each token the host writes a few numbers and reads one a row.

    launch = Launch(program, (where, how), rest, written)
    launch.inboxes[0].array[...] = ...
    chosen, logits = launch.run()           # good until the next run

A call of a jit function looks at each of its arguments, of which a decoder has hundreds, and makes new
tensors: more time than a GPU takes for a token of a small model. Here all addresses are known
(`tensor/jit/bound.py`). Between two runs others may write to the cache through views of it: such stores are
made before the next one begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import ref

import numpy as np

from ...tensor.core import Core
from ...tensor.jit.bound import Bound, Inbox, bind
from ...tensor.jit.function import JitFunction
from ...tensor.jit.trace import buffer_of
from ...tensor.jit.tree import flatten
from ...tensor.stores.stores import realize_tensors
from ...tensor.tensor import Tensor

Array = np.ndarray[Any, Any]


class Launch:
    """Calls of a program that gives tokens and logits. inboxes: its first arguments; rest: those after them;
    written: the tensors of the rest that it writes to."""

    def __init__(
        self,
        program: JitFunction[..., tuple[Tensor, Tensor]],
        inboxes: tuple[Inbox, ...],
        rest: tuple[Any, ...],
        written: Sequence[Tensor],
    ) -> None:
        self.program, self.inboxes = program, inboxes
        self._rest, self._written = rest, written
        self._bound: Bound | None = None
        self._places: list[int] = []
        #: what was in memory at the last run; not held, as what has a reader is copied before it is written
        self._values: list[ref[Any]] = []

    def run(self) -> tuple[Array, Tensor]:
        """Tokens (batch,) on the host, and logits (batch, tokens)."""
        if self._bound is None or self._moved():
            return self._call()
        self._bound.run()
        return self._bound.read(), self._bound.outputs[1]

    def _call(self) -> tuple[Array, Tensor]:
        """Call the program as it is, and have the next runs overwrite what it gives."""
        for inbox in self.inboxes:
            inbox.send()
        arguments = (*(inbox.tensor for inbox in self.inboxes), *self._rest)
        made = self.program(*arguments)
        leaves: list[Core] = []
        flatten(arguments, leaves)
        tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        self._bound = bind(self.program, tensors, made, self.inboxes, read=0, overwrites=True)
        self._places = self._addresses()
        return made[0].numpy(), made[1]

    def _moved(self) -> bool:
        """Is what is written elsewhere than it was? Stores to it that wait are made."""
        if all(value() is tensor.node for value, tensor in zip(self._values, self._written, strict=True)):
            return False
        realize_tensors(self._written)
        before, self._places = self._places, self._addresses()
        return before != self._places

    def _addresses(self) -> list[int]:
        self._values = [ref(tensor.node) for tensor in self._written]
        return [buffer_of(tensor.node).address for tensor in self._written]
