"""A run belongs to its person: it goes on behind other pages, and ends with the last of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from harness.decision_hosts import ENDLESS, Decisions
from harness.served_app import ServedApp
from harness.server import wait_until

BEFORE = (
    "import biaslab_widgets.app.visits as visits; visits.LINGER_S = 1",
    "import time; from biaslab.asking.simulated.decider import SimulatedDecider as Decider",
    "reply = Decider._reply",
    "Decider._reply = lambda *asked: time.sleep(0.02) or reply(*asked)",
)
"""Nobody waits ten seconds in a test, and an endless run leaves the processor to others."""


def status(page: Page) -> dict[str, Any]:
    """What the server says of jobs to this browser."""
    return dict(page.request.get(f"{page.url.rpartition('/')[0]}/api/status").json())


def test_a_run_goes_on_behind_other_pages_and_ends_with_the_last(
    page: Page, tmp_path: Path
) -> None:
    settings = urlencode({"subject": "simulated decider", **ENDLESS})
    with ServedApp(tmp_path, opens_models=False, before="; ".join(BEFORE)) as app:
        page.goto(f"{app.url}/decisions?{settings}")
        bench = Decisions.on(page).settle("empty").begin()

        # Elsewhere, for longer than a closed page is waited for.
        page.get_by_role("link", name="Runs", exact=False).first.click()
        wait_until(lambda: bool(status(page)["kept"]), "A kept bench")
        # Numbers beside the picture are jobs as well, and count nothing.
        (job,) = (job for job in status(page)["jobs"] if job["total"])
        assert (job["title"], job["address"], job["stopping"]) == ("Decisions", "decisions", False)
        line = page.get_by_role("status", name="Jobs")
        expect(line).to_contain_text("questions asked")
        line.get_by_role("link", name="Back to it").click()
        bench = Decisions.on(page)
        expect(bench.root).to_have_attribute("data-running", "")
        assert bench.trials() > 0
        assert not status(page)["kept"]

        # Loaded again, when the old page has not hung up yet.
        page.reload()
        bench = Decisions.on(page)
        expect(bench.root).to_have_attribute("data-running", "")
        trials = bench.stop().trials()
        page.get_by_role("button", name="Save run").click()
        expect(page.get_by_test_id("notice")).to_contain_text("Saved as run")

        # The result stays, with its settings.
        page.get_by_role("link", name="Runs", exact=False).first.click()
        expect(line).to_contain_text("the run has ended")
        line.get_by_role("link", name="Back to it").click()
        bench = Decisions.on(page)
        expect(bench.part("trials")).to_have_attribute("data-count", str(trials))

        # The last page is closed.
        bench.begin()
        other = page.context.new_page()
        other.goto(f"{app.url}/help")
        page.goto("about:blank")
        wait_until(lambda: bool(status(other)["kept"]), "A kept bench")
        other.goto("about:blank")
        asked = page.context.request
        wait_until(lambda: not asked.get(f"{app.url}/api/status").json()["jobs"], "The run's end")
        assert not asked.get(f"{app.url}/api/status").json()["kept"]
