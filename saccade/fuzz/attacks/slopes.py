"""Gradients of random programs against finite differences, in float64.

    >>> report = attack(seed=0, count=100)
    >>> report.failures
    []

The program of a seed (`draw.draw`) is taken with every float as a float64 and inputs that are not near
whole numbers. Its float results, weighted at random, are one number f. The gradient g that the compiler makes
and the CPU computes has to agree with the oracle along a random direction d:

    g . d  =  (f(x + h d) - f(x - h d)) / 2h

The difference is taken for several h. Where those disagree (a step, a kink, a pole is near), and where f is
not finite or has no derivative by intent, the program decides nothing; nor does a gradient that is not finite
where a value on the way has a pole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...graph import dtypes
from ...graph.node import Node, make, walk
from ...graph.ops import ELEMENTWISE, Op
from ...graph.param import Param
from ...tensor.core import buffer_node
from ...tensor.jit.trace import buffer_of
from ...tensor.programs.realize import realize
from ...transform.gradient import NoGradient, gradients
from ..programs.draw import draw
from ..programs.programs import Program
from ..programs.reference import Bounded, evaluate
from ..raised import with_frames

Array = NDArray[Any]

#: steps of the difference: truncation is seen between them, rounding at the smallest
_STEPS: Final = (1e-3, 3e-4, 1e-4)
#: how far the differences may be apart, and the gradient from them, of what they add up
_APART: Final = 1e-5
_WRONG: Final = 1e-3
#: elements of a tensor at most: what is checked is rules, and large ones take long
_MOST: Final = 20_000


@dataclass(frozen=True)
class Failure:
    """The gradient of one result of a program is wrong: the smallest one that is."""

    seed: int
    graph: str
    message: str

    def __str__(self) -> str:
        return f"attack({self.seed}, 1): {self.message}\n{self.graph}"


@dataclass
class Report:
    """`decided` of the programs had a gradient, and finite differences to compare it with."""

    programs: int = 0
    decided: int = 0
    failures: list[Failure] = field(default_factory=list)


@dataclass(frozen=True)
class Point:
    """A function of float64 PARAMs: its results, their memory, and the slots it can be moved along."""

    results: tuple[Node, ...]
    arrays: tuple[Array, ...]
    slots: tuple[int, ...]
    seed: int

    def random(self, what: str) -> np.random.Generator:
        return np.random.default_rng((self.seed, len(what), *map(ord, what)))

    def weights(self) -> list[Array]:
        """How much each element of each result counts."""
        return [self.random(f"weight {n}").standard_normal(r.shape) for n, r in enumerate(self.results)]

    def direction(self) -> list[Array]:
        return [self.random(f"direction {s}").standard_normal(self.arrays[s].shape) for s in self.slots]


def attack(seed: int, count: int, progress: Callable[[int, Report], None] | None = None) -> Report:
    """Try the programs of so many seeds; `progress` is told each before it is tried."""
    report = Report()
    for number in range(seed, seed + count):
        if progress is not None:
            progress(number, report)
        point = point_of(draw(number))
        if point is not None:
            verdict = check(point)
            report.decided += verdict is not None
            if verdict:
                report.failures.append(_smallest(point, verdict))
        report.programs += 1
    return report


def point_of(program: Program) -> Point | None:
    """The program in float64, with the float results it has; None if it has none."""
    if any(_decides_nothing(node) for node in walk(program.roots)):
        return None
    wide = _in_float64(program.roots)
    results = tuple(
        node for node in map(wide.__getitem__, program.roots) if node.dtype.is_float and node.size
    )
    arrays, slots = [], []
    for slot, (given, array) in enumerate(zip(program.inputs, program.arrays(), strict=True)):
        if given.dtype.is_float:
            random = np.random.default_rng((program.seed, slot, 1))
            array = random.integers(-8, 9, given.size) / 4 + random.uniform(0.02, 0.23, given.size)
            slots.append(slot)
        arrays.append(array)
    return Point(results, tuple(arrays), tuple(slots), program.seed) if results and slots else None


def _decides_nothing(node: Node) -> bool:
    """Too large; or without a derivative everywhere, as the page of gradients says: other bits, one place set
    twice, running products (and those of updates) with a zero among them. (The bits of a value as they are,
    which pass no gradient on, are those of a softmax's maximum: it changes nothing.)"""
    if node.size > _MOST or (node.op is Op.BITCAST and node.dtype is not node.src[0].dtype):
        return True
    if node.op is Op.SCAN:
        return bool(node.arg[0].kind == "mul")
    return node.op is Op.SCATTER and node.arg[1] in ("set", "mul")


def _in_float64(roots: Sequence[Node]) -> dict[Node, Node]:
    """Every node with floats of 64 bits instead of its own."""
    made: dict[Node, Node] = {}
    for node in walk(tuple(roots)):
        src = tuple(made[s] for s in node.src)
        dtype = dtypes.float64 if node.dtype.is_float else node.dtype
        arg = node.arg
        if node.op is Op.CONST and node.dtype.is_float:
            arg = float(arg)
        made[node] = (
            src[0] if node.op is Op.CAST and src[0].dtype is dtype else make(node.op, dtype, src, arg)
        )
    return made


# --- one program


def check(point: Point) -> str | None:
    """What is wrong with the gradient, "" if nothing is; None where that cannot be told."""
    expected = _difference(point)
    if expected is None:
        return None
    try:
        slopes = _slopes(point)
    except NoGradient:
        return None
    except Exception as error:  # noqa: BLE001  an attack reports every kind of failure
        return with_frames(error)
    terms = [slope * along for slope, along in zip(slopes, point.direction(), strict=True)]
    found, size = (sum(float(f(term).sum()) for term in terms) for f in (np.asarray, np.abs))
    if not np.isfinite(found):
        if _meets_a_pole(point):
            return None
        return f"the gradient has {found}, and differences come to {expected[0]:.9g}"
    if abs(found - expected[0]) > _WRONG * (size + expected[1]):
        return f"the gradient comes to {found:.9g} along a direction, and differences to {expected[0]:.9g}"
    return ""


def _meets_a_pole(point: Point) -> bool:
    """Something on the way is NaN, or infinite and made of what is finite: 1 / 0. Where the result leaves it
    out (where(x, 1, 1 / y)), the chain rule still multiplies it, by 0, and has NaN, here as in torch. An
    infinity that is written down, as in the mask of a softmax, is no pole."""
    found = False

    def look(node: Node, sources: list[Bounded], value: Bounded) -> None:
        nonlocal found
        whole = [np.isfinite(source.value) for source in sources]
        finite = np.logical_and.reduce(whole) if node.op in ELEMENTWISE else all(each.all() for each in whole)
        poles = np.isinf(value.value) & (finite if node.src else False)
        found |= bool((poles | np.isnan(value.value)).any())

    evaluate(point.results, point.arrays, watcher=look)
    return found


def _difference(point: Point) -> tuple[float, float] | None:
    """f(x + h d) - f(x - h d) over 2 h, and what it is rounded from; None where no two steps agree."""
    here = _value(point, 0.0)
    if here is None:
        return None
    found = []
    for step in _STEPS:
        above, below = _value(point, step), _value(point, -step)
        if above is None or below is None:
            return None
        found.append((above - below) / (2 * step))
    size = max(map(abs, found)) + abs(here)
    if not np.isfinite(size) or max(found) - min(found) > _APART * size:
        return None
    return found[-1], size


def _value(point: Point, step: float) -> float | None:
    """f at x + step d; None if it is not finite."""
    arrays = list(point.arrays)
    for slot, along in zip(point.slots, point.direction(), strict=True):
        arrays[slot] = arrays[slot] + step * along
    values = [bounded.value for bounded in evaluate(point.results, arrays)]
    if not all(np.isfinite(value).all() for value in values):
        return None
    return float(sum((value * w).sum() for value, w in zip(values, point.weights(), strict=True)))


def _slopes(point: Point) -> list[Array]:
    """The gradient along each slot, computed on the CPU."""
    count = len(point.arrays)
    given = {count + n: w.reshape(-1) for n, w in enumerate(point.weights())}
    cotangents = [_param(count + n, result) for n, result in enumerate(point.results)]
    found = {node.arg.slot: node for node in walk(point.results) if node.op is Op.PARAM}
    wanted = [found[slot] for slot in point.slots if slot in found]
    made = dict(zip(wanted, gradients(point.results, cotangents, wanted), strict=True))
    parts = [node for node in made.values() if node is not None]
    memory = {
        node: buffer_node(given.get(node.arg.slot, point.arrays[node.arg.slot % count]), node.dtype, "cpu")
        for node in walk(tuple(parts))
        if node.op is Op.PARAM
    }
    computed = realize([part.substitute(memory) for part in parts]) if parts else []
    values = dict(zip(parts, (buffer_of(node).numpy() for node in computed), strict=True))
    slopes = []
    for slot in point.slots:
        slope = made.get(found[slot]) if slot in found else None
        slopes.append(np.zeros_like(point.arrays[slot]) if slope is None else values[slope].reshape(-1))
    return slopes


def _param(slot: int, result: Node) -> Node:
    memory = make(Op.PARAM, dtypes.float64, (), Param(slot, result.size))
    return (
        memory if result.shape == memory.shape else make(Op.RESHAPE, dtypes.float64, (memory,), result.shape)
    )


# --- the smallest case


def _smallest(point: Point, message: str) -> Failure:
    """The first node of the program whose own gradient is wrong."""
    for part in _parts(point):
        verdict = check(part)
        if verdict:
            return Failure(point.seed, _listed(part.results), verdict)
    return Failure(point.seed, _listed(point.results), message)


def _parts(point: Point) -> Iterator[Point]:
    """The function up to each node that depends on all it is made of: not on a softmax's maximum."""
    cut: set[Node] = set()
    for node in walk(point.results):
        if node.op is Op.BITCAST or not cut.isdisjoint(node.src):
            cut.add(node)
        elif node.dtype.is_float and node.size and node.op is not Op.PARAM and node.op is not Op.CONST:
            yield Point((node,), point.arrays, point.slots, point.seed)


def _listed(roots: Sequence[Node]) -> str:
    names: dict[Node, str] = {}
    lines = []
    for number, node in enumerate(walk(tuple(roots))):
        names[node] = f"n{number}"
        lines.append(
            f"n{number} = {node.op.name}({', '.join(names[s] for s in node.src)}) {node.arg} {node.shape}"
        )
    return "\n".join(lines)
