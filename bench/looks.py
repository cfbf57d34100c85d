"""What a look costs: rays against meshes and sensor modules, by the loops of the host and by a device.

    python -m bench.looks                                       # small: the programs on the CPU
    python -m bench.looks --device cuda --rows 29 231 2048

Built-in objects, each triangle cut into four, which gives as many as scans have; one sensor of 16 x 16 pixels
a row. Milliseconds, the fastest of several; seconds of the first look on the device; pixels and flags that
differ, and how far depth and normals do.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from saccade.cortex.geometry import uniform_rotations
from saccade.cortex.sense import Sensation, sense
from saccade.cortex.sense.sense_program import DeviceSense
from saccade.world.agents import distant_rig, looking_at
from saccade.world.meshes.mesh import Mesh, WorldObject
from saccade.world.meshes.mesh_world import MeshWorld
from saccade.world.objects import DISTINCT, builtin_objects
from saccade.world.protocol import Actions, Observation, Placement, Scene

Feel = Callable[..., Sensation]


def finer(mesh: Mesh) -> Mesh:
    """The same surface, each triangle cut into four at the middles of its sides."""
    corners = mesh.triangles
    count = 3 * len(corners)
    middles = (corners + corners[:, [1, 2, 0]]) / 2
    a, b, c = np.arange(count).reshape(-1, 3).T
    ab, bc, ca = np.arange(count, 2 * count).reshape(-1, 3).T
    parts = ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))
    faces = np.concatenate([np.stack(part, axis=1) for part in parts])
    vertices = np.concatenate([corners.reshape(-1, 3), middles.reshape(-1, 3)])
    return Mesh(vertices, faces, np.tile(mesh.colors, (4, 1, 1)))


def fastest(function: Callable[[], object], times: int) -> float:
    """Milliseconds."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        function()
        found.append(time.perf_counter() - began)
    return min(found) * 1e3


def felt(feel: Feel, seen: Observation) -> Sensation:
    return feel(seen.points, seen.rgb, seen.on_object, seen.sensor.position, seen.sensor.rotation)


def compare(objects: list[WorldObject], rows: int, device: str, times: int) -> str:
    """One line of the table."""
    rng, turns = np.random.default_rng(rows), uniform_rotations()
    chosen = rng.integers(len(turns), size=rows)
    scenes = [
        Scene((Placement(objects[row % len(objects)].name, rotation=turns[chosen[row]]),))
        for row in range(rows)
    ]
    away = rng.normal(size=(rows, 3))
    eyes = 0.3 * away / np.linalg.norm(away, axis=1, keepdims=True)
    agent, every = looking_at(eyes, 0.015 * rng.normal(size=(rows, 3))), np.ones(rows, bool)
    host = MeshWorld(objects, distant_rig(1, 16), rows=rows)
    seen, stay = host.reset(every, scenes, agent), Actions.stay(rows)
    there, feel = MeshWorld(objects, distant_rig(1, 16), rows=rows, device=device), DeviceSense(device)
    began = time.perf_counter()
    found = there.reset(every, scenes, agent)
    wanted, got = felt(sense, seen), felt(feel, found)
    first = time.perf_counter() - began
    rays, sensing = fastest(lambda: host.step(stay), times), fastest(lambda: felt(sense, seen), times)
    both = fastest(lambda: felt(feel, there.step(stay)), times)
    patches: Any = found  # tensors
    depth, which = patches.depth.numpy()[:rows], patches.object.numpy()[:rows]
    flags = sum(
        int((getattr(wanted, name) != getattr(got, name)).sum())
        for name in ("usable", "on_object", "pose_fully_defined")
    )
    return (
        f"{rows:6d} {rays:10.2f} {sensing:10.2f} {both:10.2f} {first:8.2f} "
        f"{int((which != seen.object).sum()):8d} {flags:6d} {np.abs(depth - seen.depth).max():9.1e} "
        f"{np.abs(got.normal - wanted.normal).max():9.1e}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rows", type=int, nargs="+", default=[8])
    parser.add_argument("--objects", type=int, default=4)
    parser.add_argument("--times", type=int, default=5)
    given = parser.parse_args()
    objects = [
        WorldObject(each.name, finer(each.mesh)) for each in builtin_objects(DISTINCT[: given.objects])
    ]
    print("  rows  host rays host sense     device  first s   pixels  flags     depth   normals")
    for rows in given.rows:
        print(compare(objects, rows, given.device, given.times), flush=True)


if __name__ == "__main__":
    main()
