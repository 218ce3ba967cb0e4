"""What JupyterLab's server does with messages, and what a watched page tells."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from harness.jupyter_lab import JupyterLab
from harness.watched_page import WatchedPage


def test_the_websocket_of_a_kernel_sends_at_once(lab: JupyterLab, page: Page) -> None:
    lab.open(page, lab.write_notebook("empty.ipynb", [""]))
    # Those of notebooks that are closed may be there still.
    assert set(lab.sockets_send_at_once()) == {True}


@pytest.mark.validate
def test_without_the_installed_extension_it_waits(page: Page, tmp_path: Path) -> None:
    with JupyterLab(tmp_path, without=["biaslab_widgets.hosts.nodelay"]) as lab:
        lab.open(page, lab.write_notebook("empty.ipynb", [""]))
        assert set(lab.sockets_send_at_once()) == {False}


def test_a_request_to_another_machine_fails_and_is_told(watch: WatchedPage) -> None:
    # An address of numbers needs no name server, and is stopped all the same.
    addresses = ["https://example.invalid/script.js", "http://192.0.2.1/script.js"]
    for address in addresses:
        # once: the page waits for its own request
        assert watch.page.evaluate("url => fetch(url).catch(error => error.name)", address) == (
            "TypeError"
        )
    assert watch.outside == addresses
    assert any("example.invalid" in problem for problem in watch.problems())
    watch.outside.clear()
    watch.allow("ERR_NAME_NOT_RESOLVED")


def test_an_uncaught_error_in_the_page_is_told(watch: WatchedPage) -> None:
    with watch.context.expect_event("weberror"):
        watch.page.evaluate("setTimeout(() => { throw new Error('planted'); })")
    assert any("planted" in problem for problem in watch.problems())
    watch.allow("planted")
