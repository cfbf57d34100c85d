"""Figures of runs, comparisons and pictures."""

from __future__ import annotations

import io
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table

from saccade.experiment.engine.episode import EpisodeRow
from saccade.experiment.progress import Silent
from saccade.experiment.record.record import RunFolder
from saccade.experiment.report import charts, metrics
from saccade.experiment.report.chart_picture import render
from saccade.experiment.report.compare import compare, paired, sign_test
from saccade.experiment.report.plots import charts_of, draw_comparison, draw_run
from saccade.experiment.report.report import comparison_tables, duration, objects_table, summary_table

rows = st.lists(
    st.builds(
        EpisodeRow,
        id=st.uuids().map(str),
        phase=st.just("eval"),
        index=st.integers(0, 99),
        epoch=st.integers(0, 3),
        object=st.sampled_from("abc"),
        detected=st.sampled_from(["a", "b", "c", ""]),
        ending=st.sampled_from(["match", "mlh", "time_out", "no_match"]),
        correct=st.booleans(),
        steps=st.integers(0, 500),
        rotation_error=st.floats(0, 180) | st.just(math.nan),
    ),
    max_size=20,
)


@pytest.mark.parametrize("limit", [1.0, 3.0, 25.0, 53.0, 100.0, 180.0, 0.04, 7e5])
def test_ticks_are_few_and_round(limit: float) -> None:
    marks = charts.ticks(limit)
    assert 3 <= len(marks) <= 6
    assert marks[0] == 0.0
    assert limit - marks[1] < marks[-1] <= limit
    assert all(len(f"{mark:.6e}".split("e")[0].replace(".", "").rstrip("0")) <= 2 for mark in marks)


def test_a_small_grid_has_room_for_its_title() -> None:
    chart = charts.Grid("shown (down) and reported (across)", ("a",), ("a",), ((1.0,),))
    assert charts.size_of(chart)[0] >= 7.5 * len(chart.title)


@given(rows, st.randoms())
def test_figures_do_not_depend_on_order(sample: list[EpisodeRow], random: object) -> None:
    shuffled = list(sample)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert repr(metrics.measure(sample).results()) == repr(metrics.measure(shuffled).results())


@given(rows)
def test_figures_are_shares_of_all(sample: list[EpisodeRow]) -> None:
    figures = metrics.measure(sample)
    if not sample:
        assert math.isnan(figures.correct)
        return
    parts = metrics.by_object(sample).values()
    assert sum(part.episodes for part in parts) == figures.episodes
    assert math.isclose(
        sum(p.correct * p.episodes for p in parts) / figures.episodes, figures.correct, abs_tol=1e-9
    )
    assert sum(metrics.confusion(sample).values()) == len(sample)


def test_match_steps_leave_out_time_outs_and_errors_leave_out_wrong_ones() -> None:
    sample = [
        EpisodeRow("0", "eval", 0, 0, "mug", "mug", "match", True, 30, 4.0),
        EpisodeRow("1", "eval", 1, 0, "mug", "can", "match", False, 50, 170.0),
        EpisodeRow("2", "eval", 2, 0, "can", "can", "mlh", True, 500, 8.0, symmetric=True),
    ]
    figures = metrics.measure(sample)
    assert figures.match_steps == 40
    assert figures.rotation_error == 6
    assert figures.rotation_error_asymmetric == 4
    assert round(figures.used_mlh, 1) == 33.3


def test_sign_test() -> None:
    assert sign_test(0, 0) == 1
    assert sign_test(5, 5) == 1
    assert math.isclose(sign_test(0, 10), 2 / 1024)
    assert sign_test(3, 9) == sign_test(9, 3)
    for better, worse in ((0, 1001), (480, 600), (1000, 1005), (900, 1300)):
        ways = sum(math.comb(better + worse, k) for k in range(min(better, worse) + 1))
        exact = min(1.0, float(Fraction(2 * ways, 2 ** (better + worse))))
        assert math.isclose(sign_test(better, worse), exact, rel_tol=1e-9)
    assert sign_test(400_000, 600_000) == 0.0


def test_only_the_same_episodes_are_paired() -> None:
    def one(index: int, correct: bool, rotation: str = "0 0 0") -> EpisodeRow:
        return EpisodeRow(f"{index}", "eval", index, 0, "mug", correct=correct, target_rotation=rotation)

    first = [one(0, True), one(1, False), one(2, False)]
    second = [one(0, False), one(1, True), one(2, True, "0 90 0")]
    assert paired(first, second) == (1, 1)


@pytest.fixture
def folders(fake: ModuleType, tmp_path: Path) -> list[RunFolder]:
    small = ["train.rotations=2", "eval.epochs=4", "recording.traces=true"]
    fake.run(tmp_path / "first", small)
    fake.run(tmp_path / "second", [*small, "noise.hsv=0.1", "seed=4"])
    return [RunFolder.open(tmp_path / name) for name in ("first", "second")]


def test_comparison_names_what_differs(folders: list[RunFolder]) -> None:
    comparison = compare(folders)
    assert comparison.differences == {"seed": (0, 4), "noise.hsv": (0.0, 0.1)}
    assert comparison.better[0] == comparison.worse[0] == 0
    assert len(comparison_tables(comparison)) == 3
    assert comparison.to_dict()["differences"] == {"seed": [0, 4], "noise.hsv": [0.0, 0.1]}
    paths = tuple(f"/a/folder/of/experiments/with/a/long/name/models-{end}" for end in ("one", "two"))
    long = replace(comparison, names=paths, differences={"train.models": paths})
    told = "".join(map(printed, comparison_tables(long, 80)))
    assert "…" not in told, "what differs may be at the end"


def test_pictures_are_drawn_and_are_valid(folders: list[RunFolder]) -> None:
    paths = draw_run(folders[0], Silent())
    assert {path.stem for path in paths} == {"accuracy", "steps", "rotation_error", "confusion", "evidence"}
    paths.append(draw_comparison(compare(folders), folders[0].path / "comparison.svg"))
    for path in paths:
        root = ElementTree.fromstring(path.read_bytes())
        assert root.tag.endswith("svg")
        assert len(root) > 5


def test_a_bar_is_as_long_as_its_value() -> None:
    svg = ElementTree.fromstring(render([charts.Bars("t", ("a", "b"), (50.0, 100.0), limit=100.0)], "svg"))
    bars = [
        float(e.get("width", "0")) for e in svg if e.tag.endswith("rect") and e.get("fill") == charts.BLUE
    ]
    assert math.isclose(bars[0] * 2, bars[1], abs_tol=0.2)


LONG = "contributions-kitchen-and-dining-room-mug-with-a-handle"


@pytest.mark.parametrize(
    "chart",
    [
        charts.Bars("t", (LONG, "b"), (50.0, 100.0), limit=100.0),
        charts.Grid("t", (LONG, "b"), (LONG, "b"), ((1.0, 0.0), (0.0, 1.0))),
        charts.Histogram("t", "x", (("no symmetry", (1.0, 2.0)), ("up to symmetry", (3.0,))), 3.0, 3),
        charts.Lines("t", "epoch", (((80.0,), 0),), limit=100.0),
    ],
    ids=lambda chart: type(chart).__name__,
)
def test_everything_lies_in_the_picture_and_nothing_on_a_legend(chart: charts.Chart) -> None:
    svg = ElementTree.fromstring(render([chart], "svg"))
    width, height = float(svg.get("width", "0")), float(svg.get("height", "0"))
    for text in (each for each in svg if each.tag.endswith("text")):
        length = 0.6 * float(text.get("font-size", "0")) * len(text.text or "")
        before = {"start": 0.0, "middle": 0.5, "end": 1.0}[text.get("text-anchor", "start")] * length
        if text.get("transform") is None:
            assert 0 <= float(text.get("x", "0")) - before <= width - length, text.text
        else:
            assert float(text.get("y", "0")) + before <= height, text.text
    boxes = [
        [float(each.get(key, "0")) for key in ("x", "y", "width", "height")]
        for each in svg
        if each.tag.endswith("rect") and "%" not in each.get("width", "")
    ]
    assert all(w > 0 for _, _, w, _ in boxes)
    swatches = [box for box in boxes if box[2:] == [9.0, 9.0]]
    assert len(swatches) == (2 if isinstance(chart, charts.Histogram) else 0)
    bars = [box for box in boxes if box not in swatches]
    assert not any(y < top + 9 and y + h > top for _, top, _, _ in swatches for _, y, _, h in bars)


def test_episodes_and_epochs_are_counted_in_whole_numbers() -> None:
    assert charts.ticks(1.0, whole=True) == [0.0, 1.0]
    assert charts.ticks(1.0)[1] == 0.2
    assert charts.ticks(10.0, whole=True) == charts.ticks(10.0)


@given(st.lists(st.floats(0, 100), max_size=50))
def test_histograms_count_everything(values: list[float]) -> None:
    chart = charts.Histogram("t", "x", (("a", tuple(values)),), 100.0, 10)
    assert sum(chart.counts()[0]) == len(values)


@given(st.floats(1e-9, 1e9))
def test_nice_ceiling_is_above_and_near(value: float) -> None:
    assert value * (1 - 1e-9) <= charts.nice_ceiling(value) <= 2.51 * value


def test_png_works_or_says_what_is_missing(folders: list[RunFolder]) -> None:
    folder, silent = folders[0], Silent()
    folder.config = replace(folder.config, recording=replace(folder.config.recording, picture="png"))
    paths = draw_run(folder, silent)
    if paths:
        assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)
    else:
        (note,) = silent.notes
        assert "saccade[plot]" in note
    assert charts_of(folder)


def test_tables_have_a_line_per_run_and_object(folders: list[RunFolder]) -> None:
    summary = folders[0].summary()
    assert summary is not None
    assert summary_table(summary, 200).row_count == 1
    assert objects_table(summary).row_count == 4


def test_names_of_objects_are_whole_on_a_narrow_terminal() -> None:
    figures = {"episodes": 231, "correct": 100.0, "steps": 123.4, "rotation_error": 104.7,
               "rotation_error_shape": 26.9, "rotation_error_reference": 112.1}  # fmt: skip
    told = printed(objects_table({"results": {"eval": {"objects": {"a_colored_wood_blocks": figures}}}}))
    assert "│ a_colored_wood_blocks │" in told
    assert "…" not in told


def test_names_of_runs_are_folded_and_not_cut_off() -> None:
    figures = {"episodes": 90, "correct": 100.0, "used_mlh": 0.0, "match_steps": 60.0, "rotation_error": 2.0}
    epochs = {"first_epoch": figures, "later_epochs": figures, **figures}
    summary = {"name": "unsupervised_similar", "results": {"train": epochs}, "timing": {"train": {}}}
    told = printed(summary_table(summary, 80))
    assert "first epoch" in told
    assert "…" not in told


def printed(table: Table) -> str:
    console = Console(width=80, file=io.StringIO())
    with console.capture() as told:
        console.print(table)
    return told.get()


def test_a_narrow_table_stands_upright(folders: list[RunFolder]) -> None:
    summary = folders[0].summary()
    assert summary is not None
    wide, narrow = summary_table(summary, 200), summary_table(summary, 80)
    assert (wide.row_count, len(wide.columns)) == (1, 15)
    assert (narrow.row_count, len(narrow.columns)) == (14, 2)


@pytest.mark.parametrize(("seconds", "text"), [(1.25, "1.2 s"), (61, "1 min 01 s"), (7800, "2 h 10 min")])
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text
