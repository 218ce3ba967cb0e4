"""The place of a process among several that serve the app; see `several_processes`."""

from __future__ import annotations

import os
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import OutputTransform

from biaslab_widgets.app.several_processes import COOKIE, PLACE, READY


@dataclass(frozen=True)
class OwnPlace:
    """Which of the processes this one is, and where its connections come from.

    Attributes
    ----------
    number : int
    channel : socket
    """

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
