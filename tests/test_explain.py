"""explain: what a program computed, counted as it is, told in a table."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from saccade import Tensor, jit
from saccade.cli.app import app
from saccade.explain import explain


def test_kernels_of_a_function_are_told() -> None:
    x = Tensor(np.ones((64, 32), np.float32))
    found = explain(lambda: x.softmax(1).numpy())
    assert found.kernels == 1
    (computation,) = found.computations
    (step,) = computation.recipe.steps
    assert step.notes.nbytes == computation.recipe.floor.nbytes == 2 * 64 * 32 * 4
    text = str(found)
    assert "least possible" in text
    assert computation.recipe.sources[0].name in text


def test_runs_of_one_computation_are_one_entry() -> None:
    f = jit(lambda x: x * 2 + 1)
    x = Tensor([1.0, 2.0])
    found = explain(lambda: [f(x) for _ in range(3)])
    assert [(c.runs, len(c.recipe.steps)) for c in found.computations] == [(3, 1)]


def test_what_is_recomputed_exceeds_the_floor() -> None:
    x = Tensor(np.ones((128, 64), np.float32))
    found = explain(lambda: (x.exp().sum(1), x.exp().sum(0))[0].realize())
    recipe = found.computations[0].recipe
    assert sum(s.notes.operations for s in recipe.steps) >= recipe.floor.operations > 0


def test_nothing_computed_is_said() -> None:
    assert "nothing was computed" in str(explain(lambda: Tensor([1.0]) + 1))


def test_a_script_is_run_with_its_arguments(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nfrom saccade import Tensor\nprint(sys.argv[1:], __name__)\n"
        "(Tensor([1.0, 2.0]) * 3).realize()\nsys.exit(0)\n"
    )
    before = sys.argv[:], sys.path[:]
    ran = CliRunner().invoke(app, ["explain", str(script), "a", "--b"])
    assert ran.exit_code == 0, ran.output
    out = ran.stdout
    assert "['a', '--b'] __main__" in out
    assert "1 kernel, run once" in out
    assert (sys.argv, sys.path) == before


def test_the_same_for_machines(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("from saccade import Tensor\nprint('not JSON')\n(Tensor([1.0, 2.0]) * 3).realize()\n")
    ran = CliRunner().invoke(app, ["explain", str(script), "--json"])
    found = json.loads(ran.stdout)
    assert "computations" in found, ran.output
    (computation,) = found["computations"]
    (kernel,) = computation["kernels"]
    assert kernel["bytes"] == 16
    assert kernel["seconds"] > 0
    assert computation["least"] == {"bytes": 16, "flops": 2}
    assert found["ceilings"]["cpu"]["copy_bytes_per_second"] > 0


def test_programs_for_all_lengths_are_told_too() -> None:
    def loop() -> None:
        for n in (30, 31, 32, 33):
            (Tensor(np.ones(n, np.float32)) * 1.375).realize()

    told = explain(loop).as_dict()
    assert [len(made["kernels"]) for made in told["computations"]] == [1, 1, 1]


@pytest.mark.parametrize("command", ["explain", "search"])
def test_help_is_that_of_the_command(command: str) -> None:
    ran = CliRunner().invoke(app, [command, "--help"])
    assert ran.exit_code == 0
    assert "Run a script and" in ran.output


def test_a_missing_script_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no script"):
        explain(tmp_path / "none.py")
    for command in ("explain", "search"):
        ran = CliRunner().invoke(app, [command, str(tmp_path / "none.py")])
        assert ran.exit_code != 0
        assert "there is no script" in ran.output


def test_what_a_script_raises_is_told_from_the_script_on(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("def look(found):\n    return found['x']\nlook({})\n")
    for command in ("explain", "search"):
        ran = CliRunner().invoke(app, [command, str(script)])
        assert ran.exit_code == 1
        assert "line 3, in <module>" in ran.output
        assert "KeyError: 'x'" in ran.output
        assert "runpy" not in ran.output


def test_what_the_device_reaches_stands_beside_it() -> None:
    x = Tensor(np.ones((64, 32), np.float32), device="cpu")
    found = explain(lambda: x.softmax(1).numpy(), ceilings=True)
    assert set(found.ceilings) == {"cpu"}
    assert found.ceilings["cpu"].copy > 1e8
    assert found.ceilings["cpu"].products["float32"] > 1e8
    assert found.kernels == 1  # measuring is not part of the program
    assert "measured ceiling" in str(found)


def test_a_device_that_runs_nothing_has_no_ceiling() -> None:
    found = explain(lambda: (Tensor.ones(4, device="null") + 1).realize(), ceilings=True)
    assert found.ceilings["null"].copy == 0
    assert "measured ceiling" not in str(found)
