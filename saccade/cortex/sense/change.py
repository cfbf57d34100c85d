"""The feature-change filter: pass a sensation on only when it differs enough from the last one that was
passed.

Comes in: a `Sensation` and what each sensor passed last. Goes out: which sensations to pass (R, S) and the
new memory. Movement is never filtered: a sensation that is held back still reports its location, so
hypotheses are displaced on every step and gather evidence only on steps that tell something new.

    passed, memory = pass_changes(felt, memory, ChangeThresholds(distance=0.01))
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.cortex.sense.module import Sensation
from saccade.cortex.sense.surface import Flags, Floats
from saccade.reproducible import cosine_of, dot, norm


@dataclass(frozen=True)
class ChangeThresholds:
    """A sensation is news when any of these is exceeded; None leaves that one out.

    distance: metres from where the last one was passed. steps: usable sensations held back since then.
    hsv: hue (circular), saturation, value. normal_angle: radians. curvatures_log: both components.
    """

    distance: float | None = 0.01
    steps: int | None = 20
    hsv: tuple[float, float, float] | None = (0.1, 0.1, 0.1)
    normal_angle: float | None = np.pi / 4
    curvatures_log: tuple[float, float] | None = (2.0, 2.0)


@dataclass(frozen=True)
class ChangeMemory:
    """The last passed sensation of each sensor: location (R, S, 3), normal (R, S, 3), hsv (R, S, 3),
    curvatures_log (R, S, 2), held (R, S) sensations held back since, begun (R, S) whether one was passed at
    all.
    """

    location: Floats
    normal: Floats
    hsv: Floats
    curvatures_log: Floats
    held: NDArray[np.int64]
    begun: Flags

    @staticmethod
    def empty(rows: int, sensors: int) -> ChangeMemory:
        """Nothing passed yet; also the value to put into rows that are reset."""
        three = np.zeros((rows, sensors, 3))
        none = np.zeros((rows, sensors), dtype=bool)
        return ChangeMemory(three, three, three, np.zeros((rows, sensors, 2)), none.astype(np.int64), none)


def pass_changes(
    felt: Sensation, memory: ChangeMemory, thresholds: ChangeThresholds
) -> tuple[Flags, ChangeMemory]:
    """Which usable sensations are news (R, S), and the memory after passing those."""
    news = felt.usable & (~memory.begun | _differs(felt, memory, thresholds))
    chosen = news[..., None]
    return news, ChangeMemory(
        location=np.where(chosen, felt.location, memory.location),
        normal=np.where(chosen, felt.normal, memory.normal),
        hsv=np.where(chosen, felt.hsv, memory.hsv),
        curvatures_log=np.where(chosen, felt.curvatures_log, memory.curvatures_log),
        held=np.where(news, 0, memory.held + felt.usable),
        begun=memory.begun | news,
    )


def _differs(felt: Sensation, memory: ChangeMemory, thresholds: ChangeThresholds) -> Flags:
    differs = np.zeros(felt.usable.shape, dtype=bool)
    if thresholds.distance is not None:
        differs |= norm(felt.location - memory.location) > thresholds.distance
    if thresholds.steps is not None:
        differs |= memory.held >= thresholds.steps
    if thresholds.hsv is not None:
        gap = np.abs(felt.hsv - memory.hsv)
        gap[..., 0] = np.minimum(gap[..., 0], np.abs(1.0 - gap[..., 0]))
        differs |= (gap > np.asarray(thresholds.hsv)).any(axis=-1)
    if thresholds.normal_angle is not None:
        cosine = dot(felt.normal, memory.normal)
        differs |= cosine <= cosine_of(thresholds.normal_angle)
    if thresholds.curvatures_log is not None:
        gap = np.abs(felt.curvatures_log - memory.curvatures_log)
        differs |= (gap > np.asarray(thresholds.curvatures_log)).any(axis=-1)
    return differs
