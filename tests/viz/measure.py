"""What the page costs on large recordings, in a real browser without a GPU: first pictures, frames.

    with browsing() as browser:
        print(graph(browser, folder, 10_000))
        print(timeline(browser, folder, 100_000))
        print(scrub(browser, folder, 154_000))

`test_page_large` asserts them; `python -m bench.viz` prints them as a table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from saccade.experiment.config.config import override
from saccade.experiment.config.presets import preset
from saccade.experiment.engine.episode import Outcome
from saccade.experiment.record.record import RunFolder
from saccade.viz.file import RecordingWriter
from saccade.viz.views.minds import RunView
from saccade.viz.views.recording import Recording
from saccade.viz.views.totals import Totals

from .browser import Looker, serving
from .test_runs import row, trace_of


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

    def pauses(self) -> list[float]:
        """Milliseconds between two frames, since the last time that this was asked."""
        found: list[float] = self._page.evaluate("window.pauses.splice(0)")
        return found

    def most_busy(self, acts: list[Callable[[], Any]]) -> float:
        """The most processor time that an act took, with the frames that show it: milliseconds."""
        most = 0.0
        for act in acts:
            before = self.busy()
            act()
            self._page.evaluate(
                "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
            )
            most = max(most, self.busy() - before)
        return most


# --- material


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
    writer, totals = RecordingWriter(path), Totals()
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
        totals.add(spans)
    writer.write(("E", {"totals": totals.told()}))
    writer.close()
    return path


def many_hypotheses(path: Path, count: int, steps: int) -> RunFolder:
    """A run of one episode whose module has so many hypotheses at each step."""
    rng = np.random.default_rng(0)
    places = rng.standard_normal((steps, count, 3), dtype=np.float32) * 0.04
    return run_with_cloud(path, places, rng.random((steps, count), dtype=np.float32))


def run_with_cloud(path: Path, places: np.ndarray, evidence: np.ndarray) -> RunFolder:
    """A run of one episode with these hypotheses: places on the object (steps, N, 3), evidence (steps, N)."""
    names = ["mug", "bowl", *(f"thing_{n}" for n in range(75))]
    arrays = trace_of(names, modules=1)
    steps, count = evidence.shape
    repeats = -(-steps // len(arrays["processed"]))
    per_step = {k: v for k, v in arrays.items() if k not in ("objects", "modules", "module_objects")}
    arrays |= {k: np.concatenate([v] * repeats)[:steps] for k, v in per_step.items()}
    arrays |= {
        "cloud_start": (np.arange(steps) * count)[:, None],
        "cloud_location": places.reshape(-1, 3).astype("f4"),
        "cloud_evidence": evidence.ravel().astype("f4"),
        "cloud_object": (np.arange(steps * count) % len(names)).astype(np.int16),
    }
    with RunFolder.create(path, override(preset("default"), [])) as made:
        made.append([Outcome(row(0, "mug", "bowl"), arrays)])
    return RunFolder.open(path)


# --- figures, in milliseconds: of ROUNDS rounds the quietest, for what else a machine does only adds

ROUNDS = 3


@dataclass(frozen=True)
class GraphFigures:
    """`opened` after the address was, of which `drawing` for layout and picture; `busy`: the page's processor
    time."""

    opened: float
    drawing: float
    busy: float


def graph(browser: Any, folder: Path, count: int) -> GraphFigures:
    """A pass over so many nodes, before and after."""
    path = many_nodes(folder / "nodes.saccade", count)

    def once() -> GraphFigures:
        with serving({"0": Recording(path)}) as place, Looker(browser, place) as look:
            meter = Meter(look.page, frames=False)
            page = look.open("0/rewrites/0/1")
            page.wait_for_selector("main section[data-milliseconds]")
            assert page.locator("canvas.graph").first.get_attribute("data-drawn") == str(count)
            section = page.locator("main section")
            opened, drawing = (_told(section, name) for name in ("opened", "milliseconds"))
            look.shoot("large-graph")
            look.check()
            return GraphFigures(opened, drawing, meter.busy())

    return min((once() for _ in range(ROUNDS)), key=lambda round: round.opened)


@dataclass(frozen=True)
class TimelineFigures:
    """The `first` picture and that of `all` events; then of zooming and moving: the most processor time of
    the page for one key, the slowest frame to draw, the longest pause between two frames, and frames in a
    second."""

    first: float
    all: float
    busy: float
    slowest: float
    pause: float
    rate: float


def timeline(browser: Any, folder: Path, count: int) -> TimelineFigures:
    """So many events on four queues, zoomed in, moved, zoomed out."""
    path = many_spans(folder / "spans.saccade", count)

    def once() -> TimelineFigures:
        with serving({"0": Recording(path)}) as place, Looker(browser, place) as look:
            page = look.open("0/timeline")
            page.wait_for_selector(f"canvas[data-drawn='{count}']")
            canvas = page.locator("canvas.chart")
            canvas.focus()
            meter = Meter(page)
            busy = meter.most_busy(
                [lambda key=key: page.keyboard.press(key) for key in "wwwwwwddddaaaassssss"]
            )
            pauses = meter.pauses()
            first, whole, slowest = (_told(canvas, name) for name in ("first", "milliseconds", "slowest"))
            look.shoot("large-timeline")
            look.check()
            return TimelineFigures(first, whole, busy, slowest, max(pauses), 1000 * len(pauses) / sum(pauses))

    rounds = [once() for _ in range(ROUNDS)]
    return TimelineFigures(
        first=min(each.first for each in rounds),
        all=min(each.all for each in rounds),
        busy=min(each.busy for each in rounds),
        slowest=min(each.slowest for each in rounds),
        pause=min(each.pause for each in rounds),
        rate=max(each.rate for each in rounds),
    )


@dataclass(frozen=True)
class ScrubFigures:
    """Processor time of a step: at most of the page, on average of all threads that draw. While the slider is
    dragged: the longest pause between two frames, the 95th percentile, and frames in a second."""

    busy: float
    drawing: float
    pause: float
    usual: float
    rate: float


def scrub(browser: Any, folder: Path, count: int, steps: int = 12) -> ScrubFigures:
    """An episode with so many hypotheses at each step, step by step and then by dragging the slider."""
    run = RunView(many_hypotheses(folder / "run", count, steps).path)
    with serving({"0": run}) as place, Looker(browser, place) as look:
        page = look.open("0/minds/eval-000000/0")
        page.wait_for_selector(f"canvas[data-hypotheses='{count}']")
        slider = page.get_by_label("Step", exact=True)

        def show(step: int) -> None:
            slider.fill(str(step))
            page.wait_for_selector(f"canvas[data-step='{step}'][data-hypotheses='{count}']")

        show(1)  # the first upload makes the buffers
        meter = Meter(page, frames=False)
        stepped = []
        for _ in range(ROUNDS):
            before = meter.drawing()
            busy = meter.most_busy([lambda step=step: show(step) for step in range(2, steps)])
            stepped.append((busy, (meter.drawing() - before) / (steps - 2)))
        meter = Meter(page)
        dragged = [_dragged(page, slider, meter) for _ in range(ROUNDS)]
        within = int(_told(page.locator(".scene canvas"), "within"))
        assert within > 0.9 * count  # the others lie outside of the picture
        look.shoot("large-minds")
        look.check()
        pauses = min(dragged, key=max)
        rate = 1000 * len(pauses) / sum(pauses)
        return ScrubFigures(*min(stepped, key=sum), max(pauses), float(np.percentile(pauses, 95)), rate)


def _told(element: Any, name: str) -> float:
    """A number that the page tells of an element."""
    return float(element.get_attribute(f"data-{name}") or "nan")


def _dragged(page: Any, slider: Any, meter: Meter) -> list[float]:
    """Pauses between frames while the slider is dragged back and on again."""
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] - 8, middle)
    page.mouse.down()
    meter.pauses()
    for share in np.concatenate([np.linspace(1, 0, 20), np.linspace(0, 1, 20)]):
        page.mouse.move(box["x"] + 8 + share * (box["width"] - 16), middle)
        page.wait_for_timeout(50)
    page.mouse.up()
    return meter.pauses()
