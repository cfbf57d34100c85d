"""`Module`: a model is a plain object whose attributes are tensors, other modules, and anything else.

    class Model(nn.Module):
        def __init__(self):
            self.first, self.second = nn.Linear(784, 128), nn.Linear(128, 10)

        def forward(self, x):
            return self.second(self.first(x).relu())

A tensor with `requires_grad` that is set as an attribute is a parameter; `register_buffer` names those that
are saved too. Modules are found in attributes, and in lists, tuples and dicts there. A module is a tree of
its attributes, so `jit` and `grad` take it as an argument (`tensor/jit/tree.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self

from ..tensor.gradients.leaves import no_grad
from ..tensor.jit.tree import Attributes
from ..tensor.stores.stores import realize_tensors
from ..tensor.tensor import Tensor
from .saved.difference import differences

State = dict[str, Tensor]
Hook = Callable[..., Any]


class Handle:
    """Puts a hook to the others of a module, until it is removed; as a `with` block, at its end."""

    def __init__(self, module: Module, kind: str, hook: Hook) -> None:
        self.module, self.kind, self.hook = module, kind, hook
        setattr(module, kind, (*getattr(module, kind), hook))

    def remove(self) -> None:
        left = list(getattr(self.module, self.kind))
        if self.hook in left:
            left.remove(self.hook)
        setattr(self.module, self.kind, tuple(left))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def Parameter(data: object, requires_grad: bool = True) -> Tensor:
    """A tensor to train: a value of its own, with `requires_grad`."""
    made = Tensor(data.detach() if isinstance(data, Tensor) else data)
    return made.requires_grad_(requires_grad)


class Module(Attributes):
    """The base of models and layers. Subclasses set attributes and define `forward`."""

    training: bool = True
    #: names of attributes that are parameters, buffers, and buffers that are not saved
    _parameters: tuple[str, ...] = ()
    _buffers: tuple[str, ...] = ()
    _transient: tuple[str, ...] = ()
    #: what is called before and behind `forward`
    _forward_pre_hooks: tuple[Hook, ...] = ()
    _forward_hooks: tuple[Hook, ...] = ()

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Tensor) and hasattr(value, "leaf") and name not in self._parameters:
            vars(self)["_parameters"] = (*self._parameters, name)
        object.__setattr__(self, name, value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for hook in self._forward_pre_hooks:
            other = hook(self, args)
            args = args if other is None else other if isinstance(other, tuple) else (other,)
        result = self.forward(*args, **kwargs)
        for hook in self._forward_hooks:
            other = hook(self, args, result)
            result = result if other is None else other
        return result

    def register_forward_pre_hook(self, hook: Hook) -> Handle:
        """Call `hook(module, args)` before every `forward`; what it returns takes the place of the arguments.
        `remove()` of the handle ends it."""
        return Handle(self, "_forward_pre_hooks", hook)

    def register_forward_hook(self, hook: Hook) -> Handle:
        """Call `hook(module, args, result)` behind every `forward`; what it returns takes the place of the
        result."""
        return Handle(self, "_forward_hooks", hook)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no forward: define one")

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """A tensor that is not trained, and is saved if it is persistent."""
        self._buffers = (*self._buffers, name)
        if not persistent:
            self._transient = (*self._transient, name)
        setattr(self, name, tensor)

    def register_parameter(self, name: str, param: Tensor | None) -> None:
        """The attribute `name`, as `self.name = param` sets it."""
        if param is not None and not hasattr(param, "leaf"):
            raise TypeError(f"parameter {name!r} does not require gradients: use nn.Parameter")
        setattr(self, name, param)

    def add_module(self, name: str, module: Module | None) -> None:
        """The attribute `name`, as `self.name = module` sets it."""
        setattr(self, name, module)

    register_module = add_module

    # --- what is in it

    def get_submodule(self, target: str) -> Module:
        """The module of a name such as `encoder.layers.0`; of "" this one."""
        found = dict(self._places())
        if target not in found:
            raise AttributeError(f"{type(self).__name__} has no module {target!r}: see named_modules()")
        return found[target]

    def get_parameter(self, target: str) -> Tensor:
        return self._of_kind(target, "_parameters")

    def get_buffer(self, target: str) -> Tensor:
        return self._of_kind(target, "_buffers")

    def _of_kind(self, target: str, kind: str) -> Tensor:
        found = dict(self._tensors(kind))
        if target not in found:
            raise AttributeError(f"{target!r} is none of the {kind[1:]} of {type(self).__name__}")
        return found[target]

    def named_children(self) -> Iterator[tuple[str, Module]]:
        for name, value in list(vars(self).items()):
            yield from _modules_in(name, value)

    def children(self) -> Iterator[Module]:
        for _, child in self.named_children():
            yield child

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """This module and all below it, each once."""
        seen: set[int] = set()
        for name, module in self._places(prefix):
            if id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def modules(self) -> Iterator[Module]:
        for _, module in self.named_modules():
            yield module

    def _places(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """Every module under every name it has."""
        yield prefix, self
        for name, child in self.named_children():
            yield from child._places(f"{prefix}.{name}" if prefix else name)

    def _tensors(self, kind: str, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Tensors of a kind under all their names."""
        for place, module in self._places(prefix) if recurse else [(prefix, self)]:
            for name in getattr(module, kind):
                value = getattr(module, name, None)
                if isinstance(value, Tensor):
                    yield f"{place}.{name}" if place else name, value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Each once, under the first of its names; without `recurse` those of this module alone."""
        found = self._tensors("_parameters", prefix, recurse)
        return _each_once(found) if remove_duplicate else found

    def parameters(self, recurse: bool = True) -> Iterator[Tensor]:
        for _, tensor in self.named_parameters(recurse=recurse):
            yield tensor

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        found = self._tensors("_buffers", prefix, recurse)
        return _each_once(found) if remove_duplicate else found

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        for _, tensor in self.named_buffers(recurse=recurse):
            yield tensor

    # --- saved state

    def _saved(self) -> State:
        left_out = {name for name, _ in self._tensors("_transient")}
        found = {**dict(self._tensors("_parameters")), **dict(self._tensors("_buffers"))}
        return {name: tensor for name, tensor in found.items() if name not in left_out}

    def state_dict(self) -> State:
        """Parameters and buffers by name; they share the memory of the module."""
        return {name: tensor.detach() for name, tensor in self._saved().items()}

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> tuple[list[str], list[str]]:
        """Take values by name. Everything that does not fit is told at once, and then nothing is changed;
        names that are missing or not ours are returned if it is not strict."""
        own = self._saved()
        missing = [name for name in own if name not in state]
        unexpected = [name for name in state if name not in own]
        wrong = differences(own, state, *((missing, unexpected) if strict else ([], [])))
        if wrong:
            raise ValueError(f"the state does not fit {type(self).__name__}:\n  " + "\n  ".join(wrong))
        taken = [tensor for name, tensor in own.items() if name in state]
        with no_grad():
            for name, tensor in own.items():
                if name in state:
                    given = state[name]
                    tensor.assign(given if isinstance(given, Tensor) else Tensor(given))
        if taken:
            realize_tensors(taken)
        return missing, unexpected

    # --- modes, dtypes and devices

    def train(self, mode: bool = True) -> Self:
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        for tensor in self.parameters():
            tensor.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        zero_grads(self.parameters(), set_to_none)

    def apply(self, function: Callable[[Module], Any]) -> Self:
        """Call a function with every module, those inside first."""
        for child in self.children():
            child.apply(function)
        function(self)
        return self

    def to(self, *args: Any, dtype: Any = None, device: str | None = None) -> Self:
        """`to(dtype)`, `to(device)`, both, or `to(tensor)`. Dtypes are for floats; tensors stay the objects
        they are, so that an optimiser goes on with them."""
        for tensor in _each_tensor(self):
            wanted = tensor.to(*args, dtype=dtype, device=device)
            if not wanted.dtype.is_float or not tensor.dtype.is_float:
                wanted = tensor.to(wanted.device)
            if wanted is not tensor:
                tensor.data = wanted
        return self

    def cpu(self) -> Self:
        return self.to(device="cpu")

    def cuda(self, device: int | None = None) -> Self:
        return self.to(device="cuda" if device is None else f"cuda:{device}")

    def float(self) -> Self:
        return self.to("float32")

    def double(self) -> Self:
        return self.to("float64")

    def half(self) -> Self:
        return self.to("float16")

    def bfloat16(self) -> Self:
        return self.to("bfloat16")

    # --- in words

    def extra_repr(self) -> str:
        """What a layer says of itself between the brackets."""
        return ""

    def __repr__(self) -> str:
        lines = [f"({name}): {child!r}".replace("\n", "\n  ") for name, child in self.named_children()]
        if not lines:
            return f"{type(self).__name__}({self.extra_repr()})"
        extra = self.extra_repr()
        inside = "\n  ".join([*([extra] if extra else []), *lines])
        return f"{type(self).__name__}(\n  {inside}\n)"


def _modules_in(name: str, value: object) -> Iterator[tuple[str, Module]]:
    """Modules in an attribute, which may be a list, a tuple or a dict of them."""
    if isinstance(value, Module):
        yield name, value
    elif isinstance(value, (list, tuple)):
        for number, part in enumerate(value):
            yield from _modules_in(f"{name}.{number}", part)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _modules_in(f"{name}.{key}", part)


def _each_once(named: Iterable[tuple[str, Tensor]]) -> Iterator[tuple[str, Tensor]]:
    seen: set[int] = set()
    for name, tensor in named:
        if id(tensor) not in seen:
            seen.add(id(tensor))
            yield name, tensor


def _each_tensor(module: Module) -> list[Tensor]:
    named = [*module.named_parameters(), *module.named_buffers()]
    return [tensor for _, tensor in _each_once(named)]


def zero_grads(parameters: Iterable[Tensor], set_to_none: bool = True) -> None:
    """Drop what was gathered, or set it to zero in place."""
    for tensor in parameters:
        if set_to_none:
            tensor.grad = None
        elif tensor.grad is not None:
            tensor.grad.zero_()
