"""JupyterLab opens the lessons and the app: by the launcher's tiles, and by the Help menu."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from harness.jupyter_lab import JupyterLab

HELP = "[role=menuitem]"
WORKSPACE = "workspaces/menus"
"""JupyterLab shows its launcher while nothing is open."""


def choose_help(page: Page, item: str) -> None:
    """Choose an item of the Help menu."""
    page.locator(HELP).get_by_text("Help", exact=True).click()
    page.locator(HELP).get_by_text(item).click()


def test_the_tile_opens_the_app_inside(lab: JupyterLab, page: Page) -> None:
    lab.load(page, WORKSPACE)
    page.locator(".jp-LauncherCard").get_by_text("biaslab", exact=True).click()
    inside = page.frame_locator("iframe[src*='/biaslab/']")
    inside.get_by_role("link", name="Psychometric", exact=True).click(timeout=120_000)
    bench = inside.get_by_test_id("bench").first
    expect(bench).to_have_attribute("data-state", "ready", timeout=120_000)
    # A word that is asked travels through the proxy's websocket, and so does the answer.
    field = inside.get_by_test_id("word-input")
    field.fill("librarian")
    field.press("Enter")
    expect(inside.get_by_test_id("verdict")).to_contain_text("librarian")
    inside.get_by_role("link", name="Word lists").click()
    expect(inside.get_by_test_id("summary")).to_contain_text("word lists to use")


def test_the_help_menu_opens_the_lessons_and_keeps_what_was_written_in_them(
    lab: JupyterLab, page: Page
) -> None:
    lab.load(page, WORKSPACE)
    choose_help(page, "biaslab: lessons")
    page.wait_for_function(
        "window.jupyterapp.shell.currentWidget?.context?.path === 'biaslab-lessons/index.ipynb'"
    )
    folder = lab.root / "biaslab-lessons"
    assert sorted(path.name for path in folder.glob("*.ipynb")) == [
        "index.ipynb",
        *(f"lesson-{n}.ipynb" for n in range(9)),
        "your-own.ipynb",
    ]
    later = folder / "lesson-3.ipynb"
    later.write_text(later.read_text(encoding="utf-8").replace("lesson", "LESSON"))
    written = later.read_text(encoding="utf-8")
    choose_help(page, "biaslab: lessons")
    expect(page.get_by_role("tab", name="index.ipynb")).to_have_count(1)
    assert later.read_text(encoding="utf-8") == written
