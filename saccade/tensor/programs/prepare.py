"""A computation is worked out: schedule, moves, source, programs, and what to tell people about it.

    prepare(form, "cpu") -> Recipe, programs

Only `realize` calls this, and imports it when no cache has the recipe.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ...codegen.compile import moves_of, source_for
from ...codegen.moves.text import words_of
from ...graph.dtypes import DType
from ...graph.kernels.kernel import range_size
from ...graph.node import Node, walk
from ...graph.ops import ELEMENTWISE, Op
from ...graph.origin import not_tracking
from ...graph.rewriting.passes import note_made, stage
from ...runtime.process.compiling import Compiling
from ...runtime.program import Program, Source
from ...runtime.recipe import Floor, Notes, Recipe, Step
from ...schedule.cost import machine_of
from ...schedule.kernel_graph import BETWEEN, GraphBuffer, Item, KernelGraph
from ...schedule.schedule import schedule
from .form import Form, budget_of, graph_of
from .lengths import Lengths

_NO_ARITHMETIC = frozenset({Op.WHERE, Op.CAST, Op.BITCAST})
_COLLECTIVE = frozenset({Op.REDUCE, Op.SCAN, Op.TOPK})


def prepare(form: Form | Lengths, device: str) -> tuple[Recipe, list[Program]]:
    """Schedule, render and compile a graph that was written down."""
    with not_tracking(), stage(f"a computation on {device}"):
        return _prepared(form, device)


def _prepared(form: Form | Lengths, device: str) -> tuple[Recipe, list[Program]]:
    roots, inputs = _graph_of(form)
    made = schedule(roots, inputs, machine_of(device), _budget_of(form))
    written: dict[int, tuple[Source, Notes]] = {}
    with Compiling(device) as compiling:
        with stage("move, lower and render kernels"):
            added = dict[Source, None]()
            for number in _largest_first(made.items):
                item = made.items[number]
                source = source_for(item.kernel, device)
                written[number] = source, _notes(item, device)
                if source not in added:
                    added[source] = None
                    compiling.add(source)
        with stage("compile what is not yet"):
            compiled = dict(zip(added, compiling.programs(), strict=True))
    numbers: dict[Source, int] = {}
    steps = []
    for number, item in enumerate(made.items):
        source, notes = written[number]
        steps.append(Step(numbers.setdefault(source, len(numbers)), item.params, notes))
    recipe = Recipe(
        sources=tuple(numbers),
        steps=tuple(steps),
        inputs=inputs,
        outputs=_results(roots, made),
        arena=made.arena,
        floor=Floor(_least_bytes(made), _least_operations(roots)),
        written=made.written,
    )
    note_made(recipe, made, device)
    return recipe, [compiled[source] for source in numbers]


def _largest_first(items: Sequence[Item]) -> list[int]:
    """Their numbers in the order in which kernels are written: compilers take longest for large ones, and
    the others are written meanwhile."""
    return sorted(range(len(items)), key=lambda number: -len(items[number].kernel.nodes))


def _results(roots: tuple[Node, ...], made: KernelGraph) -> tuple[tuple[int, DType], ...]:
    """The size and dtype of each result; kernels know complex ones as twice as many floats."""
    wanted = [root.dtype for root in roots if root.op is not Op.ASSIGN]
    return tuple(
        (output.size * output.dtype.itemsize // dtype.itemsize, dtype)
        for output, dtype in zip(made.outputs, wanted, strict=True)
    )


def scheduled(form: Form | Lengths, device: str) -> KernelGraph:
    """The kernels of a graph that was written down, for a device of this name ("cpu", "cuda:0")."""
    return schedule(*_graph_of(form), machine_of(device), _budget_of(form))


def _graph_of(form: Form | Lengths) -> tuple[tuple[Node, ...], int]:
    return form.graph() if isinstance(form, Lengths) else graph_of(form)


def _budget_of(form: Form | Lengths) -> int | None:
    return None if isinstance(form, Lengths) else budget_of(form)


def _notes(item: Item, device: str) -> Notes:
    moves = tuple(words_of(move) for move in moves_of(item.kernel, device))
    return Notes(item.kernel.reason, moves, item.nbytes, item.operations)


def _least_bytes(made: KernelGraph) -> int:
    """Every input and result once, and no more of it than some kernel touches."""
    touched: dict[GraphBuffer, int] = {}
    for item in made.items:
        for node in item.kernel.nodes:
            if node.op in (Op.LOAD, Op.STORE) and node.src[0].op is Op.PARAM:
                memory = node.src[0]
                buffer = item.buffers[memory.arg.slot]
                elements = min(memory.arg.size, prod(map(range_size, node.ranges)))
                touched[buffer] = max(touched.get(buffer, 0), elements * memory.dtype.itemsize)
    return sum(nbytes for buffer, nbytes in touched.items() if buffer.role != BETWEEN)


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
