"""A person's first visit to the app: their own model asked, saved, reopened, compared, reported.

The pages are used by their roles and visible labels alone, which is what a new user finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from harness.own_files import write_embedding
from harness.served_app import ServedApp, serving
from harness.watched_page import WatchedPage

LOADED_MS = 120_000
"""Loading a language model imports torch, which takes a busy machine long."""


@pytest.fixture
def new_app(tmp_path: Path) -> Iterator[ServedApp]:
    """The app as `make run` starts it for the first time; it opens models when they are asked."""
    with serving(tmp_path, opens_models=False) as served:
        yield served


class Visit:
    """What a new user does on the app's pages."""

    def __init__(self, page: Page, app: ServedApp) -> None:
        page.goto(app.url)
        self.page = page
        self.main = page.get_by_role("main")
        self.verdict = page.get_by_role("region", name="Verdict")
        self.save_button = page.get_by_role("button", name="Save run")
        counted = page.get_by_role("link", name=re.compile(r"^Runs \d+"))
        self.saved = int(counted.inner_text().split()[-1]) if counted.count() else 0

    def go(self, entry: str) -> None:
        """Follow an entry of the navigation."""
        navigation = self.page.get_by_role("navigation", name="Main")
        navigation.get_by_role("link", name=re.compile(rf"^{entry}\b")).click()

    def card(self, subject: str) -> Locator:
        return self.page.get_by_role("complementary", name=subject)

    def ask(self, subject: str, question: str) -> None:
        """Open a bench from the card of a subject."""
        self.go("Subjects")
        self.page.get_by_role("button", name=subject, exact=True).click()
        self.card(subject).get_by_role("link", name=f"Open {question}").click()

    def save(self, about: str) -> str:
        """Save the run whose verdict contains some words; returns the verdict."""
        expect(self.verdict).to_contain_text(about, timeout=LOADED_MS)
        expect(self.save_button).to_be_enabled(timeout=LOADED_MS)
        finding = self.verdict.get_by_role("paragraph").first.inner_text()
        self.save_button.click()
        expect(self.page.get_by_text("Saved as run").first).to_be_visible()
        self.saved += 1
        # The navigation counts it.
        expect(self.page.get_by_role("link", name=f"Runs {self.saved}")).to_be_visible()
        return finding

    def open_as_it_was(self, subject: str, finding: str) -> None:
        """Open the only run of a subject in its bench, from the list of runs."""
        self.go("Runs")
        self.main.get_by_role("link", name=re.compile(rf"nurse: .*{subject}$")).click()
        expect(self.main.get_by_role("heading", level=1)).to_have_text(finding)
        self.main.get_by_role("link", name="Open in Psychometric").click()
        expect(self.page.get_by_text("Opened from run")).to_be_visible()
        expect(self.verdict).to_contain_text(finding, timeout=LOADED_MS, use_inner_text=True)

    def compare(self, runs: list[str]) -> None:
        """Select runs by parts of their lines, and compare them."""
        self.go("Runs")
        for part in runs:
            line = self.main.get_by_role("listitem").filter(has_text=part).first
            line.get_by_role("checkbox").check()
        expect(self.page.get_by_text("They can be compared row by row.")).to_be_visible()
        self.main.get_by_role("link", name="Compare", exact=True).click()

    def report(self, into: Path) -> Path:
        """Make the report of what is compared, and save it as a file."""
        self.main.get_by_role("link", name="Report", exact=True).click()
        with self.page.expect_download() as download:
            self.main.get_by_role("link", name="Download", exact=True).click()
        path = into / download.value.suggested_filename
        download.value.save_as(path)
        return path


def report_text(browser: Browser, path: Path) -> str:
    """The text of a report, opened as a file; it asks for nothing outside itself."""
    watched = WatchedPage(browser)
    asked: list[str] = []
    watched.page.on("request", lambda request: asked.append(request.url))
    watched.page.goto(path.as_uri())
    text = watched.page.locator("body").inner_text()
    problems = watched.errors
    watched.close()
    assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()]
    assert not problems
    return text


def test_an_own_embedding_is_asked_saved_reopened_compared_and_reported(
    new_app: ServedApp, page: Page, browser: Browser, tmp_path: Path
) -> None:
    file = write_embedding(tmp_path / "my-vectors.txt")
    visit = Visit(page, new_app)
    page.get_by_role("link", name="Use your own model").click()
    expect(page.get_by_role("heading", name="Add your own")).to_be_in_viewport()
    page.get_by_label("Choose an embedding file").set_input_files(file)
    page.get_by_role("button", name="Add my-vectors").click()
    expect(visit.card("my-vectors").get_by_role("heading", name="my-vectors")).to_be_in_viewport()
    visit.card("my-vectors").get_by_role("link", name="Ask it in Psychometric").click()

    # One embedding has no interval by itself; the bench offers what gives it one.
    page.get_by_role("button", name="Use 8 cue pairs").click()
    nurse = visit.save("before it answers male for nurse")
    visit.ask("my-vectors", "Occupations")
    mine = visit.save("occupations")
    visit.ask("wiki-bootstraps", "Occupations")
    bundled = visit.save("occupations")
    visit.open_as_it_was("my-vectors", nurse)

    visit.compare(["Occupations · my-vectors", "Occupations · wiki-bootstraps"])
    expect(visit.main.get_by_role("rowheader", name="nurse")).to_be_visible()
    expect(visit.main.get_by_role("rowheader", name="Pearson’s r")).to_be_visible()
    text = report_text(browser, visit.report(tmp_path))
    for finding in (mine, bundled):
        assert finding in text
