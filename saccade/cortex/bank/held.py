"""Hypotheses of single objects on demand: what goals and reports want to know of a bank, and writing some.

Comes in: a row, a module and an object. Goes out: evidence, flag, location and rotation of its hypotheses.
Reading waits for the device.

Where the hypotheses lie in the host's memory they are read there (`Window`): a program that gathers them, as
on a device, would take longer to call than to run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank import programs
from saccade.cortex.bank.programs import Spec
from saccade.cortex.bank.room import Room
from saccade.cortex.geometry import Rotation
from saccade.cortex.hypotheses.hypotheses import Hypotheses
from saccade.cortex.hypotheses.tables import FIRST, NORMAL, ROW, SECOND, ChannelTable
from saccade.cortex.hypotheses.turns import Turns
from saccade.cortex.ops import in_host_memory, read, upload
from saccade.tensor import Tensor

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

#: objects whose strongest hypotheses are read by one launch, and the least number of these: one program
#: serves all who ask, whatever the number of rows. As many as a row asks about; all are read, 20 kB each
OBJECTS, LEAST = 32, 200

#: rows of what is read: evidence, flag, then location and rotation
EVIDENCE, FLAG, POSE = 0, 1, 2


@dataclass(frozen=True)
class Comparison:
    """function: of hypotheses (2 W, H, 13), numbers (W, n) and `given`, tensors and tuples of them that are
    on the device; key: tells it apart from others; most: hypotheses of an object that it is given."""

    key: Hashable
    function: Callable[..., Tensor]
    given: Any
    most: int


class Window:
    """The hypotheses of a state in the host's memory, good until the next step."""

    def __init__(self, state: Hypotheses, spec: Spec, tables: Sequence[ChannelTable]) -> None:
        size, turns = state.shape[3], state.rotation
        self._turns: SensedTurns | None = None
        kept: Sequence[Tensor]
        if isinstance(turns, Turns):
            self._turns, kept = SensedTurns(state, turns, spec, tables), (turns.source,)
        else:
            kept = cast("Rotation", turns)
        counts, *columns = read((state.counts, state.evidence, state.possible, *state.location, *kept))
        self._counts = counts.reshape(-1)
        self._columns = [column.reshape(-1, size) for column in columns]

    def held(self, place: int) -> Floats:
        """(14, H) all of them."""
        return self._taken(place, slice(int(self._counts[place])))

    def _taken(self, place: int, which: Any) -> Floats:
        found = [column[place, which] for column in self._columns]
        if self._turns is not None:
            found[POSE + 3 :] = self._turns.of(place, found[POSE + 3])
        return np.array(found, np.float64)

    def strongest(self, place: int, most: int) -> Floats:
        """(14, H) at most so many, those with the most evidence first; the first of equals goes first."""
        evidence = self._columns[EVIDENCE][place, : int(self._counts[place])]
        return self._taken(place, np.argsort(-evidence, kind="stable")[:most])


class SensedTurns:
    """Rotations that are told by what they came from (`turns`), computed on the host."""

    def __init__(self, state: Hypotheses, turns: Turns, spec: Spec, tables: Sequence[ChannelTable]) -> None:
        _, self._modules, self._objects, _ = state.shape
        sensed, *nodes = read((turns.sensed, *(table.nodes for table in tables)))
        self._sensed = sensed.reshape(-1, sensed.shape[2], 3, 3)
        self._nodes = [each.reshape(self._modules * self._objects, -1, ROW) for each in nodes]
        self._informed = spec.settings.initial_possible_poses == "informed"

    def of(self, place: int, source: npt.NDArray[np.int32]) -> Floats:
        """(9, H) of hypotheses of a row, module and object, numbered through."""
        most = max(each.shape[1] for each in self._nodes)
        pair, node = np.divmod(source, most)
        slot, channel = np.divmod(pair, len(self._nodes))
        sensed = self._sensed[place // self._objects][slot].astype(np.float64)
        if not self._informed:
            return np.asarray(sensed.reshape(-1, 9).T)
        model = place % (self._modules * self._objects)
        rows = np.zeros((len(source), ROW))
        for number, nodes in enumerate(self._nodes):
            mine = channel == number
            rows[mine] = nodes[model][node[mine]]
        vectors = [rows[:, begin : begin + 3, None] for begin in (NORMAL, FIRST, SECOND)]
        turned = vectors[0] * sensed[:, 0, None] + vectors[1] * sensed[:, 1, None]
        return np.asarray(turned + vectors[2] * sensed[:, 2, None]).reshape(-1, 9).T


class HeldRoom(Room):
    """A room whose hypotheses can be read, compared and written, object by object."""

    def _place(self, row: int, module: int, name: str) -> int:
        """Rows, modules and objects numbered through."""
        return (row * self.modules + module) * self.known.objects + self.known.number(module, name)

    @property
    def _lie_here(self) -> bool:
        """Whether hypotheses are in the host's memory, object by object."""
        return in_host_memory(self.device) and not self.is_packed

    def hypotheses_of(self, row: int, module: int, name: str) -> dict[str, npt.NDArray[Any]]:
        """Evidence (H,), locations (H, 3), rotations (H, 3, 3) and flags (H,) of one object. Waits."""
        place = self._place(row, module, name)
        if self._lie_here:
            values = Window(self.hypotheses, self.spec, self.known.tables).held(place)
        else:
            at = upload(np.array([place]), "int64", self.device)
            count, values = read(
                self.run_apart(
                    ("held",), programs.held, self.hypotheses, at, self.known.tables, fixed=(self.spec,)
                )
            )
            values = values[:, : int(count[0])]
        return {
            "evidence": values[EVIDENCE],
            "locations": values[POSE : POSE + 3].T,
            "rotations": values[POSE + 3 :].T.reshape(-1, 3, 3),
            "possible": values[FLAG].astype(bool),
        }

    def strongest(
        self, module: int, wanted: Sequence[tuple[int, str]], most: int
    ) -> list[tuple[npt.NDArray[np.float64], ...]]:
        """Of each row and object, the evidence (H,), locations (H, 3) and rotations (H, 3, 3) of its `most`
        strongest hypotheses, or of all if there are fewer. Waits once."""
        if not wanted:
            return []
        if self._lie_here:
            return self._strongest_here(module, wanted, most)
        return self.told(read(self.rank(module, wanted, most)), len(wanted), most)

    def _strongest_here(
        self, module: int, wanted: Sequence[tuple[int, str]], most: int
    ) -> list[tuple[npt.NDArray[np.float64], ...]]:
        window = Window(self.hypotheses, self.spec, self.known.tables)
        parts = [window.strongest(self._place(row, module, name), most) for row, name in wanted]
        return [
            (each[EVIDENCE], each[POSE : POSE + 3].T, each[POSE + 3 :].T.reshape(-1, 3, 3)) for each in parts
        ]

    def rank(self, module: int, wanted: Sequence[tuple[int, str]], most: int) -> list[Tensor]:
        """Enqueue the search for the strongest hypotheses of each row and object, answers for `told`."""
        asked = np.array([self._place(row, module, name) for row, name in wanted])
        read_of_each, answers = max(most, LEAST), []
        for start in range(0, len(asked), OBJECTS):
            part = np.pad(asked[start : start + OBJECTS], (0, max(start + OBJECTS - len(asked), 0)), "edge")
            at, key = upload(part, "int64", self.device), ("strongest", read_of_each)
            fixed = (read_of_each, self.spec)
            answers.append(
                self.run_apart(key, programs.strongest, self.hypotheses, at, self.known.tables, fixed=fixed)
            )
        return answers

    def ranked(self, asked: Tensor, number: Tensor, most: int) -> Tensor:
        """Enqueue the search for the strongest hypotheses of the places in row `number` (1,) of asked
        (S, K): (K, most, 13), for `compare_ranked`."""
        fixed = (most, self.spec)
        found: Tensor = self.run_apart(
            ("ranked", most), programs.ranked, self.hypotheses, asked, number, self.known.tables, fixed=fixed
        )
        return found

    @property
    def shares(self) -> tuple[int, int]:
        """Rooms whose hypotheses are compared together, and the rows of each: this one alone."""
        return 1, self.rows

    def in_shares(self, reports: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """What there is of each share."""
        return tuple(reports)

    def compared(self, asked: Tensor, told: Tensor, comparison: Comparison) -> Tensor:
        """Enqueue a comparison of the strongest hypotheses of two objects of each row, in places asked
        (1, 2 R), with numbers told (R, n) of each: (R, ...)."""
        return self.compare_ranked((self.ranked(asked, self._first, comparison.most),), told, comparison)

    @cached_property
    def _first(self) -> Tensor:
        return upload([0], "int32", self.device)

    def compare_ranked(self, ranked: tuple[Tensor, ...], told: Tensor, comparison: Comparison) -> Tensor:
        """Enqueue a comparison of what several rooms ranked, with numbers told (W, n) of all pairs."""
        key = ("compared", len(ranked), comparison.key)
        answers: Tensor = self.run(
            key, programs.compared, ranked, told, comparison.given, fixed=(comparison.function,)
        )
        return answers

    @staticmethod
    def told(
        answers: Sequence[npt.NDArray[np.float64]], asked: int, most: int
    ) -> list[tuple[npt.NDArray[np.float64], ...]]:
        """What `rank` found of so many objects, as `strongest` gives it."""
        found = np.concatenate(answers)[:asked]
        evidence = found[..., 0]
        mixed = (evidence[:, 1:] > evidence[:, :-1]).any(axis=1)
        if mixed.any():  # all were read, and as they lie
            order = np.argsort(-evidence[mixed], axis=1, kind="stable")
            found[mixed] = np.take_along_axis(found[mixed], order[..., None], axis=1)
        counts = np.minimum(np.count_nonzero(evidence > -np.inf, axis=1), most).tolist()
        return [
            (known[:count, 0], known[:count, 1:4], known[:count, 4:].reshape(-1, 3, 3))
            for known, count in zip(found, counts, strict=True)
        ]

    def write(
        self,
        row: int,
        module: int,
        name: str,
        evidence: npt.NDArray[np.float64] | None = None,
        possible: Bools | None = None,
    ) -> None:
        """Put other evidence (H,), or other flags (H,), of one object's hypotheses in place. Waits."""
        if evidence is not None:
            self.state.check_voted()
        if self.is_packed:
            raise ValueError("hypotheses that lie packed between steps cannot be written one by one")
        at = (row, module, self.known.number(module, name))

        def changed(tensor: Tensor, given: npt.NDArray[Any] | None) -> Tensor:
            if given is None:
                return tensor
            values = read([tensor])[0].copy()
            values[at][: len(given)] = given
            return upload(values, tensor.dtype.name, self.device)

        held = self.hypotheses
        self.state = self.state.holding(
            held._replace(
                evidence=changed(held.evidence, evidence), possible=changed(held.possible, possible)
            )
        )
