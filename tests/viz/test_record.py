"""Recording: what a program compiled, ran and held, told by the compiler and the runtime themselves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import saccade
from saccade import Tensor
from saccade.graph import node as nodes
from saccade.graph.rewriting.passes import watching
from saccade.runtime.watch import debug
from saccade.viz.file import RecordingError, RecordingReader

from ..patience import HANG

SCRIPT = """
import numpy as np
from saccade import Tensor
x = Tensor(np.ones((8, 16), "float32"))
y = x * 1 + x.sum() * 0.5
z = y.softmax(1).numpy()
"""


def read(path: Path) -> tuple[dict[str, list[Any]], str]:
    reader = RecordingReader(path)
    found: dict[str, list[Any]] = {}
    for number, record in enumerate(reader.records):
        found.setdefault(record.kind, []).append(reader.read(number))
    return found, reader.message


def example(scale: float = 3.0) -> float:
    x = Tensor(np.full((8, 16), 2.0, "float32"))
    y = x * 1 + scale
    return float(y.softmax(1).sum().numpy())


def test_a_computation_is_recorded_once_and_its_runs_each(tmp_path: Path) -> None:
    with saccade.record(tmp_path / "a.saccade"):
        for _ in range(3):
            example()
    found, message = read(tmp_path / "a.saccade")
    assert message == ""
    assert len(found["C"]) == 1
    passes = {each["name"]: each for each in found["C"][0]["passes"]}
    assert passes["simplify"]["nodes_before"] > passes["simplify"]["nodes_after"] > 0
    (steps,) = [each for each in found["P"] if found["C"][0]["passes"][each["pass"]]["name"] == "simplify"]
    assert steps["lines"] == [f"test_record.py:{example.__code__.co_firstlineno + 2}"]
    (kernels,) = found["K"]
    assert len(kernels["kernels"]) == found["C"][0]["kernels"] == len(found["T"][0]) > 0
    runs = [event for batch in found["M"] for event in batch if event[0] == "r"]
    assert len(runs) == 3
    names = [batch["names"][n] for batch in found["S"] for n in batch["name"]]
    assert names.count(kernels["kernels"][0]["name"]) == 3


def test_nodes_are_numbered_sources_first(tmp_path: Path) -> None:
    with saccade.record(tmp_path / "a.saccade"):
        example()
    found, _ = read(tmp_path / "a.saccade")
    sources = [some for chunk in found["N"] for some in chunk["src"]]
    assert len(sources) == found["C"][0]["nodes"]
    assert all(source < number for number, some in enumerate(sources) for source in some)


def test_what_was_compiled_before_is_seen_when_it_runs(tmp_path: Path) -> None:
    example(5.0)
    with saccade.record(tmp_path / "a.saccade"):
        example(5.0)
    found, _ = read(tmp_path / "a.saccade")
    assert found["C"][0]["passes"][0]["name"] == "a computation on cpu, compiled before"
    assert found["K"][0]["kernels"]


def test_memory_is_seen_coming_and_going_also_on_the_null_device(tmp_path: Path) -> None:
    with saccade.record(tmp_path / "a.saccade"):
        x = Tensor.rand(1000, 1000, device="null").realize()
        y = (x + 1).realize()
        del x
        (y * 2).realize()
    found, _ = read(tmp_path / "a.saccade")
    events = [event for batch in found["M"] for event in batch]
    allocated = [event[2] for event in events if event[0] == "a"]
    freed = [event[2] for event in events if event[0] == "f"]
    used = [event[3] for event in events if event[0] == "r"]
    assert len(allocated) == 3
    assert used[1] == [allocated[0]]
    assert used[2] == [allocated[1]]
    assert allocated[0] in freed
    assert freed.index(allocated[0]) < len(freed)


def test_a_call_of_another_thread_is_recorded(tmp_path: Path) -> None:
    with saccade.record(tmp_path / "a.saccade"):
        thread = threading.Thread(target=lambda: example(7.0))
        thread.start()
        thread.join()
    found, _ = read(tmp_path / "a.saccade")
    assert len(found["C"]) == len(found["K"]) == 1


def test_after_the_block_nobody_watches(tmp_path: Path) -> None:
    before = watching.get(), nodes.observer, debug.watching.timeline
    with pytest.raises(ZeroDivisionError), saccade.record(tmp_path / "a.saccade"):
        1 / 0
    assert (watching.get(), nodes.observer, debug.watching.timeline) == before
    assert read(tmp_path / "a.saccade")[1] == ""


def test_one_at_a_time(tmp_path: Path) -> None:
    with (
        saccade.record(tmp_path / "a.saccade"),
        pytest.raises(RecordingError, match="one at a time"),
        saccade.record(tmp_path / "b.saccade"),
    ):
        pass
    assert not (tmp_path / "b.saccade").exists()


def started(folder: Path, text: str, wanted: str) -> subprocess.Popen[bytes]:
    (folder / "prog.py").write_text(text)
    environment = {**os.environ, "SACCADE_VIZ": wanted, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, "prog.py"], cwd=folder, env=environment, stdout=subprocess.PIPE)


def test_a_process_is_recorded_by_a_variable(tmp_path: Path) -> None:
    assert started(tmp_path, SCRIPT, "1").wait(HANG) == 0
    found, message = read(tmp_path / "prog.saccade")
    assert message == ""
    assert found["H"][0]["program"] == "prog.py"
    assert found["K"]


def test_a_killed_process_leaves_what_it_had_recorded(tmp_path: Path) -> None:
    with started(
        tmp_path, SCRIPT + "print('done', flush=True)\nimport time; time.sleep(600)", "k.saccade"
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    found, message = read(tmp_path / "k.saccade")
    assert found["K"]
    assert "was killed" in message


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x.sort(1)[0],
        lambda x: x.topk(3, 1)[0],
        lambda x: x.cumsum(1),
        lambda x: x.argmax(1),
        lambda x: x.gather(1, Tensor(np.zeros((8, 2), "int64"))),
        lambda x: Tensor.cat([x, x + 1], dim=0),
        lambda x: x[:, ::-1][1:, 2:] @ x.transpose(0, 1)[2:],
        lambda x: saccade.grad(lambda y: (y.exp() * y).sum())(x),
        lambda x: x.reshape(1, 1, 8, 16).conv2d(Tensor(np.ones((2, 1, 3, 3), "float32"))),
        lambda x: Tensor.randn(4, 4).cast(saccade.dtypes.bfloat16) + 1,
    ],
)
def test_every_kind_of_node_can_be_recorded(tmp_path: Path, program: Any) -> None:
    x = Tensor(np.random.default_rng(0).random((8, 16), dtype=np.float32))
    with saccade.record(tmp_path / "a.saccade"):
        program(x).realize()
    found, message = read(tmp_path / "a.saccade")
    assert message == ""
    assert any(computation["kernels"] for computation in found["C"])
