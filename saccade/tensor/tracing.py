"""Making a trace: the function runs once on placeholders, and the graphs it leaves are compiled.

trace_function(f, structure, leaves, args) -> Variant
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..graph.node import Node, assign, make, walk
from ..graph.ops import Op
from ..runtime.buffer import Buffer
from .core import Core
from .environment import Environment, Guard, environment_of
from .realize import by_device, canonical, executable_for, is_realized, without_copies
from .replay import (
    CAPTURED,
    COMPUTED,
    KEY,
    LEAF,
    Capture,
    Output,
    Plain,
    Stage,
    Variant,
    aliases_of,
    needs_plain_call,
)
from .storage import Storage
from .stores import realize_tensors
from .trace import Placeholder, Trace, TraceError, buffer_of, memory_of
from .tree import Identity, Leaf, Structure, flatten, rebuild
from .views import Moves, is_whole, moved


def trace_function(
    function: Callable[..., Any], structure: Structure, leaves: list[Core], args: tuple[Any, ...]
) -> Variant | Plain:
    """Run `function` on placeholders in the place of `leaves`, and compile what comes out."""
    objects = _objects(structure)
    bound = tuple(argument if Identity(argument) in objects else None for argument in args)
    found = environment_of(function, bound, tuple(identity.value for identity in objects))
    captures = _captures(found)
    trace = Trace()
    # what is one tensor outside is one inside
    inside = {id(capture.tensor): capture.tensor for capture in captures}
    aliases = aliases_of(leaves, captures)
    for leaf in leaves:
        if id(leaf) not in inside:
            inside[id(leaf)] = type(leaf)._of(trace.placeholder(leaf.shape, leaf.dtype, leaf.device))
    inner = [inside[id(leaf)] for leaf in leaves]
    symbols = [tensor.node for tensor in inner]
    arguments = rebuild(structure, iter(inner))
    given: list[Core] = []
    taken_apart = flatten(arguments, given)
    views = [None if tensor.storage is None else tensor.moves for tensor in found.tensors]
    with trace:
        try:
            result = function(*arguments[0], **arguments[1])
            made: list[Core] = []
            result_structure = flatten(result, made)
            results = [_Seen(tensor) for tensor in made]
            changes = _changes(structure, inner, symbols, captures)
        finally:
            turned = _turn_back(found.tensors, views)
            trace.take_back_writes()
            leaks = _take_back(found.guards)
    if turned:
        raise TraceError(
            f"a jit function turns a tensor of shape {turned[0].shape} that it captures into another view "
            f"(unsqueeze_, transpose_): pass it as an argument, or use unsqueeze, transpose"
        )
    if leaks:
        raise TraceError(
            f"a jit function stores a tensor it computes in {leaks[0]}: assign to the tensor that is there "
            f"(x.assign(...)), or return the new one"
        )
    for capture in captures:
        capture.pinned |= buffer_of(capture.tensor.node) in trace.reads
    left: list[Core] = []
    if flatten(arguments, left) != taken_apart or any(a is not b for a, b in zip(left, given, strict=True)):
        raise TraceError(
            "a jit function put other values into a list, dict or object that it was given: return the new "
            "values instead, or assign to the tensors in it (x.assign(...))"
        )
    _check_result(result_structure, objects)
    written = [change.target for change in changes]
    if changes and needs_plain_call(leaves, captures, written):
        return Plain(function, structure, captures, written)
    linker = _Linker(symbols, trace, captures, changes)
    stages = linker.stages(results)
    return Variant(
        structure,
        result_structure,
        stages,
        tuple(linker.output(seen) for seen in results),
        tuple((change.target, change.moves) for change in changes),
        tuple(generator for _, generator in trace.keys),
        captures,
        (*found.guards, *_read_guards(trace)),
        aliases if changes or aliases != tuple(range(len(leaves))) else None,
    )


class _Seen:
    """A tensor as it is now."""

    def __init__(self, tensor: Core) -> None:
        self.node, self.kind = tensor.node, type(tensor)
        self.storage = tensor.storage
        self.moves = tensor.moves if tensor.storage is not None else ()


@dataclass(frozen=True, eq=False)
class _Change:
    """A leaf or a capture that was written to: what is in its memory in the end, and the view that it is."""

    target: int | Capture
    store: Node
    storage: Storage
    moves: Moves


def _changes(
    structure: Structure, inner: list[Core], symbols: list[Node], captures: tuple[Capture, ...]
) -> list[_Change]:
    """What a function has written to."""
    found: list[_Change] = []
    kinds = _leaves(structure)
    done = {id(capture.tensor) for capture in captures}
    for number, (tensor, symbol) in enumerate(zip(inner, symbols, strict=True)):
        if id(tensor) in done or tensor.storage is None or tensor.node is symbol:
            continue
        done.add(id(tensor))
        if kinds[number].kind is np.ndarray:
            raise TraceError(
                "a jit function changes a NumPy array it was given in place: pass a Tensor instead"
            )
        store = assign(tensor.storage.node, memory_of(symbol), None)
        found.append(_Change(number, store, tensor.storage, tensor.moves))
    for capture in captures:
        tensor, before = capture.tensor, capture.node
        if tensor.storage is not None and tensor.storage.node is not before:
            assert before is not None, "what a storage held before a trace is kept by the trace"
            found.append(
                _Change(capture, assign(tensor.storage.node, memory_of(before), None), tensor.storage, ())
            )
    return found


def _turn_back(tensors: list[Core], views: list[Moves | None]) -> list[Core]:
    """Captured tensors are the views again that they were; those that were not."""
    turned = [t for t, moves in zip(tensors, views, strict=True) if moves is not None and t.moves != moves]
    for tensor, moves in zip(tensors, views, strict=True):
        if tensor.storage is not None:
            tensor.moves = moves or ()
    return turned


def _captures(found: Environment) -> tuple[Capture, ...]:
    """The tensors a function reads by reference, computed once here and not at each call. Views are read
    through what they are views of."""
    wholes = {id(tensor.storage or tensor): tensor.whole() for tensor in found.tensors}
    realize_tensors(list(wholes.values()))
    for tensor in found.tensors:
        if tensor.storage is not None:
            tensor.node = moved(tensor.storage.node, tensor.moves)
    captures = tuple(map(Capture, wholes.values()))
    users: dict[Buffer, int] = {}
    for capture in captures:
        buffer = buffer_of(capture.tensor.node)
        users[buffer] = users.get(buffer, 0) + 1
    for capture in captures:
        capture.pinned = users[buffer_of(capture.tensor.node)] > 1
    return captures


def _take_back(guards: list[Guard]) -> list[str]:
    """The names of places where the function left traced tensors; where possible, they are as before."""
    leaks = []
    for guard in guards:
        if not guard.holds() and any(_is_traced(tensor.node) for tensor in _tensors_in(guard.current())):
            leaks.append(guard.name)
            guard.restore()
    return leaks


def _tensors_in(value: object) -> list[Core]:
    if isinstance(value, Core):
        return [value]
    if isinstance(value, dict):
        return [tensor for part in value.values() for tensor in _tensors_in(part)]
    if isinstance(value, (list, tuple)):
        return [tensor for part in value for tensor in _tensors_in(part)]
    return []


def _is_traced(node: Node) -> bool:
    return any(n.op is Op.BUFFER and isinstance(n.arg, Placeholder) for n in walk((node,)))


def _read_guards(trace: Trace) -> list[Guard]:
    """Values the function looked at while it was traced have to stay what they were."""
    return [Guard("a value that was read", buffer.numpy) for buffer in trace.reads]


class _Linker:
    """Finds out where the memory of a traced graph comes from at each call."""

    def __init__(
        self,
        symbols: list[Node],
        trace: Trace,
        captures: tuple[Capture, ...],
        changes: list[_Change],
    ) -> None:
        #: what is written, by what the tensors share that see it, and the inputs it is written to
        self.stores = {change.storage: change.store for change in changes}
        self.written = {change.store.src[1].arg for change in changes}
        self.leaves = {buffer_of(node): number for number, node in enumerate(symbols)}
        self.keys = {buffer: number for number, (buffer, _) in enumerate(trace.keys)}
        self.captures = captures
        self.captured = {buffer_of(c.tensor.node): number for number, c in enumerate(captures)}
        self.computed: dict[Node, tuple[int, int]] = {}

    def stages(self, results: Iterable[_Seen]) -> tuple[Stage, ...]:
        """An executable for each device that computes some of the results, or stores something."""
        computed = [self.root(seen.node) for seen in results if self.input_of(seen) is None]
        wanted = list(dict.fromkeys([*computed, *self.stores.values()]))
        made = []
        for number, (device, group) in enumerate(by_device(wanted).items()):
            _check_copies(group)
            form, buffers = canonical(without_copies(group))
            results = [node for node in group if node.op is not Op.ASSIGN]
            made.append(self._stage(executable_for(form, device), buffers, tuple(results)))
            for position, node in enumerate(results):
                self.computed[node] = (number, position)
        return tuple(made)

    def input_of(self, seen: _Seen) -> Buffer | None:
        """The memory that comes in from outside and that a result is, before or after it was written to."""
        store = None if seen.storage is None else self.stores.get(seen.storage)
        if store is not None and is_whole(store.shape, seen.moves):
            written: Buffer = store.src[1].arg
            return written
        if not is_realized(seen.node):
            return None
        buffer = buffer_of(seen.node)
        comes_in = isinstance(buffer, Placeholder) or buffer in self.captured
        return buffer if comes_in and buffer not in self.written else None

    @staticmethod
    def root(node: Node) -> Node:
        """What to compute for a result: a constant is copied, because each result is the caller's alone."""
        return make(Op.CONTIGUOUS, node.dtype, (node,), None) if is_realized(node) else node

    def _stage(self, executable: Any, buffers: list[Buffer], nodes: tuple[Node, ...]) -> Stage:
        known = [None if isinstance(buffer, Placeholder) else buffer for buffer in buffers]
        leaves = [(slot, self.leaves[b]) for slot, b in enumerate(buffers) if b in self.leaves]
        keys = [(slot, self.keys[b]) for slot, b in enumerate(buffers) if b in self.keys]
        for buffer in buffers:
            if isinstance(buffer, Placeholder) and buffer not in self.leaves and buffer not in self.keys:
                buffer.refuse()
        stage = Stage(executable, tuple(leaves), tuple(keys), known, nodes, len(self.leaves))
        for slot, buffer in enumerate(buffers):
            if buffer in self.captured:
                self.captures[self.captured[buffer]].slots.append((stage, slot))
        return stage

    def output(self, seen: _Seen) -> Output:
        """Where one result comes from."""
        node, kind = seen.node, seen.kind
        buffer = self.input_of(seen)
        if buffer is None:
            return Output(COMPUTED, self.computed[self.root(node)], node, kind)
        for source, table in ((LEAF, self.leaves), (KEY, self.keys), (CAPTURED, self.captured)):
            if buffer in table:
                return Output(source, table[buffer], node, kind)
        Placeholder.refuse()


# --- what cannot be replayed


def _check_copies(nodes: list[Node]) -> None:
    for copy in walk(tuple(nodes)):
        if copy.op is Op.COPY and _is_traced(copy.src[0]):
            raise TraceError(
                f"a jit function moves an argument to {copy.arg!r}: move it before the call, so that the "
                f"function computes on one device"
            )


def _check_result(result: Structure, known: list[Identity]) -> None:
    strange = [type(found.value).__name__ for found in _objects(result) if found not in known]
    if any(leaf.kind is np.ndarray for leaf in _leaves(result)):
        strange.append("NumPy array")
    if strange:
        raise TraceError(
            f"a jit function cannot return a {strange[0]}: return tensors and plain values in lists, tuples, "
            f"dicts, named tuples or dataclasses"
        )


def _leaves(structure: Structure) -> list[Leaf]:
    if isinstance(structure, Leaf):
        return [structure]
    if isinstance(structure, tuple):
        return [leaf for part in structure for leaf in _leaves(part)]
    return []


def _objects(structure: Structure) -> list[Identity]:
    if isinstance(structure, Identity):
        return [structure]
    if isinstance(structure, tuple):
        return [found for part in structure for found in _objects(part)]
    return []
