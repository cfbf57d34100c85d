"""The matrices of Winograd's minimal filtering, by interpolation (Cook and Toom), in fractions.

    y[i] = sum over k < r of d[i + k] * g[k], i < m     y = A^T ((G g) * (B^T d))

A product of polynomials of m and r coefficients has n = m + r - 1 of its own, so it is known by its values
at n points, infinity among them; a filter is that product turned around. `filtering(4, 3)` has G (n, r) for
the weights, B^T (n, n) for the tiles and A^T (m, n) for the results.

The points are small and come with their inverses and opposites: sums of their powers are short in binary,
rows of p and -p share their even and odd parts, and errors stay low (`tiles.py` has them).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Final

from ...graph.constants import everywhere
from ...graph.node import Node, const
from ...graph.ops import Op

Rows = tuple[tuple[Fraction, ...], ...]
Places = tuple[int, ...]

#: Of these, in this order, as many as are needed. 0, 1, -1, 2, -2, 3, -3 has 50 times the error at F(6, 3)
POINTS: Final = tuple(map(Fraction, ("0", "1", "-1", "1/2", "-2", "-1/2", "2")))
#: points of an axis at most: infinity is one
MOST_POINTS: Final = len(POINTS) + 1


@dataclass(frozen=True)
class Filtering:
    """F(m, r): rows of the matrices for weights (n, r), tiles (n, n) and results (m, n)."""

    weights: Rows
    tiles: Rows
    results: Rows


@lru_cache
def filtering(m: int, r: int) -> Filtering:
    """F(m, r), from m + r - 1 points.

    >>> [[int(x) for x in row] for row in filtering(2, 3).tiles]
    [[-1, 0, 1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, -1, 0, 1]]
    """
    n = m + r - 1
    if n > MOST_POINTS:
        raise ValueError(f"F({m}, {r}) needs {n} points: {MOST_POINTS} are known")
    points = POINTS[: n - 1]
    weights, tiles, values = [], [], []
    for p in points:
        others = [q for q in points if q != p]
        row = _from_roots(others)
        # whole numbers for the tiles, which are many; the weights are divided by what that multiplies
        whole = lcm(*[c.denominator for c in row])
        scale = Fraction(1)
        for q in others:
            scale *= p - q
        tiles.append((*[c * whole for c in row], Fraction(0)))
        weights.append(tuple([p**k / (scale * whole) for k in range(r)]))
        values.append([p**k for k in range(m)])
    tiles.append(tuple(_from_roots(points)))
    weights.append((*[Fraction(0)] * (r - 1), Fraction(1)))
    values.append([*[Fraction(0)] * (m - 1), Fraction(1)])
    return Filtering(tuple(weights), tuple(tiles), tuple(zip(*values, strict=True)))


def _from_roots(roots: Sequence[Fraction]) -> list[Fraction]:
    """The coefficients of the product of all (x - root), the lowest first."""
    made = [Fraction(1)]
    for root in roots:
        up, down = [Fraction(0), *made], [*[-root * c for c in made], Fraction(0)]
        made = [a + b for a, b in zip(up, down, strict=True)]
    return made


def applied(values: Mapping[Places, Node], matrices: Sequence[Rows]) -> dict[Places, Node]:
    """Values by their places along some axes, multiplied along each axis with its matrix: straight code."""
    made = dict(values)
    for axis, rows in enumerate(matrices):
        lines: dict[Places, list[Node]] = {}
        for places in sorted(made):
            lines.setdefault((*places[:axis], *places[axis + 1 :]), []).append(made[places])
        made = {
            (*rest[:axis], place, *rest[axis:]): value
            for rest, line in lines.items()
            for place, value in enumerate(_transformed(rows, line))
        }
    return made


def _transformed(rows: Rows, line: Sequence[Node]) -> list[Node]:
    """A matrix times a line of values. Two rows that are the same but for signs, as those of the points p and
    -p, are the sum and the difference of what they share."""
    made: dict[int, Node] = {}
    for i, row in enumerate(rows):
        if i in made:
            continue
        for j in range(i + 1, len(rows)):
            other = rows[j]
            if j in made or [abs(c) for c in row] != [abs(c) for c in other] or other == row:
                continue
            same = tuple([(a + b) / 2 for a, b in zip(row, other, strict=True)])
            apart = tuple([(a - b) / 2 for a, b in zip(row, other, strict=True)])
            if any(same) and any(apart):
                left, right = _summed(same, line), _summed(apart, line)
                made[i], made[j] = left.alu(Op.ADD, right), left.alu(Op.SUB, right)
                break
        else:
            made[i] = _summed(row, line)
    return [made[i] for i in range(len(rows))]


def _summed(row: Sequence[Fraction], line: Sequence[Node]) -> Node:
    """The sum of values with these weights; those of one come first."""
    terms = sorted(((c, value) for c, value in zip(row, line, strict=True) if c), key=lambda t: -t[0])
    (first, made), *rest = terms
    made = _times(made, first)
    for weight, value in rest:
        made = made.alu(Op.SUB if weight < 0 else Op.ADD, _times(value, abs(weight)))
    return made


def _times(value: Node, weight: Fraction) -> Node:
    if weight == 1:
        return value
    return value.alu(Op.MUL, everywhere(const(float(weight), value.dtype), value.shape))
