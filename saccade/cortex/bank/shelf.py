"""The programs of a bank, each made when it is first used.

In: a function, a key that tells it apart, and how hypotheses lie. Out: the call of the program that was made
of it for this key and for what programs depend on (`Kind`).

    shelf = Shelf()
    shelf.run(arrangement, ("reset",), programs.reset, hypotheses, checks, mask)
    shelf.compilations                  # how often a program was compiled, of all kinds
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

from saccade.cortex.bank.program import Program
from saccade.cortex.bank.state.arrangement import Arrangement, Kind
from saccade.cortex.hypotheses.packing import unpacked_in

#: room for hypotheses up to which programs may keep memory of their own; for more, launching takes no time
#: beside the work, and each state is gigabytes
LOOPED_HYPOTHESES = 4_000_000

#: programs by what they depend on and a key
Programs = dict[Kind, dict[Any, Program[..., Any]]]


class Shelf:
    """Programs of one bank, or of several of the same modules."""

    def __init__(self, shared: Programs | None = None) -> None:
        """shared: where other banks have theirs."""
        self._programs: Programs = {} if shared is None else shared
        # results of a loop take turns in memory, and a bank cannot know what another one still holds
        self._loops = shared is None
        #: those of the arrangement asked for last: a kind is large, and to find it takes longer than a launch
        self._latest: tuple[Arrangement | None, dict[Any, Program[..., Any]]] = None, {}

    def _ready(self, arrangement: Arrangement) -> dict[Any, Program[..., Any]]:
        if self._latest[0] is not arrangement:
            self._latest = arrangement, self._programs.setdefault(arrangement.kind, {})
        return self._latest[1]

    def run(
        self, arrangement: Arrangement, key: tuple[Any, ...], function: Callable[..., Any], *args: Any,
        fixed: tuple[Any, ...] = (), loop: bool = False,
    ) -> Any:  # fmt: skip
        """Call a program. `fixed` are the function's first arguments that are no tensors, which the key
        tells. `loop`: all that it made and that is still in use is among the arguments, as with the state
        that goes from step to step."""
        latest, ready = self._latest
        if latest is not arrangement:
            ready = self._ready(arrangement)
        program = ready.get(key)
        if program is None:
            # Calls known by heart keep their arguments, which may be two dozen states.
            small = prod(arrangement.shape) <= LOOPED_HYPOTHESES
            bound = partial(function, *fixed) if fixed else function
            program = ready[key] = Program(bound, loop and small and self._loops)
        return program(*args)

    def run_apart(
        self, arrangement: Arrangement, key: tuple[Any, ...], function: Callable[..., Any], *args: Any,
        fixed: tuple[Any, ...] = (), loop: bool = False,
    ) -> Any:  # fmt: skip
        """`run` of a function that works on hypotheses as (R, M, O, H), however they lie between steps."""
        if arrangement.places is None:
            return self.run(arrangement, key, function, *args, fixed=fixed, loop=loop)
        bound, size = partial(function, *fixed) if fixed else function, arrangement.size
        own = (*key, size)
        return self.run(arrangement, own, unpacked_in(bound, size), arrangement.places, *args, loop=loop)

    def program(self, arrangement: Arrangement, *key: Any) -> Program[..., Any]:
        """One that is in use."""
        return self._ready(arrangement)[key]

    def forget(self, arrangement: Arrangement) -> None:
        """Give up the programs of this kind, with the memory that their loops hold."""
        del self._programs[arrangement.kind]
        self._latest = None, {}

    @property
    def compilations(self) -> int:
        return sum(p.compilations for ready in self._programs.values() for p in ready.values())
