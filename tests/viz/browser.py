"""A real browser, and servers for it to look at."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ..patience import HANG

CHROMIUM = next(
    (path for path in ("/usr/bin/chromium", "/usr/bin/chromium-browser") if Path(path).exists()), None
)
#: where pictures of the page go that are to be kept, else nowhere
SHOTS = os.environ.get("SACCADE_SHOTS")
_FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
]  # fmt: skip


def skip_without_browser() -> None:
    pytest.importorskip("starlette", reason="the extra viz is not installed")
    pytest.importorskip("uvicorn", reason="the extra viz is not installed")
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no chromium (apt install chromium)", allow_module_level=True)


@contextmanager
def browsing() -> Iterator[Any]:
    """A browser with a profile of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=_FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def serving(opened: Mapping[str, Any]) -> Iterator[str]:
    """The address of a page with these recordings and runs."""
    import uvicorn

    from saccade.http_server import listen
    from saccade.viz.server import HOST, make_app, new_token

    listening, token = listen(HOST, 0), new_token()
    port = listening.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(make_app(opened, token, port), log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{port}/{token}/"
    finally:
        server.should_exit = True
        thread.join(HANG)


class Looker:
    """A page that remembers what went wrong in it."""

    def __init__(
        self, browser: Any, address: str, width: int = 1280, height: int = 800, scheme: str = "light"
    ):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        self.page, self.address = context.new_page(), address
        self.problems: list[str] = []
        self.asked: set[str] = set()
        self.page.on("console", lambda m: self.problems.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self.asked.add(request.url))
        self.page.set_default_timeout(1000 * HANG)

    def __enter__(self) -> Looker:
        return self

    def __exit__(self, *_: object) -> None:
        self.page.context.close()

    def open(self, view: str) -> Any:
        """Go to a view as if its link had been followed, and wait for it."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}#/{view}")
        self.page.wait_for_selector("main[data-view]")
        return self.page

    def until(self, expression: str, seconds: float = HANG) -> None:
        """Wait until this is true. Playwright's own wait is text that becomes code inside the page, which
        its content security policy forbids."""
        end = time.monotonic() + seconds
        while not self.page.evaluate(expression):
            assert time.monotonic() < end, f"it never was true that {expression}"
            self.page.wait_for_timeout(100)

    def shoot(self, name: str) -> None:
        """Keep a picture, where pictures are kept."""
        if SHOTS:
            time.sleep(0.3)  # a frame or two
            Path(SHOTS).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=str(Path(SHOTS) / f"{name}.png"))

    def check(self) -> None:
        """Nothing went wrong, and nobody else was asked."""
        assert self.problems == []
        inside = (self.address, "about:", "data:", "blob:")
        assert [url for url in self.asked if not url.startswith(inside)] == []


def unnamed(page: Any) -> int:
    """Controls and pictures without an accessible name."""
    found: int = page.evaluate(
        """[...document.querySelectorAll('button, select, input, canvas, a, iframe')].filter((each) =>
             !(each.getAttribute('aria-label') || each.title || each.textContent.trim())).length"""
    )
    return found


#: the pixels of a 3D picture, in the page: RGBA bytes
_PIXELS = """
  const canvas = document.querySelectorAll('.scene canvas')[number];
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const context = copy.getContext('2d');
  context.drawImage(canvas, 0, 0);
  const data = context.getImageData(0, 0, copy.width, copy.height).data;
"""


def colours(page: Any, number: int = 0) -> tuple[int, float]:
    """Of a 3D picture: how many colours it has (16 levels each), and the share that is not the paper's."""
    seen, drawn = page.evaluate(
        f"""(number) => {{
             {_PIXELS}
             const seen = new Set();
             let drawn = 0;
             for (let n = 0; n < data.length; n += 4) {{
               const key = (data[n] >> 4) * 256 + (data[n + 1] >> 4) * 16 + (data[n + 2] >> 4);
               seen.add(key);
               if (key !== 0xfff) drawn++;
             }}
             return [seen.size, drawn / (data.length / 4)];
           }}""",
        number,
    )
    return seen, drawn


def pixels_like(page: Any, rgb: tuple[int, int, int], number: int = 0) -> int:
    """How many pixels of a 3D picture have this colour, within 8 of 255."""
    found: int = page.evaluate(
        f"""([number, rgb]) => {{
             {_PIXELS}
             let found = 0;
             for (let n = 0; n < data.length; n += 4)
               if (rgb.every((value, k) => Math.abs(value - data[n + k]) < 8)) found++;
             return found;
           }}""",
        [number, list(rgb)],
    )
    return found
