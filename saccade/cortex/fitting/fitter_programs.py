"""The tensor programs that lay percepts on models: what poses cost, a round of ICP, lines of sight crossed.

Comes in: `Tables`, the nodes of many models with a list of candidates for every voxel around them, and
`Batch`, poses (N, 12) with the number of their model and of the array of percepts they are to explain. Goes
out: a number or a pose for each. Entry (n, p) of what is between is percept p in the frame of pose n, and its
loop over candidates ends at the loaded count of its voxel. It is 0 beyond the last percept of an array, so
padding costs little.

The formulas are those of `settle_loops`, where the costs are explained. The normal equations of ICP are read
off one Gram matrix F^T F, where the columns of F (P, 14) are (r x n, n, r, d, n.d, 1): r from the middle to a
percept, n the normal of its cheapest node, d the way there.
"""

from __future__ import annotations

from typing import NamedTuple
from typing import cast as static_cast

from saccade.cortex.fitting.settle_loops import DAMPING
from saccade.cortex.fitting.surface import MOST
from saccade.cortex.geometry import Rotation, Vector, add, dot, rotate, subtract, widened
from saccade.cortex.ops import (
    cast,
    clip,
    constant,
    highest,
    integers,
    logical_and,
    lowest,
    maximum,
    minimum,
    take,
    where,
)
from saccade.tensor import Tensor

#: levels of a model, the fine one first
LEVELS = 2
#: numbers per node: position, normal, colour, and one more so that pairs are aligned
ROW = 10
#: numbers per level of a model: corner of its voxels, 1 / edge, their extent, the first of them;
#: 1/sp^2 - 1/st^2, 1/st^2, 2/sn^2, 1/sc^2, metres that a radian is worth
CORNER, INVERSE_EDGE, EXTENT, FIRST, PLANE, TANGENT, TILT, COLOUR, SIZE = 0, 3, 4, 7, 8, 9, 10, 11, 12
LEVEL = 13
#: numbers per shell of a model: corner, edge, extent in cells, the first of them; its first node, how many
CELL, FIRST_NODE, NODES = 7, 8, 9
SHELL = 10
INFINITY = float("inf")


class Tables(NamedTuple):
    """Rows of `nodes`, entries of `starts`, `candidates` and `filled` are powers of two: an index is wrapped,
    not tested."""

    nodes: Tensor  # (rows * ROW,) float64
    levels: Tensor  # (models * LEVEL,) float64
    starts: Tensor  # (voxels + 1, padded) int32; the list of a voxel ends where the next one begins
    candidates: Tensor  # (entries,) int32 rows of `nodes`
    shells: Tensor  # (models * SHELL,) float64
    filled: Tensor  # (cells,) uint8


#: columns of a question about a pose: the pose, the row of `levels`, the arrays of percepts and of lines of
#: sight that it is to explain, and 1 where it may be moved
MODEL, FELT, FREE, MOVES = 12, 13, 14, 15
ASKED = 16


class Given(NamedTuple):
    """What the host sends, two arrays in all: questions, and the arrays that they name."""

    asked: Tensor  # (N, ASKED) float64
    values: Tensor  # (columns + 1, arrays, P) float64, padded; of the last column the first is how many


class Batch(NamedTuple):
    """Poses (N, 12), what they are to explain, and of which model."""

    poses: Tensor  # (N, ASKED) float64, of which 12 count
    model: Tensor  # (N,) int32 a row of `levels`, or of `shells`
    array: Tensor  # (N,) int32
    values: Tensor  # (columns + 1, arrays, P) float64, padded
    counts: Tensor  # (arrays,) int32 how many of the P there are


def _batch(given: Given, arrays: int) -> Batch:
    """The questions taken apart; arrays: the column that names what they are to explain."""
    asked, values = given
    model, array = (cast(asked[:, column], "int32") for column in (MODEL, arrays))
    if arrays == FREE:
        model = model // LEVELS
    return Batch(asked, model, array, values, cast(values[-1, :, 0], "int32"))


class Carried(NamedTuple):
    """Percepts in the object frame of poses, (N, P) each."""

    place: Vector
    normal: Vector
    colour: Vector
    there: Tensor  # whether there is one


def cost_of(longest: int, tables: Tables, given: Given) -> Tensor:
    """(N,) what all percepts cost in each pose, on average."""
    batch = _batch(given, FELT)
    felt = _carried(batch)
    first, number = _lists(tables, batch.model, felt)
    price = _listed_price(longest, tables, batch.model, felt, first, number)
    least = minimum(lowest(price), MOST)
    total = where(felt.there, least, 0.0).sum(-1)
    return total / maximum(cast(take(batch.counts, batch.array), total), 1.0)


def icp_round(longest: int, tables: Tables, given: Given) -> Tensor:
    """(N, ASKED) the questions, with poses that may be moved after one round of ICP."""
    batch = _batch(given, FELT)
    felt = _carried(batch)
    first, number = _lists(tables, batch.model, felt)
    price = _listed_price(longest, tables, batch.model, felt, first, number)
    slot = cast(price.argmin(-1), "int32")
    node = _candidate(tables, first + slot).contiguous()
    point, normal, colour = _node(tables, node)
    cost = _price(tables, batch.model.unsqueeze(-1), felt, point, normal, colour)
    near = where(logical_and(felt.there, number > 0, cost < MOST), constant(1.0, cost), 0.0)
    count = maximum(cast(take(batch.counts, batch.array), cost), 1.0)
    middle = static_cast(Vector, tuple(where(felt.there, x, 0.0).sum(-1) / count for x in felt.place))
    size = _level(tables, batch.model, SIZE)
    away = subtract(felt.place, widened(middle))
    arm = static_cast(Vector, tuple(x / size.unsqueeze(-1) for x in away))
    lack = subtract(point, felt.place)
    columns = [*_cross(arm, normal), *normal, *arm, *lack, dot(lack, normal), constant(1.0, near)]
    # values beyond the last percept may be anything but must not be infinite: they are multiplied by 0
    equations = Tensor.stack([column * near for column in columns], -1).contiguous()
    gram = (equations.transpose(-1, -2) @ equations).contiguous()
    matrix, right = _normal_equations(
        gram, _level(tables, batch.model, PLANE), _level(tables, batch.model, TANGENT)
    )
    trace = matrix[0][0]
    for i in range(1, 6):
        trace = trace + matrix[i][i]
    trace = trace * (1.0 / 6.0)
    for i in range(6):
        matrix[i][i] = matrix[i][i] + where(trace > 0.0, trace * DAMPING, 1.0)
    movement = _solved(matrix, right)
    moved = _moved_by(batch.poses, middle, movement, size)
    moves = (trace > 0.0) & (given.asked[:, MOVES] > 0.5)
    return Tensor.stack([where(moves, part, given.asked[:, i]) for i, part in enumerate(moved)], -1)


def crossings(longest: int, nodes: int, tables: Tables, given: Given) -> Tensor:
    """(N,) how many lines of sight go through the shell of the model in each pose, walked in half cells, but
    for those that begin behind the nearest of its nodes, of which no model has more than `nodes`."""
    batch = _batch(given, FREE)
    rotation, shift = _pose(batch)
    point, ahead = _components(batch, 0), _components(batch, 3)
    low, high = _component(batch, 6), _component(batch, 7)
    corner = static_cast(Vector, tuple(_shell(tables, batch.model, i).unsqueeze(-1) for i in range(3)))
    edge = _shell(tables, batch.model, 3).unsqueeze(-1)
    eye = add(rotate(rotation, point), shift)
    start = subtract(eye, corner)
    slope = rotate(rotation, ahead)
    begin, end, extents = low, high, []
    for axis in range(3):
        extent = _shell(tables, batch.model, 4 + axis).unsqueeze(-1)
        wide, at, way = extent * edge, start[axis], slope[axis]
        moves = way.abs() > 1e-9
        steep = where(moves, way, 1.0)
        one, other = -at / steep, (wide - at) / steep
        outside = (at < 0.0) | (at >= wide)
        begin = where(moves, maximum(begin, minimum(one, other)), begin)
        end = where(moves, minimum(end, maximum(one, other)), where(outside, begin - 1.0, end))
        extents.append(cast(extent, "int32"))
    half = edge * 0.5
    there = _there(batch)
    free = there & (begin < end)
    number = cast(where(free, clip(((end - begin) / half).floor() + 1.0, 0.0, float(longest)), 0.0), "int32")
    step = integers(longest, batch.model)
    along = begin.unsqueeze(-1) + cast(step, begin) * half.unsqueeze(-1)
    cell = None
    for axis in range(3):
        reached = (start[axis].unsqueeze(-1) + along * slope[axis].unsqueeze(-1)) / edge.unsqueeze(-1)
        last = extents[axis].unsqueeze(-1)
        index = minimum(cast(clip(reached.floor(), 0.0, 1e6), "int32"), last - 1)
        cell = index if cell is None else cell * last + index
    assert cell is not None
    first = cast(_shell(tables, batch.model, CELL), "int32").unsqueeze(-1).unsqueeze(-1)
    filled = cast(take(tables.filled, _wrapped(cell + first, tables.filled.shape[0])), "int32")
    met = (highest(where(step < number.unsqueeze(-1), filled, 0)) > 0).contiguous()
    outside = _height_above_nearest(nodes, tables, batch.model, eye, met) >= 0.0
    return where(logical_and(there, met, outside), constant(1.0, begin), 0.0).sum(-1)


def _height_above_nearest(nodes: int, tables: Tables, model: Tensor, eye: Vector, asked: Tensor) -> Tensor:
    """(N, P) of eyes above the tangent planes of the nearest nodes of their models, where `asked`."""
    slot = integers(nodes, model)
    begin = cast(_shell(tables, model, FIRST_NODE), "int32").unsqueeze(-1)
    number = where(asked, cast(_shell(tables, model, NODES), "int32").unsqueeze(-1), 0)
    away = subtract(widened(eye), _node(tables, begin.unsqueeze(-1) + slot)[0])
    square = where(slot < number.unsqueeze(-1), dot(away, away), INFINITY)
    nearest = begin + cast(square.argmin(-1), "int32")
    point, normal, _ = _node(tables, nearest.contiguous())
    return dot(subtract(eye, point), normal)


# --- reading


def _wrapped(index: Tensor, size: int) -> Tensor:
    """`index` modulo a power of two, as an address."""
    return cast(index & (size - 1), "int64")


def _there(batch: Batch) -> Tensor:
    """(N, P) whether there is a p-th row in the array of each pose."""
    return integers(batch.values.shape[2], batch.model) < take(batch.counts, batch.array).unsqueeze(-1)


def _component(batch: Batch, column: int) -> Tensor:
    """(N, P) one column of the arrays that poses are to explain."""
    _, arrays, size = batch.values.shape
    begin = cast(batch.array, "int64") * size + column * arrays * size
    return take(batch.values.reshape(-1), begin.unsqueeze(-1) + cast(integers(size, batch.model), "int64"))


def _components(batch: Batch, column: int) -> Vector:
    return _component(batch, column), _component(batch, column + 1), _component(batch, column + 2)


def _pose(batch: Batch) -> tuple[Rotation, Vector]:
    """The rotation, nine of (N, 1), and the shift."""
    parts = [batch.poses[:, i].unsqueeze(-1) for i in range(12)]
    return static_cast(Rotation, tuple(parts[:9])), (parts[9], parts[10], parts[11])


def _carried(batch: Batch) -> Carried:
    rotation, shift = _pose(batch)
    place = add(rotate(rotation, _components(batch, 0)), shift)
    return Carried(place, rotate(rotation, _components(batch, 3)), _components(batch, 6), _there(batch))


def _level(tables: Tables, model: Tensor, column: int) -> Tensor:
    """One number of the levels of any shape of models."""
    return take(tables.levels, cast(model, "int64") * LEVEL + column)


def _shell(tables: Tables, model: Tensor, column: int) -> Tensor:
    return take(tables.shells, cast(model, "int64") * SHELL + column)


def _node(tables: Tables, node: Tensor) -> tuple[Vector, Vector, Vector]:
    """Position, normal and colour of nodes of any shape."""
    begin = _wrapped(node, tables.nodes.shape[0] // ROW) * ROW
    parts = [take(tables.nodes, begin + i) for i in range(9)]
    return (parts[0], parts[1], parts[2]), (parts[3], parts[4], parts[5]), (parts[6], parts[7], parts[8])


def _candidate(tables: Tables, entry: Tensor) -> Tensor:
    return take(tables.candidates, _wrapped(entry, tables.candidates.shape[0]))


# --- candidates and what they cost


def _lists(tables: Tables, model: Tensor, felt: Carried) -> tuple[Tensor, Tensor]:
    """(N, P) where the candidates of percepts begin, and how many there are; none outside the voxels."""
    inside, voxel = felt.there, None
    for axis in range(3):
        corner, extent = (_level(tables, model, start + axis).unsqueeze(-1) for start in (CORNER, EXTENT))
        inverse = _level(tables, model, INVERSE_EDGE).unsqueeze(-1)
        # clipped before the cast: a place far away must not overflow the integer
        cell = cast(clip(((felt.place[axis] - corner) * inverse).floor(), -1.0, 1e6), "int32")
        most = cast(extent, "int32")
        inside = logical_and(inside, cell >= 0, cell < most)
        voxel = cell if voxel is None else voxel * most + cell
    assert voxel is not None
    begun = cast(_level(tables, model, FIRST), "int32").unsqueeze(-1)
    at = where(inside, voxel + begun, 0)
    size = tables.starts.shape[0]
    first = take(tables.starts, _wrapped(at, size))
    return first, where(inside, take(tables.starts, _wrapped(at + 1, size)) - first, 0)


def _listed_price(
    longest: int, tables: Tables, model: Tensor, felt: Carried, first: Tensor, number: Tensor
) -> Tensor:
    """(N, P, longest) what percepts cost by each of their candidates; infinity beyond the last."""
    slot = integers(longest, model)
    point, normal, colour = _node(tables, _candidate(tables, first.unsqueeze(-1) + slot))
    wide = Carried(widened(felt.place), widened(felt.normal), widened(felt.colour), felt.there)
    price = _price(tables, model.unsqueeze(-1).unsqueeze(-1), wide, point, normal, colour)
    return where(slot < number.unsqueeze(-1), price, INFINITY)


def _price(
    tables: Tables, model: Tensor, felt: Carried, point: Vector, normal: Vector, colour: Vector
) -> Tensor:
    away, tint = subtract(felt.place, point), subtract(felt.colour, colour)
    off = dot(away, normal)
    price = off * off * _level(tables, model, PLANE) + dot(away, away) * _level(tables, model, TANGENT)
    price = price + (1.0 - dot(felt.normal, normal)) * _level(tables, model, TILT)
    return price + dot(tint, tint) * _level(tables, model, COLOUR)


# --- a round of ICP


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _normal_equations(
    gram: Tensor, plane: Tensor, tangent: Tensor
) -> tuple[list[list[Tensor]], list[Tensor]]:
    """(6, 6) and (6,) of (N,): `plane` times those along normals, and `tangent` times those of all axes."""

    def sums(i: int, j: int) -> Tensor:
        return gram[:, i, j]

    matrix = [[plane * sums(i, j) for j in range(6)] for i in range(6)]
    right = [plane * sums(i, 12) for i in range(6)]
    squares = sums(6, 6) + sums(7, 7) + sums(8, 8)
    for i in range(3):
        for j in range(3):
            part = squares - sums(6 + i, 6 + j) if i == j else -sums(6 + i, 6 + j)
            matrix[i][j] = matrix[i][j] + tangent * part
        matrix[3 + i][3 + i] = matrix[3 + i][3 + i] + tangent * sums(13, 13)
        # a turn about axis i moves along j by the third coordinate k
        j, k = (i + 1) % 3, (i + 2) % 3
        for row, column, part in ((i, 3 + j, -sums(6 + k, 13)), (i, 3 + k, sums(6 + j, 13))):
            matrix[row][column] = matrix[row][column] + tangent * part
            matrix[column][row] = matrix[row][column]
        right[i] = right[i] + tangent * (sums(6 + j, 9 + k) - sums(6 + k, 9 + j))
        right[3 + i] = right[3 + i] + tangent * sums(9 + i, 13)
    return matrix, right


def _solved(matrix: list[list[Tensor]], right: list[Tensor]) -> list[Tensor]:
    """The solution of positive definite systems (6, 6) of (N,), by elimination."""
    rows, values = [list(row) for row in matrix], list(right)
    for k in range(6):
        for i in range(k + 1, 6):
            factor = rows[i][k] / rows[k][k]
            for j in range(k + 1, 6):
                rows[i][j] = rows[i][j] - factor * rows[k][j]
            values[i] = values[i] - factor * values[k]
    for k in reversed(range(6)):
        for j in range(k + 1, 6):
            values[k] = values[k] - rows[k][j] * values[j]
        values[k] = values[k] / rows[k][k]
    return values


def _moved_by(poses: Tensor, middle: Vector, movement: list[Tensor], size: Tensor) -> list[Tensor]:
    """ASKED of (N,): the poses turned about the middle by the unit quaternion (1, w / 2), and shifted, and
    the columns after them."""
    a, b, c = (each / size * 0.5 for each in movement[:3])
    w = 1.0 / (1.0 + a * a + b * b + c * c).sqrt()
    a, b, c = a * w, b * w, c * w
    turn = [
        1.0 - 2.0 * (b * b + c * c), 2.0 * (a * b - c * w), 2.0 * (a * c + b * w),
        2.0 * (a * b + c * w), 1.0 - 2.0 * (a * a + c * c), 2.0 * (b * c - a * w),
        2.0 * (a * c - b * w), 2.0 * (b * c + a * w), 1.0 - 2.0 * (a * a + b * b),
    ]  # fmt: skip
    before = [poses[:, i] for i in range(ASKED)]
    rotated = [
        turn[3 * i] * before[j] + turn[3 * i + 1] * before[3 + j] + turn[3 * i + 2] * before[6 + j]
        for i in range(3)
        for j in range(3)
    ]
    arm = [before[9 + j] - middle[j] for j in range(3)]
    shift = [
        turn[3 * i] * arm[0]
        + turn[3 * i + 1] * arm[1]
        + turn[3 * i + 2] * arm[2]
        + middle[i]
        + movement[3 + i]
        for i in range(3)
    ]
    return [*rotated, *shift, *before[12:]]
