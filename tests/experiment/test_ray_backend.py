"""Episodes on a local Ray cluster: the same rows as in one process, also when a worker is killed."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from saccade.experiment import ray_backend
from saccade.experiment.config.config import override
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.engine import make_engine
from saccade.experiment.engine.objects import object_names
from saccade.experiment.progress import Silent
from saccade.experiment.ray_backend import RayEngine, check_reachable, pack, unpack
from saccade.experiment.record.record import RunFolder
from saccade.experiment.run import execute


def test_files_and_folders_travel(tmp_path: Path) -> None:
    (tmp_path / "a" / "deep").mkdir(parents=True)
    (tmp_path / "a" / "deep" / "x").write_bytes(b"1")
    (tmp_path / "a" / "y").write_bytes(b"2")
    unpack(pack(tmp_path / "a"), tmp_path / "b")
    assert (tmp_path / "b" / "deep" / "x").read_bytes() == b"1"
    unpack(pack(tmp_path / "a" / "y"), tmp_path / "c")
    assert (tmp_path / "c").read_bytes() == b"2"


@pytest.mark.parametrize("form", ["127.0.0.1:{}", "ray://127.0.0.1:{}"])
def test_an_address_where_nobody_answers_is_named_at_once(form: str) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        address = form.format(listening.getsockname()[1])
        with pytest.raises(ConnectionError, match=f"reached at '{address}' .Connection refused"):
            check_reachable(address)
        listening.listen()
        check_reachable(address)


class Refusing:
    """Stands for Ray where it cannot start, or where its workers lack something."""

    def __init__(self, worker_has: object = None) -> None:
        self.worker_has = worker_has
        self.asked: dict[str, Any] = {}
        error = type("RayError", (Exception,), {})
        self.exceptions: Any = type("exceptions", (), {"RayError": error, "GetTimeoutError": TimeoutError})

    def is_initialized(self) -> bool:
        return False

    def init(self, **asked: Any) -> None:
        self.asked = asked
        if self.worker_has is None:
            raise RuntimeError("no room")

    def remote(self, *functions: Any, **options: Any) -> Any:
        return type("Remote", (), {"remote": staticmethod(lambda: None)})

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0}

    def get(self, reference: Any, timeout: float) -> object:
        if self.worker_has == "nothing":
            raise self.exceptions.RayError("ray::saccade_version()\nNo module named 'saccade'\n")
        return self.worker_has


@pytest.mark.parametrize(
    ("address", "worker_has", "told"),
    [
        ("local", None, "cannot join the Ray cluster at 'local': no room"),
        ("auto", "nothing", "at 'auto' cannot use saccade: No module named 'saccade'; install it"),
        ("auto", "0.0.7", "at 'auto' have saccade 0.0.7, and this is"),
    ],
)
def test_clusters_that_cannot_be_used(
    fake: ModuleType, monkeypatch: pytest.MonkeyPatch, address: str, worker_has: object, told: str
) -> None:
    ray = Refusing(worker_has)
    monkeypatch.setattr(ray_backend, "load_ray", lambda: ray)
    with pytest.raises((ConnectionError, ImportError), match=told):
        RayEngine(ExperimentConfig(), address, fake.FakeEngine)
    assert ray.asked["address"] == address


def test_addresses_without_a_host_are_not_knocked_at() -> None:
    for address in ("local", "auto", "ray://head"):
        check_reachable(address)
    with pytest.raises(ConnectionError, match=r"nowhere\.invalid:99999"):
        check_reachable("nowhere.invalid:99999")


@pytest.fixture(scope="module")
def cluster(fake: ModuleType) -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="ray is not installed (extra ray)")
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(fake)
    root = str(Path(__file__).parents[2])
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": root}},
    )
    yield ray
    ray.shutdown()


def slow_engine(fake: ModuleType, pids: Path) -> Any:
    """A factory of engines that pause at every episode and leave the numbers of their processes."""

    def make(config: ExperimentConfig) -> Any:
        (pids / str(os.getpid())).touch()
        return fake.FakeEngine(config, pause=0.02)

    return make


def kill_a_worker(pids: Path, killed: list[int], pause: float = 0.3) -> None:
    """When two workers are at it, kill one in the middle."""
    while not killed:
        workers = [int(path.name) for path in pids.iterdir() if int(path.name) != os.getpid()]
        if len(workers) >= 2:
            time.sleep(pause)
            os.kill(workers[0], signal.SIGKILL)
            killed.append(workers[0])
        time.sleep(0.01)


@pytest.mark.parametrize("kill", [False, True], ids=["undisturbed", "a worker is killed"])
def test_same_rows_as_in_one_process(fake: ModuleType, cluster: Any, tmp_path: Path, kill: bool) -> None:
    settings = ["train.rotations=3", "eval.epochs=20", "batch=4"]
    whole = fake.run(tmp_path / "one", settings)
    pids = tmp_path / "pids"
    pids.mkdir()
    config = override(ExperimentConfig(), settings)
    engine = RayEngine(config, "local", slow_engine(fake, pids))
    killed: list[int] = []
    if kill:
        threading.Thread(target=kill_a_worker, args=(pids, killed), daemon=True).start()
    with RunFolder.create(tmp_path / "many", config) as folder:
        summary = execute(folder, engine, fake.NAMES, Silent())
    assert bool(killed) == kill
    assert summary["results"] == whole["results"]
    rows = RunFolder.open(tmp_path / "many").rows()
    assert len({row.id for row in rows}) == len(rows) == 12 + 80
    assert [repr(row.results()) for row in rows] == [
        repr(row.results()) for row in RunFolder.open(tmp_path / "one").rows()
    ]


REAL = [
    "objects.names=mug,hammer", "world.agent=surface", "train.rotations=3", "train.steps=40",
    "module.updater=plain", "module.node_spacing=0.008", "module.neighbours=4", "noise.location=0.001",
    "eval.epochs=6", "eval.min_steps=10", "eval.max_steps=20", "batch=2",
]  # fmt: skip


def noted_engine(pids: Path) -> Any:
    """A factory of real engines that leave the numbers of their processes."""

    def make(config: ExperimentConfig) -> Any:
        (pids / str(os.getpid())).touch()
        return make_engine(config)

    return make


@pytest.mark.slow
def test_a_real_run_with_a_worker_killed(cluster: Any, tmp_path: Path) -> None:
    config = override(ExperimentConfig(), REAL)
    with RunFolder.create(tmp_path / "one", config) as folder:
        whole = execute(folder, make_engine(config), object_names(config), Silent())
    pids = tmp_path / "pids"
    pids.mkdir()
    engine = RayEngine(config, "local", noted_engine(pids))
    killed: list[int] = []
    threading.Thread(target=kill_a_worker, args=(pids, killed, 1.0), daemon=True).start()
    with RunFolder.create(tmp_path / "many", config) as folder:
        summary = execute(folder, engine, object_names(config), Silent())
    assert killed, "the run was over before a worker could be killed"
    assert summary["results"] == whole["results"]
    rows = [[repr(row.results()) for row in RunFolder.open(tmp_path / n).rows()] for n in ("one", "many")]
    assert rows[0] == rows[1]
