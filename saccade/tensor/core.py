"""The root of `Tensor`: a node, what follows from it, and how host data gets in.

`Tensor` is built in layers, each a class in a file of its own that knows the ones below (the list is in
`tensor.py`). Methods return `Self`, so a value keeps its type through all of them.

    >>> x = Tensor([[1.0, 2.0]])
    >>> x.shape, x.dtype
    ((1, 2), dtypes.float32)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeGuard, overload

import numpy as np

from ..graph import dtypes
from ..graph.dtypes import DType
from ..graph.node import Node, Scalar, Shape, make
from ..graph.ops import Op
from . import build
from .gradients.leaves import Leaf, concerns, cut, modes, some
from .gradients.tape import tapes
from .host import array_of, view_of
from .jit.trace import memory_of
from .memory import buffer_of, default_device, device_name
from .programs.realize import is_realized
from .stores.storage import BORROWED, Storage, note_shared, share, storage_of
from .stores.stores import realize_tensors
from .stores.views import DETACH, MOVE, Moves, is_whole, layout_of
from .stores.views import Move as ViewMove

if TYPE_CHECKING:
    from ..codegen.cuda.search.moves import GpuMove
    from ..codegen.moves.moves import Move

#: what arithmetic accepts beside a tensor: scalars, NumPy arrays, lists
Operand: TypeAlias = (
    "Core | bool | int | float | complex | np.generic | np.ndarray[Any, Any] | list[Any] | tuple[Any, ...]"
)
#: what `dtypes.of` understands: a DType, a name, a Python type, a NumPy or torch dtype; None is the default
DTypeLike: TypeAlias = Any


def is_scalar(value: object) -> TypeGuard[Scalar | complex]:
    return isinstance(value, (bool, int, float, complex))


class Core:
    """A lazy value: nothing is computed before it is read or `realize`d.

    `storage` is what it shares with its views, and with what it is a view of, if there are any; `moves` lead
    from there to this tensor."""

    __slots__ = ("__weakref__", "leaf", "moves", "node", "storage")
    __array_priority__ = 1000.0  # NumPy leaves `array + tensor` to us
    __pandas_priority__ = 5000  # and pandas `series + tensor`

    node: Node
    storage: Storage | None
    moves: Moves
    leaf: Leaf  # of those that gather gradients, and no others

    def __init__(self, data: object, dtype: DTypeLike = None, device: str | None = None) -> None:
        wanted = None if dtype is None else dtypes.of(dtype)
        where = None if device is None else device_name(device)
        if isinstance(data, Node):
            node = data
        elif isinstance(data, Core):
            node = data.node if modes.grad else cut(data.node)
        else:
            if isinstance(data, np.generic):
                data = np.asarray(data)
            array, own = array_of(data, wanted)
            self.node, self.storage = buffer_node(array, own, where or default_device()), None
            return
        if wanted is not None:
            node = build.cast(node, wanted)
        if where is not None and node.device != where:
            node = make(Op.COPY, node.dtype, (node,), where)
        self.node, self.storage = node, None

    def _new(self, node: Node) -> Self:
        made = object.__new__(type(self))
        made.node = node if modes.grad else cut(node)
        made.storage = None
        return made

    @classmethod
    def _of(cls, node: Node) -> Self:
        made = object.__new__(cls)
        made.node = node
        made.storage = None
        return made

    # --- sharing

    def _view(self, *moves: ViewMove) -> Self:
        """A tensor that shows this one through some moves, and shares its storage."""
        if not modes.grad and self._has_past():
            moves = (*moves, (DETACH, None))
        made = object.__new__(type(self))
        node = self.node
        for op, arg in moves:
            node = MOVE[op](node, arg)
        made.node = node
        made.storage = storage = self.storage or Storage(self)
        made.moves = self.moves + moves
        storage.add(made)
        return made

    def whole(self) -> Self:
        """All that this is a view of; itself if it is none."""
        if self.storage is None or not self.moves:
            return self
        made = self._of(self.storage.node)
        made.storage, made.moves = self.storage, ()
        self.storage.add(made)
        return made

    def _is_whole(self) -> bool:
        """Is it no view, or one that shows everything in order?"""
        return self.storage is None or is_whole(self.storage.node.shape, self.moves)

    def _is_in_order(self) -> bool:
        """Do its elements lie side by side in the memory of its storage?"""
        if self.storage is None or not self.moves:
            return True
        layout = layout_of(self.storage.node.shape, self.moves)
        return layout is not None and layout.is_in_order

    def _write(self, value: Node) -> None:
        """Have another value, of this shape and dtype, and so has everybody who shares the storage. Whoever
        calls this calls `_written` when all that the value was made of is let go."""
        if modes.grad and some() and self._is_of_leaf():
            raise RuntimeError(
                f"a tensor of shape {self.shape} that requires a gradient is changed in place, or a view of "
                "it is: do it inside `with no_grad():`, or on x.detach()"
            )
        device = self.node.device
        # constants are of no device: written to a part, they are computed where the rest is
        elsewhere = (
            value.device != device if value.device else self._is_whole() and default_device() != device
        )
        if device is not None and elsewhere:
            value = make(Op.COPY, value.dtype, (value,), device)
        if self.storage is not None or is_realized(self.node):
            storage_of(self).write(self, value)
        else:
            self.node = value

    def _written(self) -> Self:
        """After a write: it happens at once where others see the memory."""
        if self.storage is not None and self.storage.is_urgent():
            realize_tensors((self,))
        return self

    def _overwritten(self, moves: Moves = ()) -> None:
        """A call wrote to the memory of `node`. Of a view, that is what it shows, which goes to the storage
        now; and with `moves`, the tensor is another view from now on."""
        if not self._is_whole():
            assert self.storage is not None
            self.storage.write(self, self.node)
            self._written()
        if moves:
            turned = self._view(*moves)
            self.moves, self.node = turned.moves, turned.node

    @classmethod
    def from_numpy(cls, array: np.ndarray[Any, Any]) -> Self:
        """Share memory with a NumPy array: later writes to it are seen. `Tensor(array)` copies, and so does
        this where the default device has memory of its own."""
        if not isinstance(array, np.ndarray):
            raise TypeError(f"from_numpy takes a NumPy array, not {type(array).__name__}: use Tensor(...)")
        return cls._sharing(*view_of(array, None))

    @classmethod
    def _sharing(cls, array: np.ndarray[Any, Any], dtype: DType, writes: bool = True) -> Self:
        """The memory of the array itself: it may be transposed, but has no gaps and runs forward. Without
        `writes`, for who only reads it."""
        order = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
        plain = array.transpose(order)
        if not plain.flags.c_contiguous:
            raise ValueError(
                f"cannot share an array of shape {array.shape} and strides {array.strides}: "
                "its elements do not lie side by side; copy it with Tensor(array)"
            )
        memory = cls._of(buffer_node(plain, dtype, default_device()))
        if default_device() == "cpu":
            note_shared(memory_of(memory.node).arg, BORROWED)
            if writes:
                share(memory, BORROWED)
        return memory if order == sorted(order) else memory._view((Op.PERMUTE, inverse(order)))

    # --- what follows from the node

    @property
    def shape(self) -> Shape:
        return self.node.shape

    @property
    def dtype(self) -> DType:
        return self.node.dtype

    @property
    def device(self) -> str:
        return self.node.device or default_device()

    @property
    def ndim(self) -> int:
        return len(self.node.shape)

    def dim(self) -> int:
        return len(self.node.shape)

    def numel(self) -> int:
        return self.node.size

    nelement = numel

    @overload
    def size(self, dim: None = None) -> Shape: ...
    @overload
    def size(self, dim: int) -> int: ...

    def size(self, dim: int | None = None) -> Shape | int:
        """The shape, or the length of one axis."""
        return self.shape if dim is None else self.shape[self._axis(dim)]

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.node.size * self.dtype.itemsize

    def element_size(self) -> int:
        return self.dtype.itemsize

    def is_floating_point(self) -> bool:
        return self.dtype.is_float

    # --- operands and arguments

    def _coerce(self, value: Operand) -> Self:
        """An operand that is not a scalar, as a tensor of our kind."""
        if isinstance(value, Core):
            return self._new(value.node)
        if isinstance(value, (str, bytes)) or value is None:
            raise TypeError(f"cannot combine a tensor with {value!r}: use a number, an array or a tensor")
        made = type(self)(value)
        if self.node.device is not None and made.node.device != self.node.device:
            made.node = make(Op.COPY, made.dtype, (made.node,), self.node.device)
        return made

    def _axis(self, dim: int, rank: int | None = None) -> int:
        """An axis counted from either end, as counted from the front."""
        rank = self.ndim if rank is None else rank
        try:
            axis = dim.__index__()
        except AttributeError:
            raise TypeError(f"an axis is an integer, not {dim!r}") from None
        bound = max(rank, 1)  # torch lets a 0-dim tensor be reduced over axis 0 or -1
        if not -bound <= axis < bound:
            raise IndexError(
                f"axis {dim} is out of range for shape {self.shape}: use {-bound} to {bound - 1}"
            )
        return axis + bound if axis < 0 else axis

    def _axes(self, dims: int | tuple[int, ...] | list[int] | None) -> tuple[int, ...]:
        """Axes to reduce, sorted; None means all of them."""
        if dims is None or (isinstance(dims, (tuple, list)) and not dims):
            return tuple(range(self.ndim))
        if not isinstance(dims, (tuple, list)):
            dims = (dims,)
        axes = sorted(self._axis(d) for d in dims)
        if len(set(axes)) != len(axes):
            raise ValueError(f"axes {tuple(dims)} name one axis of shape {self.shape} twice")
        return tuple(axis for axis in axes if axis < self.ndim)

    # --- the smallest verbs

    def cast(self, dtype: DTypeLike) -> Self:
        wanted = dtypes.of(dtype)
        return self if wanted is self.node.dtype else self._new(build.cast(self.node, wanted))

    def contiguous(self, moves: Sequence[Move | GpuMove | str] | str = ()) -> Self:
        """Ask for the value to be stored on its own when it is computed; by a kernel with these moves and no
        others, as data (`codegen.moves.moves`) or in words ("split 0 8 vector"). Illegal ones are told when
        the kernel is made."""
        node = self.node
        if node.op is Op.CONTIGUOUS:
            if not moves:
                return self
            node = node.src[0]
        return self._new(make(Op.CONTIGUOUS, self.dtype, (node,), _in_words(moves) if moves else None))

    def clone(self) -> Self:
        """The value in memory of its own: writes to the one are not seen in the other."""
        made = self.contiguous()
        return self._new(self.node) if made is self else made

    def detach(self) -> Self:
        """The same memory, through which no gradient flows."""
        return self._view((DETACH, None)) if modes.grad and self._has_past() else self._view()

    def _has_past(self) -> bool:
        """Would a gradient flow through it?"""
        return self.dtype.has_gradient and (bool(tapes.open) or concerns(self.node))

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Gather gradients in `.grad` from now on, or no longer: `Backward` has it."""
        raise NotImplementedError

    def _without_past(self) -> Self:
        """The value, through which no gradient flows."""
        return self._new(cut(self.node)) if self._has_past() else self

    def _is_of_leaf(self) -> bool:
        """Is it a leaf (see `leaves`), or a view of one that is not detached from it?"""
        if hasattr(self, "leaf"):
            return True
        storage = self.storage
        if storage is None or any(op == DETACH for op, _ in self.moves):
            return False
        return any(hasattr(tensor, "leaf") for tensor in storage.tensors())


def inverse(order: Sequence[int]) -> tuple[int, ...]:
    """The axes that put back what `order` permuted."""
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def _in_words(moves: Sequence[Move | GpuMove | str] | str) -> tuple[str, ...]:
    """Moves as they are kept in a graph; what is none is refused. A string is JSON, as a search writes it."""
    from ..codegen.moves.text import as_words, from_json  # only who writes moves needs it

    return tuple(map(as_words, from_json(moves) if isinstance(moves, str) else moves))


def buffer_node(array: np.ndarray[Any, Any], dtype: DType, device: str) -> Node:
    """Memory holding the array, in the shape of the array."""
    node = make(Op.BUFFER, dtype, (), buffer_of(array.reshape(-1), dtype, device))
    return build.reshape(node, array.shape)


__all__ = ["Core", "DTypeLike", "Operand", "buffer_node", "inverse", "is_scalar"]
