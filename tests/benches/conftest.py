"""Fixtures of the browser tests: both hosts, and a watched page that fails its test."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

import chromium as chromium_finder
from harness import hosts
from harness.bench_fixtures import serving
from harness.bench_hosts import BenchHost
from harness.jupyter_lab import JupyterLab
from harness.served_app import ServedApp
from harness.watched_page import WatchedPage, launch

RESULTS = Path(__file__).resolve().parents[2] / "test-results"
PAGE_FIXTURES = {"watch", "browser", "lab", "_lab_server", "app"}
# A state is waited for until it comes: how long a busy machine takes is not what is tested.
expect.set_options(timeout=30_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that open a page, and those of them that only `make validate` runs."""
    for item in items:
        if isinstance(item, pytest.Function) and not PAGE_FIXTURES.isdisjoint(item.fixturenames):
            item.add_marker(pytest.mark.browser)
            if hosts.is_for_validate(item):
                item.add_marker(pytest.mark.validate)


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
        if isinstance(host, BenchHost):
            host.forget()
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


@pytest.fixture
def watch(browser: Browser) -> Iterator[WatchedPage]:
    """A page that reaches only this machine, with what went wrong in it."""
    watched = WatchedPage(browser, viewport={"width": 1280, "height": 900})
    yield watched
    watched.close()


@pytest.fixture
def page(watch: WatchedPage) -> Page:
    """The watched page itself: its console errors and outside requests fail the test."""
    return watch.page


@pytest.fixture(scope="session")
def _lab_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterLab]:
    with JupyterLab(tmp_path_factory.mktemp("jupyterlab")) as lab:
        yield lab


@pytest.fixture
def lab(_lab_server: JupyterLab) -> Iterator[JupyterLab]:
    """A running JupyterLab; kernels that the test leaves are ended."""
    yield _lab_server
    _lab_server.shut_down_kernels()


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedApp]:
    """The served app, running."""
    with serving(tmp_path_factory.mktemp("served-app"), []) as served:
        yield served
