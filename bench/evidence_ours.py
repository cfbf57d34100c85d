"""Our engine on the workload of the hypothesis benchmark, one step at a time.

    engine = Ours(case, work)
    spent = engine.step(t)          # Spent: wall, CPU and host seconds of dispatch and gather

*Host* seconds are the calling thread's own: its CPU time in the step, less that in native calls that run
kernels (CPU) or that wait for them (other devices). It does not grow when others use the core.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np

from bench.evidence_data import CHANNEL, Workload
from saccade.cortex.bank.bank import EvidenceBank
from saccade.cortex.bank.results import ModuleResult
from saccade.cortex.hypotheses.neighbours import spatial_order
from saccade.cortex.messages import Percept, PerceptBatch
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.modules.backend import BACKENDS, make_backend
from saccade.cortex.modules.group import GroupInput, make_groups
from saccade.cortex.modules.module import EvidenceModule
from saccade.cortex.ops import in_host_memory, read
from saccade.cortex.settings import BurstSettings, EvidenceSettings, PlainSettings
from saccade.runtime.device import Device
from saccade.runtime.plan import Plan
from saccade.tensor.jit.bound import Bound

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class EvidenceCase:
    """What is measured; names as on the command line."""

    objects: int = 77
    nodes: int = 1000
    hypotheses: int = 2000
    neighbours: int = 10
    modules: int = 1
    updater: str = "plain"
    backend: str = "stacked"
    device: str | None = None
    steps: int = 20
    dtype: str = "float32"
    rotation_dtype: str = "float64"
    threads: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("objects", "nodes", "hypotheses", "neighbours", "modules", "threads"):
            if getattr(self, name) < 1:
                raise ValueError(f"--{name} must be at least 1, got {getattr(self, name)}")
        if self.hypotheses % self.nodes:
            raise ValueError(
                f"--hypotheses {self.hypotheses} must be a multiple of --nodes {self.nodes}: poses per node"
            )
        if self.steps < 3:
            raise ValueError(f"--steps must be at least 3, got {self.steps}")
        if self.backend not in ("auto", *BACKENDS):
            raise ValueError(f"--backend {self.backend!r}: use one of auto, {', '.join(BACKENDS)}")

    @property
    def poses(self) -> int:
        """Poses per node; other than 2 they come from a first percept without defined directions."""
        return self.hypotheses // self.nodes

    @property
    def settings(self) -> EvidenceSettings:
        return EvidenceSettings(
            max_nneighbors=self.neighbours,
            umbilical_num_poses=self.poses,
            updater=BurstSettings() if self.updater == "burst" else PlainSettings(),
            dtype=self.dtype,
            rotation_dtype=self.rotation_dtype,
        )


@dataclass(frozen=True)
class Spent:
    """Seconds of one step: by the clock, of all threads, and of the calling thread outside of kernels."""

    wall: float
    cpu: float
    host: float


def models_of(work: Workload) -> list[ObjectModel]:
    return [
        ObjectModel(
            f"o{o}",
            {
                CHANNEL: NodeSet(
                    work.positions[o],
                    work.vectors[o],
                    work.flags[o],
                    {"hsv": work.hsv[o], "principal_curvatures_log": work.curvatures[o]},
                )
            },
        )
        for o in range(len(work.positions))
    ]


def percept_of(work: Workload, t: int, case: EvidenceCase) -> Percept:
    return Percept(
        location=work.location[t],
        pose_vectors=work.pose[t],
        features={"hsv": work.felt_hsv[t], "principal_curvatures_log": work.felt_curvatures[t]},
        pose_fully_defined=not (t == 0 and case.poses != 2),
        sender=CHANNEL,
    )


@dataclass
class Absence:
    """CPU seconds of the calling thread in kernels or waiting for them; one of these may call another."""

    seconds: float = 0.0
    within: bool = False


@contextmanager
def away(device: str | None) -> Iterator[Absence]:
    """Sum up the time in which the host computes nothing itself: native calls that run kernels on the CPU,
    and waits for other devices."""
    absence = Absence()

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            if absence.within:
                return function(*args)
            absence.within, began = True, time.thread_time()
            try:
                return function(*args)
            finally:
                absence.seconds += time.thread_time() - began
                absence.within = False

        return call

    name = Device.canonical(device)
    if name == "cpu":
        places: list[tuple[type, str]] = [(Plan, "__call__"), (Plan, "_run"), (Bound, "run")]
    else:
        queue = type(Device[name].queue)
        places = [(queue, "copy_out"), (queue, "synchronize"), (Bound, "read")]
    usual = [getattr(owner, method) for owner, method in places]
    try:
        for (owner, method), function in zip(places, usual, strict=True):
            setattr(owner, method, timed(function))
        yield absence
    finally:
        for (owner, method), function in zip(places, usual, strict=True):
            setattr(owner, method, function)


class Ours:
    """Modules, their backend and the banks, stepped through a workload."""

    def __init__(self, case: EvidenceCase, work: Workload) -> None:
        self.case, self.work = case, work
        models = models_of(work)
        self.modules = [
            EvidenceModule(f"m{i}", (CHANNEL,), case.settings, models) for i in range(case.modules)
        ]
        self.groups = make_groups(self.modules)
        self.backend = make_backend(case.backend, 1, case.device, groups=self.groups)
        began = time.perf_counter()
        self.banks = [seat.bank for seat in self.backend.seats(self.groups)]
        self.built = time.perf_counter() - began
        self._absence = Absence()
        self.reached: list[float] = []
        self.result: dict[str, ModuleResult] = {}

    @property
    def bank(self) -> EvidenceBank:
        bank = self.banks[0]
        assert isinstance(bank, EvidenceBank)
        return bank

    @property
    def compilations(self) -> int:
        return sum(bank.compilations for bank in self.banks if isinstance(bank, EvidenceBank))

    def batch(self, t: int) -> PerceptBatch:
        """The percept of a step, for every module."""
        batch = self.groups[0].empty_batch(1)
        for m, module in enumerate(self.modules):
            batch.put((0, m, 0), percept_of(self.work, t, self.case), module.layouts[0])
        return batch

    def reset(self) -> None:
        """Begin the walk again."""
        self.backend.reset(self.groups)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Steps inside know their host seconds. For all of them at once: whenever a method is exchanged,
        Python forgets what it knew of the class."""
        with away(self.case.device) as self._absence:
            yield

    def step(self, t: int, look: bool = True) -> Spent:
        """One step. To `look` at what was in reach, all hypotheses are read before and after it."""
        given = GroupInput(self.batch(t))
        before = self.evidence() if look and t else None
        self._absence.seconds = 0.0
        # the clock that is stopped first is started last: asking one costs up to 8 us when caches are cold
        cpu, wall, own = time.process_time(), time.perf_counter(), time.thread_time()
        self.result = self.backend.gather(self.backend.dispatch(self.groups, [given]))
        own = time.thread_time() - own - self._absence.seconds
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        for result in self.result.values():
            if result.failure is not None:
                raise result.failure
        if before is not None:
            self._note_reached(before)
        return Spent(wall, cpu, own)

    def host_seconds(self, t: int, repeats: int = 300) -> float | None:
        """CPU seconds of the calling thread for one more step with the kernels left out, so that its code and
        data stay in the caches: the fastest tenth of many. None where kernels cannot be left out."""
        if not in_host_memory(self.case.device):
            return None
        given, spent = GroupInput(self.batch(t)), []
        with patch.object(Plan, "__call__", lambda *_: None), patch.object(Bound, "run", lambda _: None):
            for _ in range(repeats):
                began = time.thread_time()
                self.backend.gather(self.backend.dispatch(self.groups, [given]))
                spent.append(time.thread_time() - began)
        return float(np.percentile(spent, 10))

    def evidence(self) -> list[Array]:
        """Every hypothesis' evidence in the first module, object by object, in the order of the models' nodes
        where they are as they began: those of each way to read the pose in the order of the tables."""
        values, counts = (
            self.bank.hypotheses.evidence.numpy()[0, 0],
            self.bank.hypotheses.counts.numpy()[0, 0],
        )
        found = [values[o, : counts[o]].copy() for o in range(self.case.objects)]
        if self.case.updater == "plain":
            for one, positions in zip(found, self.work.positions, strict=True):
                ways = one.reshape(-1, self.case.nodes)
                ways[:, spatial_order(positions)] = ways.copy()
        return found

    def _note_reached(self, before: list[Array]) -> None:
        gained = np.concatenate(self._gained(before))
        if len(gained):
            # a hypothesis without a node in reach loses exactly 1
            self.reached.append(float((gained > -1 + 1e-5).mean()))

    def _gained(self, before: list[Array]) -> list[Array]:
        """What the last step added to the hypotheses that were there before it, object by object."""
        if self.case.updater == "plain":
            return [new - old for old, new in zip(before, self.evidence(), strict=True)]
        # hypotheses come and go, but each keeps its last values; those of age 1 are the step's own
        history, ages, counts = read(
            [self.bank.tracker.history, self.bank.tracker.ages, self.bank.hypotheses.counts]
        )
        there = (ages[0, 0] > 1) & (np.arange(ages.shape[-1]) < counts[0, 0][:, None])
        steps = history[0, 0, :, -1] - history[0, 0, :, -2]
        return [gain[kept] for gain, kept in zip(steps, there, strict=True)]
