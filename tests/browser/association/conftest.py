"""The association bench in both hosts: one page each, shared by all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from harness.association import VIEWPORT, AppHost, Host, NotebookHost
from harness.jupyter_lab import JupyterLab
from harness.served_app import ServedApp
from harness.watched_page import WatchedPage


@pytest.fixture(scope="package")
def _notebook(browser: Browser, _lab_server: JupyterLab) -> Iterator[NotebookHost]:
    host = NotebookHost(browser, _lab_server)
    yield host
    host.watched.close()


@pytest.fixture(scope="package")
def _app(browser: Browser, app: ServedApp) -> Iterator[AppHost]:
    host = AppHost(browser, app)
    yield host
    host.watched.close()


@pytest.fixture(params=["jupyterlab", "app"])
def host_name(request: pytest.FixtureRequest) -> str:
    """Both hosts."""
    name: str = request.param
    return name


@pytest.fixture
def host(request: pytest.FixtureRequest, host_name: str) -> Host:
    """A host of the bench, its page shared by the tests."""
    host: Host = request.getfixturevalue("_notebook" if host_name == "jupyterlab" else "_app")
    return host


@pytest.fixture(autouse=True)
def watch(host: Host) -> Iterator[WatchedPage]:
    """The host's page, with a clean slate and its usual size and media."""
    host.watched.begin()
    yield host.watched
    host.page.emulate_media(color_scheme="light")
    host.page.set_viewport_size(VIEWPORT)
    host.watched.end()
