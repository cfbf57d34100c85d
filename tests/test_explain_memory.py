"""Where memory goes: peaks, makers and lines, what forward keeps for backward."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from saccade import Tensor, nn
from saccade.cli.app import app
from saccade.explain.memory import MemoryReport, explain_memory

SCRIPT = """
from saccade import Tensor
x = Tensor.rand(1000, device="null").realize()
y = (x + 1).realize()
del y
z = (x * 2).realize()
"""


def report_of(target: object) -> MemoryReport:
    (report,) = explain_memory(target).reports  # type: ignore[arg-type]
    return report


def test_what_is_held_and_what_was_let_go() -> None:
    def program() -> None:
        x = Tensor.rand(1000, device="null").realize()
        y = (x + 1).realize()
        del y
        (x * 2).realize()

    report = report_of(program)
    assert report.device == "null"
    # the key of the random numbers is 8 bytes
    assert report.peak - 8000 in range(65)
    assert [live.nbytes for live in report.live[:2]] == [4000, 4000]
    assert all("test_explain_memory.py" in live.line for live in report.live[:2])


def test_two_lines_that_share_a_program_are_told_apart() -> None:
    def program() -> list[Tensor]:
        first = Tensor.rand(1000, device="null").realize()
        second = Tensor.rand(1000, device="null").realize()
        return [first, second, (first + second).realize()]

    held = [live for live in report_of(program).live if live.nbytes == 4000]
    assert len(held) == 3
    assert len({live.line for live in held}) == 3


def backward_of(layers: int) -> MemoryReport:
    Tensor.manual_seed(0)
    model = nn.Sequential(*[nn.Sequential(nn.Linear(32, 32), nn.Tanh()) for _ in range(layers)])
    model.to(device="null")
    for parameter in model.parameters():
        parameter.realize()
    x = Tensor.ones(256, 32, device="null").realize()
    return report_of(lambda: (model(x) ** 2).sum().backward())


def test_what_forward_keeps_for_backward() -> None:
    few, many = backward_of(2), backward_of(4)
    activation = 256 * 32 * 4
    assert few.kept_bytes > 0
    assert many.kept_bytes - few.kept_bytes == 2 * activation  # one for each layer more
    assert many.kept[0].line.startswith("test_explain_memory.py")
    assert many.kept[0].operations > 0
    assert "checkpoint around test_explain_memory.py" in str(explain_told(many))


def explain_told(report: MemoryReport) -> object:
    from saccade.explain.memory import MemoryExplanation

    return MemoryExplanation([report])


def test_the_command(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    found = CliRunner().invoke(app, ["explain", "--memory", "--json", str(script)])
    assert found.exit_code == 0, found.output
    (device,) = json.loads(found.stdout)["devices"]
    assert device["device"] == "null"
    assert "script.py:6" in [live["line"] for live in device["live"]] or device["peak"] >= 8000
    both = CliRunner().invoke(app, ["explain", "--memory", "--passes", str(script)])
    assert both.exit_code != 0


def test_nothing_was_computed() -> None:
    assert "nothing was computed" in str(explain_memory(lambda: None))
