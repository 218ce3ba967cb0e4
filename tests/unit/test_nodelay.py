"""Small messages are not held back (TCP_NODELAY), in Jupyter's server and in Bokeh's."""

from __future__ import annotations

import asyncio
import json
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from biaslab_widgets.hosts import nodelay
from harness import socket_report
from harness.jupyter_lab import TOKEN, JupyterLab

TESTS = Path(__file__).resolve().parents[1]


def _post(url: str) -> dict[str, str]:
    request = urllib.request.Request(
        url, method="POST", data=b"{}", headers={"Authorization": f"token {TOKEN}"}
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        answer: dict[str, str] = json.loads(response.read())
    return answer


def _kernel_sockets(lab: JupyterLab) -> list[bool]:
    """Connect to a fresh kernel as a front end does, and ask the server about its sockets."""
    from tornado.httpclient import HTTPRequest
    from tornado.websocket import websocket_connect

    kernel = _post(f"{lab.url}/api/kernels")["id"]

    async def report() -> list[bool]:
        channel = f"{lab.url}/api/kernels/{kernel}/channels?session_id=1&token={TOKEN}"
        connection = await websocket_connect(HTTPRequest(channel.replace("http", "ws", 1)))
        try:
            # The kernel's first message shows that the websocket is through its handshake.
            await connection.read_message()
            return await asyncio.to_thread(fetch)
        finally:
            connection.close()

    def fetch() -> list[bool]:
        with urllib.request.urlopen(lab.url + socket_report.PATH, timeout=30) as response:
            sockets: list[bool] = json.loads(response.read())
        return sockets

    return asyncio.run(report())


@pytest.mark.parametrize(
    ("installed", "expected"),
    [
        ("as installed", True),
        pytest.param("disabled", False, marks=pytest.mark.validate),
    ],
)
def test_kernel_websockets_send_at_once_because_of_the_installed_extension(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: str, expected: bool
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    extensions = {"harness.socket_report": True}
    if installed == "disabled":
        extensions["biaslab_widgets.hosts.nodelay"] = False
    with JupyterLab(tmp_path, [f"--ServerApp.jpserver_extensions={extensions}"]) as lab:
        assert _kernel_sockets(lab) == [expected]


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
