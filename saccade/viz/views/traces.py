"""The trace of an episode as a page wants it: checked, with votes and decisions told.

    trace = Trace.read(path)
    trace.steps, trace.modules, trace.objects
    votes(trace, trace.steps, config)[12]       # who told whom what at a step, and whether it was believed

`record.episode_trace` says what the arrays of a trace are. A file that no run wrote is an error that
names the array.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.errors import RunError
from saccade.experiment.record.episode_trace import ENDINGS
from saccade.experiment.report.plots import read_trace

#: Shapes after the steps: M modules, O objects, S sensors, any number.
_NEEDED: Final[dict[str, tuple[str | int, ...]]] = {
    "sensed": ("M", 3),
    "processed": (),
    "module_evidence": ("M", "O"),
    "module_best": ("M",),
    "module_location": ("M", 3),
    "module_rotation": ("M", 3, 3),
    "module_hypotheses": ("M",),
    "module_possible": ("M",),
    "module_terminal": ("M",),
    "module_processed": ("M",),
    "goal_location": (3,),
    "goal_normal": (3,),
    "goal_sender": (),
    "patch_rgb": ("S", "P", "P", 3),
    "sensor_position": ("S", 3),
    "sensor_rotation": ("S", 3, 3),
}
_OPTIONAL: Final[dict[str, tuple[str | int, ...]]] = {
    "felt_location": ("S", 3),
    "felt_pose": ("S", 3, 3),
    "second_object": ("M",),
    "second_location": ("M", 3),
    "second_rotation": ("M", 3, 3),
    "cloud_start": ("M",),
}
#: What a page is told of every step as it is.
TOLD: Final = tuple(
    sorted({*_NEEDED, *_OPTIONAL} - {"cloud_start", "module_evidence", "module_terminal", "patch_rgb"})
)
#: Decisions of a module that a page is told of.
_MOST_DECISIONS: Final = 200

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Trace:
    """The arrays of an episode; `modules` and `objects` name what is numbered in them."""

    path: Path
    arrays: dict[str, Array]
    modules: list[str]
    objects: list[str]

    @staticmethod
    def read(path: Path) -> Trace:
        """A trace of a run, or RunError."""
        arrays = {name: np.asarray(values) for name, values in read_trace(path).items()}
        missing = sorted({*_NEEDED, "modules", "module_objects"} - set(arrays))
        if missing:
            raise RunError(f"{path} has no {', '.join(missing)}: it is of an older version; run it again")
        found = Trace(path, arrays, *([str(n) for n in arrays[k]] for k in ("modules", "module_objects")))
        found._check()
        return found

    @property
    def steps(self) -> int:
        return len(self.arrays["processed"])

    def _check(self) -> None:
        sizes: dict[str | int, int] = {"M": len(self.modules), "O": len(self.objects)}
        for name, shape in {**_NEEDED, **_OPTIONAL}.items():
            if name not in self.arrays:
                continue
            found, wanted = self.arrays[name].shape, ("T", *shape)
            fits = len(found) == len(wanted) and self.arrays[name].dtype.kind in "biuf"
            for size, key in zip(found, wanted, strict=False):
                fits = fits and size == (key if isinstance(key, int) else sizes.setdefault(key, size))
            if not fits:
                raise RunError(
                    f"{self.path} is broken: array {name} has shape {found}; run the episode again"
                )
        if "cloud_start" in self.arrays:
            self._check_clouds()

    def _check_clouds(self) -> None:
        starts = self.arrays["cloud_start"].ravel()
        places, evidence, objects = (
            self.arrays.get(f"cloud_{name}", np.zeros(0)) for name in ("location", "evidence", "object")
        )
        count = len(evidence)
        rising = bool((np.diff(np.append(starts, count)) >= 0).all()) and (not len(starts) or starts[0] == 0)
        if places.shape != (count, 3) or objects.shape != (count,) or evidence.ndim != 1 or not rising:
            raise RunError(f"{self.path} is broken: its hypotheses have shape {places.shape}; run it again")

    def cloud_sizes(self, steps: int) -> list[list[int]] | None:
        """How many hypotheses there are of each step and module; None for a trace without them."""
        if "cloud_start" not in self.arrays:
            return None
        ends = np.append(self.arrays["cloud_start"].ravel(), len(self.arrays["cloud_evidence"]))
        sizes: list[list[int]] = np.diff(ends).reshape(-1, len(self.modules))[:steps].tolist()
        return sizes

    def cloud(self, step: int, module: int) -> tuple[Array, Array, Array]:
        """Locations on the object (N, 3), evidence (N,) and object numbers (N,) of a step and module."""
        if "cloud_start" not in self.arrays:
            raise RunError(f"{self.path} has no hypotheses: run it again with --set recording.hypotheses=500")
        if not (0 <= step < self.steps and 0 <= module < len(self.modules)):
            raise RunError(
                f"{self.path} has {self.steps} steps of {len(self.modules)} modules, "
                f"and no step {step} of module {module}"
            )
        ends = np.append(self.arrays["cloud_start"].ravel(), len(self.arrays["cloud_evidence"]))
        place = step * len(self.modules) + module
        own = slice(int(ends[place]), int(ends[place + 1]))
        return (
            self.arrays["cloud_location"][own],
            self.arrays["cloud_evidence"][own],
            self.arrays["cloud_object"][own],
        )


def sensors_of(config: ExperimentConfig, modules: int) -> list[int]:
    """The sensor that each module sits over; one above others sits over the first."""
    return [number if number < config.module.count else 0 for number in range(modules)]


def decisions(trace: Trace, steps: int) -> list[dict[str, Any]]:
    """When a module came to another decision than before, or changed what it believes in."""
    ending, best = trace.arrays["module_terminal"][:steps], trace.arrays["module_best"][:steps]
    found: list[dict[str, Any]] = []
    for module in range(len(trace.modules)):
        before = (0, -1)
        for step in range(steps):
            now = int(ending[step, module]), int(best[step, module])
            if now != before:
                name = ENDINGS[now[0]] if 0 <= now[0] < len(ENDINGS) else ""
                found.append({"step": step, "module": module, "ending": name, "object": now[1]})
            before = now
    return sorted(found, key=lambda each: (not each["ending"], each["step"]))[:_MOST_DECISIONS]


def votes(trace: Trace, steps: int, config: ExperimentConfig) -> list[list[dict[str, Any]]]:
    """Of each step, the strongest vote that each module hears of each other: what it says where the receiver
    is on the object, `off` metres from where the receiver believes to be itself (None where it believes in
    another object). A vote that is near enough adds to the evidence: it `agrees`."""
    from saccade.experiment.recognise.mind import voting_of

    numbers = {name: number for number, name in enumerate(trace.modules)}
    pairs = [
        (numbers[sender], numbers[receiver])
        for receiver, heard in voting_of(config).items()
        for sender in heard
        if sender in numbers and receiver in numbers
    ]
    arrays = trace.arrays
    best, told = arrays["module_best"][:steps], arrays["module_processed"][:steps]
    location, rotation = arrays["module_location"].astype(float), arrays["module_rotation"].astype(float)
    sensed, near = arrays["sensed"].astype(float), config.module.match_distance
    found: list[list[dict[str, Any]]] = [[] for _ in range(steps)]
    for sender, receiver in pairs:
        away = sensed[:steps, receiver] - sensed[:steps, sender]
        claim = location[:steps, sender] + np.einsum("tij,tj->ti", rotation[:steps, sender], away)
        off = np.linalg.norm(claim - location[:steps, receiver], axis=1)
        same = best[:, sender] == best[:, receiver]
        for step in np.flatnonzero(told[:, sender] & (best[:, sender] >= 0)):
            known = bool(same[step] and np.isfinite(off[step]))
            found[step].append(
                {
                    "from": sender,
                    "to": receiver,
                    "object": int(best[step, sender]),
                    "off": round(float(off[step]), 5) if known else None,
                    "agrees": known and bool(off[step] <= near),
                }
            )
    return found
