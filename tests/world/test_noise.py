"""Noise has the stated spread and depends on (seed, step, pixel) alone."""

from __future__ import annotations

import numpy as np

from saccade.world.noise import DepthNoise, normals, uniforms

SEEDS, STEPS = np.arange(40), np.zeros(40, np.int64)


def test_uniform_and_normal_moments():
    u = uniforms(SEEDS, STEPS, (50, 50), 0)
    assert 0 < u.min() < u.max() < 1
    assert abs(u.mean() - 0.5) < 0.005
    z = normals(SEEDS, STEPS, (50, 50), 0)
    assert abs(z.mean()) < 0.01
    assert abs(z.std() - 1) < 0.01
    # neighbours, rows and steps are unrelated
    assert abs(np.corrcoef(z[:, :, :-1].ravel(), z[:, :, 1:].ravel())[0, 1]) < 0.01
    assert abs(np.corrcoef(z[:-1].ravel(), z[1:].ravel())[0, 1]) < 0.01
    later = normals(SEEDS, STEPS + 1, (50, 50), 0)
    assert abs(np.corrcoef(z.ravel(), later.ravel())[0, 1]) < 0.01


def test_rows_are_their_own():
    together = normals(SEEDS, STEPS + 3, (5,), 1)
    alone = normals(SEEDS[7:8], STEPS[7:8] + 3, (5,), 1)
    assert np.array_equal(together[7], alone[0])


def test_depth_noise_models():
    depth = np.full((40, 1, 30, 30), 0.3)
    on = np.ones(depth.shape, bool)
    on[:, :, :5] = False
    noisy, seen = DepthNoise(sigma=0.003, relative=0.0133333, missing=0.25).apply(depth, on, SEEDS, STEPS)
    assert np.array_equal(noisy[~on], depth[~on])
    assert abs(noisy[on].std() - 0.005) < 0.0002
    assert not seen[~on].any()
    assert abs(seen[on].mean() - 0.75) < 0.02
    stepped, _ = DepthNoise(sigma=0.01, quantum=0.004).apply(depth, on, SEEDS, STEPS)
    assert np.allclose(stepped[on] / 0.004, np.round(stepped[on] / 0.004))
    assert DepthNoise().is_silent
