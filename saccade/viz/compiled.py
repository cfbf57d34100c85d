"""A computation as records: the graphs of its passes, its steps, its kernels and their sources.

    records_of(passes, starts, Made(recipe, kernels, "cpu")) -> [("C", ...), ("N", ...), ("P", ...), ...]

Nodes are hash-consed, so the graphs of all passes share most of theirs: each node is written once, numbered,
sources before users, and a pass names its results before and after.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from saccade.graph.node import Node, walk
from saccade.graph.origin import line_of
from saccade.graph.rewriting.passes import PassRun, Step

if TYPE_CHECKING:
    from saccade.runtime.recipe import Recipe
    from saccade.schedule.kernel_graph import KernelGraph

#: Nodes and steps of one record; a larger graph is several.
CHUNK: Final = 20_000
_MOST_ARG: Final = 160


class Made(NamedTuple):
    """What was made of a computation, for which device."""

    recipe: Recipe
    kernels: KernelGraph
    device: str


class Numbers:
    """A number for each node, in the order they were first seen."""

    def __init__(self) -> None:
        self.of: dict[Node, int] = {}

    def add(self, roots: Iterable[Node]) -> int:
        """Number what is not yet; how many nodes there are below these roots."""
        numbers, count = self.of, 0
        for node in walk(tuple(roots)):
            count += 1
            if node not in numbers:
                numbers[node] = len(numbers)
        return count


def records_of(
    passes: Sequence[PassRun], starts: Sequence[float], made: Made | None
) -> list[tuple[str, object]]:
    """A computation; `starts` are the seconds at which its passes began."""
    numbers = Numbers()
    told = [_pass(run, start, numbers) for run, start in zip(passes, starts, strict=True)]
    steps = [_steps(run.steps, numbers) for run in passes]
    summary: dict[str, Any] = {"passes": told, "nodes": len(numbers.of), "kernels": 0}
    records: list[tuple[str, object]] = []
    nodes = list(numbers.of)
    records += [("N", _nodes(nodes[k : k + CHUNK], numbers)) for k in range(0, len(nodes), CHUNK)]
    for number, chunks in enumerate(steps):
        records += [("P", {"pass": number, **chunk}) for chunk in chunks]
    if made is not None:
        summary |= _kernel_summary(made)
        records.append(("K", _kernels(made)))
        sources = made.recipe.sources
        records.append(("T", [{"text": _text(each.text), "quick": each.quick} for each in sources]))
    return [("C", summary), *records]


def _pass(run: PassRun, start: float, numbers: Numbers) -> dict[str, Any]:
    before, after = numbers.add(run.before), numbers.add(run.after)
    return {
        "name": run.name,
        "about": run.about,
        "source": run.source,
        "depth": run.depth,
        "start": round(start, 9),
        "seconds": round(run.seconds, 9),
        "steps": len(run.steps),
        "before": [numbers.of[root] for root in run.before],
        "after": [numbers.of[root] for root in run.after],
        "nodes_before": before,
        "nodes_after": after,
    }


def _text(text: object) -> str:
    """A source as text; the interpreter's is a kernel."""
    return text if isinstance(text, str) else str(text)


class _Table:
    """Texts that repeat, by their numbers."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def _steps(steps: Sequence[Step], numbers: Numbers) -> list[dict[str, Any]]:
    """Steps as columns; nodes that lived only between two steps are numbered here."""
    found = []
    for first in range(0, len(steps), CHUNK):
        rules, sources, lines = _Table(), _Table(), _Table()
        some = steps[first : first + CHUNK]
        for step in some:
            for node in (step.before, step.after):
                if node not in numbers.of:
                    numbers.add((node,))
        found.append(
            {
                "rule": [rules(step.rule) for step in some],
                "source": [sources(step.source) for step in some],
                "line": [lines(step.line) for step in some],
                "before": [numbers.of[step.before] for step in some],
                "after": [numbers.of[step.after] for step in some],
                "rules": list(rules.numbers),
                "sources": list(sources.numbers),
                "lines": list(lines.numbers),
            }
        )
    return found


def _nodes(nodes: Sequence[Node], numbers: Numbers) -> dict[str, Any]:
    """Nodes as columns."""
    args, lines, ops, types = _Table(), _Table(), _Table(), _Table()
    of = numbers.of
    return {
        "op": [ops(node.op.name) for node in nodes],
        "dtype": [types(node.dtype.name) for node in nodes],
        "shape": [list(map(_length, node.shape)) for node in nodes],
        "src": [[of[source] for source in node.src] for node in nodes],
        "arg": [args("" if node.arg is None else _short(repr(node.arg))) for node in nodes],
        "line": [lines(line_of(node)) for node in nodes],
        "ops": list(ops.numbers),
        "dtypes": list(types.numbers),
        "args": list(args.numbers),
        "lines": list(lines.numbers),
    }


def _length(length: object) -> int | str:
    return length if isinstance(length, int) else str(length)


def _short(text: str) -> str:
    return text if len(text) <= _MOST_ARG else text[: _MOST_ARG - 1] + "…"


def _kernel_summary(made: Made) -> dict[str, Any]:
    recipe, graph, device = made
    return {
        "device": device,
        "architecture": _architecture(device),
        "kernels": len(graph.items),
        "bytes": graph.nbytes,
        "flops": graph.operations,
        "arena": graph.arena,
        "lines": sorted({buffer.line for buffer in graph.of_role("output") if buffer.line})[:8],
        "least": {"bytes": recipe.floor.nbytes, "flops": recipe.floor.operations},
    }


def _architecture(device: str) -> str:
    """What a GPU's kernels are compiled for, as `sm_90a`; empty for others."""
    from saccade.runtime.device import Device

    return str(getattr(Device[device], "arch", ""))


def _kernels(made: Made) -> dict[str, Any]:
    """What `explain` tells of kernels, the scheduler's estimate of their times, and where their sources and
    lines are."""
    from saccade.schedule.cost import machine_of
    from saccade.schedule.target import target_of

    recipe, graph, device = made
    data, target = graph.to_data(), target_of(machine_of(device))
    for item, step, told in zip(graph.items, recipe.steps, data["kernels"], strict=True):
        told["moves"] = list(step.notes.moves)
        told["estimate"] = target.seconds(item.kernel)
        told["source"] = step.source
        told["lines"] = sorted({buffer.line for buffer in item.writes if buffer.line})
    for buffer, told in zip(graph.buffers, data["buffers"], strict=True):
        told["line"], told["backward"] = buffer.line, buffer.backward
    return data
