"""The lessons as a student meets them: run all cells, predict, read, answer.

Lesson 1 shows how predictions and the experiment work; ``make validate`` opens a bench behind a
reveal. What the others withhold and claim, ``tests/notebooks/test_lessons.py`` tries in a kernel.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from harness.heavy import nbformat
from harness.jupyter_lab import JupyterLab

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
CLOSED = "The answer appears here once you have committed your prediction above."


def open_and_run(lab: JupyterLab, page: Page, name: str, last: str, height: int) -> None:
    """Run a lesson up to the cell with a line that begins so, on a page of that height.

    JupyterLab renders only the cells in sight.
    """
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    begins = re.compile(f"^{re.escape(last)}", re.MULTILINE)
    end = next(n for n, cell in enumerate(notebook.cells) if begins.search(cell.source))
    notebook.cells = notebook.cells[: end + 1]
    path = lab.root / f"{name}-{end}.ipynb"
    (lab.root / "predictions.json").unlink(missing_ok=True)
    nbformat.write(notebook, path)
    page.set_viewport_size({"width": 1280, "height": height})
    lab.open(page, path)
    lab.run_all(page)


def prediction(page: Page, question: str) -> Locator:
    """The prediction that asks so."""
    return page.locator(".biaslab-question").filter(
        has=page.get_by_role("group", name=question, include_hidden=True)
    )


def pass_by(page: Page, question: str) -> None:
    prediction(page, question).get_by_role("button", name="Show without").click()


def test_predictions_open_what_is_below_them_and_an_experiment_ends_with_a_curve(
    lab: JupyterLab, page: Page
) -> None:
    """Arrow keys and the space bar select; only the button commits. Then it is kept."""
    open_and_run(lab, page, "lesson-1", "%%text_after fins", 6500)
    expect(page.get_by_text(CLOSED)).to_have_count(2)
    expect(page.get_by_text("are you prejudiced about boxes?")).to_have_count(0)
    expect(page.get_by_role("button", name="Start", exact=True)).to_have_count(0)
    large, small = (
        prediction(page, "Which box feels heavier?").get_by_label(name)
        for name in ("the large one", "the small one")
    )
    large.focus()
    page.keyboard.press("ArrowDown")
    expect(small).to_be_focused()
    expect(small).to_be_checked()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    expect(large).to_be_checked()
    assert lab.run_cell(page, "print(heavier.choice)").strip() == "None"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("You predicted: the large one.")).to_be_visible()
    told = "Result: the small one (you predicted: the large one)."
    expect(page.get_by_text(told)).to_be_visible()
    expect(page.get_by_text("are you prejudiced about boxes?")).to_be_visible()
    expect(page.get_by_text(CLOSED)).to_have_count(1)
    kept = json.loads((lab.root / "predictions.json").read_text(encoding="utf-8"))
    assert kept == {"Which box feels heavier?": "the large one"}
    pass_by(page, "What will differ")
    expect(page.locator("svg text", has_text="sloppy")).to_be_visible()

    pass_by(page, "What will your own answers show?")
    page.get_by_role("button", name="Start", exact=True).click()
    for trial, key in enumerate(("f", "j", "ArrowUp", "ArrowDown"), start=1):
        expect(page.get_by_text(f"Trial {trial} of 35")).to_be_visible()
        expect(page.get_by_role("img", name="Two horizontal lines with fins")).to_be_visible()
        page.keyboard.press(key)
    expect(page.get_by_text("Trial 5 of 35")).to_be_visible()
    page.get_by_role("button", name="Upper line").click()
    expect(page.get_by_text("Trial 6 of 35")).to_be_visible()
    assert lab.run_cell(page, "print(experiment.asked.sum())").strip() == "5"
    lab.run_cell(page, "while not experiment.done: experiment.answer(upper=True)")
    expect(page.get_by_role("button", name="Once more")).to_be_visible()
    page.get_by_role("button", name="Let a simulated observer answer").click()
    expect(page.get_by_text("A simulated observer has answered")).to_be_visible()
    expect(page.locator("svg text", has_text="it is called longer, %")).to_be_visible()


@pytest.mark.validate
def test_a_reveal_shows_a_bench(lab: JupyterLab, page: Page) -> None:
    open_and_run(lab, page, "lesson-1", "agreement = ", 12_000)
    pass_by(page, "PSE (pooled over all pairs)")
    expect(page.get_by_text("Point of subjective equality", exact=True)).to_be_visible()
