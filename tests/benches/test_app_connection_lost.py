"""Benches whose server is gone show their last result, in grey, and take no new settings."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from playwright.sync_api import Page, expect

from harness.decision_hosts import Decisions
from harness.served_app import ServedApp
from harness.watched_page import WatchedPage


def is_grey(page: Page) -> bool:
    return bool(page.locator("[data-root-id]").evaluate("root => root.inert"))


def test_the_last_result_stays_and_no_new_word_stands_beside_it(
    page: Page, watch: WatchedPage, tmp_path: Path
) -> None:
    watch.allow(r"WebSocket|ERR_|websocket|not connected|Lost websocket")
    with ServedApp(tmp_path, opens_models=False) as app:
        running = page.context.new_page()
        running.goto(f"{app.url}/decisions?subject=simulated+decider&method=adaptive&trials=20000")
        page.goto(f"{app.url}/psychometric?word=nurse")
        expect(page.get_by_test_id("verdict")).to_contain_text("nurse")
        decisions = Decisions.on(running).settle("empty").begin()
        # Nobody answers, then nobody is there.
        os.kill(app.pid, signal.SIGSTOP)
        page.get_by_test_id("word-input").fill("engineer")
        expect(page.get_by_role("heading", level=1)).to_contain_text("engineer")
        os.kill(app.pid, signal.SIGKILL)

        expect(page.get_by_text("this is the last result")).to_be_visible()
        expect(page.get_by_role("heading", level=1)).to_contain_text("nurse")
        expect(page.get_by_test_id("verdict")).to_contain_text("nurse")
        assert is_grey(page)
        page.get_by_role("link", name="biaslab").focus()  # the navigation stays

        # A run keeps its answers.
        expect(running.get_by_text("this is the last result")).to_be_visible()
        assert decisions.trials() > 0
        assert is_grey(running)
        running.close()
