"""Objects in a torch file as data: no class that a file names is imported, and nothing it names is called.

The machine that reads weights refuses all but tensors. Monty's models also hold objects of its own classes,
arrays of NumPy and trees of SciPy. Here every one of those becomes a `Record`: its name, its arguments, its
state. A reader picks what it knows; the rest is never looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from saccade.files.reading import shown
from saccade.nn.saved.torch_objects import OBJECTS, Name
from saccade.nn.saved.torch_pickle import Machine


@dataclass(eq=False)
class Record:
    """Something a file would have called or made: it was not."""

    name: Name
    args: tuple[Any, ...]
    state: Any = None
    items: list[Any] = field(default_factory=list)

    def attribute(self, name: str) -> Any:
        """An attribute of the object it stands for; None if it has none."""
        state = self.state
        if isinstance(state, tuple) and len(state) == 2 and isinstance(state[0], (dict, type(None))):
            state = {**(state[0] or {}), **(state[1] or {})}
        return state.get(name) if isinstance(state, dict) else None


class RecordMachine(Machine):
    """Reads objects as records, arrays of NumPy too."""

    objects: ClassVar = {
        name: OBJECTS[name] for name in (Name("collections", "OrderedDict"), Name("_codecs", "encode"))
    }
    keeps_names = True

    def _build(self, name: str, arg: Any) -> None:
        stack = self._stack
        if name == "NEWOBJ":
            args, kind = stack.pop(), stack.pop()
            stack.append(self._record(kind, args))
        elif name == "BUILD" and isinstance(stack[-2], Record):
            state = stack.pop()
            stack[-1].state = state
        elif name in ("SETITEM", "SETITEMS", "APPEND", "APPENDS") and self._is_record(name):
            values = [stack.pop(), stack.pop()] if name == "SETITEM" else self._taken(name)
            stack[-1].items.extend(values)
        else:
            super()._build(name, arg)

    def _is_record(self, name: str) -> bool:
        """Whether what an instruction adds to is a record."""
        depth = {"SETITEM": 3, "APPEND": 2}.get(name)
        if depth is not None:
            return isinstance(self._stack[-depth], Record)
        return isinstance(self._below_mark(), Record)

    def _taken(self, name: str) -> list[Any]:
        return [self._stack.pop()] if name == "APPEND" else self._marked()

    def _call(self, function: Any, args: Any) -> Any:
        if isinstance(function, Name) and function not in self._functions:
            return self._record(function, args)
        return super()._call(function, args)

    def _record(self, name: Any, args: Any) -> Record:
        if not isinstance(name, Name) or not isinstance(args, tuple):
            raise ValueError(f"an object of {shown(name)}")
        return Record(name, args)


def array_of(value: Any) -> npt.NDArray[Any]:
    """A NumPy array that a file holds, as an array or a tensor."""
    if not isinstance(value, Record):
        return np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    state = value.state
    if value.name.name != "_reconstruct" or not isinstance(state, tuple) or len(state) != 5:
        raise ValueError(f"{value.name.module}.{value.name.name} is no array")
    _, shape, kind, fortran, data = state
    code = kind.args[0] if isinstance(kind, Record) and kind.name.name == "dtype" else None
    order = kind.state[1] if isinstance(kind, Record) and isinstance(kind.state, tuple) else "<"
    if code not in ("f8", "f4", "i8", "i4", "b1") or order not in ("<", "|") or not isinstance(data, bytes):
        raise ValueError(f"an array of {shown(code)} is not known here")
    found = np.frombuffer(data, np.dtype(code))
    if found.size != np.prod(shape, dtype=np.int64):
        raise ValueError(f"an array of shape {shown(shape)} has {found.size} numbers")
    return found.reshape(shape, order="F" if fortran else "C")
