"""What both servers stand: connections that dawdle, headers without end, addresses that are taken."""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="the servers need uvicorn")

from uvicorn.server import ServerState

from saccade.http_server import listen, make_server

from .patience import HANG

HEAD = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n"
REQUEST = HEAD + b"\r\n{}"


class Transport:
    """A connection whose client is this test."""

    def __init__(self) -> None:
        self.written, self.closed = b"", False

    def get_extra_info(self, name: str) -> Any:
        return None

    def write(self, content: bytes) -> None:
        self.written += b"" if self.closed else content

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...


def talk(*parts: bytes, seconds: float = 0.0) -> Transport:
    """Connect, and send parts at one go; the application answers long after `seconds` are over."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        await looked()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"done"})

    async def looked() -> None:
        for _ in range(20):  # timers of 0 s come up in the next round of the loop
            await asyncio.sleep(0)

    async def main() -> Transport:
        config = make_server(app, request_seconds=seconds).config
        config.load()
        transport = Transport()
        made: Any = config.http_protocol_class
        protocol = made(config, ServerState(), {}, asyncio.get_running_loop())
        protocol.connection_made(transport)
        for part in parts:
            protocol.data_received(part)
        await looked()
        await looked()
        await looked()
        closed = transport.closed
        protocol.connection_lost(None)
        transport.closed = closed
        return transport

    return asyncio.run(main())


@pytest.mark.parametrize("parts", [[], [b"PO"], [HEAD], [HEAD, b"\r\n{"]])
def test_a_request_that_does_not_arrive_loses_its_connection(parts: list[bytes]) -> None:
    assert talk(*parts).closed
    assert not talk(*parts, seconds=60.0).closed


def test_a_request_that_arrived_is_answered_however_long_it_takes() -> None:
    answered = talk(HEAD, b"\r\n", b"{}")
    assert b"200 OK" in answered.written
    assert b"done" in answered.written


def test_half_a_request_after_a_whole_one_is_no_better() -> None:
    assert talk(REQUEST + HEAD, b"\r\n").closed


@pytest.mark.parametrize(
    "request_",
    [
        b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: yyyyyyyy\r\n" * 10_000,
        b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 100_000,
        b"GET /" + b"y" * 100_000,
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -2\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    ],
)
def test_what_is_no_request_is_refused(request_: bytes) -> None:
    answered = talk(request_, seconds=60.0)
    assert answered.written.startswith(b"HTTP/1.1 400")
    assert answered.closed


def test_it_listens_to_this_machine_alone() -> None:
    with listen("127.0.0.1", 0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"
        listening.listen()
        with pytest.raises(OSError, match="choose another with --port"):
            listen("127.0.0.1", listening.getsockname()[1])


def test_an_answer_without_end_is_ended_before_it_is_cut_off(caplog: pytest.LogCaptureFixture) -> None:
    ended = threading.Event()
    content: list[bytes] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"begun", "more_body": True})
        server.should_exit = True
        while not ended.is_set():
            await asyncio.sleep(0.01)
        await send({"type": "http.response.body", "body": b", ended"})

    def ask() -> None:
        with socket.create_connection(listening.getsockname()) as client:
            client.sendall(REQUEST)
            while part := client.recv(1000):
                content.append(part)

    server = make_server(app, grace=1, end=ended.set)  # which is called at once
    server.config.timeout_graceful_shutdown = HANG
    with listen("127.0.0.1", 0) as listening:
        listening.listen()  # so that who asks waits for the server, however late that begins
        asking = threading.Thread(target=ask)
        asking.start()
        server.run(sockets=[listening])
        asking.join(HANG)
    assert ended.is_set()
    assert b"ended" in b"".join(content)
    assert b"".join(content).endswith(b"0\r\n\r\n")  # the last chunk: it is whole
    assert not caplog.records
