"""How precise the results of a program are: the most their errors can be, what they are, and whose they are.

    recorder = Recorder()
    with observing(recorder):
        run_script(script, [])
    for computation in recorder.measured():
        for output in computation.outputs:
            print(output.bound, output.measured, output.blame)

Every computation is evaluated a second time by the oracle (`reference`), from the same inputs, in float64 and
with radii: how far the roundings of each op, in any order of summation, can add up. The largest radius is the
bound, the distance of the device's result from the oracle's value the measured error.

An op is blamed by what the bound would be without it: its share is the part of the bound that goes if that op
alone were computed in float64. Shares need not add up to one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..graph.dtypes import DType
from ..graph.node import Node, Shape, walk
from ..graph.ops import ELEMENTWISE, Op
from ..runtime.device import Device
from ..runtime.interpreter.ops import from_memory
from ..runtime.memory.halves import storage_dtype
from ..runtime.watch.debug import Computation
from ..tensor.programs.form import Form, graph_of
from .programs.collectives import COLLECTIVE
from .programs.precision import distance, ulp
from .programs.reference import Bounded, TooLarge, evaluate, mismatches, rounds

Array = NDArray[Any]

#: Elements of a value that the oracle holds, about a gigabyte with its radius and what is made of it.
MOST_ELEMENTS: Final = 1 << 25
#: Bytes of inputs and results that are held until they are measured, of all computations together.
MOST_BYTES: Final = 1 << 31
#: Kinds of ops that are blamed one by one; each takes another evaluation.
MOST_GROUPS: Final = 16
#: Shares below this are not told.
_LEAST_SHARE: Final = 0.005
_KNOWN: Final = ELEMENTWISE | set(COLLECTIVE) | {Op.PARAM, Op.CONST, Op.IOTA}


@dataclass(frozen=True)
class OutputError:
    """One result. `bound` and `measured` are the largest of all elements that can be told; of `unknown`
    elements nothing can be, because rounding decides a comparison, listed in `undecided`. `wrong` elements
    are outside their radius, which no correct device does."""

    dtype: DType
    shape: Shape
    largest: float
    bound: float
    measured: float
    ulps: float
    unknown: int
    wrong: int
    #: (op and dtype, the part of the bound that goes if it were computed in float64), most first
    blame: tuple[tuple[str, float], ...]
    undecided: tuple[str, ...] = ()

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    def as_dict(self) -> dict[str, Any]:
        numbers = {name: getattr(self, name) for name in ("largest", "bound", "measured", "ulps")}
        counts = {name: getattr(self, name) for name in ("elements", "unknown", "wrong")}
        blame = [{"op": op, "share": share} for op, share in self.blame]
        shape, undecided = list(self.shape), list(self.undecided)
        return {"dtype": self.dtype.name, "shape": shape, **numbers, **counts, "blame": blame,
                "undecided": undecided}  # fmt: skip


@dataclass(frozen=True)
class ComputationError:
    """The results of one computation, as of its first run; `problem` says why it could not be evaluated."""

    device: str
    runs: int
    outputs: tuple[OutputError, ...]
    problem: str = ""

    def as_dict(self) -> dict[str, Any]:
        outputs = [output.as_dict() for output in self.outputs]
        return {"device": self.device, "runs": self.runs, "outputs": outputs, "problem": self.problem}


# --- recording


@dataclass
class _Recorded:
    """A computation as it ran first: its graph, and copies of its memory."""

    form: Any
    device: str
    inputs: list[Array] = field(default_factory=list)
    outputs: list[Array] = field(default_factory=list)
    runs: int = 0
    problem: str = ""


class Recorder:
    """An observer of what runs: keeps the memory of the first run of every computation."""

    def __init__(self) -> None:
        self.found: dict[tuple[Any, str], _Recorded] = {}
        self.nbytes = 0

    def before(self, executable: Computation, addresses: list[int]) -> None:
        key = (executable.form, executable.device)
        if key in self.found:
            return
        made = self.found[key] = _Recorded(*key)
        given = _inputs(executable.form)
        nbytes = sum(dtype.itemsize * size for dtype, size in given)
        nbytes += sum(dtype.itemsize * size for size, dtype in executable.recipe.outputs)
        if self.nbytes + nbytes > MOST_BYTES:
            made.problem = (
                f"{nbytes / 1e6:.0f} MB more than the {self.nbytes / 1e6:.0f} MB that are held already"
            )
            return
        self.nbytes += nbytes
        made.inputs = [
            _copy(executable.device, address, dtype, size)
            for address, (dtype, size) in zip(addresses, given, strict=False)
        ]

    def after(self, executable: Computation, addresses: list[int]) -> None:
        made = self.found[executable.form, executable.device]
        made.runs += 1
        if made.runs == 1 and not made.problem:
            made_now = iter(addresses[len(made.inputs) :])
            for root in graph_of(executable.form)[0]:
                # what is stored is in the memory it was stored to
                address = addresses[root.src[1].arg.slot] if root.op is Op.ASSIGN else next(made_now)
                made.outputs.append(_copy(executable.device, address, root.dtype, root.size))

    def measured(
        self, note: Callable[[int, int], object] = lambda done, of: None
    ) -> Iterator[ComputationError]:
        """What was found out about each computation, in the order they first ran."""
        for number, recorded in enumerate(self.found.values()):
            note(number, len(self.found))
            yield _measure(recorded)


def _inputs(form: Form) -> list[tuple[DType, int]]:
    """The dtype and the elements of each memory that a computation is given."""
    params = {node.arg.slot: node for node in walk(graph_of(form)[0]) if node.op is Op.PARAM}
    return [(params[slot].dtype, params[slot].arg.size) for slot in sorted(params)]


def _copy(device: str, address: int, dtype: DType, size: int) -> Array:
    memory = np.empty(size, storage_dtype(dtype))
    Device[device].queue.copy_out(memory.ctypes.data, address, memory.nbytes)
    return memory


# --- measuring


def _measure(recorded: _Recorded) -> ComputationError:
    if recorded.problem:
        return ComputationError(recorded.device, recorded.runs, (), recorded.problem)
    roots, _ = graph_of(recorded.form)
    foreign = next((node.op.name for node in walk(roots) if node.op not in _KNOWN), None)
    if foreign is not None:
        problem = f"the oracle does not know {foreign}"
        return ComputationError(recorded.device, recorded.runs, (), problem)
    doubts: dict[str, None] = {}

    def watch(node: Node, src: list[Bounded], made: Bounded) -> None:
        if np.isinf(made.radius).any() and not any(np.isinf(s.radius).any() for s in src):
            doubts[_label(node)] = None

    try:
        expected = evaluate(roots, recorded.inputs, most=MOST_ELEMENTS, watcher=watch)
    except TooLarge as error:
        return ComputationError(recorded.device, recorded.runs, (), str(error))
    shares = _blame(roots, recorded.inputs, expected)
    outputs = [
        _output(root, want, got, blame, tuple(doubts))
        for root, want, got, blame in zip(roots, expected, recorded.outputs, shares, strict=True)
    ]
    return ComputationError(recorded.device, recorded.runs, tuple(outputs))


def _output(
    root: Node, want: Bounded, got: Array, blame: tuple[tuple[str, float], ...], doubts: tuple[str, ...]
) -> OutputError:
    unknown = np.isinf(want.radius)
    values = from_memory(got, root.dtype).reshape(want.shape).astype(np.float64)
    value = want.value.astype(np.float64)
    with np.errstate(invalid="ignore"):
        error = np.where(unknown, 0.0, distance(values, value))
    error = np.where(np.isnan(error), math.inf, error)  # a NaN that should be none, or the other way round
    finite = value[np.isfinite(value) & ~unknown]
    place = int(error.argmax()) if error.size else 0
    unit = ulp(value.reshape(-1)[place : place + 1], root.dtype) if root.dtype.is_float else np.ones(1)
    measured = float(error.max(initial=0.0))
    return OutputError(
        root.dtype,
        root.shape,
        float(np.abs(finite).max(initial=0.0)),
        float(want.radius[~unknown].max(initial=0.0)),
        measured,
        measured / float(unit[0]) if error.size and unit[0] > 0 else 0.0,
        int(unknown.sum()),
        int(mismatches(want, got, root.dtype).sum()),
        blame,
        doubts if unknown.any() else (),
    )


def _label(node: Node) -> str:
    kind = f" {node.arg[0]}" if node.op in (Op.REDUCE, Op.SCAN) else ""
    return f"{node.op.name}{kind} {node.dtype.name}"


def _groups(roots: tuple[Node, ...]) -> dict[str, list[Node]]:
    """The ops that round, those of one shape together; only those of one dtype where they are many."""
    found: dict[str, list[Node]] = {}
    for node in filter(rounds, walk(roots)):
        found.setdefault(f"{_label(node)} {list(node.shape)}", []).append(node)
    if len(found) <= MOST_GROUPS:
        return found
    merged: dict[str, list[Node]] = {}
    for node in (node for nodes in found.values() for node in nodes):
        merged.setdefault(_label(node), []).append(node)
    return merged


def _blame(
    roots: tuple[Node, ...], inputs: list[Array], expected: list[Bounded]
) -> list[tuple[tuple[str, float], ...]]:
    """For each root, the ops of whose rounding its radius is made."""
    totals = [_total(each) for each in expected]
    shares: list[dict[str, float]] = [{} for _ in roots]
    for label, nodes in _groups(roots).items() if any(totals) else ():
        without = evaluate(roots, inputs, frozenset(nodes))
        for share, total, each, before in zip(shares, totals, without, expected, strict=True):
            known = Bounded(each.value, np.where(np.isinf(before.radius), 0.0, each.radius))
            part = 1 - _total(known) / total if total > 0 else 0.0
            if part >= _LEAST_SHARE:
                share[label] = part
    return [tuple(sorted(share.items(), key=lambda item: -item[1])) for share in shares]


def _total(made: Bounded) -> float:
    """The radii that are known, added up."""
    return float(made.radius[np.isfinite(made.radius)].sum())
