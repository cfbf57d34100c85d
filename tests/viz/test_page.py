"""The page in a real browser: every view opened, looked at and clicked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from saccade.viz.views.recording import Recording

from .browser import Looker, serving, skip_without_browser, unnamed

skip_without_browser()


@pytest.fixture(scope="module")
def address(recorded: Path) -> Iterator[str]:
    with serving({"0": Recording(recorded)}) as found:
        yield found


def test_every_view_opens_and_answers(browser: Any, address: str) -> None:
    """The short one of the default run."""
    look = Looker(browser, address)
    page = look.open("0")
    assert page.locator("table tbody tr").count() == 2
    page.keyboard.press("2")
    page.wait_for_selector("canvas.graph[data-drawn]")
    assert page.locator(".passes a").count() > 8
    page.locator(".step").first.click()
    assert "made at" in page.locator(".details").inner_text()
    page.keyboard.press("/")
    page.keyboard.type("REDUCE")
    assert "found" in page.locator(".bar [role=status]").inner_text()
    page.keyboard.press("Enter")
    assert page.locator(".details h3").inner_text().startswith("REDUCE")
    page = look.open("0/kernels/0")
    page.wait_for_selector(".details dl")
    assert page.locator("table tbody tr").count() == int(
        page.locator("canvas.graph").get_attribute("data-drawn")
    )
    page = look.open("0/memory")
    assert "peak" in page.locator(".figures-row").inner_text()
    page = look.open("0/timeline")
    page.wait_for_selector("canvas[data-drawn]")
    look.check()


@pytest.mark.slow
def test_a_link_leads_to_a_kernel_and_to_a_node(browser: Any, address: str) -> None:
    look = Looker(browser, address)
    page = look.open("0/kernels/0/0")
    assert page.locator(".details h3").inner_text().startswith("0 ")
    page.locator("table tbody tr").nth(0).click()
    assert page.evaluate("location.hash").startswith("#/0/kernels/0/")
    line = page.locator(".details .lines a").first
    name = line.inner_text()
    line.click()  # to what that line made
    page.wait_for_selector("canvas.graph[data-drawn]")
    look.until("!document.querySelector('.bar [role=status]').textContent.startsWith('0 ')")
    assert page.get_by_label("Search nodes").input_value() == name
    assert "found" in page.locator(".bar [role=status]").inner_text()
    page = look.open("0/rewrites/0/1")
    page.wait_for_selector("canvas.graph[data-drawn]")
    page.locator("canvas.graph").first.focus()
    page.keyboard.press("ArrowUp")
    chosen = page.evaluate("location.hash")
    assert chosen.count("/") == 5
    page = look.open(chosen.removeprefix("#/"))
    page.wait_for_selector(".details h3")
    look.check()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)]
)
def test_light_and_dark_laptop_and_phone(browser: Any, address: str, scheme: str, width: int) -> None:
    look = Looker(browser, address, width, 844, scheme)
    for view in ("overview", "rewrites", "kernels", "memory", "timeline"):
        page = look.open(f"0/{view}")
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= width  # nothing sticks out
        assert unnamed(page) == 0
        look.shoot(f"{view}-{scheme}-{width}")
    page.get_by_label("Light or dark").click()
    assert page.evaluate("document.documentElement.dataset.theme") == (
        "light" if scheme == "dark" else "dark"
    )
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    look.check()


@pytest.mark.slow
def test_what_is_broken_is_told_on_the_page(browser: Any, recorded: Path, tmp_path: Path) -> None:
    data = recorded.read_bytes()
    (tmp_path / "cut.saccade").write_bytes(data[:-30])
    broken = bytearray(data)
    reader = Recording(recorded).reader
    broken[reader.records[reader.places("K")[0]].offset] ^= 0xFF
    (tmp_path / "broken.saccade").write_bytes(broken)
    opened = {"0": Recording(tmp_path / "cut.saccade"), "1": Recording(tmp_path / "broken.saccade")}
    with serving(opened) as place:
        look = Looker(browser, place)
        page = look.open("0/overview")
        assert "is shown" in page.locator(".notice").inner_text()
        assert page.locator("table tbody tr").count() > 0
        page = look.open("1/kernels/0")
        assert "is damaged" in page.locator(".failure").inner_text()
        page = look.open("7/kernels")
        assert "no such recording" in page.locator(".failure").inner_text()


@pytest.mark.slow
def test_two_views_side_by_side(browser: Any, recorded: Path, tmp_path: Path) -> None:
    (tmp_path / "other.saccade").write_bytes(recorded.read_bytes())
    with serving({"0": Recording(recorded), "1": Recording(tmp_path / "other.saccade")}) as place:
        look = Looker(browser, place)
        page = look.open("0/kernels/0")
        page.wait_for_selector(".details dl")
        page.keyboard.press("b")
        page.wait_for_selector("iframe >> nth=1")
        left, right = (page.frame_locator("iframe").nth(n) for n in (0, 1))
        left.locator("table tbody tr").first.wait_for()
        right.locator("table tbody tr").first.wait_for()
        assert right.locator("select[aria-label=Recording]").input_value() == "1"
        right.locator("nav a", has_text="Memory").click()
        right.locator(".figures-row").first.wait_for()
        look.until("decodeURIComponent(location.hash).includes('1/memory')")  # a link to both
        page.keyboard.press("b")
        look.until("!location.hash.includes('beside')")
        look.check()


@pytest.mark.slow
def test_a_program_that_goes_on_is_followed(browser: Any, recorded: Path, tmp_path: Path) -> None:
    data, path = recorded.read_bytes(), tmp_path / "live.saccade"
    reader = Recording(recorded).reader
    second = reader.records[reader.places("C")[1]].offset - 9
    path.write_bytes(data[:second])
    with serving({"0": Recording(path)}) as place:
        look = Looker(browser, place)
        page = look.open("0/overview")
        look.until("document.querySelectorAll('table tbody tr').length === 1")
        assert "has not ended" in page.locator(".notice").inner_text()
        path.write_bytes(data)
        look.until("document.querySelectorAll('table tbody tr').length === 2")
        assert page.locator(".notice").is_hidden()
        look.check()


@pytest.mark.slow
def test_a_graph_is_grouped_by_line(browser: Any, address: str) -> None:
    look = Looker(browser, address)
    page = look.open("0/rewrites/0/1")
    page.wait_for_selector("canvas.graph[data-drawn]")
    canvas = page.locator("canvas.graph").first
    before = int(canvas.get_attribute("data-drawn"))
    page.get_by_role("button", name="by line").click()
    page.wait_for_selector(f"canvas.graph[data-drawn]:not([data-drawn='{before}'])")
    assert 1 < int(canvas.get_attribute("data-drawn")) < before
    look.check()


@pytest.mark.slow
def test_machine_code_is_compiled_when_it_is_opened(browser: Any, address: str) -> None:
    look = Looker(browser, address)
    page = look.open("0/kernels/0/0")
    page.locator(".machine summary").click()
    look.until("document.querySelector('.machine pre').textContent.includes('ret')")
    assert "assembly" in page.locator(".machine summary").inner_text()
    look.check()
