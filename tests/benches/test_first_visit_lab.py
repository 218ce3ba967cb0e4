"""A person's first visit in JupyterLab: their own model asked, saved, reopened, compared, reported.

Only what a new user finds is used: the launcher's tile, links, menus, labels and keys.
"""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from harness.jupyter_lab import READY_MS, JupyterLab
from harness.own_files import write_embedding

LOADED_MS = 120_000
"""A kernel that loads a language model imports torch, which takes a busy machine long."""


@pytest.fixture
def new_lab(lab: JupyterLab) -> JupyterLab:
    """JupyterLab with its launcher, and no lessons yet."""
    shutil.rmtree(lab.root / "biaslab-lessons", ignore_errors=True)
    return lab


def cell(page: Page, part: str) -> Locator:
    """The cell whose code contains a text."""
    return page.locator(".jp-CodeCell").filter(has_text=part)


def edit(page: Page, line: str, now: str) -> None:
    """Write a line of code anew."""
    page.locator(".cm-line", has_text=line).click()
    page.keyboard.press("Home")
    page.keyboard.press("Shift+End")
    page.keyboard.type(now)


def run(page: Page, part: str) -> Locator:
    """Run a cell, and show the next."""
    found = cell(page, part)
    found.get_by_role("textbox").first.click()
    page.keyboard.press("Shift+Enter")
    return found


def open_own(lab: JupyterLab, page: Page) -> Path:
    """From the launcher to the notebook for one's own model; returns its folder."""
    lab.load(page, "workspaces/first-visit")
    page.get_by_role("button", name="biaslab: lessons").click(timeout=READY_MS)
    page.get_by_role("link", name="Your own model").click(timeout=READY_MS)
    expect(page.get_by_role("tab", name="your-own.ipynb")).to_be_visible()
    return lab.root / "biaslab-lessons"


def run_all(page: Page) -> None:
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()


def save(bench: Locator, word: str) -> str:
    """Ask a word, save the run, and return the finding."""
    field = bench.get_by_role("combobox", name="Word")
    field.fill(word, timeout=LOADED_MS)
    field.press("Enter")
    verdict = bench.get_by_role("region", name="Verdict").get_by_role("paragraph").first
    expect(verdict).to_contain_text(word, timeout=LOADED_MS)
    bench.get_by_role("button", name="Save run").click(timeout=LOADED_MS)
    expect(bench.get_by_text("Saved as run").first).to_be_visible()
    return verdict.inner_text()


def test_an_own_model_is_asked_saved_reopened_compared_and_reported(
    new_lab: JupyterLab, page: Page
) -> None:
    folder = open_own(new_lab, page)
    write_embedding(folder / "my-vectors.txt")
    edit(page, 'subject = bl.load("wiki-bootstraps")', 'subject = bl.load("my-vectors.txt")')
    run_all(page)
    bench = cell(page, "bench = PsychometricBench(")
    # One embedding has no interval by itself.
    bench.get_by_role("button", name="Use 8 cue pairs").click(timeout=LOADED_MS)
    save(bench, "engineer")
    finding = save(bench, "nurse")

    listed = run(page, "runs = bl.Store()")
    expect(listed.get_by_role("row", name=re.compile("engineer")).first).to_be_visible()
    expect(listed.get_by_role("row", name=re.compile("nurse")).first).to_be_visible()
    again = run(page, "PsychometricBench.of_run(")
    expect(again.get_by_role("region", name="Verdict")).to_contain_text(
        finding, use_inner_text=True, timeout=LOADED_MS
    )

    compared = run(page, "bl.compare(")
    expect(compared).to_contain_text("wiki-bootstraps", timeout=LOADED_MS)
    expect(compared).to_contain_text("nurse")
    linked = run(page, "bl.report(")
    expect(linked.get_by_role("link", name="report.html")).to_be_visible(timeout=LOADED_MS)
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert finding in html.unescape(re.sub(r"<[^>]*>", "", report))
    assert not re.search(r"""(src|href)=["']?https?:""", report)
