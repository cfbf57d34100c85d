"""Making a trace: the function runs once on placeholders, and the graphs it leaves are compiled.

link(run_function(f, structure, leaves, args)) -> Variant
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...graph import dtypes
from ...graph.node import Node, assign, make, walk
from ...graph.ops import Op
from ...runtime.device import Device
from ...runtime.executable import Executable
from ...runtime.memory.buffer import Buffer
from ..core import Core
from ..gradients.leaves import concerns, is_grad_enabled, is_marked, recording
from ..programs.family import WordsOf
from ..programs.form import Form, canonical
from ..programs.lengths import Lengths
from ..programs.realize import by_device, executable_for, executable_given, is_realized, without_copies
from ..stores.storage import Storage
from ..stores.stores import realize_tensors
from ..stores.views import Moves, is_whole, moved
from .captured.environment import Environment, environment_of
from .captured.escapes import is_traced
from .captured.guards import Guard
from .general import GeneralVariant
from .number import Number, Recorder, is_given
from .replay import (
    CAPTURED,
    COMPUTED,
    KEY,
    LEAF,
    Capture,
    Output,
    Stage,
    Variant,
    aliases_of,
    needs_plain_call,
)
from .trace import Placeholder, Trace, TraceError, buffer_of, memory_of
from .tree import Attributes, Identity, Leaf, Structure, flatten, rebuild


class Traced(NamedTuple):
    """What a run of a function on placeholders left: the tensors it made, the first among them that is the
    same tensor as each (`repeats`), and what it wrote to; `is_pure` if all else that it can see is as it was,
    `is_tangled` if the trace does not tell what it does (see `needs_plain_call`)."""

    structure: Structure
    result: Structure
    made: list[Seen]
    repeats: tuple[int, ...]
    changed: list[Change]
    symbols: list[Node]
    trace: Trace
    captures: tuple[Capture, ...]
    guards: tuple[Guard, ...]
    aliases: tuple[int, ...] | None
    is_pure: bool
    is_tangled: bool
    #: `backward` of a result would go back to tensors with requires_grad, so no replay will do
    leads_back: bool


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
    for kind in _kinds(structure):
        found.kind(kind)
    captures = _captures(found)
    trace = Trace()
    # what is one tensor outside is one inside
    inside = {id(capture.tensor): capture.tensor for capture in captures}
    aliases = aliases_of(leaves, captures)
    for leaf in leaves:
        if id(leaf) not in inside:
            inside[id(leaf)] = type(leaf)._of(trace.symbol(leaf.shape, leaf.dtype, leaf.device))
    inner = [inside[id(leaf)] for leaf in leaves]
    symbols = [tensor.node for tensor in inner]
    arguments = rebuild(structure, iter(inner), iter(numbers))
    given: list[Core] = []
    taken_apart = flatten(arguments, given)
    views = [None if tensor.storage is None else tensor.moves for tensor in found.tensors]
    with trace:
        try:
            result = function(*arguments[0], **arguments[1])
            made: list[Core] = []
            result_structure = flatten(result, made)
            results = [Seen(tensor) for tensor in made]
            first: dict[int, int] = {}
            repeats = tuple([first.setdefault(id(tensor), n) for n, tensor in enumerate(made)])
            changes = _changes(structure, inner, symbols, captures)
            leads_back = recording() and concerns(*[seen.node for seen in results])
        finally:
            turned = _turn_back(found.tensors, views)
            trace.take_back_writes()
            gathered = trace.take_back_grads()
            leaks = _take_back(found.guards)
    if turned:
        raise TraceError(
            f"a jit function turns a tensor of shape {turned[0].shape} that it captures into another view "
            f"(unsqueeze_, transpose_): pass it as an argument, or use unsqueeze, transpose"
        )
    if gathered:
        raise TraceError(
            "a jit function leaves a gradient in .grad of a tensor that it captures: pass the model as an "
            "argument, or end the function with zero_grad()"
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
    return Traced(
        structure,
        result_structure,
        results,
        repeats,
        changes,
        symbols,
        trace,
        captures,
        (*found.guards, *_read_guards(trace), *_mode_guards(captures)),
        aliases,
        all(guard.holds() for guard in found.guards),
        leads_back
        or (bool(changes) and needs_plain_call(leaves, captures, [change.target for change in changes])),
        leads_back,
    )


def link(traced: Traced, recorder: Recorder | None = None) -> Variant:
    """Compile what a run left, and find out where its memory comes from at each call."""
    linker = Linker(traced)
    stages = tuple([linker.stage(part, recorder) for part in linker.parts])
    same = tuple(range(len(traced.symbols)))
    make_variant = partial(GeneralVariant, forms=linker.general) if linker.general else Variant
    return make_variant(
        traced.structure,
        traced.result,
        stages,
        tuple(linker.output(seen) for seen in traced.made),
        tuple((change.target, change.moves) for change in traced.changed),
        tuple(generator for _, generator in traced.trace.keys),
        traced.captures,
        traced.guards,
        traced.aliases if traced.changed or traced.aliases != same else None,
        recorder,
        traced.repeats if len(set(traced.repeats)) < len(traced.repeats) else None,
    )


class Seen:
    """A tensor as it is now."""

    def __init__(self, tensor: Core) -> None:
        self.node, self.kind = tensor.node, type(tensor)
        self.storage = tensor.storage
        self.moves = tensor.moves if tensor.storage is not None else ()


class Change(NamedTuple):
    """A leaf or a capture that was written to: what is in its memory in the end, and the view that it is."""

    target: int | Capture
    store: Node
    storage: Storage
    moves: Moves


def _changes(
    structure: Structure, inner: list[Core], symbols: list[Node], captures: tuple[Capture, ...]
) -> list[Change]:
    """What a function has written to."""
    found: list[Change] = []
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
        found.append(Change(number, store, tensor.storage, tensor.moves))
    for capture in captures:
        tensor, before = capture.tensor, capture.node
        if tensor.storage is not None and tensor.storage.node is not before:
            assert before is not None, "what a storage held before a trace is kept by the trace"
            found.append(
                Change(capture, assign(tensor.storage.node, memory_of(before), None), tensor.storage, ())
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
        if not guard.holds() and any(is_traced(tensor.node) for tensor in _tensors_in(guard.current())):
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


def _mode_guards(captures: tuple[Capture, ...]) -> list[Guard]:
    """Whether gradients are recorded matters to who reads a tensor that gathers them."""
    gathers = any(is_marked(capture.tensor.node) for capture in captures)
    return [Guard("whether gradients are recorded (no_grad)", is_grad_enabled)] if gathers else []


def _read_guards(trace: Trace) -> list[Guard]:
    """Values the function looked at while it was traced have to stay what they were."""
    return [Guard("a value that was read", buffer.numpy) for buffer in trace.reads]


class Part(NamedTuple):
    """What one device computes of a function: nodes, written down, and the buffers of the form."""

    device: str
    nodes: tuple[Node, ...]
    form: Form
    buffers: list[Buffer]


class Linker:
    """Finds out where the memory of a traced graph comes from at each call."""

    def __init__(self, traced: Traced) -> None:
        #: what is written, by what the tensors share that see it, and the inputs it is written to
        self.stores = {change.storage: change.store for change in traced.changed}
        self.written = {change.store.src[1].arg for change in traced.changed}
        self.leaves = {buffer_of(node): number for number, node in enumerate(traced.symbols)}
        self.keys = {buffer: number for number, (buffer, _) in enumerate(traced.trace.keys)}
        self.captures = traced.captures
        self.captured = {buffer_of(c.tensor.node): number for number, c in enumerate(traced.captures)}
        self.computed: dict[Node, tuple[int, int]] = {}
        #: forms that are computed by programs for every length, and where
        self.general: list[tuple[Form, str]] = []
        self.parts = list(self._parts(traced.made))

    def _parts(self, made: Iterable[Seen]) -> Iterator[Part]:
        """A part for each device that computes some of the results, or stores something."""
        computed = [self.root(seen.node) for seen in made if self.input_of(seen) is None]
        wanted = list(dict.fromkeys([*computed, *self.stores.values()]))
        for number, (device, group) in enumerate(by_device(wanted).items()):
            _check_copies(group)
            results = tuple([node for node in group if node.op is not Op.ASSIGN])
            yield Part(device, results, *canonical(without_copies(group)))
            for position, node in enumerate(results):
                self.computed[node] = (number, position)

    def input_of(self, seen: Seen) -> Buffer | None:
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

    def stage(self, part: Part, recorder: Recorder | None) -> Stage:
        """The part, compiled. Numbers it is given are words, known here or worked out by the recorder."""
        buffers, words = part.buffers, None
        if recorder is not None and any(map(is_given, part.form[1])):
            executable, words = executable_given(part.form, part.device)
        else:
            executable, known = executable_for(part.form, part.device)
            if isinstance(executable.form, Lengths):
                self.general.append((part.form, part.device))
            if known is not None:
                buffers = [*buffers, _words(known, part.device)]
        return self.stage_with(part, executable, buffers, words)

    def stage_with(
        self,
        part: Part,
        executable: Executable,
        buffers: list[Buffer] | None = None,
        words: WordsOf | None = None,
    ) -> Stage:
        """The part with what computes it, on its buffers or on these."""
        buffers = part.buffers if buffers is None else buffers
        for buffer in buffers:
            if isinstance(buffer, Placeholder) and buffer not in self.leaves and buffer not in self.keys:
                buffer.refuse()
        stage = Stage(
            executable,
            tuple((slot, self.leaves[b]) for slot, b in enumerate(buffers) if b in self.leaves),
            tuple((slot, self.keys[b]) for slot, b in enumerate(buffers) if b in self.keys),
            [None if isinstance(buffer, Placeholder) else buffer for buffer in buffers],
            [(node.dtype, node.shape) for node in part.nodes],
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

    def output(self, seen: Seen) -> Output:
        """Where one result comes from."""
        node, kind = seen.node, seen.kind
        buffer = self.input_of(seen)
        if buffer is None:
            return Output(COMPUTED, self.computed[self.root(node)], node.shape, node.dtype, kind)
        source, of = self.role(buffer)
        if source == COMPUTED:
            Placeholder.refuse()
        return Output(source, of, node.shape, node.dtype, kind)


def _words(words: bytes, device: str) -> Buffer:
    """Memory with the numbers of a program that is given them."""
    buffer = Buffer(len(words) // 8, dtypes.int64, device)
    Device[device].queue.write(buffer.address, words)
    return buffer


# --- what cannot be replayed


def _check_copies(nodes: list[Node]) -> None:
    for copy in walk(tuple(nodes)):
        if copy.op is Op.COPY and copy.src[0].device is not None and is_traced(copy.src[0]):
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


def _kinds(structure: Structure) -> set[type]:
    """The classes of objects that were taken apart."""
    if not isinstance(structure, tuple):
        return set()
    own = {structure[0]} if structure and isinstance(structure[0], type) else set()
    found = {kind for kind in own if issubclass(kind, Attributes)}
    return found.union(*[_kinds(part) for part in structure])


def _objects(structure: Structure) -> list[Identity]:
    if isinstance(structure, Identity):
        return [structure]
    if isinstance(structure, tuple):
        return [found for part in structure for found in _objects(part)]
    return []
