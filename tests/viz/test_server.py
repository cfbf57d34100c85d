"""The server: its own page and recordings for its own machine, and nothing to anybody else."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra viz is not installed")
pytest.importorskip("uvicorn", reason="the extra viz is not installed")

import asyncio

from saccade.fuzz.files.recording_corpus import packed_records, records
from saccade.viz import server
from saccade.viz.server import STATIC, MissingExtra, make_app
from saccade.viz.views.recording import Recording

TOKEN, PORT = "right-token", 8123
HOST = f"127.0.0.1:{PORT}"


class Asked:
    def __init__(self) -> None:
        self.status, self.headers, self.body = 0, {}, b""


@pytest.fixture(scope="module")
def app(recorded: Path) -> Any:
    return make_app({"0": Recording(recorded)}, TOKEN, PORT)


def ask(app: Any, path: str, query: str = "", method: str = "GET", **headers: str) -> Asked:
    """A request as uvicorn hands it over: the path is not normalised."""
    found, waited = Asked(), []
    given = {"host": HOST, **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {
        "type": "http", "http_version": "1.1", "method": method, "path": path, "raw_path": path.encode(),
        "query_string": query.encode(), "scheme": "http", "root_path": "",
        "server": ("127.0.0.1", PORT), "client": ("127.0.0.1", 9),
        "headers": [(name.encode(), value.encode()) for name, value in given.items() if value],
    }  # fmt: skip

    async def receive() -> dict[str, Any]:
        if waited:
            await asyncio.Event().wait()  # the client stays, and sends nothing more
        waited.append(True)
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            found.status = message["status"]
            found.headers = {k.decode(): v.decode() for k, v in message["headers"]}
        else:
            found.body += message.get("body", b"")

    asyncio.run(app(scope, receive, send))
    return found


def test_the_page_and_its_views_are_there(app: Any) -> None:
    page = ask(app, f"/{TOKEN}/")
    assert page.status == 200
    assert b"static/page.js" in page.body
    assert "default-src 'none'" in page.headers["content-security-policy"]
    script = ask(app, f"/{TOKEN}/static/page.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert b'"key": "0"' in ask(app, f"/{TOKEN}/api/recordings").body
    for view in (
        "summary",
        "rewrites",
        "graph",
        "kernels",
        "source",
        "memory",
        "timeline",
        "chunk",
        "perfetto",
    ):
        assert ask(app, f"/{TOKEN}/api/0/{view}").status == 200


@pytest.mark.parametrize(
    "path", ["/", "/wrong/", "/right-toke/", f"/{TOKEN}x/", "//", f"/x/{TOKEN}/", "/static/page.js"]
)
def test_without_the_token_there_is_nothing(app: Any, path: str) -> None:
    found = ask(app, path)
    assert found.status == 404
    assert b"page.js" not in found.body


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py", "/static/..%2fserver.py", "/static/%2e%2e/server.py", "/static//etc/passwd",
        "/static/....//server.py", "/static/..\\server.py", "/../../etc/passwd", "/api/../../etc/passwd",
        "/api/0/../../../etc/passwd", "/api/%2e%2e/summary", "/api/0/%2e%2e", "/static/page.js/..",
        "/static/", "/static/page.js%00.txt", "/etc/passwd", "/api//etc/passwd/summary",
        "/static/LICENSE-three.txt/../../server.py",
    ],
)  # fmt: skip
def test_no_path_leads_out(app: Any, path: str) -> None:
    for prefix in (f"/{TOKEN}", f"/{TOKEN}/"):
        found = ask(app, prefix + path)
        assert found.status in (404, 422)
        assert b"root:" not in found.body
        assert b"def make_app" not in found.body


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": f"evil.example:{PORT}"}, 421),
        ({"host": "127.0.0.1:9"}, 421),
        ({"host": ""}, 421),
        ({"host": f"localhost:{PORT}"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": f"http://{HOST}"}, 200),
        ({"origin": f"https://{HOST}"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
        ({"sec_fetch_site": "same-origin"}, 200),
    ],
)
def test_other_hosts_and_origins_are_refused(app: Any, headers: dict[str, str], status: int) -> None:
    assert ask(app, f"/{TOKEN}/api/recordings", **headers).status == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_nothing_can_be_changed(app: Any, method: str) -> None:
    assert ask(app, f"/{TOKEN}/api/recordings", method=method).status == 405


@pytest.mark.parametrize(
    ("view", "query"),
    [("graph", "computation=99"), ("graph", "computation=-1"), ("graph", "computation=" + "9" * 50),
     ("graph", "pass=x"),     ("chunk", "number=77"), ("nothing", ""), ("memory", "")],
)  # fmt: skip
def test_wrong_requests_are_answered(app: Any, view: str, query: str) -> None:
    found = ask(app, f"/{TOKEN}/api/0/{view}", query)
    assert found.status == (200 if view == "memory" else 422)
    assert (b'"error"' in found.body) == (view != "memory")
    assert ask(app, f"/{TOKEN}/api/7/summary").status == 404


def test_damage_is_told_and_not_a_blank_page(tmp_path: Path, recorded: Path) -> None:
    data = bytearray(recorded.read_bytes())
    reader = Recording(recorded).reader
    data[reader.records[reader.places("K")[0]].offset] ^= 0xFF
    (tmp_path / "d.saccade").write_bytes(data)
    broken = make_app({"0": Recording(tmp_path / "d.saccade")}, TOKEN, PORT)
    found = ask(broken, f"/{TOKEN}/api/0/kernels")
    assert found.status == 422
    assert b"is damaged" in found.body
    assert ask(broken, f"/{TOKEN}/api/0/rewrites").status == 200


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingExtra, match=r"pip install 'saccade\[viz\]'"):
        server.require_extra()


def test_what_is_served_asks_nobody_else() -> None:
    """No address of another host in the page; the licence of what is bundled lies beside it."""
    for name in ("index.html", "page.css"):
        assert "http" not in (STATIC / name).read_text().replace("http://www.w3.org", "")
    assert "MIT License" in (STATIC / "LICENSE-three.txt").read_text()


def test_an_address_without_a_path_is_not_found(app: Any) -> None:
    assert ask(app, "").status == 404
    assert ask(app, "*").status == 404


def test_a_view_does_not_depend_on_what_was_looked_at_before(app: Any) -> None:
    first = ask(app, f"/{TOKEN}/api/0/kernels").body
    assert ask(app, f"/{TOKEN}/api/0/memory").status == 200
    assert ask(app, f"/{TOKEN}/api/0/kernels").body == first


@pytest.mark.parametrize(
    "texts",
    [
        {"1 C": b"{}"}, {"1 C": b"[]"}, {"1 C": b'{"passes": [1], "nodes": 0, "kernels": 0}'},
        {"7 M": b'[["r", 0, 0, [5]]]'}, {"4 K": b'{"kernels": 3}'}, {"9 E": b'{"totals": 3}'},
    ],
    ids=str,
)  # fmt: skip
def test_records_of_another_content_are_named_and_never_an_error_of_ours(
    tmp_path: Path, texts: dict[str, bytes]
) -> None:
    """Sums that fit what they should not hold ended in KeyError, and in status 500."""
    for name, data in packed_records(records() | texts).items():
        (tmp_path / name).write_bytes(data)
    opened = Recording(tmp_path / "a.saccade")
    app = make_app({"0": opened}, TOKEN, PORT)
    views = ("summary", "rewrites", "graph", "kernels", "source", "memory", "timeline")
    found = [ask(app, f"/{TOKEN}/api/0/{view}", "pass=1") for view in views]
    assert 422 in {each.status for each in found} <= {200, 422}
    assert all("a.saccade" in each.body.decode() for each in found if each.status == 422)
