"""The lessons as a student meets them: run all cells, predict, read, answer.

Lesson 1 shows how predictions and the experiment work; ``make validate`` opens the others, and
benches behind a reveal.
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


def predict(page: Page, question: str, answer: str) -> None:
    asked = prediction(page, question)
    asked.get_by_label(answer, exact=True).check()
    asked.get_by_role("button", name="Commit").click()


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


@pytest.mark.validate
def test_the_tour_shows_both_benches_and_leaves_its_file(lab: JupyterLab, page: Page) -> None:
    open_and_run(lab, page, "lesson-0", "three.to_csv", 6500)
    expect(page.get_by_test_id("verdict").first).to_be_visible()
    expect(page.get_by_text("Point of subjective equality", exact=True)).to_be_visible()
    assert (lab.root / "lesson-0.csv").read_text(encoding="utf-8").startswith("item,")


@pytest.mark.validate
def test_lesson_2_draws_chance_and_shows_the_bench(lab: JupyterLab, page: Page) -> None:
    open_and_run(lab, page, "lesson-2", "AssociationBench(", 14_000)
    expect(page.get_by_text(CLOSED)).to_have_count(3)
    pass_by(page, "How often will the effect size be 1")
    expect(page.locator("svg text", has_text="the paper: 1.82")).to_be_visible()
    predict(page, "Of the seven words for men", "all seven")
    told = "Result: one to three (you predicted: all seven)."
    expect(page.get_by_text(told)).to_be_visible()
    expect(page.locator("svg text", has_text="nearer to women's")).to_be_visible()
    expect(page.get_by_test_id("verdict")).to_be_visible()


@pytest.mark.validate
def test_lesson_4_withholds_the_headline_and_tests_both_models(lab: JupyterLab, page: Page) -> None:
    open_and_run(lab, page, "lesson-4", "bench = SentenceBench(", 16_000)
    expect(page.get_by_text(CLOSED)).to_have_count(6)
    expect(page.get_by_text("A headline:")).to_have_count(0)
    pass_by(page, "16 attributes, 12 sentences each.")
    predict(page, "if mathematics alone is asked", "near 50 %")
    told = "Result: far above 50 % (you predicted: near 50 %)."
    expect(page.get_by_text(told)).to_be_visible()
    expect(page.get_by_text("A headline:")).to_be_visible()
    page.get_by_role("button", name="Test", exact=True).click()
    expect(page.get_by_test_id("verdict").first).to_contain_text("wiki-mlm", timeout=120_000)


@pytest.mark.validate
def test_lesson_3_withholds_its_stories_and_runs_the_bench(lab: JupyterLab, page: Page) -> None:
    open_and_run(lab, page, "lesson-3", "PosteriorBench(", 14_000)
    expect(page.get_by_text(CLOSED)).to_have_count(4)
    expect(page.get_by_text("walker 1")).to_have_count(0)
    predict(page, "Which group should be believed?", "both")
    told = "Result: neither (you predicted: both)."
    expect(page.get_by_text(told)).to_be_visible()
    expect(page.get_by_text("walker 1")).to_be_visible()
    expect(page.get_by_text("Do not trust yet, because").first).to_be_visible()
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("trust")).to_have_attribute("data-trust", "yes", timeout=120_000)


@pytest.mark.validate
def test_lesson_5_tests_the_portraits_and_withholds_the_curve(lab: JupyterLab, page: Page) -> None:
    open_and_run(lab, page, "lesson-5", "OCCUPATIONS = (", 18_000)
    expect(page.get_by_text(CLOSED)).to_have_count(6, timeout=120_000)
    predict(page, "counted instead of added up", "within a point of 50")
    told = "Result: clearly away from 50 (you predicted: within a point of 50)."
    expect(page.get_by_text(told)).to_be_visible()
    pass_by(page, "A nurse. At which share of man")
    search = page.locator(".widget-vbox").filter(has_text="nurse, portrait 1 of 3").last
    expect(search.get_by_role("img", name="Drawn portrait, nurse")).to_be_visible(timeout=120_000)
    search.get_by_role("slider").press("ArrowRight")
    expect(search.get_by_text("51", exact=True)).to_be_visible()
    page.get_by_role("button", name="Here both are equally probable").click()
    expect(page.get_by_text("it still answers “a woman” more readily")).to_be_visible()
    lab.run_cell(page, "search.move(0.7); search.mark()")
    expect(page.get_by_text("nurse, portrait 2 of 3.")).to_be_visible()
    curve = page.locator("svg text", has_text="PSE")
    expect(curve).to_have_count(0)
    page.get_by_role("button", name="Show the curve without searching").click()
    expect(page.get_by_text("You found 70 %: on average 70 %.")).to_be_visible()
    expect(curve.first).to_be_visible()
    page.get_by_role("button", name="Test", exact=True).click()
    verdict = page.get_by_test_id("verdict").first
    expect(verdict).to_contain_text("with the stereotype", timeout=120_000)


@pytest.mark.validate
def test_lesson_6_withholds_its_ratings_and_runs_the_bench(lab: JupyterLab, page: Page) -> None:
    open_and_run(lab, page, "lesson-6", "bench = RatingBench(", 14_000)
    expect(page.get_by_text(CLOSED)).to_have_count(5)
    expect(page.get_by_text("This service follows nothing at all.")).to_have_count(0)
    predict(page, "C says he every time.", "BS")
    told = "Result: DSBS (you predicted: BS)."
    expect(page.get_by_text(told)).to_be_visible()
    expect(page.get_by_text("This service follows nothing at all.")).to_be_visible()
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("tree-corrected")).to_be_visible(timeout=120_000)
    verdict = page.get_by_test_id("verdict").first
    expect(verdict).to_contain_text("The paper's rule would call it DSBS.")


@pytest.mark.validate
def test_lesson_7_withholds_its_gaps_and_runs_the_bench(lab: JupyterLab, page: Page) -> None:
    open_and_run(lab, page, "lesson-7", "bench = DecisionBench(", 14_000)
    expect(page.get_by_text(CLOSED)).to_have_count(7)
    expect(page.get_by_text("the better formula is fooled")).to_have_count(0)
    predict(page, "The Black-sounding name is always A, and the decider", "no clear gap")
    told = "Result: Black-sounding names seem to be favoured (you predicted: no clear gap)."
    expect(page.get_by_text(told)).to_be_visible()
    expect(page.get_by_text("the better formula is fooled")).to_be_visible()
    page.get_by_test_id("run").click()
    verdict = page.get_by_test_id("verdict").first
    expect(verdict).to_contain_text("favours white-sounding names", timeout=120_000)
