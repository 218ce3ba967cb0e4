"""Fixtures of the stage: see `harness.stage`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from harness.stage import Stage
from harness.watched_page import WatchedPage
from harness.watching import browser, pytest_pyfunc_call

__all__ = ["browser", "pytest_pyfunc_call"]


@pytest.fixture(scope="package")
def _stage(browser: Browser) -> Iterator[Stage]:
    with Stage(browser) as opened:
        yield opened


@pytest.fixture
def stage(_stage: Stage) -> Iterator[Stage]:
    """The stage, empty: one page for all tests of a process."""
    _stage.begin()
    yield _stage
    _stage.end()


@pytest.fixture(autouse=True)
def watch(stage: Stage) -> WatchedPage:
    """Its page, whose problems fail the test."""
    return stage.watched
