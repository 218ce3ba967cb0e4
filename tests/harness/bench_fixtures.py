"""Fixtures of one bench in both hosts: a package's conftest imports them.

That conftest has the package's two pages, ``_notebook`` and ``_app``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.bench_hosts import BenchHost
from harness.served_app import ServedApp
from harness.watched_page import WatchedPage

__all__ = ["host", "host_name", "serving", "watch"]


@pytest.fixture(params=["jupyterlab", "app"])
def host_name(request: pytest.FixtureRequest) -> str:
    """Both hosts; a module of one host says so with a mark."""
    name: str = request.param
    return name


@pytest.fixture
def host(request: pytest.FixtureRequest, host_name: str) -> BenchHost:
    """A host of the bench, its page shared by the tests."""
    found: BenchHost = request.getfixturevalue("_notebook" if host_name == "jupyterlab" else "_app")
    return found


@pytest.fixture(autouse=True)
def watch(host: BenchHost) -> Iterator[WatchedPage]:
    """The host's page, with a clean slate and its usual size and media."""
    host.begin()
    yield host.watched
    host.end()


@contextmanager
def serving(folder: Path, files: Sequence[Path]) -> Iterator[ServedApp]:
    """The app over these files; a traceback through our code in the end is an error."""
    with ServedApp(folder, [str(file) for file in files]) as served:
        yield served
        # A page that leaves while it is written to gives a traceback of Tornado's own.
        assert "/biaslab_widgets/" not in served.output(), served.output()
