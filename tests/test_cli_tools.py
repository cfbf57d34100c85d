"""`saccade search`, `saccade devices`, `saccade check bounds`: scripts, results from and to files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saccade.cli import app as cli
from saccade.runtime.cache.searched import VERSION, target_of

SCRIPT = """
import numpy as np
from saccade import Tensor
print((Tensor(np.ones((13, 17), np.float32), device="cpu") * 3).sum().item())
"""


def search(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli.app, ["search", *arguments])
    return result.exit_code, result.output


def test_a_script_is_searched_and_its_results_exported_and_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("script.py").write_text(SCRIPT)
    code, told = search("script.py", "--seconds", "0.2", "--export", "out.json", "--device", "cpu")
    assert code == 0, told
    assert "663.0" in told
    assert "heuristic, us" in told
    assert "candidates" in told
    assert f"results for {target_of('cpu')} in out.json" in told
    code, told = search("--import", "out.json")
    assert code == 0, told
    assert "results for" in told


def test_what_was_found_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("script.py").write_text(SCRIPT.replace("13, 17", "400, 170"))
    result = CliRunner().invoke(cli.app, ["search", "script.py", "--seconds", "0.3", "--json"])
    assert result.exit_code == 0, result.output
    kernels = json.loads(result.stdout)["kernels"]
    assert kernels
    for kernel in kernels:
        assert kernel["device"] == "cpu"
        assert 0 < kernel["after"] <= kernel["before"]
        assert all("move" in move for move in kernel["moves"])


@pytest.mark.parametrize("name", ["startup", "gpu_check", "no_such_thing"])
def test_what_is_no_benchmark_is_refused_with_those_there_are(name: str) -> None:
    result = CliRunner().invoke(cli.app, ["bench", name])
    assert result.exit_code == 2
    assert "chain" in result.stderr


def test_the_help_of_the_benchmark_names_the_others() -> None:
    result = CliRunner().invoke(cli.app, ["bench", "--help"])
    assert result.exit_code == 0
    assert all(f"\n  {name} " in result.stdout for name in ("evidence", "decisions", "episodes"))


def test_the_processor_is_described() -> None:
    result = CliRunner().invoke(cli.app, ["devices", "--json"])
    assert result.exit_code == 0, result.output
    (cpu,) = (each for each in json.loads(result.stdout)["devices"] if each["name"] == "cpu")
    assert "threads" in cpu["about"] or "thread," in cpu["about"]
    assert "registers of" in cpu["about"]
    assert all(each["about"] or each["missing"] for each in json.loads(result.stdout)["devices"])


def test_results_of_another_card_or_version_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("card.json").write_text(f'{{"saccade search results": {VERSION}, "target": "Z", "results": []}}')
    code, told = search("--import", "card.json")
    assert code != 0
    assert "results for 'Z'" in " ".join(told.split())
    Path("old.json").write_text('{"saccade search results": 1, "target": "Z", "results": []}')
    code, told = search("--import", "old.json")
    assert code != 0
    assert "version 1" in " ".join(told.split())


def test_something_has_to_be_asked_for() -> None:
    code, told = search()
    assert code != 0
    assert "--export FILE" in " ".join(told.split())


def test_the_kernels_of_a_script_are_proved_to_stay_inside_their_memory(tmp_path: Path) -> None:
    pytest.importorskip("z3")
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\n"
        "from saccade import Tensor\n"
        "x = Tensor(np.ones((7, 19), np.float32), device='cpu')\n"
        "x[Tensor([5, 2]).to('cpu')].softmax(0).realize()\n"
        "x.pad((1, 2)).sum(1).realize()\n"
    )
    ran = CliRunner().invoke(cli.app, ["check", "bounds", str(script)])
    assert ran.exit_code == 0, ran.output
    assert "2 of 2 kernels stay inside their memory" in ran.output


def test_an_access_that_may_leave_its_memory_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("z3")
    script = tmp_path / "script.py"
    script.write_text("from saccade import Tensor\n(Tensor([1.0] * 23, device='cpu') + 2).realize()\n")
    monkeypatch.setattr("saccade.graph.proofs.prove.prove_in_bounds", lambda *_: {"r0": 23})
    ran = CliRunner().invoke(cli.app, ["check", "bounds", str(script)])
    assert ran.exit_code == 1
    assert "may leave its 23 elements" in ran.output
