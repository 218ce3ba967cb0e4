"""The sentence bench in both hosts: one page each, shared by all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from harness.bench_fixtures import host, host_name, watch
from harness.jupyter_lab import JupyterLab
from harness.sentences import AppHost, NotebookHost, tiny_model
from harness.served_app import ServedApp

__all__ = ["host", "host_name", "watch"]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny masked language model."""
    return tiny_model(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def served(app: ServedApp, model: Path) -> ServedApp:
    """The app with the model."""
    app.offer(model)
    return app


@pytest.fixture(scope="package")
def _notebook(browser: Browser, _lab_server: JupyterLab, model: Path) -> Iterator[NotebookHost]:
    with NotebookHost(browser, _lab_server, model) as opened:
        yield opened


@pytest.fixture(scope="package")
def _app(browser: Browser, served: ServedApp) -> Iterator[AppHost]:
    with AppHost(browser, served) as opened:
        yield opened
