"""The data set of kernels: written, read, replayed, compared; and the commands around it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from bench.kernel_programs import MODELS, programs
from saccade import Tensor
from saccade.cli import app as cli
from saccade.fuzz.kernels.changes import changes
from saccade.fuzz.kernels.dataset import DataSet, DataSetError
from saccade.fuzz.kernels.replay import CARDS, MOST_WORK, cut, replay
from saccade.graph import dtypes
from saccade.graph.kernels.kernel import Kernel, load, loop, param, sink, store
from saccade.graph.kernels.text import difference, digest_of
from saccade.graph.node import index_const
from saccade.tensor.programs.form import Form, canonical
from tests.codegen.kernels import elementwise, kernels_of

SAMPLE = DataSet.read(Path(__file__).parent / "data")


def form(*tensors: Tensor) -> Form:
    return canonical([t.node for t in tensors])[0]


def made(write: Callable[[Tensor], Tensor] = lambda x: x.softmax(1)) -> DataSet:
    x = Tensor(np.ones((8, 40), np.float32))
    return DataSet.of([("first", form(write(x))), ("second", form(x.sum(0)))])


def command(*arguments: object) -> tuple[int, str]:
    ran = CliRunner().invoke(cli.app, ["kernels", *map(str, arguments)])
    return ran.exit_code, ran.output


# --- replaying


@pytest.mark.parametrize("digest", list(SAMPLE.kernels)[::15])
def test_a_kernel_of_the_sample_works(digest: str) -> None:
    found = replay(SAMPLE.kernels[digest], nvrtc=False)
    assert found.problems == ()
    assert found.ran


@pytest.mark.slow
def test_every_kernel_of_the_sample_works_on_every_target() -> None:
    """All of them, NVRTC included; `make test-all` does the same with every kernel of our programs."""
    assert [str(found) for found in map(replay, SAMPLE.kernels.values()) if found.problems] == []


def test_our_programs_are_collected() -> None:
    """The models, which are only traced; the experiments run in `make test-all`."""
    found = dict(programs(["models"]))
    assert list(found) == [f"model: {name}" for name in MODELS]
    assert all(DataSet.of([(name, found[name])]).kernels for name in list(found)[-4:])


def test_the_sample_is_from_all_over() -> None:
    assert {program.name.partition(":")[0] for program in SAMPLE.programs} == {
        "sweep",
        "case",
        "model",
        "cortex",
    }
    assert {program.machine for program in SAMPLE.programs} == {"cpu", "cuda"}


def test_a_kernel_that_is_none_is_a_problem() -> None:
    i = loop(0, 8)
    wrong = sink((store(param(0, dtypes.float32, 8), i, load(param(1, dtypes.int32, 8), i)),))
    found = replay(Kernel(wrong, (i,), ((dtypes.float32, 8), (dtypes.int32, 8)), (0,)))
    assert len(found.problems) == 1
    assert "another dtype than the memory" in found.problems[0]
    assert not found.ran


def test_an_index_that_leaves_its_memory_is_a_problem() -> None:
    pytest.importorskip("z3")
    i = loop(0, 8)
    x, y = (param(slot, dtypes.float32, 8) for slot in (0, 1))
    beyond = sink((store(x, i, load(y, i + 1)),))
    found = replay(Kernel(beyond, (i,), ((dtypes.float32, 8),) * 2, (0,)), nvrtc=False)
    assert any("may leave its 8 elements" in problem for problem in found.problems)


def test_what_the_cpu_computes_otherwise_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    from saccade.fuzz.kernels import replay as module

    kernel = elementwise(lambda x: x * 2.0, [dtypes.float32], 100)
    other = elementwise(lambda x: x * 2.5, [dtypes.float32], 100)
    source = module.cpu_source(other)
    monkeypatch.setattr(module, "cpu_source", lambda _: replace(source, name=source.name))
    found = replay(kernel, nvrtc=False)
    assert any("elements differ from the interpreter's" in problem for problem in found.problems)


def test_long_loops_are_cut_for_the_interpreter() -> None:
    rng = np.random.default_rng(0)
    (kernel,) = kernels_of(Tensor(np.ones((4000, 3000), np.float32)) * 2)
    part = cut(kernel, rng)
    assert part is not kernel
    points = np.prod([r.src[0].arg for r in part.order])
    assert MOST_WORK / 8 < points <= MOST_WORK
    (small,) = kernels_of(Tensor(np.ones(40, np.float32)) * 2)
    assert cut(small, rng) is small


def test_a_part_of_a_running_sum_keeps_what_comes_before() -> None:
    (kernel,) = kernels_of(Tensor(np.ones((3000, 1000), np.float32)).cumsum(1))
    part = cut(kernel, np.random.default_rng(0))
    assert 1000 in [r.src[0].arg for r in part.order]
    assert replay(kernel, nvrtc=False).problems == ()


def test_every_card_gets_a_source_it_can_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    from saccade.fuzz.kernels import replay as module

    seen = []
    lay_out = module.laid_out
    monkeypatch.setattr(module, "laid_out", lambda k, card: (seen.append(card), lay_out(k, card))[1])
    assert replay(elementwise(lambda x: x * 2.0, [dtypes.float32], 8), nvrtc=False).problems == ()
    assert seen == list(CARDS.values())


# --- files


def test_a_data_set_comes_back(tmp_path: Path) -> None:
    data = made()
    for compressed in (False, True):
        path = data.write(tmp_path / "kernels", compressed)
        assert DataSet.read(path) == DataSet.read(tmp_path / "kernels") == data
        assert path.read_bytes() == made().write(tmp_path / "again", compressed).read_bytes()
        assert len(list((tmp_path / "kernels").iterdir())) == 1


def test_reading_what_is_no_data_set_says_why(tmp_path: Path) -> None:
    path = made().write(tmp_path)
    text = path.read_text()
    digest = next(iter(made().kernels))
    for changed, problem in (
        ("", "the first line is ''"),
        (text.replace("kernels 1", "kernels 99", 1), "not 'saccade kernels 1'"),
        (text.replace("program cpu", "program abacus", 1), "'abacus' is no machine of ours"),
        (text.replace("program cpu", "programme cpu", 1), "is not `program MACHINE DIGESTS | NAME`"),
        (text.replace(f"kernel {digest}", "kernel " + 12 * "0", 1), "has it been changed"),
        (text.replace("SINK bool", "SINK tool", 1), "unknown dtype 'tool'"),
        (text + "\n" + text[text.index("kernel ", 20) :], "is there twice"),
        (text[: text.index("\n\n") + 1], "that is not there"),
    ):
        path.write_text(changed)
        with pytest.raises(DataSetError) as raised:
            DataSet.read(tmp_path)
        assert str(path) in str(raised.value)
        assert problem in str(raised.value)
    (tmp_path / "kernels.txt").unlink()
    with pytest.raises(FileNotFoundError, match="saccade kernels dump"):
        DataSet.read(tmp_path)
    bomb, cut = gzip.compress(bytes(1 << 20)), gzip.compress(b"x")[:12] + b"\xff" * 8
    for data, problem in (
        (b"no archive", "Not a gzipped file"),
        (bomb, "holds more than"),
        (cut, "is broken"),
    ):
        (tmp_path / "kernels.txt.gz").write_bytes(data)
        with pytest.raises(DataSetError, match=problem):
            DataSet.read(tmp_path)


def test_an_empty_data_set_has_nothing_to_replay(tmp_path: Path) -> None:
    DataSet((), {}).write(tmp_path)
    code, told = command("check", tmp_path)
    assert code == 0
    assert "0 of 0 kernels" in told


# --- differences


def test_nothing_changed_is_nothing_told() -> None:
    assert changes(made(), made()) == []


def test_a_kernel_that_changed_is_told_with_how() -> None:
    found = changes(made(lambda x: x * 2), made(lambda x: x * 2 + 1))
    assert {(c.program, c.machine, c.what) for c in found} == {
        ("first", "cpu", "changed"),
        ("first", "cuda", "changed"),
    }
    assert "ADD +1" in found[0].told
    assert "map_8x40 changed" in str(found[0])


def test_kernels_and_programs_that_come_and_go_are_told() -> None:
    found = changes(made(), made(lambda x: (x * 2).contiguous().softmax(1)))
    assert ("appeared", "map_8x40") in {(c.what, c.kernel) for c in found}
    one = DataSet.of([("second", form(Tensor(np.ones((8, 40), np.float32)).sum(0)))])
    assert {(c.program, c.what, c.kernel) for c in changes(made(), one)} == {("first", "vanished", "")}
    assert {(c.program, c.what, c.kernel) for c in changes(one, made())} == {("first", "appeared", "")}


def test_differences_are_told_in_words() -> None:
    double = elementwise(lambda x: x * 2.0, [dtypes.float32], 8)
    longer = elementwise(lambda x: x * 2.0, [dtypes.float32], 16)
    assert difference(double, longer).startswith("loops 8 -> 16, memory -float32[8] -float32[8] +float32[16]")
    other = elementwise(lambda x: (x * 2.0) * x, [dtypes.float32], 8)
    another = elementwise(lambda x: (x * x) * 2.0, [dtypes.float32], 8)
    assert difference(other, another) == "the same ops, otherwise connected"


# --- commands


def test_the_kernels_of_a_script_are_written_replayed_and_compared(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\nfrom saccade import Tensor\nprint('hello')\n"
        "(Tensor(np.ones((5, 71), np.float32), device='cpu') * 3).softmax(1).realize()\n"
    )
    code, told = command("dump", tmp_path / "a", "--script", script)
    assert code == 0, told
    assert "kernels of 1 programs" in told
    code, told = command("check", tmp_path / "a", "--jobs", 1)
    assert code == 0, told
    assert "kernels are as they should be" in told
    code, told = command("compare", tmp_path / "a", tmp_path / "a")
    assert code == 0, told
    assert "0 changed, 0 appeared, 0 vanished" in told


def test_a_problem_is_told_and_is_a_failure(tmp_path: Path) -> None:
    pytest.importorskip("z3")
    i = loop(0, 8)
    x, y = (param(slot, dtypes.float32, 8) for slot in (0, 1))
    kernel = Kernel(sink((store(x, i, load(y, i - index_const(1))),)), (i,), ((dtypes.float32, 8),) * 2, (0,))
    DataSet((), {"": kernel}).write(tmp_path)
    text = (tmp_path / "kernels.txt").read_text()

    (tmp_path / "kernels.txt").write_text(text.replace("kernel \n", f"kernel {digest_of(kernel)}\n"))
    code, told = command("check", tmp_path, "--jobs", 1)
    assert code == 1
    assert "may leave its 8 elements" in told
    assert "0 of 1 kernels are as they should be" in told


def test_a_comparison_for_machines(tmp_path: Path) -> None:
    made(lambda x: x * 2).write(tmp_path / "a")
    made(lambda x: x * 2 + 1).write(tmp_path / "b")
    ran = CliRunner().invoke(
        cli.app, ["kernels", "compare", str(tmp_path / "a"), str(tmp_path / "b"), "--json"]
    )
    assert ran.exit_code == 0
    assert {change["what"] for change in json.loads(ran.stdout)["changes"]} == {"changed"}


def test_bad_requests_name_what_is_wrong(tmp_path: Path) -> None:
    code, told = command("check", tmp_path / "none")
    assert code == 1
    assert "there is no folder or file" in " ".join(told.split())
    code, told = command("dump", tmp_path / "a", "--script", tmp_path / "none.py")
    assert code == 1
    assert "there is no script" in " ".join(told.split())
    (tmp_path / "idle.py").write_text("x = 1\n")
    code, told = command("dump", tmp_path / "a", "--script", tmp_path / "idle.py")
    assert code == 1
    assert "nothing was computed" in told
    assert not (tmp_path / "a").exists()
    code, told = command("dump", tmp_path / "a", "--script", tmp_path / "idle.py", "--part", "models")
    assert code == 1
    assert "leave out --part" in told
