"""The standing attack on our servers: whatever is asked, there is an answer, and the next one is right.

    >>> report = attack(seed=0, count=500)
    >>> report.failures
    []

Case n of a run is that of seed + n: a request that is right, to the language models' server or to the page's,
and some damage (`request_damage`): to its JSON, its bytes, its address, method and headers; or the client
leaves in the middle. Requests are given to the application as uvicorn gives them. An exception, a status of
500 or above, no answer, and a request that is right and answered otherwise afterwards are failures. A failure
is told with its seed and with no more damage than it takes. Needs the extras `serve` and `viz`; a server that
is not installed is not attacked.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Final

from ..raised import with_frames
from .request_damage import DAMAGES, Asked

App = Callable[
    [dict[str, Any], Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]
]
#: Seconds for an answer.
_PATIENCE: Final = 60.0
#: so many kinds of damage to a request, at most
_MOST: Final = 3


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes


@dataclass(frozen=True)
class Server:
    """An application, requests that are right, and what of an answer is the same every time."""

    app: App
    requests: tuple[Asked, ...]
    lasting: Callable[[bytes], bytes]


@dataclass(frozen=True)
class Case:
    """A request of a server, and damage by kind, each with random numbers of its own."""

    seed: int
    server: str
    request: int
    damages: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        damage = ", ".join(kind for kind, _ in self.damages)
        return f"seed {self.seed}: {self.server}, request {self.request}; {damage}"


@dataclass(frozen=True)
class Failure:
    """A case with the least damage that goes wrong, and how."""

    case: Case
    message: str

    def __str__(self) -> str:
        return f"{self.case}: {self.message}"


@dataclass
class Report:
    requests: int = 0
    refused: int = 0
    failures: list[Failure] = field(default_factory=list)


def attack(seed: int, count: int, progress: Callable[[int, Report], None] | None = None) -> Report:
    """Try so many cases. `progress` is told each seed before it is tried."""
    report = Report()
    with opened() as servers:
        if not servers:
            return report
        right = {name: [run(server, each) for each in server.requests] for name, server in servers.items()}
        for number in range(seed, seed + count):
            if progress is not None:
                progress(number, report)
            case = drawn(number, servers)
            message, answer = _wrong(servers, right, case)
            report.requests += 1
            report.refused += answer is not None and answer.status >= 400
            if message is not None:
                least = _shrunk(case, lambda less: _wrong(servers, right, less)[0] is not None)
                report.failures.append(Failure(least, _wrong(servers, right, least)[0] or message))
    return report


def drawn(seed: int, servers: dict[str, Server]) -> Case:
    random = Random(seed)
    name = random.choice(sorted(servers))
    kinds = tuple(
        (random.choice(sorted(DAMAGES)), random.getrandbits(32)) for _ in range(random.randint(0, _MOST))
    )
    return Case(seed, name, random.randrange(len(servers[name].requests)), kinds)


def _wrong(
    servers: dict[str, Server], right: dict[str, list[Answer]], case: Case
) -> tuple[str | None, Answer | None]:
    """What went wrong with a case, and its answer."""
    server = servers[case.server]
    asked = server.requests[case.request]
    for kind, number in case.damages:
        asked = DAMAGES[kind](asked, Random(number))
    try:
        answer = run(server, asked)
        again = run(server, server.requests[case.request])
    except Exception as error:  # noqa: BLE001  whatever a server raises
        return with_frames(error), None
    if answer.status >= 500 or (answer.status == 0 and asked.leaves_after is None):
        return f"status {answer.status}: {answer.body[:200]!r}", answer
    expected = right[case.server][case.request]
    if again.status != expected.status or server.lasting(again.body) != server.lasting(expected.body):
        return f"afterwards a right request gets {again.status}: {again.body[:200]!r}", answer
    return None, answer


def _shrunk(case: Case, fails: Callable[[Case], bool]) -> Case:
    """The case with less damage that still fails."""
    for damage in case.damages:
        less = replace(case, damages=tuple(each for each in case.damages if each is not damage))
        if fails(less):
            case = less
    return case


def run(server: Server, asked: Asked) -> Answer:
    """What a server answers; status 0 if the client left before."""
    return asyncio.run(asyncio.wait_for(_answered(server.app, asked), _PATIENCE))


async def _answered(app: App, asked: Asked) -> Answer:
    status, body, chunks = 0, bytearray(), list(asked.chunks())
    gone = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if chunks:
            part = chunks.pop(0)
            return {"type": "http.request", "body": part, "more_body": bool(chunks)}
        if asked.leaves_after is None:
            await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        else:
            body.extend(message.get("body", b""))

    await app(asked.scope(), receive, send)
    gone.set()
    return Answer(status, bytes(body))


# --- the servers


@contextlib.contextmanager
def opened() -> Iterator[dict[str, Server]]:
    """The servers that can run here, each with something small to serve."""
    found: dict[str, Server] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as closing:
        for name, start in (("language model", _language_model), ("page", _page)):
            try:
                found[name] = start(Path(folder), closing)
            except ImportError:  # the extra is not installed
                continue
        yield found


def _language_model(folder: Path, closing: contextlib.ExitStack) -> Server:
    from ...llm.files.load import load
    from ...llm.serving.serve import Limits, make_app, make_engine
    from ..files.model_corpus import model_bytes

    path = folder / "tiny.gguf"
    path.write_bytes(model_bytes())
    loaded, limits = load(path), Limits(slots=2, queue=4, body=20_000)
    engine = make_engine(loaded, limits)
    closing.callback(engine.close)
    hello = [{"role": "user", "content": "hello"}]
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    asked = {"messages": hello, "temperature": 0, "max_tokens": 4}
    shaped = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    bodies = [
        ("/v1/chat/completions", asked),
        ("/v1/chat/completions", {**asked, "logprobs": True, "top_logprobs": 2, "stop": ["x"], "seed": 1}),
        ("/v1/chat/completions", {**asked, "stream": True, "stream_options": {"include_usage": True}}),
        ("/v1/chat/completions", {**asked, "max_tokens": 12, "response_format": shaped}),
        ("/v1/completions", {"prompt": "hello", "temperature": 0, "max_tokens": 4, "logprobs": 1}),
    ]
    posts = [Asked("POST", path, json.dumps(body).encode()) for path, body in bodies]
    gets = [Asked("GET", path) for path in ("/v1/models", "/health", "/")]
    return Server(make_app(loaded, engine, limits), (*posts, *gets), _texts)


def _texts(body: bytes) -> bytes:
    """The texts of an answer. How much of it was known before decides the last bits of its logprobs; times
    and names are its own."""
    try:
        told = json.loads(body)
    except ValueError:  # a page, or a stream
        return body[:1]
    choices = told.get("choices", [])
    return json.dumps([each.get("text") or each.get("message") for each in choices]).encode()


def _page(folder: Path, closing: contextlib.ExitStack) -> Server:
    from ...tensor.tensor import Tensor
    from ...viz.record import record
    from ...viz.server import make_app
    from ...viz.views.recording import Recording

    path = folder / "recording"
    with record(path):
        (Tensor.arange(12).reshape(3, 4).float() * 2).sum(1).realize()
    app = make_app({"0": Recording(path)}, "token", 8080)
    views = ("summary", "rewrites", "graph", "steps", "kernels", "source", "memory", "timeline")
    asked = [Asked("GET", f"/token/api/0/{view}") for view in views]
    return Server(app, (Asked("GET", "/token/"), Asked("GET", "/token/api/list"), *asked), lambda body: body)
