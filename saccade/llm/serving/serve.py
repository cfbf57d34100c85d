"""A model over HTTP, as OpenAI's clients expect it: an ASGI application on starlette, and uvicorn to run it.

    engine = make_engine(loaded, limits := Limits(slots=4))
    run_server(make_app(loaded, engine, limits), "127.0.0.1", 8080, print, engine)

Requests share the slots of one engine and are made together, token by token. What a request may take is
bounded: its size, its time in the queue by the queue's length, its tokens by the context.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import re
import time
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...files.reading import parse_json, shown
from ...http_server import listen, serve
from ..files.load import LanguageModel
from ..generation.slots import Slots
from ..generation.text import Generation, Piece
from ..model.embeddings import TextEncoder, read_embeddings, reply
from .engine import Engine, QueueFull, Ticket
from .openai_api import BadRequest, Job, Reader, Reply
from .text_vectors import TextVectors

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

PAGE: Final = Path(__file__).with_name("page.html")
NEEDED: Final = "saccade serve needs starlette and uvicorn: pip install 'saccade[serve]'"
#: What the page may do: run its own script and ask this server. Nobody may put it into a frame.
PAGE_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
#: Names by which a server on the loopback may be called: a page that gives its own name our address is not.
LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
#: Seconds for texts in the making when the server is stopped.
GRACE: Final = 5
#: How often it is looked whether a client that waits for a whole text is still there, in seconds.
LOOK: Final = 0.5


@dataclass(frozen=True)
class Limits:
    """slots: texts made at once; queue: requests that may wait; capacity: tokens of a text with its prompt;
    body: bytes of a request."""

    slots: int = 4
    queue: int = 64
    capacity: int | None = None
    body: int = 1 << 20


class Refused(Exception):
    """A request that gets an error, with its status."""

    def __init__(self, status: int, message: str, kind: str, parameter: str | None = None) -> None:
        super().__init__(message)
        self.status, self.kind, self.parameter = status, kind, parameter

    def response(self) -> Response:
        from starlette.responses import JSONResponse

        told = {"message": str(self), "type": self.kind, "param": self.parameter, "code": None}
        more = {"WWW-Authenticate": "Bearer"} if self.status == 401 else {}
        more |= {"Retry-After": "1"} if self.status == 429 else {}
        return JSONResponse({"error": told}, self.status, more)


Handler = Callable[["Request"], Awaitable["Response"]]


class Service:
    """What answers requests."""

    def __init__(
        self,
        loaded: LanguageModel,
        engine: Engine,
        limits: Limits,
        api_key: str | None,
        hosts: tuple[str, ...] | None,
        encoder: TextEncoder | None = None,
    ) -> None:
        self.loaded, self.engine, self.limits, self.api_key = loaded, engine, limits, api_key
        own = TextVectors(loaded, engine.slots.capacity, engine.call)
        self.hosts, self.encoder = hosts, own if encoder is None else encoder
        self._embedding = asyncio.Lock()  # one request at a time: each takes all cores
        self._to_embed = 0
        self.reader, self.started = Reader(loaded), int(time.time())

    # --- what every request goes through

    def guarded(self, path: str, handler: Handler, key: bool = True) -> Handler:
        """The handler, for those who may ask; errors as OpenAI's clients read them. path: as it is counted;
        key: they need one."""

        from starlette.requests import ClientDisconnect

        async def handle(request: Request) -> Response:
            try:
                self._check_place(request)
                if key:
                    self._check_key(request)
                response = await handler(request)
            except Refused as refused:
                response = refused.response()
            except BadRequest as error:
                response = Refused(400, str(error), "invalid_request_error", error.parameter).response()
            except ClientDisconnect:  # nobody hears it; counted as other servers do
                response = Refused(499, "the client has left", "invalid_request_error").response()
            self.engine.metrics.requests[path, response.status_code] += 1
            return response

        return handle

    def _check_place(self, request: Request) -> None:
        """Not under the name of another (DNS rebinding), nor from a page of another site."""
        host = request.headers.get("host", "")
        name = re.sub(r":\d*$", "", host).lower()
        if self.hosts is not None and name not in self.hosts:
            raise Refused(403, f"this server is not {shown(host)}", "invalid_request_error")
        if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            raise Refused(403, "a page of another site may not ask", "invalid_request_error")

    def _check_key(self, request: Request) -> None:
        if self.api_key is None:
            return
        # headers are bytes that were read as latin-1, and a scheme may be written in any case
        scheme, _, given = request.headers.get("authorization", "").encode("latin-1").partition(b" ")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(given.strip(), self.api_key.encode()):
            raise Refused(
                401, "the API key is wrong or missing: send it as a bearer token", "authentication_error"
            )

    async def _body(self, request: Request) -> Any:
        """The JSON of a request. Only as application/json, which pages of others cannot send unasked."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refused(
                415, f"the content type is {kind!r}, and application/json is due", "invalid_request_error"
            )
        told = f"the request is larger than {self.limits.body} bytes"
        length = request.headers.get("content-length", "0")
        if length.isdecimal() and (len(length) > 18 or int(length) > self.limits.body):
            raise Refused(413, told, "invalid_request_error")
        content = b""
        async for part in request.stream():
            content += part
            if len(content) > self.limits.body:
                raise Refused(413, told, "invalid_request_error")
        try:
            return parse_json(content.decode())
        except (ValueError, RecursionError) as error:
            raise BadRequest(f"the body is no JSON: {error}") from None

    # --- texts

    async def chat(self, request: Request) -> Response:
        return await self._made(request, self.reader.chat)

    async def completion(self, request: Request) -> Response:
        return await self._made(request, self.reader.completion)

    async def _made(self, request: Request, read: Callable[[Any], Job]) -> Response:
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import JSONResponse, StreamingResponse

        job = await run_in_threadpool(read, await self._body(request))  # a long prompt takes a while to cut
        answer, text = Reply(job, self.loaded), Text(self.engine, job, self.loaded)
        if job.stream:
            headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
            return StreamingResponse(self._events(answer, text), 200, headers, "text/event-stream")
        with text:
            pieces = [piece async for piece in text.pieces(request.is_disconnected)]
        if not pieces or pieces[-1].finish is None:
            raise Refused(499, "the client left", "cancelled")
        return JSONResponse(answer.whole(pieces, text.generation.reused))

    async def _events(self, reply: Reply, text: Text) -> AsyncIterator[str]:
        """Server-sent events. A client that leaves ends this, and with it the text."""
        with text:
            first = reply.first()
            if first is not None:
                yield _event(first)
            try:
                async for piece in text.pieces():
                    yield _event(reply.chunk(piece))
            except Refused as refused:
                yield _event({"error": {"message": str(refused), "type": refused.kind}})
                return
            if reply.job.usage:
                yield _event(reply.usage_chunk(text.generation.made, text.generation.reused))
            yield "data: [DONE]\n\n"

    async def embeddings(self, request: Request) -> Response:
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import JSONResponse

        encoder = self.encoder
        wanted = await run_in_threadpool(read_embeddings, await self._body(request), encoder)
        self._to_embed += 1
        try:
            if self._to_embed > self.limits.queue + 1:
                raise QueueFull(f"the queue of {self.limits.queue} requests is full")
            async with self._embedding:
                vectors = await run_in_threadpool(encoder.embed_ids, wanted.ids)
        except QueueFull as error:
            raise Refused(429, f"{error}: ask again later", "rate_limit_error") from None
        finally:
            self._to_embed -= 1
        return JSONResponse(reply(wanted, vectors, encoder.name))

    # --- the rest

    async def models(self, request: Request) -> Response:
        from starlette.responses import JSONResponse

        return JSONResponse({"object": "list", "data": list(self._models().values())})

    async def model(self, request: Request) -> Response:
        from starlette.responses import JSONResponse

        name, known = "/".join(request.path_params.values()), self._models()
        if name not in known:
            told = f"there is no model {shown(name)} here: take {' or '.join(map(shown, known))}"
            raise Refused(404, told, "invalid_request_error", "model")
        return JSONResponse(known[name])

    def _models(self) -> dict[str, dict[str, Any]]:
        """What is told of each model, by name."""
        told = {"object": "model", "created": self.started, "owned_by": "saccade"}
        return {name: {"id": name, **told} for name in (self.loaded.name, self.encoder.name)}

    async def metrics(self, request: Request) -> Response:
        from starlette.responses import PlainTextResponse

        return PlainTextResponse(self.engine.metrics.text(), media_type="text/plain; version=0.0.4")

    async def health(self, request: Request) -> Response:
        from starlette.responses import JSONResponse

        return JSONResponse({"status": "ok", "model": self.loaded.name})

    async def page(self, request: Request) -> Response:
        from starlette.responses import HTMLResponse

        return HTMLResponse(PAGE.read_text(encoding="utf-8"), headers=PAGE_HEADERS)


class Text:
    """A text in the making, as the loop of the server hears of it. As a context it ends with its block."""

    def __init__(self, engine: Engine, job: Job, loaded: LanguageModel) -> None:
        self.engine = engine
        self.generation = Generation(loaded.tokenizer, job.ids, job.options)
        loop = asyncio.get_running_loop()
        self._queue = queue = asyncio.Queue[Piece | Exception]()

        def deliver(piece: Piece | Exception) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(queue.put_nowait, piece)

        try:
            self.ticket: Ticket = engine.submit(self.generation, deliver)
            # a client may be gone before its stream begins, and nobody holds the text then
            weakref.finalize(self, engine.cancel, self.ticket)
        except QueueFull as error:
            raise Refused(429, f"{error}: ask again later", "rate_limit_error") from None
        except ValueError as error:
            raise BadRequest(str(error), "messages" if job.chat else "prompt") from None

    def __enter__(self) -> Text:
        return self

    def __exit__(self, *error: object) -> None:
        self.engine.cancel(self.ticket)

    async def pieces(self, left: Callable[[], Awaitable[bool]] | None = None) -> AsyncIterator[Piece]:
        """Its pieces; `left` is asked now and then whether the client has gone."""
        while True:
            try:
                piece = await asyncio.wait_for(self._queue.get(), LOOK if left else None)
            except TimeoutError:
                if left is not None and await left():
                    return
                continue
            if isinstance(piece, Exception):
                raise Refused(500, f"the text could not be made: {piece}", "server_error") from piece
            yield piece
            if piece.finish is not None:
                return


def _event(value: Any) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"


async def _no_such_place(request: Request, error: Exception) -> Response:
    """A path that is not known here, or not with this method: as OpenAI's clients read errors."""
    status = getattr(error, "status_code", 404)
    told = f"{request.method} {shown(request.url.path)} is not known here"
    response = Refused(status, told, "invalid_request_error").response()
    response.headers.update(getattr(error, "headers", None) or {})
    return response


def check_installed() -> None:
    """ImportError that says what to install, before anything slow is done."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise ImportError(NEEDED) from None


def make_engine(loaded: LanguageModel, limits: Limits, tell: Callable[[str], None] | None = None) -> Engine:
    """An engine whose programs are compiled; `tell` hears of it."""
    slots = Slots(loaded.model, loaded.tokenizer, limits.slots, limits.capacity)
    if tell is not None:
        slots.warm(tell)
    return Engine(slots, limits.queue)


def make_app(
    loaded: LanguageModel,
    engine: Engine,
    limits: Limits | None = None,
    api_key: str | None = None,
    hosts: tuple[str, ...] | None = LOOPBACK,
    encoder: TextEncoder | None = None,
) -> Starlette:
    """The application. hosts: names by which it may be called; None for any. encoder: for embeddings; None
    for the model itself."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    service = Service(loaded, engine, limits or Limits(), api_key, hosts, encoder)
    posts = {
        "/v1/chat/completions": service.chat,
        "/v1/completions": service.completion,
        "/v1/embeddings": service.embeddings,
    }
    gets = {
        "/v1/models": service.models,
        "/v1/models/{name}": service.model,
        "/v1/models/{owner}/{name}": service.model,
        "/metrics": service.metrics,
    }
    free = {"/health": service.health, "/": service.page}
    routes = [Route(path, service.guarded(path, each), methods=["POST"]) for path, each in posts.items()]
    routes += [Route(path, service.guarded(path, each)) for path, each in gets.items()]
    routes += [Route(path, service.guarded(path, each, key=False)) for path, each in free.items()]
    app = Starlette(routes=routes, exception_handlers={404: _no_such_place, 405: _no_such_place})
    app.router.redirect_slashes = False  # such an answer names the host that was asked for, whoever that is
    return app


def run_server(app: Starlette, host: str, port: int, tell: Callable[[str], None], engine: Engine) -> None:
    """Serve until a signal comes; `tell` hears the address. Texts that are not made a few seconds later end
    with an error that their clients can read."""
    with listen(host, port) as listening:
        name = f"[{host}]" if ":" in host else host
        tell(f"http://{name}:{listening.getsockname()[1]}")
        serve(app, listening, grace=GRACE, end=engine.close)
