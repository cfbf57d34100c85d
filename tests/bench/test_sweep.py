"""The sweep: its programs, its parts, workers that crash or hang, what is told, suspects without a card."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bench.kernel_programs import form_of, given
from bench.sweep import report
from bench.sweep.__main__ import State, chosen, options_of
from bench.sweep.crew import Worker
from bench.sweep.families import PROGRAMS
from bench.sweep.lines import LINES, line_seconds
from bench.sweep.measure import drawn
from bench.sweep.program import cases_of
from bench.sweep.suspects import planned, seconds_of, suspects_of
from saccade.graph.forms import MATRIX, NO_PRODUCT
from saccade.tensor.programs.prepare import scheduled

from ..patience import HANG

BY_NAME = {program.name: program for program in PROGRAMS}


# --- programs and parts


def test_programs_are_many_and_each_has_an_odd_shape() -> None:
    assert len(PROGRAMS) >= 150
    assert len(BY_NAME) == len(PROGRAMS)
    for device in ("cpu", "cuda"):
        odd = [c for c in cases_of(PROGRAMS, device) if c.shape == 2]
        assert [c.key for c in odd if not any(n % 2 for n in c.size)] == []


def test_cases_have_keys_of_their_own() -> None:
    for device in ("cpu", "cuda"):
        keys = [case.key for case in cases_of(PROGRAMS, device)]
        assert len(set(keys)) == len(keys)


def test_a_filter_of_pictures_leaves_them_real() -> None:
    """Else a transform back reads what no picture has, of which each library makes something else."""
    torch = pytest.importorskip("torch")
    for case in cases_of([BY_NAME["filter by transforms"]], "cpu"):
        x, keep = (drawn(wanted, case.dtype, "cpu", seed) for seed, wanted in enumerate(case.inputs()))
        filtered = torch.fft.rfft2(x) * keep
        again = torch.fft.rfft2(torch.fft.irfft2(filtered))
        torch.testing.assert_close(again, filtered, rtol=1e-4, atol=1e-2)


def test_parts_are_the_whole() -> None:
    def keys(part: str) -> list[str]:
        return [case.key for case in chosen(options_of(["--part", part]))]

    parts = [key for number in range(1, 8) for key in keys(f"{number}/7")]
    assert sorted(parts) == sorted(keys("1/1"))


@pytest.mark.parametrize("part", ["0/3", "4/3", "a/b", "2"])
def test_a_part_that_is_none_is_refused(part: str) -> None:
    with pytest.raises(SystemExit, match="write 3/12"):
        chosen(options_of(["--part", part]))


def test_what_was_measured_is_kept(tmp_path: Path) -> None:
    state = State(tmp_path / "rows.jsonl")
    state.put("a", {"error": "crashed"})
    state.put("a", {"ours": 1.0, "eager": 2.0})
    assert State(tmp_path / "rows.jsonl").rows == {"a": {"ours": 1.0, "eager": 2.0}}


# --- workers


def worker(code: str, limit: float = HANG) -> Worker:
    return Worker([sys.executable, "-c", code], limit)


def test_a_worker_that_crashes_is_a_row_and_is_replaced() -> None:
    one = worker("import sys, json, os\nr = json.loads(input())\nos._exit(3) if r else print('{}')")
    try:
        assert "crashed with code 3" in one.ask({"do": "time"})["error"]
        assert one.ask({}) == {}
    finally:
        one.stop()


def test_a_worker_that_hangs_is_a_row() -> None:
    one = worker(f"import time\ntime.sleep({HANG})", limit=0.2)
    assert "no answer" in one.ask({"do": "time"})["error"]
    assert one.process is None


# --- what is told

ROWS: dict[str, report.Row] = {
    "fast": {"ours": 1e-5, "eager": 3e-5, "compiled": 2e-5, "family": "maps"},
    "slow": {
        "ours": 4e-5, "eager": 1e-5, "family": "maps", "again": True,
        "kernel": "add_8", "share": 0.9, "kernels": 2, "why": "asked for", "estimate": 1e-6, "measured": 4e-5,
    },
    "broken": {"error": "crashed", "family": "maps"},
}  # fmt: skip


def test_the_best_peer_counts() -> None:
    assert report.ratios_of(ROWS) == {"slow": 0.25, "fast": 2.0}
    assert report.ratio_of(ROWS["broken"]) is None


def test_the_table_has_every_case_and_the_worst_say_which_kernel() -> None:
    table = report.table(ROWS).splitlines()
    assert len(table) == 2 + len(ROWS)
    assert "crashed" in table[-1]
    assert "add_8, 90% of 2 kernels" in report.worst(ROWS, 1)
    assert "3 cases, 1 failed, 1 below 0.9" in report.summary(ROWS, 0.9)


def test_estimates_that_are_far_off_are_found() -> None:
    assert report.misjudged(ROWS) == {"slow": pytest.approx(40.0)}


def test_the_plot_has_a_dot_for_each_ratio() -> None:
    from xml.etree import ElementTree

    drawn = ElementTree.fromstring(report.plot(ROWS, "ratios"))
    assert len([e for e in drawn.iter() if e.tag.endswith("circle")]) == 2


def test_rows_are_json() -> None:
    assert json.loads(json.dumps(ROWS)) == ROWS


# --- suspects

SAMPLE = (
    "variance of all",
    "label-smoothed cross entropy",
    "LAMB",
    "squeeze and excite",
    "sum of rows",
    "sum of all",
    "softmax",
    "Adam",
    "layer norm",
    "GELU",
    "max pool 2x2",
)


@pytest.mark.parametrize("name", SAMPLE)
def test_no_kernel_of_a_sample_starves_a_card(name: str) -> None:
    found = list(suspects_of(next(cases_of([BY_NAME[name]], "cuda"))))
    assert not found, "\n".join(map(str, found))


def test_the_same_work_by_one_block_takes_longer() -> None:
    (first, *_) = planned(next(cases_of([BY_NAME["sum of all"]], "cuda"))).items
    many, _ = seconds_of(first.kernel, NO_PRODUCT, grid=1024, threads=1024 * 512, estimate=1e-5)
    one, each = seconds_of(first.kernel, NO_PRODUCT, grid=1, threads=512, estimate=1e-5)
    assert one > 100 * many
    assert each > 1 << 16


@pytest.mark.parametrize(("step", "lines"), [(1, 1.0), (32, 32.0), (64, 32.0)])
def test_lanes_that_read_far_apart_touch_more_lines(step: int, lines: float) -> None:
    """Of floats side by side a line holds what a warp reads; of every 32nd it holds what a lane does."""
    count = 1 << 20
    (item,) = scheduled(form_of(given(count, step)[:, 0] * 2.0 + 1.0), "cuda:0").items
    warps = count / 32
    assert line_seconds(item.kernel) == pytest.approx(warps * lines / (132 * LINES))


def test_a_product_in_few_blocks_takes_longer() -> None:
    (first, *_) = planned(next(cases_of([BY_NAME["product"]], "cuda"))).items
    assert seconds_of(first.kernel, MATRIX, grid=13, threads=13 * 256, estimate=1e-5)[0] > 9e-5
