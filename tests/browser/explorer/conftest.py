"""The explorer in both hosts: one page each, shared by all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from harness.explorer_hosts import AppHost, Host, NotebookHost, Subjects
from harness.jupyter_lab import JupyterLab
from harness.served_app import ServedApp
from harness.watched_page import WatchedPage


@pytest.fixture(scope="session")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> Subjects:
    """Files of the simulated subject."""
    return Subjects(tmp_path_factory.mktemp("subjects"))


@pytest.fixture(scope="session")
def served(subjects: Subjects, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedApp]:
    """The app over the simulated subject, its first replicate, and a damaged file."""
    files = [str(path) for path in subjects.served]
    with ServedApp(tmp_path_factory.mktemp("explorer-app"), files) as served:
        yield served
        # A traceback through our code; a page that leaves while it is written to gives one of
        # Tornado's own.
        assert "/biaslab_widgets/" not in served.output(), served.output()


@pytest.fixture(scope="package")
def _notebook(browser: Browser, _lab_server: JupyterLab, subjects: Subjects) -> Iterator[Host]:
    host = NotebookHost(browser, _lab_server, subjects)
    yield host
    host.watched.close()


@pytest.fixture(scope="package")
def _app(browser: Browser, served: ServedApp, subjects: Subjects) -> Iterator[Host]:
    host = AppHost(browser, served, subjects)
    yield host
    host.watched.close()


@pytest.fixture(params=["jupyterlab", "app"])
def host_name(request: pytest.FixtureRequest) -> str:
    """Both hosts; a module of one host says so with a mark."""
    name: str = request.param
    return name


@pytest.fixture
def host(request: pytest.FixtureRequest, host_name: str) -> Host:
    """A host of the explorer, its page shared by the tests."""
    host: Host = request.getfixturevalue("_notebook" if host_name == "jupyterlab" else "_app")
    return host


@pytest.fixture(autouse=True)
def watch(host: Host) -> Iterator[WatchedPage]:
    """The host's page, with a clean slate: what goes wrong in it fails this test alone."""
    host.watched.begin()
    yield host.watched
    host.watched.end()
