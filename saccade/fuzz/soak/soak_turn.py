"""A turn of the soak: some cases of one attack, in a process of its own.

    python -m saccade.fuzz.soak.soak_turn programs 1200 240       # the cases of 240 seeds, from 1200 on

Its output is lines of JSON. `at` is the seed that is tried next and `tried` how many cases were: told before
each, so that of a process that ends or hangs it is known with what. `found` is a failure, as small as the
attack could make it; `fault` is what failures have in common that are one, `how` says whether something
was wrong or raised. The last line is `done`."""

from __future__ import annotations

import gc
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple


@dataclass(frozen=True)
class Attack:
    """How to try the cases of `count` seeds from one on; what a seed takes in seconds, about; what the cases
    are called; for how much of the time, beside the others; and whether this machine has what it takes."""

    run: Callable[[int, int, Teller], None]
    seconds: float
    called: str
    share: float = 1.0
    is_possible: Callable[[], bool] = lambda: True


class Teller:
    """Writes the lines."""

    def __init__(self) -> None:
        self._found = 0

    def at(self, seed: int, tried: int, failures: Sequence[Any], describe: Describe) -> None:
        """The failures that are new, and what is tried next."""
        for failure in failures[self._found :]:
            self._line({"found": describe(failure)._asdict()})
        self._found = len(failures)
        self._line({"at": seed, "tried": tried})

    def done(self) -> None:
        self._line({"done": True})

    def _line(self, value: dict[str, object]) -> None:
        print(json.dumps(value), flush=True)


class Found(NamedTuple):
    """The seed of a failure, what it has in common with others of its fault, the case for a person, and
    whether something was `wrong` or `raised`."""

    seed: int
    fault: str
    case: str
    how: str = "wrong"


Describe = Callable[[Any], Found]


def _fault(text: str) -> str:
    """The beginning of a message without its numbers and paths."""
    return re.sub(r"/\S+|[-+\d.]*\d[\w.]*", "#", text.partition("\n")[0])[:120]


def _programs(device: str) -> Callable[[int, int, Teller], None]:
    def run(seed: int, count: int, tell: Teller) -> None:
        from ..programs.check import Failure
        from ..programs.fuzz import Report, describe, fuzz

        def described(failure: Failure) -> Found:
            kind = failure.message.partition(" ")[0].rstrip(":")
            how = "raised" if failure.raised else "wrong"
            return Found(failure.program.seed, f"{failure.stage}: {kind}", describe(failure), how)

        def progress(current: int, report: Report) -> None:
            tell.at(current, report.programs, report.failures, described)

        progress(seed + count, fuzz(count, seed, progress, device))

    return run


def _has_gpu() -> bool:
    from ...runtime.device import Device

    return Device.canonical("auto").startswith("cuda")


def _gradients(seed: int, count: int, tell: Teller) -> None:
    from ..attacks.slopes import Failure, Report, attack

    def described(failure: Failure) -> Found:
        return Found(failure.seed, _fault(failure.message), str(failure))

    def progress(current: int, report: Report) -> None:
        tell.at(current, report.programs, report.failures, described)

    progress(seed + count, attack(seed, count, progress))


def _kills(seed: int, count: int, tell: Teller) -> None:
    from ..attacks.kills import Failure, Report, attack

    def described(failure: Failure) -> Found:
        return Found(failure.seed, _fault(failure.message), str(failure))

    def progress(current: int, report: Report) -> None:
        tell.at(current, report.kills.total(), report.failures, described)

    progress(seed + count, attack(seed, 1 << 30, experiments=count, progress=progress))


def _files(seed: int, count: int, tell: Teller) -> None:
    from ..files.file_kinds import all_kinds
    from ..files.files import Failure, Report, attack

    kinds = len(all_kinds())

    def described(failure: Failure) -> Found:
        return Found(failure.case.seed, f"{failure.case.kind}: {_fault(failure.told)}", str(failure))

    def progress(number: int, report: Report) -> None:
        tell.at(seed + number // kinds, report.tried.total(), report.failures, described)

    progress(count * kinds, attack(seed, count * kinds, progress=progress))


def _cache(seed: int, count: int, tell: Teller) -> None:
    from ..attacks.cache_attack import Failure, Report, State, attack

    def described(failure: Failure) -> Found:
        return Found(failure.state.seed, _fault(failure.message), str(failure))

    def progress(state: State, report: Report) -> None:
        tell.at(state.seed, report.states, report.failures, described)

    report = attack(seed, count, progress)
    tell.at(seed + count, report.states, report.failures, described)


def _unrest(kind: str) -> Callable[[int, int, Teller], None]:
    def run(seed: int, count: int, tell: Teller) -> None:
        from ..attacks.unrest import Failure, Report, attack

        def described(failure: Failure) -> Found:
            return Found(failure.case.seed, _fault(failure.message), str(failure))

        def progress(current: int, report: Report) -> None:
            tell.at(current, report.cases, report.failures, described)

        progress(seed + count, attack(kind, seed, count, progress))

    return run


def _requests(seed: int, count: int, tell: Teller) -> None:
    from ..attacks.requests import Failure, Report, attack

    def described(failure: Failure) -> Found:
        return Found(failure.case.seed, f"{failure.case.server}: {_fault(failure.message)}", str(failure))

    def progress(current: int, report: Report) -> None:
        tell.at(current, report.requests, report.failures, described)

    progress(seed + count, attack(seed, count, progress))


_FORKS: Final = hasattr(os, "fork")
ATTACKS: Final[dict[str, Attack]] = {
    "programs": Attack(_programs("cpu"), 0.06, "programs", share=4),
    "cuda": Attack(_programs("cuda"), 0.6, "programs on a GPU", share=4, is_possible=_has_gpu),
    "gradients": Attack(_gradients, 0.04, "gradients"),
    **({"kills": Attack(_kills, 10.0, "kills", share=2)} if _FORKS else {}),
    "files": Attack(_files, 1.0, "damaged files", share=2),
    "cache": Attack(_cache, 0.25, "damaged caches", share=2),
    "requests": Attack(_requests, 0.05, "requests"),
    "threads": Attack(_unrest("threads"), 0.4, "cases of threads"),
    **({"forks": Attack(_unrest("forks"), 0.7, "forks")} if _FORKS else {}),
    **({"signals": Attack(_unrest("signals"), 1.2, "cases of signals")} if _FORKS else {}),
}


def main(arguments: Sequence[str]) -> None:
    kind, seed, count = arguments
    # most of what compiling makes goes by itself: looking for cycles took a twentieth of the time
    gc.set_threshold(100_000, 20, 100)
    tell = Teller()
    ATTACKS[kind].run(int(seed), int(count), tell)
    tell.done()


if __name__ == "__main__":
    main(sys.argv[1:])
