"""From graph to memory: `realize` computes nodes and returns them as reshaped buffers.

The graph is first written over numbered parameters instead of buffers, so that the same computation on other
buffers is the same node, and everything that was worked out for it (kernels, memory plan, machine code) is
found again."""

from __future__ import annotations

from dataclasses import dataclass

from ..codegen.compile import cpu_source
from ..graph import dtypes
from ..graph.dtypes import DType
from ..graph.kernel import Param
from ..graph.node import Node, make, walk
from ..graph.ops import Op
from ..runtime.buffer import Buffer
from ..runtime.device import Device, Runnable
from ..runtime.plan import Launch
from ..schedule.schedule import schedule


@dataclass(frozen=True)
class Executable:
    """A computation ready to run: a plan, and what its results are."""

    plan: Runnable
    outputs: tuple[tuple[int, DType], ...]


_executables: dict[tuple[Node, str], Executable] = {}


def is_realized(node: Node) -> bool:
    return node.op is Op.BUFFER or (node.op is Op.RESHAPE and node.src[0].op is Op.BUFFER)


def realize(nodes: list[Node]) -> list[Node]:
    """The nodes as memory that exists: each becomes a RESHAPE of a BUFFER (or the BUFFER itself)."""
    wanted = list(dict.fromkeys(n for n in nodes if not is_realized(n)))
    done = {}
    by_device: dict[str, list[Node]] = {}
    for node in wanted:
        by_device.setdefault(node.device or Device.default, []).append(node)
    for device, group in by_device.items():
        for node, buffer in zip(group, _compute(group, device), strict=True):
            done[node] = make(Op.RESHAPE, node.dtype, (make(Op.BUFFER, node.dtype, (), buffer),), node.shape)
    return [done.get(n, n) for n in nodes]


def _compute(nodes: list[Node], device: str) -> list[Buffer]:
    root, inputs = _normalise(_without_copies(nodes))
    executable = _executables.get((root, device))
    if executable is None:
        executable = _executables[root, device] = prepare(root.src, len(inputs), device)
    outputs = [Buffer(size, dtype, device) for size, dtype in executable.outputs]
    addresses = [b.address for b in inputs] + [b.address for b in outputs]
    Device[device].queue.submit(executable.plan, addresses)
    return outputs


def _normalise(nodes: list[Node]) -> tuple[Node, list[Buffer]]:
    """The graph over PARAMs, and the buffers they stand for."""
    buffers = [n for n in walk(tuple(nodes)) if n.op is Op.BUFFER]
    mapping = {
        n: make(Op.PARAM, n.dtype, (), Param(slot, n.arg.size, n.arg.device))
        for slot, n in enumerate(buffers)
    }
    root = make(Op.SINK, dtypes.bool_, tuple(nodes)).substitute(mapping)
    return root, [n.arg for n in buffers]


def _without_copies(nodes: list[Node]) -> list[Node]:
    """Copies between devices happen first; what remains is on one device."""
    copies = [n for n in walk(tuple(nodes)) if n.op is Op.COPY]
    if not copies:
        return nodes
    done: dict[Node, Node] = {}
    for copy in copies:
        source = copy.src[0].substitute(done)
        (stored,) = realize([source])
        buffer = (stored.src[0] if stored.op is Op.RESHAPE else stored).arg
        moved = Buffer(buffer.size, buffer.dtype, copy.arg)
        moved.copy_from(buffer.numpy())
        done[copy] = make(Op.RESHAPE, copy.dtype, (make(Op.BUFFER, copy.dtype, (), moved),), copy.shape)
    return [n.substitute(done) for n in nodes]


def prepare(roots: tuple[Node, ...], inputs: int, device: str) -> Executable:
    """Schedule, compile and plan a graph over PARAMs."""
    made = schedule(roots, inputs)
    runtime = Device[device]
    programs = runtime.compile([cpu_source(item.kernel) for item in made.items])
    launches = [Launch(p, item.params) for p, item in zip(programs, made.items, strict=True)]
    plan = runtime.plan(launches, inputs + len(roots), made.arena)
    return Executable(plan, tuple((r.size, r.dtype) for r in roots))
