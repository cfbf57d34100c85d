"""What modules hear: percepts of sensors now, and what other modules concluded one step ago.

    hearing = Hearing(groups, rig.names)
    hearing.start(rows)
    inputs = hearing.inputs(state.upward, felt, news, asked)        # a batch of percepts for each group
    upward = {name: hearing.conclusions(name, result) for name, result in results.items()}

A module listens to the senders that its channels name, each in its place of the batch of its group. The
batches are filled anew at every step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from saccade.cortex.bank.results import ModuleResult
from saccade.cortex.goals.goals import Flags, Floats, Ints
from saccade.cortex.messages import Percept, PerceptBatch
from saccade.cortex.modules.group import Group, GroupInput
from saccade.cortex.rows import take_rows
from saccade.cortex.sense import Sensation
from saccade.cortex.sense.percept_program import messages_of
from saccade.cortex.sense.percepts import put_sensations

#: each module's conclusion per row, by its name
Upward = Mapping[str, tuple[Percept | None, ...]]


class Hearing:
    """Who listens to whom, and the percepts of this step."""

    def __init__(self, groups: Sequence[Group], sensors: Sequence[str]) -> None:
        self.groups, self.sensors = groups, tuple(sensors)
        self._place = {name: (g, m) for g, group in enumerate(groups) for m, name in enumerate(group.names)}
        self._batches: list[PerceptBatch] = []

    def start(self, rows: int) -> None:
        self._batches = [group.empty_batch(rows) for group in self.groups]

    def keep(self, rows: Ints) -> None:
        """Go on with the rows of these numbers alone, in this order."""
        self._batches = [take_rows(batch, rows) for batch in self._batches]

    def inputs(self, upward: Upward, felt: Sensation, news: Flags, asked: Flags | None) -> list[GroupInput]:
        """Percepts of sensors, and of modules one step ago, in the places the groups expect them. A module
        that has sensors as well hears of the others where its own sensors are now: its hypotheses stand for
        that place, and the sensors alone tell how far it moved.

        asked (R,): rows that make an end check. One where nothing is told on this step makes none: that its
        hypotheses stay as they are would count for a symmetry.
        """
        for group, batch in zip(self.groups, self._batches, strict=True):
            for m, module in enumerate(group.modules):
                layouts, heard = module.layouts, []
                for c, channel in enumerate(module.channels):
                    if channel in self.sensors:
                        sensor = self.sensors.index(channel)
                        put_sensations(
                            batch, felt, news, sensor=sensor, module=m, channel=c, layout=layouts[c]
                        )
                    else:
                        batch.flags[:, m, c] = False
                        heard.append((c, upward[channel]))
                if heard:
                    here, feels = batch.modules(m, m + 1).mean_location()
                for c, sent in heard:
                    for row, percept in enumerate(sent):
                        if percept is not None:
                            batch.put((row, m, c), percept, layouts[c])
                            if feels[row, 0]:
                                batch.location[row, m, c] = here[row, 0]
        if asked is not None:
            asked = asked & _told(self._batches)
        return [
            GroupInput(
                batch, None if asked is None else np.repeat(asked[:, None], len(group.modules), axis=1)
            )
            for group, batch in zip(self.groups, self._batches, strict=True)
        ]

    def messages(self, upward: Upward, rows: int, room: int) -> list[Floats | None]:
        """What modules of each group hear of others, for the device."""
        batches = [group.empty_batch(rows) for group in self.groups]
        for group, batch in zip(self.groups, batches, strict=True):
            for m, module in enumerate(group.modules):
                for c, channel in enumerate(module.channels):
                    for row, percept in enumerate(upward.get(channel, ())):
                        if percept is not None:
                            batch.put((row, m, c), percept, module.layouts[c])
        spoken = _told(batches)
        return [messages_of(batch, spoken, room) for batch in batches]

    def sensed(self, name: str) -> Floats:
        """(R, 3) the body-frame place a module's hypotheses stand for: the mean of where its inputs came
        from."""
        g, m = self._place[name]
        return np.asarray(self._batches[g].mean_location()[0][:, m])

    def conclusions(self, name: str, result: ModuleResult) -> tuple[Percept | None, ...]:
        """What goes up: the recognised object as a feature of the place where the module's sensors are
        now."""
        sensed = self.sensed(name)
        return tuple(
            None if percept is None else replace(percept, location=sensed[row])
            for row, percept in enumerate(result.outputs)
        )


def _told(batches: Sequence[PerceptBatch]) -> Flags:
    """The rows (R,) in which anybody is told anything."""
    return np.asarray(np.any([(b.present & b.informative).any(axis=(1, 2)) for b in batches], axis=0))
