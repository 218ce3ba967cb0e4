"""A language model in the psychometric bench, in both hosts: one page each for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from harness.bench_fixtures import host, host_name, watch
from harness.jupyter_lab import JupyterLab
from harness.psychometric_model_hosts import AppHost, NotebookHost, planted
from harness.served_app import ServedApp

__all__ = ["host", "host_name", "watch"]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The planted model's folder."""
    return planted(tmp_path_factory.mktemp("planted-model"))


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
def _app(browser: Browser, served: ServedApp, model: Path) -> Iterator[AppHost]:
    with AppHost(browser, served, model) as opened:
        yield opened
