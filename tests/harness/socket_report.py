"""A Jupyter server extension for a test: tells whether kernel websockets send without delay."""

from __future__ import annotations

import gc
import json
import socket
from typing import Any

PATH = "/biaslab-socket-report"


def no_delay(handler_class: type[Any]) -> list[bool]:
    """TCP_NODELAY of every open websocket of a handler class, in this process."""
    handlers = [h for h in gc.get_objects() if isinstance(h, handler_class) and h.ws_connection]
    sockets = [h.ws_connection.stream.socket for h in handlers]
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
