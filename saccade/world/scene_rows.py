"""The state every world keeps for its rows: scene, pose of the agent, seed of the noise, number of looks.

Changing it is checked here, once for all worlds:

    rows = SceneRows(["mug", "bowl"], 4)
    rows.place(mask, scenes)
    rows.restart(mask, poses)
    rows.move(actions)
"""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from saccade.world.protocol import Actions, Bools, Observation, Pose, Scene

NOWHERE = Scene(())


class SceneRows:
    """See the module docstring."""

    def __init__(self, names: Sequence[str], rows: int) -> None:
        if not names:
            raise ValueError("a world needs at least one object; builtin_objects() gives a set")
        if len(set(names)) < len(names):
            double = next(n for n in names if list(names).count(n) > 1)
            raise ValueError(f"two objects are named {double!r}; rename one")
        if rows < 1:
            raise ValueError(f"a world needs at least one row, got {rows}")
        self.count = rows
        self.object_names = tuple(names)
        self.number = {name: i for i, name in enumerate(names)}
        self.scenes: list[Scene] = [NOWHERE] * rows
        self.agent = Pose.identity(rows)
        self.seeds = np.zeros(rows, np.int64)
        self.looks = np.zeros(rows, np.int64)

    def place(self, rows: Bools, scenes: Sequence[Scene | None]) -> None:
        """Give the masked rows their scenes; raises before anything changes."""
        if len(rows) != self.count or len(scenes) != self.count:
            raise ValueError(
                f"this world has {self.count} rows, got a mask of {len(rows)} and {len(scenes)} scenes"
            )
        chosen = {row: scenes[row] for row in np.flatnonzero(np.asarray(rows, bool)).tolist()}
        filled: dict[int, Scene] = {}
        for row, scene in chosen.items():
            if scene is None:
                raise ValueError(f"row {row} is to be filled and has no scene")
            for thing in scene.objects:
                self._check(thing.name)
            filled[row] = scene
        for row, scene in filled.items():
            self.scenes[row] = scene

    def restart(self, rows: Bools, agent: Pose) -> None:
        """Begin an episode in the masked rows: pose, noise and count of looks start again."""
        mask = np.asarray(rows, bool)
        for row in np.flatnonzero(mask):
            self.seeds[row] = self.scenes[row].seed
        self.looks = np.where(mask, 0, self.looks)
        self.agent = self.agent.replaced(mask, agent)

    def move(self, actions: Actions) -> None:
        """Move every agent and count a look."""
        if actions.rows != self.count:
            raise ValueError(f"this world has {self.count} rows, got actions for {actions.rows}")
        self.agent = actions.moved(self.agent)
        self.looks = self.looks + 1

    def keep(self, rows: npt.NDArray[np.int64]) -> None:
        """Go on with the rows of these numbers alone, in this order."""
        self.count = len(rows)
        self.scenes = [self.scenes[row] for row in rows]
        self.agent = self.agent.taken(rows)
        self.seeds, self.looks = self.seeds[rows], self.looks[rows]

    def _check(self, name: str) -> None:
        if name not in self.number:
            near = difflib.get_close_matches(name, self.object_names, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(self.object_names)}"
            raise ValueError(f"no object is named {name!r}: {hint}")


class RowWorld(ABC):
    """What every world does alike with its rows; a world adds how objects are laid out and what is seen."""

    rows: int
    _rows: SceneRows

    @property
    def scenes(self) -> tuple[Scene, ...]:
        return tuple(self._rows.scenes)

    @property
    def agent(self) -> Pose:
        return self._rows.agent

    def reset(
        self, rows: Bools, scenes: Sequence[Scene | None], agent: Pose, actions: Actions | None = None
    ) -> Observation:
        if actions is not None:
            self._rows.move(actions)
        self.place(rows, scenes)
        self._rows.restart(rows, agent)
        return self._observe()

    def step(self, actions: Actions) -> Observation:
        self._rows.move(actions)
        return self._observe()

    def keep(self, rows: npt.NDArray[np.int64]) -> None:
        self._rows.keep(rows)
        self.rows = len(rows)
        self.place(np.zeros(self.rows, bool), [None] * self.rows)

    @abstractmethod
    def place(self, rows: Bools, scenes: Sequence[Scene | None]) -> None:
        """Exchange the scenes of some rows, without a reset."""

    @abstractmethod
    def _observe(self) -> Observation:
        """What the sensors see now."""
