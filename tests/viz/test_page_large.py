"""Large recordings on the page: first pictures and frames, measured. Run with -s to read the figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.experiment.plan.rotations import from_euler
from saccade.viz.views.minds import RunView

from .browser import Looker, pixels_like, serving, skip_without_browser
from .measure import graph, run_with_cloud, scrub, timeline

skip_without_browser()
pytestmark = pytest.mark.slow

#: Cores that are shared with other tests get four times what is asked for, by the clock. Processor time gets
#: nothing.
SHARED = 4


def test_ten_thousand_nodes(browser: Any, tmp_path: Path) -> None:
    told = graph(browser, tmp_path, 10_000)
    print(told)
    assert told.opened < SHARED * 2000, told


def test_a_hundred_thousand_events(browser: Any, tmp_path: Path) -> None:
    told = timeline(browser, tmp_path, 100_000)
    print(told)
    assert told.busy < 50, told
    assert told.first < SHARED * 1000, told
    assert told.all < SHARED * 1000, told
    assert told.slowest < SHARED * 50, told


def test_scrubbing_many_hypotheses(browser: Any, tmp_path: Path) -> None:
    told = scrub(browser, tmp_path, 154_000)
    print(told)
    assert told.busy + told.drawing < 200, told  # as if one core did all of it
    assert told.pause < SHARED * 200, told


def test_of_many_hypotheses_the_nearest_is_seen(browser: Any, tmp_path: Path) -> None:
    """Many are drawn by a loop of the page's own, which has to tell what is in front. Weak ones in one place,
    strong ones around it and nearer to the camera; at the next step the other way round."""
    towards = np.array([0.5, 0.45, 1.0]) / np.linalg.norm([0.5, 0.45, 1.0])  # where the camera stands
    around = np.random.default_rng(0).uniform(-0.004, 0.004, (5000, 3))
    behind, before = np.repeat([0.08 * towards], 5000, axis=0), 0.1 * towards + around
    in_world = np.stack([np.concatenate([behind, before]), np.concatenate([before, behind])])
    evidence = np.tile(np.repeat([0.0, 1.0], 5000), (2, 1))
    places = in_world @ from_euler((0.0, 90.0, 0.0))  # as the object lies in `row`
    run = RunView(run_with_cloud(tmp_path / "run", places, evidence).path)
    with serving({"0": run}) as place:
        look = Looker(browser, place)
        weak, strong = (20, 84, 242), (242, 100, 20)
        for step, near, far in ((0, strong, weak), (1, weak, strong)):
            page = look.open(f"0/minds/eval-000000/{step}")
            page.wait_for_selector(f"canvas[data-step='{step}'][data-within='10000']")
            assert pixels_like(page, near) > 100
            assert pixels_like(page, far) == 0
            page.get_by_label("hypotheses").uncheck()
            page.wait_for_selector("canvas[data-within='0']")
            assert pixels_like(page, near) == 0
        look.check()
