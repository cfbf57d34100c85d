"""Large recordings on the page: first pictures and frames, measured. Run with -s to read the figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.experiment.config import override
from saccade.experiment.episode import Outcome
from saccade.experiment.presets import preset
from saccade.experiment.record import RunFolder
from saccade.viz.file import RecordingWriter
from saccade.viz.minds import RunView
from saccade.viz.views import Recording

from .browser import Looker, serving, skip_without_browser
from .test_runs import row, trace_of

skip_without_browser()
pytestmark = pytest.mark.slow

#: Cores that are shared with other tests get four times what is asked for, by the clock. Processor time gets
#: nothing.
SHARED = 4


class Meter:
    """Processor time of the page's main thread, and the longest pause between two frames."""

    def __init__(self, page: Any, frames: bool = True) -> None:
        """Counting frames makes the browser show one at every tick."""
        self._page = page
        self._session = page.context.new_cdp_session(page)
        self._browser = page.context.browser.new_browser_cdp_session()
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})
        if not frames:
            return
        page.evaluate(
            """() => {
                 window.pauses = [];
                 let last = performance.now();
                 const tick = (now) => {
                   window.pauses.push(now - last);
                   last = now;
                   requestAnimationFrame(tick);
                 };
                 requestAnimationFrame(tick);
               }"""
        )

    def busy(self) -> float:
        """Milliseconds of the processor that tasks have taken."""
        told = {
            each["name"]: each["value"] for each in self._session.send("Performance.getMetrics")["metrics"]
        }
        return float(told["TaskDuration"]) * 1000

    def drawing(self) -> float:
        """Milliseconds of the processor that the process has taken which draws WebGL in software."""
        processes = self._browser.send("SystemInfo.getProcessInfo")["processInfo"]
        return sum(float(each["cpuTime"]) for each in processes if each["type"] == "GPU") * 1000

    def each(self, acts: list[Callable[[], Any]]) -> tuple[float, float]:
        """The most processor time that an act took, and the longest pause between frames: milliseconds."""
        self._page.evaluate("window.pauses.length = 0")
        most = 0.0
        for act in acts:
            before = self.busy()
            act()
            self._page.evaluate(
                "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
            )
            most = max(most, self.busy() - before)
        return most, float(self._page.evaluate("Math.max(...window.pauses)"))


def many_nodes(path: Path, count: int) -> Path:
    """A recording of a graph of so many nodes, as a deep network has them, of which one goes."""
    writer = RecordingWriter(path)
    shape, src, op = [], [], []
    for number in range(count):
        wide = number % 100
        sources = [] if number < 100 else [number - 100, number - 100 + (1 if wide < 99 else -99)]
        src.append(sources)
        op.append(0 if number < 100 else 1 + number % 3)
        shape.append([64, 64])
    nodes = {
        "op": op, "dtype": [0] * count, "shape": shape, "src": src, "arg": [0] * count, "line": [0] * count,
        "ops": ["BUFFER", "ADD", "MUL", "EXP"], "dtypes": ["float32"], "args": [""], "lines": ["net.py:1"],
    }  # fmt: skip
    top = {
        "name": "a computation on cpu",
        "about": "",
        "source": "",
        "depth": 0,
        "start": 0.0,
        "seconds": 1.0,
    }
    empty = {"steps": 0, "before": [], "after": [], "nodes_before": 0, "nodes_after": 0}
    roots = list(range(count - 100, count))
    change = {
        "before": roots,
        "after": roots[:-1],
        "nodes_before": count,
        "nodes_after": count - 1,
        "steps": 0,
    }
    passes = [{**top, **empty}, {**top, "name": "simplify", "depth": 1, **change}]
    writer.write(("H", {}), ("C", {"passes": passes, "nodes": count, "kernels": 0}), ("N", nodes), ("E", {}))
    writer.close()
    return path


def many_spans(path: Path, count: int) -> Path:
    writer = RecordingWriter(path)
    writer.write(("H", {}))
    for first in range(0, count, 4096):
        some = range(first, min(count, first + 4096))
        spans = {
            "name": [n % 40 for n in some], "row": [n % 4 for n in some], "start": [n * 2500 for n in some],
            "duration": [2000 + n % 7000 for n in some], "computation": [-1] * len(some),
            "kernel": [-1] * len(some), "depth": [0] * len(some), "names": [f"kernel_{k}" for k in range(40)],
            "rows": [["cuda:0", f"stream {k}"] for k in range(4)],
        }  # fmt: skip
        writer.write(("S", spans))
    writer.write(("E", {}))
    writer.close()
    return path


def test_ten_thousand_nodes(browser: Any, tmp_path: Path) -> None:
    with serving({"0": Recording(many_nodes(tmp_path / "n.saccade", 10_000))}) as place:
        look = Looker(browser, place)
        meter = Meter(look.page)
        page = look.open("0/rewrites/0/1")
        page.wait_for_selector("main section[data-milliseconds]")
        assert page.locator("canvas.graph").first.get_attribute("data-drawn") == "10000"
        opened = int(page.locator("main section").get_attribute("data-opened") or 0)
        drawing = int(page.locator("main section").get_attribute("data-milliseconds") or 0)
        look.shoot("large-graph")
        told = (
            f"10,000 nodes: {opened} ms after the page was asked for, of which {drawing} layout and drawing; "
        )
        told += f"the page's thread was busy for {meter.busy():.0f} ms"
        print(told)
        assert opened < SHARED * 2000, told
        look.check()


def test_a_hundred_thousand_events(browser: Any, tmp_path: Path) -> None:
    with serving({"0": Recording(many_spans(tmp_path / "s.saccade", 100_000))}) as place:
        look = Looker(browser, place)
        page = look.open("0/timeline")
        page.wait_for_selector("canvas[data-drawn='100000']")
        canvas = page.locator("canvas.chart")
        first, whole = (int(canvas.get_attribute(f"data-{name}") or 0) for name in ("first", "milliseconds"))
        canvas.focus()
        meter = Meter(page)
        keys = [lambda key=key: page.keyboard.press(key) for key in "wwwwwwddddaaaassssss"]
        busy, pause = meter.each(keys)
        slowest = float(canvas.get_attribute("data-slowest") or 0)
        look.shoot("large-timeline")
        told = (
            f"100,000 events: first {first} ms, all {whole} ms; zooming: slowest frame {slowest} ms to draw, "
        )
        told += f"at most {busy:.0f} ms of processor time, longest pause {pause:.0f} ms"
        print(told)
        assert busy < 50, told
        assert first < SHARED * 1000, told
        assert whole < SHARED * 1000, told
        assert slowest < SHARED * 50, told
        look.check()


def many_hypotheses(path: Path, count: int, steps: int) -> RunFolder:
    """A run of one episode whose module has so many hypotheses at each step."""
    rng = np.random.default_rng(0)
    names = ["mug", "bowl", *(f"thing_{n}" for n in range(75))]
    arrays = trace_of(names, modules=1)
    repeats = -(-steps // len(arrays["processed"]))
    per_step = {k: v for k, v in arrays.items() if k not in ("objects", "modules", "module_objects")}
    arrays |= {k: np.concatenate([v] * repeats)[:steps] for k, v in per_step.items()}
    places = rng.standard_normal((steps * count, 3)).astype("f4") * 0.04
    arrays |= {
        "cloud_start": (np.arange(steps) * count)[:, None],
        "cloud_location": places,
        "cloud_evidence": rng.random(steps * count).astype("f4"),
        "cloud_object": rng.integers(0, len(names), steps * count).astype(np.int16),
    }
    with RunFolder.create(path, override(preset("default"), [])) as made:
        made.append([Outcome(row(0, "mug", "bowl"), arrays)])
    return RunFolder.open(path)


def test_scrubbing_many_hypotheses(browser: Any, tmp_path: Path) -> None:
    steps, count = 10, 154_000
    run = RunView(many_hypotheses(tmp_path / "run", count, steps).path)
    with serving({"0": run}) as place:
        look = Looker(browser, place)
        page = look.open("0/minds/eval-000000/0")
        page.wait_for_selector(f"canvas[data-hypotheses='{count}']", timeout=120_000)
        slider = page.get_by_label("Step", exact=True)

        def scrub(step: int) -> None:
            slider.fill(str(step))
            page.wait_for_selector(f"canvas[data-step='{step}'][data-hypotheses='{count}']", timeout=60_000)

        scrub(1)  # the first upload makes the buffers
        alone = Meter(page, frames=False)
        before = alone.drawing()
        for step in range(2, 6):
            scrub(step)
        drawing = (alone.drawing() - before) / 4
        busy, pause = Meter(page).each([lambda step=step: scrub(step) for step in range(6, steps)])
        told = f"{count:,} hypotheses: at most {busy:.0f} ms of the page's processor time a step, "
        told += f"{drawing:.0f} ms to draw it in software, longest pause {pause:.0f} ms"
        print(told)
        assert busy < 200, told
        assert drawing < 400, told  # of all threads that draw together
        assert pause < SHARED * 200, told
        look.check()
