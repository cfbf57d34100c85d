"""The worked cases of docs/why.md: what the page says tells the reason, and the remedy helps. The pictures of
that page are made here: SACCADE_SHOTS=docs/images python -m pytest tests/viz/test_why.py"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import saccade
from saccade import Tensor, checkpoint
from saccade.graph.ops import Op
from saccade.graph.rewriting.pattern import Pattern, Rule, Rules, capture
from saccade.transform import simplify
from saccade.viz.views.memory import memory
from saccade.viz.views.minds import RunView
from saccade.viz.views.recording import Recording

from .browser import Looker, serving, skip_without_browser
from .conftest import run_experiment

skip_without_browser()
pytestmark = pytest.mark.slow


def normalised(x: Tensor, stored: bool) -> Tensor:
    centred = x - x.mean(1, keepdim=True)
    if stored:
        centred = centred.realize()
    return centred / (centred * centred).mean(1, keepdim=True).sqrt()


def test_why_is_it_slow(browser: Any, tmp_path: Path) -> None:
    """A `realize()` too many: the same bytes are moved twice."""
    x = Tensor(np.random.default_rng(0).standard_normal((2048, 1024), dtype=np.float32))
    recordings = []
    for stored in (True, False):
        path = tmp_path / ("slow.saccade" if stored else "fixed.saccade")
        with saccade.record(path, "normalise.py") as recorder:
            for _ in range(20):
                normalised(x, stored).realize()
            recorder.measure_ceilings()
        recordings.append(Recording(path))
    slow, fixed = (recording.summary()["computations"] for recording in recordings)
    assert len(slow) == 2
    assert len(fixed) == 1
    moved = [sum(each["bytes"] for each in some) for some in (slow, fixed)]
    assert moved[0] >= 2 * moved[1]
    with serving({"0": recordings[0], "1": recordings[1]}) as place:
        look = Looker(browser, place, 1400, 760)
        page = look.open("beside/0%2Foverview/1%2Foverview")
        for side, expected in ((0, 2), (1, 1)):
            lines = page.frame_locator("iframe").nth(side).locator("table tbody tr")
            lines.first.wait_for()
            assert lines.count() == expected
        look.shoot("why-slow")
        look.check()


WIDE, LAYERS = 128, 12


def loss_of(x: Tensor, weights: list[Tensor], every: int) -> Tensor:
    """`every` layers are computed again in backward; 0: none."""

    def several(x: Tensor, *some: Tensor) -> Tensor:
        for weight in some:
            x = (x @ weight).tanh()
        return x

    size = every or len(weights)
    block = checkpoint(several) if every else several
    for first in range(0, len(weights), size):
        x = block(x, *weights[first : first + size])
    return (x * x).mean()


def test_why_does_it_need_so_much_memory(browser: Any, tmp_path: Path) -> None:
    """What forward keeps for backward is marked; a checkpoint keeps less."""
    rng = np.random.default_rng(0)
    kept = []
    for every in (0, 4):
        weights = [
            Tensor(rng.standard_normal((WIDE, WIDE), dtype=np.float32) * 0.1).requires_grad_()
            for _ in range(LAYERS)
        ]
        x = Tensor(rng.standard_normal((512, WIDE), dtype=np.float32))
        path = tmp_path / f"{every}.saccade"
        with saccade.record(path, "train.py"):
            loss_of(x, weights, every).backward()
            first, *others = [weight.grad for weight in weights if weight.grad is not None]
            first.realize(*others)
        kept.append(max(each["kept"] for each in memory(Recording(path))["buffers"]))
    assert kept[0] == (LAYERS - 1) * 512 * WIDE * 4  # the result of every layer but the last
    assert kept[1] <= kept[0] / 2
    recording = Recording(tmp_path / "0.saccade")
    with serving({"0": recording}) as place:
        look = Looker(browser, place, 1280, 1000)
        page = look.open("0/memory")
        assert "kept for backward" in page.locator(".figures-row").inner_text()
        page.locator("table tbody tr", has_text="between the kernels").first.click()
        page.wait_for_selector(".plan canvas")
        lines = page.locator("table[aria-label='Buffers that forward keeps for backward'] tbody tr")
        assert lines.count() == LAYERS - 1
        look.shoot("why-memory")
        look.check()


def test_which_rewrite_is_wrong(browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that holds for positive numbers only: its step is in the list, with the line it changed."""
    wrong = Rule("abs(x) -> x", Pattern(Op.ABS, (capture("x"),)), lambda x: x)
    monkeypatch.setattr(simplify, "SIMPLIFICATIONS", Rules([wrong]) + simplify.SIMPLIFICATIONS)
    x = Tensor(np.linspace(-2, 2, 7 * 3 * 13, dtype=np.float32).reshape(7, 3, 13))  # a shape of its own
    with saccade.record(tmp_path / "wrong.saccade", "distance.py"):
        result = (x.abs() + 1.5).sum(1).numpy()
    assert result.min() < 1.5  # which no distance is
    recording = Recording(tmp_path / "wrong.saccade")
    passes = recording.rewrites(0)["passes"]
    (guilty,) = [n for n, each in enumerate(passes) if "abs(x) -> x" in each["rules"]]
    assert passes[guilty]["name"] == "simplify"
    with serving({"0": recording}) as place:
        look = Looker(browser, place, 1280, 860)
        page = look.open(f"0/rewrites/0/{guilty}")
        page.wait_for_selector("canvas.graph[data-drawn]")
        page.keyboard.press("/")
        page.keyboard.type("abs")
        page.keyboard.press("Enter")
        assert "gone after this pass" in page.locator(".details").inner_text()
        step = page.locator(".step", has_text="abs(x) -> x")
        assert step.count() == 1
        assert "test_why.py" in step.inner_text()  # the line of the program, and where the rule is written
        step.click()
        assert "abs(x) -> x" in page.locator(".details").inner_text()
        look.shoot("why-rewrite")
        look.check()


def test_why_was_it_taken_for_another(browser: Any, tmp_path: Path) -> None:
    """Pictures of which too little was learned: the two best hypotheses stand side by side."""
    run = RunView(run_experiment(tmp_path / "run", "pictures", "objects.limit=3", "eval.max_steps=25"))
    told = run.episodes()["episodes"]
    wrong = [each for each in told if not each["correct"]]
    assert wrong
    assert told[: len(wrong)] == wrong  # first in the list
    episode = run.episode(wrong[0]["id"])
    rival = episode["second_object"][-1][0]
    assert rival >= 0
    with serving({"0": run}) as place:
        look = Looker(browser, place, 1280, 1080)
        page = look.open(f"0/minds/{wrong[0]['id']}/{episode['steps_traced'] - 1}/0/second")
        look.until("document.querySelectorAll('.scene canvas[data-step]').length === 2")
        assert "taken for" in page.locator(".stage-head").inner_text()
        assert episode["objects"][rival] in page.locator(".lens-head").nth(1).inner_text()
        page.wait_for_timeout(500)
        look.shoot("why-object")
        look.check()
