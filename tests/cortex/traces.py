"""The trace files: arrays of the reference to compare with, from `SACCADE_TRACES` or the copies in
tests/data.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.cortex.features import scalar_curvature
from saccade.cortex.messages import Percept
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.settings import BurstSettings, EvidenceSettings, PlainSettings

FOLDER = Path(os.environ.get("SACCADE_TRACES", Path(__file__).parents[1] / "data" / "traces"))
PATCH = "patch_0"

#: absolute tolerance and the share of entries that may lie on the other side of a threshold
TOLERANCE = {"float64": 1e-6, "float32": 1e-4}
TIES = {"float64": 0.0, "float32": 1e-3}


def names(prefix: str) -> list[str]:
    """All files that begin like this; every file of the folder is covered by one prefix (see test_traces)."""
    return sorted(path.stem for path in FOLDER.glob(f"{prefix}*.npz"))


def in_precisions(files: list[str]) -> list[Any]:
    """Each file in double precision, and the first in single precision; with the slow tests all of them."""
    single = [
        pytest.param(name, "float32", marks=[pytest.mark.slow] if number else [])
        for number, name in enumerate(files)
    ]
    return [*(pytest.param(name, "float64") for name in files), *single]


@dataclass
class Trace:
    name: str
    arrays: dict[str, np.ndarray]
    settings: dict[str, Any]

    def __getitem__(self, key: str) -> np.ndarray:
        return self.arrays[key]

    def get(self, key: str) -> np.ndarray | None:
        return self.arrays.get(key)

    @property
    def objects(self) -> list[str]:
        return list(self.settings["objects"])

    def models(self, channels: tuple[str, ...] = (PATCH,)) -> list[ObjectModel]:
        models = []
        for name in self.objects:
            sets = {}
            for channel in channels:
                key = f"obj_{name}" if f"obj_{name}_pos" in self.arrays else f"obj_{name}_{channel}"
                sets[channel] = nodes_of(self[f"{key}_pos"], self[f"{key}_x"])
            models.append(ObjectModel(name, sets))
        return models

    def percept(self, t: int, prefix: str = "", sender: str = PATCH) -> Percept:
        return Percept(
            location=self[f"{prefix}obs_location"][t],
            pose_vectors=self[f"{prefix}obs_pose_vectors"][t],
            pose_fully_defined=bool(self[f"{prefix}obs_pose_fully_defined"][t]),
            features={
                "hsv": self[f"{prefix}obs_hsv"][t],
                "principal_curvatures_log": self[f"{prefix}obs_principal_curvatures_log"][t],
            },
            sender=sender,
        )


def load(name: str) -> Trace:
    arrays = dict(_arrays(name))
    return Trace(name, arrays, json.loads(str(arrays.pop("settings"))))


@cache
def _arrays(name: str) -> dict[str, np.ndarray]:
    """Hundreds of a file, and dozens of tests read it: nobody may write into them."""
    with np.load(FOLDER / f"{name}.npz") as file:
        arrays = {key: file[key] for key in file.files}
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


def nodes_of(pos: np.ndarray, x: np.ndarray) -> NodeSet:
    return NodeSet(
        positions=pos,
        pose_vectors=x[:, 1:10].reshape(-1, 3, 3),
        fully_defined=x[:, 10] > 0.5,
        features={"hsv": x[:, 11:14], "principal_curvatures_log": x[:, 14:16]},
    )


def settings_of(given: dict[str, Any], **changes: Any) -> EvidenceSettings:
    """The settings of a trace file as ours."""
    same = (
        "max_match_distance", "max_nneighbors", "tolerances", "feature_weights", "feature_evidence_increment",
        "past_weight", "present_weight", "x_percent_threshold", "object_evidence_threshold",
        "path_similarity_threshold", "pose_similarity_threshold", "required_symmetry_evidence",
        "umbilical_num_poses", "initial_possible_poses", "vote_evidence_threshold", "vote_weight",
        "vote_neighbours",
    )  # fmt: skip
    values = {key: given[key] for key in same if key in given}
    if isinstance(values.get("initial_possible_poses"), list):
        values["initial_possible_poses"] = tuple(tuple(p) for p in values["initial_possible_poses"])
    values["evidence_threshold"] = given.get("evidence_threshold_config", "all")
    if "sampling_multiplier" in given:
        numbers = ("sampling_multiplier", "deletion_trigger_slope", "burst_trigger_slope")
        counts = ("sampling_burst_duration", "window_size", "min_age")
        values["updater"] = BurstSettings(
            **{k: float(given[k]) for k in numbers}, **{k: int(given[k]) for k in counts}
        )
    else:
        values["updater"] = PlainSettings()
    return EvidenceSettings(**{**values, **changes})


@dataclass
class Ties:
    """Entries that differ in single precision because they lie on a threshold: counted, and few."""

    dtype: str
    entries: int = 0
    different: int = 0

    def close(self, got: np.ndarray, expected: np.ndarray, what: str) -> None:
        got, expected = np.asarray(got), np.asarray(expected)
        assert got.shape == expected.shape, f"{what}: shape {got.shape}, expected {expected.shape}"
        bad = ~np.isclose(got, expected, rtol=0, atol=TOLERANCE[self.dtype], equal_nan=True)
        if self.dtype == "float64":
            assert not bad.any(), (
                f"{what}: {bad.sum()} of {bad.size} differ, worst {np.nanmax(np.abs(got - expected))}"
            )
        per_entry = np.atleast_1d(bad.any(axis=tuple(range(1, bad.ndim))))
        self.entries += len(per_entry)
        self.different += int(per_entry.sum())

    def report(self, record: Any) -> None:
        share = self.different / max(self.entries, 1)
        record("threshold_ties", f"{self.different} of {self.entries}")
        print(f"threshold ties in {self.dtype}: {self.different} of {self.entries}")
        assert share <= TIES[self.dtype], f"{self.different} of {self.entries} entries differ"


__all__ = ["FOLDER", "PATCH", "Ties", "Trace", "load", "names", "nodes_of", "scalar_curvature", "settings_of"]
