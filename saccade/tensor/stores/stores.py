"""Stores happen: what was assigned to memory is computed into it, and whoever needs the old contents keeps
them.

    x += 1; y = x * 2; y.realize()      # one computation: x in its own memory, y in memory of its own

Wanting a value does the stores it comes after. The old contents are needed as long as a node exists that
reads them. So the graph is let go before it runs; if the BUFFER is then still there, somebody has a value
that is yet to be computed from it, and the old contents move out: that buffer gets a copy of them, and the
memory stays with the tensor that is written.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from sys import getrefcount
from types import SimpleNamespace
from typing import Any, Final
from weakref import ref

from ...graph.dtypes import uint8
from ...graph.node import Node, assign, hold, make, settle, walk
from ...graph.ops import MOVEMENT, Op
from ...runtime.memory.buffer import Buffer
from ...runtime.watch.debug import watching
from ..build import reshape
from ..gradients.leaves import concerns, recording, remember
from ..gradients.tape import tapes
from ..jit.signature import placed
from ..jit.trace import buffer_of, current_trace, memory_of
from ..programs.family import Ready
from ..programs.form import canonical, graph_of, storing, value_of
from ..programs.realize import (
    at_any_length,
    by_device,
    executable_for,
    family_of,
    is_known,
    is_realized,
    ready,
    realize,
    run_ready,
    without_copies,
)
from ..programs.result import forget_result
from .storage import Sharer, Storage, another_on, beside, is_of_another, pending, require_writable


def realize_tensors(tensors: Sequence[Sharer]) -> None:
    """Compute tensors into packed memory. A view that others share stays a view: what it gets is a copy of
    what it shows, which lasts until somebody writes."""
    trace = current_trace()
    if trace is None and all(is_realized(tensor.node) for tensor in tensors):
        return
    storages: dict[Storage, None] = {}
    for tensor in tensors:
        storage = tensor.storage
        if storage is None:
            continue
        if tensor.moves and not storage.is_seen_beside(tensor):
            tensor.node, tensor.storage = tensor.node, None
        elif tensor._is_whole():
            storages[storage] = None
        elif storage.memory() is None:
            storage.watch()
    nodes = [tensor.node for tensor in tensors] + [storage.node for storage in storages]
    below = list(walk(tuple(dict.fromkeys(nodes)))) if pending and trace is None else []
    if any(_is_current(node) for node in below if node.op is Op.ASSIGN):
        nodes = _realize_in_place(nodes, below, tensors)
    else:
        nodes = realize(nodes)
    for storage, node in zip(storages, nodes[len(tensors) :], strict=True):
        if storage.node is not node:
            storage.show(node, written=False)
    for tensor, node in zip(tensors, nodes, strict=False):
        storage = tensor.storage
        tensor.node = (
            reshape(storage.node, node.shape) if storage is not None and tensor._is_whole() else node
        )


def _is_current(store: Node) -> bool:
    """Is it what its storage holds now, and is there somebody to see it?"""
    storage: Storage | None = store.arg() if len(store.src) == 2 else None
    return storage is not None and storage.node is store and any(True for _ in storage.tensors())


def _realize_in_place(nodes: list[Node], below: list[Node], tensors: Sequence[Sharer]) -> list[Node]:
    """Memory with the values of nodes; the stores among all that is `below` them happen. The lists are used
    up, and the tensors whose nodes these are let go of them."""
    stores: dict[Node, None] = {}
    leaves: dict[Buffer, Node] = {}
    copies = False
    for node in below:
        if node.op is Op.BUFFER:
            leaves[node.arg] = node
        elif node.op is Op.ASSIGN and _is_current(node):
            stores[node] = None
        copies = copies or node.op is Op.COPY
    wanted = [n if n in stores else value_of(n) for n in nodes]
    for store in stores:
        leaves.pop(store.src[1].arg, None)
    groups = by_device([n for n in dict.fromkeys((*wanted, *stores)) if not is_realized(n)])
    works = [_Work(device, roots, copies, leaves) for device, roots in groups.items()]
    done = {place: node for place, node in enumerate(wanted) if is_realized(node)}
    # a tape keeps what gradients go back through, and so the old contents it was computed from
    taped = [(node, place) for place, node in enumerate(wanted) if node not in stores and _is_taped(node)]
    kept = [(store.src[0], store) for store in stores if _is_taped(store.src[0])]
    for work in works:
        work.answers(wanted)
    for used in (nodes, below, wanted, stores, groups):
        used.clear()
    del node, store
    with storing:
        for work in works:
            work.settle()
        coming = [_let_go(tensor) for tensor in tensors]
        try:
            for work in works:
                done |= work.run()
        except BaseException:
            for work in works:
                done |= work.take_back()
            raise
        finally:
            for place, (tensor, node) in enumerate(zip(tensors, coming, strict=True)):
                settle(node, done[place])
                tensor.node = done[place]
    for tape in tapes.open:
        tape.remember([value for value, _ in kept], [store.src[0] for _, store in kept])
        tape.remember([node for node, _ in taped], [done[place] for _, place in taped])
    if recording():
        remember([value for value, _ in kept], [store.src[0] for _, store in kept])
        remember([node for node, _ in taped], [done[place] for _, place in taped])
    return [done[place] for place in range(len(done))]


def _is_taped(node: Node) -> bool:
    return any(tape.concerns(node) for tape in tapes.open) or (recording() and concerns(node))


def _let_go(tensor: Sharer) -> Node:
    """Exchange the node of a tensor for one whose value is on its way: other threads wait for it."""
    coming = assign(tensor.node, tensor.node, None)
    coming.src = ()
    tensor.node = coming
    return coming


class _Work:
    """A computation with stores on one device, in terms that hold none of the nodes it is made of."""

    def __init__(self, device: str, roots: list[Node], copies: bool, leaves: dict[Buffer, Node]) -> None:
        given = roots
        for tape in reversed(tapes.open):
            given = tape.unmarked(given)
        given = without_copies(given) if copies else given
        self._form, self._buffers = canonical(given)
        found = None if is_known(self._form, device) else _at_any_length(given, device)
        #: whether stores are results that are copied to their memory, of a program for every length
        self._copies_back = found is not None
        self._ready, self._inputs = found or (
            ready(family_of(self._form[0], device), self._form[1]),
            self._buffers,
        )
        self._roots = roots
        self._kinds = [(root.op is Op.ASSIGN, root.dtype, root.shape) for root in roots]
        self._stores = [root for root in roots if root.op is Op.ASSIGN]
        self._places: list[list[int]] = []
        #: the BUFFERs of what is only read, and of what moved out: the memory is that of another buffer now
        self._leaves = leaves
        #: of each store: its BUFFER as long as somebody reads it, the buffer, and what takes its place
        self._memory: list[tuple[ref[Node], Buffer, Buffer]] = []

    def answers(self, wanted: list[Node]) -> None:
        """Which of the values wanted are results of this; the results are numbers from now on."""
        self._places = [[p for p, node in enumerate(wanted) if node is root] for root in self._roots]
        self._roots = []

    def settle(self) -> None:
        """Count the stores as done."""
        for store in self._stores:
            storage: Storage = store.arg()
            target = store.src[1]
            old: Buffer = target.arg
            new = another_on(old)
            self._memory.append((ref(target), old, new))
            forget_result(old)
            settle(store, hold(new, store.dtype, store.shape))
            storage.show(store.src[0])
            pending.discard(storage)

    def run(self) -> dict[int, Node]:
        """Compute it; the results by their places among what was wanted."""
        new = {old: made for _, old, made in self._memory}
        for store, (reference, old, made) in zip(self._stores, self._memory, strict=True):
            reader = reference()
            if reader is not None:
                move_out(old, made, reader)
                self._leaves[old] = memory_of(store.src[0])
        del reader
        for old, made in new.items():
            release(made, [b for b in self._inputs if b is not old], old)
        results = iter(run_ready(*self._ready, [new.get(b, b).address for b in self._inputs]))
        stores = iter(self._stores)
        done: dict[int, Node] = {}
        for (is_store, dtype, shape), places in zip(self._kinds, self._places, strict=True):
            node = next(stores).src[0] if is_store else hold(next(results), dtype, shape)
            if is_store and self._copies_back:
                buffer_of(node).copy_from_buffer(next(results))
            done |= dict.fromkeys(places, node)
        return done

    def take_back(self) -> dict[int, Node]:
        """It was not computed after all: what was let go is made again."""
        leaves = {old: reference() for reference, old, _ in self._memory} | self._leaves
        roots, _ = graph_of(self._form)
        given = {n: _memory_in(leaves, self._buffers[n.arg.slot]) for n in walk(roots) if n.op is Op.PARAM}
        written = [root for root in roots if root.op is Op.ASSIGN]
        given |= dict(zip(written, self._stores, strict=True))
        for root, store in zip(written, self._stores, strict=True):
            store.src = tuple([source.substitute(given) for source in root.src])
            storage: Storage = store.arg()
            storage.show(store)
            pending.add(storage)
        done: dict[int, Node] = {}
        for root, places in zip(roots, self._places, strict=True):
            done |= dict.fromkeys(places, root.substitute(given))
        return done


def _at_any_length(roots: list[Node], device: str) -> tuple[Ready, list[Buffer]] | None:
    """A program for every length that computes what is stored as results of its own, if there is one, and the
    buffers it takes."""
    values = [root.src[0] if root.op is Op.ASSIGN else root for root in roots]
    if len(set(values)) < len(values) or any(is_realized(value_of(value)) for value in values):
        return None
    form, buffers = canonical([value_of(value) for value in values])
    found = at_any_length(form, device)
    return None if found is None else (found, buffers)


def _memory_in(leaves: Mapping[Buffer, Node | None], buffer: Buffer) -> Node:
    """The BUFFER of a buffer; a new one if nobody has the old one, or it was copied from another device."""
    return leaves.get(buffer) or make(Op.BUFFER, buffer.dtype, (), buffer)


# --- the old contents


def move_out(old: Buffer, new: Buffer, reader: Node | None) -> None:
    """Give a buffer whose memory is about to be overwritten as `new` a copy of what it holds."""
    source = hold(new, new.dtype, (new.size,))
    copy = make(Op.CONTIGUOUS, new.dtype, (source,), _reason(reader))
    form, _ = canonical([copy])
    old.move_to(run_ready(*executable_for(form, new.device), [new.address])[0])


def release(buffer: Buffer, read: Collection[Buffer] = (), before: Buffer | None = None) -> None:
    """Before memory that others see is overwritten: other buffers on it move out if somebody waits for what
    they hold, or they are `read` by what overwrites it. Their tensors see what is written. Not the buffer
    that had this one's place `before`."""
    for other in beside(buffer):
        if other is before:
            continue
        storage: Storage | None = None if other.claim is None else other.claim()
        reader: Node | None = None
        if storage is not None and is_realized(storage.node) and buffer_of(storage.node) is other:
            watched = ref(memory_of(storage.node))
            storage.show(hold(another_on(other), other.dtype, storage.node.shape))
            reader = watched()
            if reader is None and other not in read:
                continue
        move_out(other, other.again(), reader)


def _reason(memory: Node | None) -> str:
    """Why the old contents are copied; with the name of a reader where somebody listens."""
    text = "the old contents are kept for a value that was computed from them"
    if memory is None or not watching.active:
        return text
    reader = next(_readers(memory), None)
    return text if reader is None else f"{text}: {reader.op.name} of shape {reader.shape}"


def _readers(memory: Node) -> Iterator[Node]:
    """Nodes that compute something from memory."""
    for sources in gc.get_referrers(memory):
        if isinstance(sources, tuple):
            for node in gc.get_referrers(sources):
                if isinstance(node, Node) and node.src is sources:
                    yield from _readers(node) if node.op in MOVEMENT else (node,)


# --- before a call overwrites memory


def make_room(tensor: Sharer) -> bool:
    """Before a call overwrites the memory of a realised tensor: whoever needs the contents has them
    elsewhere. True if buffers were exchanged for that."""
    buffer = buffer_of(tensor.node)
    if buffer.shared:
        release(buffer)
    storage = tensor.storage
    if storage is None or (tensor.moves and not tensor._is_whole()):
        lone = 0  # a view has a copy of what it shows
    elif storage.node is tensor.node and storage.is_of(tensor):
        lone = 1
    else:
        return _exchange(tensor)
    if _readers_and(tensor) - lone == _LONE.get(tensor.node.op):
        claim = buffer.claim
        if buffer.writable and (claim is None or (storage is not None and claim() is storage)):
            return False
    return _exchange(tensor)


def take_own_memory(tensor: Sharer) -> None:
    """If a tensor that is no view is in the memory of another, which has its value by chance: copy it."""
    storage = tensor.storage
    whole = value_of(tensor.node if storage is None else storage.node)
    if not is_realized(whole) or not is_of_another(buffer_of(whole), storage):
        return
    (node,) = realize([make(Op.CONTIGUOUS, whole.dtype, (whole,))])
    _show_memory(tensor, reshape(node, tensor.shape))


def _exchange(tensor: Sharer) -> bool:
    """Have another buffer on the same memory, and let go of the old: it moves out if somebody reads it."""
    with storing:
        if tensor._is_whole():
            take_own_memory(tensor)
        memory = memory_of(tensor.node)
        old: Buffer = memory.arg
        require_writable(old, tensor)
        forget_result(old)
        new = another_on(old)
        _show_memory(tensor, hold(new, memory.dtype, tensor.shape))
        watched = ref(memory)
        del memory
        reader = watched()
        if reader is not None:
            try:
                move_out(old, new, reader)
            except BaseException:
                _show_memory(tensor, reshape(reader, tensor.shape))
                raise
        placed(tensor.node)
    return True


def _show_memory(tensor: Sharer, node: Node) -> None:
    """A tensor has its value in memory, and so has everybody who shares it. But of a view, that is a copy."""
    if tensor.storage is not None and tensor._is_whole():
        tensor.storage.show(reshape(node, tensor.storage.node.shape))
    tensor.node = node


def _readers_and(tensor: Any) -> int:
    """References to the nodes of a tensor in memory, ours among them."""
    node: Node = tensor.node
    source = node if node.op is Op.BUFFER else node.src[0]
    return getrefcount(node) + getrefcount(source)


def _references_of_one() -> dict[Op, int]:
    """What `_readers_and` counts of a tensor whose nodes nobody else has; none if Python does not count."""
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return {}
    found = {}
    for shape in ((1,), (1, 1)):
        tensor = SimpleNamespace(node=reshape(make(Op.BUFFER, uint8, (), Buffer(1, uint8, "cpu")), shape))
        found[tensor.node.op] = _readers_and(tensor)
    return found


_LONE: Final = _references_of_one()
