"""Private parts of other packages that biaslab uses: each is named here, and has to be there.

What each does for us is tried by the tests of the files that use it; this one says at once which
part an upgrade has taken away, and that no other one crept in.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path

import pytest

from harness.needs import needs

READS = ("biaslab", "widgets")

pytestmark = needs("panel")
ROOT = Path(__file__).resolve().parents[2]
PARTS = {
    "bokeh.server.server:Server._tornado": "app/serve.py, app/several_processes.py",
    "bokeh.server.server:Server._http": "app/serve.py, app/several_processes.py",
    "tornado.tcpserver:TCPServer._handle_connection": "app/several_processes.py",
    "bokeh.server.tornado:BokehTornado._applications": "app/pages/status.py",
    "bokeh.core.has_props:HasProps._property_values": "hosts/page_link.py",
    "bokeh.server.session:ServerSession._subscribed_connections": "hosts/page_link.py",
    "bokeh.server.connection:ServerConnection._socket": "hosts/page_link.py",
    "bokeh.protocol.message:Message._content_json": "hosts/page_link.py",
    "tornado.websocket:WebSocketProtocol13._compressor": "hosts/bokeh_socket.py",
    "tornado.websocket:WebSocketProtocol13._read_bytes": "hosts/bokeh_socket.py",
}
"""Private attributes that are read or set, and where."""
OVERRIDDEN = {
    "panel.reactive:Syncable._link_params": "hosts/panel.py",
    "panel.reactive:Syncable._linked_properties": "hosts/panel.py",
    "panel.reactive:Syncable._param_change": "hosts/panel.py",
    "panel.reactive:Syncable._process_param_change": "hosts/panel.py",
    "panel.reactive:Syncable._synced_params": "hosts/panel.py",
    "panel.viewable:Renderable._cleanup": "hosts/panel.py",
    "panel.viewable:Renderable._get_model": "hosts/panel.py",
    "panel.viewable:Layoutable._internal_callbacks": "hosts/panel.py",
    "panel.custom:AnyWidgetComponent._get_properties": "hosts/panel.py",
    "panel.auth:OAuthLoginHandler._redirect_uri": "app/security/oauth.py",
    "panel.auth:OAuthLoginHandler.get_authenticated_user": "app/security/oauth.py",
    "panel.io.server:WSHandler.on_message": "hosts/bokeh_socket.py",
    "bokeh.server.views.ws:WSHandler.write_lock": "hosts/bokeh_socket.py",
    "bokeh.server.views.ws:WSHandler.send_message": "hosts/bokeh_socket.py",
    "tornado.web:Application.find_handler": "app/security/gate.py, app/security/limits.py",
    "tornado.httpserver:HTTPServer.handle_stream": "app/security/limits.py",
    "tornado.httpserver:HTTPServer.conn_params": "app/security/limits.py",
    "tornado.http1connection:HTTP1Connection.set_max_body_size": "app/security/limits.py",
    "tornado.iostream:BaseIOStream.close_fd": "app/security/limits.py",
    "tornado.web:Application.transforms": "app/security/gate.py, app/security/foreign_pages.py",
}
"""Parts that are replaced, or called by those that replace them, and where."""


def has(part: str) -> bool:
    """Whether a class has an attribute, or it or one that it is made of sets it by itself."""
    module, _, rest = part.partition(":")
    name, _, attribute = rest.partition(".")
    found = getattr(importlib.import_module(module), name)
    return hasattr(found, attribute) or any(
        f"self.{attribute}" in inspect.getsource(one)
        for one in inspect.getmro(found)
        if one.__module__.partition(".")[0] in ("bokeh", "panel", "tornado")
    )


@pytest.mark.parametrize("part", [*PARTS, *OVERRIDDEN])
def test_a_private_part_is_there(part: str) -> None:
    users = {**PARTS, **OVERRIDDEN}[part]
    assert has(part), f"{part} is gone: {users} of biaslab_widgets need another way."


@pytest.mark.parametrize("part", [*PARTS, *OVERRIDDEN])
def test_it_would_be_missed_under_another_name(part: str) -> None:
    assert not has(f"{part}_renamed")


def private_uses() -> set[tuple[str, str]]:
    """Files of the served app and the private attributes of others that they use."""
    found = set()
    rooms = ROOT / "widgets" / "biaslab_widgets"
    for folder in ("app", "hosts"):
        for file in (rooms / folder).rglob("*.py"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            own = {
                node.attr
                for node in ast.walk(tree)
                if isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in ("self", "cls")
            }
            own |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
            for node in ast.walk(tree):
                if (
                    isinstance(node, ast.Attribute)
                    and node.attr.startswith("_")
                    and not node.attr.startswith("__")
                    and node.attr not in own
                ):
                    found.add((file.relative_to(rooms).as_posix(), node.attr))
    return found


OUR_OWN = {("app/security/logs.py", "_biaslab")}


def test_every_private_part_that_is_used_is_named_here() -> None:
    named = {
        (file.strip(), part.rpartition(".")[2])
        for part, files in PARTS.items()
        for file in files.split(",")
    }
    assert private_uses() - OUR_OWN == named
