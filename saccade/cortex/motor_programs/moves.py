"""Moves that policies have in common, in components; `motor.policy` explains the formulas."""

from __future__ import annotations

from saccade.cortex.geometry import Rotation, Vector, add, subtract
from saccade.cortex.motor_programs.sight import Move, Sight
from saccade.cortex.ops import maximum, where
from saccade.cortex.vectors import (
    Frame,
    choose,
    column,
    compose,
    inverse,
    length,
    orthonormal,
    over,
    rotation_between,
    scaled,
    times,
    transposed,
)
from saccade.tensor import Tensor


def turn_by(rotation: Rotation) -> Move:
    """A turn in the agent's frame."""
    still = rotation[0] * 0.0
    return Move(Frame((still, still, still), rotation), still > 0.0)


def jump(frame: Frame) -> Move:
    """Poses in the world."""
    return Move(frame, frame.position[0] * 0.0 == 0.0)


def place_sensor(seen: Sight, guide: int, target: Frame) -> Move:
    mount = compose(inverse(seen.agent), seen.sensor(guide))
    motion = compose(inverse(seen.agent), compose(target, inverse(mount)))
    return Move(Frame(motion.position, orthonormal(motion.rotation)), motion.position[0] * 0.0 > 0.0)


def face_surface(seen: Sight, guide: int, point: Vector, normal: Vector, distance: float) -> Frame:
    current = seen.sensor(guide).rotation
    turn = rotation_between(column(current, 2), normal)
    return Frame(add(point, scaled(normal, distance)), orthonormal(times(turn, current)))


def jump_to(seen: Sight, guide: int, point: Vector, normal: Vector, distance: float) -> Move:
    """As `motor.goal.jump_to_goal`."""
    target = face_surface(seen, guide, point, normal, distance)
    mount = compose(inverse(seen.agent), seen.sensor(guide))
    there = compose(target, inverse(mount))
    return jump(Frame(there.position, orthonormal(there.rotation)))


def look_at(seen: Sight, guide: int, point: Vector) -> Rotation:
    mount = compose(inverse(seen.agent), seen.sensor(guide))
    agent = seen.agent
    for _ in range(4):
        sensor = compose(agent, mount)
        wanted = subtract(sensor.position, point)
        reach = length(wanted)
        backward = column(sensor.rotation, 2)
        wanted = choose(reach > 1e-9, over(wanted, maximum(reach, 1e-9)), backward)
        agent = Frame(agent.position, times(rotation_between(backward, wanted), agent.rotation))
    return orthonormal(times(transposed(seen.agent.rotation), agent.rotation))


def spiral(count: Tensor) -> tuple[Tensor, Tensor]:
    """Direction (left, up) of steps of a square spiral."""
    leg = spiral_leg(count)
    phase = leg - 4.0 * (leg / 4.0).floor()
    none = count * 0.0
    left = where(phase == 1.0, 1.0, where(phase == 3.0, -1.0, none))
    up = where(phase == 0.0, 1.0, where(phase == 2.0, -1.0, none))
    return left, up


def spiral_leg(count: Tensor) -> Tensor:
    """The number of the leg that steps belong to; leg n has n // 2 + 1 steps."""
    return (4.0 * count + 1.0).sqrt().floor() - 1.0


def halved(times: Tensor, most: int) -> Tensor:
    """1 halved so many times, at most `most`."""
    found = times * 0.0 + 1.0
    for number in range(most):
        found = where(times > float(number), 0.5 * found, found)
    return found
