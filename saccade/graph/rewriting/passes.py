"""Passes: every change of a graph between a Tensor call and its kernels has a name and goes through here.

    @rewrite_pass("split long reductions")
    def split_reductions(roots, most_parts=256): ...        # from results to the same results

    with watch(Watch(verify=True)) as seen:
        split_reductions(roots)
    seen.passes[0].steps                                    # what it did, one by one

A pass is a function whose first argument is the graph and whose result is the graph after it: a tuple of
results in tensor terms, or kernels with the memory they use. Unwatched it is that function and nothing else.
A `Watch` verifies the graph after each pass, or records: time, number of nodes, and every step (the rule and
where it is written, the node before and after). Verifying and recording cost time; not watching costs none.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Concatenate, Generic, NamedTuple, ParamSpec, TypeAlias, TypeVar, cast

from ..node import Node, walk
from ..ops import Op
from ..origin import inherit, origin_of

if TYPE_CHECKING:
    from ..kernels.kernel import Kernel
    from .pattern import Rule

P = ParamSpec("P")
A = TypeVar("A")
B = TypeVar("B")

#: A graph in tensor terms: its results. A graph in kernel terms: kernels and the memory of their slots.
Roots = tuple[Node, ...]
Kernels: TypeAlias = "list[tuple[Kernel, tuple[Node, ...]]]"


class Step(NamedTuple):
    """One change: the rule as `before -> after`, or the name of the function; where it is written; the node
    before and after; the line of the user's program it comes from, if that is known."""

    rule: str
    source: str
    before: Node
    after: Node
    line: str


@dataclass
class PassRun:
    """One run of a pass: what went in, what came out, and what happened in between."""

    name: str
    about: str
    source: str
    before: Roots = ()
    after: Roots = ()
    depth: int = 0
    seconds: float = 0.0
    steps: list[Step] = field(default_factory=list)

    @property
    def nodes_before(self) -> int:
        return sum(1 for _ in walk(self.before))

    @property
    def nodes_after(self) -> int:
        return sum(1 for _ in walk(self.after))


class Watch:
    """Follows the passes that run while it is watching. With `verify` a pass that leaves a malformed graph
    raises `VerificationError`, which names the pass; with `record` each run is kept in `passes`. What
    was compiled before is compiled again at every call, so that its passes are seen, unless `sparing`."""

    def __init__(self, *, verify: bool = False, record: bool = True, sparing: bool = False) -> None:
        self.verify = verify
        self.record = record
        self.sparing = sparing
        self.passes: list[PassRun] = []
        #: passes may call others: the innermost is last
        self._running: list[PassRun] = []

    def run(self, made: Pass[A, Any, B], graph: A, call: Callable[[], B]) -> B:
        """`call`, which is the pass `made` applied to the graph, followed."""
        if not self.record:
            result = call()
            self._verify(made, result)
            return result
        with self.follow(PassRun(made.name, made.about, made.source, roots_of(graph))) as run:
            result = call()
        run.after = roots_of(result)
        self._verify(made, result)
        return result

    @contextmanager
    def follow(self, run: PassRun) -> Iterator[PassRun]:
        """Keep a run, and its time, while it is under way."""
        run.depth = len(self._running)
        self.passes.append(run)
        self._running.append(run)
        start = perf_counter()
        try:
            yield run
        finally:
            run.seconds = perf_counter() - start
            self._running.pop()

    def step(self, rule: Rule | Callable[..., Any], before: Node, after: Node) -> None:
        """A rule, or the function of a pass, changed a node."""
        if self._running:
            law = getattr(rule, "law", None) or _name_of(rule)
            function: Any = getattr(rule, "replacement", rule)
            origin = origin_of(before)
            inherit(after, origin)
            self._running[-1].steps.append(Step(law, source_of(function), before, after, origin.line))

    def made(self, recipe: object, kernels: object, device: str) -> None:
        """A computation was worked out for a device, inside its stage: its recipe (`runtime.recipe`) and its
        kernels (`schedule.kernel_graph`). For those who keep more than passes."""

    def _verify(self, made: Pass[Any, Any, Any], result: object) -> None:
        if not self.verify:
            return
        from ..verify import VerificationError, verify  # a process that only finds what it made needs none

        try:
            for root in roots_of(result):
                if root.op is not Op.SINK:
                    verify(root, "tensor")
            for kernel, _ in _kernels_of(result):
                if kernel.sink.src[0].op is not Op.SORT:
                    verify(kernel.sink, "kernel", loops=kernel.order)
        except VerificationError as error:
            raise VerificationError(f"after the pass {made.name!r} ({made.source}): {error}") from None


#: who follows the passes in this context, if anybody
watching: ContextVar[Watch | None] = ContextVar("watching", default=None)


@contextmanager
def watch(made: Watch) -> Iterator[Watch]:
    """Follow every pass that runs inside."""
    token = watching.set(made)
    try:
        yield made
    finally:
        watching.reset(token)


def stage(name: str) -> AbstractContextManager[object]:
    """Work that is no pass of its own, for its time and for what runs inside."""
    watch = watching.get()
    return nullcontext() if watch is None or not watch.record else watch.follow(PassRun(name, "", ""))


def recording() -> bool:
    """Does somebody want to see every pass? Then nothing comes from a cache."""
    watch = watching.get()
    return watch is not None and watch.record


def again() -> bool:
    """Does somebody want to see the passes of every call, also of what is compiled already?"""
    watch = watching.get()
    return watch is not None and watch.record and not watch.sparing


def note_made(recipe: object, kernels: object, device: str) -> None:
    """A computation was worked out for a device."""
    watch = watching.get()
    if watch is not None:
        watch.made(recipe, kernels, device)


def note(rule: Callable[..., Any], before: Node, after: Node) -> None:
    """For a pass that walks by itself: this function of it changed a node."""
    watch = watching.get()
    if watch is not None:
        watch.step(rule, before, after)


class Pass(Generic[A, P, B]):
    """A named function from graph to graph."""

    def __init__(self, name: str, function: Callable[Concatenate[A, P], B]) -> None:
        self.name = name
        self.function = function
        self.__doc__ = function.__doc__

    @property
    def about(self) -> str:
        return inspect.getdoc(self.function) or ""

    @property
    def source(self) -> str:
        return source_of(self.function)

    def __call__(self, graph: A, /, *args: P.args, **kwargs: P.kwargs) -> B:
        watch = watching.get()
        if watch is None:
            return self.function(graph, *args, **kwargs)
        return watch.run(self, graph, lambda: self.function(graph, *args, **kwargs))


def rewrite_pass(
    name: str,
) -> Callable[[Callable[Concatenate[A, P], B]], Pass[A, P, B]]:
    """The decorated function, whose first argument is the graph, as a pass of this name."""

    def decorate(function: Callable[Concatenate[A, P], B]) -> Pass[A, P, B]:
        return Pass(name, function)

    return decorate


def roots_of(graph: object) -> Roots:
    """The results of a graph in tensor terms; the SINKs of one in kernel terms. A pass may return more than
    the graph: then the graph comes first."""
    if isinstance(graph, tuple) and graph and not isinstance(graph[0], Node):
        return roots_of(graph[0])
    if isinstance(graph, tuple):
        return cast(Roots, graph)
    return tuple([kernel.sink for kernel, _ in _kernels_of(graph)])


def _kernels_of(graph: object) -> Kernels:
    if isinstance(graph, list):
        return cast(Kernels, graph)
    if isinstance(graph, tuple) and graph and isinstance(graph[-1], list):
        return cast(Kernels, graph[-1])
    return []


def _name_of(function: Any) -> str:
    """The name of a function; of one inside another, which is how passes write theirs, the outer's."""
    name: str = function.__qualname__
    return name.partition(".<locals>")[0].replace("_", " ").strip()


def source_of(function: Callable[..., Any]) -> str:
    """Where a function is written: `split.py:31`."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return "" if code is None else f"{Path(code.co_filename).name}:{code.co_firstlineno}"
