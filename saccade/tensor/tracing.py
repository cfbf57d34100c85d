"""Making a trace: the function runs once on placeholders, and the graphs it leaves are compiled.

link(run_function(f, structure, leaves, args)) -> Variant
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import filterfalse
from typing import Any

import numpy as np

from ..graph import dtypes
from ..graph.node import Node, make, walk
from ..graph.ops import Op
from ..runtime.buffer import Buffer
from ..runtime.device import Device
from .core import Core
from .environment import Environment, Guard, environment_of
from .form import Form, canonical
from .holes import numbers_given
from .number import Number, Recorder, is_given
from .realize import by_device, executable_for, executable_given, is_realized, realize, without_copies
from .replay import CAPTURED, COMPUTED, KEY, LEAF, Capture, Output, Stage, Variant, aliases_of
from .trace import Placeholder, Trace, TraceError, buffer_of
from .tree import Identity, Leaf, Structure, flatten, rebuild


@dataclass(frozen=True, eq=False)
class Traced:
    """What a run of a function on placeholders left: the tensors it made, and those it changed with their new
    values (an argument by its number); `is_pure` if all else that it can see is as it was."""

    structure: Structure
    result: Structure
    made: list[Core]
    changed: list[tuple[Core | int, Core]]
    symbols: list[Node]
    trace: Trace
    captures: tuple[Capture, ...]
    guards: tuple[Guard, ...]
    aliases: tuple[int, ...] | None
    is_pure: bool


def run_function(
    function: Callable[..., Any],
    structure: Structure,
    leaves: list[Core],
    args: tuple[Any, ...],
    numbers: Sequence[Number] = (),
) -> Traced:
    """Run `function` on placeholders in the place of `leaves`, and on numbers in the places for some."""
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
    arguments = rebuild(structure, iter(inner), iter(numbers))
    given: list[Core] = []
    taken_apart = flatten(arguments, given)
    with trace:
        try:
            result = function(*arguments[0], **arguments[1])
            assigned = [capture.tensor.node for capture in captures]
        finally:
            for capture in captures:
                capture.tensor.node = capture.node
            leaks = _take_back(found.guards)
    if leaks:
        raise TraceError(
            f"a jit function stores a tensor it computes in {leaks[0]}: assign to the tensor that is there "
            f"(x.assign(...)), or return the new one"
        )
    for capture in captures:
        capture.pinned |= buffer_of(capture.node) in trace.reads
    left: list[Core] = []
    if flatten(arguments, left) != taken_apart or any(a is not b for a, b in zip(left, given, strict=True)):
        raise TraceError(
            "a jit function put other values into a list, dict or object that it was given: return the new "
            "values instead, or assign to the tensors in it (x.assign(...))"
        )
    made: list[Core] = []
    result_structure = flatten(result, made)
    _check_result(result_structure, objects)
    return Traced(
        structure,
        result_structure,
        made,
        _changes(structure, inner, symbols, captures, assigned),
        symbols,
        trace,
        captures,
        (*found.guards, *_read_guards(trace)),
        aliases,
        all(guard.holds() for guard in found.guards),
    )


def _changes(
    structure: Structure,
    inner: list[Core],
    symbols: list[Node],
    captures: tuple[Capture, ...],
    assigned: list[Node],
) -> list[tuple[Core | int, Core]]:
    """The tensors that stand for other values than before, arguments by their number."""
    changed: list[tuple[Core | int, Core]] = []
    kinds = _leaves(structure)
    for number, (tensor, symbol) in enumerate(zip(inner, symbols, strict=True)):
        if tensor.node is not symbol:
            if kinds[number].kind is np.ndarray:
                raise TraceError(
                    "a jit function changes a NumPy array it was given in place: pass a Tensor instead"
                )
            changed.append((number, tensor._of(tensor.node)))
    for capture, node in zip(captures, assigned, strict=True):
        if node is not capture.node:
            changed.append((capture.tensor, capture.tensor._of(node)))
    return changed


def link(traced: Traced, recorder: Recorder | None = None) -> Variant:
    """Compile what a run left, and find out where its memory comes from at each call."""
    linker = Linker(traced)
    stages = tuple([linker.stage(part, recorder) for part in linker.parts])
    same = tuple(range(len(traced.symbols)))
    return Variant(
        traced.structure,
        traced.result,
        stages,
        tuple(linker.output(t) for t in traced.made),
        tuple((target, linker.output(t)) for target, t in traced.changed),
        tuple(generator for _, generator in traced.trace.keys),
        traced.captures,
        traced.guards,
        traced.aliases if traced.changed or traced.aliases != same else None,
        recorder,
    )


def _captures(found: Environment) -> tuple[Capture, ...]:
    """The tensors a function reads by reference, computed once here and not at each call."""
    tensors = found.tensors
    for tensor, node in zip(tensors, realize([t.node for t in tensors]), strict=True):
        tensor.node = node
    captures = tuple(Capture(tensor, tensor.node) for tensor in tensors)
    users: dict[Buffer, int] = {}
    for capture in captures:
        users[buffer_of(capture.node)] = users.get(buffer_of(capture.node), 0) + 1
    for capture in captures:
        capture.pinned = users[buffer_of(capture.node)] > 1
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
    return any(
        (n.op is Op.BUFFER and isinstance(n.arg, Placeholder)) or numbers_given(n) for n in walk((node,))
    )


def _read_guards(trace: Trace) -> list[Guard]:
    """Values the function looked at while it was traced have to stay what they were."""
    return [Guard("a value that was read", buffer.numpy) for buffer in trace.reads]


@dataclass(frozen=True, eq=False)
class Part:
    """What one device computes of a function: nodes, written down, and the buffers of the form."""

    device: str
    nodes: tuple[Node, ...]
    form: Form
    buffers: list[Buffer]


class Linker:
    """Finds out where the memory of a traced graph comes from at each call."""

    def __init__(self, traced: Traced) -> None:
        self.leaves = {buffer_of(node): number for number, node in enumerate(traced.symbols)}
        self.keys = {buffer: number for number, (buffer, _) in enumerate(traced.trace.keys)}
        self.captures = traced.captures
        self.captured = {buffer_of(capture.node): number for number, capture in enumerate(traced.captures)}
        self.computed: dict[Node, tuple[int, int]] = {}
        nodes = [t.node for t in traced.made] + [t.node for _, t in traced.changed]
        self.parts = list(self._parts(nodes))

    def _parts(self, nodes: Iterable[Node]) -> Iterator[Part]:
        """A part for each device that computes some of the nodes."""
        wanted = list(dict.fromkeys(map(self.root, filterfalse(self.is_input, nodes))))
        for number, (device, group) in enumerate(by_device(wanted).items()):
            _check_copies(group)
            yield Part(device, tuple(group), *canonical(without_copies(group)))
            for position, node in enumerate(group):
                self.computed[node] = (number, position)

    def is_input(self, node: Node) -> bool:
        """Whether a result is memory that comes in from outside."""
        if not is_realized(node):
            return False
        buffer = buffer_of(node)
        return isinstance(buffer, Placeholder) or buffer in self.captured

    @staticmethod
    def root(node: Node) -> Node:
        """What to compute for a result: a constant is copied, because each result is the caller's alone."""
        return make(Op.CONTIGUOUS, node.dtype, (node,), None) if is_realized(node) else node

    def stage(self, part: Part, recorder: Recorder | None) -> Stage:
        """The part, compiled. Numbers it is given are words, known here or worked out by the recorder."""
        buffers, words = part.buffers, None
        if recorder is not None and any(map(is_given, part.form[1])):
            executable, words = executable_given(part.form, part.device)
        else:
            executable, known = executable_for(part.form, part.device)
            if known is not None:
                buffers = [*buffers, _words(known, part.device)]
        for buffer in buffers:
            if isinstance(buffer, Placeholder) and buffer not in self.leaves and buffer not in self.keys:
                buffer.refuse()
        stage = Stage(
            executable,
            tuple((slot, self.leaves[b]) for slot, b in enumerate(buffers) if b in self.leaves),
            tuple((slot, self.keys[b]) for slot, b in enumerate(buffers) if b in self.keys),
            [None if isinstance(buffer, Placeholder) else buffer for buffer in buffers],
            part.nodes,
            len(self.leaves),
            words,
        )
        for slot, buffer in enumerate(buffers):
            if buffer in self.captured:
                self.captures[self.captured[buffer]].slots.append((stage, slot))
        return stage

    def role(self, buffer: Buffer) -> tuple[int, Any]:
        """Where the memory of a buffer comes from: a leaf, a key, a capture, or itself."""
        tables = ((LEAF, self.leaves), (KEY, self.keys), (CAPTURED, self.captured))
        found = [(source, table[buffer]) for source, table in tables if buffer in table]
        return found[0] if found else (COMPUTED, id(buffer))

    def output(self, tensor: Core) -> Output:
        """Where one result comes from."""
        node, kind = tensor.node, type(tensor)
        if not self.is_input(node):
            return Output(COMPUTED, self.computed[self.root(node)], node, kind)
        source, of = self.role(buffer_of(node))
        if source == COMPUTED:
            Placeholder.refuse()
        return Output(source, of, node, kind)


def _words(words: bytes, device: str) -> Buffer:
    """Memory with the numbers of a program that is given them."""
    buffer = Buffer(len(words) // 8, dtypes.int64, device)
    Device[device].queue.write(buffer.address, words)
    return buffer


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
