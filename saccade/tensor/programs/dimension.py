"""Lengths with bounds: `jit` of a function that is compiled for every length between two.

    n = Dim("n", 1, 4096)

    @jit(dims={"queries": {0: n}, "keys": {0: n}})
    def attend(queries, keys):
        return (queries @ keys.T).softmax(-1) @ keys

    attend(q, k)          # of any length from 1 to 4096: traced at ten of them, never again

Axes of one Dim have one length in a call. The function may not look at it: a branch on `x.shape[0]` is taken
as it was when it was traced, which is checked at both ends and in between. Lengths of 0 and 1, which
broadcast and reduce in their own way, have a trace each, and so have the shortest where they differ.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MethodType
from typing import Any, Final, Generic, ParamSpec, TypeVar, cast

from ...runtime.process.forking import fork_lock
from ..core import Core
from ..gradients.leaves import recording
from ..gradients.tape import tapes
from ..jit.function import JitFunction
from ..jit.signature import Signature, placed
from ..jit.trace import Trace, tracing
from ..jit.tree import flatten
from ..stores.stores import realize_tensors
from ..tensor import Tensor
from .bounded import Bounded, bounded

P = ParamSpec("P")
R = TypeVar("R")

#: Kinds of arguments that a function is kept for, and calls that are known by their signatures.
_MOST_KINDS: Final = 64
_MOST_PLAIN: Final = 1024


@dataclass(frozen=True)
class Dim:
    """A length that changes from call to call, from `least` to `most`."""

    name: str
    least: int
    most: int

    def __post_init__(self) -> None:
        for value in (self.least, self.most):
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"Dim {self.name!r} takes whole numbers as bounds, not {value!r}")
        if not 0 <= self.least <= self.most:
            raise ValueError(
                f"Dim {self.name!r} from {self.least} to {self.most}: 0 <= least <= most is needed"
            )
        if self.most < 3:
            raise ValueError(f"Dim {self.name!r} ends at {self.most}: lengths up to 2 need no Dim")


Dims = Mapping[str, Mapping[int, Dim]]


class BoundedFunction(Generic[P, R]):
    """A function and its programs for every length. `traces` counts how often it was traced."""

    def __init__(self, function: Callable[P, R], dims: Dims) -> None:
        #: for lengths of 0 and 1
        self._exact: JitFunction[P, R] = JitFunction(function)
        functools.update_wrapper(self, function)
        self._function = function
        self._dim, self._axes = _checked(function, dims)
        self._signature = inspect.signature(function)
        self._names = list(self._signature.parameters)
        self._kinds: dict[tuple[Any, ...], Bounded] = {}
        #: for calls with plain tensors in order and nothing else: what computes them, and their length
        self._plain: dict[tuple[Signature, ...], tuple[Bounded, int]] = {}
        self._lock = fork_lock()
        self._traced = 0

    @property
    def traces(self) -> int:
        return self._traced + self._exact.traces

    def __repr__(self) -> str:
        return f"jit({getattr(self._function, '__name__', self._function)!s}, dims)"

    def __get__(self, owner: object, kind: type | None = None) -> Any:
        return self if owner is None else MethodType(self, owner)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if tracing.trace is not None or tapes.open:
            return self._function(*args, **kwargs)
        if not kwargs:
            # plain tensors that were here before: their signatures are all there is to look at
            signatures: list[Signature] = []
            addresses: list[int] = []
            known: tuple[Bounded, int] | None = None
            try:
                for argument in args:
                    if type(argument) is not Tensor:
                        break
                    signature, buffer = argument.node._memory  # type: ignore[misc]
                    signatures.append(signature)
                    addresses.append(buffer._address)
                else:
                    known = self._plain.get(tuple(signatures))
            except TypeError:  # one that has to be computed, or has not been an argument before
                known = None
            if known is not None and (not known[0].variant.watched or known[0].variant.holds(args)):
                return cast(R, known[0].run(args, addresses, known[1]))
        named: Mapping[str, Any] = (
            self._signature.bind(*args, **kwargs).arguments
            if kwargs
            else dict(zip(self._names, args, strict=False))
        )
        v = self._length(named)
        if v < 2:
            return self._exact(*args, **kwargs)
        leaves: list[Core] = []
        structure = flatten((args, kwargs), leaves)
        if recording() and any(hasattr(leaf, "leaf") for leaf in leaves):
            return self._function(*args, **kwargs)  # `backward` may go back through it
        for leaf in leaves:
            if leaf.node._memory is None:
                realize_tensors((leaf,))
                placed(leaf.node)
        axes = {id(named[name]): held for name, held in self._axes.items()}
        kind = (structure, *[_kind_of(leaf, axes.get(id(leaf), ())) for leaf in leaves])
        found = self._kinds.get(kind)
        if found is None or not found.variant.holds(leaves):
            found = self._trace(kind, structure, leaves, args, axes)
        if v < found.least:
            return self._exact(*args, **kwargs)
        if not kwargs and all(type(a) is Tensor and not hasattr(a, "leaf") for a in args):
            self._keep_plain(tuple([placed(leaf.node)[0] for leaf in leaves]), found, v)
        return cast(R, found.run(leaves, [placed(leaf.node)[1].address for leaf in leaves], v))

    def _keep_plain(self, signatures: tuple[Signature, ...], made: Bounded, v: int) -> None:
        if len(self._plain) >= _MOST_PLAIN:
            self._plain = {}
        self._plain[signatures] = made, v

    def _length(self, named: Mapping[str, Any]) -> int:
        """The length of a call, the same along all axes that have it, within its bounds."""
        dim, lengths = self._dim, {}
        for name, axes in self._axes.items():
            tensor = named.get(name)
            if not isinstance(tensor, Tensor):
                raise TypeError(
                    f"dims= names {name!r}, which is a {type(tensor).__name__} in this call, not a Tensor"
                )
            for axis in axes:
                if axis >= tensor.ndim:
                    raise ValueError(
                        f"dims= names axis {axis} of {name!r}, whose shape is {tensor.shape} in this call"
                    )
                lengths[name, axis] = tensor.shape[axis]
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"axis {axis} of {name!r} is {n}" for (name, axis), n in lengths.items())
            raise ValueError(f"axes of Dim {dim.name!r} have one length: {told}")
        v = next(iter(lengths.values()))
        if not dim.least <= v <= dim.most:
            raise ValueError(
                f"a length of {v} is out of the bounds of Dim {dim.name!r}, {dim.least} to {dim.most}: "
                f"give it other bounds, or cut or pad the input"
            )
        return int(v)

    def _trace(
        self,
        kind: tuple[Any, ...],
        structure: Any,
        leaves: list[Core],
        args: tuple[Any, ...],
        axes: Mapping[int, tuple[int, ...]],
    ) -> Bounded:
        def at(length: int) -> list[Core]:
            """The arguments as they are at another length, without memory; what was one tensor is one."""
            made: dict[int, Core] = {}
            for leaf in leaves:
                held = axes.get(id(leaf), ())
                shape = tuple([length if axis in held else n for axis, n in enumerate(leaf.shape)])
                node = Trace.placeholder(shape, leaf.dtype, leaf.device)
                made.setdefault(id(leaf), type(leaf)._of(node))
            return [made[id(leaf)] for leaf in leaves]

        with self._lock:
            found = bounded(self._function, structure, args, at, max(self._dim.least, 2), self._dim.most)
            self._traced += 1
            while len(self._kinds) >= _MOST_KINDS:
                del self._kinds[next(iter(self._kinds))]
            self._kinds[kind] = found
            self._plain = {}  # it may be here for what one that is kept no longer holds
            return found


def _kind_of(leaf: Core, axes: tuple[int, ...]) -> tuple[Any, ...]:
    """What of an argument is the same for all lengths."""
    shape = tuple([None if axis in axes else n for axis, n in enumerate(leaf.shape)])
    return shape, leaf.dtype, leaf.device


def _checked(function: Callable[..., Any], dims: Dims) -> tuple[Dim, dict[str, tuple[int, ...]]]:
    """The Dim, and the axes that have it, by parameter; or an error that says what is wrong with them."""
    parameters = list(inspect.signature(function).parameters)
    found: set[Dim] = set()
    for name, axes in dims.items():
        if name not in parameters:
            raise ValueError(f"dims= names {name!r}; the parameters are {', '.join(map(repr, parameters))}")
        for axis, dim in axes.items():
            if isinstance(axis, bool) or not isinstance(axis, int) or axis < 0:
                raise ValueError(f"dims= names axis {axis!r} of {name!r}: count axes from 0")
            if not isinstance(dim, Dim):
                raise TypeError(f"dims= gives axis {axis} of {name!r} the length {dim!r}: it takes a Dim")
            found.add(dim)
    if len(found) != 1:
        raise ValueError(f"dims= takes axes of one Dim, not of {len(found)}")
    return found.pop(), {name: tuple(axes) for name, axes in dims.items()}
