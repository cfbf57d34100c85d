"""From graph to memory: `realize` computes nodes and returns them as reshaped buffers.

A graph is first written down in canonical form: its nodes in order, buffers numbered as they are met. The
same computation on other buffers has the same form, so everything that was worked out for it is found again:
in this process as an `Executable`, on disk as a `Recipe`. Scheduling and code generation are imported when
neither has it."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, Final

from ..graph.node import Node, hold, walk
from ..graph.ops import Op
from ..graph.origin import remember_form
from ..graph.passes import recording
from ..runtime.buffer import Buffer
from ..runtime.cache import key_of, shared_cache
from ..runtime.compiler_digest import compiler_digest, edited
from ..runtime.config import settings
from ..runtime.device import Device
from ..runtime.program import Program
from ..runtime.recipe import Executable, Recipe
from .searching import current_search, search_kernels
from .trace import buffer_of, current_trace

#: A graph written down: an entry for each node, and the numbers of the roots.
Form = tuple[tuple[Any, ...], tuple[int, ...]]

#: Computations kept ready in this process; the one made longest ago goes first.
_MOST_EXECUTABLES: Final = 4096
#: Devices whose sources are text, so that a recipe can be kept on disk.
_KEPT: Final = frozenset({"cpu", "cuda"})

_executables: dict[tuple[Form, str], Executable] = {}


def is_realized(node: Node) -> bool:
    return node.op is Op.BUFFER or (node.op is Op.RESHAPE and node.src[0].op is Op.BUFFER)


def realize(nodes: list[Node]) -> list[Node]:
    """The nodes as memory that exists: each becomes a RESHAPE of a BUFFER (or the BUFFER itself)."""
    trace = current_trace()
    if trace is not None:
        trace.note_reads(nodes)
    wanted = list(dict.fromkeys(n for n in nodes if not is_realized(n)))
    if not wanted:
        return nodes
    done: dict[Node, Node] = {}
    for device, group in by_device(wanted).items():
        ready = without_copies(group)
        done |= {node: copied for node, copied in zip(group, ready, strict=True) if is_realized(copied)}
        group = [node for node in group if node not in done]
        if not group:
            continue
        form, inputs = canonical([node for node in ready if not is_realized(node)])
        addresses = [buffer.address for buffer in inputs]
        results = executable_for(form, device).run(addresses)
        for node, buffer in zip(group, results, strict=True):
            done[node] = stored(node, buffer)
    return [done.get(n, n) for n in nodes]


def stored(node: Node, buffer: Buffer) -> Node:
    """The value of a node, held by a buffer of its own."""
    return hold(buffer, node.dtype, node.shape)


def by_device(nodes: list[Node]) -> dict[str, list[Node]]:
    """The nodes by where they are computed; constants go to the default device."""
    groups: dict[str, list[Node]] = {}
    for node in nodes:
        groups.setdefault(node.device or Device.default, []).append(node)
    return groups


# --- the canonical form


def canonical(roots: Sequence[Node]) -> tuple[Form, list[Buffer]]:
    """A graph written down, and the buffers its numbers stand for, in the order they are met."""
    entries: list[tuple[Any, ...]] = []
    buffers: list[Buffer] = []
    numbers: dict[Node, int] = {}
    # a node is met twice: to put its sources before it, and to write it down
    stack = list(reversed(roots))
    while stack:
        node = stack[-1]
        if node in numbers:
            stack.pop()
            continue
        waiting = [source for source in node.src if source not in numbers]
        if waiting:
            stack += waiting[::-1]
            continue
        stack.pop()
        numbers[node] = len(entries)
        op, arg = node.op, node.arg
        if op is Op.BUFFER:
            entries.append((op, node.dtype, arg.size, arg.device))
            buffers.append(arg)
        elif op is Op.CONST:
            # as in graph.node: 0.0 and -0.0, or 1 and True, are different constants, and nan is one
            entries.append((op, node.dtype, type(arg), struct.pack("d", arg) if type(arg) is float else arg))
        else:
            entries.append((op, node.dtype, tuple([numbers[s] for s in node.src]), arg))
    form = (tuple(entries), tuple([numbers[root] for root in roots]))
    remember_form(form, numbers)
    return form, buffers


def executable_for(form: Form, device: str) -> Executable:
    """The computation a form describes, ready to run: from this process, from disk, or made now."""
    key = (form, device)
    search = current_search()
    found = _executables.get(key) if search is None and not recording() else None
    if found is None:
        if search is not None:
            search_kernels(form, device, search)
        found = _make(form, device)
        found.form = form
        while len(_executables) >= _MOST_EXECUTABLES:
            _executables.pop(next(iter(_executables)), None)
        _executables[key] = found
    return found


def computed() -> list[tuple[Form, str]]:
    """What this process has computed, as far as it is kept: forms and devices."""
    return list(_executables)


def _make(form: Form, device: str) -> Executable:
    kind = device.partition(":")[0]
    text = repr(form)
    if (
        kind not in _KEPT or recording() or " at 0x" in text
    ):  # an address in a repr means nothing to another process
        recipe, programs = _prepare(form, device)
        return recipe.executable(device, programs)
    from ..runtime.searched import generation, target_of  # spared to a process that computes nothing

    cache = shared_cache()
    found_by_search = generation(target_of(device)) if settings.searched else "off"
    key = key_of(
        "recipe 1", text, kind, _target(device), str(settings.threads), compiler_digest(), found_by_search,
        str(settings.wgmma), str(settings.tf32),
    )  # fmt: skip
    found = cache.load(key, lambda data: Recipe.from_bytes(data).executable(device))
    if found is not None:
        return found
    recipe, programs = _prepare(form, device)
    if not edited():  # else the compiler that ran is not the one the key says
        cache.put(key, recipe.to_bytes())
    return recipe.executable(device, programs)


def _prepare(form: Form, device: str) -> tuple[Recipe, list[Program]]:
    from .prepare import prepare  # the compiler: a process that finds its recipes is spared importing it

    return prepare(form, device)


def _target(device: str) -> str:
    """The processor that code for this device runs on."""
    if device == "cpu":
        from ..runtime.cpu.build import processor

        return processor()
    return str(getattr(Device[device], "arch", device))


# --- between devices


def without_copies(nodes: list[Node]) -> list[Node]:
    """Copies between devices happen first; what remains is on one device."""
    copies = [n for n in walk(tuple(nodes)) if n.op is Op.COPY]
    if not copies:
        return nodes
    done: dict[Node, Node] = {}
    for copy in copies:
        if copy.src[0].device is None:  # made of constants: any device can compute it
            done[copy] = copy.src[0].substitute(done)
            continue
        (source,) = realize([copy.src[0].substitute(done)])
        buffer = buffer_of(source)
        moved = Buffer(buffer.size, buffer.dtype, copy.arg)
        moved.copy_from_buffer(buffer)
        done[copy] = stored(copy, moved)
    return [n.substitute(done) for n in nodes]
