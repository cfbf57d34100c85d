"""One step of a recurrent layer as a module, with torch's names of weights."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from ...tensor.tensor import Tensor
from .. import init
from ..module import Module
from .linear import empty
from .recurrent import State, gru_step, lstm_step, plain_step


class _Cell(Module, ABC):
    #: rows of a weight for each number of the hidden state
    gates: ClassVar[int]
    #: tensors that a step hands on
    states: ClassVar[int] = 1

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows, bound = self.gates * hidden_size, 1 / math.sqrt(max(hidden_size, 1))
        self.weight_ih = empty(rows, input_size, dtype=dtype, device=device)
        self.weight_hh = empty(rows, hidden_size, dtype=dtype, device=device)
        self.bias_ih = empty(rows, dtype=dtype, device=device) if bias else None
        self.bias_hh = empty(rows, dtype=dtype, device=device) if bias else None
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    @abstractmethod
    def _step(self, given: Tensor, state: State) -> State:
        """The next state from what the step is given, already multiplied."""

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        """(batch, in), or (in,), and the last state (batch, hidden), to the next; of an LSTM both are
        pairs."""
        batched = input.ndim == 2
        x = input if batched else input.unsqueeze(0)
        if hx is None:
            zeros = Tensor.zeros(x.shape[0], self.hidden_size, dtype=x.dtype, device=x.device)
            state: State = (zeros,) * self.states
        else:
            given: State = (hx,) if self.states == 1 else tuple(hx)
            state = given if batched else tuple([part.unsqueeze(0) for part in given])
        for part in state:
            if part.shape != (x.shape[0], self.hidden_size):
                raise ValueError(
                    f"a state has shape {part.shape} instead of {(x.shape[0], self.hidden_size)}"
                )
        made = self._step(x.linear(self.weight_ih, self.bias_ih), state)
        made = made if batched else tuple([part.squeeze(0) for part in made])
        return made[0] if self.states == 1 else made

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}"


class RNNCell(_Cell):
    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        plain_step(nonlinearity)  # is it one?
        self.nonlinearity = nonlinearity
        super().__init__(input_size, hidden_size, bias, device, dtype)

    def _step(self, given: Tensor, state: State) -> State:
        return plain_step(self.nonlinearity)(given, state, self.weight_hh, self.bias_hh)


class GRUCell(_Cell):
    gates = 3

    def _step(self, given: Tensor, state: State) -> State:
        return gru_step(given, state, self.weight_hh, self.bias_hh)


class LSTMCell(_Cell):
    gates = 4
    states = 2

    def _step(self, given: Tensor, state: State) -> State:
        return lstm_step(given, state, self.weight_hh, self.bias_hh)
