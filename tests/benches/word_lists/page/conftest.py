"""The word-list editor in both hosts: one page each, shared by all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from harness.bench_fixtures import host, host_name, watch
from harness.jupyter_lab import JupyterLab
from harness.served_app import ServedApp
from harness.word_list_hosts import AppHost, NotebookHost, write_subject

__all__ = ["host", "host_name", "watch"]


@pytest.fixture(scope="session")
def small_subject(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small embedding in a file."""
    return write_subject(tmp_path_factory.mktemp("small-subject"))


@pytest.fixture(scope="session")
def served_words(app: ServedApp, small_subject: Path) -> ServedApp:
    """The app with the small embedding."""
    app.offer(small_subject)
    return app


@pytest.fixture(scope="package")
def _notebook(
    browser: Browser, _lab_server: JupyterLab, small_subject: Path
) -> Iterator[NotebookHost]:
    with NotebookHost(browser, _lab_server, small_subject) as opened:
        yield opened


@pytest.fixture(scope="package")
def _app(browser: Browser, served_words: ServedApp) -> Iterator[AppHost]:
    with AppHost(browser, served_words) as opened:
        yield opened
