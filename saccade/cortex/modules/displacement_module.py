"""A learning module of another kind: it recognises by the *sequence of displacements*, without hypotheses
of rotation.

Where the evidence module asks "if the object were turned like this, would this percept fit?", this one asks
"is there a path over the model's nodes whose steps look like the sensor's steps?". What it compares does
not change when the object is turned: the length of a step, the angles between the step and the surface
normals at both ends, and the angle between the two normals. One number per node and object is kept, the
evidence of the best path that ends there:

    new[n'] = max over n of (old[n] + agreement(n -> n', sensed step)) + feature score[n']

a maximum over pairs of nodes, again one program over all objects and modules. The rotation of the object
follows from the best node at the end (its pose vectors against the sensed ones).

    in   one channel of percepts;  out  ModuleResult, as from any other module
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.program import Program
from saccade.cortex.bank.results import MATCH, NO_MATCH, ModuleResult, Pose, object_number
from saccade.cortex.bank.space import check_bytes
from saccade.cortex.features import FeatureLayout, feature_evidence
from saccade.cortex.geometry import Vector, dot, subtract
from saccade.cortex.hypotheses.decide import possible_matches
from saccade.cortex.hypotheses.tables import (
    NORMAL,
    POSITION,
    ROW,
    ChannelTable,
    build_channel,
    table_nodes,
    table_objects,
)
from saccade.cortex.messages import Percept, PerceptBatch
from saccade.cortex.models.model import ObjectModel
from saccade.cortex.modules.module import Episodes
from saccade.cortex.ops import (
    cast,
    first_highest,
    highest,
    integers,
    maximum,
    pick,
    read,
    take,
    upload,
    where,
)
from saccade.cortex.settings import DEFAULT_TOLERANCES, DEFAULT_WEIGHTS, EvidenceSettings, Table, as_table
from saccade.reproducible import apply, matmul, norm
from saccade.reproducible import dot as host_dot
from saccade.tensor import Tensor

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
INFINITY = float("inf")
#: sensed steps shorter than this have no direction (metres)
NO_STEP = 1e-6


@dataclass(frozen=True)
class DisplacementSettings:
    """Tolerances of a step: its length in metres, its three angles as differences of cosines."""

    length_tolerance: float = 0.006
    angle_tolerance: float = 0.3
    tolerances: Table = DEFAULT_TOLERANCES
    feature_weights: Table = DEFAULT_WEIGHTS
    x_percent_threshold: float = 10.0
    object_evidence_threshold: float = 1.0
    path_similarity_threshold: float = 0.02
    #: ends of paths whose evidence is this close to the best are not told apart from it; an absolute
    #: amount, because long paths share all but their last steps
    end_margin: float = 0.3
    dtype: str = "float32"

    def __post_init__(self) -> None:
        object.__setattr__(self, "tolerances", as_table(self.tolerances))
        object.__setattr__(self, "feature_weights", as_table(self.feature_weights))
        if self.length_tolerance <= 0 or self.angle_tolerance <= 0:
            raise ValueError(
                f"tolerances must be positive, got {self.length_tolerance} and {self.angle_tolerance}"
            )

    @property
    def layout(self) -> FeatureLayout:
        return FeatureLayout.make(dict(self.tolerances), dict(self.feature_weights))

    @property
    def table_settings(self) -> EvidenceSettings:
        """How node tables are laid out; no neighbour index is needed."""
        return EvidenceSettings(
            tolerances=self.tolerances,
            feature_weights=self.feature_weights,
            dtype=self.dtype,
            neighbour_search="brute",
        )


class SensedStep(NamedTuple):
    """What changed since the last percept, (R, M) each, and the features now (R, M, F)."""

    length: Tensor
    leaving: Tensor  # cosine between the old normal and the step
    arriving: Tensor  # cosine between the new normal and the step
    bending: Tensor  # cosine between the normals
    first: Tensor  # bool: the first percept, there is no step yet
    usable: Tensor  # bool
    features: Tensor


class Paths(NamedTuple):
    """The best path to every node, and what follows from them; read back after a step except `evidence`."""

    evidence: Tensor  # (R, M, O, N)
    per_object: Tensor  # (R, M, O)
    possible: Tensor  # (R, M, O) bool
    object: Tensor  # (R, M) int32
    node: Tensor  # (R, M) int32
    best: Tensor  # (R, M)
    unique: Tensor  # (R, M) bool: all nearly best ends lie close together


def step_agreement(table: ChannelTable, step: SensedStep, settings: DisplacementSettings) -> Tensor:
    """(R, M, O, N to, N from) in [-1, 1]: how much the way between two nodes looks like the sensed step."""
    modules, objects = table.counts.shape
    nodes = table.nodes.reshape(modules, objects, -1, ROW)

    def ends(column: int) -> tuple[Vector, Vector]:
        parts = [nodes[..., column + i].unsqueeze(0) for i in range(3)]
        to = (parts[0].unsqueeze(-1), parts[1].unsqueeze(-1), parts[2].unsqueeze(-1))
        start = (parts[0].unsqueeze(-2), parts[1].unsqueeze(-2), parts[2].unsqueeze(-2))
        return to, start

    (to, start), (to_normal, start_normal) = ends(POSITION), ends(NORMAL)
    way = subtract(to, start)
    length = dot(way, way).sqrt()
    inverse = 1.0 / maximum(length, NO_STEP)

    def sensed(value: Tensor) -> Tensor:
        return value.unsqueeze(-1).unsqueeze(-1).unsqueeze(-1)

    wrong = (length - sensed(step.length)).abs() * (1.0 / settings.length_tolerance)
    angles = (
        (dot(start_normal, way) * inverse, step.leaving),
        (dot(to_normal, way) * inverse, step.arriving),
        (dot(start_normal, to_normal), step.bending),
    )
    for cosine, felt in angles:
        # a step without direction has no angles to compare
        gap = (cosine - sensed(felt)).abs() * (1.0 / settings.angle_tolerance)
        wrong = maximum(wrong, where(sensed(step.length) > NO_STEP, gap, 0.0))
    return maximum(1.0 - wrong, -1.0)


def follow(settings: DisplacementSettings, evidence: Tensor, step: SensedStep, table: ChannelTable) -> Paths:
    """One step of all paths, and the decisions that need all nodes."""
    there = integers(evidence.shape[3], evidence) < table.counts.unsqueeze(-1).unsqueeze(0)
    scores = feature_evidence(table.features.unsqueeze(0), step.features.unsqueeze(2), settings.layout, 1.0)
    agreement = step_agreement(table, step, settings)
    from_there = where(there.unsqueeze(-2), evidence.unsqueeze(-2) + agreement, -INFINITY)
    reached = where(step.first.unsqueeze(-1).unsqueeze(-1), 0.0, highest(from_there)) + scores
    new = where(step.usable.unsqueeze(-1).unsqueeze(-1), reached, evidence)
    return _conclusions(where(there, new, -INFINITY), table, settings)


def _conclusions(evidence: Tensor, table: ChannelTable, settings: DisplacementSettings) -> Paths:
    per_object = highest(evidence)
    chosen = first_highest(per_object)
    node = pick(first_highest(evidence), cast(chosen, "int64"))
    rows, modules, objects, n = evidence.shape
    own = integers(rows * modules, evidence).reshape(rows, modules)
    begin = (cast(own, "int64") * objects + cast(chosen, "int64")) * n
    ends = take(evidence.reshape(-1), begin.unsqueeze(-1) + cast(integers(n, begin), "int64"))
    top = highest(per_object)
    near = ends > (top - settings.end_margin).unsqueeze(-1)
    module = integers(modules, evidence).reshape(1, modules)
    row = ((cast(module, "int64") * objects + cast(chosen, "int64")) * n).unsqueeze(-1)
    row = (row + cast(integers(n, begin), "int64")) * ROW
    at_best = row.gather(-1, cast(node, "int64").unsqueeze(-1))

    def away(axis: int) -> Tensor:
        return take(table.nodes, row + POSITION + axis) - take(table.nodes, at_best + POSITION + axis)

    offset = (away(0), away(1), away(2))
    farthest = highest(where(near, dot(offset, offset), 0.0)).sqrt()
    matches = possible_matches(per_object, settings.x_percent_threshold)
    unique = (farthest < settings.path_similarity_threshold) & (top > settings.object_evidence_threshold)
    return Paths(evidence, per_object, matches, chosen, node, top, unique)


@dataclass
class PathStep:
    """A step under way."""

    paths: Paths
    processed: Bools
    on_object: Bools
    checked: Bools
    pose_vectors: Floats  # (R, M, 3, 3) of the last percept that counted, at the end of the path
    moved: Floats  # (R, M, 3) from there to where the sensor is now


def row_bytes(modules: Sequence[DisplacementModule]) -> int:
    """Bytes of the paths of one row: one to every node that tables have room for."""
    return prod(_room(modules)) * np.dtype(modules[0].settings.dtype).itemsize


def _room(modules: Sequence[DisplacementModule]) -> tuple[int, int, int]:
    """(M, O, N) places for paths: to nodes of the channel that a module listens to."""
    memories = [list(module.memory.values()) for module in modules]
    counts = [
        len(model.channels[name])
        for module, memory in zip(modules, memories, strict=True)
        for name in module.channels
        for model in memory
        if name in model.channels
    ]
    return len(memories), table_objects(memories), table_nodes(max(counts, default=0))


def check_path_rows(
    modules: Sequence[DisplacementModule],
    rows: int,
    free: int | None,
    sharers: int = 1,
    made: Callable[[int], int] = int,
) -> None:
    """MemoryError if a bank of these could not hold so many rows in so many free bytes, told without its
    device: paths before a step and after it. sharers and made as `space.check_room` says."""
    row, (m, o, n) = row_bytes(modules), _room(modules)
    check_bytes(rows, rows, row, row, f"{m} x {o} x {n} paths", free, sharers, made)


class DisplacementBank:
    """Paths of M modules in R rows."""

    def __init__(
        self,
        memories: Sequence[Sequence[ObjectModel]],
        channels: Sequence[Sequence[str]],
        settings: DisplacementSettings,
        rows: int = 1,
        device: str | None = None,
    ) -> None:
        if any(len(names) != 1 for names in channels):
            raise ValueError("a displacement module listens to exactly one channel")
        self.settings, self.rows, self.device = settings, rows, device
        self.memories = [list(memory) for memory in memories]
        self.objects = table_objects(memories)
        names = [listed[0] for listed in channels]
        self._table, shape = build_channel(memories, names, settings.table_settings, self.objects, device)
        self._follow: Program[..., Paths] = Program(partial(follow, settings))
        lead = (rows, len(memories))
        self._evidence = upload(np.zeros((*lead, self.objects, shape.nodes)), settings.dtype, device)
        #: of the last percept that counted: where it was and how it faced; and where the sensor was last
        self._location, self._pose = np.zeros((*lead, 3)), np.tile(np.eye(3), (*lead, 1, 1))
        self._here = np.zeros((*lead, 3))
        self._started = np.zeros(lead, bool)

    def launch(self, batch: PerceptBatch, check: Bools | None = None) -> PathStep:
        """Enqueue one whole step."""
        return self.conclude(self.advance(batch, check))

    def advance(self, batch: PerceptBatch, check: Bools | None = None) -> PathStep:
        usable = (batch.present & batch.informative)[:, :, 0]
        step = self._sensed(batch, usable)
        paths = self._follow(self._evidence, step, self._table)
        self._evidence = paths.evidence
        checked = np.zeros(usable.shape, bool) if check is None else np.asarray(check, bool)
        return PathStep(
            paths,
            usable,
            (batch.present & batch.on_object)[:, :, 0],
            checked,
            self._pose,
            self._here - self._location,
        )

    def _sensed(self, batch: PerceptBatch, usable: Bools) -> SensedStep:
        location, pose, before = batch.location[:, :, 0], batch.pose_vectors[:, :, 0], self._pose[..., 0, :]
        normal = pose[..., 0, :]
        way = np.where(self._started[..., None], location - self._location, 0.0)
        length = norm(way)
        direction = way / np.maximum(length, NO_STEP)[..., None]

        def number(values: Floats) -> Tensor:
            return upload(values, self.settings.dtype, self.device)

        step = SensedStep(
            length=number(length),
            leaving=number(host_dot(before, direction)),
            arriving=number(host_dot(normal, direction)),
            bending=number(host_dot(before, normal)),
            first=upload(~self._started, "bool", self.device),
            usable=upload(usable, "bool", self.device),
            features=number(batch.features[:, :, 0, : self.settings.layout.width]),
        )
        self._location = np.where(usable[..., None], location, self._location)
        self._pose = np.where(usable[..., None, None], pose, self._pose)
        self._here = np.where(batch.present[:, :, 0, None], location, self._here)
        self._started |= usable
        return step

    def conclude(self, step: PathStep) -> PathStep:
        return step

    def results_of(self, pending: PathStep) -> list[Tensor]:
        return list(pending.paths[1:])

    def outcome_of(self, pending: PathStep, values: Sequence[npt.NDArray[Any]]) -> tuple[Any, PathStep]:
        return Paths(pending.paths.evidence, *values), pending  # type: ignore[arg-type]

    def collect(self, pending: PathStep) -> tuple[Any, PathStep]:
        return self.outcome_of(pending, read(self.results_of(pending)))

    def reset(self, rows: Bools | None = None) -> None:
        self._started[slice(None) if rows is None else np.asarray(rows, bool)] = False

    def keep(self, rows: Ints) -> None:
        self.rows = len(rows)
        self._evidence = self._evidence[upload(rows, "int32", self.device)].contiguous().realize()
        self._location, self._pose, self._here = self._location[rows], self._pose[rows], self._here[rows]
        self._started = self._started[rows]


class DisplacementModule(Episodes):
    """Recognises objects by paths over their nodes; shares memory, groups and backends with the other
    kinds.
    """

    def __init__(
        self,
        name: str,
        channels: Sequence[str],
        settings: DisplacementSettings | None = None,
        models: Sequence[ObjectModel] = (),
    ) -> None:
        self.name, self.channels = name, tuple(channels)
        self.settings = DisplacementSettings() if settings is None else settings
        self.memory: dict[str, ObjectModel] = {}
        for model in models:
            if model.name in self.memory:
                raise ValueError(
                    f"module {name!r} already knows an object {model.name!r}; choose another name"
                )
            self.memory[model.name] = model
        self.reset()

    @property
    def group_key(self) -> Hashable:
        return ("displacement", self.settings)

    @property
    def layouts(self) -> tuple[FeatureLayout, ...]:
        return tuple(self.settings.layout for _ in self.channels)

    @classmethod
    def bank(
        cls, modules: Sequence[DisplacementModule], rows: int = 1, device: str | None = None
    ) -> DisplacementBank:
        memories = [list(module.memory.values()) for module in modules]
        return DisplacementBank(memories, [m.channels for m in modules], modules[0].settings, rows, device)

    def conclude(self, outcome: tuple[Any, PathStep], index: int) -> ModuleResult:
        paths, step = outcome
        objects = tuple(self.memory)
        n, rows = len(objects), len(step.processed)
        result = ModuleResult(
            module=self.name,
            objects=objects,
            best=[self._best(paths, step, row, index, objects) for row in range(rows)],
            evidence=np.asarray(paths.per_object[:, index, :n], np.float64),
            counts=np.array([[m.node_count for m in self.memory.values()]] * rows, np.int64).reshape(rows, n),
            possible=[
                [name for o, name in enumerate(objects) if paths.possible[r, index, o]] for r in range(rows)
            ],
            prediction_error=np.full((rows, n), np.nan),
            terminal=[None] * rows,
            symmetry=np.zeros(rows, np.int64),
            possible_hypotheses=np.zeros((rows, n), np.int64),
            outputs=[None] * rows,
            processed=step.processed[:, index],
        )
        for row in range(rows):
            self._settle(result, row, bool(step.checked[row, index]), bool(paths.unique[row, index]))
            if result.terminal[row] == MATCH and step.on_object[row, index]:
                result.outputs[row] = self._output(result, row)
        return result

    def _best(self, paths: Any, step: PathStep, row: int, index: int, objects: Sequence[str]) -> Pose | None:
        evidence = float(paths.best[row, index])
        if (self.steps(row) == 0 and not step.processed[row, index]) or not np.isfinite(evidence):
            return None
        name, node = objects[int(paths.object[row, index])], int(paths.node[row, index])
        nodes = self.memory[name].channels[self.channels[0]]
        turn = matmul(nodes.pose_vectors[node].astype(np.float64).T, step.pose_vectors[row, index])
        location = nodes.positions[node].astype(np.float64) + apply(turn, step.moved[row, index])
        return Pose(name, node, evidence, location, turn)

    def _settle(self, result: ModuleResult, row: int, checked: bool, unique: bool) -> None:
        self._steps[row] = self.steps(row) + int(result.processed[row])
        state = self._terminal.get(row)
        if result.processed[row] and not result.possible[row]:
            state = NO_MATCH
        elif checked:
            state = (
                MATCH if unique and len(result.possible[row]) == 1 else (None if state == MATCH else state)
            )
        self._terminal[row] = result.terminal[row] = state

    def _output(self, result: ModuleResult, row: int) -> Percept:
        best = result.best[row]
        assert best is not None
        return Percept(
            location=best.location,
            pose_vectors=best.rotation,
            features={"object_id": [float(object_number(best.object))]},
            confidence=float(np.clip(best.evidence / max(2 * self._steps[row], 1), 0.0, 1.0)),
            sender=self.name,
        )
