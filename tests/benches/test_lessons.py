"""The lessons as a student meets them: run all cells, predict, read, answer.

Lesson 1 shows how the experiment works; ``make validate`` opens the others, predictions, and
benches behind a reveal.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from harness.heavy import nbformat
from harness.jupyter_lab import JupyterLab

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
CLOSED = "The answer appears here once you have made your prediction above."


def open_and_run(lab: JupyterLab, page: Page, name: str, last: str, height: int) -> None:
    """Run a lesson up to the cell that begins with ``last``, on a page of that height.

    JupyterLab renders only the cells in sight.
    """
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    end = next(n for n, cell in enumerate(notebook.cells) if cell.source.startswith(last))
    notebook.cells = notebook.cells[: end + 1]
    path = lab.root / f"{name}-{end}.ipynb"
    nbformat.write(notebook, path)
    page.set_viewport_size({"width": 1280, "height": height})
    lab.open(page, path)
    lab.run_all(page)


def prediction(page: Page, question: str) -> Locator:
    """The prediction that asks so."""
    return page.locator(".widget-vbox").filter(has_text=question).last


@pytest.mark.validate
def test_a_prediction_opens_its_reveal_and_no_other(lab: JupyterLab, page: Page) -> None:
    open_and_run(lab, page, "lesson-1", "sloppy = ", 3500)
    expect(page.get_by_text(CLOSED)).to_have_count(2)
    prediction(page, "Which box feels heavier?").get_by_label("the large one").check()
    told = "Result: the small one (you predicted: the large one)."
    expect(page.get_by_text(told)).to_be_visible()
    expect(page.get_by_text(CLOSED)).to_have_count(1)
    prediction(page, "What will differ").get_by_role("button").click()
    expect(page.locator("svg text", has_text="sloppy")).to_be_visible()


@pytest.mark.validate
def test_a_reveal_shows_a_bench(lab: JupyterLab, page: Page) -> None:
    open_and_run(lab, page, "lesson-1", "agreement = ", 12_000)
    prediction(page, "PSE (pooled over all pairs)").get_by_role("button").click()
    expect(page.get_by_text("Point of subjective equality", exact=True)).to_be_visible()


def test_the_experiment_asks_counts_and_ends_with_a_curve(lab: JupyterLab, page: Page) -> None:
    open_and_run(lab, page, "lesson-1", "experiment = ", 4500)
    page.get_by_role("button", name="Start", exact=True).click()
    for trial, button in ((1, "Upper line"), (2, "Lower line")):
        expect(page.get_by_text(f"Trial {trial} of 35")).to_be_visible()
        expect(page.get_by_role("img", name="Two horizontal lines with fins")).to_be_visible()
        page.get_by_role("button", name=button).click()
    expect(page.get_by_text("Trial 3 of 35")).to_be_visible()
    assert lab.run_cell(page, "print(experiment.asked.sum())").strip() == "2"
    lab.run_cell(page, "while not experiment.done: experiment.answer(upper=True)")
    expect(page.get_by_role("button", name="Once more")).to_be_visible()
    page.get_by_role("button", name="Let a simulated observer answer").click()
    expect(page.get_by_text("A simulated observer has answered")).to_be_visible()
    expect(page.locator("svg text", has_text="it is called longer, %")).to_be_visible()


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
    prediction(page, "How often will the effect size be 1").get_by_role("button").click()
    expect(page.locator("svg text", has_text="the paper: 1.82")).to_be_visible()
    prediction(page, "Of the seven words for men").get_by_label("all seven").check()
    told = "Result: one to three (you predicted: all seven)."
    expect(page.get_by_text(told)).to_be_visible()
    expect(page.locator("svg text", has_text="nearer to women's")).to_be_visible()
    expect(page.get_by_test_id("verdict")).to_be_visible()


@pytest.mark.validate
def test_lesson_4_withholds_the_headline_and_tests_both_models(lab: JupyterLab, page: Page) -> None:
    open_and_run(lab, page, "lesson-4", "bench = SentenceBench(", 16_000)
    expect(page.get_by_text(CLOSED)).to_have_count(6)
    expect(page.get_by_text("A headline:")).to_have_count(0)
    prediction(page, "if mathematics alone is asked").get_by_label("near 50 %").check()
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
    prediction(page, "Which group should be believed?").get_by_label("both").check()
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
    prediction(page, "counted instead of added up").get_by_label("within a point of 50").check()
    told = "Result: clearly away from 50 (you predicted: within a point of 50)."
    expect(page.get_by_text(told)).to_be_visible()
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
    prediction(page, "C says he every time.").get_by_label("BS", exact=True).check()
    told = "Result: DSBS (you predicted: BS)."
    expect(page.get_by_text(told)).to_be_visible()
    expect(page.get_by_text("This service follows nothing at all.")).to_be_visible()
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("tree-corrected")).to_be_visible(timeout=120_000)
    verdict = page.get_by_test_id("verdict").first
    expect(verdict).to_contain_text("The paper's rule would call it DSBS.")
