"""The word-list editor in both hosts: one page each, shared by all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from harness.bench_fixtures import host, host_name, watch
from harness.jupyter_lab import JupyterLab
from harness.served_app import ServedApp
from harness.word_list_hosts import AppHost, NotebookHost

__all__ = ["host", "host_name", "watch"]


@pytest.fixture(scope="package")
def _notebook(browser: Browser, _lab_server: JupyterLab) -> Iterator[NotebookHost]:
    with NotebookHost(browser, _lab_server) as opened:
        yield opened


@pytest.fixture(scope="package")
def _app(browser: Browser, app: ServedApp) -> Iterator[AppHost]:
    with AppHost(browser, app) as opened:
        yield opened
