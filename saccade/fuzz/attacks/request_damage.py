"""What can happen to a request on its way to a server: to its JSON, its bytes, its address, its headers.

DAMAGES["a value"](asked, random)      # another request
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

#: the host that a browser on this machine asks
HOST: Final = "127.0.0.1:8080"
_HEADERS: Final = (("host", HOST), ("content-type", "application/json"))


@dataclass(frozen=True)
class Asked:
    """A request. leaves_after: the client goes after so many pieces of its body; None: it stays."""

    method: str
    path: str
    body: bytes = b""
    query: str = ""
    headers: tuple[tuple[str, str], ...] = _HEADERS
    leaves_after: int | None = None

    def scope(self) -> dict[str, Any]:
        """As uvicorn describes it."""
        path = self.path.encode("utf-8", "replace")
        return {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": self.method,
            "path": self.path, "raw_path": path, "query_string": self.query.encode("utf-8", "replace"),
            "scheme": "http", "root_path": "", "server": ("127.0.0.1", 8080), "client": ("127.0.0.1", 9),
            "headers": [tuple(text.encode("latin-1", "replace") for text in pair) for pair in self.headers],
        }  # fmt: skip

    def chunks(self) -> Iterator[bytes]:
        """The body in pieces; a client that leaves sends only some."""
        pieces = [self.body[at : at + 1000] for at in range(0, len(self.body), 1000)] or [b""]
        yield from pieces if self.leaves_after is None else pieces[: self.leaves_after]


VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1, 2, 1.5, -0.0, 1e308, -1e308, 10**30, -(10**30), float("nan"), float("inf"),
    "", "x", "hello", "x" * 9000, "\ud800", "\0", "é€😀", [], {}, [None], [[]], {"": 0}, {"type": "object"},
    {"$ref": "#"}, ["a", 1], "system", "assistant", "tool",
)  # fmt: skip


def _nested(depth: int) -> Any:
    made: Any = []
    for _ in range(depth):
        made = [made]
    return made


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all values in JSON."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, below in inside for place in _places(below, (*at, key)))]


def _changed_json(asked: Asked, change: Callable[[Any], Any]) -> Asked:
    try:
        told = json.loads(asked.body)
    except (ValueError, RecursionError):
        return asked
    return replace(asked, body=json.dumps(change(told)).encode("utf-8", "replace"))


def _put(whole: Any, place: tuple[Any, ...], value: Any) -> Any:
    if not place:
        return value
    parent = whole
    for key in place[:-1]:
        parent = parent[key]
    parent[place[-1]] = value
    return whole


def _a_value(asked: Asked, random: Random) -> Asked:
    value = _nested(random.choice((20, 200))) if random.random() < 0.1 else random.choice(VALUES)
    return _changed_json(asked, lambda told: _put(told, random.choice(_places(told)), value))


def _a_key(asked: Asked, random: Random) -> Asked:
    names = (
        "n", "stream", "stop", "seed", "logprobs", "top_logprobs", "max_tokens", "max_completion_tokens",
        "prompt", "messages", "response_format", "tools", "tool_choice", "temperature", "top_p", "logit_bias",
        "echo", "frequency_penalty", "presence_penalty", "model", "user", "suffix", "best_of",
        "stream_options",
    )  # fmt: skip
    value = random.choice(VALUES)
    return _changed_json(asked, lambda t: {**t, random.choice(names): value} if isinstance(t, dict) else t)


def _less(asked: Asked, random: Random) -> Asked:
    def change(told: Any) -> Any:
        if not isinstance(told, dict) or not told:
            return told
        gone = random.choice(sorted(told))
        return {key: value for key, value in told.items() if key != gone}

    return _changed_json(asked, change)


def _bytes(asked: Asked, random: Random) -> Asked:
    body, at = bytearray(asked.body), random.randint(0, len(asked.body))
    what = random.randrange(5)
    if what == 0:
        return replace(asked, body=bytes(body[:at]))
    if what == 1:
        return replace(
            asked, body=bytes(body[:at]) + random.randbytes(random.randint(1, 40)) + bytes(body[at:])
        )
    if what == 2:
        return replace(asked, body=random.randbytes(random.choice((1, 100, 30_000))))
    if what == 3:
        return replace(asked, body=b"[" * random.choice((100, 19_000)))
    return replace(asked, body=b"9" * random.choice((100, 19_000)))


def _path(asked: Asked, random: Random) -> Asked:
    other = (
        "/../../etc/passwd", "/v1/../../etc/passwd", "//etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/\0", "/é",
        "/" + "x" * 9000, "", "/v1/chat/completions/", "/token/static/../../server.py",
        "/token/static/page.js",
        "/token/api/0/nothing", "/token/api/9/summary", "/token/api/-1/graph", "/wrong/api/0/summary",
        "/token/api/0/graph", "/token/api/0/chunk", "/token/api/0/source", "/metrics", "/v1/embeddings",
    )  # fmt: skip
    return replace(asked, path=random.choice(other))


def _query(asked: Asked, random: Random) -> Asked:
    keys = ("computation", "pass", "kernel", "first", "count", "chunk", "side", "search", "from", "x")
    values = ("", "0", "1", "-1", "9" * 30, "1e9", "nan", "../..", "%00", "é", "x" * 5000, "0&0=0")
    pairs = (f"{random.choice(keys)}={random.choice(values)}" for _ in range(random.randint(1, 4)))
    return replace(asked, query="&".join(pairs))


def _method(asked: Asked, random: Random) -> Asked:
    return replace(asked, method=random.choice(("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "X", "")))


def _headers(asked: Asked, random: Random) -> Asked:
    other = (
        ("host", "evil.example"), ("host", ""), ("origin", "http://evil.example"), ("origin", "null"),
        ("content-type", "text/plain"), ("content-type", ""), ("content-length", "99999999999"),
        ("content-length", "-1"), ("content-length", "x"), ("authorization", "Bearer wrong"),
        ("authorization", "\xff"), ("cookie", "x" * 9000), ("transfer-encoding", "chunked"),
    )  # fmt: skip
    if random.random() < 0.2:
        return replace(asked, headers=())
    name, value = random.choice(other)
    kept = tuple(pair for pair in asked.headers if pair[0] != name)
    return replace(asked, headers=(*kept, (name, value)))


def _leaves(asked: Asked, random: Random) -> Asked:
    return replace(asked, leaves_after=random.randint(0, 2))


DAMAGES: Final[dict[str, Callable[[Asked, Random], Asked]]] = {
    "a value": _a_value, "a key": _a_key, "less": _less, "bytes": _bytes, "path": _path, "query": _query,
    "method": _method, "headers": _headers, "leaves": _leaves,
}  # fmt: skip
