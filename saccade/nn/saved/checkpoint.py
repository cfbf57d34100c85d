"""`Checkpoint`: everything that a training is made of, in one file, to go on from bit for bit.

    run = nn.Checkpoint("last.safetensors", model=model, optimizer=optimizer, loader=loader)
    step = run.load().get("step", 0)            # {} where there is no file yet
    for x, y in loader:
        ...
        run.save(step=step)                     # whole or not at all

Parts are whatever has `state_dict` and `load_state_dict`: models, optimisers, schedules, loss scaling, means
of parameters, loaders. The generator of random numbers is always one of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from ...files.reading import reading
from ...tensor.functional.random import default_generator
from . import state
from .mapped import StateError


class Part(Protocol):
    """What can be saved and go on."""

    def state_dict(self) -> Mapping[str, Any]: ...

    def load_state_dict(self, state: Any) -> Any: ...


#: the names of what is kept beside the parts that are given
_GENERATOR: Final = "generator"
_VALUES: Final = "values"


class Checkpoint:
    """Parts by name, and the file they are kept in."""

    def __init__(self, path: os.PathLike[str] | str, **parts: Part) -> None:
        wrong = [name for name, part in parts.items() if not hasattr(part, "load_state_dict")]
        if wrong:
            raise TypeError(f"{wrong[0]} has no state_dict and load_state_dict: give plain values to save()")
        if _VALUES in parts:
            raise ValueError(f"{_VALUES!r} is the name of what save() is given: call the part otherwise")
        self.path = Path(path)
        self.parts: dict[str, Part] = {_GENERATOR: default_generator, **parts}

    def save(self, **values: Any) -> None:
        """Write all parts, and plain values (numbers, texts, tensors, lists, dicts) by name. A full disk or a
        killed process leaves the file of before."""
        state.save(
            {_VALUES: values, **{name: part.state_dict() for name, part in self.parts.items()}}, self.path
        )

    def load(self) -> dict[str, Any]:
        """Give all parts their state; the plain values. Without a file nothing changes, and it is {}."""
        if not self.path.exists():
            return {}
        found = state.load(self.path)
        missing = [name for name in (*self.parts, _VALUES) if name not in found]
        if missing:
            raise StateError(
                f"{self.path} has no {' and no '.join(missing)}: it was written with {', '.join(found)}"
            )
        # random numbers last: they stay as they were if a part does not take its state
        for name, part in reversed(self.parts.items()):
            with reading(self.path, StateError, "it is of another training, or broken") as place:
                place.where = f"part {name!r}"
                part.load_state_dict(found[name])
        values: dict[str, Any] = found[_VALUES]
        return values
