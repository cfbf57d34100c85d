"""Where the things of a scene stand: one in the middle, the others in a circle around it.

In: how many others, and where the circle begins. Out: their places, each as far from its neighbours as from
the middle, at least.

    >>> around(2, 0.0)[0]
    (0.3, 0.0, 0.0)
"""

from __future__ import annotations

import numpy as np

from saccade.reproducible import cos_sin, sin

#: metres between the middles of the things in a scene, at least
DISTANCE = 0.3

Place = tuple[float, float, float]


def around(count: int, first: float) -> list[Place]:
    """The places of so many things around the origin, the first at an angle in radians."""
    # so wide that neighbours are as far from each other as from the middle
    radius = DISTANCE if count < 2 else max(DISTANCE, DISTANCE / 2 / float(sin(np.pi / count)))
    places = []
    for number in range(count):
        cosine, sine = cos_sin(first + 2 * np.pi * number / count)
        places.append((float(radius * cosine), 0.0, float(radius * sine)))
    return places
