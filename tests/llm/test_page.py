"""The chat page in a real browser, on a server with a small model at random."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from saccade.fuzz.files.model_corpus import model_bytes
from saccade.llm.files.load import load

from ..patience import HANG
from ..viz.browser import Looker, browsing, skip_without_browser

skip_without_browser()
pytest.importorskip("jinja2", reason="the model's chat template needs jinja2")
pytestmark = pytest.mark.slow


@contextmanager
def serving(folder: Path, api_key: str | None = None) -> Iterator[tuple[str, Any]]:
    """The address of a server, and its engine."""
    import socket

    import uvicorn

    from saccade.llm.serving.serve import Limits, make_app, make_engine

    path = folder / "a.gguf"
    path.write_bytes(model_bytes(context=512))
    loaded, limits = load(path), Limits(slots=1)
    engine = make_engine(loaded, limits)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(make_app(loaded, engine, limits, api_key), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/", engine
        finally:
            server.should_exit = True
            thread.join(HANG)
            engine.close()


def said(page: Any, text: str) -> None:
    page.locator("#text").fill(text)
    page.keyboard.press("Enter")


def test_a_conversation_in_a_browser(tmp_path: Path) -> None:
    with serving(tmp_path) as (address, engine), browsing() as browser:
        look = Looker(browser, address)
        page = look.page
        page.goto(address)
        page.locator("summary").click()
        page.locator("#temperature").fill("0")
        said(page, "hello <b>world</b>")
        look.until("document.querySelectorAll('.assistant').length === 1")
        look.until("document.getElementById('send').textContent === 'Send'")
        assert page.locator(".user").inner_text() == "hello <b>world</b>"  # text, and no markup
        answer = page.locator(".assistant").inner_text()
        assert answer.strip()
        assert "undefined" not in answer
        assert "tokens, " in page.locator("#speed").inner_text()
        said(page, "hello")
        look.until("document.querySelectorAll('.assistant').length === 2")
        look.until("document.getElementById('send').textContent === 'Send'")
        assert engine.metrics.reused_tokens > 0  # the first turn was sent along
        page.locator("#clear").click()
        assert page.locator(".turn").count() == 0
        look.check()


def test_a_stopped_answer_and_a_missing_key(tmp_path: Path) -> None:
    with serving(tmp_path, "secret") as (address, engine), browsing() as browser:
        look = Looker(browser, address)
        page = look.page
        page.goto(address)
        said(page, "hello")
        page.wait_for_selector(".error")
        assert "API key is wrong or missing" in page.locator(".error").inner_text()
        page.locator("summary").click()
        page.locator("#key").fill("secret")
        said(page, "hello")
        page.wait_for_selector(".assistant:not(:empty)")
        if page.locator("#send").inner_text() == "Stop":
            page.locator("#send").click()
        look.until("document.getElementById('send').textContent === 'Send'")
        end = time.monotonic() + HANG
        while engine.metrics.active:
            assert time.monotonic() < end
            time.sleep(0.05)
        assert [each for each in look.problems if "401" not in each] == []
