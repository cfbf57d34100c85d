"""GradScaler: losses are scaled up, so that gradients of 16-bit floats do not vanish.

    scaler.scale(loss).backward()
    scaler.step(optimizer)          # gradients scaled down; where one is not finite, nothing changes
    scaler.update()                 # then the scale is halved; after many good steps it is doubled

Everything is a tensor, so that all of it may be inside `jit`, and nothing waits.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...tensor.gradients.leaves import no_grad
from ...tensor.jit.trace import current_trace
from ...tensor.jit.tree import Attributes
from ...tensor.stores.stores import realize_tensors
from ...tensor.tensor import Tensor, where
from .optimizer import Optimizer


class GradScaler(Attributes):
    def __init__(
        self,
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self.growth_factor, self.backoff_factor = growth_factor, backoff_factor
        self.growth_interval, self.enabled = growth_interval, enabled
        self.factor, self.good_steps, self.found_bad = Tensor(init_scale), Tensor(0), Tensor(False)
        #: optimisers whose gradients are scaled down already, by number, until `update`
        self.unscaled: tuple[int, ...] = ()

    def scale(self, loss: Tensor) -> Tensor:
        return loss * self.factor.cast(loss.dtype) if self.enabled else loss

    def get_scale(self) -> float:
        return float(self.factor.item()) if self.enabled else 1.0

    def state_dict(self) -> dict[str, Tensor]:
        return {"factor": self.factor.detach(), "good_steps": self.good_steps.detach()}

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        self.factor.assign(state["factor"])
        self.good_steps.assign(state["good_steps"])
        realize_tensors((self.factor, self.good_steps))

    @no_grad
    def unscale_(self, optimizer: Optimizer) -> None:
        """Scale gradients down in place, and look for those that are not finite."""
        if self.enabled:
            self._scale_down(optimizer)
            self.unscaled = (*self.unscaled, id(optimizer))

    def _scale_down(self, optimizer: Optimizer) -> None:
        grads = [param.grad for param in optimizer.parameters() if param.grad is not None]
        bad = self.found_bad
        for grad in grads:
            grad.assign((grad.cast("float32") / self.factor).cast(grad.dtype))
            bad = bad | ~grad.isfinite().all()
        self.found_bad.assign(bad)

    def step(self, optimizer: Optimizer) -> None:
        if not self.enabled:
            optimizer.step()
            return
        if id(optimizer) not in self.unscaled:
            # not noted: an attribute that is set in a jit function makes its numbers guards, the rate too
            with no_grad():
                self._scale_down(optimizer)
        optimizer.step(skip=self.found_bad)

    @no_grad
    def update(self) -> None:
        """Another scale for the next step."""
        if not self.enabled:
            return
        good = where(self.found_bad, 0, self.good_steps + 1)
        full = good >= self.growth_interval
        grown = where(full, self.factor * self.growth_factor, self.factor)
        self.factor.assign(where(self.found_bad, self.factor * self.backoff_factor, grown))
        self.good_steps.assign(where(full, 0, good))
        self.found_bad.assign(Tensor.full((), False, dtype="bool"))
        if self.unscaled:
            self.unscaled = ()
        if current_trace() is None:
            realize_tensors((self.factor, self.good_steps, self.found_bad))
