"""Serve the app on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import panel as pn

from biaslab_widgets.app.assets import FOLDERS
from biaslab_widgets.app.frames import FRAMES
from biaslab_widgets.app.handlers import NotFoundHandler
from biaslab_widgets.app.reopening import reopen, settings_of
from biaslab_widgets.app.routes import routes
from biaslab_widgets.app.shared import Given, Shared
from biaslab_widgets.app.shell import shell, template
from biaslab_widgets.app.site import Site
from biaslab_widgets.app.visitors import COOKIE
from biaslab_widgets.benches import BENCHES, BenchEntry
from biaslab_widgets.hosts.nodelay import send_bokeh_at_once

LINGER_S = 10
"""A person whose connection is lost comes back in this time, or their jobs are cancelled.

The browser tries again after 0, 2 and 6 seconds.
"""
LOOK_S = 1
LOCAL = ("127.0.0.1", "localhost", "::1")
"""Addresses that only this machine reaches."""


def serve(
    subjects: Given | Iterable[Given] | None = None,
    *,
    port: int = 5006,
    address: str = "127.0.0.1",
    open_browser: bool = False,
    allow_hub: bool = False,
    **options: Any,
) -> None:
    """Serve the lab; blocks until interrupted.

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
    allow_hub : bool
        Whether the page of subjects may fetch models from the hub.
    **options
        Passed on to ``panel.serve``.
    """
    send_bokeh_at_once()
    pn.config.reconnect = True
    lingering = {
        "unused_session_lifetime_milliseconds": 1000 * LINGER_S,
        "check_unused_sessions_milliseconds": 1000 * LOOK_S,
    }
    site = Site(Shared.of(subjects), local=address in LOCAL, hub=allow_hub)
    site.subjects.begin()
    folders = {name: str(folder) for name, folder in FOLDERS.items()}
    server = pn.serve(
        {entry.slug: page_maker(entry, site) for entry in BENCHES},
        port=port,
        address=address,
        allow_websocket_origin=[f"{address}:{port}", f"localhost:{port}"] if port else None,
        show=open_browser,
        static_dirs={**folders, **options.pop("static_dirs", {})},
        title={e.slug: f"{e.title} · biaslab" for e in BENCHES},
        extra_patterns=routes(site),
        start=False,
        **lingering | options,
    )
    server._tornado.settings["default_handler_class"] = NotFoundHandler
    server.start()
    server.io_loop.start()


def page_maker(entry: BenchEntry, site: Site) -> Callable[[], pn.Template]:
    """A function that makes one session's page of a bench; Panel takes plain functions only."""

    def page() -> pn.Template:
        page = pn.Template(template("bench.html"))
        page.add_variable("shell", shell(entry.slug, site.counts()))
        address = pn.state.session_args
        bench = entry.panel_class.on_page(site.shared)
        bench.controller.know(site.subjects.infos())
        first = settings_of(bench)
        page.add_variable("reopened", reopen(bench, entry, site.store, address))
        page.add_variable("inputs", {"first": first, "now": settings_of(bench)})
        bench.controller.jobs.title = entry.title
        bench.controller.jobs.owner = pn.state.cookies.get(COOKIE, "")
        choose_subject(bench, pn.state.session_args.get("subject", []))
        frame = FRAMES[entry.name]
        page.add_variable("frame", frame)
        page.add_variable("question", frame.question(bench.controller.snapshot()))
        page.add_panel("bench", bench)
        return page

    return page


def choose_subject(bench: Any, asked: Sequence[bytes]) -> None:
    """Choose the subject that the page's address names, where the app knows it.

    Of one that does not fit, the bench says why.
    """
    name = asked[-1].decode("utf-8", "replace") if asked else ""
    if name not in bench.controller.known:
        return
    inputs = {field.name for field in bench.component.inputs}
    for choice, value in (("subject", name), ("models", [name]), ("service", name)):
        if choice in inputs:
            setattr(bench, choice, value)
            return
