"""A browser page that reaches 127.0.0.1 only and remembers everything that went wrong in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, Request

from harness.isolation import owners_cookie

LOCAL_HOSTS = {"127.0.0.1", "localhost"}
LOCAL_SCHEMES = {"about", "blob", "data", "devtools", "file"}
TRACED = bool(os.environ.get("BIASLAB_TRACE"))
"""Whether each page keeps a trace. Its snapshots take a tenth of what the tests compute."""
STILL: dict[str, Any] = {"reduced_motion": "reduce"}
"""Of a page with Python behind it: what moves while one waits is drawn 60 times a second, and
looked at on the stage."""
CHROMIUM_ARGUMENTS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Nothing leaves the machine, be it asked for by the page, a worker or a prefetch.
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
    """A page in a fresh context, with its requests to other machines recorded.

    They fail in the browser itself (`launch`). Stopping them here, one by one, would bring every
    request of the page to Python and switch the browser's cache off.

    Parameters
    ----------
    browser : playwright.sync_api.Browser
        Where the context is opened; one of `launch`.
    **context_options
        Passed on to ``browser.new_context``.

    Attributes
    ----------
    page : playwright.sync_api.Page
        The page itself.
    outside : list of str
        Requests that would have left the machine.
    errors : list of str
        Console errors and uncaught exceptions.
    """

    def __init__(self, browser: Browser, **context_options: Any) -> None:
        self.outside: list[str] = []
        self.errors: list[str] = []
        self._allowed: list[re.Pattern[str]] = []
        # A service worker's requests are not told.
        self.context = browser.new_context(service_workers="block", **context_options)
        name, value = "biaslab-person", owners_cookie()
        self.context.add_cookies(
            [{"name": name, "value": value, "domain": "127.0.0.1", "path": "/"}]
        )
        self.context.on("request", self._on_request)
        self.context.on("console", self._on_console)
        self.context.on("weberror", lambda error: self.errors.append(f"uncaught: {error.error}"))
        if TRACED:
            self.context.tracing.start(snapshots=True)
        self.page: Page = self.context.new_page()
        self.page.on("websocket", lambda socket: self._check(socket.url))

    def begin(self) -> None:
        """Forget what went wrong so far, and begin a trace: for a page that several tests share."""
        self.outside.clear()
        self.errors.clear()
        self._allowed.clear()
        if TRACED:
            self.context.tracing.start_chunk()

    def end(self) -> None:
        """Drop the trace of a test that went well."""
        if TRACED:
            self.context.tracing.stop_chunk()

    def allow(self, pattern: str) -> None:
        """Expect console errors that match the pattern: a test of an error state causes some."""
        self._allowed.append(re.compile(pattern))

    def problems(self) -> list[str]:
        """Everything that must not have happened; empty when all is well."""
        unexpected = [e for e in self.errors if not any(p.search(e) for p in self._allowed)]
        return [f"request to another machine: {url}" for url in self.outside] + unexpected

    def save(self, folder: Path) -> None:
        """Leave in a folder what the page showed: picture, document, problems, and any trace.

        ``BIASLAB_TRACE=1 make test`` keeps traces, for `playwright show-trace`.
        """
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "problems.txt").write_text("\n".join(self.problems() + self.errors) + "\n")
        self.page.screenshot(path=folder / "screenshot.png", full_page=True)
        (folder / "page.html").write_text(self.page.content())
        if TRACED:
            self.context.tracing.stop_chunk(path=folder / "trace.zip")
            # So that a shared page can go on.
            self.context.tracing.start_chunk()

    def close(self) -> None:
        """Close the page and its context."""
        self.context.close()

    def _on_request(self, request: Request) -> None:
        self._check(request.url)

    def _check(self, url: str) -> None:
        if not is_local(url):
            self.outside.append(url)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            where = message.location.get("url", "")
            self.errors.append(f"console error: {message.text} ({where})")
