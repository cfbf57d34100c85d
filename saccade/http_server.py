"""How our servers listen, and what they stand: the socket and the settings of uvicorn that both share.

    listening = listen("127.0.0.1", 0)
    serve(app, listening)                   # an ASGI application, until Ctrl-C

A request has to arrive whole within `REQUEST_SECONDS`, or its connection is closed: a client that sends a
byte now and then (slowloris), or says a length and sends less, keeps nothing open. Headers have at most 64 kB
(h11 sees to that; httptools has no bound, so it is not used). Nobody is believed who says for whom he asks
(X-Forwarded-For), and there are no web sockets.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from uvicorn import Server
    from uvicorn.protocols.http.h11_impl import H11Protocol

#: From the first byte of a request, or from the opening of a connection, to the last one.
REQUEST_SECONDS: Final = 30.0


def listen(host: str, port: int) -> socket.socket:
    """A socket at this address; port 0 takes a free one."""
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise OSError(
            f"cannot listen on {host}, port {port}: {error.strerror or error}; choose another with --port"
        ) from None
    return listening


def serve(
    app: Any, listening: socket.socket, grace: int = 1, end: Callable[[], object] | None = None
) -> None:
    """Answer until a signal comes; `grace`: seconds for answers that are under way then. end: ends those that
    take longer; it is called a second before they are cut off."""
    make_server(app, grace, end=end).run(sockets=[listening])


def make_server(
    app: Any,
    grace: int = 1,
    request_seconds: float = REQUEST_SECONDS,
    end: Callable[[], object] | None = None,
) -> Server:
    """uvicorn, with our bounds."""
    import uvicorn

    class Ending(uvicorn.Server):  # type: ignore[misc]  # of a library whose types are not read
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            if end is not None:  # in a thread: it may wait for a step of a model
                loop = asyncio.get_running_loop()
                loop.call_later(max(grace - 1, 0), loop.run_in_executor, None, end)
            await super().shutdown(sockets)

    config = uvicorn.Config(
        app, http=_bounded(request_seconds), ws="none", log_level="error", access_log=False,
        server_header=False, proxy_headers=False, timeout_graceful_shutdown=grace,
    )  # fmt: skip
    return Ending(config)


def _bounded(request_seconds: float) -> type[H11Protocol]:
    """uvicorn's HTTP, for requests that arrive in time."""
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Bounded(H11Protocol):  # type: ignore[misc]  # of a library whose types are not read
        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            self._watch()

        def handle_events(self) -> None:
            super().handle_events()
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._forget()
            super().connection_lost(exc)

        def _watch(self) -> None:
            if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
                self._forget()
            elif self._late is None:
                self._late = self.loop.call_later(request_seconds, self.transport.close)

        def _forget(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

    return Bounded
