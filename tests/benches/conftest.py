"""Fixtures of the browser tests: both hosts, and a watched page that fails its test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from harness.jupyter_lab import JupyterLab
from harness.served_app import ServedApp, serving
from harness.watched_page import STILL, WatchedPage
from harness.watching import browser, pytest_pyfunc_call

__all__ = ["browser", "pytest_pyfunc_call"]

VIEWPORT: ViewportSize = {"width": 1280, "height": 900}
PAGE_FIXTURES = {"watch", "browser", "lab", "_lab_server", "app"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that open a page."""
    for item in items:
        if isinstance(item, pytest.Function) and not PAGE_FIXTURES.isdisjoint(item.fixturenames):
            item.add_marker(pytest.mark.browser)


@pytest.fixture
def watch(request: pytest.FixtureRequest, browser: Browser) -> Iterator[WatchedPage]:
    """A page that reaches only this machine, with what went wrong in it.

    A test in ``lab`` gets the page in which JupyterLab is loaded already.
    """
    if "lab" in request.fixturenames:
        yield from _lab_page(request, browser)
        return
    watched = WatchedPage(browser, viewport=VIEWPORT, **STILL)
    yield watched
    watched.close()


def _lab_page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[WatchedPage]:
    lab: JupyterLab = request.getfixturevalue("lab")
    failed = request.session.testsfailed
    watched = lab.shared_page(browser)
    lab.leave_shared_page()  # a story may have left its notebook open for the next
    lab.begin(watched)
    watched.page.set_viewport_size(VIEWPORT)
    yield watched
    if request.session.testsfailed > failed:
        lab.drop_shared_page()
    else:
        lab.leave_shared_page()
        watched.end()


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
    with serving(tmp_path_factory.mktemp("served-app")) as served:
        yield served
