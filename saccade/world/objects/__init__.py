"""The built-in objects: household things made by code, in metres, coloured, centred on their bounding box.

Each states the rotations that leave it as it is. They are made at first use, all of them in under a second:

    objects = builtin_objects()                        # all
    objects = builtin_objects(("mug", "bowl"))         # some, in that order
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from functools import cache

from saccade.world.meshes.mesh import Mesh, WorldObject
from saccade.world.objects import kitchen, pantry, tools
from saccade.world.objects.compositional import PARTS, STACKS, WHOLES, composed
from saccade.world.symmetry.symmetry import Symmetry, about

PLAIN = Symmetry()
TURNED = Symmetry(axis=(0.0, 1.0, 0.0))
HALF_Y = Symmetry(rotations=about((0, 1, 0), 2))

MAKERS: dict[str, tuple[Callable[[], Mesh], Symmetry]] = {
    "mug": (kitchen.mug, PLAIN),
    "teacup": (kitchen.teacup, PLAIN),
    "bowl": (kitchen.bowl, TURNED),
    "plate": (kitchen.plate, TURNED),
    "wine_glass": (kitchen.wine_glass, TURNED),
    "bottle": (kitchen.bottle, PLAIN),
    "can": (kitchen.can, PLAIN),
    "soda_can": (kitchen.soda_can, PLAIN),
    "teapot": (kitchen.teapot, PLAIN),
    "pan": (kitchen.pan, PLAIN),
    "spoon": (kitchen.spoon, PLAIN),
    "fork": (kitchen.fork, PLAIN),
    "knife": (kitchen.knife, PLAIN),
    "ladle": (kitchen.ladle, PLAIN),
    "funnel": (kitchen.funnel, TURNED),
    "rolling_pin": (kitchen.rolling_pin, Symmetry(axis=(1.0, 0.0, 0.0))),
    "hammer": (tools.hammer, PLAIN),
    "mallet": (tools.mallet, PLAIN),
    "screwdriver": (tools.screwdriver, HALF_Y),
    "wrench": (tools.wrench, PLAIN),
    "pliers": (tools.pliers, PLAIN),
    "scissors": (tools.scissors, PLAIN),
    "torch": (tools.torch, PLAIN),
    "padlock": (tools.padlock, PLAIN),
    "key": (tools.key, PLAIN),
    "remote": (tools.remote, PLAIN),
    "stapler": (tools.stapler, PLAIN),
    "tape_roll": (tools.tape_roll, PLAIN),
    "pencil_cup": (tools.pencil_cup, PLAIN),
    "cereal_box": (pantry.cereal_box, PLAIN),
    "juice_carton": (pantry.juice_carton, PLAIN),
    "banana": (pantry.banana, PLAIN),
    "apple": (pantry.apple, PLAIN),
    "pear": (pantry.pear, PLAIN),
    "carrot": (pantry.carrot, PLAIN),
    "die": (pantry.die, PLAIN),
    "toy_brick": (pantry.toy_brick, HALF_Y),
    "vase": (pantry.vase, Symmetry(rotations=about((0, 1, 0), 6))),
    "table_lamp": (pantry.table_lamp, PLAIN),
    "candle": (pantry.candle, PLAIN),
    "rubber_duck": (pantry.rubber_duck, PLAIN),
    "spray_bottle": (pantry.spray_bottle, PLAIN),
    "toothbrush": (pantry.toothbrush, PLAIN),
}

ALL = tuple(MAKERS)
DISTINCT = (
    "mug",
    "bowl",
    "hammer",
    "banana",
    "cereal_box",
    "wine_glass",
    "scissors",
    "teapot",
    "die",
    "spray_bottle",
)
COMPOSITIONAL = (*PARTS, *WHOLES)
NESTED = (*PARTS, *dict.fromkeys(whole for pair in STACKS.values() for whole in pair), *STACKS)
SIMILAR = ("mug", "teacup", "pencil_cup", "can", "soda_can", "spoon", "fork", "ladle", "hammer", "mallet")


@cache
def builtin_object(name: str) -> WorldObject:
    """One built-in object by name, made once."""
    if name in COMPOSITIONAL or name in STACKS:
        return composed(name)
    if name not in MAKERS:
        near = difflib.get_close_matches(name, ALL + COMPOSITIONAL + tuple(STACKS), 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(ALL)}"
        raise ValueError(f"no built-in object is named {name!r}: {hint}")
    make, symmetry = MAKERS[name]
    return WorldObject(name, make().centred(), symmetry)


def builtin_objects(names: Sequence[str] = ALL) -> list[WorldObject]:
    """The named built-in objects, or all, in order."""
    return [builtin_object(name) for name in names]
