"""What a viewfinder is for, as a tensor program: where in its view an object is, a few numbers a row.

Comes in: what `ray_programs.see` finds through one sensor a row. Goes out: whether the object is in view, the
point of it that is furthest inside its outline, and the least depth, as `agents.sighting` finds them on the
host from an observation. Pixels stay on the device: a view of 64 x 64 is a quarter of a megabyte a row.
"""

from __future__ import annotations

from saccade import Tensor, where
from saccade.world.meshes.ray_programs import Looks, Shape, Tables, see

#: numbers of a row: in view, point, least depth
FOUND, AIM, NEAREST, SIGHT = 0, 1, 4, 5


def sight(shape: Shape, target: int | None, tables: Tables, looks: Looks) -> Tensor:
    """(R, SIGHT); target: which of the objects of a row counts, None for any."""
    seen = see(shape, tables, looks)
    mask = (seen.on_object if target is None else seen.instance == target)[:, 0].contiguous()
    rows, pixels = mask.shape[0], shape.side * shape.side
    # the first of equals, as on the host
    place = layers(mask).reshape(rows, pixels).argmax(-1).unsqueeze(-1)
    aim = [seen.points[:, 0, :, :, i].reshape(rows, pixels).gather(-1, place)[:, 0] for i in range(3)]
    inside = mask.reshape(rows, pixels)
    nearest = where(inside, seen.depth[:, 0].reshape(rows, pixels), float("inf")).amin(-1)
    found = inside.cast("int32").amax(-1).cast("float64")
    return Tensor.stack([found, *aim, nearest], -1)


def layers(mask: Tensor) -> Tensor:
    """(R, P, P) int32 city blocks from each pixel of a mask to the nearest one that is not of it, beyond the
    edge or within; 0 outside. First along rows, then along columns of what that gives."""
    side = mask.shape[1]
    at = Tensor.arange(side, dtype="int32", device=mask.device)
    apart = (at.unsqueeze(-1) - at).abs()  # (P, P)
    edge = (at + 1).minimum(side - at)
    far = Tensor.full((), 2 * side, dtype="int32", device=mask.device)
    across = where(mask.unsqueeze(2), far, apart).amin(-1).minimum(edge).contiguous()  # (R, P, P)
    down = (across.transpose(1, 2).unsqueeze(2) + apart).amin(-1).minimum(edge).transpose(1, 2)
    return where(mask, down, 0)
