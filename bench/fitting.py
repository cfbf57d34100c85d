"""What laying percepts on models costs: compiled loops of the host beside tensor programs of a device.

    python -m bench.fitting                                     # small: the programs on the CPU
    python -m bench.fitting --device cuda --rows 231 --objects 77

Synthetic objects, bumpy ellipsoids of as many nodes as learned ones have. `narrow`: every row lays what it
felt on many objects, from 200 hypotheses each; `settle`: on one, in all turns. Seconds of the first call and
the least of the others, what they go to, and how far the answers are off each other.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from saccade.cortex.fitting.fitter import Fitter, Grain, HostFitter
from saccade.cortex.fitting.fitter_device import DeviceFitter
from saccade.cortex.fitting.flat import Poses, Shared
from saccade.cortex.fitting.settle import Claim, Settled, settle_all
from saccade.cortex.fitting.surface import ModelSurface
from saccade.reproducible.threads import in_threads
from saccade.world.symmetry.symmetry import rotation_about

Floats = npt.NDArray[np.float64]
Surfaces = Sequence[ModelSurface]

REACH, HYPOTHESES = 0.0125, 200


class Timed(Fitter):
    """A fitter whose stages are timed: costs, ICP on coarse models, and ICP on whole ones with what all of it
    costs then."""

    def __init__(self, fitter: Fitter) -> None:
        self.fitter, self.whole = fitter, fitter.whole
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - began

    def know(self, surfaces: Surfaces) -> None:
        self.fitter.know(surfaces)

    def costs(self, grain: Grain, surfaces: Surfaces, felt: Shared, poses: Poses, most: int = 0) -> Floats:
        with self._timed("costs"):
            return self.fitter.costs(grain, surfaces, felt, poses, most)

    def moved(self, grain: Grain, surfaces: Surfaces, felt: Shared, poses: Poses, rounds: int) -> Poses:
        return self.fitter.moved(grain, surfaces, felt, poses, rounds)

    def crossed(self, surfaces: Surfaces, free: Shared, poses: Poses) -> Floats:
        return self.fitter.crossed(surfaces, free, poses)

    def roughly(self, surfaces: Surfaces, felt: Shared, poses: Poses, rounds: int) -> tuple[Poses, Floats]:
        with self._timed("coarse"):
            return self.fitter.roughly(surfaces, felt, poses, rounds)

    def laid(
        self,
        surfaces: Surfaces,
        some: Shared,
        felt: Shared,
        free: Shared,
        still: Poses,
        begun: Poses,
        rounds: int,
    ) -> tuple[Poses, Floats]:
        with self._timed("laid"):
            return self.fitter.laid(surfaces, some, felt, free, still, begun, rounds)


def thing(number: int, count: int, seed: int) -> Floats:
    """(count, 9) places, normals and colours of object `number`."""
    shape, random = np.random.default_rng(number), np.random.default_rng((number, seed))
    axes, bump = shape.uniform(0.02, 0.08, 3), shape.normal(size=3)
    facing = random.normal(size=(count, 3))
    facing /= np.linalg.norm(facing, axis=1, keepdims=True)
    grown = 1 + 0.3 * np.exp(-3 * np.square(facing - bump / np.linalg.norm(bump)).sum(axis=1))
    normals = facing / axes
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    colours = np.where((facing @ bump > 0.3)[:, None], shape.normal(size=3), shape.normal(size=3)) * 0.2
    return np.hstack([facing * axes * grown[:, None], normals, colours])


def claims_of(surfaces: Sequence[ModelSurface], rows: int, each: int, felt: int, search: bool) -> list[Claim]:
    """Every row feels an object, and lays that on `each` of the objects, its own first."""
    claims = []
    for row in range(rows):
        random = np.random.default_rng(row)
        percepts = thing(row % len(surfaces), felt, 1)
        percepts[:, :3] += random.normal(size=(felt, 3)) * 0.002
        ahead = random.normal(size=(felt, 3))
        ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
        eyes = -0.3 * ahead + random.normal(size=(felt, 3)) * 0.04
        ends = np.where(np.arange(felt) % 2, np.inf, 0.2)
        free = np.hstack([eyes, ahead, np.full((felt, 1), 0.01), ends[:, None]])
        for k in range(each):
            turns = rotation_about(random.normal(size=(HYPOTHESES, 3)), random.uniform(0, 3, HYPOTHESES))
            shifts = random.normal(size=(HYPOTHESES, 3)) * 0.005
            given = np.hstack([turns.reshape(-1, 9), shifts])
            surface = surfaces[(row + k) % len(surfaces)]
            claims.append(Claim(percepts, surface, given, free=free, search=search))
    return claims


def measured(fitter: Fitter, claims: Sequence[Claim], repeat: int) -> tuple[str, list[Settled]]:
    """A line of seconds, and what was found."""
    seconds: list[float] = []
    for _ in range(repeat + 1):
        timed, began = Timed(fitter), time.perf_counter()
        found = settle_all(claims, timed)
        seconds.append(time.perf_counter() - began)
    parts = "  ".join(f"{name} {value:.3f}" for name, value in timed.seconds.items())
    return f"first {seconds[0]:7.3f} s  then {min(seconds[1:]):7.3f} s  last: {parts}", found


def difference(one: Sequence[Settled], other: Sequence[Settled]) -> str:
    """How far best poses and their costs are off each other."""
    first = [(a.poses[0], b.poses[0]) for a, b in zip(one, other, strict=True)]
    costs = [abs(a.cost - b.cost) for a, b in first]
    apart = [float(np.abs(a.packed - b.packed).max()) for a, b in first]
    return f"{sum(d > 1e-6 for d in apart)} of {len(first)} poses differ; costs by {max(costs):.1e} at most"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("saccade bench fitting", description=__doc__.split("\n\n")[0])
    parser.add_argument("--device", default="cpu", help="where the tensor programs run")
    parser.add_argument("--rows", type=int, default=4)
    parser.add_argument("--objects", type=int, default=8)
    parser.add_argument("--nodes", type=int, default=1500)
    parser.add_argument("--felt", type=int, default=50, help="percepts of a row")
    parser.add_argument("--wide", type=int, default=26, help="objects that a row is laid on by narrow")
    parser.add_argument("--repeat", type=int, default=2)
    chosen = parser.parse_args(arguments)
    numbers = range(chosen.objects)
    began = time.perf_counter()
    surfaces = in_threads(lambda n: ModelSurface.of_points(thing(n, chosen.nodes, 0), REACH, True), numbers)
    prepared, began = time.perf_counter() - began, time.perf_counter()
    device = DeviceFitter(chosen.device)
    device.know(surfaces)
    print(f"{chosen.objects} surfaces {prepared:.2f} s, their tables {time.perf_counter() - began:.2f} s")
    for name, each, search in (("narrow", min(chosen.wide, chosen.objects), False), ("settle", 1, True)):
        claims = claims_of(surfaces, chosen.rows, each, chosen.felt, search)
        found = []
        for label, fitter in (("loops, host", HostFitter()), (f"programs, {chosen.device}", device)):
            line, answers = measured(fitter, claims, chosen.repeat)
            found.append(answers)
            print(f"{name} {len(claims):5d} claims  {label:16s} {line}", flush=True)
        print(f"{name} {difference(*found)}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
