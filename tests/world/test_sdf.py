"""Distance fields against closed forms and against brute force, with signs right also where parts overlap
or faces miss."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.runtime.cache.cache import Cache
from saccade.runtime.cache.folder import MARKER
from saccade.world.fields.sdf import build_field, cached_field, point_triangle
from saccade.world.meshes.mesh import Mesh, joined
from saccade.world.objects.shapes import blob, box

BALL = blob((0.05, 0.05, 0.05), (0.2, 0.4, 0.6), rings=90, segments=150)


def grid_of(field):
    return field.origin + field.pitch * np.stack(np.indices(field.distance.shape), axis=-1)


def test_distance_of_a_ball():
    field = build_field(BALL, 60_000)
    assert field.distance.size == pytest.approx(60_000, rel=0.3)
    true = np.linalg.norm(grid_of(field), axis=-1) - 0.05
    found = field.distance.astype(np.float64) * field.pitch
    near = np.abs(true) < 3 * field.pitch
    assert np.abs(found - true)[near].max() < 5e-5
    assert np.abs(found - true)[true > 0].max() < 0.1 * field.pitch
    sure = np.abs(true) > 5e-5
    assert ((found < 0) == (true < 0))[sure].all()
    assert np.allclose(field.color[near] / 255, (0.2, 0.4, 0.6), atol=0.003)


def test_point_triangle_against_many_points():
    rng = np.random.default_rng(0)
    for _ in range(30):
        a, b, c, p = rng.normal(size=(4, 3))
        found = np.zeros(3)
        point_triangle(np.concatenate([a, b - a, c - a]), 0, *p, found)
        u, v = np.meshgrid(np.linspace(0, 1, 300), np.linspace(0, 1, 300))
        inside = u + v <= 1
        spots = a + u[inside][:, None] * (b - a) + v[inside][:, None] * (c - a)
        best = np.linalg.norm(spots - p, axis=1).min()
        assert np.sqrt(found[0]) <= best + 1e-12
        assert np.sqrt(found[0]) > best - 0.02
        there = a + found[1] * (b - a) + found[2] * (c - a)
        assert np.linalg.norm(there - p) == pytest.approx(np.sqrt(found[0]))


def test_overlapping_parts_are_inside_and_their_hidden_faces_too():
    cross = joined([box((0.1, 0.03, 0.03), 0.002), box((0.03, 0.1, 0.03), 0.002)])
    field = build_field(cross, 40_000)
    p = np.abs(grid_of(field))
    deep = ((p < (0.048, 0.013, 0.013)).all(-1)) | ((p < (0.013, 0.048, 0.013)).all(-1))
    outside = ~(((p < (0.0501, 0.0151, 0.0151)).all(-1)) | ((p < (0.0151, 0.0501, 0.0151)).all(-1)))
    assert (field.distance[deep] < 0).all()
    assert (field.distance[outside] > 0).all()


def test_holes_do_not_turn_the_sign():
    """A tenth of the faces missing: hardly any point changes side."""
    whole = build_field(BALL, 30_000)
    rng = np.random.default_rng(0)
    keep = rng.random(len(BALL.faces)) > 0.1
    torn = Mesh(BALL.vertices, BALL.faces[keep], BALL.colors[keep])
    field = build_field(torn, 30_000)
    away = np.abs(whole.distance) > 1.5
    assert ((field.distance < 0) == (whole.distance < 0))[away].mean() > 0.98


def test_cache_gives_the_same_and_survives_a_cut_file(tmp_path):
    small = box((0.05, 0.04, 0.03), 0.003, pieces=3)
    cache = Cache(tmp_path, 1 << 30)
    first = cached_field(small, 5_000, cache)
    (kept,) = (path for path in tmp_path.iterdir() if path.name != MARKER)
    second = cached_field(small, 5_000, cache)
    kept.write_bytes(kept.read_bytes()[:100])
    third = cached_field(small, 5_000, cache)
    cache.put(kept.name, b"whole, and no field")
    fourth = cached_field(small, 5_000, cache)
    for other in (second, third, fourth):
        assert np.array_equal(first.distance, other.distance)
        assert np.array_equal(first.color, other.color)
        assert np.array_equal(first.origin, other.origin)
        assert first.pitch == other.pitch
    assert not list(tmp_path.glob("*.part"))
    cached_field(small.scaled(1.1), 5_000, cache)
    assert cache.stats().entries == 2
