"""EMA: a running mean of parameters, to evaluate or to keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from ...tensor.gradients.leaves import no_grad
from ...tensor.jit.trace import current_trace
from ...tensor.jit.tree import Attributes
from ...tensor.stores.stores import realize_tensors
from ...tensor.tensor import Tensor
from ..saved.difference import differences


class EMA(Attributes):
    """mean = decay * mean + (1 - decay) * parameter, at each `update()`, in place."""

    def __init__(self, parameters: Iterable[Tensor], decay: float = 0.999) -> None:
        if not 0 <= decay <= 1:
            raise ValueError(f"a decay lies between 0 and 1, not {decay}")
        self.decay = decay
        self.parameters = list(parameters)
        self.means = [param.detach().clone() for param in self.parameters]
        realize_tensors(self.means)

    @no_grad
    def update(self) -> None:
        for mean, param in zip(self.means, self.parameters, strict=True):
            mean.assign(mean * self.decay + param * (1 - self.decay))
        if current_trace() is None:
            realize_tensors(self.means)

    @no_grad
    def copy_to(self) -> None:
        """The parameters are the means from now on."""
        for mean, param in zip(self.means, self.parameters, strict=True):
            param.assign(mean)
        realize_tensors(self.parameters)

    def state_dict(self) -> dict[str, Tensor]:
        return {str(number): mean.detach() for number, mean in enumerate(self.means)}

    @no_grad
    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        own = {str(number): mean for number, mean in enumerate(self.means)}
        missing = [name for name in own if name not in state]
        wrong = differences(own, state, missing, [name for name in state if name not in own])
        if wrong:
            raise ValueError("the state does not fit EMA:\n  " + "\n  ".join(wrong))
        for name, mean in own.items():
            mean.assign(state[name])
        realize_tensors(self.means)

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The parameters are the means, inside."""
        own = [param.detach().clone() for param in self.parameters]
        realize_tensors(own)
        self.copy_to()
        try:
            yield
        finally:
            with no_grad():
                for param, value in zip(self.parameters, own, strict=True):
                    param.assign(value)
            realize_tensors(self.parameters)
