"""Episodes of real runs in 3D: one module and five, side by side, on a laptop and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from saccade.experiment.errors import RunError
from saccade.viz.views.minds import RunView

from .browser import Looker, colours, serving, skip_without_browser, unnamed
from .conftest import run_experiment

skip_without_browser()
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two objects and five modules that vote; too little was learned to be sure of anything."""
    path = tmp_path_factory.mktemp("viz") / "five"
    return run_experiment(path, "distinct_surface_noise_5_modules", "objects.names=mug,bowl")


@pytest.fixture
def address(five: Path, small_run: Path) -> Iterator[str]:
    with serving({"0": RunView(five), "1": RunView(small_run)}) as place:
        yield place


def test_an_episode_is_replayed(browser: Any, address: str) -> None:
    look = Looker(browser, address)
    page = look.open("1/minds")
    page.wait_for_selector("canvas[data-step]")
    assert page.locator(".episodes li").count() == 2
    page.wait_for_timeout(500)
    seen, drawn = colours(page)
    assert seen > 10  # the thing, its path and the ghost: not one flat colour
    assert 0.005 < drawn < 0.9
    step = page.locator("canvas[data-step]").get_attribute("data-step")
    page.get_by_label("One step back").click()
    page.wait_for_selector(f"canvas[data-step]:not([data-step='{step}'])")
    page.get_by_label("Step", exact=True).fill("0")
    page.wait_for_selector("canvas[data-step='0']")
    page.get_by_label("Play").click()
    page.wait_for_selector(f"canvas[data-step='{step}']")  # to the end
    look.check()


def test_five_modules_vote(browser: Any, address: str, five: Path) -> None:
    run = RunView(five)
    told = run.episode(run.episodes()["episodes"][0]["id"])
    step = max(range(told["steps_traced"]), key=lambda n: len(told["votes"][n]))
    look = Looker(browser, address, 1280, 1000)
    page = look.open(f"0/minds/{told['id']}/{step}")
    page.wait_for_selector(f"canvas[data-step='{step}']")
    canvas = page.locator(".scene canvas")
    assert int(canvas.get_attribute("data-votes")) == len(told["votes"][step]) > 0
    assert page.locator(".patches canvas").count() == 5
    assert page.locator(".modules tbody tr").count() == 5
    page.wait_for_timeout(500)
    look.shoot("minds")
    with_votes = colours(page)
    page.get_by_label("votes").uncheck()
    page.wait_for_selector(".scene canvas[data-votes='0']")
    page.wait_for_timeout(500)
    assert colours(page) != with_votes
    page.locator(".modules tbody tr").nth(3).click()
    page.wait_for_selector(".lens-head b:has-text('module_3')")
    look.check()


def test_two_things_are_compared(browser: Any, address: str, five: Path) -> None:
    name = RunView(five).episodes()["episodes"][0]["id"]
    look = Looker(browser, address, 1280, 1000)
    page = look.open(f"0/minds/{name}/3")
    page.wait_for_selector("canvas[data-step='3']")
    for choice, title in (
        ("second", "second best"),
        ("learned", "module_0 learned of the"),
        ("m2", "module_2"),
        ("r1", "small"),
    ):
        page.get_by_label("Compare with").select_option(choice)
        page.wait_for_selector(f".lens:nth-child(2) .lens-head b:has-text('{title}')")
        look.until("document.querySelectorAll('.scene canvas[data-step=\"3\"]').length === 2")
        page.wait_for_timeout(300)
        assert colours(page, 0)[0] > 10
        assert colours(page, 1)[0] > 10
        look.shoot(f"minds-{choice}")
    look.check()


@pytest.mark.parametrize(
    ("preset", "settings", "modules"),
    [
        ("compositional", ["recording.hypotheses=100"], 2),
        ("unsupervised", ["objects.names=mug,bowl", "train.epochs=2"], 1),
        ("pictures", [], 1),
    ],
)
def test_two_levels_no_names_and_pictures(
    browser: Any, tmp_path: Path, preset: str, settings: list[str], modules: int
) -> None:
    run = RunView(run_experiment(tmp_path / "run", preset, *settings))
    told = run.episodes()["episodes"]
    assert told[0]["steps"]
    for first in (each for each in told if not each["steps"]):  # a meeting when nothing was known
        with pytest.raises(RunError, match="has no steps to show"):
            run.episode(first["id"])
    with serving({"0": run}) as place, Looker(browser, place) as look:
        page = look.open("0/minds")
        page.wait_for_selector("canvas[data-step]")
        assert page.locator(".episodes li").count() == len(told)
        assert page.locator(".modules tbody tr").count() >= modules
        page.wait_for_timeout(500)
        assert colours(page)[0] > 5
        for row in page.locator(".modules tbody tr").all():
            row.click()
            page.wait_for_selector("canvas[data-step]")
        look.shoot(f"minds-{preset}")
        look.check()


@pytest.mark.parametrize(("scheme", "width"), [("dark", 1280), ("light", 390)])
def test_minds_on_a_phone_and_in_the_dark(browser: Any, address: str, scheme: str, width: int) -> None:
    look = Looker(browser, address, width, 844, scheme)
    page = look.open("0/minds")
    page.wait_for_selector("canvas[data-step]")
    assert page.evaluate("document.documentElement.scrollWidth") <= width  # nothing sticks out
    assert unnamed(page) == 0
    look.shoot(f"minds-{scheme}-{width}")
    look.check()


def test_a_run_that_goes_on_is_followed(browser: Any, small_run: Path, tmp_path: Path) -> None:
    """Its second episode ends while the page is open."""
    import shutil

    path = tmp_path / "growing"
    shutil.copytree(small_run, path)
    (path / "summary.json").unlink(missing_ok=True)
    whole = (path / "episodes.csv").read_bytes()
    (path / "episodes.csv").write_bytes(whole[: whole.rstrip(b"\n").rindex(b"\n") + 1])
    with serving({"0": RunView(path)}) as place:
        look = Looker(browser, place)
        page = look.open("0/minds")
        page.wait_for_selector("canvas[data-step]")
        assert page.locator(".episodes li").count() == 1
        page.locator("a.live").click()
        page.wait_for_selector("a.live:has-text('following')")
        (path / "episodes.csv").write_bytes(whole)
        look.until("document.querySelectorAll('.episodes li').length === 2")
        page.wait_for_selector(".episodes a[aria-current] span:has-text('eval-000001')")
        look.check()
