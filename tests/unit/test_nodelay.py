"""Small messages are not held back (TCP_NODELAY) in Bokeh's server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from biaslab_widgets.hosts import nodelay
from harness import socket_report


@contextmanager
def _bokeh_server() -> Iterator[str]:
    """A Bokeh server with an empty document, on a thread with an event loop of its own."""
    from bokeh.application import Application
    from bokeh.application.handlers.function import FunctionHandler
    from bokeh.server.server import Server as BokehServer

    started: list[tuple[BokehServer, asyncio.AbstractEventLoop]] = []
    ready = threading.Event()

    async def serve() -> None:
        application = Application(FunctionHandler(lambda document: None))
        server = BokehServer({"/": application}, port=0, address="127.0.0.1")
        server.start()
        done = asyncio.Event()
        started.append((server, asyncio.get_running_loop()))
        finish.append(done)
        ready.set()
        await done.wait()
        server.stop()

    finish: list[asyncio.Event] = []
    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert ready.wait(timeout=30)
    server, loop = started[0]
    try:
        yield f"http://127.0.0.1:{server.port}/"
    finally:
        loop.call_soon_threadsafe(finish[0].set)
        thread.join(timeout=30)


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> type[Any]:
    """Bokeh's handler of websockets, without the change that another test's app may have made."""
    from bokeh.server.views.ws import WSHandler

    monkeypatch.setattr(WSHandler, "open", getattr(WSHandler.open, "__wrapped__", WSHandler.open))
    return WSHandler


@pytest.mark.parametrize("changed", [True, False])
def test_bokeh_websockets_send_at_once_when_the_app_asks_for_it(
    handler: type[Any], changed: bool
) -> None:
    from bokeh.client import pull_session

    if changed:
        nodelay.send_bokeh_at_once()
    with _bokeh_server() as url:
        session = pull_session(url=url)
        assert socket_report.no_delay(handler) == [changed]
        session.close()


def test_asking_twice_wraps_once(handler: type[Any]) -> None:
    nodelay.send_bokeh_at_once()
    once = handler.open
    nodelay.send_bokeh_at_once()
    assert handler.open is once
