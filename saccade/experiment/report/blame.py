"""Why an episode went wrong: which evidence let the right hypothesis fall behind, and when.

In: a run with traces, and its models. Out: for every wrong or badly turned episode an `Account`: what speaks
for the truth and for what was reported, step by step and by kind: location (how far from the surface of the
model), pose (normal and direction), features, and the void (lines of sight that a surface would cross).

    for account in accounts(folder):
        print(account.row.id, account.verdict, account.worst)

Two ways, as episodes are decided. Where what was felt is laid on models (`settling`), the costs of the truth
and of the pose that was reported are compared (`weighed`). Elsewhere hypotheses gain evidence step by step,
and the truth is replayed as if it had been one from the first step on (`account`). If it would have won, then
it was not judged worse, it was not there: never made, or given up on a stretch that went badly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from saccade.cortex.features import FeatureLayout
from saccade.cortex.fitting.free_space import Reals, lines_of_sight
from saccade.cortex.fitting.surface import MOST, percepts_in
from saccade.cortex.hypotheses.evidence import NOTHING_NEAR
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.models.tensor_file import FileError
from saccade.cortex.settings import EvidenceSettings
from saccade.experiment.engine.build import evidence_settings, make_rig
from saccade.experiment.engine.episode import EpisodeRow
from saccade.experiment.engine.memory import load_memory
from saccade.experiment.errors import RunError
from saccade.experiment.plan.rotations import from_euler
from saccade.experiment.recognise.settling import OTHER_POSE, Settler, settles
from saccade.experiment.record.record import RunFolder
from saccade.experiment.report.plots import read_trace
from saccade.experiment.run import models_path
from saccade.files.reading import reading
from saccade.reproducible import apply, dot, norm, total
from saccade.world.symmetry.symmetry import rotation_error

Floats = npt.NDArray[np.float64]
Trace = Mapping[str, npt.NDArray[np.generic]]

#: degrees from which on a right object counts as badly turned
BADLY = 20.0
#: the kinds of evidence, in the order of the columns of `parts`
KINDS = ("location", "pose", "features", "void")
#: rounds of ICP that the truth is moved by, for what was reported was moved, too
ROUNDS = 8
#: steps that are named, those at which the right hypothesis lost most
NAMED = 3


@dataclass(frozen=True)
class Account:
    """right, won (T, 4): what the truth and the hypothesis that won gain from each percept, by `KINDS`.
    steps (T,): the looks they came with. twins: the models of both are samplings of one thing. missing: why
    the two could not be compared."""

    row: EpisodeRow
    won_object: str
    right: Floats
    won: Floats
    steps: npt.NDArray[np.int64]
    twins: bool = False
    missing: str = ""

    @staticmethod
    def without(row: EpisodeRow, missing: str) -> Account:
        """Of an episode in which there is nothing to compare."""
        nothing = np.zeros((0, len(KINDS)))
        return Account(row, row.detected, nothing, nothing, np.zeros(0, np.int64), missing=missing)

    @property
    def lead(self) -> Floats:
        """(T,) how far the truth is ahead after each percept."""
        return np.cumsum(total(self.right - self.won))

    @property
    def by_kind(self) -> dict[str, float]:
        """What the truth gained more than the other, in all, by kind of evidence."""
        gained = total((self.right - self.won).T)
        return {kind: round(float(value), 2) for kind, value in zip(KINDS, gained, strict=True)}

    @property
    def verdict(self) -> str:
        """In a few words: what decided."""
        if self.missing or not len(self.steps):
            return self.missing or "nothing was felt"
        if self.twins:
            return f"nothing tells it from {self.row.detected}: their models are of one thing"
        if self.lead[-1] >= 0:
            return "the truth would have won: it was never made, or given up"
        kind = min(self.by_kind, key=lambda each: self.by_kind[each])
        behind = np.flatnonzero(self.lead >= 0)
        since = self.steps[behind[-1] + 1] if len(behind) else self.steps[0]
        return f"the truth lost by {kind}, behind since step {since}"

    @property
    def worst(self) -> list[tuple[int, str, float]]:
        """The steps at which the truth lost most: look, kind of evidence, how much."""
        loss = total(self.right - self.won)
        order = [each for each in np.argsort(loss, kind="stable")[:NAMED] if loss[each] < 0]
        kinds = np.argmin(self.right - self.won, axis=1)
        return [(int(self.steps[each]), KINDS[kinds[each]], round(float(loss[each]), 2)) for each in order]

    def told(self) -> dict[str, object]:
        """As a table for JSON."""
        worst = [{"step": step, "by": kind, "lost": lost} for step, kind, lost in self.worst]
        return {
            "id": self.row.id,
            "object": self.row.object,
            "reported": self.row.detected,
            "rotation_error": self.row.rotation_error if math.isfinite(self.row.rotation_error) else None,
            "verdict": self.verdict,
            "by_kind": self.by_kind,
            "worst": worst,
        }


def accounts(folder: RunFolder) -> Iterator[Account]:
    """An account of every wrong or badly turned episode of an evaluation."""
    config = folder.config
    memory = load_memory(models_path(Path(config.train.models) if config.train.models else folder.path))
    settler = Settler.of(config, memory)
    if config.module.each_kind[0] != "evidence" or (config.module.levels != 1 and settler is None):
        raise RunError(f"{folder.path}: only evidence modules of one level can be asked for their errors")
    settings, rig = evidence_settings(config), make_rig(config)
    for row in folder.rows():
        turned = math.isfinite(row.rotation_error) and row.rotation_error > BADLY
        if row.phase != "eval" or (row.correct and not turned):
            continue
        path = folder.trace_path(row.id)
        trace = felt_trace(path)
        with reading(path, RunError, "run the evaluation again with --traces"):
            if not any(row.object in models for models in memory.modules):
                found = Account.without(row, f"no model is called {row.object}")
            elif settler is not None and "report_pose" in trace:
                found = weighed(row, trace, settler, rig.half_tangent, "hsv" in config.sensor.features)
            elif config.module.levels != 1:
                found = Account.without(row, "nothing was reported")
            else:
                found = account(row, trace, memory.modules[0], rig.names[0], settings)
        # what was told apart, rightly or not, ended as a match
        open_names = row.ending == "mlh" and row.detected != row.object and not found.missing
        twins = settler is not None and open_names and settler.are_twins(row.object, row.detected)
        yield replace(found, twins=twins)


def not_told_apart(folder: RunFolder) -> list[tuple[str, str]]:
    """Pairs of objects that an evaluation took for each other as the likeliest, and whose models are of one
    thing: no look tells them apart. Needs no traces; nothing where the models are elsewhere."""
    config = folder.config
    taken = {
        (min(row.object, row.detected), max(row.object, row.detected))
        for row in folder.rows()
        if row.phase == "eval" and row.ending == "mlh" and row.detected and not row.correct
    }
    if not taken or not settles(config):
        return []
    try:
        memory = load_memory(models_path(Path(config.train.models) if config.train.models else folder.path))
    except (RunError, FileError):
        return []
    module, train = config.module, config.train
    settler = Settler(memory, module.match_distance, module.count, overlap=train.overlap, misfit=train.misfit)
    known = {name for models in memory.modules for name in models}
    return [pair for pair in sorted(taken) if known.issuperset(pair) and settler.are_twins(*pair)]


def weighed(
    row: EpisodeRow, trace: Trace, settler: Settler, tangent: Reals, coloured: bool = True
) -> Account:
    """What the percepts and lines of sight of all sensors cost in the truth and in the pose that was
    reported, on what all modules know. tangent (S,): of half the angle of view."""

    def of_sensors(name: str) -> Floats:
        return np.asarray(trace[name][:, : settler.sensors], np.float64)

    places, poses, hsv = map(of_sensors, ("felt_location", "felt_pose", "felt_hsv"))
    percepts = percepts_in(places, poses[..., 0, :], hsv if coloured else None)
    eyes, turned, nearest = map(of_sensors, ("sensor_position", "sensor_rotation", "sensor_nearest"))
    sights = lines_of_sight(eyes, -turned[..., 2], nearest, tangent[: settler.sensors], settler.reach)
    usable, free = of_sensors("felt_usable") > 0, sights[..., 6] < sights[..., 7]
    there = usable | free

    def gains(name: str, pose: Floats) -> Floats:
        surface, costs = settler.surface(name), np.zeros((*there.shape, len(KINDS)))
        costs[usable, :3] = surface.fine.parts(percepts[usable], pose)
        costs[free, 3] = [MOST * surface.shell.crossed(line[None], pose[None])[0] for line in sights[free]]
        return -costs[there]

    reported = np.asarray(trace["report_pose"], np.float64)
    if reported.shape != (12,) or not np.isfinite(reported).all():
        raise ValueError(f"report_pose has shape {reported.shape}, or numbers that are none")
    truth = from_euler([float(angle) for angle in row.target_rotation.split()])
    settled = _as_it_fits(np.concatenate([truth.T.reshape(9), np.zeros(3)]), percepts[usable], row, settler)
    right, won = gains(row.object, settled), gains(row.detected, reported)
    return Account(row, row.detected, right, won, np.nonzero(there)[0] + 1)


def _as_it_fits(truth: Floats, percepts: Floats, row: EpisodeRow, settler: Settler) -> Floats:
    """(12,) the true pose, moved onto the model as long as it stays the same pose: models are some
    millimetres beside the things they are of."""
    surface = settler.surface(row.object)
    poses = np.concatenate([truth[None], surface.fine.settled(percepts, truth[None], ROUNDS, surface.size)])
    turns = poses[:, :9].reshape(-1, 3, 3)
    same = float(rotation_error(turns[1], turns[0])) < OTHER_POSE
    costs = surface.fine.told(percepts, poses)
    return np.asarray(poses[1 if same and costs[1] < costs[0] else 0])


def account(
    row: EpisodeRow, trace: Trace, models: Mapping[str, ObjectModel], channel: str, settings: EvidenceSettings
) -> Account:
    """What the truth and the first module's best hypothesis gain as evidence."""
    best = int(trace["best_object"][-1])
    if best < 0:
        return Account.without(row, "nothing was believed")
    if row.object not in models:
        return Account.without(row, f"the first module does not know {row.object}")
    won = str(trace["objects"][best])
    felt = np.flatnonzero(np.logical_and(trace["felt_usable"][:, 0], trace["processed"]))
    truth = from_euler([float(angle) for angle in row.target_rotation.split()])
    rotation = np.asarray(trace["best_rotation"][-1], np.float64)
    shift = trace["best_location"][-1] - apply(rotation, np.asarray(trace["sensed"][-1, 0], np.float64))
    poses = (row.object, (truth.T, np.zeros(3))), (won, (rotation, shift))
    right, other = (
        gained(trace, felt, models[name].channels[channel], pose, settings, channel) for name, pose in poses
    )
    return Account(row, won, right, other, felt + 1)


def felt_trace(path: Path) -> Trace:
    """The arrays of a trace that tells what was felt; RunError if there is none."""
    if not path.is_file():
        raise RunError(f"{path} is missing: run the evaluation with --traces to see why it went wrong")
    trace = read_trace(path)
    if "felt_usable" not in trace:
        raise RunError(f"{path} does not tell what was felt: run the evaluation again with --traces")
    return trace


def gained(
    trace: Trace,
    felt: npt.NDArray[np.int64],
    nodes: NodeSet,
    pose: tuple[Floats, Floats],
    settings: EvidenceSettings,
    channel: str,
) -> Floats:
    """(T, 4) what the first sensor's percepts `felt` (T,) say for a pose of a model: object = R body + t."""
    (rotation, shift), layout = pose, settings.layout(channel)
    out = np.zeros((len(felt), len(KINDS)))
    stored = nodes.columns(layout, "the model").astype(np.float64)
    positions, vectors = nodes.positions.astype(np.float64), nodes.pose_vectors.astype(np.float64)
    for number, step in enumerate(felt):
        place = apply(rotation, np.asarray(trace["felt_location"][step, 0], np.float64)) + shift
        sensed = apply(rotation, np.asarray(trace["felt_pose"][step, 0], np.float64))
        hsv, curvatures = (trace[name][step, 0] for name in ("felt_hsv", "felt_curvature"))
        columns = {"hsv": hsv, "principal_curvatures_log": curvatures}
        curvature = float(np.abs(curvatures).max())
        offset = positions - place
        away = norm(offset)
        near = np.argsort(away, kind="stable")[: settings.max_nneighbors]
        reach = away[near] + np.abs(dot(offset[near], sensed[0])) / (curvature + 0.5)
        near = near[reach < settings.max_match_distance]
        if not len(near):
            out[number, 0] = NOTHING_NEAR
            continue
        defined = nodes.fully_defined[near] & bool(trace["felt_defined"][step, 0])
        facing = np.clip(dot(vectors[near, 0], sensed[0]), -1.0, 1.0)
        along = np.clip(dot(vectors[near, 1], sensed[1]), -1.0, 1.0)
        weights = settings.pose_weights
        posed = weights[0] * (0.5 - np.sqrt((1 - facing) / 2))
        posed = posed + weights[1] * np.where(defined, 0.5 - np.sqrt(1 - along * along), 0.0)
        looks = fit(stored[near], layout.pack({name: columns[name] for name in layout.names}), layout)
        best = int(np.argmax(posed + looks))
        out[number, 1:3] = posed[best], looks[best]
    return out


def fit(stored: Floats, sensed: Floats, layout: FeatureLayout) -> Floats:
    """(N,) how well features of nodes (N, F) fit the sensed ones (F,), in 0..1; see `feature_evidence`."""
    away = np.abs(stored - sensed)
    for hue in layout.hue_columns:
        away[:, hue] = np.minimum(away[:, hue], np.abs(1.0 - away[:, hue]))
    tolerances, weights = np.array(layout.tolerances), np.array(layout.weights)
    return np.asarray(total(np.maximum(tolerances - away, 0.0) / tolerances * weights) / total(weights))
