"""The page's server: recordings of this machine, for this machine, behind a token.

    app = make_app({"0": Recording(path)}, token="...", port=8000)      # an ASGI application (starlette)

Every address begins with the token: `/TOKEN/`, `/TOKEN/static/page.js`, `/TOKEN/api/0/summary`. Nothing is
looked up on disk by what a request says: static files are read when the server starts, recordings are those
it was given, all other parts of an address are numbers and names that are looked up in those. Requests for
another host (DNS rebinding) or from another origin are refused.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from saccade.experiment.errors import RunError
from saccade.files.reading import reading
from saccade.viz.file import AGAIN, RecordingError
from saccade.viz.views.memory import memory
from saccade.viz.views.minds import RunView
from saccade.viz.views.recording import Recording

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

HOST: Final = "127.0.0.1"
STATIC: Final = Path(__file__).parent / "static"
_TYPES: Final = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".txt": "text/plain"}
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; worker-src 'self'; "
    "connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; base-uri 'none'; "
    "form-action 'none'; frame-src 'self'; frame-ancestors 'self'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}

#: What may stand in a query as a number.
_NUMBERS: Final = ("step", "module", "computation", "pass", "first", "kernel", "number")

Opened = Recording | RunView


class MissingExtra(ImportError):
    """The extra `viz` is not installed."""


def require_extra() -> None:
    """ImportError that names the extra, where a part of it is missing."""
    try:
        import_module("starlette")
        import_module("uvicorn")
    except ImportError as error:
        raise MissingExtra(
            f"the page needs {error.name}, which is not installed: pip install 'saccade[viz]'; "
            "--json prints every view without it"
        ) from None


# --- what is asked for


def view_of(opened: Opened, name: str, query: Mapping[str, str]) -> Any:
    """One view of a recording or a run as plain data; ValueError for one that there is not, or whose file
    does not hold what it should."""
    numbers = {key: _number(query, key) for key in _NUMBERS}
    number = numbers.__getitem__

    views: dict[str, Callable[[], Any]]
    if isinstance(opened, RunView):
        run = opened
        views = {
            "summary": run.summary,
            "episodes": run.episodes,
            "episode": lambda: run.episode(query.get("id", "")),
            "patches": lambda: run.patches(query.get("id", "")),
            "cloud": lambda: run.cloud(query.get("id", ""), number("step"), number("module")),
            "model": lambda: run.model(query.get("object", ""), number("module")),
            "mesh": lambda: run.mesh(query.get("object", "")),
        }
    else:
        recording = opened
        views = {
            "summary": recording.summary,
            "rewrites": lambda: recording.rewrites(number("computation")),
            "graph": lambda: recording.graph(number("computation"), number("pass")),
            "steps": lambda: recording.steps(number("computation"), number("pass"), number("first")),
            "kernels": lambda: recording.kernels(number("computation")),
            "source": lambda: recording.source(number("computation"), number("kernel")),
            "machine": lambda: recording.machine(number("computation"), number("kernel")),
            "memory": lambda: memory(recording, query.get("device")),
            "timeline": recording.timeline,
            "chunk": lambda: recording.chunk(number("number")),
        }
    if name not in views:
        raise RecordingError(f"there is no view {name[:40]!r}: use one of {', '.join(views)}")
    if isinstance(opened, RunView):
        return views[name]()
    with reading(opened.path, RecordingError, AGAIN):  # a record may hold anything
        return views[name]()


def _number(query: Mapping[str, str], key: str) -> int:
    text = query.get(key, "0")
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise RecordingError(f"{key}={text[:20]!r} is not a number")
    return int(text)


# --- the application


def make_app(opened: Mapping[str, Opened], token: str, port: int) -> Starlette:
    """Serves these recordings and runs, by their keys, under this token."""
    require_extra()
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.responses import StreamingResponse
    from starlette.routing import Route

    from saccade.files.json_text import to_json

    static = {path.name: path.read_bytes() for path in sorted(STATIC.iterdir()) if path.suffix in _TYPES}

    def answer(content: bytes | str, kind: str, status: int = 200) -> Response:
        from starlette.responses import Response

        return Response(content, status, media_type=kind)

    def index(request: Request) -> Response:
        return answer(static["index.html"], "text/html")

    def file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in static:
            return answer("no such file", "text/plain", 404)
        return answer(static[name], _TYPES[Path(name).suffix])

    def listing(request: Request) -> Response:
        told = [{"key": key, "name": each.path.name, "kind": _kind(each)} for key, each in opened.items()]
        return answer(to_json(told), "application/json")

    def view(request: Request) -> Response:
        key, name = request.path_params["key"], request.path_params["view"]
        if key not in opened:
            return answer(to_json({"error": "no such recording"}), "application/json", 404)
        chosen = opened[key]
        try:
            if name == "perfetto" and isinstance(chosen, Recording):
                pieces = StreamingResponse(chosen.perfetto(), media_type="application/json")
                pieces.headers["Content-Disposition"] = 'attachment; filename="timeline.json"'
                return pieces
            if name == "chunk" and isinstance(chosen, Recording):
                told = chosen.chunk_json(_number(request.query_params, "number"))
                return answer(told, "application/json")
            found = view_of(chosen, name, dict(request.query_params))
        except (RecordingError, RunError, ValueError, OSError) as error:
            return answer(to_json({"error": str(error)}), "application/json", 422)
        if isinstance(found, bytes):
            return answer(found, "application/octet-stream")
        return answer(_compact(found), "application/json")

    routes = [
        Route("/", index),
        Route("/static/{name}", file),
        Route("/api/recordings", listing),
        Route("/api/{key}/{view}", view),
    ]
    return Starlette(routes=routes, middleware=[Middleware(_Gate, token=token, port=port)])


def _kind(opened: Opened) -> str:
    return "run" if isinstance(opened, RunView) else "program"


def _compact(value: object) -> str:
    """JSON on one line; NaN and infinities, which JSON lacks, become null."""
    import json

    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except ValueError:
        from saccade.files.json_text import to_json

        return to_json(value)


class _Gate:
    """Lets in who asks this host, from this page, with the token, which it takes off the address."""

    def __init__(self, app: Any, token: str, port: int) -> None:
        self._app, self._token = app, token.encode()
        names = (HOST, "localhost")
        self._hosts = {f"{name}:{port}".encode() for name in names}
        self._origins = {b"http://" + host for host in self._hosts}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *extra]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            status, text = refusal
            await guarded(
                {
                    "type": "http.response.start",
                    "status": status,
                    "headers": [(b"content-type", b"text/plain")],
                }
            )
            await guarded({"type": "http.response.body", "body": text})
            return
        rest = scope["path"][len(self._token) + 1 :] or "/"
        await self._app({**scope, "path": rest, "raw_path": rest.encode()}, receive, guarded)

    def _refusal(self, scope: Any) -> tuple[int, bytes] | None:
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name, []).append(value)
        if len(headers.get(b"host", [])) != 1 or headers[b"host"][0] not in self._hosts:
            return 421, b"this server answers for its own address only"
        if any(origin not in self._origins for origin in headers.get(b"origin", [])):
            return 403, b"another origin may not ask"
        if headers.get(b"sec-fetch-site", [b"none"])[0] not in (b"none", b"same-origin"):
            return 403, b"another site may not ask"
        if scope["method"] not in ("GET", "HEAD"):
            return 405, b"there is nothing to change here"
        first = scope["path"].removeprefix("/").partition("/")[0].encode("utf-8", "replace")
        if not hmac.compare_digest(first, self._token):
            return 404, b"not found: use the whole address that `saccade viz` printed"
        return None


def new_token() -> str:
    return secrets.token_urlsafe(16)
