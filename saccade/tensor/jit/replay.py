"""A trace, ready to be replayed: where the inputs of its graphs come from, and what becomes of the results.

variant.holds(leaves)             # is everything it captured as it was?
variant.run(leaves, addresses)    # bind, launch, put the result together
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from struct import error as StructError
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

from ...graph.node import Node
from ...runtime.executable import Executable
from ...runtime.memory.buffer import Buffer
from ...runtime.process.forking import fork_lock
from .. import build
from ..core import Core
from ..programs.realize import is_realized
from ..programs.result import Result, forget_result
from ..stores.storage import some_shared
from ..stores.stores import make_room, realize_tensors
from ..stores.views import Moves
from .signature import placed, signature_of
from .trace import buffer_of
from .tree import LEAF as TENSOR
from .tree import Structure, rebuild

if TYPE_CHECKING:
    from ...graph.dtypes import DType
    from ...graph.node import Scalar, Shape
    from ..functional.random import Generator
    from ..programs.family import WordsOf
    from .captured.guards import Guard
    from .number import Recorder


_new = object.__new__


class Stage:
    """One executable and where its inputs come from: arguments, keys, and memory that is known already."""

    __slots__ = ("bound", "executable", "in_order", "keys", "leaves", "results", "words")

    def __init__(
        self,
        executable: Executable,
        leaves: tuple[tuple[int, int], ...],
        keys: tuple[tuple[int, int], ...],
        buffers: list[Buffer | None],
        made: Sequence[tuple[DType, Shape]],
        given: int,
        words: WordsOf | None = None,
    ) -> None:
        self.executable = executable
        self.words = words  # how those are made that each call gives
        self.leaves = leaves  # (slot, number of the leaf)
        self.keys = keys  # (slot, number of the key)
        self.results = [Result(executable, dtype, shape) for dtype, shape in made]
        #: whether the slots are all `given` leaves of the function, in order, and nothing else
        self.in_order = given == len(buffers) and leaves == tuple((n, n) for n in range(given))
        self.bind(buffers)

    def bind(self, buffers: list[Buffer | None]) -> None:
        """Other memory for captured tensors, exchanged as one object: calls in other threads keep what they
        have."""
        self.bound = ([0 if b is None else b.address for b in buffers], buffers)

    def addresses(self, known: list[int], given: list[int], keys: Sequence[int] = ()) -> list[int]:
        """Those of the slots, for leaves and keys at these. What is `known` is of `bound`, which the caller
        holds: memory of captured tensors may be exchanged meanwhile."""
        if self.in_order:
            return given.copy()
        addresses = known.copy()
        for slot, number in self.leaves:
            addresses[slot] = given[number]
        for slot, number in self.keys:
            addresses[slot] = keys[number]
        return addresses

    def run(self, given: list[int], keys: Sequence[int] = (), words: bytes | None = None) -> list[Node]:
        """The results for leaves and keys at these addresses, and for these words."""
        known, _keep = self.bound
        addresses = self.addresses(known, given, keys)
        executable = self.executable
        if words is not None:
            memory = executable.written(words)  # which is this call's alone
            addresses.append(memory.address)
        return [made.of(buffer) for made, buffer in zip(self.results, executable.run(addresses), strict=True)]


class Capture:
    """A tensor the function reads by reference, and the slots its memory is bound to. Of a view it is the
    whole that it is a view of."""

    __slots__ = ("_node", "pinned", "shape", "signature", "slots", "tensor")

    def __init__(self, tensor: Core) -> None:
        self.tensor = tensor
        self.slots: list[tuple[Stage, int]] = []
        #: a new value needs a new trace: its memory is shared with another capture, or its value was read
        self.pinned = False
        self.shape = tensor.shape
        self.signature = signature_of(tensor.shape, tensor.dtype, tensor.device)
        self.note(tensor.node)

    def note(self, node: Node) -> None:
        """The trace is for this value. It is not held: what the tensor had before may be overwritten. But it
        is no other value's node later."""
        if is_realized(node):
            forget_result(buffer_of(node))
        self._node = ref(node)

    @property
    def node(self) -> Node | None:
        """The value that the slots are bound to, if anybody still has it."""
        return self._node()

    def follow(self) -> bool:
        """Bind what the tensor stands for now; False if the trace does not fit it."""
        if self.pinned:
            return False
        realize_tensors((self.tensor,))
        node = self.tensor.node
        if signature_of(node.shape, node.dtype, self.tensor.device) is not self.signature:
            return False
        for stage, slot in self.slots:
            buffers = stage.bound[1].copy()
            buffers[slot] = buffer_of(node)
            stage.bind(buffers)
        self.note(node)
        return True


def aliases_of(leaves: Sequence[Any], captures: Sequence[Capture]) -> tuple[int, ...]:
    """Which arguments are one tensor, or one that is captured: what happens to one happens to the other."""
    first = {id(capture.tensor): ~number for number, capture in enumerate(captures)}
    return tuple([first.setdefault(id(leaf), number) for number, leaf in enumerate(leaves)])


def needs_plain_call(
    leaves: Sequence[Core], captures: Sequence[Capture], written: Sequence[int | Capture]
) -> bool:
    """Does a trace not tell what a function does that writes? It takes every argument for memory of its own,
    in order. A tensor and its view are not, nor is a view whose elements lie apart."""
    leaves_written = [leaves[number] for number in written if isinstance(number, int)]
    views = [leaf for leaf in leaves_written if leaf.storage is not None and leaf.moves]
    in_order = all(leaf._is_in_order() for leaf in views)
    return not in_order or _are_tangled(leaves, captures)


def _are_tangled(leaves: Sequence[Core], captures: Sequence[Capture]) -> bool:
    """Do two of these tensors show the same memory?"""
    tensors = {id(tensor): tensor for tensor in (*leaves, *[capture.tensor for capture in captures])}
    if len(tensors) < 2:
        return False
    storages = [id(t.storage) for t in tensors.values() if t.storage is not None]
    if len(set(storages)) != len(storages):
        return True
    seen = {buffer_of(t.node) for t in tensors.values() if is_realized(t.node)} if some_shared() else set()
    # only these are compared, for a model may have a thousand others that are mapped
    spans = sorted((b.address, b.address + b.nbytes) for b in seen if b.shared)
    return any(end > start for (_, end), (start, _) in pairwise(spans))


#: where a result comes from
COMPUTED, LEAF, KEY, CAPTURED = range(4)


class Output(NamedTuple):
    """`of` is (stage, position), or the number of a leaf, key or capture."""

    source: int
    of: Any
    shape: Shape
    dtype: DType
    kind: type[Core]


def _tuple_of(result: Structure, tensors: int) -> type[tuple[Any, ...]] | None:
    """The kind of tuple that a result of so many tensors is, if it is one of nothing else."""
    if not isinstance(result, tuple) or result[1:] != ((TENSOR,) * tensors,):
        return None
    return result[0] if issubclass(result[0], tuple) else None


#: What is written: a leaf or a capture, and the moves that lead from what it is now to what it becomes.
Write = tuple[int | Capture, Moves]


class Variant:
    """One trace of a function."""

    def __init__(
        self,
        structure: Structure,
        result: Structure,
        stages: tuple[Stage, ...],
        outputs: tuple[Output, ...],
        writes: tuple[Write, ...],
        generators: tuple[Generator, ...],
        captures: tuple[Capture, ...],
        guards: tuple[Guard, ...],
        aliases: tuple[int, ...] | None,
        recorder: Recorder | None = None,
        repeats: tuple[int, ...] | None = None,
    ) -> None:
        self.structure = structure
        #: of each result the first that is the same tensor, where a function returns one twice
        self._repeats = repeats
        #: works out the numbers of a call, where they are given
        self.recorder = recorder
        self._result = result
        self._stages = stages
        self._outputs = outputs
        self._writes = writes
        self._targets = [target for target, _ in writes]
        self._generators = generators
        self._captures = captures
        self._guards = guards
        #: how arguments coincide, where that matters (`aliases_of`)
        self._aliases = aliases
        #: which tensors it was last asked for, by their numbers
        self._ids: list[int] = []
        self.watched = bool(captures or guards) or aliases is not None
        self._lock = fork_lock()
        #: one stage, and one tensor or a tuple of them as its result, with names or without: most functions
        self._simple = (
            (stages[0], [(output.of[1], output.kind) for output in outputs], _tuple_of(result, len(outputs)))
            if len(stages) == 1
            and all(output.source == COMPUTED for output in outputs)
            and not generators
            and repeats is None
            and (result is TENSOR or _tuple_of(result, len(outputs)) is not None)
            else None
        )
        #: one tensor is all that is computed: where from, what makes it, and the kind of tensor
        self._single = (
            (stages[0], stages[0].results[0], outputs[0].kind)
            if self._simple is not None
            and self._simple[2] is None
            and recorder is None
            and len(stages[0].results) == 1
            else None
        )

    def holds(self, leaves: Sequence[Any]) -> bool:
        """Whether all that was captured is as it was, and these arguments coincide as they did; new values of
        captured tensors are bound."""
        if self._aliases is not None:
            ids = list(map(id, leaves))
            if ids != self._ids:  # the same numbers coincide as they did
                if aliases_of(leaves, self._captures) != self._aliases:
                    return False
                self._ids = ids
            if self._writes and needs_plain_call(leaves, self._captures, self._targets):
                return False
        if self.watched:
            for capture in self._captures:
                if capture.tensor.node is not capture.node and not self._follow(capture):
                    return False
            for guard in self._guards:
                if not guard.holds():
                    return False
        return True

    def captured(self, number: int) -> Node:
        """What a captured tensor stands for now."""
        return self._captures[number].tensor.node

    def _follow(self, capture: Capture) -> bool:
        with self._lock:
            return capture.follow()

    def changed(self) -> str:
        """What is not as it was, in words."""
        for capture in self._captures:
            if capture.tensor.node is not capture.node:
                shape = capture.tensor.shape
                return f"a captured tensor of shape {capture.shape} was exchanged for one of shape {shape}"
        return next(
            (f"{guard.name} changed from {guard.expected!r}" for guard in self._guards if not guard.holds()),
            "",
        )

    def words(self, numbers: Sequence[Scalar]) -> list[bytes | None] | None:
        """The words of each stage for the numbers of a call; None if the trace is not right for them."""
        assert self.recorder is not None
        values = self.recorder.values(numbers)
        if values is None:
            return None
        try:
            return [None if stage.words is None else stage.words.pack(values) for stage in self._stages]
        except (ArithmeticError, ValueError, TypeError, StructError):
            return None  # traced with these numbers, the function raises it where it belongs

    def run(
        self, leaves: Sequence[Any], addresses: list[int], words: Sequence[bytes | None] | None = None
    ) -> Any:
        """The result for these tensors, whose memory is at `addresses`, a list that is used up, and for the
        words of its stages, where they are given."""
        if not self._writes:
            return self._compute(leaves, addresses, words)
        written = [leaves[target] if isinstance(target, int) else target.tensor for target in self._targets]
        exchanged = [make_room(tensor) for tensor in written]
        if any(exchanged):
            for capture in self._captures:
                if capture.tensor.node is not capture.node:
                    self._follow(capture)
            addresses = [placed(leaf.node)[1].address for leaf in leaves]
        made = self._compute(leaves, addresses, words)
        for tensor, (_, moves) in zip(written, self._writes, strict=True):
            if moves or (tensor.storage is not None and tensor.moves):
                tensor._overwritten(moves)
        return made

    def _compute(
        self, leaves: Sequence[Any], addresses: list[int], words: Sequence[bytes | None] | None
    ) -> Any:
        if self._single is not None:
            stage, computed, kind = self._single
            known, _keep = stage.bound
            made = _new(kind)
            made.node = computed.run(addresses if stage.in_order else stage.addresses(known, addresses))
            made.storage = None
            return made
        if self._simple is not None:
            stage, places, several = self._simple
            nodes = stage.run(addresses, (), None if words is None else words[0])
            if several is None:
                return places[0][1]._of(nodes[places[0][0]])
            return tuple.__new__(several, [kind._of(nodes[position]) for position, kind in places])
        keys, results = self._stage_results(addresses, words or [None] * len(self._stages))

        def value(output: Output) -> Core:
            if output.source == COMPUTED:
                stage, position = output.of
                return output.kind._of(results[stage][position])
            if output.source == KEY:
                return output.kind._of(build.reshape(keys[output.of], output.shape))
            tensor = self._captures[output.of].tensor if output.source == CAPTURED else leaves[output.of]
            same = tensor.shape == output.shape and type(tensor) is output.kind
            view: Core = tensor if same else tensor.reshape(output.shape)
            return view

        tensors = [value(output) for output in self._outputs]
        if self._repeats is not None:
            tensors = [tensors[n] for n in self._repeats]
        return rebuild(self._result, iter(tensors))

    def _stage_results(
        self, addresses: list[int], words: Sequence[bytes | None]
    ) -> tuple[list[Node], list[list[Node]]]:
        """The keys that were drawn, and the results of all stages; a run that fails has drawn nothing."""
        drawn: list[tuple[Generator, int]] = []
        keys: list[Node] = []
        try:
            for generator in self._generators:
                draw = generator.draws
                keys.append(generator.next_key().words.node)
                drawn.append((generator, draw))
            key_addresses = [buffer_of(node).address for node in keys]
            pairs = zip(self._stages, words, strict=True)
            return keys, [stage.run(addresses, key_addresses, own) for stage, own in pairs]
        except BaseException:
            for generator, draw in reversed(drawn):
                generator.take_back(draw)
            raise
