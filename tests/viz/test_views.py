"""The views of a recording: what they tell agrees with what the compiler says of the same program."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import saccade
from saccade import Tensor
from saccade.cli.app import app
from saccade.explain import explain
from saccade.viz.file import RecordingError, RecordingWriter
from saccade.viz.views import memory as memory_view
from saccade.viz.views import recording as views
from saccade.viz.views.memory import memory
from saccade.viz.views.recording import Recording

from .conftest import train_a_little


def test_the_summary_counts_what_there_is(recorded: Path) -> None:
    told = Recording(recorded).summary()
    assert told["message"] == ""
    assert told["about"]["program"] == "train.py --fast"
    assert [each["runs"] for each in told["computations"]] == [3, 3]
    assert all(each["lines"][0].startswith("conftest.py:") for each in told["computations"])


def test_kernels_are_those_that_explain_tells(recorded: Path) -> None:
    recording = Recording(recorded)
    expected = explain(train_a_little).as_dict()["computations"]
    for number, computation in enumerate(expected):
        found = recording.kernels(number)
        for kernel, wanted in zip(found["kernels"], computation["kernels"], strict=True):
            for key in ("name", "reason", "bytes", "flops", "moves", "reads", "writes"):
                assert kernel[key] == wanted[key]
            assert kernel["seconds"] > 0
            assert kernel["floor"] == pytest.approx(max(kernel["bytes"] / 1e10, kernel["flops"] / 1e11))
        assert found["summary"]["least"] == computation["least"]
    source = recording.source(0, 0)
    assert recording.kernels(0)["kernels"][0]["name"] in source["source"]


def test_a_pass_shows_what_it_changed_and_no_more(recorded: Path) -> None:
    recording = Recording(recorded)
    passes = recording.rewrites(0)["passes"]
    place = next(n for n, each in enumerate(passes) if each["name"] == "simplify")
    graph = recording.graph(0, place)
    nodes = graph["nodes"]
    of = {number: place for place, number in enumerate(nodes["number"])}
    before, after, rebuilt = set(graph["before"]), set(graph["after"]), set(graph["rebuilt"])
    assert len(before) == passes[place]["nodes_before"]
    assert len(after) == passes[place]["nodes_after"]
    gone = {nodes["op"][of[n]] for n in before - after - rebuilt}
    # `* 1` and what spreads the one; the choice of relu, which becomes a maximum
    assert gone <= {"MUL", "CONST", "RESHAPE", "EXPAND", "LE", "WHERE"}
    assert "MUL" in gone
    assert {nodes["op"][of[n]] for n in after - before - rebuilt} == {"MAX"}
    assert rebuilt  # the softmax over what is no product any more
    assert len(graph["steps"]) == 2
    assert sum(step["before"] in before for step in graph["steps"]) == 1  # the other is of a rebuilt node
    assert all(step["line"].startswith("conftest.py:") for step in graph["steps"])


def test_a_graph_that_is_too_large_is_cut_and_says_so(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "MOST_NODES", 5)
    graph = Recording(recorded).graph(0, 1)
    assert graph["cut"]
    assert len(graph["before"]) < 12


def test_a_recording_that_was_cut_is_added_up_again(recorded: Path, tmp_path: Path) -> None:
    whole = Recording(recorded)
    end = whole.reader.records[-1]
    assert end.kind == "E"
    (tmp_path / "cut.saccade").write_bytes(recorded.read_bytes()[: end.offset - 9])
    cut = Recording(tmp_path / "cut.saccade")
    assert cut.reader.message
    assert cut.timeline() == whole.timeline()
    assert cut.times == whole.times
    assert all(len(seen) == 3 and seen[0] == 3 for seen in whole.times.values())


def test_memory_adds_up(recorded: Path) -> None:
    told = memory(Recording(recorded))
    live = told["peak"]["live"]
    assert sum(each["bytes"] for each in live) == told["peak"]["bytes"]
    assert max(nbytes for _, nbytes in told["curve"]) == told["peak"]["bytes"]
    weights = [each for each in told["buffers"] if each["kind"] == "given" and each["bytes"] == 64 * 16 * 4]
    assert [{(r["computation"], r["times"]) for r in each["readers"]} for each in weights] == [
        {(0, 3), (1, 3)}
    ]
    made = [each for each in told["buffers"] if each["kind"] == "result"]
    assert all(each["maker"] and each["line"].startswith("conftest.py:") for each in made)
    for one in told["buffers"]:  # two that live at once do not lie on each other
        for other in told["buffers"]:
            apart = (
                one is other
                or (one["end"] is not None and one["end"] <= other["start"])
                or (other["end"] is not None and other["end"] <= one["start"])
                or one["offset"] >= other["offset"] + other["bytes"]
                or other["offset"] >= one["offset"] + one["bytes"]
            )
            assert apart


def test_what_is_kept_at_once(rng: np.random.Generator) -> None:
    for count in range(12):
        spans = [tuple(map(int, each)) for each in rng.integers(0, 6, (count, 3))]
        live = [sum(b for first, last, b in spans if first <= moment <= last) for moment in range(6)]
        assert memory_view.most_at_once(spans) == max(live, default=0)


def test_a_recording_of_many_kept_buffers_is_soon_read() -> None:
    """Each moment was compared with each buffer: 30 s for 20,000, once for every run."""
    count = 200_000
    assert memory_view.most_at_once((n, n + count, 3) for n in range(count)) == 3 * count


def test_memory_of_the_null_device(tmp_path: Path) -> None:
    with saccade.record(tmp_path / "n.saccade"):
        x = Tensor.rand(1000, 1000, device="null").realize()
        y = (x @ x).realize()
        del x
        z = (y + 1).realize()
        del y, z
    told = memory(Recording(tmp_path / "n.saccade"))
    assert told["device"] == "null"
    live = [each["bytes"] for each in told["peak"]["live"] if each["kind"] == "result"]
    assert live == [4_000_000, 4_000_000]  # beside the few bytes of the random key, which are given


def test_a_curve_of_many_points_keeps_its_peak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_view, "MOST_POINTS", 10)
    curve = [(float(n), n % 7) for n in range(1000)]
    curve[333] = (333.0, 99)
    thin = memory_view._thinned(curve)
    assert len(thin) <= 12
    assert (333.0, 99) in thin
    assert thin[-1] == curve[-1]


def test_perfetto_can_read_the_timeline(recorded: Path) -> None:
    recording = Recording(recorded)
    events = json.loads("".join(recording.perfetto()))["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    assert len(spans) == recording.timeline()["spans"] > 10
    named = {(event["pid"], event["tid"]) for event in events if event["ph"] == "M"}
    assert {(event["pid"], event["tid"]) for event in spans} <= named


def test_a_recording_that_grows_is_seen_growing(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "g.saccade")
    writer.write(("H", {"program": "p"}))
    recording = Recording(tmp_path / "g.saccade")
    assert recording.summary()["computations"] == []
    writer.write(("C", {"passes": [], "nodes": 0, "kernels": 0}), ("E", {}))
    found = recording.summary()
    assert len(found["computations"]) == 1
    assert found["message"] == ""


@pytest.mark.parametrize(("view", "number"), [("rewrites", 9), ("kernels", 9), ("graph", 0)])
def test_what_there_is_not_is_told(recorded: Path, view: str, number: int) -> None:
    recording = Recording(recorded)
    calls = {
        "rewrites": lambda: recording.rewrites(number),
        "kernels": lambda: recording.kernels(number),
        "graph": lambda: recording.graph(number, 99),
    }
    with pytest.raises(RecordingError, match="no number"):
        calls[view]()


# --- the command line


@pytest.mark.parametrize(
    "view", ["summary", "rewrites", "graph", "steps", "kernels", "source", "memory", "timeline", "chunk"]
)
def test_every_view_as_json(recorded: Path, view: str) -> None:
    told = CliRunner().invoke(app, ["viz", str(recorded), "--view", view, "--json"])
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)


def test_a_script_is_recorded_with_its_arguments(tmp_path: Path) -> None:
    script = tmp_path / "s.py"
    script.write_text(
        "import sys\nfrom saccade import Tensor\nprint(Tensor.ones(3).sum().item(), sys.argv[1:])\n"
    )
    out = tmp_path / "out.saccade"
    told = CliRunner().invoke(app, ["viz", "--json", "--out", str(out), str(script), "--epochs", "2"])
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["about"]["program"] == "s.py --epochs 2"
    assert "['--epochs', '2']" in told.stderr
    assert out.exists()


@pytest.mark.parametrize(("content", "told"), [(b"hello", "is no recording"), (None, "No such file")])
def test_what_is_no_recording_is_told_in_a_line(tmp_path: Path, content: bytes | None, told: str) -> None:
    if content is not None:
        (tmp_path / "x").write_bytes(content)
    found = CliRunner().invoke(app, ["viz", str(tmp_path / "x"), "--json"])
    assert found.exit_code == 1
    assert told in found.stderr
    assert "Traceback" not in found.stderr
