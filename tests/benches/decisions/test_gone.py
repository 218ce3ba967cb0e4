"""A decision bench whose server or kernel ends during a run keeps its answers, in grey."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from playwright.sync_api import Page, expect

from harness.decision_hosts import ENDLESS, INPUTS, Decisions
from harness.jupyter_lab import JupyterLab
from harness.served_app import ServedApp
from harness.watched_page import WatchedPage


def test_a_server_that_is_gone_leaves_the_answers_in_grey(
    page: Page, watch: WatchedPage, tmp_path: Path
) -> None:
    watch.allow(r"WebSocket|ERR_|websocket|not connected|Lost websocket")
    with ServedApp(tmp_path) as app:
        page.goto(f"{app.url}/decisions?subject=simulated+decider&method=adaptive&trials=50000")
        view = Decisions.on(page).settle("empty")
        view.begin()
        os.kill(app.pid, signal.SIGKILL)
        expect(page.get_by_text("this is the last result")).to_be_visible()
        assert view.trials() > 0
        assert page.locator("[data-root-id]").evaluate("e => e.inert")


def test_a_kernel_that_is_gone_leaves_the_answers_in_grey(
    lab: JupyterLab, page: Page, watch: WatchedPage
) -> None:
    watch.allow("widget model not found")
    cell = f"from biaslab_widgets import DecisionBench\nDecisionBench(**{INPUTS | ENDLESS!r})"
    lab.open(page, lab.write_notebook("decisions-gone.ipynb", [cell]))
    lab.run_all(page)
    view = Decisions.on(page).settle("empty").begin()
    page.evaluate(
        "window.jupyterapp.shell.currentWidget.context.sessionContext.restartKernel()"
        ".then(() => null)"
    )
    expect(page.get_by_test_id("kernel-gone")).to_contain_text("this is the last result")
    assert view.trials() > 0
    assert view.part("run").evaluate("button => button.closest('[inert]') !== null")
