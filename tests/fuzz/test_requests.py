"""Random requests: our servers answer all of them, and a server that does not is found."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from saccade.fuzz.attacks import requests
from saccade.fuzz.attacks.request_damage import DAMAGES, Asked
from saccade.fuzz.attacks.requests import Server, attack, drawn, run

CHAT = Asked("POST", "/x", json.dumps({"messages": [{"role": "user"}], "n": 1}).encode())


def answering(status: int, body: bytes = b"{}") -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": body})

    return app


def test_the_servers_stand_it() -> None:
    pytest.importorskip("starlette", reason="the servers need starlette")
    pytest.importorskip("jinja2", reason="the model's chat template needs jinja2")
    report = attack(seed=3, count=30)
    assert report.requests == 30
    assert report.refused > 5
    assert not report.failures, report.failures[0]


@pytest.mark.slow
def test_the_servers_stand_it_for_long() -> None:
    pytest.importorskip("starlette", reason="the servers need starlette")
    pytest.importorskip("jinja2", reason="the model's chat template needs jinja2")
    report = attack(seed=10_000, count=2000)
    assert not report.failures, report.failures[0]


@pytest.mark.parametrize("kind", DAMAGES)
def test_damage_is_that_of_its_seed(kind: str) -> None:
    made = [DAMAGES[kind](CHAT, Random(seed)) for seed in range(30)]
    assert made == [DAMAGES[kind](CHAT, Random(seed)) for seed in range(30)]
    assert any(each != CHAT for each in made)
    assert all(each.scope()["type"] == "http" for each in made)


def test_a_client_that_leaves_sends_no_more() -> None:
    long = Asked("POST", "/x", b"x" * 2500)
    assert [len(part) for part in long.chunks()] == [1000, 1000, 500]
    assert [len(part) for part in Asked("POST", "/x", b"x" * 2500, leaves_after=1).chunks()] == [1000]


def test_a_server_that_breaks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no more damage than it takes: this one cannot stand a missing host."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        known = any(name == b"host" for name, _ in scope["headers"])
        await answering(200 if known else 500)(scope, receive, send)

    server = Server(app, (CHAT,), lambda body: body)
    monkeypatch.setattr(requests, "opened", lambda: _Opened({"x": server}))
    report = attack(seed=0, count=200)
    assert report.failures
    assert {kind for failure in report.failures for kind, _ in failure.case.damages} == {"headers"}
    assert "status 500" in report.failures[0].message


def test_an_answer_that_changes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    async def app(scope: Any, receive: Any, send: Any) -> None:
        nonlocal asked
        asked += 1
        await answering(200, b"right" if asked < 8 else b"wrong")(scope, receive, send)

    server = Server(app, (CHAT,), lambda body: body)
    monkeypatch.setattr(requests, "opened", lambda: _Opened({"x": server}))
    assert "afterwards a right request gets 200: b'wrong'" in attack(0, 20).failures[0].message


class _Opened:
    """Servers, instead of our own."""

    def __init__(self, servers: dict[str, Server]) -> None:
        self.servers = servers

    def __enter__(self) -> dict[str, Server]:
        return self.servers

    def __exit__(self, *_: object) -> None:
        pass


def test_answers_are_read_whole() -> None:
    server = Server(answering(204, b"a"), (CHAT,), lambda body: body)
    assert run(server, CHAT).status == 204
    assert drawn(5, {"x": server}) == drawn(5, {"x": server})
