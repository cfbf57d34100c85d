"""`x[...]` and `x[...] = y`: integers, slices, `...`, None, integer tensors (arrays, lists) and bool masks.

Indices known on the host are checked at once. Reading with a bool mask has a result whose size is data, so it
computes the mask and waits for the count; `where` does not, nor does writing one value where a mask holds.

    >>> x = Tensor.arange(6).reshape(2, 3)
    >>> x[[1, 0], [0, 2]].tolist()
    [3, 2]
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Self

import numpy as np

from ...graph import dtypes
from ...graph.node import Node, Shape, make
from ...graph.ops import Op
from .. import build
from ..core import Core, Operand
from ..stores.views import put
from .gather import Gather


class Indexing(Gather):
    __slots__ = ()

    # --- x[...]

    def __getitem__(self, index: Any) -> Self:
        items = index if isinstance(index, tuple) else (index,)
        if all(
            item is None
            or item is Ellipsis
            or (isinstance(item, (int, slice)) and not isinstance(item, bool))
            for item in items
        ):
            return self._basic(items)
        items = tuple(map(_own, items))
        if len(items) == 1 and _is_mask(items[0]) and _rank(items[0]):
            return self._masked(items[0])
        basic, advanced = self._split_index(items)
        x = self._basic(basic)
        axes = sorted(advanced)
        if not axes:
            return x
        places = [x._index_tensor(advanced[axis], x.shape[axis]) for axis in axes]
        # indices that stand together leave their axes in place; apart, their axes come first, as in NumPy
        together = axes == list(range(axes[0], axes[-1] + 1))
        return x._taken(axes, places, axes[0] if together else 0)

    def _masked(self, mask: Any) -> Self:
        """The parts where a mask over the first axes holds."""
        holds = self._checked_mask(mask, 0)
        flat = self.reshape(holds.numel(), *self.shape[holds.ndim :])
        return flat._taken([0], [holds._nonzero_flat()], 0)

    def _split_index(self, items: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[int, Any]]:
        """An index with `:` in place of data, and the data by axis of what that leaves."""
        taken = sum(_axes_taken(item) for item in items)
        if taken > self.ndim:
            raise IndexError(f"{taken} indices are too many for shape {self.shape} with {self.ndim} axes")
        if not any(item is Ellipsis for item in items):
            items = (*items, Ellipsis)
        basic: list[Any] = []
        advanced: dict[int, Any] = {}
        source = axis = 0
        for item in items:
            if item is Ellipsis:
                rest = self.ndim - taken
                basic += [slice(None)] * rest
                source, axis = source + rest, axis + rest
            elif item is None:
                basic.append(None)
                axis += 1
            elif isinstance(item, slice):
                basic.append(item)
                source, axis = source + 1, axis + 1
            elif _is_mask(item):
                holds = self._checked_mask(item, source)
                if holds.ndim == 0:
                    basic.append(None)
                    advanced[axis] = holds.reshape(1)._nonzero_flat()
                    axis += 1
                for places in holds.nonzero(as_tuple=True):
                    basic.append(slice(None))
                    advanced[axis] = places
                    source, axis = source + 1, axis + 1
            elif _is_data(item):
                basic.append(slice(None))
                advanced[axis] = item
                source, axis = source + 1, axis + 1
            else:
                basic.append(item)
                source += 1
        return tuple(basic), advanced

    def _checked_mask(self, mask: Any, first: int) -> Self:
        """A mask over the axes from `first` on."""
        holds = self._coerce(mask)
        spans = self.shape[first : first + holds.ndim]
        if holds.shape != spans:
            if holds.ndim == len(spans) and all(n in (0, span) for n, span in zip(holds.shape, spans)):
                return self._new(build.full(False, dtypes.bool_, spans))  # no places, as in NumPy
            raise IndexError(f"a mask of shape {holds.shape} does not fit axes {spans} of shape {self.shape}")
        return holds

    def __setitem__(self, index: Any, value: Operand) -> None:
        """Write a part, in place: this tensor, and all that share its memory, have it afterwards."""
        items = tuple(map(_own, index if isinstance(index, tuple) else (index,)))
        if _is_basic(items):
            part = self._basic(items)
            part._write(self._fitted(value, part.shape))
        else:
            self._write(self._with(items, value).node)
        del value
        self._written()

    def _with(self, items: tuple[Any, ...], value: Operand) -> Self:
        """Another tensor that has this one's elements, but in a part."""
        if _is_basic(items):
            _, shape = self._plan_slices(items)
            return self._new(put(self.node, self._basic_moves(items), self._fitted(value, shape)))
        if len(items) == 1 and _is_mask(items[0]):
            chosen = self._updates_of(value)
            if chosen.numel() == 1:
                mask = self._checked_mask(items[0], 0)
                wide = mask.reshape(*mask.shape, *(1,) * (self.ndim - mask.ndim)).expand(self.shape)
                return wide._choose(chosen.reshape(()).cast(self.dtype).expand(self.shape), self)
        return self._with_data(items, self._updates_of(value).cast(self.dtype), "set")

    def _updates_of(self, value: Operand) -> Self:
        if isinstance(value, (bool, int, float, complex)):
            return self._new(build.full(value, self.dtype, ()))
        return self._coerce(value)

    def _fitted(self, value: Operand, shape: Shape) -> Node:
        """What is written to a part of that shape."""
        fitted: Node = _fit(self._updates_of(value), shape).cast(self.dtype).node
        return fitted

    def _with_data(self, items: tuple[Any, ...], updates: Self, mode: str) -> Self:
        """Assignment at places that are data: number the elements of the axes that are indexed, index the
        numbers, scatter by them. What follows those axes is written as it lies, in rows."""
        first, last = self._indexed(items)
        indexed, after = self.shape[first:last], self.shape[last:]
        total, row = prod(indexed), prod(after)
        if len(items) == first + 1 == last and _is_data(items[-1]) and not _is_mask(items[-1]):
            numbers = self._index_tensor(items[-1], total)
        else:
            numbers = self._new(build.reshape(make(Op.IOTA, dtypes.int64, (), total), indexed))[items[first:]]
        if (
            numbers.node.device is not None and self.node.device is not None
        ):  # lists are read on the default device
            numbers = numbers.to(self.device)
        before = self.shape[:first]
        values = _fit(updates, (*before, *numbers.shape, *after)).reshape(*before, numbers.numel(), row)
        places = numbers.reshape(numbers.numel(), 1).expand(values.shape)
        return self.reshape(*before, total, row)._scattered(first, places, values, mode).reshape(self.shape)

    def _indexed(self, items: tuple[Any, ...]) -> tuple[int, int]:
        """The axes from the first to the last that an index does not leave as they are; all if data that is
        apart, or an axis of its own, may put axes in another order."""
        data = [number for number, item in enumerate(items) if _is_data(item)]
        between = any(isinstance(item, slice) for item in items[data[0] : data[-1]])
        if between or any(item is None or item is Ellipsis for item in items):
            return 0, self.ndim
        whole = [isinstance(item, slice) and item == slice(None) for item in items]
        first = whole.index(False)
        return first, first + sum(_axes_taken(item) for item in items[first:])

    def index_put(self, indices: Sequence[Operand], values: Operand, accumulate: bool = False) -> Self:
        updates = self._coerce(values).cast(self.dtype)
        return self._with_data(tuple(indices), updates, "add" if accumulate else "set")

    def masked_select(self, mask: Operand) -> Self:
        """The elements where the mask holds, as one axis. Waits for the count."""
        wide, x = self.broadcast_tensors(self._coerce(mask), self)
        return x[wide]


# --- kinds of index


def _own(item: Any) -> Any:
    """Arrays of other libraries (torch, pandas) as NumPy's."""
    other = hasattr(type(item), "__array__") and not isinstance(item, (Core, np.ndarray, np.generic))
    return np.asarray(item) if other else item


def _is_basic(items: tuple[Any, ...]) -> bool:
    return not any(_is_data(item) for item in items)


def _is_data(item: object) -> bool:
    return isinstance(item, (Core, np.ndarray, list, tuple, range, bool, np.bool_))


def _is_mask(item: object) -> bool:
    if isinstance(item, Core):
        return item.dtype.is_bool
    if isinstance(item, (bool, np.bool_)):
        return True
    return isinstance(item, (list, tuple, np.ndarray)) and np.asarray(item).dtype == np.bool_


def _rank(item: Any) -> int:
    return item.ndim if isinstance(item, Core) else np.ndim(item)


def _axes_taken(item: object) -> int:
    if item is None or item is Ellipsis:
        return 0
    return _rank(item) if _is_mask(item) else 1


def _fit(updates: Indexing, shape: Shape) -> Any:
    """Updates broadcast to the part they replace; leading axes of size one may go."""
    while updates.ndim > len(shape) and updates.shape[0] == 1:
        updates = updates.reshape(updates.shape[1:])
    try:
        return updates.expand(shape)
    except ValueError:
        raise ValueError(f"cannot assign shape {updates.shape} to a part of shape {shape}") from None
