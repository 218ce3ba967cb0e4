"""A Chromium for each suite that opens pages, and a watched page that fails its test."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

import chromium as chromium_finder
from harness.bench_hosts import BenchHost
from harness.watched_page import WatchedPage, launch

__all__ = ["browser", "pytest_pyfunc_call"]

RESULTS = Path(__file__).resolve().parents[2] / "test-results"
# A state is waited for until it comes: how long a busy machine takes is not what is tested.
expect.set_options(timeout=30_000)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Fail a test whose page had problems, and keep what the page showed when a test fails."""
    host = pyfuncitem.funcargs.get("host")
    watch = host.watched if isinstance(host, BenchHost) else pyfuncitem.funcargs.get("watch")
    if not isinstance(watch, WatchedPage):
        return (yield)
    try:
        outcome = yield
        if problems := watch.problems():
            pytest.fail("The page had problems:\n" + "\n".join(problems), pytrace=False)
    except (Exception, pytest.fail.Exception):
        watch.save(RESULTS / re.sub(r"[^\w.-]+", "-", pyfuncitem.nodeid))
        raise
    return outcome


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One headless Chromium for this suite.

    Not for the session: Playwright keeps an event loop running in this thread while it lives, and
    tests of other suites start one of their own.
    """
    executable = chromium_finder.find()
    if executable is None:
        pytest.fail("No Chromium found. `make test` installs one.", pytrace=False)
    with sync_playwright() as playwright, launch(playwright, executable) as launched:
        yield launched
