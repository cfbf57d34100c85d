"""Modules that hold modules: `Sequential`, `ModuleList`, `ModuleDict`; names as in torch: "0.weight"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from .module import Module


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
