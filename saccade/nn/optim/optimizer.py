"""`Optimizer`: a subclass says what it keeps for a parameter, and how a step changes both.

    optimizer = AdamW(model.parameters(), lr=1e-3)
    loss.backward()
    optimizer.step()            # all parameters and all that is kept, in place, as one program
    optimizer.zero_grad()

State is there from the start and all of it is tensors, also the number of steps, so that a `jit` function
may take model and optimiser and do a whole step. Rates and other numbers are in `param_groups`, and may be
changed there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

from ...tensor.gradients.leaves import enable_grad, no_grad
from ...tensor.jit.function import JitFunction
from ...tensor.jit.jit import jit
from ...tensor.jit.trace import current_trace
from ...tensor.jit.tree import Attributes
from ...tensor.stores.stores import realize_tensors
from ...tensor.tensor import Tensor, where
from ..module import zero_grads
from ..saved.difference import differences

Params = Iterable[Tensor] | Iterable[dict[str, Any]]
#: what an update writes: a tensor and its next value
Writes = Iterator[tuple[Tensor, Tensor]]

#: what `step` calls outside of a jit function: to build the graph of nineteen parameters took 30 ms, and to
#: replay it takes 1
_replays: Final[WeakKeyDictionary[Optimizer, JitFunction[..., None]]] = WeakKeyDictionary()


class Optimizer(Attributes, ABC):
    """`param_groups` are dicts of parameters and their options; `state` is what is kept for each parameter,
    in order; `steps` counts."""

    def __init__(self, params: Params, defaults: Mapping[str, Any]) -> None:
        given = list(params)
        if not given:
            raise ValueError(f"{type(self).__name__} was given no parameters")
        groups = given if isinstance(given[0], dict) else [{"params": given}]
        self.param_groups: list[dict[str, Any]] = []
        self.state: list[dict[str, Tensor]] = []
        self._defaults = dict(defaults)
        for group in groups:
            self.add_param_group(group)
        self.steps = Tensor(0.0, device=next(self.parameters()).device)

    def add_param_group(self, group: Any) -> None:
        """More parameters, with options of their own."""
        options = {**self._defaults, **group, "params": list(group["params"])}
        _check(options, self._defaults, type(self).__name__)
        known = {id(param) for param in self.parameters()}
        for param in options["params"]:
            if not isinstance(param, Tensor) or not hasattr(param, "leaf"):
                raise TypeError(
                    f"{type(self).__name__} trains tensors with requires_grad=True, not {param!r:.60}"
                )
            if id(param) in known:
                raise ValueError(f"a parameter of shape {param.shape} was given twice")
            known.add(id(param))
        self.param_groups.append(options)
        fresh = [self._start(param, options) for param in options["params"]]
        # with initial values that are yet to be computed, so that the first step is like the others
        realize_tensors(options["params"])
        self.state += fresh

    def parameters(self) -> Iterator[Tensor]:
        for group in self.param_groups:
            yield from group["params"]

    def _start(self, param: Tensor, options: Mapping[str, Any]) -> dict[str, Tensor]:
        """What is kept for a parameter, before the first step."""
        return {}

    def complete_state(self) -> None:
        """State that options ask for which were changed since, such as a momentum of an SGD without one."""
        each = [(param, group) for group in self.param_groups for param in group["params"]]
        for number, (param, group) in enumerate(each):
            self.state[number] = self._start(param, group) | self.state[number]

    @abstractmethod
    def _update(
        self, param: Tensor, grad: Tensor, state: dict[str, Tensor], options: Mapping[str, Any]
    ) -> Writes:
        """What a step writes for a parameter."""

    def zero_grad(self, set_to_none: bool = True) -> None:
        zero_grads(self.parameters(), set_to_none)

    def step(self, closure: Callable[[], Any] | None = None, skip: Tensor | None = None) -> Any:
        """Change every parameter that has a gradient. With `skip`, a bool, all stays as it was if it holds.
        A closure is called first, and computes the loss and its gradients."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        if current_trace() is None:
            replay = _replays.get(self)
            if replay is None:
                replay = _replays[self] = jit(_written)
            with enable_grad():  # of whom `.grad` goes in and comes out
                replay(self, skip)
        else:
            self._write(skip)
        return loss

    @no_grad
    def _write(self, skip: Tensor | None) -> None:
        """All parameters and all that is kept have their next values."""
        counted = self.steps + 1.0
        self.steps.assign(counted if skip is None else where(skip, self.steps, counted))
        pairs = zip(
            [(param, group) for group in self.param_groups for param in group["params"]],
            self.state,
            strict=True,
        )
        found = [
            write
            for (param, group), kept in pairs
            if (slope := param.grad) is not None
            for write in self._update(param, -slope if group.get("maximize") else slope, kept, group)
        ]
        for tensor, value in found:
            tensor.assign(value if skip is None else where(skip, tensor, value))

    # --- saved state

    def state_dict(self) -> dict[str, Any]:
        """What is kept, by the number of the parameter, and the options of groups."""
        groups = []
        for group in self.param_groups:
            groups.append({key: value for key, value in group.items() if key != "params"})
        state = {f"{n}.{key}": t.detach() for n, kept in enumerate(self.state) for key, t in kept.items()}
        return {"state": {"steps": self.steps.detach(), **state}, "param_groups": groups}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Everything that does not fit is told at once, and then nothing is changed."""
        own = {f"{n}.{key}": tensor for n, kept in enumerate(self.state) for key, tensor in kept.items()}
        own["steps"] = self.steps
        given, groups = state["state"], state["param_groups"]
        missing = [name for name in own if name not in given]
        wrong = differences(own, given, missing, [name for name in given if name not in own])
        if len(groups) != len(self.param_groups):
            wrong.append(f"there are {len(groups)} groups of parameters instead of {len(self.param_groups)}")
        if wrong:
            raise ValueError(f"the state does not fit {type(self).__name__}:\n  " + "\n  ".join(wrong))
        for options in groups:
            if "params" in options:
                raise ValueError("a state holds options of groups, and no parameters")
            _check(options, self._defaults, type(self).__name__)
        for name, tensor in own.items():
            tensor.assign(given[name])
        realize_tensors(list(own.values()))
        for group, options in zip(self.param_groups, groups, strict=True):
            group.update(options)

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value}" for key, value in self.param_groups[0].items() if key != "params")
        return f"{type(self).__name__}({shown})"


def _written(optimizer: Optimizer, skip: Tensor | None) -> None:
    optimizer._write(skip)


def _check(options: Mapping[str, Any], defaults: Mapping[str, Any], name: str) -> None:
    strange = [key for key in options if key not in defaults and key not in ("params", "initial_lr")]
    if strange:
        raise TypeError(f"{name} has no option {strange[0]!r}: it has {', '.join(defaults)}")
    for key in ("lr", "eps", "weight_decay", "momentum"):
        given = options.get(key, 0)
        each = given if isinstance(given, tuple) else (given,)
        if not all(value is None or value >= 0 for value in each):
            raise ValueError(f"{name}: {key}={given} has to be 0 or more")
    for beta in options.get("betas", ()):
        if not 0 <= beta < 1:
            raise ValueError(f"{name}: betas={options['betas']} have to be 0 or more, and below 1")


def keeps_momentum(state: Mapping[str, Tensor], options: Mapping[str, Any]) -> bool:
    """Does it have one? Its value, which a schedule may change, is not looked at."""
    if "momentum_buffer" in state:
        return True
    if options["momentum"]:
        raise ValueError(
            f"momentum={options['momentum']} was set after the optimiser was made without: call its "
            "complete_state() first"
        )
    return False


def zeros_like(param: Tensor) -> Tensor:
    """Memory for a number that is kept beside each of a parameter."""
    return Tensor.zeros(*param.shape, dtype=param.dtype, device=param.device).realize()
