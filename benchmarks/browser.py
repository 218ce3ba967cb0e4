"""A real Chromium and pages in it, for measurements on the screen."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright

import chromium
from harness.watched_page import WatchedPage, launch

SIZE = (1280, 1000)
WINDOW = "a window of {} x {}".format(*SIZE)


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A headless Chromium that reaches 127.0.0.1 only."""
    executable = chromium.find()
    if executable is None:
        raise SystemExit("No Chromium found. `make bench` installs one.")
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
        launch(playwright, executable) as browser,
    ):
        os.environ["BIASLAB_HOME"] = folder  # what is measured is nobody's to keep
        yield browser


@contextmanager
def open_page(browser: Browser) -> Iterator[Page]:
    """A page with an empty cache; what goes wrong in it fails the measurement."""
    width, height = SIZE
    watched = WatchedPage(browser, viewport={"width": width, "height": height})
    try:
        yield watched.page
        if problems := watched.problems():
            raise SystemExit("The page had problems:\n" + "\n".join(problems))
    finally:
        watched.close()
