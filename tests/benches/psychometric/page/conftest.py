"""The psychometric bench in both hosts: one page each, shared by all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from harness.bench_fixtures import host, host_name, watch
from harness.jupyter_lab import JupyterLab
from harness.psychometric_hosts import AppHost, NotebookHost, Subjects
from harness.served_app import ServedApp

__all__ = ["host", "host_name", "watch"]


@pytest.fixture(scope="session")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> Subjects:
    """Files of the simulated subject."""
    return Subjects(tmp_path_factory.mktemp("subjects"))


@pytest.fixture(scope="session")
def served(app: ServedApp, subjects: Subjects) -> ServedApp:
    """The app with the simulated subject, its first replicate, and a damaged file."""
    for file in subjects.served:
        app.offer(file)
    return app


@pytest.fixture(scope="package")
def _notebook(
    browser: Browser, _lab_server: JupyterLab, subjects: Subjects
) -> Iterator[NotebookHost]:
    with NotebookHost(browser, _lab_server, subjects) as opened:
        yield opened


@pytest.fixture(scope="package")
def _app(browser: Browser, served: ServedApp, subjects: Subjects) -> Iterator[AppHost]:
    with AppHost(browser, served, subjects) as opened:
        yield opened
