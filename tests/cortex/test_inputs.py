"""What a step is given: batches of percepts, and how they reach a program."""

from __future__ import annotations

import numpy as np

from saccade.cortex.bank.inputs import Packed, unpack
from saccade.cortex.bank.outcome import Marked
from saccade.cortex.features import FeatureLayout
from saccade.cortex.messages import Percept, PerceptBatch
from saccade.cortex.settings import EvidenceSettings


def filled(rows: int, modules: int, channels: int, width: int, seed: int = 0) -> PerceptBatch:
    rng = np.random.default_rng(seed)
    batch = PerceptBatch.empty(rows, modules, channels, width)
    batch.numbers[:] = rng.normal(size=batch.numbers.shape)
    batch.flags[:] = rng.random(batch.flags.shape) > 0.5
    return batch


def test_the_parts_of_a_batch_are_views() -> None:
    batch = PerceptBatch.empty(2, 3, 1, 4)
    assert batch.shape == (2, 3, 1)
    np.testing.assert_array_equal(batch.pose_vectors[1, 2, 0], np.eye(3))
    batch.location[0, 1, 0] = 1, 2, 3
    batch.pose_vectors[0, 1, 0] = np.arange(9).reshape(3, 3)
    batch.features[0, 1, 0, :2] = 7
    batch.present[0, 1] = True
    part = batch.modules(1, 2)
    np.testing.assert_array_equal(part.numbers[0, 0, 0, :12], [1, 2, 3, *range(9)])
    np.testing.assert_array_equal(part.features[0, 0, 0], [7, 7, 0, 0])
    assert part.present.tolist() == [[[True]], [[False]]]
    assert batch.modules(0, 3) is batch


def test_what_is_packed_is_what_a_program_sees() -> None:
    widths = (3, 1)
    settings = EvidenceSettings(dtype="float64")
    packed = Packed(2, 2, widths, "cpu")
    for seed, checks in enumerate(
        ([[True, False], [False, True]], [[True, False], [False, True]], [[False] * 2] * 2)
    ):
        batch, check = filled(2, 2, 2, 3, seed), np.array(checks)
        packed.way[...] = seed
        packed.fill(batch, batch.flags.tobytes(), check, check.tobytes())
        step = unpack(packed.inbox.tensor, widths, settings)
        assert [float(part.numpy().max()) for part in step.displacement] == [seed] * 3
        np.testing.assert_array_equal(step.check.numpy(), check)
        processed = (batch.present & batch.informative).any(axis=2)
        np.testing.assert_array_equal(step.processed.numpy(), processed)
        moved = batch.present.any(axis=2) & ~processed
        np.testing.assert_array_equal(step.moved_only.numpy(), moved)
        for c, sensed in enumerate(step.channels):
            normal = np.stack([part.numpy()[..., 0, 0] for part in sensed.normal], axis=-1)
            np.testing.assert_array_equal(normal, batch.pose_vectors[:, :, c, 0])
            first = np.stack([part.numpy()[..., 0, 0] for part in sensed.first], axis=-1)
            np.testing.assert_array_equal(first, batch.pose_vectors[:, :, c, 1])
            np.testing.assert_array_equal(
                sensed.fully_defined.numpy()[..., 0, 0], batch.pose_fully_defined[:, :, c]
            )
            np.testing.assert_array_equal(sensed.curvature.numpy()[..., 0, 0], batch.curvature[:, :, c])
            np.testing.assert_array_equal(sensed.features.numpy(), batch.features[:, :, c, : widths[c]])
            usable = batch.present[:, :, c] & batch.informative[:, :, c]
            np.testing.assert_array_equal(sensed.usable.numpy(), usable)


def test_a_displacement_follows_from_where_the_sensors_were() -> None:
    batch, check = filled(2, 3, 1, 1), np.zeros((2, 3), bool)
    before = np.random.default_rng(1).normal(size=(2, 3, 3))
    packed = Packed(2, 3, (1,), "cpu")
    for follows, want in ((True, batch.location[:, :, 0] - before), (False, before)):
        packed.fill(batch, batch.flags.tobytes(), check, check.tobytes(), follows)
        packed.way[...] = before
        step = unpack(packed.inbox.tensor, (1,), EvidenceSettings())
        moved = np.stack([part.numpy()[..., 0, 0] for part in step.displacement], axis=-1)
        np.testing.assert_array_equal(moved, want)


def test_what_the_flags_of_a_batch_say() -> None:
    batch = filled(3, 2, 2, 1)
    batch.present[0] = True
    marked = Marked.of(batch)
    usable = batch.present & batch.informative
    np.testing.assert_array_equal(marked.usable, usable)
    np.testing.assert_array_equal(marked.processed, usable.any(axis=2))
    np.testing.assert_array_equal(marked.on_object, (batch.present & batch.on_object).any(axis=2))
    assert marked.lists == (marked.processed.tolist(), marked.on_object.tolist())
    assert marked.all_present == bool(batch.present.any(axis=2).all())
    batch.present[:] = True
    assert Marked.of(batch).all_present


def test_numbers_that_are_not_finite_are_found_where_they_count() -> None:
    batch = PerceptBatch.empty(1, 3, 1, 2)
    batch.present[:] = batch.informative[:] = True
    assert batch.fit()
    batch.location[0, 1] = np.nan
    batch.features[0, 2, 0, 1] = np.inf
    assert not batch.fit()
    assert batch.unfit().tolist() == [[False, True, True]]
    batch.informative[0, 2] = False
    assert batch.unfit().tolist() == [[False, True, False]], "features that do not count may be anything"
    rest = batch.without(np.array([[False, True, True]]))
    assert rest.fit()
    assert rest.present[0, :, 0].tolist() == [True, False, False]
    assert not np.isfinite(batch.location).all(), "the batch itself is left alone"


def test_the_curvature_is_one_that_the_module_listens_to() -> None:
    felt = Percept(np.zeros(3), features={"principal_curvatures_log": [3.0, -4.0], "mean_curvature": [2.0]})
    found = []
    for names in (("principal_curvatures_log",), ("mean_curvature",), ()):
        layout = FeatureLayout.make({name: [1.0] * len(felt.features[name]) for name in names})
        batch = PerceptBatch.empty(1, 1, 1, layout.width)
        batch.put((0, 0, 0), felt, layout)
        found.append(batch.curvature[0, 0, 0])
    assert found == [4.0, 2.0, 10.0]
