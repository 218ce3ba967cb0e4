"""A bench whose server is gone shows its last result, in grey, and takes no new settings."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from playwright.sync_api import Page, expect

from harness.served_app import ServedApp
from harness.watched_page import WatchedPage


def test_no_new_word_stands_beside_the_numbers_of_the_last(
    page: Page, watch: WatchedPage, tmp_path: Path
) -> None:
    watch.allow(r"WebSocket|ERR_|websocket|not connected|Lost websocket")
    with ServedApp(tmp_path) as app:
        page.goto(f"{app.url}/psychometric?word=nurse")
        expect(page.get_by_test_id("verdict")).to_contain_text("nurse")
        # Nobody answers, then nobody is there.
        os.kill(app.pid, signal.SIGSTOP)
        page.get_by_test_id("word-input").fill("engineer")
        expect(page.get_by_role("heading", level=1)).to_contain_text("engineer")
        os.kill(app.pid, signal.SIGKILL)
        expect(page.get_by_text("this is the last result")).to_be_visible()
        expect(page.get_by_role("heading", level=1)).to_contain_text("nurse")
        expect(page.get_by_test_id("verdict")).to_contain_text("nurse")
        assert page.locator("[data-root-id]").evaluate("e => e.inert")
        page.get_by_role("link", name="biaslab").focus()  # the navigation stays
