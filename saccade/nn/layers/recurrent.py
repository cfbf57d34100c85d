"""RNN, LSTM and GRU: torch's names, shapes and order of gates. Steps are unrolled into one graph."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from ...tensor.tensor import Tensor
from .. import init
from ..module import Module
from .linear import empty

State = tuple[Tensor, ...]
#: the next state from what a step is given (already multiplied), the last state, and its weight and bias
Step = Callable[[Tensor, State, Tensor, Tensor | None], State]


def tanh_step(given: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    return ((given + state[0].linear(weight, bias)).tanh(),)


def relu_step(given: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    return ((given + state[0].linear(weight, bias)).relu(),)


def gru_step(given: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    (hidden,) = state
    own = hidden.linear(weight, bias)
    (r, z, n), (r_own, z_own, n_own) = given.chunk(3, -1), own.chunk(3, -1)
    reset, update = (r + r_own).sigmoid(), (z + z_own).sigmoid()
    fresh = (n + reset * n_own).tanh()
    return (fresh + update * (hidden - fresh),)


def lstm_step(given: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    hidden, cell = state
    i, f, g, o = (given + hidden.linear(weight, bias)).chunk(4, -1)
    cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    return o.sigmoid() * cell.tanh(), cell


def plain_step(nonlinearity: str) -> Step:
    if nonlinearity not in ("tanh", "relu"):
        raise ValueError(f"unknown nonlinearity {nonlinearity!r}: use 'tanh' or 'relu'")
    return tanh_step if nonlinearity == "tanh" else relu_step


class _Recurrent(Module, ABC):
    #: rows of a weight for each number of the hidden state
    gates: ClassVar[int]
    #: tensors that a step hands on
    states: ClassVar[int] = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, dropout
        self.bidirectional = bidirectional
        bound = 1 / math.sqrt(max(self.hidden_size, 1))
        rows = self.gates * self.hidden_size
        for layer in range(self.num_layers):
            width = self.input_size if layer == 0 else self.hidden_size * self._directions
            for suffix in self._suffixes(layer):
                shapes: dict[str, tuple[int, ...]] = {
                    "weight_ih": (rows, width),
                    "weight_hh": (rows, self.hidden_size),
                }
                if bias:
                    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                for name, shape in shapes.items():
                    weight = empty(*shape, dtype=dtype, device=device)
                    setattr(self, f"{name}_{suffix}", init.uniform_(weight, -bound, bound))

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _suffixes(self, layer: int) -> list[str]:
        return [f"l{layer}", f"l{layer}_reverse"][: self._directions]

    @abstractmethod
    def _step(self, given: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
        """The next state from what a step is given (already multiplied) and the last state."""

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Tensor, Any]:
        """(length, batch, in), or (batch, length, in) with `batch_first`, to the results of the last layer
        and the last state: a tensor, or the pair of an LSTM, as `hx` is."""
        results, ends = self._run(input, (hx,) if self.states == 1 and hx is not None else hx)
        return results, ends if self.states > 1 else ends[0]

    def _run(self, input: Tensor, state: State | None) -> tuple[Tensor, State]:
        """(length, batch, in), or as torch has it, to the results of the last layer and the states."""
        batched = input.ndim == 3
        x = input.unsqueeze(1) if not batched else input.transpose(0, 1) if self.batch_first else input
        count = self.num_layers * self._directions
        if state is None:
            zeros = Tensor.zeros(count, x.shape[1], self.hidden_size, dtype=x.dtype, device=x.device)
            state = (zeros,) * self.states
        elif not batched:
            state = tuple([part.unsqueeze(1) for part in state])
        for part in state:
            if part.shape != (count, x.shape[1], self.hidden_size):
                raise ValueError(
                    f"a state has shape {part.shape} instead of {(count, x.shape[1], self.hidden_size)}"
                )
        last: list[State] = []
        for layer in range(self.num_layers):
            made = []
            for suffix in self._suffixes(layer):
                own = tuple([part[len(last)] for part in state])
                results, own = self._along(x, own, suffix)
                made.append(results)
                last.append(own)
            x = made[0] if len(made) == 1 else made[0].cat(made, -1)
            if layer < self.num_layers - 1:
                x = x.dropout(self.dropout, self.training)
        ends = tuple([last[0][0].stack([own[n] for own in last], 0) for n in range(self.states)])
        if not batched:
            return x.squeeze(1), tuple([part.squeeze(1) for part in ends])
        return (x.transpose(0, 1) if self.batch_first else x), ends

    def _along(self, x: Tensor, state: State, suffix: str) -> tuple[Tensor, State]:
        """One layer in one direction: (length, batch, in) to (length, batch, hidden)."""
        given = x.linear(getattr(self, f"weight_ih_{suffix}"), getattr(self, f"bias_ih_{suffix}", None))
        weight, bias = getattr(self, f"weight_hh_{suffix}"), getattr(self, f"bias_hh_{suffix}", None)
        order = range(x.shape[0])
        results: dict[int, Tensor] = {}
        for t in reversed(order) if suffix.endswith("reverse") else order:
            state = self._step(given[t], state, weight, bias)
            results[t] = state[0]
        return state[0].stack([results[t] for t in order], 0), state

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}, num_layers={self.num_layers}"


class RNN(_Recurrent):
    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        plain_step(nonlinearity)  # is it one?
        self.nonlinearity = nonlinearity
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype
        )

    def _step(self, given: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
        return plain_step(self.nonlinearity)(given, state, weight, bias)


class GRU(_Recurrent):
    gates = 3

    def _step(self, given: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
        return gru_step(given, state, weight, bias)


class LSTM(_Recurrent):
    gates = 4
    states = 2

    def _step(self, given: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
        return lstm_step(given, state, weight, bias)
