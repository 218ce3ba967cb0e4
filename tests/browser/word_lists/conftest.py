"""The word-list editor in both hosts: one page each, shared by all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from harness.jupyter_lab import JupyterLab
from harness.served_app import ServedApp
from harness.watched_page import WatchedPage
from harness.word_list_hosts import VIEWPORT, AppHost, Host, NotebookHost, write_subject


@pytest.fixture(scope="session")
def small_subject(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small embedding in a file."""
    return write_subject(tmp_path_factory.mktemp("small-subject"))


@pytest.fixture(scope="session")
def served_words(
    small_subject: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServedApp]:
    """The app over the small embedding."""
    with ServedApp(tmp_path_factory.mktemp("word-lists-app"), [str(small_subject)]) as served:
        yield served
        assert "/biaslab_widgets/" not in served.output(), served.output()


@pytest.fixture(scope="package")
def _notebook(
    browser: Browser, _lab_server: JupyterLab, small_subject: Path
) -> Iterator[NotebookHost]:
    host = NotebookHost(browser, _lab_server, small_subject)
    yield host
    host.watched.close()


@pytest.fixture(scope="package")
def _app(browser: Browser, served_words: ServedApp) -> Iterator[AppHost]:
    host = AppHost(browser, served_words)
    yield host
    host.watched.close()


@pytest.fixture(params=["jupyterlab", "app"])
def host_name(request: pytest.FixtureRequest) -> str:
    """Both hosts."""
    name: str = request.param
    return name


@pytest.fixture
def host(request: pytest.FixtureRequest, host_name: str) -> Host:
    """A host of the editor, its page shared by the tests."""
    host: Host = request.getfixturevalue("_notebook" if host_name == "jupyterlab" else "_app")
    return host


@pytest.fixture(autouse=True)
def watch(host: Host) -> Iterator[WatchedPage]:
    """The host's page, with a clean slate and its usual size and media."""
    host.watched.begin()
    yield host.watched
    host.page.emulate_media(color_scheme="light", reduced_motion="no-preference")
    host.page.set_viewport_size(VIEWPORT)
    host.watched.end()
