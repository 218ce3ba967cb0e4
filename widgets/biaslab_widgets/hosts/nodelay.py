"""Websockets that send at once.

Nagle's algorithm holds back a small message until the last one is acknowledged, which adds tens of
milliseconds between a drag and its redraw. Jupyter's and Bokeh's servers leave it on. As a Jupyter
server extension, enabled by installation, this module turns it off for kernels; the served app
calls `send_bokeh_at_once`.
"""

from __future__ import annotations

import functools
from typing import Any

_MARK = "_biaslab_nodelay"


def send_at_once(handler: type[Any]) -> None:
    """Make every websocket that a handler class opens send without delay (TCP_NODELAY).

    Calling it again changes nothing.

    - `handler`: a subclass of ``tornado.websocket.WebSocketHandler``. Its ``open`` may be plain or
      async.
    """
    original = handler.open
    if getattr(original, _MARK, False):
        return

    @functools.wraps(original)
    def open_without_delay(self: Any, *args: Any, **kwargs: Any) -> Any:
        # There is no connection any more when the client left during the handshake.
        if self.ws_connection is not None:
            self.set_nodelay(True)
        return original(self, *args, **kwargs)

    setattr(open_without_delay, _MARK, True)
    handler.open = open_without_delay


def send_bokeh_at_once() -> None:
    """Make the websockets of Bokeh's server, and so of Panel's, send without delay."""
    from bokeh.server.views.ws import WSHandler

    send_at_once(WSHandler)


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    """Name the module that holds the server extension."""
    return [{"module": "biaslab_widgets.hosts.nodelay"}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Make the websockets to kernels send without delay; called by Jupyter's server."""
    from jupyter_server.services.kernels.websocket import KernelWebsocketHandler

    send_at_once(KernelWebsocketHandler)
    server.log.info("biaslab: websockets to kernels send without delay")
