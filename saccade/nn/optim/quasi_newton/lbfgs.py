"""L-BFGS: a step along the slope times an inverse Hessian that the last steps tell of (Liu and Nocedal 1989).

    optimizer = LBFGS(model.parameters(), line_search_fn="strong_wolfe")
    optimizer.step(closure)          # the closure zeroes gradients, computes the loss and calls backward

The two loops of the algorithm run on coefficients, not on vectors: all it needs of the last steps s, of the
changes y of the gradient and of the gradient g are their products with each other. One kernel makes this Gram
matrix of (2 history + 1) rows, the host finds the coefficients, and a second product makes the direction. So
an iteration waits for the device once, whatever its history.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ....tensor.gradients.leaves import enable_grad, no_grad
from ....tensor.tensor import Tensor, where
from ..optimizer import Optimizer, Params, Writes
from .wolfe import Trial, strong_wolfe

#: of the product of a step and a change: less tells nothing of the Hessian
_LEAST_CURVATURE: Final = 1e-10
#: steps there is room for at first
_FIRST_ROWS: Final = 8
#: what is kept as numbers, in this order: iterations, evaluations, length of the last step, loss before it,
#: pairs ever kept
_NUMBERS: Final = ("iterations", "evaluations", "length", "loss", "pairs")


class LBFGS(Optimizer):
    """Names, order and defaults are torch's. All parameters are one group; `step` needs a closure, returns
    the loss before the step, and evaluates the closure up to `max_eval` times."""

    def __init__(
        self,
        params: Params,
        lr: float = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        if line_search_fn not in (None, "strong_wolfe"):
            raise ValueError(f"LBFGS has the line search 'strong_wolfe' or None, not {line_search_fn!r}")
        if history_size < 1 or max_iter < 1:
            raise ValueError(f"LBFGS: history_size={history_size} and max_iter={max_iter} are 1 or more")
        options = {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change,
            "history_size": history_size, "line_search_fn": line_search_fn,
        }  # fmt: skip
        super().__init__(params, options)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS has one group of parameters: they share one direction")
        first = next(self.parameters())
        total = sum(param.numel() for param in self.parameters())
        rows = min(_FIRST_ROWS, history_size)
        empty = {
            "previous": (total,),
            "direction": (total,),
            "moves": (rows, total),
            "changes": (rows, total),
        }
        kept = {name: first.new_zeros(shape).realize() for name, shape in empty.items()}
        self.state[0] |= kept | {"numbers": Tensor(np.zeros(len(_NUMBERS))).realize()}

    def _update(
        self, param: Tensor, grad: Tensor, state: dict[str, Tensor], options: Mapping[str, Any]
    ) -> Writes:
        raise RuntimeError("LBFGS changes all parameters together: call step(closure)")

    def step(self, closure: Callable[[], Any] | None = None, skip: Tensor | None = None) -> Any:
        if closure is None or skip is not None:
            raise TypeError("LBFGS.step needs a closure that computes the loss again, and skips nothing")
        return _Search(self, closure).run()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """With as many steps in memory as the state has."""
        for name in ("moves", "changes"):
            given, own = state["state"].get(f"0.{name}"), self.state[0][name]
            if given is not None and given.ndim == 2 and given.shape[1] == own.shape[1]:
                self.state[0][name] = own.new_zeros(tuple(given.shape)).realize()
        super().load_state_dict(state)


class _Search:
    """One call of `step`: iterations until one of the limits is met."""

    def __init__(self, optimizer: LBFGS, closure: Callable[[], Any]) -> None:
        self.optimizer, self.closure = optimizer, closure
        self.options, self.kept = optimizer.param_groups[0], optimizer.state[0]
        self.params = list(optimizer.parameters())
        numbers = self.kept["numbers"].numpy()
        self.iterations, self.evaluations, self.pairs = (int(numbers[n]) for n in (0, 1, 4))
        self.length, self.before = float(numbers[2]), float(numbers[3])
        self.evaluated = 0
        self.first: Any = None

    def run(self) -> Any:
        """The loss before the first iteration."""
        options = self.options
        loss, slope = self.evaluate()
        if not _largest(slope) <= options["tolerance_grad"]:
            for number in range(1, options["max_iter"] + 1):
                found = self.iterate(loss, slope, last=number == options["max_iter"])
                if found is None:
                    break
                loss, slope = found
        self.optimizer.steps.assign(self.optimizer.steps + 1.0).realize()
        numbers = (self.iterations, self.evaluations, self.length, self.before, self.pairs)
        self.kept["numbers"].assign(Tensor(np.array(numbers, np.float64))).realize()
        return self.first

    def evaluate(self) -> tuple[float, Tensor]:
        """The loss and its gradient (n,)."""
        with enable_grad():
            loss = self.closure()
        self.first = loss if self.first is None else self.first
        self.evaluated += 1
        self.evaluations += 1
        with no_grad():
            parts = [_slope_of(param).reshape(-1) for param in self.params]
            return float(loss), Tensor.cat(parts).realize()

    def iterate(self, loss: float, slope: Tensor, last: bool) -> tuple[float, Tensor] | None:
        """One step, and the loss and gradient there; None where it was the last."""
        options, kept = self.options, self.kept
        self.iterations += 1
        if self.iterations == 1:
            direction = (-slope).realize()
            length = min(1.0, 1.0 / max(_total(slope), 1e-300)) * options["lr"]
        else:
            direction, length = self.direction(slope), options["lr"]
        kept["previous"].assign(slope).realize()
        kept["direction"].assign(direction).realize()
        self.before, downhill = loss, _dot(slope, direction)
        self.length = length
        if downhill > -options["tolerance_change"]:
            return None
        if options["line_search_fn"] is None:
            self.move(direction, length)
            found = None if last else self.evaluate()
        else:
            start = Trial(0.0, loss, downhill, slope)
            room = max(options["max_eval"] - self.evaluated, 1)
            best = strong_wolfe(lambda t: self.trial(direction, t), start, length, _largest(direction), room)
            self.move(direction, best.length)
            self.length = best.length
            found = best.loss, best.slope
        if found is None or last or self.evaluated >= options["max_eval"]:
            return None
        moved = self.length * _largest(direction)
        still = moved <= options["tolerance_change"] or abs(found[0] - loss) < options["tolerance_change"]
        return None if still or _largest(found[1]) <= options["tolerance_grad"] else found

    def trial(self, direction: Tensor, length: float) -> Trial:
        """The loss at a distance, and back."""
        start = [param.detach().clone().realize() for param in self.params]
        self.move(direction, length)
        loss, slope = self.evaluate()
        with no_grad():
            for param, value in zip(self.params, start, strict=True):
                param.assign(value).realize()
        return Trial(length, loss, _dot(slope, direction), slope)

    @no_grad
    def move(self, direction: Tensor, length: float) -> None:
        begin = 0
        for param in self.params:
            part = direction[begin : begin + param.numel()].reshape(param.shape).to(param.device)
            param.assign(param + part.cast(param.dtype) * length).realize()
            begin += param.numel()

    @no_grad
    def direction(self, slope: Tensor) -> Tensor:
        """Minus the inverse Hessian times the slope (n,), of the steps so far and the last one."""
        kept, most = self.kept, self.options["history_size"]
        self._make_room(most)
        rows = kept["moves"].shape[0]
        last = (kept["direction"] * self.length).realize()
        change = (slope - kept["previous"]).realize()
        if _dot(change, last) > _LEAST_CURVATURE:
            slot = Tensor(np.array(self.pairs % rows))
            for name, value in (("moves", last), ("changes", change)):
                kept[name].assign(_with_row(kept[name], slot, value)).realize()
            self.pairs += 1
        gram = _gram(kept["moves"], kept["changes"], slope).numpy()
        held = min(self.pairs, rows)
        order = [number % rows for number in range(self.pairs - held, self.pairs)]
        weights = _coefficients(gram, order, rows)
        return _combined(Tensor(weights), kept["moves"], kept["changes"], slope).realize()

    def _make_room(self, most: int) -> None:
        """Twice the rows where all are taken: programs are made for few sizes."""
        rows = self.kept["moves"].shape[0]
        if self.pairs < rows or rows >= most:
            return
        for name in ("moves", "changes"):
            old = self.kept[name]
            added = old.new_zeros((min(2 * rows, most) - rows, old.shape[1]))
            self.kept[name] = Tensor.cat([old, added]).realize()


def _coefficients(gram: NDArray[Any], order: list[int], rows: int) -> NDArray[np.float64]:
    """Of moves, changes and the slope in the direction, (2 rows + 1,), from their products with each other;
    `order` has the rows in use, the oldest first."""
    weights = np.zeros(2 * rows + 1)
    weights[-1] = -1.0
    shares = {}
    for s in reversed(order):
        shares[s] = gram[s] @ weights / gram[s, rows + s]
        weights[rows + s] -= shares[s]
    if order:
        newest = order[-1]
        weights *= gram[newest, rows + newest] / gram[rows + newest, rows + newest]
    for s in order:
        weights[s] += shares[s] - gram[rows + s] @ weights / gram[s, rows + s]
    return weights


def _with_row(matrix: Tensor, slot: Tensor, row: Tensor) -> Tensor:
    place = Tensor.arange(matrix.shape[0], device=matrix.device).reshape(-1, 1)
    return where(place.eq(slot.to(matrix.device)), row, matrix)


def _gram(moves: Tensor, changes: Tensor, slope: Tensor) -> Tensor:
    every = Tensor.cat([moves, changes, slope.reshape(1, -1)]).double()
    return every @ every.T


def _combined(weights: Tensor, moves: Tensor, changes: Tensor, slope: Tensor) -> Tensor:
    every = Tensor.cat([moves, changes, slope.reshape(1, -1)])
    return (weights.to(slope.device).reshape(1, -1) @ every.double()).reshape(-1).cast(slope.dtype)


def _slope_of(param: Tensor) -> Tensor:
    return param.new_zeros(param.shape) if param.grad is None else param.grad


def _dot(a: Tensor, b: Tensor) -> float:
    return float((a.double() * b.double()).sum())


def _total(x: Tensor) -> float:
    return float(x.abs().sum())


def _largest(x: Tensor) -> float:
    return float(x.abs().amax())


__all__ = ["LBFGS"]
