"""Monty's frames in MuJoCo, drawn with less work; every observation stays the same bit for bit.

In: Monty's `Embodiment`, whose observations draw, for every sensor, colours with a shadow map of 4096 x 4096,
then depth. Out: the same observations, with two things left out:

* Nothing moves but cameras, so the shadow map of a scene never changes. It is drawn with the first frame of
  a renderer; afterwards MuJoCo clears and draws a framebuffer of 16 x 16 instead, and samples the first map.
* Colours are drawn when somebody reads them: of the view finder nobody ever does.

In software GL a frame of one sensor took 57 ms, of which clearing the map was 36, and takes 21 (Neoverse N1).
`python frames.py DATA OBJECT...` draws random frames both ways and counts values that differ. This file runs
in Monty's environment: nothing of saccade is imported here.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np


def install() -> None:
    """From here on, embodiments observe as below."""
    from tbp.monty.simulators.mujoco.agents import Embodiment

    Embodiment.observations = property(observations)


def observations(embodiment: Any) -> Any:
    """What the sensors of an embodiment see: colours (H, W, 4) once they are read, depth (H, W)."""
    from tbp.monty.frameworks.models.abstract_monty_classes import AgentObservations

    seen = AgentObservations()
    for name, sensor in embodiment._sensor_configs.items():
        if sensor.semantic:
            raise SystemExit(f"sensor {name} asks for segments: run with --as-shipped")
        renderer = embodiment.sim.renderer_for_res(sensor.resolution)
        camera = f"{embodiment.id}.{name}"
        renderer.update_scene(embodiment.sim.data, camera=camera)
        renderer.enable_depth_rendering()
        depth = renderer.render()
        renderer.disable_depth_rendering()
        seen[name] = Seen(embodiment.sim, renderer, camera, depth)
    return seen


class Seen(dict[str, Any]):
    """An observation whose "rgba" is drawn when it is first read."""

    def __init__(self, simulator: Any, renderer: Any, camera: str, depth: Any) -> None:
        super().__init__(depth=depth)
        self._drawn_by = simulator, renderer, camera, simulator.data.qpos.copy()

    def __reduce__(self) -> Any:
        """Checkpoints keep what was read, and no simulator."""
        return dict, (dict(self),)

    def __missing__(self, key: str) -> Any:
        if key != "rgba":
            raise KeyError(key)
        simulator, renderer, camera, pose = self._drawn_by
        if not np.array_equal(simulator.data.qpos, pose):
            raise RuntimeError(f"colours of {camera} are read after it moved: run with --as-shipped")
        renderer.update_scene(simulator.data, camera=camera)
        colours = renderer.render()
        keep_shadow_map(renderer)
        self["rgba"] = np.dstack([colours, np.full(colours.shape[:2], 255, dtype=colours.dtype)])
        return self["rgba"]


def keep_shadow_map(renderer: Any) -> None:
    """Once a renderer has drawn a frame: give its context another framebuffer to draw shadows into."""
    import mujoco
    from OpenGL import GL

    if hasattr(renderer, "shadows_kept"):
        return
    buffer, depth = GL.glGenFramebuffers(1), GL.glGenRenderbuffers(1)
    GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, depth)
    GL.glRenderbufferStorage(GL.GL_RENDERBUFFER, GL.GL_DEPTH_COMPONENT24, 16, 16)
    GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, buffer)
    GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, GL.GL_DEPTH_ATTACHMENT, GL.GL_RENDERBUFFER, depth)
    GL.glDrawBuffer(GL.GL_NONE)
    GL.glReadBuffer(GL.GL_NONE)
    context = renderer._mjr_context
    mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, context)
    # the context frees the framebuffer that it has at its end; its own goes with the GL context
    context.shadowFBO = int(buffer)
    renderer.shadows_kept = True


def compare(data: Path, names: list[str], frames: int) -> tuple[int, int]:
    """Random frames of objects in random rotations, as shipped and as here: values that differ, and all."""
    from tbp.monty.frameworks.sensors import Resolution2D, SensorConfig
    from tbp.monty.simulators.mujoco import MuJoCoSimulator
    from tbp.monty.simulators.mujoco.agents import Embodiment, SurfaceAgent

    square = Resolution2D(width=64, height=64)
    sensors = {
        "patch": SensorConfig(position=(0.0, 0.0, 0.0), resolution=square, zoom=10.0),
        "view_finder": SensorConfig(position=(0.0, 0.0, 0.03), resolution=square, zoom=1.0),
    }
    agent = partial(SurfaceAgent, agent_id="agent", sensor_configs=sensors, position=(0.0, 1.5, 0.1))
    shipped, random = Embodiment.observations.fget, np.random.default_rng(0)
    differ = values = 0
    for name in names:
        # two simulators, so that a map that is kept cannot reach the frames as shipped
        both = [MuJoCoSimulator([agent], data, raise_actuate_missing=False) for _ in range(2)]
        turned = tuple(_unit(random.normal(size=4)))
        for simulator in both:
            simulator.remove_all_objects()
            simulator.add_object(name, position=(0.0, 1.5, 0.0), rotation=turned)
        for _ in range(frames):
            pose = _looking(random)
            for simulator in both:
                simulator._agents["agent"]._embodiment.set_pose(*pose)
            mine, theirs = _observed(both[0], observations), _observed(both[1], shipped)
            for sensor in sensors:
                for key in ("rgba", "depth"):
                    differ += int((mine[sensor][key] != theirs[sensor][key]).sum())
                    values += theirs[sensor][key].size
        for simulator in both:
            simulator.close()
    return differ, values


def _observed(simulator: Any, how: Any) -> Any:
    import mujoco

    mujoco.mj_forward(simulator.model, simulator.data)
    seen = how(simulator._agents["agent"]._embodiment)
    for each in seen.values():
        each["rgba"]
    return seen


def _looking(random: np.random.Generator) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """A place within 7 to 30 cm of an object's middle, looking at it: position, quaternion (w, x, y, z)."""
    from scipy.spatial.transform import Rotation

    back = _unit(random.normal(size=3))
    right = _unit(np.cross((0.0, 1.0, 0.01), back))
    turned = Rotation.from_matrix(np.stack([right, np.cross(back, right), back], axis=1)).as_quat()
    place = np.array((0.0, 1.5, 0.0)) + back * random.uniform(0.07, 0.3)
    return tuple(place), (turned[3], turned[0], turned[1], turned[2])


def _unit(vector: Any) -> Any:
    return vector / np.linalg.norm(vector)


if __name__ == "__main__":
    print("{} of {} values differ".format(*compare(Path(sys.argv[1]), sys.argv[2:], 30)))
