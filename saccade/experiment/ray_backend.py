"""Episodes spread over a Ray cluster, with the same results as in one process.

In: a config, the address of a cluster ("local" starts one on this machine) and a way to make engines. Out: an
`Engine`. Units of learning and recognition travel to the workers in small groups, their outcomes come back
and are recorded here, by one process and under their own ids. When a worker is lost Ray runs its groups again
elsewhere; an episode's outcome depends on nothing but its seeds, the config and the models, so the second try
gives what the first would have.

    engine = RayEngine(config, "local")
    execute(folder, engine, names, progress)

Learning without names is one long chain and stays in this process.
"""

from __future__ import annotations

import hashlib
import importlib
import logging
import re
import socket
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from saccade.experiment.config import config as configs
from saccade.experiment.config.environment import DECIDING, Environment, describe, differences, environment_of
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.delegate import Delegate
from saccade.experiment.engine.episode import Engine, Outcome
from saccade.experiment.plan.plan import Unit
from saccade.files.reading import shown, within
from saccade.version import saccade_version

EngineFactory = Callable[[ExperimentConfig], Engine]
Files = Mapping[str, bytes]

# How long a cluster may take to answer at all.
REACH_SECONDS = 10.0
# How long it may take to give us a first worker.
WORKER_SECONDS = 60.0

# Groups of units per worker: enough that the last ones to finish do not leave the others waiting for long.
GROUPS_PER_WORKER = 4


def load_ray() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise ImportError("--ray needs the extra ray: pip install 'saccade[ray]'") from None


def check_reachable(address: str, seconds: float = REACH_SECONDS) -> None:
    """Knock at an address of the form HOST:PORT or ray://HOST:PORT; Ray itself would try for minutes."""
    found = re.fullmatch(r"(?:ray://)?(\[[^\]]+\]|[^:/\[\]]+):(\d+)", address)
    if found is None:
        return  # "local", "auto" and the names of services are Ray's own affair
    host, port = found[1].strip("[]"), int(found[2])
    try:
        socket.create_connection((host, port), seconds).close()
    except (OSError, OverflowError) as error:
        reason = "no answer" if isinstance(error, TimeoutError) else getattr(error, "strerror", None) or error
        raise ConnectionError(
            f"no Ray cluster can be reached at {address!r} ({reason}); `ray start --head` starts one there, "
            "--ray local one here"
        ) from None


def _last_line(error: Exception) -> str:
    """What went wrong on a worker, without the way there."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


# --- what travels: a saved file or folder as names and bytes


def pack(path: Path) -> Files:
    """A file or a folder as bytes; a file has the empty name."""
    if path.is_file():
        return {"": path.read_bytes()}
    return {
        str(each.relative_to(path)): each.read_bytes() for each in sorted(path.rglob("*")) if each.is_file()
    }


def unpack(files: Files, path: Path) -> None:
    """Write what `pack` read."""
    if set(files) == {""}:
        path.write_bytes(files[""])
        return
    path.mkdir()
    for name, data in files.items():
        target = within(path, path / name)
        if target is None:
            raise ValueError(f"a worker sent a file named {shown(name)}, which leads out of its folder")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def pack_by(save: Callable[[Path], None]) -> Files:
    """What `save` writes, without keeping it on disk."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "packed"
        save(path)
        return pack(path)


def unpack_by(files: Files, load: Callable[[Path], None]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "packed"
        unpack(files, path)
        load(path)


# --- what runs on a worker

_engines: dict[str, Engine] = {}


def check_alike(expected: Environment, device: str) -> None:
    """Refuse to compute where results may come out otherwise than where the run was begun."""
    found = differences(expected, environment_of(device), DECIDING)
    if found:
        raise ValueError(
            f"the worker on {socket.gethostname()} computes with something else ({describe(found)}), so "
            "results would depend on where an episode runs: use machines and installations of one kind"
        )


def _engine_with(factory: EngineFactory, text: str, memory: Files | None, expected: Environment) -> Engine:
    """This worker's engine for a config and memory; made once, as it compiles and prepares objects."""
    check_alike(expected, configs.loads(text).device)
    digest = hashlib.blake2b(text.encode())
    for name, data in (memory or {}).items():
        digest.update(name.encode() + data)
    key = digest.hexdigest()
    if key not in _engines:
        engine = factory(configs.loads(text))
        if memory is not None:
            unpack_by(memory, engine.load_memory)
        _engines.clear()  # one at a time: an engine may hold much of a device's memory
        _engines[key] = engine
    return _engines[key]


def learn_group(
    factory: EngineFactory, text: str, expected: Environment, units: Sequence[Unit], rows: int
) -> list[tuple[Unit, list[Outcome], Files]]:
    """Learn some units; each comes back with what `save_unit` writes."""
    engine = _engine_with(factory, text, None, expected)
    return [
        (unit, outcomes, pack_by(lambda path, unit=unit: engine.save_unit(unit, path)))  # type: ignore[misc]
        for unit, outcomes in engine.learn(units, rows)
    ]


def recognise_group(
    factory: EngineFactory, text: str, expected: Environment, memory: Files, units: Sequence[Unit], rows: int
) -> list[Outcome]:
    """Recognise some units with the models in `memory`."""
    return list(_engine_with(factory, text, memory, expected).recognise(units, rows))


# --- the engine


class RayEngine(Delegate):
    """An engine whose units run on the workers of a cluster; models are kept by a local engine."""

    def __init__(self, config: ExperimentConfig, address: str, factory: EngineFactory | None = None) -> None:
        self._ray = load_ray()
        if not self._ray.is_initialized():
            check_reachable(address)
        if factory is None:
            from saccade.experiment.engine.engine import make_engine

            factory = make_engine
        self._factory = factory
        self._text = configs.dumps(config)
        self._environment = dict(environment_of(config.device))
        super().__init__(factory(config))
        if not self._ray.is_initialized():
            self._connect(address)
            if address != "local":
                self._check_workers(address)
        # Ray starts a task again when its worker dies, as often as it takes.
        remote = self._ray.remote(max_retries=-1)
        self._learn, self._recognise = remote(learn_group), remote(recognise_group)
        self._workers = max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def _connect(self, address: str) -> None:
        # Workers find the package where this process found it; on other machines it must be installed.
        root = str(Path(__file__).resolve().parents[2])
        environment = {"env_vars": {"PYTHONPATH": root}}
        try:
            self._ray.init(
                address=address,  # "local" never joins a cluster that happens to run, or ran, on this machine
                runtime_env=environment if address == "local" else None,
                log_to_driver=False,
                logging_level=logging.ERROR,
                include_dashboard=False if address == "local" else None,
                ignore_reinit_error=True,
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise ConnectionError(f"cannot join the Ray cluster at {address!r}: {error}") from None

    def _check_workers(self, address: str) -> None:
        """Say what the machines of a cluster lack before anything is begun."""
        try:
            found = self._ray.get(self._ray.remote(saccade_version).remote(), timeout=WORKER_SECONDS)
        except self._ray.exceptions.GetTimeoutError:
            raise ConnectionError(
                f"the Ray cluster at {address!r} has had no free worker for {WORKER_SECONDS:.0f} s; wait for "
                "what runs there, or add machines"
            ) from None
        except self._ray.exceptions.RayError as error:
            raise ImportError(
                f"the workers of the Ray cluster at {address!r} cannot use saccade: {_last_line(error)}; "
                f"install it on its machines, the version of this one ({saccade_version()})"
            ) from None
        if found != saccade_version():
            raise ImportError(
                f"the workers of the Ray cluster at {address!r} have saccade {found}, and this is "
                f"{saccade_version()}; results would differ: install the same there"
            )

    def _groups(self, units: Sequence[Unit], rows: int) -> list[Sequence[Unit]]:
        """Units in groups, at most `rows` of them each, a few groups for every worker."""
        size = max(1, min(rows, -(-len(units) // (GROUPS_PER_WORKER * self._workers))))
        return [units[start : start + size] for start in range(0, len(units), size)]

    def _finished(self, pending: list[Any]) -> Iterator[Any]:
        """The results of remote calls as they finish."""
        while pending:
            ready, pending = self._ray.wait(pending, num_returns=1)
            try:
                found = self._ray.get(ready)
            except self._ray.exceptions.RayTaskError as error:
                raise (error.cause or error) from None  # as if it had happened here
            yield from found

    def learn(self, units: Sequence[Unit], rows: int) -> Iterator[tuple[Unit, list[Outcome]]]:
        factory = self._ray.put(self._factory)
        pending = [
            self._learn.remote(factory, self._text, self._environment, group, rows)
            for group in self._groups(units, rows)
        ]
        for finished in self._finished(pending):
            for unit, outcomes, files in finished:
                unpack_by(files, lambda path, unit=unit: self.local.load_unit(unit, path))  # type: ignore[misc]
                yield unit, outcomes

    def recognise(self, units: Sequence[Unit], rows: int) -> Iterator[Outcome]:
        if not units:
            return
        factory = self._ray.put(self._factory)
        memory = self._ray.put(pack_by(self.local.save_memory))
        pending = [
            self._recognise.remote(factory, self._text, self._environment, memory, group, rows)
            for group in self._groups(units, rows)
        ]
        for outcomes in self._finished(pending):
            yield from outcomes
