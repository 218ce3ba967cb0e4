"""A browser page that reaches 127.0.0.1 only and remembers everything that went wrong in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, Route

LOCAL_HOSTS = {"127.0.0.1", "localhost"}
LOCAL_SCHEMES = {"about", "blob", "data", "devtools"}
CHROMIUM_ARGUMENTS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Blocks what request interception does not see (workers, prefetching), at the name resolver.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


def is_local(url: str) -> bool:
    """Whether a request for the address stays on this machine."""
    parts = urlsplit(url)
    return parts.scheme in LOCAL_SCHEMES or parts.hostname in LOCAL_HOSTS


@contextmanager
def launch(playwright: Playwright, executable: Path) -> Iterator[Browser]:
    """A headless Chromium with an empty profile of its own."""
    browser = playwright.chromium.launch(
        executable_path=executable, headless=True, chromium_sandbox=False, args=CHROMIUM_ARGUMENTS
    )
    try:
        yield browser
    finally:
        browser.close()


class WatchedPage:
    """A page in a fresh context, with its requests to other machines stopped and recorded.

    Parameters
    ----------
    browser : playwright.sync_api.Browser
        Where the context is opened.
    trace : bool
        Whether to record a trace, which `save` needs.
    **context_options
        Passed on to ``browser.new_context``.

    Attributes
    ----------
    page : playwright.sync_api.Page
        The page itself.
    outside : list of str
        Requests that would have left the machine; they were aborted.
    errors : list of str
        Console errors and uncaught exceptions.
    """

    def __init__(self, browser: Browser, *, trace: bool = True, **context_options: Any) -> None:
        self.outside: list[str] = []
        self.errors: list[str] = []
        self._allowed: list[re.Pattern[str]] = []
        # A service worker's requests cannot be intercepted.
        self.context = browser.new_context(service_workers="block", **context_options)
        self.context.route(lambda url: not is_local(url), self._stop)
        self.context.on("console", self._on_console)
        self.context.on("weberror", lambda error: self.errors.append(f"uncaught: {error.error}"))
        if trace:  # taking snapshots costs time, which a measurement must not have in it
            # A film beside the snapshots would double the time that a test takes.
            self.context.tracing.start(snapshots=True)
        self.page: Page = self.context.new_page()
        self.page.on("websocket", lambda socket: self._check(socket.url))

    def begin(self) -> None:
        """Forget what went wrong so far, and begin a trace: for a page that several tests share."""
        self.outside.clear()
        self.errors.clear()
        self._allowed.clear()
        self.context.tracing.start_chunk()

    def end(self) -> None:
        """Drop the trace of a test that went well."""
        self.context.tracing.stop_chunk()

    def allow(self, pattern: str) -> None:
        """Expect console errors that match the pattern: a test of an error state causes some."""
        self._allowed.append(re.compile(pattern))

    def problems(self) -> list[str]:
        """Everything that must not have happened; empty when all is well."""
        unexpected = [e for e in self.errors if not any(p.search(e) for p in self._allowed)]
        return [f"request to another machine: {url}" for url in self.outside] + unexpected

    def save(self, folder: Path) -> None:
        """Leave a screenshot, a trace (`playwright show-trace`) and the problems in a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "problems.txt").write_text("\n".join(self.problems() + self.errors) + "\n")
        self.page.screenshot(path=folder / "screenshot.png", full_page=True)
        self.context.tracing.stop_chunk(path=folder / "trace.zip")
        # So that a shared page can go on.
        self.context.tracing.start_chunk()

    def close(self) -> None:
        """Close the page and its context."""
        self.context.close()

    def _stop(self, route: Route) -> None:
        self.outside.append(route.request.url)
        route.abort()

    def _check(self, url: str) -> None:
        if not is_local(url):
            self.outside.append(url)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            where = message.location.get("url", "")
            self.errors.append(f"console error: {message.text} ({where})")
