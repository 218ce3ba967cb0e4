"""Take the pictures of the docs from the running app: what they show is the real thing.

``python tools/screenshots.py`` writes all of them to docs/images/, and those of some pages where
these are named.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, expect, sync_playwright

from biaslab_widgets.benches import BENCHES

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import chromium  # noqa: E402  (beside this file)
from harness.served_app import ServedApp  # noqa: E402
from harness.watched_page import WatchedPage, launch  # noqa: E402

IMAGES = ROOT / "docs" / "images"
READY_MS = 60_000
TEST_MS = 300_000
IMAGINED_MS = 1_800_000


HOME, FACES = "home", "posterior-portraits"
PAGES = [HOME, *(entry.slug for entry in BENCHES if entry.question), FACES]
TALL = {"sentences": 1500, "images": 1540, "decisions": 1340, "opinion": 1340, FACES: 1540}
"""Pages that are drawn as far as they are in view."""


def run_posterior(page: Page) -> None:
    """Look up a word in the run that it opens with."""
    expect(page.get_by_role("button", name="Run again")).to_be_visible(timeout=READY_MS)
    search = page.get_by_placeholder("Search a word")
    search.fill("devilish")
    search.press("Enter")
    expect(page.get_by_test_id("word-distance")).to_be_visible(timeout=READY_MS)
    search.blur()


def run_portraits(page: Page) -> None:
    """Imagine a nurse and an executive, which takes some minutes, and look at a nurse."""
    page.get_by_test_id("subject").select_option("portrait-clip", timeout=READY_MS)
    run_by(page, "run", IMAGINED_MS)
    page.get_by_test_id("face").nth(20).click(timeout=READY_MS)
    expect(page.get_by_test_id("picked-face")).to_be_visible()


def run_by(page: Page, button: str, patience_ms: int = TEST_MS) -> None:
    """Press a button that starts a run, and wait until it is there."""
    bench, start = page.get_by_test_id("bench"), page.get_by_test_id(button)
    expect(start).to_be_enabled(timeout=READY_MS)
    before = bench.get_attribute("data-run") or ""
    start.click()
    expect(bench).not_to_have_attribute("data-run", before, timeout=patience_ms)
    expect(bench).not_to_have_attribute("data-running", "", timeout=patience_ms)


def run_sentences(page: Page) -> None:
    """Make sentences, test all models on them, and take one pair apart."""
    for step in ("step-2", "step-3"):
        head = page.get_by_test_id(step)
        expect(head).not_to_have_attribute("data-state", "closed", timeout=READY_MS)
        head.click()
    run_by(page, "test")
    page.get_by_test_id("squares").first.focus()
    for key in ("ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    expect(page.get_by_test_id("word-difference").first).to_be_visible(timeout=READY_MS)


def run_images(page: Page) -> None:
    """Look at a portrait of the run that it opens with, and ask about the morphs."""
    bench = page.get_by_test_id("bench")
    expect(bench).to_have_attribute("data-run", "1", timeout=TEST_MS)
    page.get_by_test_id("morph-ask").click(timeout=READY_MS)
    expect(page.get_by_test_id("morph")).to_have_attribute("data-state", "ready", timeout=TEST_MS)
    page.get_by_test_id("squares").first.focus()
    for key in ("ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    expect(page.get_by_test_id("probability").first).to_be_visible(timeout=READY_MS)


def run_rating(page: Page) -> None:
    """Rate the simulated translator, and look at the language through which it adds bias."""
    run_by(page, "run")
    page.locator('[data-testid="row"][data-language="tr"] th').click()
    expect(page.get_by_test_id("bench")).to_have_attribute("data-language", "tr")
    tree = page.get_by_test_id("tree-corrected")
    expect(tree).to_have_attribute("data-rating", "BS", timeout=READY_MS)
    expect(page.get_by_test_id("text").first).to_be_visible(timeout=READY_MS)


def run_decisions(page: Page) -> None:
    """Ask the simulated decider, and read one of its trials."""
    page.get_by_test_id("subject").select_option("simulated decider", timeout=READY_MS)
    page.get_by_test_id("settings").click()
    page.get_by_test_id("method").select_option("fixed")
    page.keyboard.press("Escape")
    run_by(page, "run")
    expect(page.get_by_test_id("bench")).to_have_attribute("data-settled", "", timeout=TEST_MS)
    page.get_by_test_id("trial-next").click()
    expect(page.get_by_test_id("dock-prompt")).to_be_visible(timeout=READY_MS)


FIRST: Mapping[str, Callable[[Page], None]] = {
    "posterior": run_posterior,
    FACES: run_portraits,
    "sentences": run_sentences,
    "images": run_images,
    "rating": run_rating,
    "decisions": run_decisions,
}
"""What is done on a page before its picture is taken."""


def picture(browser: Browser, app: ServedApp, page: str, theme: Literal["light", "dark"]) -> Path:
    """Picture a page as it first appears, or after its first run, in one of its themes."""
    watched = WatchedPage(
        browser,
        viewport={
            "width": 1280 if page == "psychometric" else 1440,
            "height": TALL.get(page, 1000),
        },
        color_scheme=theme,
        reduced_motion="reduce",
        device_scale_factor=1.5,
    )
    path = IMAGES / f"{page}-{theme}.png"
    try:
        watched.page.goto(f"{app.url}/{'' if page == HOME else page.removesuffix('-portraits')}")
        if page in FIRST:
            FIRST[page](watched.page)
        sign = (
            watched.page.get_by_test_id("verdict") if page != HOME else watched.page.locator("h1")
        )
        expect(sign).to_be_visible(timeout=READY_MS)
        watched.page.screenshot(path=path, animations="disabled")
        if problems := watched.problems():
            raise RuntimeError("The page had problems:\n" + "\n".join(problems))
    finally:
        watched.close()
    return path


def main() -> int:
    """Write all pictures."""
    executable = chromium.find()
    if executable is None:
        print("No Chromium found: run `make screenshots`, which installs one.", file=sys.stderr)
        return 1
    IMAGES.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        ServedApp(Path(folder)) as app,
        sync_playwright() as playwright,
        launch(playwright, executable) as browser,
    ):
        for page in sys.argv[1:] or PAGES:
            for theme in ("light", "dark"):
                print(picture(browser, app, page, theme).relative_to(ROOT))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
