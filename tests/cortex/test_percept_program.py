"""Percepts packed on the device against what the host packs: same numbers in the same places."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from saccade import Tensor
from saccade.cortex.bank.inputs import (
    BEFORE,
    CHECK,
    HEADING,
    LOCATED,
    NOWHERE,
    ROW,
    SLOT,
    Packed,
    Ways,
)
from saccade.cortex.features import FeatureLayout
from saccade.cortex.geometry import sensed_sets
from saccade.cortex.messages import PerceptBatch
from saccade.cortex.sense.percept_program import ResidentPercepts, Wiring
from saccade.cortex.sense.percepts import put_sensations
from saccade.cortex.sense.sense_program import COLUMNS, FIELDS, NEWS, columns_of, unpacked

from .patches import random_rotations

LAYOUT = FeatureLayout.make({"hsv": [0.1, 0.2, 0.2], "principal_curvatures_log": [1, 1]})
NARROW = FeatureLayout.make({"mean_curvature": 1, "depth": 1})
BARE = FeatureLayout.make({})
ROOM = 7

#: module by module the sensors of its channels, and the layouts of channels
WIRINGS = {
    "one": Wiring(1, ((0,),), (LAYOUT,), (0,)),
    "several modules": Wiring(3, ((0,), (2,), (1,)), (NARROW,), (0, 1, 2)),
    "several channels": Wiring(3, ((2, 1), (0, 2)), (LAYOUT, NARROW), (0, 1, 2)),
    "no features": Wiring(2, ((1,),), (BARE,), (1,)),
}


def felt_values(sensors: int, seed: int = 0) -> npt.NDArray[np.float64]:
    """(ROOM, S, COLUMNS) numbers with flags among them, poses that are poses."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(ROOM, sensors, COLUMNS))
    turns = random_rotations(ROOM * sensors, seed)
    values[..., columns_of("pose_vectors")] = turns.reshape(ROOM, sensors, 9)
    for name in ("pose_fully_defined", "on_object"):
        values[..., columns_of(name)] = rng.random((ROOM, sensors, 1)) < 0.6
    values[..., columns_of("usable")] = values[..., columns_of("on_object")] * (
        rng.random((ROOM, sensors, 1)) < 0.8
    )
    values[..., NEWS] = values[..., columns_of("usable")][..., 0] * (rng.random((ROOM, sensors)) < 0.6)
    return values


def host_batch(values: npt.NDArray[np.float64], wiring: Wiring, rows: npt.NDArray[np.int64]) -> PerceptBatch:
    felt, news = unpacked(values), values[..., NEWS] > 0.5
    width = max(layout.width for layout in wiring.layouts)
    batch = PerceptBatch.empty(ROOM, len(wiring.heard), len(wiring.layouts), width)
    for m, heard in enumerate(wiring.heard):
        for c, sensor in enumerate(heard):
            layout = wiring.layouts[c]
            put_sensations(batch, felt, news, sensor=sensor, module=m, channel=c, layout=layout)
    taken = PerceptBatch.empty(len(rows), *batch.shape[1:], width)
    there = rows >= 0
    taken.numbers[there], taken.flags[there] = batch.numbers[rows[there]], batch.flags[rows[there]]
    return taken


def heading_of(rows: npt.NDArray[np.int64], modules: int, seed: int = 1) -> npt.NDArray[np.float64]:
    rng, lead = np.random.default_rng(seed), (len(rows), modules)
    heading = np.zeros((*lead, HEADING))
    heading[..., BEFORE : BEFORE + 3] = rng.normal(size=(*lead, 3))
    heading[..., LOCATED], heading[..., CHECK] = rng.random(lead) < 0.7, rng.random(lead) < 0.7
    heading[..., SLOT] = np.where(rng.random(lead) < 0.7, rng.integers(0, 9, lead) * 8, NOWHERE)
    heading[..., ROW] = rows[:, None]
    return heading


@pytest.mark.parametrize("kind", WIRINGS)
@pytest.mark.parametrize("poses", [8, pytest.param(2, marks=pytest.mark.slow), 1])
def test_packed_percepts_are_those_of_the_host(kind: str, poses: int) -> None:
    wiring = WIRINGS[kind]
    values = felt_values(wiring.sensors)
    rows = np.array([4, -1, 0, 6, 2, 1, -1, 3, 5])
    heading = heading_of(rows, len(wiring.heard))
    batch = host_batch(values, wiring, rows)
    informed = np.array([(values[max(r, 0), list(wiring.told), NEWS] > 0.5).any() and r >= 0 for r in rows])
    check = (heading[..., CHECK] > 0.5) & informed[:, None]
    place, there = batch.mean_location()
    located = (there & (heading[..., LOCATED] > 0.5))[..., None]
    packed = Packed(len(rows), len(wiring.heard), tuple(each.width for each in wiring.layouts), None)
    packed.fill(batch, batch.flags.tobytes(), check, check.tobytes())
    packed.way[...] = np.where(located, place - heading[..., BEFORE : BEFORE + 3], 0.0)
    percepts = ResidentPercepts(Tensor(values.reshape(-1, COLUMNS)), wiring, None)
    found, readings = percepts.packed(heading, Ways(poses, "float64"))
    # of percepts that are not there nobody reads a curvature
    absent = np.zeros(packed.inbox.array.shape, bool)
    size = 13 + max(layout.width for layout in wiring.layouts)
    for c in range(len(wiring.layouts)):
        absent[..., 5 + c * size + 12] = ~batch.present[..., c]
    np.testing.assert_allclose(
        np.where(absent, 0, found.numpy()), np.where(absent, 0, packed.inbox.array), rtol=0, atol=1e-15
    )
    for c, reading in enumerate(readings):
        sets, number = sensed_sets(batch.pose_vectors[:, :, c], batch.pose_fully_defined[:, :, c], poses)
        np.testing.assert_allclose(reading.sets.numpy().reshape(sets.shape), sets, rtol=0, atol=1e-15)
        np.testing.assert_array_equal(reading.number.numpy(), number)
        assert isinstance(reading.slot, Tensor)
        slot = heading[..., SLOT]
        noted = np.where(slot < NOWHERE, slot + c * max(2, poses), NOWHERE)
        np.testing.assert_array_equal(reading.slot.numpy(), noted)
    assert percepts.packed(heading, None)[1] == ()


@pytest.mark.parametrize("column", ["location", "pose_vectors", "hsv"])
def test_a_module_with_a_number_that_is_none_hears_nothing_in_that_row(column: str) -> None:
    wiring = WIRINGS["several channels"]
    values, rows = felt_values(wiring.sensors), np.arange(ROOM)
    values[:, 2, columns_of("usable")] = 1.0
    values[3, 2, columns_of(column).start] = np.nan
    batch = host_batch(values, wiring, rows)
    wanted = batch.without(batch.unfit()) if column != "hsv" else batch
    percepts = ResidentPercepts(Tensor(values.reshape(-1, COLUMNS)), wiring, None)
    found = percepts.packed(heading_of(rows, 2), None)[0].numpy()
    flags = found[..., -8:].reshape(ROOM, 2, 2, 4) > 0.5
    # hsv counts for the channel that listens to it, whether or not it is news
    lost = np.zeros((ROOM, 2), bool)
    lost[3] = True if column != "hsv" else [True, False]
    np.testing.assert_array_equal(flags[..., 1], np.where(lost[..., None], False, wanted.present))
    assert np.isfinite(found).all()
    assert lost[3, 0]


def test_features_that_no_sensor_has_are_refused() -> None:
    other = Wiring(1, ((0,),), (FeatureLayout.make({"object_id": 1}),), (0,))
    with pytest.raises(ValueError, match="cannot report"):
        ResidentPercepts(Tensor(np.zeros((1, COLUMNS))), other, None)


def test_columns_are_those_of_the_fields() -> None:
    assert columns_of(FIELDS[0][0]) == slice(0, 3)
    assert columns_of(FIELDS[-1][0]) == slice(NEWS - 1, NEWS)
