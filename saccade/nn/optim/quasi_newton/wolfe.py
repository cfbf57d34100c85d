"""A line search to the strong Wolfe conditions (Nocedal and Wright 2006, section 3.5).

    loss(t) <= loss(0) + 1e-4 * t * slope(0)     it went down far enough for how far it went
    |slope(t)| <= 0.9 * |slope(0)|               and there is little left to gain along the line

First the step grows until the minimum is behind it, then the interval around it shrinks, to the minimum of
the cubic through its ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ....tensor.tensor import Tensor

#: of the two conditions, and trials at most
_DECREASE, _CURVATURE, _TRIALS = 1e-4, 0.9, 25
#: a trial is no nearer to an end of its interval than this share of it
_MARGIN: Final = 0.1
#: an interval is done with where the parameters at its ends differ by less
_SHORTEST: Final = 1e-9


@dataclass(frozen=True)
class Trial:
    """A place on the line: how far it is, the loss and its derivative along the line, and its gradient."""

    length: float
    loss: float
    rise: float
    slope: Tensor


def strong_wolfe(at: Callable[[float], Trial], start: Trial, length: float, size: float, room: int) -> Trial:
    """A place that meets both conditions, or the best that was met. `at` evaluates a place, `length` is the
    first to try, `size` the largest element of the direction, and `room` how many may be tried."""

    def is_low(trial: Trial) -> bool:
        return trial.loss <= start.loss + _DECREASE * trial.length * start.rise

    def is_flat(trial: Trial) -> bool:
        return abs(trial.rise) <= -_CURVATURE * start.rise

    left = min(room, _TRIALS)
    before, low, high = start, start, start
    while left:
        trial = at(length)
        left -= 1
        if not math.isfinite(trial.loss):
            length = (before.length + length) / 2
            continue
        if not is_low(trial) or (before is not start and trial.loss >= before.loss):
            low, high = before, trial
            break
        if is_flat(trial):
            return trial
        if trial.rise >= 0:
            low, high = trial, before
            break
        before, length = trial, _next(before, trial)
    else:
        return before
    while left and abs(high.length - low.length) * size >= _SHORTEST:
        trial = at(_between(low, high))
        left -= 1
        if not is_low(trial) or trial.loss >= low.loss:
            high = trial
            continue
        if is_flat(trial):
            return trial
        if trial.rise * (high.length - low.length) >= 0:
            high = low
        low = trial
    return low


def _next(before: Trial, trial: Trial) -> float:
    """Further on: to where the cubic has its minimum, but a bit further at least and ten times at most."""
    least, most = trial.length + 0.01 * (trial.length - before.length), 10 * trial.length
    found = _cubic(before, trial)
    return most if found is None or found <= trial.length else min(max(found, least), most)


def _between(one: Trial, other: Trial) -> float:
    """Where the cubic has its minimum, away from both ends."""
    least, most = sorted((one.length, other.length))
    margin = _MARGIN * (most - least)
    found = _cubic(one, other)
    return (least + most) / 2 if found is None else min(max(found, least + margin), most - margin)


def _cubic(a: Trial, b: Trial) -> float | None:
    """The minimum of the cubic with the losses and derivatives of two places; None where it has none."""
    first = a.rise + b.rise - 3 * (a.loss - b.loss) / (a.length - b.length)
    square = first * first - a.rise * b.rise
    if not square >= 0:
        return None
    second = math.copysign(math.sqrt(square), b.length - a.length)
    below = b.rise - a.rise + 2 * second
    if below == 0:
        return None
    return b.length - (b.length - a.length) * (b.rise + second - first) / below
