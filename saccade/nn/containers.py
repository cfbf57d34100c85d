"""Modules that hold modules or parameters: `Sequential`, `ModuleList`, `ModuleDict`, `ParameterList`,
`ParameterDict`; names as in torch: "0.weight"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from ..tensor.tensor import Tensor
from .module import Module, Parameter


class ModuleList(Module):
    """Modules by number."""

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        self.extend(modules)

    def append(self, module: Module) -> Self:
        if not isinstance(module, Module):
            raise TypeError(f"{type(self).__name__} holds modules, not {type(module).__name__}")
        setattr(self, str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        for module in modules:
            self.append(module)
        return self

    def __len__(self) -> int:
        return sum(name.isdecimal() for name in vars(self))

    def __iter__(self) -> Iterator[Module]:
        for number in range(len(self)):
            yield getattr(self, str(number))

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            chosen = type(self).__new__(type(self))
            return ModuleList.extend(chosen, list(self)[index])
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(f"module {index} of {len(self)}")
        return getattr(self, str(number))

    def __setitem__(self, index: int, module: Module) -> None:
        self[index]  # is it there?
        setattr(self, str(index % len(self)), module)


class Sequential(ModuleList):
    """Modules one after the other."""

    def __init__(self, *modules: Module | Mapping[str, Module]) -> None:
        if len(modules) == 1 and isinstance(modules[0], Mapping):
            for name, module in modules[0].items():
                setattr(self, name, module)
        else:
            given: Any = modules  # `append` refuses what is no module
            self.extend(given)

    def __len__(self) -> int:
        return sum(1 for _ in self.named_children())

    def __iter__(self) -> Iterator[Module]:
        return self.children()

    def __getitem__(self, index: int | slice) -> Any:
        chosen = list(self)[index]
        return type(self)(*chosen) if isinstance(chosen, list) else chosen

    def forward(self, input: Any) -> Any:
        for module in self:
            input = module(input)
        return input


class ModuleDict(Module):
    """Modules by name."""

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        for name, module in (modules or {}).items():
            self[name] = module

    def __setitem__(self, name: str, module: Module) -> None:
        if not isinstance(module, Module):
            raise TypeError(f"ModuleDict holds modules, not {type(module).__name__}")
        setattr(self, name, module)

    def __getitem__(self, name: str) -> Module:
        return dict(self.named_children())[name]

    def __contains__(self, name: str) -> bool:
        return name in dict(self.named_children())

    def __len__(self) -> int:
        return sum(1 for _ in self.named_children())

    def __iter__(self) -> Iterator[str]:
        return iter(dict(self.named_children()))

    def keys(self) -> list[str]:
        return [name for name, _ in self.named_children()]

    def values(self) -> list[Module]:
        return list(self.children())

    def items(self) -> list[tuple[str, Module]]:
        return list(self.named_children())


class ParameterDict(Module):
    """Parameters by name; other tensors become parameters."""

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        self.update(parameters or {})

    def update(self, parameters: Mapping[str, Any]) -> None:
        for name, value in parameters.items():
            self[name] = value

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value if hasattr(value, "leaf") else Parameter(value))

    def __getitem__(self, name: str) -> Tensor:
        if name not in self:
            raise KeyError(f"no parameter {name!r} among {', '.join(self._parameters) or 'none'}")
        found: Tensor = getattr(self, name)
        return found

    def __contains__(self, name: str) -> bool:
        return name in self._parameters

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def keys(self) -> list[str]:
        return list(self)

    def values(self) -> list[Tensor]:
        return [self[name] for name in self]

    def items(self) -> list[tuple[str, Tensor]]:
        return [(name, self[name]) for name in self]


class ParameterList(Module):
    """Parameters by number; other tensors become parameters."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self.extend(values)

    def append(self, value: Any) -> Self:
        setattr(self, str(len(self)), value if hasattr(value, "leaf") else Parameter(value))
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        for value in values:
            self.append(value)
        return self

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Tensor]:
        for number in range(len(self)):
            yield getattr(self, str(number))

    def __getitem__(self, index: int) -> Tensor:
        return list(self)[index]

    def __setitem__(self, index: int, value: Any) -> None:
        place = range(len(self))[index]
        setattr(self, str(place), value if hasattr(value, "leaf") else Parameter(value))
