"""Tensor programs lay percepts on models as compiled loops do, and many claims at once as each alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import saccade.cortex.fitting.fitter_device as fitter_device
from saccade.cortex import ops
from saccade.cortex.fitting import fitter_programs as programs
from saccade.cortex.fitting.fitter import Fitter, Grain, HostFitter
from saccade.cortex.fitting.fitter_device import DeviceFitter, fitter_for
from saccade.cortex.fitting.flat import Poses, Shared
from saccade.cortex.fitting.settle import Claim, settle, settle_all
from saccade.cortex.fitting.surface import ModelSurface
from saccade.world.symmetry.symmetry import rotation_about

from ..codegen.cuda_emulator import emulated_gpu, needs_compiler

Floats = npt.NDArray[np.float64]
REACH = 0.0125


def ball(count: int, seed: int, radius: float) -> Floats:
    """(count, 9) places of a bumpy ball, its normals and colours that differ from side to side."""
    random = np.random.default_rng(seed)
    normals = random.normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    bump = 1 + 0.3 * np.exp(-3 * np.square(normals - [0.6, 0.0, 0.8]).sum(axis=1))
    colours = np.where(normals[:, :1] > 0.2, [0.2, 0.1, 0.7], [-0.1, 0.05, 0.4])
    return np.hstack([normals * bump[:, None] * radius * [1.0, 0.8, 1.4], normals, colours])


def surface(count: int, seed: int, radius: float, coloured: bool = True) -> ModelSurface:
    return ModelSurface.of_points(ball(count, seed, radius), REACH, coloured)


def poses(number: int, seed: int) -> Floats:
    """(number, 12) around no movement; the last is far beyond any grid."""
    random = np.random.default_rng(seed)
    turns = rotation_about(random.normal(size=(number, 3)), random.uniform(0, 0.8, number))
    shifts = random.normal(size=(number, 3)) * 0.004
    shifts[-1] = [50.0, -3.0, 1e4]
    return np.hstack([turns.reshape(-1, 9), shifts])


def sights(number: int, seed: int) -> Floats:
    """(number, 8) lines of sight past and through the middle, one along an axis, some that end before it."""
    random = np.random.default_rng(seed)
    eyes = random.normal(size=(number, 3)) * 0.1
    ahead = random.normal(size=(number, 3)) * 0.03 - eyes
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    eyes[0], ahead[0] = [0.0, 0.0, -0.2], [0.0, 0.0, 1.0]
    eyes[1], ahead[1] = [0.0, 9.0, -0.2], [0.0, 0.0, 1.0]
    ends = np.where(np.arange(number) % 3 == 2, 0.08, np.inf)
    return np.hstack([eyes, ahead, np.zeros((number, 1)), ends[:, None]])


SURFACES = [
    surface(600, 1, 0.03),
    surface(37, 2, 0.05, coloured=False),
    surface(600, 1, 0.03),
    surface(90, 3, 0.02),
]


def felt(*counts: int) -> Shared:
    """What was felt of balls; the second and the third claim share theirs."""
    arrays = [ball(count, seed, 0.032) for seed, count in enumerate(counts)]
    return Shared.among([arrays[0], arrays[1], arrays[1], arrays[2]])


@pytest.mark.parametrize("grain", ["fine", "coarse"])
@pytest.mark.parametrize("counts", [(40, 131, 1), (7, 3, 0)])
def test_programs_find_what_loops_find(grain: Grain, counts: tuple[int, int, int]) -> None:
    """Arrays of any length, none among them; models with and without colours; poses far away."""
    host, device = HostFitter(), DeviceFitter("cpu")
    given, asked = felt(*counts), Poses.each([poses(5, 1), poses(1, 2), poses(9, 3), poses(2, 4)])
    told = [each.costs(grain, SURFACES, given, asked) for each in (host, device)]
    there = given.counts[asked.claim] > 0
    np.testing.assert_allclose(told[1][there], told[0][there], rtol=0, atol=1e-12)
    assert (told[0][there] < 5).any()
    for rounds in (1, 4):
        moved = [each.moved(grain, SURFACES, given, asked, rounds).values for each in (host, device)]
        np.testing.assert_allclose(moved[1], moved[0], rtol=0, atol=1e-9)
    assert np.abs(moved[0] - asked.values).max() > 1e-3


def test_lines_of_sight_cross_the_same_shells() -> None:
    given = Shared.among([sights(40, 1), sights(3, 2), np.zeros((0, 8)), sights(150, 3)])
    asked = Poses.each([poses(5, 1), poses(3, 2), poses(2, 3), poses(4, 4)])
    told = [each.crossed(SURFACES, given, asked) for each in (HostFitter(), DeviceFitter("cpu"))]
    np.testing.assert_array_equal(*told)
    assert told[0].max() > 3
    # from within a solid nothing is seen, which says nothing
    within = sights(60, 4)
    within[:, :3] *= 0.1
    inside, claims = Shared.among([within] * 4), Poses.each([poses(5, seed) for seed in range(4)])
    told = [each.crossed(SURFACES, inside, claims) for each in (HostFitter(), DeviceFitter("cpu"))]
    np.testing.assert_array_equal(*told)
    assert not DeviceFitter("cpu").crossed(SURFACES, Shared.among([np.zeros((0, 8))] * 4), asked).any()


def test_poses_are_laid_as_they_are_and_after_icp() -> None:
    """Those that stay are among the others, claim by claim; percepts that move poses are some of those that
    judge them; a claim may have no line of sight."""
    given, nothing = felt(40, 131, 9), np.zeros((0, 8))
    free = Shared.among([sights(40, 1), nothing, sights(3, 2), nothing])
    still = Poses.each([poses(2, 1), poses(2, 2)[:1], np.zeros((0, 12)), poses(2, 4)])
    begun = Poses.each([poses(5, 5), poses(3, 6), poses(2, 7), poses(4, 8)])
    told = [
        each.laid(SURFACES, given.some(7), given, free, still, begun, 3)
        for each in (HostFitter(), DeviceFitter("cpu"))
    ]
    np.testing.assert_array_equal(told[0][0].claim, told[1][0].claim)
    np.testing.assert_allclose(told[1][0].values, told[0][0].values, rtol=0, atol=1e-9)
    np.testing.assert_allclose(told[1][1], told[0][1], rtol=0, atol=1e-9)
    kept = (told[1][0].values[:, None] == still.values).all(axis=-1).any(axis=1)
    assert kept.sum() >= len(still.claim)
    rough = [each.roughly(SURFACES, given, begun, 2) for each in (HostFitter(), DeviceFitter("cpu"))]
    np.testing.assert_allclose(rough[1][0].values, rough[0][0].values, rtol=0, atol=1e-9)
    np.testing.assert_allclose(rough[1][1], rough[0][1], rtol=0, atol=1e-9)


@pytest.mark.parametrize(("search", "waits", "sent"), [(False, 2, 5), (True, 5, 8)])
def test_the_host_waits_once_a_stage(
    monkeypatch: pytest.MonkeyPatch, search: bool, waits: int, sent: int
) -> None:
    """Poses are sent once a stage; percepts, those that move poses among them, and lines of sight once."""
    device, given = DeviceFitter("cpu"), poses(4, 3)[:3]
    claim = Claim(ball(70, 1, 0.032), SURFACES[3], given, free=sights(9, 1), search=search)
    device.know([SURFACES[3]])
    before, uploads = ops.waits, []

    def counted(*what: Any) -> Any:
        uploads.append(what)
        return ops.upload(*what)

    monkeypatch.setattr(fitter_device, "upload", counted)
    settle_all([claim], device)
    assert ops.waits - before == waits
    assert len(uploads) == sent


def test_more_poses_than_go_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of 64 poses, the last not full, and tables that grow with the models asked about."""
    monkeypatch.setattr(fitter_device, "FEW", 16)
    monkeypatch.setattr(fitter_device, "MOST_PAIRS", 64 * fitter_device.LEAST_FELT)
    device, given = DeviceFitter("cpu"), felt(40, 20, 10)
    for number in (1, 4):
        claims = list(range(number))
        asked = Poses.each([poses(50 + claim, claim) for claim in claims])
        own = Shared([given[claim] for claim in claims], np.arange(number))
        told = [each.costs("fine", SURFACES[:number], own, asked) for each in (HostFitter(), device)]
        np.testing.assert_allclose(told[1], told[0], rtol=0, atol=1e-12)


def test_poses_after_a_rehearsal_find_their_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitter_device, "FEW", 16)
    device, given = DeviceFitter("cpu"), felt(40, 20, 10)
    assert not device.rehearsals(3)  # of no surface there is nothing to make
    device.know(SURFACES)
    for part in device.rehearsals(70):
        part()
    assert device._arrays == 128
    sizes = [(programs.cost_of, device._longest), (programs.icp_round, device._longest)]
    made = [fitter_device._program(*size).compilations for size in sizes]
    assert min(made) > 0
    free = Shared.among([sights(4, 1)] * 4)
    for number in (2, 9):
        begun = Poses.each([poses(number, seed)[:number] for seed in range(4)])
        told = [
            each.laid(SURFACES, given, given, free, begun, begun, 2)[1] for each in (HostFitter(), device)
        ]
        np.testing.assert_allclose(told[1], told[0], rtol=0, atol=1e-9)
    assert [fitter_device._program(*size).compilations for size in sizes] == made


def test_room_for_arrays_grows_and_what_was_sent_with_less_is_sent_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fitter_device, "LEAST_ARRAYS", 2)
    device, given = DeviceFitter("cpu"), felt(40, 20, 10)
    for number in (1, 3, 1):
        own = Shared([given[claim] for claim in range(number)], np.arange(number))
        asked = Poses.each([poses(5, claim) for claim in range(number)])
        told = [each.costs("fine", SURFACES[:number], own, asked) for each in (HostFitter(), device)]
        np.testing.assert_allclose(told[1], told[0], rtol=0, atol=1e-12)
        rooms = {sent.shape[1] for known, sent in device._latest if len(known) == number}
        assert max(rooms) == (2 if len(device._latest) == 1 else 4)


def claims() -> list[Claim]:
    """With and without a search, lines of sight, what was before; one of which nothing was felt, one without
    a pose."""
    many, few = ball(70, 1, 0.032), ball(20, 2, 0.03)
    before = settle(few[:10], SURFACES[0], poses(3, 5)[:2], search=False)
    return [
        Claim(many, SURFACES[0], poses(30, 1)[:29], search=True),
        Claim(few, SURFACES[1], poses(4, 2), free=sights(20, 1), search=False),
        Claim(few[:0], SURFACES[1], poses(4, 2)),
        Claim(many, SURFACES[3], poses(4, 3)[:3], free=sights(9, 1), search=True),
        Claim(few, SURFACES[0], poses(2, 4), before, search=False),
        Claim(few, SURFACES[0], np.zeros((0, 12))),
    ]


@pytest.mark.parametrize("fitter", [HostFitter(), DeviceFitter("cpu")], ids=["loops", "programs"])
def test_claims_are_settled_together_as_alone(fitter: Fitter) -> None:
    together = settle_all(claims(), fitter)
    for claim, found in zip(claims(), together, strict=True):
        (alone,) = settle_all([claim])
        assert (len(found.poses), found.percepts) == (len(alone.poses), len(claim.percepts))
        for one, other in zip(found.poses, alone.poses, strict=True):
            np.testing.assert_allclose(one.packed, other.packed, rtol=0, atol=1e-9)
            np.testing.assert_allclose(one.cost, other.cost, rtol=1e-9)


def test_the_host_runs_loops_and_another_device_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(fitter_for("cpu"), HostFitter)
    monkeypatch.setattr(fitter_device, "in_host_memory", lambda device: device == "cpu")
    assert isinstance(fitter_for("cuda"), DeviceFitter)


@needs_compiler
def test_programs_on_a_gpu_find_what_loops_find(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, least in (("FEW", 8), ("LEAST_FELT", 8), ("LEAST_ARRAYS", 2)):
        monkeypatch.setattr(fitter_device, name, least)
    surfaces, given = SURFACES[1:2], Shared.among([ball(6, 1, 0.05)])
    asked, free = Poses.each([poses(3, 1)]), Shared.among([sights(4, 1)])
    host = HostFitter()
    with emulated_gpu():
        device = DeviceFitter("cuda")
        np.testing.assert_allclose(
            device.costs("fine", surfaces, given, asked),
            host.costs("fine", surfaces, given, asked),
            atol=1e-12,
        )
        moved = [each.moved("fine", surfaces, given, asked, 2).values for each in (host, device)]
        np.testing.assert_allclose(moved[1], moved[0], rtol=0, atol=1e-9)
        np.testing.assert_array_equal(
            device.crossed(surfaces, free, asked), host.crossed(surfaces, free, asked)
        )
