"""RNN, LSTM and GRU: torch's names, shapes and order of gates. Steps are unrolled into one graph."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from ...tensor.tensor import Tensor, where
from .. import init
from ..module import Module
from ..sequences import PackedSequence, packed_like, pad_packed_sequence
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
        rows, told = self.gates * self.hidden_size, self._widths[0]
        for layer in range(self.num_layers):
            width = self.input_size if layer == 0 else told * self._directions
            for suffix in self._suffixes(layer):
                shapes: dict[str, tuple[int, ...]] = {
                    "weight_ih": (rows, width),
                    "weight_hh": (rows, told),
                }
                if bias:
                    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                if told != self.hidden_size:
                    shapes["weight_hr"] = (told, self.hidden_size)
                for name, shape in shapes.items():
                    weight = empty(*shape, dtype=dtype, device=device)
                    setattr(self, f"{name}_{suffix}", init.uniform_(weight, -bound, bound))

    @property
    def _widths(self) -> tuple[int, ...]:
        """Of each tensor of a state; the first is what a step tells the next layer."""
        return (self.hidden_size,) * self.states

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _suffixes(self, layer: int) -> list[str]:
        return [f"l{layer}", f"l{layer}_reverse"][: self._directions]

    @abstractmethod
    def _step(self, given: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
        """The next state from what a step is given (already multiplied) and the last state."""

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """(length, batch, in), or (batch, length, in) with `batch_first`, to the results of the last layer
        and the last state: a tensor, or the pair of an LSTM, as `hx` is. Of a `PackedSequence` results are
        packed, and each sequence ends with a state of its own."""
        state: State | None = (hx,) if self.states == 1 and hx is not None else hx
        if isinstance(input, PackedSequence):
            padded, _ = pad_packed_sequence(input)
            results, ends = self._run(padded, state, input.lengths)
            made: Any = packed_like(results, input)
        elif input.ndim == 3:
            x = input.transpose(0, 1) if self.batch_first else input
            results, ends = self._run(x, state)
            made = results.transpose(0, 1) if self.batch_first else results
        else:
            given = None if state is None else tuple([part.unsqueeze(1) for part in state])
            results, ends = self._run(input.unsqueeze(1), given)
            made, ends = results.squeeze(1), tuple([part.squeeze(1) for part in ends])
        return made, ends if self.states > 1 else ends[0]

    def _run(self, x: Tensor, state: State | None, lengths: list[int] | None = None) -> tuple[Tensor, State]:
        """(length, batch, in) to the results of the last layer and the states."""
        count = self.num_layers * self._directions
        if state is None:
            state = tuple(
                [Tensor.zeros(count, x.shape[1], n, dtype=x.dtype, device=x.device) for n in self._widths]
            )
        for part, width in zip(state, self._widths, strict=True):
            if part.shape != (count, x.shape[1], width):
                raise ValueError(f"a state has shape {part.shape} instead of {(count, x.shape[1], width)}")
        last: list[State] = []
        for layer in range(self.num_layers):
            made = []
            for suffix in self._suffixes(layer):
                own = tuple([part[len(last)] for part in state])
                results, own = self._along(x, own, suffix, lengths)
                made.append(results)
                last.append(own)
            x = made[0] if len(made) == 1 else made[0].cat(made, -1)
            if layer < self.num_layers - 1:
                x = x.dropout(self.dropout, self.training)
        return x, tuple([last[0][0].stack([own[n] for own in last], 0) for n in range(self.states)])

    def _along(self, x: Tensor, state: State, suffix: str, lengths: list[int] | None) -> tuple[Tensor, State]:
        """One layer in one direction: (length, batch, in) to (length, batch, hidden). Behind the end of a
        sequence its state stays what it is."""
        given = x.linear(getattr(self, f"weight_ih_{suffix}"), getattr(self, f"bias_ih_{suffix}", None))
        weight, bias = getattr(self, f"weight_hh_{suffix}"), getattr(self, f"bias_hh_{suffix}", None)
        projection = getattr(self, f"weight_hr_{suffix}", None)
        shortest = x.shape[0] if lengths is None else min(lengths)
        ends = None if lengths is None else Tensor(lengths, device=x.device).unsqueeze(-1)
        order = range(x.shape[0])
        results: dict[int, Tensor] = {}
        for t in reversed(order) if suffix.endswith("reverse") else order:
            made = self._step(given[t], state, weight, bias)
            if projection is not None:
                made = (made[0].linear(projection), *made[1:])
            if ends is not None and t >= shortest:
                made = tuple([where(ends > t, new, old) for new, old in zip(made, state, strict=True)])
            state = made
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
    """With `proj_size` a hidden state is multiplied by `weight_hr` (proj_size, hidden_size) before it is
    handed on, so results and `h` are that wide; the cell stays `hidden_size` wide."""

    gates = 4
    states = 2

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if not 0 <= proj_size < max(hidden_size, 1):
            raise ValueError(
                f"proj_size={proj_size} has to be smaller than hidden_size={hidden_size}, or 0 for none"
            )
        self.proj_size = proj_size
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype
        )

    @property
    def _widths(self) -> tuple[int, ...]:
        return self.proj_size or self.hidden_size, self.hidden_size

    def _step(self, given: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
        return lstm_step(given, state, weight, bias)
