"""Several processes that serve the app at one address.

Python computes one thing at a time, so that one process uses one core. A page and all that it
asks later have to reach the same process, which holds the session. The first process takes
connections, reads the cookie `COOKIE` from the beginning of the first request without taking it
away, and hands the connection itself to the process that the cookie names: nothing passes
through it afterwards.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import re
import signal
import socket
import sys
import tempfile
from asyncio.subprocess import Process
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import OutputTransform

from biaslab.errors import BiaslabError
from biaslab_widgets.app.security.logs import keep_log_clean, keep_log_short

logger = logging.getLogger("biaslab")

COOKIE = "biaslab-process"
PLACE = "BIASLAB_SERVING_PROCESS"
"""Environment variable of a serving process: its number, and the descriptor of its channel."""
READY = b"r"
LONGEST_HEAD = 16_384
HEAD_S = 10.0
"""A connection that has not sent the head of a request by then is closed."""
MOST_WAITING = 500
"""Connections that have not sent a head yet; another is closed."""
BETWEEN_S = 0.01
EARLY_S = 10.0
"""A process that ends sooner than this after its start is not started again."""
_COOKIE = re.compile(rb"(?im)^cookie:[^\r\n]*?\bbiaslab-process=(\d{1,3})\b")


@dataclass
class Place:
    """One of the processes: what was started, and the channel that connections go through."""

    process: Process
    channel: socket.socket
    begun: float


def serve_in(
    count: int, arguments: Sequence[str], address: str, port: int, serving: Callable[[int], object]
) -> int:
    """Serve in several processes until interrupted; return the exit status.

    - `count`: processes, 2 or more.
    - `arguments`: of ``biaslab serve`` in each, but for its port.
    - `address`: address to listen on.
    - `port`: port; 0 takes a free one.
    - `serving`: called with the port once all processes serve.
    - Raises `BiaslabError` where the system cannot hand over connections; `OSError` if the address
      cannot be used.
    """
    if not hasattr(socket, "send_fds"):
        raise BiaslabError("This system cannot serve in several processes. Leave --num-procs out.")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.create_server((address, port), family=family, backlog=256) as listener:
        return asyncio.run(_Served(count, arguments, listener, serving).run())


class _Served:
    def __init__(
        self,
        count: int,
        arguments: Sequence[str],
        listener: socket.socket,
        serving: Callable[[int], object],
    ) -> None:
        self._count, self._listener, self._serving = count, listener, serving
        self._port = int(listener.getsockname()[1])
        self._arguments = [*arguments, "--port", str(self._port), "--no-open"]
        self._places: dict[int, Place] = {}
        self._turn = itertools.cycle(range(count))
        self._tasks: set[asyncio.Task[None]] = set()
        self._over = asyncio.Event()
        self._status = 0

    async def run(self) -> int:
        keep_log_clean()
        keep_log_short()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._over.set)
        self._listener.setblocking(False)
        try:
            ready = asyncio.gather(*(self._start(number) for number in range(self._count)))
            await self._unless_over(ready)
            if not self._over.is_set():
                self._serving(self._port)
                await self._unless_over(asyncio.ensure_future(self._accept()))
        finally:
            await self._end()
        return self._status

    async def _unless_over(self, work: asyncio.Future[Any]) -> None:
        over: asyncio.Future[Any] = asyncio.ensure_future(self._over.wait())
        await asyncio.wait({work, over}, return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await work

    async def _start(self, number: int) -> None:
        """Start a process, and wait until it serves."""
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", "from biaslab.cli import main; raise SystemExit(main())"),
                *self._arguments,
                env={**os.environ, PLACE: f"{number}:{theirs.fileno()}"},
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # an interrupt is passed on from here
            )
        ours.setblocking(False)
        place = Place(process, ours, loop.time())
        self._watch(self._ended(number, place))
        with contextlib.suppress(OSError):
            if await loop.sock_recv(ours, 1) == READY:
                self._places[number] = place

    async def _ended(self, number: int, place: Place) -> None:
        """Start a process again that has ended, unless it ended at once."""
        status = await place.process.wait()
        self._places.pop(number, None)
        place.channel.close()
        if self._over.is_set():
            return
        if asyncio.get_running_loop().time() - place.begun < EARLY_S:
            self._status = status or 1
            self._over.set()
            return
        logger.warning("Process %d ended with status %s; it starts again.", number, status)
        await self._start(number)

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(self._listener)
            except OSError:  # no file is left: those that are open end within `HEAD_S`
                logger.warning("A connection could not be accepted: too many are open.")
                await asyncio.sleep(BETWEEN_S)
                continue
            if len(self._tasks) >= MOST_WAITING:
                connection.close()
                logger.warning("A connection was refused: too many have sent no request.")
                continue
            self._watch(self._place(connection))

    async def _place(self, connection: socket.socket) -> None:
        """Hand a connection to the process that its first request names, or to the next one."""
        with connection:
            head = await _head_of(connection)
            if not head or not self._places:
                return
            named = _COOKIE.search(head)
            number = int(named[1]) if named else -1
            while number not in self._places:
                number = next(self._turn)
            with contextlib.suppress(OSError):  # it has just ended: the browser tries again
                socket.send_fds(self._places[number].channel, [b"c"], [connection.fileno()])

    def _watch(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _end(self) -> None:
        self._over.set()
        for place in list(self._places.values()):
            with contextlib.suppress(ProcessLookupError):
                place.process.terminate()
        for place in list(self._places.values()):
            try:
                await asyncio.wait_for(place.process.wait(), HEAD_S)
            except TimeoutError:
                place.process.kill()


async def _head_of(connection: socket.socket) -> bytes:
    """The head of a connection's first request, left where it is; empty where none comes."""
    loop = asyncio.get_running_loop()
    connection.setblocking(False)
    end = loop.time() + HEAD_S
    while loop.time() < end:
        try:
            head = connection.recv(LONGEST_HEAD, socket.MSG_PEEK)
        except BlockingIOError:
            head = None
        except OSError:
            return b""
        if head is not None and (not head or b"\r\n\r\n" in head or len(head) == LONGEST_HEAD):
            return head
        await asyncio.sleep(BETWEEN_S)
    return b""


@dataclass(frozen=True)
class OwnPlace:
    """Which of the processes this one is, and where its connections come from."""

    number: int
    channel: socket.socket

    @classmethod
    def of_environment(cls) -> OwnPlace | None:
        """The place that this process was started for; None where it serves alone."""
        number, _, descriptor = os.environ.pop(PLACE, "").partition(":")
        if not descriptor:
            return None
        return cls(int(number), socket.socket(fileno=int(descriptor)))

    def server_options(self) -> dict[str, Any]:
        """Options of Panel's server: it listens nowhere that others reach."""
        folder = Path(tempfile.mkdtemp(prefix="biaslab-serving-"))  # this user's only
        return {"unix_socket": str(folder / "unused"), "port": 0, "verbose": False}

    def join(self, server: Any) -> None:
        """Take the connections that are handed over, and remember whose pages are here."""
        number = self.number

        class Remember(OutputTransform):
            """Sets the cookie that leads a browser back to this process."""

            def __init__(self, request: HTTPServerRequest) -> None:
                cookie = request.cookies
                self._known = COOKIE in cookie and cookie[COOKIE].value == str(number)

            def transform_first_chunk(
                self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
            ) -> tuple[int, HTTPHeaders, bytes]:
                del finishing
                if not self._known:
                    headers.add("Set-Cookie", f"{COOKIE}={number}; Path=/; HttpOnly; SameSite=Lax")
                return status_code, headers, chunk

        server._tornado.add_transform(Remember)
        loop = server.io_loop.asyncio_loop

        def take() -> None:
            data, descriptors, _, _ = socket.recv_fds(self.channel, 1, 1)
            if not data:  # the process that takes connections is gone
                server.io_loop.stop()
            for descriptor in descriptors:
                connection = socket.socket(fileno=descriptor)
                connection.setblocking(False)
                server._http._handle_connection(connection, connection.getpeername())

        loop.add_reader(self.channel, take)
        self.channel.sendall(READY)
