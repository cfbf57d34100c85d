"""The same bits from run to run, beside others, with any number of threads, under another NumPy, after kills.

What `docs/determinism.md` promises. An experiment of seconds is run once, then again in other ways, and all
that it leaves is compared byte by byte: rows, results, models, and what was computed at every step.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.experiment.config.config import override
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.engine import make_engine
from saccade.experiment.plan.plan import plan_train
from saccade.fuzz.attacks.kills import SMALL, contents, rows_of, run_here
from saccade.fuzz.releases import Recorder, between, first_difference

ROOT = Path(__file__).parents[2]
TINY = [*SMALL, "eval.epochs=1", "recording.traces=true"]

# An experiment as another release of NumPy might run it: what NumPy does not promise to the last bit is off
# by one there, and what has no business here is not there at all.
ELSEWHERE = """
import sys
from pathlib import Path
import numpy as np

def off_by_one(function):
    def changed(*arguments, **named):
        found = function(*arguments, **named)
        return np.nextafter(found, np.inf) if getattr(found, "dtype", np.dtype(int)).kind == "f" else found
    return changed

for name in (
    "sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh exp exp2 expm1 log log2 log10 log1p power hypot "
    "cbrt interp linspace einsum dot vdot inner matmul tensordot sum mean average std var median quantile "
    "percentile trace cov corrcoef convolve"
).split():
    setattr(np, name, off_by_one(getattr(np, name)))
np.linalg = np.random = np.fft = np.polynomial = None

from saccade.fuzz.attacks.kills import run_here
run_here(Path(sys.argv[1]), sys.argv[2:])
"""


def bits(path: Path) -> dict[str, object]:
    return {**contents(path), **rows_of(path)}


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("once") / "run"
    run_here(path, TINY)
    return path


def test_run_to_run(once: Path, tmp_path: Path) -> None:
    run_here(tmp_path / "again", TINY)
    assert len(bits(once)) > 8
    assert bits(tmp_path / "again") == bits(once)


def test_threads_hashes_and_another_numpy(once: Path, tmp_path: Path) -> None:
    """All at once: one thread instead of all, another order of sets, another BLAS and none of the vector
    instructions that NumPy chooses when it starts, and functions that are off by one."""
    subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(tmp_path / "elsewhere"), *TINY],
        check=True,
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "SACCADE_THREADS": "1",
            "PYTHONHASHSEED": "7",
            "OPENBLAS_CORETYPE": "ARMV8" if os.uname().machine == "aarch64" else "NEHALEM",
            "OPENBLAS_NUM_THREADS": "1",
        },
    )
    assert bits(tmp_path / "elsewhere") == bits(once)


def test_what_is_explored_beside_others_is_explored_alone() -> None:
    """Two objects in all their views side by side, then view by view."""
    config = override(ExperimentConfig(), TINY)
    units = plan_train(config, ["mug", "hammer"])
    engine = make_engine(config)
    beside = {unit.id: outcomes for unit, outcomes in engine.learn(units, rows=8)}
    engine.finish_learning(units)
    models = engine.memory.modules[0]
    for unit in units:
        alone = make_engine(config)
        ((_, outcomes),) = alone.learn([unit], rows=1)
        alone.finish_learning([unit])
        assert [each.row.steps for each in outcomes] == [each.row.steps for each in beside[unit.id]]
        ((name, model),) = alone.memory.modules[0].items()
        for channel, nodes in model.channels.items():
            other = models[name].channels[channel]
            assert nodes.positions.tobytes() == other.positions.tobytes()
            assert nodes.pose_vectors.tobytes() == other.pose_vectors.tobytes()
            assert all(
                nodes.features[key].tobytes() == other.features[key].tobytes() for key in nodes.features
            )


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings", [[], ["module.updater=burst"], ["module.count=3", "eval.modules_to_match=2"]]
)
def test_rows_side_by_side(tmp_path: Path, settings: list[str]) -> None:
    """Recognition too: every step of an episode, in a batch of any width."""
    chosen = [*TINY, *settings, "eval.epochs=3"]
    run_here(tmp_path / "alone", chosen)
    for batch in (2, 3, 5):
        run_here(tmp_path / str(batch), [*chosen, f"batch={batch}"])
        assert bits(tmp_path / str(batch)) == bits(tmp_path / "alone")


# --- under interpreters that are really others


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        ["default", "objects.limit=2", "train.rotations=2", "train.steps=30"],
        ["distinct_distant_noise", "objects.limit=2", "train.rotations=2", "train.steps=30"],
        ["distinct_surface_noise_5_modules", "objects.limit=2", "train.rotations=2", "train.steps=30"],
        ["pictures", "objects.limit=2", "train.rotations=2", "train.steps=30"],
        ["unsupervised", "objects.limit=2", "train.epochs=2", "train.rotations=4", "train.steps=20"],
    ],
    ids=lambda settings: settings[0],
)
def test_other_interpreters(settings: list[str]) -> None:
    """Each of SACCADE_PYTHONS, paths with a colon between, against this one: the first value that differs.
    Without them this one against itself: what differs from run to run would hide all else."""
    others = [each for each in os.environ.get("SACCADE_PYTHONS", "").split(":") if each] or [sys.executable]
    short = ["eval.epochs=1", "eval.episodes=2", "eval.min_steps=10", "eval.max_steps=20"]
    for other in others:
        assert between([sys.executable, other], settings[0], [*settings[1:], *short]) is None


def test_the_first_difference_is_named(tmp_path: Path) -> None:
    one, other, late = (tmp_path / name for name in ("one", "other", "late"))
    one.write_text("a.py:f -> 1\nb.py:g -> 2\nc.py:h -> 3 seconds\n")
    other.write_text("b.py:g -> 2\na.py:f -> 1\nc.py:h -> 4 seconds\n")
    assert first_difference(one, other) is None  # another order of functions, and times
    late.write_text("a.py:f -> 1\nb.py:g -> 2.5\n")
    found = first_difference(one, late)
    assert found is not None
    assert (found.number, found.first, found.second) == (1, "b.py:g -> 2", "b.py:g -> 2.5")
    one.write_text("a.py:f -> 1\n")
    found = first_difference(one, late)
    assert found is not None
    assert found.second == "b.py:g -> 2.5"


def test_what_functions_return_is_recorded(tmp_path: Path) -> None:
    from saccade.world.agents import spread

    with (tmp_path / "record").open("w") as file:
        sys.setprofile(Recorder(file))
        try:
            spread(2, 0.5)
        finally:
            sys.setprofile(None)
    lines = (tmp_path / "record").read_text().splitlines()
    assert lines[-1].startswith(
        "saccade/world/agents.py:spread -> f[2, 2] 0x0.0p+0 0x0.0p+0 0x1.0000000000000p-1"
    )
