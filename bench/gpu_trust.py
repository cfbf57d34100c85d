"""Trust on a machine with a GPU, counted: random programs on the CPU and on the card, the tests marked `gpu`,
the faults that a card survives, and the attacks of the soak on runs, files and caches.

    python -m bench.gpu_trust --seconds 560              # all of it, on all cores, from where it stopped
    python -m bench.gpu_trust tests faults               # some parts: see PARTS
    python -m bench.gpu_trust programs:200000 --seed 7000000 --state other.json        # so many of them

It ends by itself when all is done or the seconds are over. What was running then is not counted as tried.
The state (`build/trust.json`) is written after each process, and the same command goes on from there, with
the same sources alone. The faults have the card to themselves; programs on the CPU run beside everything. It
ends with 1 if anything was found."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from saccade.files.atomic import write_text
from saccade.fuzz.soak.soak import State, Turn, from_json
from saccade.fuzz.soak.watched import Watched

#: the parts and what they import
PARTS: Final = {
    "faults": ("pytest", "hypothesis", "cuda"), "tests": ("pytest", "hypothesis", "cuda"), "cuda": ("cuda",),
    "programs": ("llvmlite",), "kills": ("llvmlite",), "files": ("llvmlite",), "cache": ("llvmlite",),
}  # fmt: skip
FAULTS: Final = "tests/runtime/test_cuda_failures.py"
COLLECTING: Final = "collecting the tests"


class Asked(NamedTuple):
    """Cases of an attack that are asked for, seeds of a process, and cases of a seed, about."""

    cases: int
    seeds: int
    each: int = 1


#: files: 500 of each of 44 kinds
ASKED: Final = {
    "programs": Asked(100_000, 400), "cuda": Asked(10_000, 60), "kills": Asked(1_000, 2, 12),
    "files": Asked(22_000, 10, 44), "cache": Asked(500, 20),
}  # fmt: skip
ON_CPU: Final = ("programs", "kills", "files", "cache")
#: seconds of silence after which a case hangs, and a test: the longest runs all tests of tensors
CASE_HANGS, TEST_HANGS = 240.0, 540.0
#: tests of a file in one process
TOGETHER: Final = 16
#: seconds between two lines of progress, and of silence that is told of what runs at the end
SELDOM, SILENT = 30.0, 20.0


@dataclass
class Trust:
    """All that is known: what it was found with, the random programs, and each test's outcome."""

    tree: dict[str, str]
    soak: State
    collected: list[str] = field(default_factory=list)
    tests: dict[str, dict[str, Any]] = field(default_factory=dict)
    seconds: float = 0.0

    def part_of(self, part: str) -> list[str]:
        """The names of the tests of a part."""
        return [name for name in self.collected if name.startswith(FAULTS) == (part == "faults")]


def open_trust(path: Path, tree: dict[str, str], seed: int) -> Trust:
    """What a file knows of these sources, or nothing yet."""
    if not path.exists():
        return Trust(tree, State(seed))
    value = json.loads(path.read_text())
    if value["tree"] != tree or value["soak"]["seed"] != seed:
        raise SystemExit(f"{path} was found with other sources or another seed: remove it, or name another")
    return Trust(tree, from_json(value["soak"]), value["collected"], value["tests"], value["seconds"])


class Suite(Watched):
    """A process that runs these tests; without names it only collects those marked `gpu`."""

    def __init__(self, folder: Path, names: Sequence[str] = ()) -> None:
        self.names = names
        marked = (str(file) for file in Path("tests").rglob("test_*.py") if "mark.gpu" in file.read_text())
        what = names or ["-m", "gpu", "--collect-only", *sorted(marked)]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "bench.trust_tests"]
        super().__init__([*command, *what], folder / f"tests {time.perf_counter_ns()}", TEST_HANGS)

    def enter_into(self, trust: Trust, stopped: bool = False) -> None:
        """The outcomes; a test at which the process ended or hung has one too."""
        at, told = "", self.said()
        for said in told:
            if "collected" in said and not self.names:
                trust.collected = said["collected"]
            if "test" in said:
                trust.tests[said["test"]] = {key: said[key] for key in ("outcome", "seconds", "told")}
            at = said.get("at", "" if "test" in said else at)
        if stopped:
            return
        begun = [said for said in told if ("test" if self.names else "collected") in said]
        missed = [at] if at else [] if begun else self.names or [COLLECTING]
        for name in missed:
            how, seconds = "hung" if self.hung else "ended", round(time.perf_counter() - self.began, 2)
            trust.tests[name] = {"outcome": how, "seconds": seconds, "told": f"{self.end}\n{self.errors()}"}


class Runner:
    """The processes that run, and which one is next."""

    def __init__(
        self, trust: Trust, goals: dict[str, Asked], parts: Sequence[str], jobs: int, folder: Path
    ) -> None:
        self.trust, self.goals, self.parts, self.jobs, self.folder = trust, goals, parts, jobs, folder
        self.running: list[Turn | Suite] = []

    def step(self) -> list[Turn | Suite]:
        """Start what there is room for; enter what is over, which is returned."""
        while len(self.running) < self.jobs and (made := self._next()) is not None:
            self.running.append(made)
        over = [each for each in self.running if each.is_over()]
        for each in over:
            self.running.remove(each)
            self._enter(each)
        return over

    def stop(self) -> list[str]:
        """End all that runs, and count what it had done. Says what had been silent for long."""
        silent = [each for each in self.running if each.silence() > SILENT]
        told = [f"{_name(each)} for {each.silence():.0f} s" for each in silent]
        for each in self.running:
            each.stop()
            self._enter(each, stopped=True)
        return told

    def _enter(self, made: Turn | Suite, stopped: bool = False) -> None:
        if isinstance(made, Turn):
            made.enter_into(self.trust.soak, stopped)
        else:
            made.enter_into(self.trust, stopped)

    def _next(self) -> Turn | Suite | None:
        """The faults before the tests before programs on the card; programs on the CPU beside all of them."""
        tests = [each for each in self.running if isinstance(each, Suite)]
        wanted = [part for part in ("faults", "tests") if part in self.parts]
        if wanted and not self.trust.collected and COLLECTING not in self.trust.tests:
            return self._turn(*ON_CPU) if tests else Suite(self.folder)
        busy = {name for each in tests for name in each.names}
        for part in wanted:
            names = self.trust.part_of(part)
            waiting = [name for name in names if name not in self.trust.tests.keys() | busy]
            if waiting and len(tests) < (1 if part == "faults" else max(1, self.jobs // 2)):
                file = waiting[0].partition("::")[0]
                return Suite(
                    self.folder, [name for name in waiting if name.startswith(f"{file}::")][:TOGETHER]
                )
            if waiting or (part == "faults" and busy.intersection(names)):
                return self._turn(*ON_CPU)
        return self._turn("cuda", *ON_CPU)

    def _turn(self, *kinds: str) -> Turn | None:
        """More cases, of the attack that is furthest from its goal."""
        left = {kind: self.goals[kind].cases - self._planned(kind) for kind in kinds if kind in self.parts}
        left = {kind: count for kind, count in left.items() if count > 0}
        if not left:
            return None
        kind = max(left, key=lambda each: left[each] / self.goals[each].cases)
        asked = self.goals[kind]
        most = min(asked.seeds, -(-left[kind] // asked.each))
        return Turn(self.trust.soak, kind, self.folder, most, CASE_HANGS)

    def _planned(self, kind: str) -> int:
        """Cases that were tried, or that a process was given."""
        turns = [each for each in self.running if isinstance(each, Turn) and each.kind == kind]
        given = sum(turn.seeds[1] - turn.seeds[0] for turn in turns) * self.goals[kind].each
        return self.trust.soak.progress(kind).tried + given


def _name(made: Turn | Suite) -> str:
    """What a process is at."""
    at = next((said["at"] for said in reversed(made.said()) if "at" in said), "its start")
    return f"{made.kind} {at}" if isinstance(made, Turn) else str(at)


def table(trust: Trust, goals: dict[str, Asked], parts: Sequence[str]) -> str:
    """A row a part. Wrong: another result, or a failed test; raised: an exception instead of a result."""
    columns = ("asked", "done", "wrong", "raised", "ended", "hung", "skipped")
    lines = [f"| part | {' | '.join(columns)} | seeds |", f"|---|{'---|' * (len(columns) + 1)}"]
    for part in parts:
        counts, seeds = _counts(trust, goals, part)
        cells = " | ".join(f"{counts[each]:,}" for each in columns)
        lines.append(f"| {part} | {cells} | {seeds} |")
    return "\n".join(lines)


def _counts(trust: Trust, goals: dict[str, Asked], part: str) -> tuple[Counter[str], str]:
    """The numbers of a part by column, and its seeds."""
    if part in goals:
        progress = trust.soak.progress(part)
        found = Counter(asked=goals[part].cases, done=progress.tried)
        for failure in trust.soak.failures:
            found[failure.how] += failure.times if failure.kind == part else 0
        return found, f"{trust.soak.seed:,} to {max(progress.next - 1, trust.soak.seed):,}"
    names = trust.part_of(part)
    outcomes = Counter(trust.tests[name]["outcome"] for name in names if name in trust.tests)
    done = outcomes.total() - outcomes["skipped"]
    return outcomes + Counter(asked=len(names), done=done, wrong=outcomes["failed"]), ""


def _found(trust: Trust) -> list[str]:
    """Everything that was found, in words."""
    fine = ("passed", "skipped", "not collected")
    failed = {name: test for name, test in trust.tests.items() if test["outcome"] not in fine}
    tests = [f"{name}: {test['outcome']}\n{test['told']}" for name, test in failed.items()]
    return [*map(str, trust.soak.failures), *tests]


def _left_out(trust: Trust) -> list[str]:
    """Tests that were not run, by reason; and files that could not be imported."""
    reasons = Counter(test["told"] for test in trust.tests.values() if test["outcome"] == "skipped")
    uncollected = [name for name, test in trust.tests.items() if test["outcome"] == "not collected"]
    return [
        *(f"skipped {count} tests: {why}" for why, count in reasons.items()),
        *(f"not collected, whatever is in it: {name}: {_last(trust.tests[name])}" for name in uncollected),
    ]


def _last(test: dict[str, Any]) -> str:
    return (str(test["told"]).splitlines() or [""])[-1]


def _possible(parts: Sequence[str]) -> list[str]:
    """The parts that this machine can run; says what the others lack."""
    lacking = {part: [name for name in PARTS[part] if find_spec(name) is None] for part in parts}
    if any("cuda" in PARTS[part] for part in parts) and _asked(_HAS_GPU) != "True":
        for part in parts:
            lacking[part] += ["GPU"] if "cuda" in PARTS[part] else []
    for part in parts:
        if lacking[part]:
            print(f"{part}: NOT RUN, there is no {', no '.join(lacking[part])}")
    return [part for part in parts if not lacking[part]]


def _asked(code: str) -> str:
    """What code prints in a process of its own: this one must not open the card."""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return told.stdout.strip() if told.returncode == 0 else ""


_HAS_GPU: Final = "from saccade.fuzz.soak.soak_turn import ATTACKS; print(ATTACKS['cuda'].is_possible())"
_ENVIRONMENT: Final = """
import json
from saccade.experiment.config.environment import environment_of
print(json.dumps(environment_of("auto")))
"""


def sources(commit: str) -> dict[str, str]:
    """Which tree this is and what it runs with."""
    about = json.loads(_asked(_ENVIRONMENT) or '{"environment": "cannot be told"}')
    if not commit:
        git = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
        commit = git.stdout.strip() or "unknown"
    proved = "yes" if find_spec("z3") is not None else "no, there is no z3"
    return {"commit": commit, **about, "bounds proved": proved}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}, with :COUNT for more or fewer; all")
    parser.add_argument("--seconds", type=float, default=560.0, help="after which it ends")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes at a time")
    parser.add_argument("--seed", type=int, default=1_000_000, help="of the first program")
    parser.add_argument("--state", type=Path, default=Path("build/trust.json"))
    parser.add_argument("--commit", default="", help="where git cannot tell it")
    chosen = parser.parse_args()
    counts = {name: count for name, _, count in (part.partition(":") for part in chosen.parts or PARTS)}
    for name, count in counts.items():
        if name not in PARTS or (count and (name not in ASKED or not count.isdecimal())):
            parser.error(
                f"there is no part {name}:{count}: use {', '.join(PARTS)}, {', '.join(ASKED)} with :COUNT"
            )
    began = time.perf_counter()
    # Two threads, so that loops are shared out; with one for each core of sixteen they would only wait.
    os.environ.update({"SACCADE_THREADS": "2", "SACCADE_CACHE": "off"})
    parts = _possible(list(counts))
    trust = open_trust(chosen.state, sources(chosen.commit), chosen.seed)
    before = trust.seconds
    goals = {
        name: asked._replace(cases=int(counts.get(name) or asked.cases)) for name, asked in ASKED.items()
    }
    for name, value in trust.tree.items():
        print(f"{name}: {value}")
    print(flush=True)
    chosen.state.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="saccade-trust-", ignore_cleanup_errors=True) as folder:
        runner = Runner(trust, goals, parts, chosen.jobs, Path(folder))
        told, silent = 0.0, list[str]()
        try:
            while (over := time.perf_counter() - began) < chosen.seconds:
                if runner.step():
                    trust.seconds = before + over
                    write_text(chosen.state, json.dumps(asdict(trust), indent=1) + "\n")
                elif not runner.running:
                    break
                if over - told > SELDOM:
                    told = over
                    print(f"{over:.0f} s\n{table(trust, goals, parts)}", flush=True)
                time.sleep(0.1)
        finally:
            silent = runner.stop()
            trust.seconds = before + time.perf_counter() - began
            write_text(chosen.state, json.dumps(asdict(trust), indent=1) + "\n")
    found = _found(trust)
    for line in [*found, *_left_out(trust), *(f"silent at the end: {each}" for each in silent)]:
        print(f"\n{line}")
    print(f"\n{trust.seconds:.0f} s, {chosen.jobs} processes\n{table(trust, goals, parts)}")
    return 1 if found else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what runs is ended, and counted
    sys.exit(main())
