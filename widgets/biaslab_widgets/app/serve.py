"""Serve the app on this machine."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import panel as pn

from biaslab_widgets.app.shared import Given, Shared
from biaslab_widgets.benches import BENCHES, BenchEntry
from biaslab_widgets.hosts.bundle import font
from biaslab_widgets.hosts.nodelay import send_bokeh_at_once

LINGER_S = 10
"""A person whose connection is lost comes back in this time, or their jobs are cancelled.

The browser tries again after 0, 2 and 6 seconds.
"""
LOOK_S = 1
TEMPLATE = (Path(__file__).parent / "page.html").read_text(encoding="utf-8")
FONTS = "fonts"
"""Where the app serves the folder of its font, below the server's root."""


def serve(
    subjects: Given | Iterable[Given] | None = None,
    *,
    port: int = 5006,
    address: str = "127.0.0.1",
    open_browser: bool = False,
    **options: Any,
) -> Any:
    """Serve all benches; blocks until interrupted.

    Parameters
    ----------
    subjects : subject, name or several of them, optional
        What can be probed; default all bundled ones. Each is loaded once and shared by all
        sessions.
    port : int
        Port; 0 takes a free one.
    address : str
        Address to listen on. Anything but 127.0.0.1 lets others in: there is no password.
    open_browser : bool
        Whether to open a browser window.
    **options
        Passed on to ``panel.serve``.
    """
    send_bokeh_at_once()
    pn.config.reconnect = True
    lingering = {
        "unused_session_lifetime_milliseconds": 1000 * LINGER_S,
        "check_unused_sessions_milliseconds": 1000 * LOOK_S,
    }
    shared = Shared.of(subjects)
    pages = {entry.slug: page_maker(entry, shared) for entry in BENCHES}
    return pn.serve(
        {"": pages[BENCHES[0].slug], **pages},
        port=port,
        address=address,
        allow_websocket_origin=[f"{address}:{port}", f"localhost:{port}"] if port else None,
        show=open_browser,
        static_dirs={FONTS: str(font().parent), **options.pop("static_dirs", {})},
        title={"": "biaslab", **{e.slug: f"{e.title} · biaslab" for e in BENCHES}},
        **lingering | options,
    )


def font_address() -> str:
    """Address of the app's font, of its content: a browser keeps it until there is another."""
    version = hashlib.sha256(font().read_bytes()).hexdigest()[:8]
    return f"{FONTS}/{font().name}?v={version}"


def page_maker(entry: BenchEntry, shared: Shared) -> Callable[[], pn.Template]:
    """A function that makes one session's page of a bench; Panel takes plain functions only."""
    address_of_font = font_address()

    def page() -> pn.Template:
        template = pn.Template(TEMPLATE)
        template.add_variable("benches", BENCHES)
        template.add_variable("current", entry)
        template.add_variable("font", address_of_font)
        template.add_variable("machine", f"CPU, {os.cpu_count()} cores")
        bench = entry.panel_class.on_page(shared, pn.state.session_args)
        template.add_panel("bench", bench)
        return template

    return page
