"""A computation is worked out: schedule, moves, source, programs, and what to tell people about it.

    prepare(form, "cpu") -> Recipe, programs

Only `realize` calls this, and imports it when no cache has the recipe.
"""

from __future__ import annotations

import struct
from math import prod

from ..codegen.compile import moves_of, source_for
from ..codegen.opt.analysis import bytes_moved, floating_operations
from ..graph.kernel import Kernel, Param, range_size
from ..graph.node import Node, make, walk
from ..graph.ops import ELEMENTWISE, Op
from ..runtime.compiling import Compiling
from ..runtime.program import Program, Source
from ..runtime.recipe import Floor, Notes, Recipe, Step
from ..schedule.cost import machine_of
from ..schedule.schedule import ARENA, Schedule, schedule
from .link import Worked, linked
from .parts import Form, cut

_NO_ARITHMETIC = frozenset({Op.WHERE, Op.CAST, Op.BITCAST})
_COLLECTIVE = frozenset({Op.REDUCE, Op.SCAN, Op.TOPK})


def prepare(form: Form, device: str) -> tuple[Recipe, list[Program]]:
    """Schedule, render and compile a graph that was written down; one past a budget in parts."""
    nodes, inputs = nodes_of(form)
    roots = tuple([nodes[root] for root in form[1]])
    parts = cut(form, nodes)
    sources: dict[Source, int] = {}
    found: dict[Form, Worked] = {}
    with Compiling(device) as compiling:
        for part in parts:
            if part.form not in found:
                found[part.form] = _worked(part.form, device, sources, compiling)
        programs = compiling.programs()
    worked = found[parts[0].form]
    if len(parts) > 1:
        slots = {n: node.arg.slot for n, node in enumerate(nodes) if node.op is Op.PARAM}
        slots |= {root: inputs + number for number, root in enumerate(form[1])}
        worked = linked(parts, [found[part.form] for part in parts], nodes, slots)
    recipe = Recipe(
        sources=tuple(sources),
        steps=worked.steps,
        inputs=inputs,
        outputs=tuple((root.size, root.dtype) for root in roots),
        arena=worked.arena,
        floor=Floor(sum(worked.touched.values()), _least_operations(roots)),
        sections=worked.sections,
    )
    return recipe, programs


def schedules(form: Form, device: str) -> list[Schedule]:
    """The kernels that are made of a form: of each part of it that is not like another."""
    nodes, _ = nodes_of(form)
    forms = dict.fromkeys(part.form for part in cut(form, nodes))
    return [schedule(*graph_of(one), machine_of(device)) for one in forms]


def _worked(form: Form, device: str, sources: dict[Source, int], compiling: Compiling) -> Worked:
    """One part: its launches. Sources that are new are compiled from now on."""
    made = schedule(*graph_of(form), machine_of(device))
    steps = []
    for item in made.items:
        source = source_for(item.kernel, device)
        if source not in sources:
            sources[source] = len(sources)
            compiling.add(source)
        steps.append(Step(sources[source], item.params, _notes(item.kernel, device)))
    return Worked(tuple(steps), made.arena, _touched(made))


def graph_of(form: Form) -> tuple[tuple[Node, ...], int]:
    """The graph with PARAMs for its buffers, and how many there are."""
    nodes, inputs = nodes_of(form)
    return tuple([nodes[root] for root in form[1]]), inputs


def nodes_of(form: Form) -> tuple[list[Node], int]:
    """A node for each entry, with PARAMs for buffers, and how many of these there are."""
    nodes: list[Node] = []
    inputs = 0
    for op, dtype, *rest in form[0]:
        if op is Op.BUFFER:
            nodes.append(make(Op.PARAM, dtype, (), Param(inputs, *rest)))
            inputs += 1
        elif op is Op.CONST:
            kind, value = rest
            nodes.append(make(op, dtype, (), struct.unpack("d", value)[0] if kind is float else value))
        else:
            sources, arg = rest
            nodes.append(make(op, dtype, tuple([nodes[s] for s in sources]), arg))
    return nodes, inputs


def _notes(kernel: Kernel, device: str) -> Notes:
    # Split(axis=2, factor=16, kind="vector") reads "split 2 16 vector"
    moves = [
        [type(move).__name__.lower(), *map(str, vars(move).values())] for move in moves_of(kernel, device)
    ]
    return Notes(kernel.reason, tuple(map(" ".join, moves)), bytes_moved(kernel), floating_operations(kernel))


def _touched(made: Schedule) -> dict[int, int]:
    """The least bytes of each input and result that are read or written: no more of it than some kernel
    touches."""
    touched: dict[int, int] = {}
    for item in made.items:
        for node in item.kernel.nodes:
            if node.op in (Op.LOAD, Op.STORE) and node.src[0].op is Op.PARAM:
                memory = node.src[0]
                slot = item.params[memory.arg.slot][0]
                elements = min(memory.arg.size, prod(map(range_size, node.ranges)))
                touched[slot] = max(touched.get(slot, 0), elements * memory.dtype.itemsize)
    touched.pop(ARENA, None)
    return touched


def _least_operations(roots: tuple[Node, ...]) -> int:
    """One for each element of each arithmetic node, and for each step of a reduction."""
    total = 0
    for node in walk(roots):
        if node.dtype.is_float:
            if node.op in ELEMENTWISE and node.op not in _NO_ARITHMETIC:
                total += node.size
            elif node.op in _COLLECTIVE:
                total += node.src[0].size
    return total
