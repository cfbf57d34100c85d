"""Recognition by forked processes: the same outcomes, and nobody is left behind when one of them fails."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from saccade.experiment import starting
from saccade.experiment.config.config import override
from saccade.experiment.config.sections import ConfigError
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.engine import make_engine
from saccade.experiment.engine.episode import Outcome
from saccade.experiment.errors import RunError
from saccade.experiment.plan.plan import Unit, plan_eval, plan_train, shown_in
from saccade.experiment.processes import (
    LEAST_UNITS,
    ProcessEngine,
    divided,
    processes_for,
)
from saccade.extend.loggers import StepNews
from saccade.runtime.cpu.pool import shared_pool
from tests.experiment.fake_engine import NAMES, FakeEngine
from tests.patience import HANG
from tests.runtime.fake_gpu import NEEDS_A_DRIVER, build_driver, printed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked under Linux alone")


def needs_a_driver(test: Callable[..., None]) -> Callable[..., None]:
    for mark in NEEDS_A_DRIVER:
        test = mark(test)
    return test


class Doing(FakeEngine):
    """Does something before each episode of a process that is not the first."""

    def __init__(self, config: ExperimentConfig, action: Callable[[], object], pause: float = 0.0) -> None:
        super().__init__(config, pause)
        self.action, self.home = action, os.getpid()

    def recognise(self, units: Sequence[Unit], rows: int) -> Iterator[Outcome]:
        for outcome in super().recognise(units, rows):
            if os.getpid() != self.home:
                self.action()
            yield outcome


class Telling(FakeEngine):
    """Can tell of its steps, as the real one."""

    tell: Callable[[StepNews], None] | None = None


def units() -> list[Unit]:
    return plan_eval(config(), NAMES)


def config() -> ExperimentConfig:
    return override(ExperimentConfig(), ["eval.epochs=4"])


def test_outcomes_are_those_of_one_process_and_seconds_are_shared() -> None:
    assert len(units()) >= 2 * LEAST_UNITS
    alone = list(FakeEngine(config(), pause=0.001).recognise(units(), rows=4))
    engine = Doing(config(), lambda: None, pause=0.001)
    found = list(ProcessEngine(engine, 2).recognise(units(), rows=4))
    assert not engine.episodes_run  # none of them ran here
    assert sorted(repr(each.row.results()) for each in found) == sorted(
        repr(each.row.results()) for each in alone
    )
    assert [each.row.seconds for each in found] == [each.row.seconds / 2 for each in alone]


def test_few_units_stay_in_this_process() -> None:
    engine = FakeEngine(config())
    assert len(list(ProcessEngine(engine, 2).recognise(units()[: 2 * LEAST_UNITS - 1], 4))) == 11
    assert len(engine.episodes_run) == 11


def test_whoever_is_told_of_steps_has_them_in_this_process() -> None:
    engine = Telling(config())
    shared = ProcessEngine(engine, 2)
    shared.tell = print
    assert len(list(shared.recognise(units(), 4))) == len(engine.episodes_run) == len(units())
    assert engine.tell is print


def test_what_all_processes_need_is_made_once() -> None:
    made: list[int] = []

    class Prepared(FakeEngine):
        def prepare(self) -> None:
            made.append(os.getpid())

    assert len(list(ProcessEngine(Prepared(config()), 2).recognise(units(), 4))) == len(units())
    assert made == [os.getpid()]


def test_objects_that_come_up_seldom_go_to_one_process() -> None:
    every = units()
    for count in (2, 3, 8):
        parts = divided(every, count)
        assert sorted(unit.id for part in parts for unit in part) == sorted(unit.id for unit in every)
        assert max(map(len, parts)) - min(map(len, parts)) <= 1
    homes = [shown_in(part) for part in divided(every, 8)]
    assert sum(map(len, homes)) <= len(NAMES) + 7


def test_cores_are_shared_out() -> None:
    before = shared_pool().threads

    def one() -> None:
        assert shared_pool().threads == max(1, before // 2)

    assert len(list(ProcessEngine(Doing(config(), one), 2).recognise(units(), 4))) == len(units())
    assert shared_pool().threads == before


def test_an_error_of_a_process_is_raised_here() -> None:
    def wrong() -> None:
        raise ValueError("mug has no handle: give it one")

    with pytest.raises(ValueError, match="give it one"):
        list(ProcessEngine(Doing(config(), wrong), 2).recognise(units(), 4))
    assert not multiprocessing.active_children()


def test_a_process_that_is_killed_is_told() -> None:
    def killed() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(RunError, match=r"ended with code -9.*--batch"):
        list(ProcessEngine(Doing(config(), killed), 2).recognise(units(), 4))
    assert not multiprocessing.active_children()


def test_processes_end_with_whoever_wants_no_more() -> None:
    found = ProcessEngine(Doing(config(), lambda: None, pause=60.0), 2).recognise(units(), 4)
    quick = ProcessEngine(Doing(config(), lambda: None, pause=0.001), 2).recognise(units(), 4)
    next(quick)
    for each in (found, quick):
        assert isinstance(each, Generator)
        each.close()
    assert not multiprocessing.active_children()


def test_processes_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from tests.experiment.test_processes import *\n"
        "note = lambda: (Path(sys.argv[1]) / str(os.getpid())).touch()\n"
        "engine = Doing(config(), note, pause=0.05)\n"
        "list(ProcessEngine(engine, 2).recognise(units() * 1000, 4))\n"
    )
    run = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)])
    try:
        wait_until(lambda: len(list(tmp_path.iterdir())) == 2 or run.poll() is not None)
    finally:
        run.kill()
        run.wait()
    children = [int(path.name) for path in tmp_path.iterdir()]
    assert len(children) == 2
    wait_until(lambda: not any(_runs(child) for child in children))


def wait_until(there: Callable[[], bool]) -> None:
    end = time.monotonic() + HANG
    while not there():
        assert time.monotonic() < end
        time.sleep(0.02)


def _runs(process: int) -> bool:
    """Whether it is there and no zombie."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def test_devices_that_no_fork_can_use_are_refused() -> None:
    assert processes_for("null:cuda") == 1
    with pytest.raises(ConfigError, match="--processes 2 is for the CPU"):
        processes_for("null:cuda", 2)
    with pytest.raises(ValueError, match="0 processes"):
        ProcessEngine(FakeEngine(config()), 0)


def test_many_rows_on_a_gpu_are_shared_by_more_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saccade.experiment.processes.settings", SimpleNamespace(threads=16))
    assert [processes_for("cuda:0", None, rows) for rows in (0, 100, 231, 2048, 10_000)] == [4, 4, 8, 8, 8]
    assert processes_for("cuda:0", 3, 2048) == 3
    assert processes_for("cpu", None, 2048) == 16


@pytest.mark.slow
def test_the_real_engine_gives_the_same_rows_and_traces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = [
        "objects.names=mug,hammer", "world.agent=surface", "train.rotations=2", "train.steps=30",
        "module.updater=burst", "module.node_spacing=0.008", "noise.location=0.001", "eval.epochs=7",
        "eval.min_steps=5", "eval.max_steps=12", "recording.traces=true", "device=cpu",
        "batch=6",
    ]  # fmt: skip
    real = override(ExperimentConfig(), small)
    names = ["mug", "hammer"]
    engine, eval_units = make_engine(real), plan_eval(real, names)
    assert len(eval_units) >= 2 * LEAST_UNITS
    training = plan_train(real, names)
    for _ in engine.learn(training, 4):
        pass
    engine.finish_learning(training)
    engine.save_memory(tmp_path / "memory")
    monkeypatch.setattr(starting, "LEAST_GPU_UNITS", LEAST_UNITS)
    waiting = starting.with_standby(real, 2, "cpu", tmp_path / "memory")
    assert waiting is not None
    assert waiting[1] == names
    alone, *others = (
        sorted(found.recognise(eval_units, 6), key=lambda outcome: outcome.row.id)
        for found in (engine, ProcessEngine(engine, 2), waiting[0])
    )
    for shared in others:
        assert [repr(each.row.results()) for each in shared] == [repr(each.row.results()) for each in alone]
        for one, other in zip(alone, shared, strict=True):
            assert one.trace.keys() == other.trace.keys()
            for name, values in one.trace.items():
                assert values.tobytes() == other.trace[name].tobytes(), (one.row.id, name)


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a driver without a GPU; see `runtime.fake_gpu`."""
    folder = tmp_path_factory.mktemp("driver")
    build_driver(folder)
    return folder


#: an engine whose episodes need a GPU, and two processes for it
SHARING = """
import os
from saccade import Device
from saccade.cortex.bank.space import free_bytes
from saccade.experiment.engine.build import check_device
from saccade.experiment.config.environment import environment_of
from saccade.experiment.config.probe import card_of, device_of
from saccade.experiment.processes import ProcessEngine, processes_for
from tests.experiment.test_processes import *

everyone = units() * 4
def use():
    assert Device["cuda"].name == "cuda:0"
    assert free_bytes("cuda") == card_of("cuda:0").free // 2
assert config().device == "auto"
assert device_of(config()) == "cuda:0"
check_device(config(), apart=True)
assert environment_of("cuda")["device"].startswith("cuda, fake 0")
class Ready(Doing):
    # its episodes begin when it has rehearsed for its part
    asked = []
    def rehearse(self, units, rows, number, count):
        assert (units, rows, count) == (len(everyone) // 2, 2, 2)
        self.asked.append(number)
def rehearsed():
    use()
    assert engine.asked in ([0], [1])
engine = Ready(config(), rehearsed)
shared = ProcessEngine(engine, processes_for("cuda", 2), "cuda")
print(len(everyone), len(list(shared.recognise(everyone, 4))), len(engine.episodes_run), Device.forkable)
"""

OPENED = """
Device["cuda"]
print(processes_for("cuda"), len(list(shared.recognise(everyone, 4))) == len(engine.episodes_run))
"""


def _with(driver: Path, program: str) -> list[str]:
    chosen = {"SACCADE_CACHE": "off", "SACCADE_THREADS": "2", "SACCADE_DEVICE": "auto"}
    told = printed(program, LD_LIBRARY_PATH=str(driver), **chosen)
    return told.splitlines()


@needs_a_driver
def test_processes_share_a_gpu_that_nobody_has_opened(driver: Path) -> None:
    episodes = str(4 * len(units()))
    assert _with(driver, SHARING) == [f"{episodes} {episodes} 0 True"]


@needs_a_driver
def test_a_gpu_that_was_opened_is_used_by_this_process_alone(driver: Path) -> None:
    assert _with(driver, SHARING + OPENED)[1:] == ["1 True"]


def test_a_gpu_that_cannot_be_used_is_told_without_opening_it() -> None:
    script = "from saccade.experiment.config.probe import card_of\ncard_of('cuda:97')\n"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "ValueError" in found.stderr
    assert "cuda:97" in found.stderr
