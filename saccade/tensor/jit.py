"""`jit`: a function of tensors is traced once and replayed with almost no Python.

    @jit
    def step(weights, batch, rate=0.1):
        ...
        return weights - rate * slope

    weights = step(weights, batch)

The function runs on placeholders (see `trace`), and the graph that comes out is compiled whole. What it may
depend on:

| what | how it is treated |
|---|---|
| tensors, arrays and keys in arguments, also in lists, dicts, named tuples, dataclasses | inputs |
| shapes, dtypes and devices of those; numbers, strings and other plain values | guards: trace again |
| numbers, arrays, functions in globals, closures, attributes | guards: trace again |
| tensors in globals, closures, attributes | inputs by reference: a new value is seen at the next call |
| random numbers | the generator advances at each call, as without jit |
| `x += 1`, `x.assign(...)` on an argument or a captured tensor | happens at each call, in its own memory |
| reading a value of an input (`item`, `bool`, `numpy`) | TraceError |

Results are new memory at each call and the caller's to keep; (a reshape of) an input shares its memory.
Inside another jit function, a jit function is a plain one.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from threading import RLock
from types import MethodType
from typing import TYPE_CHECKING, Any, Final, Generic, ParamSpec, TypeVar, cast, overload

from .core import Core
from .searching import searching
from .stores import realize_tensors
from .tensor import Tensor
from .trace import tracing

if TYPE_CHECKING:  # imported by the first call: reading code costs 10 ms that a program without jit is spared
    from .replay import Plain, Variant
    from .signature import Signature
    from .tree import Structure

P = ParamSpec("P")
R = TypeVar("R")

#: Traces of one function before it is reported that there are many.
MANY_TRACES: Final = 8
#: Traces kept for one function; the one made longest ago goes first.
_MOST_VARIANTS: Final = 64

Key = tuple[Any, ...]
#: of a tensor that has to be computed, or has not been an argument before: no variant is kept under it
_NOWHERE: Final[tuple[Any, Any]] = (None, None)


class RetraceWarning(UserWarning):
    """A jit function is traced again and again."""


class JitFunction(Generic[P, R]):
    """A function and its traces. `traces` counts how often it was traced."""

    def __init__(self, function: Callable[P, R], search: float | None = None) -> None:
        if not callable(function):
            raise TypeError(f"jit takes a function, not {type(function).__name__}")
        if search is not None and not search > 0:
            raise ValueError(f"search= takes a number of seconds above 0, not {search!r}")
        self._search = search
        functools.update_wrapper(self, function)
        self.traces = 0
        self._function = function
        self._variants: dict[Key, tuple[Variant | Plain, ...]] = {}
        #: the same for calls with tensors in order and nothing else
        self._plain: dict[tuple[Signature, ...], tuple[Variant | Plain, ...]] = {}
        #: the same for tensors in lists, dicts and other values: a state of hundreds is looked at, not asked
        self._nested: dict[tuple[Structure, tuple[Signature, ...]], tuple[Variant | Plain, ...]] = {}
        self._last: tuple[Key, Variant | Plain] | None = None
        self._lock = RLock()

    def __repr__(self) -> str:
        return f"jit({getattr(self._function, '__name__', self._function)!s})"

    def __get__(self, owner: object, kind: type | None = None) -> Any:
        return self if owner is None else MethodType(self, owner)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if tracing.trace is not None:
            return self._function(*args, **kwargs)
        if not kwargs:
            # plain tensors that were here before: their signatures are all there is to look at
            signatures: list[Signature] = []
            addresses: list[int] = []
            found: tuple[Variant | Plain, ...] = ()
            try:
                for argument in args:
                    if type(argument) is not Tensor:
                        break
                    signature, buffer = argument.node._memory
                    signatures.append(signature)
                    addresses.append(buffer._address)
                else:
                    found = self._plain.get(tuple(signatures), ())
            except AttributeError:  # one that has to be computed, or has not been an argument before
                return self._general(args, kwargs)
            for variant in found:
                if not variant.watched or variant.holds(args):
                    result: R = variant.run(args, addresses)
                    return result
        return self._general(args, kwargs)

    def _general(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> R:
        """Any arguments: take them apart, find the trace or make it."""
        from .signature import placed
        from .tree import flatten

        leaves: list[Core] = []
        structure = flatten((args, kwargs), leaves)
        places = [getattr(leaf.node, "_memory", _NOWHERE) for leaf in leaves]
        found = self._nested.get((structure, tuple([signature for signature, _ in places])), ())
        for variant in found:
            if variant.holds(leaves):
                return cast(R, variant.run(leaves, [buffer._address for _, buffer in places]))
        realize_tensors(leaves)
        nodes = [leaf.node for leaf in leaves]
        key = (structure, *(part for node in nodes for part in (node.shape, node.dtype, node.device)))
        made = self._find(key, leaves)
        if made is None:
            with self._lock:
                made = self._find(key, leaves)  # another thread may have been here
                if made is None:
                    made = self._trace(key, structure, leaves, args)
        memory = [placed(node) for node in nodes]
        signatures = tuple([signature for signature, _ in memory])
        self._nested[structure, signatures] = self._variants[key]
        if not kwargs and all(type(argument) is Tensor for argument in args):
            self._plain[signatures] = self._variants[key]
        addresses = [buffer.address for _, buffer in memory]
        del nodes, memory  # what is overwritten should have no other reader
        return cast(R, made.run(leaves, addresses))

    def _find(self, key: Key, leaves: list[Core]) -> Variant | Plain | None:
        return next((v for v in self._variants.get(key, ()) if v.holds(leaves)), None)

    def _trace(self, key: Key, structure: Structure, leaves: list[Core], args: tuple[Any, ...]) -> Variant | Plain:
        from .tracing import trace_function

        reason = self._reason(key, structure)
        with nullcontext() if self._search is None else searching(self._search):
            variant = trace_function(self._function, structure, leaves, args)
        self.traces += 1
        if self.traces == MANY_TRACES + 1:
            warnings.warn(
                f"{self!r} was traced {self.traces} times, most recently because {reason}. Pass what changes "
                f"as a tensor, and keep shapes the same (pad, or use a mask)",
                RetraceWarning,
                stacklevel=4,
            )
        while sum(map(len, self._variants.values())) >= _MOST_VARIANTS:
            del self._variants[next(iter(self._variants))]
        self._variants[key] = (*self._variants.get(key, ()), variant)
        self._plain.clear()  # they may hold what is no longer kept, or not yet
        self._nested.clear()
        self._last = (key, variant)
        return variant

    def _reason(self, key: Key, structure: Structure) -> str:
        """Why the last trace does not serve, in words."""
        from .tree import difference

        if self._last is None:
            return "it had not been traced"
        old, variant = self._last
        changed = difference(structure, variant.structure, "arguments")
        if changed:
            return changed
        for number, (new, before) in enumerate(zip(key[1:], old[1:], strict=True)):
            if new != before:
                what = ("shape", "dtype", "device")[number % 3]
                return f"the {what} of tensor {number // 3} is {new} instead of {before}"
        return variant.changed() or "other arguments are one tensor, or an earlier trace was dropped"


@overload
def jit(function: Callable[P, R], *, search: float | None = None) -> JitFunction[P, R]: ...


@overload
def jit(*, search: float | None = None) -> Callable[[Callable[P, R]], JitFunction[P, R]]: ...


def jit(function: Callable[P, R] | None = None, *, search: float | None = None) -> Any:
    """Compile a function of tensors; also as a decorator, `@jit` or `@jit()`.

    With `search`, each trace is followed by that many seconds of search for faster kernels; what is found is
    kept.
    """
    if function is None:
        return functools.partial(JitFunction, search=search)
    return JitFunction(function, search)
