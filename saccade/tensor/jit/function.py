"""A function of tensors with its traces: found by the shapes and values of a call, made where there is none.

In: a function, then calls of it. Out: what it returns, replayed (`replay`), or traced first (`tracing`).
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from types import MethodType
from typing import TYPE_CHECKING, Any, Final, Generic, ParamSpec, TypeVar, cast

from ...runtime.process.forking import fork_lock
from ..core import Core
from ..gradients.budget import within
from ..gradients.leaves import recording
from ..gradients.tape import tapes
from ..programs.lengths import prefer_exact
from ..programs.searching import searching
from ..stores.stores import realize_tensors
from ..tensor import Tensor
from .captured.escapes import check_escapes
from .general import GeneralVariant
from .numbered import Numbered, Record, trace_numbers
from .plain import Plain
from .replay import Variant
from .signature import Signature, placed
from .trace import checking, tracing
from .tracing import link, run_function
from .tree import Structure, Value, difference, flatten, without_numbers

if TYPE_CHECKING:
    Signatures = tuple[Signature, ...]
    #: a trace, and the words for the numbers of a call if it takes them as they come
    Found = tuple[Variant | Plain, list[bytes | None] | None]

P = ParamSpec("P")
R = TypeVar("R")
K = TypeVar("K")
V = TypeVar("V")

#: Traces of one function before it is reported that there are many.
MANY_TRACES: Final = 8
#: Traces kept for one function; the one made longest ago goes first.
_MOST_VARIANTS: Final = 64

Key = tuple[Any, ...]
#: of a tensor that has to be computed, or has not been an argument before: no variant is kept under it
_NOWHERE: Final[tuple[Any, Any]] = (None, None)
#: what `flatten` makes of a call without them
_NO_KEYWORDS: Final = ((dict, (), ()),)


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
        #: traces that take numbers as they come, by the structure of arguments with places for those
        self._numbered: dict[tuple[Structure, Signatures], tuple[Numbered, ...]] = {}
        self._records: dict[tuple[Structure, Signatures], Record] = {}
        self._last: tuple[Key, Variant | Plain] | None = None
        self._lock = fork_lock()
        #: for calls with tensors that gather gradients
        self._with_grads: JitFunction[Any, Any] | None = None
        #: the budget of memory that traces are made under, and those under others (`budget`)
        self._budget: int | None = None
        self._under: dict[int | None, JitFunction[P, R]] = {}

    def __repr__(self) -> str:
        return f"jit({getattr(self._function, '__name__', self._function)!s})"

    def __get__(self, owner: object, kind: type | None = None) -> Any:
        return self if owner is None else MethodType(self, owner)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if tracing.trace is not None or tapes.open or checking.examine is not None:
            return self._function(*args, **kwargs)
        if within.nbytes != self._budget:
            return self._within(args, kwargs)
        if not kwargs:
            # plain tensors that were here before: their signatures are all there is to look at
            signatures: list[Signature] = []
            addresses: list[int] = []
            found: tuple[Variant | Plain, ...] = ()
            try:
                for argument in args:
                    if type(argument) is not Tensor:
                        break
                    signature, buffer = argument.node._memory  # type: ignore[misc]
                    signatures.append(signature)
                    addresses.append(buffer._address)
                else:
                    found = self._plain.get(tuple(signatures), ())
            except TypeError:  # one that has to be computed, or has not been an argument before
                found = ()  # and the error goes first: it holds that one's node, which may be overwritten
            for variant in found:
                if not variant.watched or variant.holds(args):
                    result: R = variant.run(args, addresses)
                    return result
        return self._general(args, kwargs)

    def _within(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> R:
        """A call under another budget of memory."""
        other = self._under.get(within.nbytes)
        if other is None:
            other = JitFunction(self._function, self._search)
            other._budget = within.nbytes
            other = self._under.setdefault(within.nbytes, other)
        before = other.traces
        result = other(*args, **kwargs)
        self.traces += other.traces - before
        return result

    def _general(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> R:
        """Any arguments: take them apart, find the trace or make it."""
        leaves: list[Core] = []
        taken = flatten(args, leaves)
        structure = (tuple, (taken, flatten(kwargs, leaves) if kwargs else _NO_KEYWORDS[0]))
        if recording() and any([hasattr(leaf, "leaf") for leaf in leaves]):  # noqa: C419 - of hundreds, faster
            return self._gather(args, kwargs, structure, leaves)
        return self._run(args, kwargs, structure, leaves)

    def _run(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], structure: Structure, leaves: list[Core]
    ) -> R:
        """A call whose arguments were taken apart."""
        memory = [leaf.node._memory or _NOWHERE for leaf in leaves]
        signatures = tuple([signature for signature, _ in memory])
        for variant in self._nested.get((structure, signatures), ()):
            if variant.holds(leaves):
                return cast(R, variant.run(leaves, [buffer._address for _, buffer in memory]))
        found = self._find_numbered(structure, signatures, leaves) if self._numbered else None
        if found is not None:
            return cast(R, found[0].run(leaves, [buffer._address for _, buffer in memory], found[1]))
        realize_tensors(leaves)
        nodes = [leaf.node for leaf in leaves]
        key = (structure, *(part for node in nodes for part in (node.shape, node.dtype, node.device)))
        memory = [placed(node) for node in nodes]
        signatures = tuple([signature for signature, _ in memory])
        found = self._find(key, signatures, leaves)
        if found is None:
            with self._lock:
                found = self._find(key, signatures, leaves)  # another thread may have been here
                if found is None:
                    found = self._trace(key, signatures, leaves, args)
        made, words = found
        if words is None:
            variants = self._variants.get(key, ())  # none: another thread's traces took their places
            self._nested[structure, signatures] = variants
            if not kwargs and all(type(a) is Tensor and not hasattr(a, "leaf") for a in args):
                self._plain[signatures] = variants
        addresses = [buffer.address for _, buffer in memory]
        del nodes, memory  # what is overwritten should have no other reader
        return cast(R, made.run(leaves, addresses, words))

    def _gather(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], structure: Structure, leaves: list[Core]
    ) -> R:
        """A call with tensors that gather gradients."""
        from ..gradients.gathering import WithGrads, give_back, grads_of

        inner = self._with_grads
        if inner is None:
            inner = self._with_grads = JitFunction(WithGrads(self._function), self._search)
        before, grads, tensors = inner.traces, grads_of(leaves), leaves.copy()
        # as if (args, kwargs, grads) had been taken apart
        whole = (tuple, ((tuple, (*structure[1], flatten(grads, tensors))), *_NO_KEYWORDS))
        found = inner._run((args, kwargs, grads), {}, whole, tensors)
        self.traces += inner.traces - before
        if found is None:
            return self._function(*args, **kwargs)
        result, left = found
        give_back(leaves, left)
        return cast(R, result)

    def _find(self, key: Key, signatures: Signatures, leaves: list[Core]) -> Found | None:
        for variant in self._variants.get(key, ()):
            if variant.holds(leaves):
                return variant, None
        return self._find_numbered(key[0], signatures, leaves)

    def _find_numbered(
        self, structure: Structure, signatures: Signatures, leaves: list[Core]
    ) -> Found | None:
        """A trace that takes numbers as they come, and the words for those of a call."""
        numbers: list[Value] = []
        open_structure = without_numbers(structure, numbers)
        for traced in self._numbered.get((open_structure, signatures), ()):
            words = traced.words(numbers)
            if words is not None and traced.variant.holds(leaves):
                return traced.variant, words
        return None

    def _trace(self, key: Key, signatures: Signatures, leaves: list[Core], args: tuple[Any, ...]) -> Found:
        """A new trace; where the numbers of calls differ again and again, it takes them as they come."""
        structure = key[0]
        reason = self._reason(key, structure)
        numbers: list[Value] = []
        place = (without_numbers(structure, numbers), signatures)
        record = self._records.setdefault(place, Record())
        while len(self._records) > _MOST_VARIANTS:
            del self._records[next(iter(self._records))]
        tracing.placeholders.clear()
        with nullcontext() if self._search is None else searching(self._search):
            numbered, plain = trace_numbers(self._function, place[0], leaves, args, tuple(numbers), record)
            if numbered is None:
                traced = plain or run_function(self._function, structure, leaves, args)
                variant = Plain(self._function, traced) if traced.is_tangled else link(traced)
                del traced
        del plain
        check_escapes()
        self._report(reason)
        if numbered is not None:
            words = numbered.words(numbers)
            assert words is not None
            _keep(self._numbered, place, numbered)
            self._last = (key, numbered.variant)
            return numbered.variant, words
        if isinstance(variant, GeneralVariant):
            variant.belongs_to(self, key)
        _keep(self._variants, key, variant)
        self._plain.clear()  # they may hold what is no longer kept, or not yet
        self._nested.clear()
        self._last = (key, variant)
        return variant, None

    def retire(self, key: Key, variant: GeneralVariant) -> None:
        """Trace once more, for the length of these calls, where it is compiled for itself then."""
        if not all(prefer_exact(form, device) for form, device in variant.forms):
            return
        with self._lock:
            left = tuple([other for other in self._variants.pop(key, ()) if other is not variant])
            if left:
                self._variants[key] = left
            self._plain.clear()
            self._nested.clear()

    def _report(self, reason: str) -> None:
        """Count a trace, and say so where there are many."""
        self.traces += 1
        if self.traces == MANY_TRACES + 1:
            warnings.warn(
                f"{self!r} was traced {self.traces} times, most recently because {reason}. Pass what changes "
                f"as a tensor, and name a length that changes: jit(dims={{'x': {{0: Dim('n', 1, 4096)}}}})",
                RetraceWarning,
                stacklevel=5,
            )

    def _reason(self, key: Key, structure: Structure) -> str:
        """Why the last trace does not serve, in words."""
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


def _keep(kept: dict[K, tuple[V, ...]], place: K, made: V) -> None:
    """Add a trace, the newest, which is looked at first; those made longest ago go where there are too
    many."""
    kept[place] = (made, *kept.pop(place, ()))
    while sum(map(len, kept.values())) > _MOST_VARIANTS:
        oldest = next(iter(kept))
        kept[oldest] = kept[oldest][:-1]
        if not kept[oldest]:
            del kept[oldest]
