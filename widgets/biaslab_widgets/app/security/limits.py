"""Limits of every connection: how many there are, how long they may take, what they may hold.

What a request holds is known before its body is read. Pages and answers are made in the server's
one thread: people take turns, and after each the thread is free for the others as long as it took.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from tornado.httpserver import HTTPServer
from tornado.httputil import (
    HTTPHeaders,
    HTTPMessageDelegate,
    HTTPServerRequest,
    RequestStartLine,
    ResponseStartLine,
)
from tornado.web import Application, RequestHandler, StaticFileHandler, stream_request_body
from tornado.websocket import WebSocketHandler

from biaslab.errors import MemoryBudgetError
from biaslab.jobs.memory import MEMORY, Held
from biaslab.jobs.workers import FairQueue
from biaslab_widgets.app.security.gate import NEW, OPEN, InTheNameOf, TurnedAway

logger = logging.getLogger("biaslab")

HEAD_S: Final = 20.0
"""A connection that has sent no head of a request for so long is closed, an idle one too."""
BODY_S: Final = 60.0
"""A body has to arrive in this time."""
UNREAD_S: Final = 300
"""A connection whose other end takes nothing of what was sent for so long is closed."""
MOST_CONNECTIONS: Final = 4096
PER_ADDRESS: Final = 512
"""Connections of one address; a class may share one. A proxy on this machine has no such limit."""
OTHER_FILES: Final = 256
"""Files that the server may need besides connections."""
STRANGERS_BODY: Final = 16 * 2**10
"""Bytes of the body of a request before anybody has signed in."""
BODY: Final = 2 * 2**20
"""The same of other requests; handlers that take more name ``largest_body``."""
MOST_OF_ONE: Final = 32
"""Requests of one person that wait; a browser that starts again opens all its tabs."""
MOST_OF_NEW: Final = 64
"""The same of browsers without a cookie at one address, such as a class that begins."""
PAGE_BYTES: Final = 1_000_000
"""Memory that an open page is counted with."""
_LOCAL: Final = ("127.", "::1", "::ffff:127.")


class Connections:
    """Counts the open connections of a server, and closes those over the limits at once.

    - `http`: whose connections come here from now on.
    - `most`, `per_address`: connections in all, by default below the limit of open files, and of
      one address; None for no limit of its own.
    """

    def __init__(
        self, http: HTTPServer, most: int | None = None, per_address: int | None = PER_ADDRESS
    ) -> None:
        self._most = most or min(MOST_CONNECTIONS, open_files() - OTHER_FILES)
        self._per_address = self._most
        if per_address is not None:
            self._per_address = min(per_address, max(self._most // 2, 1))
        self._open: Counter[str] = Counter()
        self._serve = http.handle_stream
        http.handle_stream = self.take  # type: ignore[method-assign]
        http.conn_params.header_timeout, http.conn_params.body_timeout = HEAD_S, BODY_S

    def take(self, stream: Any, address: Any) -> Any:
        """Serve a connection, or close it."""
        host = str(address[0]) if isinstance(address, tuple) else ""
        is_near = not host or host.startswith(_LOCAL)
        if self._open.total() >= self._most or (
            not is_near and self._open[host] >= self._per_address
        ):
            logger.warning("A connection was refused: too many are open.")
            stream.close()
            return None
        self._open[host] += 1
        close = stream.close_fd

        def closed() -> None:
            self._open[host] -= 1
            close()

        stream.close_fd = closed
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            with suppress(OSError):  # a connection over a socket of this machine
                stream.socket.setsockopt(
                    socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * UNREAD_S
                )
        return self._serve(stream, address)


def open_files() -> int:
    """Return how many files this process may open, after raising that as far as is useful."""
    try:
        import resource
    except ImportError:  # on Windows
        return 2 * OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + OTHER_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return wanted
    return max(soft, OTHER_FILES + 1)


ANSWERED_AT_ONCE: Final = (StaticFileHandler, WebSocketHandler)
"""Handlers whose requests wait for no turn: files, and connections that stay."""


class Requests:
    """Limits what requests hold, and lets people take turns.

    - `application`: whose requests come here from now on, before the gate.
    - `pages`: paths of the benches' pages, each of which begins a session.
    """

    def __init__(self, application: Application, pages: Collection[str] = ()) -> None:
        self._application, self._pages = application, frozenset(pages)
        self._turns = Turns()
        self._find = application.find_handler
        application.find_handler = self.find_handler  # type: ignore[method-assign]

    def find_handler(self, request: HTTPServerRequest, **options: Any) -> Any:
        """Return what answers a request, within its limits."""
        delegate: Any = self._find(request, **options)
        handler = getattr(delegate, "handler_class", None)
        user, largest, most = f"new at {request.remote_ip}", STRANGERS_BODY, MOST_OF_NEW
        takes_turn = False
        if isinstance(delegate, InTheNameOf):
            access = delegate.access
            takes_turn = not issubclass(handler or RequestHandler, ANSWERED_AT_ONCE)
            if access.is_owner or not hasattr(request, NEW):
                user, most = access.user, MOST_OF_ONE
                largest = getattr(handler, "largest_body", BODY)
        connection: Any = request.connection
        connection.set_max_body_size(largest)
        size = _body_size(request, largest)
        if size > STRANGERS_BODY:
            try:
                delegate = Counted(delegate, MEMORY.hold(min(size, largest), user))
            except MemoryBudgetError as error:
                return self._refused(request, HTTPStatus.SERVICE_UNAVAILABLE, str(error), NoRoom)
        if request.path in self._pages and MEMORY.free(user) < PAGE_BYTES:
            why = "There is no memory for another page. Close pages that you no longer need."
            return self._refused(request, HTTPStatus.SERVICE_UNAVAILABLE, why)
        if not takes_turn or request.path in OPEN:
            return delegate
        if self._turns.count(user) >= most:
            why = "You ask faster than can be answered. Wait a moment, then try again."
            return self._refused(request, HTTPStatus.TOO_MANY_REQUESTS, why)
        return InTurn(delegate, user, self._turns)

    def _refused(
        self,
        request: HTTPServerRequest,
        status: HTTPStatus,
        why: str,
        by: type[TurnedAway] = TurnedAway,
    ) -> Any:
        return self._application.get_handler_delegate(request, by, {"status": status, "why": why})


def _body_size(request: HTTPServerRequest, largest: int) -> int:
    """Return the bytes that the body of a request may have; nothing of it has been read."""
    length = request.headers.get("Content-Length", "")
    if length.isdecimal():
        return int(length[:18])
    return largest if "Transfer-Encoding" in request.headers else 0


@stream_request_body
class NoRoom(TurnedAway):
    """Refuses a request whose body finds no memory, and lets its body pass."""

    def data_received(self, chunk: bytes) -> None:
        """Keep nothing."""


class Passing(HTTPMessageDelegate):
    """Hands the parts of a request on."""

    def __init__(self, delegate: HTTPMessageDelegate) -> None:
        self._delegate = delegate

    def headers_received(
        self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders
    ) -> Awaitable[None] | None:
        """Hand on the head of the request."""
        return self._delegate.headers_received(start_line, headers)

    def data_received(self, chunk: bytes) -> Awaitable[None] | None:
        """Hand on a part of the body."""
        return self._delegate.data_received(chunk)

    def finish(self) -> None:
        """Let the handler answer."""
        self._delegate.finish()

    def on_connection_close(self) -> None:
        """Tell the handler that the person has left."""
        self._delegate.on_connection_close()


class Counted(Passing):
    """A request whose body is counted from its head on until it was handed over."""

    def __init__(self, delegate: HTTPMessageDelegate, held: Held) -> None:
        super().__init__(delegate)
        self._held = held

    def finish(self) -> None:
        """Let the handler answer."""
        super().finish()
        self._held.close()

    def on_connection_close(self) -> None:
        """Give the memory back: the rest does not come."""
        super().on_connection_close()
        self._held.close()


class InTurn(Passing):
    """A request that is answered when its person's turn has come."""

    def __init__(self, delegate: HTTPMessageDelegate, owner: str, turns: Turns) -> None:
        super().__init__(delegate)
        self._waiting = Waiting(owner, super().finish)
        self._turns = turns

    def finish(self) -> None:
        """Wait for the turn."""
        self._turns.add(self._waiting)

    def on_connection_close(self) -> None:
        """Answer nothing to a person who has left."""
        self._turns.remove(self._waiting)
        super().on_connection_close()


@dataclass(frozen=True, eq=False)
class Waiting:
    """A request that waits for its turn."""

    owner: str
    answer: Callable[[], None]


class Turns:
    """Answers one request after the other, each person's in turn, and leaves time in between."""

    def __init__(self) -> None:
        self._line: FairQueue[Waiting] = FairQueue()
        self._busy = False

    def count(self, owner: str) -> int:
        """Return how many requests of a person wait."""
        return self._line.count(owner)

    def add(self, request: Waiting) -> None:
        """Answer a request soon."""
        self._line.add(request)
        if not self._busy:
            self._next()

    def remove(self, request: Waiting) -> None:
        """Do not answer a request, if that has not begun."""
        self._line.remove(request)

    def _next(self) -> None:
        request = self._line.take(())
        self._busy = request is not None
        if request is not None:
            loop, begun = asyncio.get_running_loop(), time.perf_counter()
            try:
                request.answer()  # begins a task, whose first step holds the thread
            finally:
                loop.call_soon(self._answered, request.owner, begun)

    def _answered(self, owner: str, begun: float) -> None:
        self._line.ended(owner, ())
        asyncio.get_running_loop().call_later(time.perf_counter() - begun, self._next)
