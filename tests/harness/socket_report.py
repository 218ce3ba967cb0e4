"""A Jupyter server extension for tests: tells whether kernel websockets send without delay."""

from __future__ import annotations

import gc
import json
import socket
from typing import Any

PATH = "/biaslab-socket-report"


def no_delay(handler_class: type[Any]) -> list[bool]:
    """TCP_NODELAY of every open websocket of a handler class, in this process."""
    # Not `isinstance`, which asks also for what a weak proxy no longer holds.
    handlers = [h for h in gc.get_objects() if issubclass(type(h), handler_class)]
    streams = [h.ws_connection.stream for h in handlers if h.ws_connection]
    # A websocket that is closed has no stream, or one without a socket, until it is collected.
    sockets = [stream.socket for stream in streams if stream and stream.socket]
    return [bool(s.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)) for s in sockets]


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "harness.socket_report"}]


def _load_jupyter_server_extension(server: Any) -> None:
    from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
    from tornado.web import RequestHandler

    class Report(RequestHandler):
        def get(self) -> None:
            self.finish(json.dumps(no_delay(KernelWebsocketHandler)))

    server.web_app.add_handlers(".*$", [(PATH, Report)])
