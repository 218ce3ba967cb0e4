"""In a notebook a bench is an ordinary widget, and a picture where there is no kernel."""

from __future__ import annotations

import base64
import html as html_text

import pytest
from playwright.sync_api import Browser, expect

from biaslab.subjects.load import bundled_names
from harness.heavy import nbconvert, nbformat
from harness.psychometric import PsychometricPage, counts_at, differences
from harness.psychometric_hosts import NotebookHost
from harness.server import wait_until
from harness.watched_page import WatchedPage

pytestmark = pytest.mark.parametrize("host_name", ["jupyterlab"])

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def notebook(host: NotebookHost) -> NotebookHost:
    """The notebook's host by its own type."""
    assert isinstance(host, NotebookHost)
    return host


def test_setting_traits_in_python_moves_the_screen(notebook: NotebookHost) -> None:
    bench = notebook.bench()
    notebook.run("bench.word = 'electrician'; bench.curve = 'logistic'; bench.alpha = 0.4")
    result = notebook.result(bench, word="electrician", curve="logistic", alpha=0.4)
    expect(bench.part("verdict")).to_have_text(" ".join(result.verdict("electrician")))
    expect(bench.part("alpha-value")).to_have_attribute("data-value", "0.4")
    expect(bench.part("word-input")).to_have_value("electrician")
    expect(bench.part("curve-logistic")).to_be_checked()
    assert differences(bench.shown(), result) == {}


def test_observers_in_python_see_what_a_person_does_with_its_result(
    notebook: NotebookHost,
) -> None:
    bench = notebook.bench()
    notebook.run(
        "seen = []\n"
        "look = lambda change: seen.append([change.name, change.new, bench.result.items[0]])\n"
        "bench.observe(look, names=['word', 'alpha'])"
    )
    bench.part("alpha-handle").focus()
    notebook.page.keyboard.press("End")
    bench.settle()
    bench.type_word("teacher")
    bench.settle()
    assert notebook.value("seen") == [["alpha", 1, "nurse"], ["word", "teacher", "teacher"]]
    notebook.run("bench.unobserve(look, names=['word', 'alpha'])")


def test_it_sits_in_a_box_beside_a_slider_that_is_linked_in_the_page(
    notebook: NotebookHost,
) -> None:
    notebook.show_cell(
        'bench = PsychometricBench(subject, word="nurse")\n'
        'slider = widgets.FloatSlider(min=0, max=1, step=0.01, description="alpha")\n'
        'link = widgets.jslink((bench, "alpha"), (slider, "value"))\n'
        "widgets.HBox([bench, slider])"
    )
    bench = PsychometricPage.on(notebook.page).settle()
    result = notebook.result(bench)
    slider = notebook.page.locator(".widget-slider [role=slider]")
    bench_box, slider_box = bench.root.bounding_box(), slider.bounding_box()
    assert bench_box is not None
    assert slider_box is not None
    assert bench_box["x"] + bench_box["width"] <= slider_box["x"]
    assert bench_box["y"] <= slider_box["y"] <= bench_box["y"] + bench_box["height"]

    slider.focus()
    for _ in range(3):
        notebook.page.keyboard.press("ArrowRight")
    expect(bench.part("alpha-value")).to_have_attribute("data-value", "0.53")
    assert bench.shown().counts == counts_at(result, 0.53)
    notebook.wait_for("[bench.alpha, slider.value]", [0.53, 0.53])

    bench.part("alpha-handle").focus()
    notebook.page.keyboard.press("Home")
    bench.settle()
    expect(slider).to_have_attribute("aria-valuenow", "0.0")
    notebook.wait_for("[bench.alpha, slider.value]", [0, 0])


def test_two_benches_on_one_page_do_not_disturb_each_other(notebook: NotebookHost) -> None:
    notebook.show_cell(
        'one = PsychometricBench(subject, word="nurse")\n'
        'two = PsychometricBench(subject, word="teacher")\n'
        "widgets.VBox([one, two])"
    )
    first, second = (PsychometricPage.on(notebook.page, number).settle() for number in (0, 1))
    before = second.shown()
    first.type_word("electrician")
    first.slide("noise", 0.2)
    first.part("curve-gumbel").check()
    first.part("alpha-handle").focus()
    notebook.page.keyboard.press("Home")
    first.settle()
    assert second.shown() == before
    assert notebook.value("[two.word, two.noise, two.curve, two.alpha]") == [
        *("teacher", 0, "normal", 0.5)
    ]
    assert notebook.value("[one.word, one.noise, one.curve, one.alpha]") == [
        *("electrician", 0.2, "gumbel", 0)
    ]
    kept = first.shown()
    second.type_word("librarian")
    second.settle()
    assert first.shown() == kept


def test_a_bench_shown_twice_stays_in_step(notebook: NotebookHost) -> None:
    notebook.show_cell(
        'bench = PsychometricBench(subject, word="nurse"); widgets.VBox([bench, bench])'
    )
    first, second = (PsychometricPage.on(notebook.page, number).settle() for number in (0, 1))
    for acting, other in ((first, second), (second, first)):
        acting.type_word("electrician" if acting is first else "teacher")
        acting.settle()
        acting.part("alpha-handle").focus()
        for key in ("Home", "ArrowRight", "ArrowRight"):
            notebook.page.keyboard.press(key)
        acting.settle()
        shown = acting.shown()
        expect(other.root).to_have_attribute("data-generation", str(shown.generation))
        wait_until(lambda o=other, s=shown: o.shown() == s, "the same state in the other view")
        assert shown.alpha == 0.02
        assert differences(shown, notebook.result(acting, alpha=0.02)) == {}


def test_letters_typed_into_it_are_no_commands_to_jupyterlab(notebook: NotebookHost) -> None:
    bench = notebook.bench()
    bench.part("word-input").click()
    notebook.page.keyboard.type("abdd")
    expect(bench.part("word-input")).to_have_value("abdd")
    bench.settle("error")
    notebook.page.keyboard.press("Control+a")
    notebook.page.keyboard.type("nurse")
    notebook.page.keyboard.press("Enter")
    bench.settle()
    content = "window.jupyterapp.shell.currentWidget.content"
    assert notebook.page.evaluate(f"{content}.model.cells.length") == 1
    assert notebook.page.evaluate(f"{content}.selectedCells.length") == 1


def test_without_arguments_it_offers_the_bundled_subjects(notebook: NotebookHost) -> None:
    if "wiki-bootstraps" not in bundled_names():
        pytest.skip("wiki-bootstraps is not bundled yet")
    notebook.show_cell('bench = PsychometricBench(word="engineer"); bench')
    bench = PsychometricPage.on(notebook.page).settle()
    expect(bench.part("provenance")).to_contain_text("wiki-bootstraps")
    expect(bench.part("subject-select")).to_have_value("wiki-bootstraps")
    bench.pool_all_pairs()
    bench.settle()
    result = notebook.result(bench, selected_pairs=list(range(8)))
    assert result.n_observers > 1
    assert differences(bench.shown(), result) == {}


def test_a_cell_does_not_wait_for_a_slow_subject_and_nothing_jumps_when_it_comes(
    notebook: NotebookHost,
) -> None:
    notebook.show_cell(
        "import threading\n"
        "from biaslab_widgets.core import sources\n"
        "gate = threading.Event()\n"
        "load_shared = sources.load_shared\n"
        "def load(source, on_progress):\n"
        "    on_progress(1, 4)\n"
        "    gate.wait()\n"
        "    return subject\n"
        "sources.load_shared = load\n"
        'bench = PsychometricBench("slow", word="nurse"); bench'
    )
    bench = PsychometricPage.on(notebook.page).settle("loading")
    expect(bench.part("message-title")).to_contain_text("Loading slow")
    expect(bench.part("progress")).to_have_attribute("aria-valuenow", "25")
    place = "root => [root.getBoundingClientRect(), root.querySelector('.drawing')"
    place += ".getBoundingClientRect()].map(b => [b.x, b.y, b.width, b.height].map(Math.round))"
    loading = bench.root.evaluate(place)
    notebook.run("gate.set(); sources.load_shared = load_shared")
    bench.settle()
    assert bench.root.evaluate(place) == loading
    assert differences(bench.shown(), notebook.result(bench)) == {}


def test_when_no_answer_comes_the_person_is_told_and_a_late_one_still_counts(
    notebook: NotebookHost,
) -> None:
    notebook.show_cell(
        "import threading\n"
        "gate = threading.Event(); gate.set()\n"
        "class Busy(bl.EmbeddingEnsemble):\n"
        "    def vectors(self, terms):\n"
        "        gate.wait()\n"
        "        return subject.vectors(terms)\n"
        "words = list(subject.words)\n"
        'bench = PsychometricBench(Busy(words, subject.vectors(words)), word="nurse"); bench'
    )
    bench = PsychometricPage.on(notebook.page).settle()
    notebook.run("gate.clear()")
    bench.type_word("electrician")
    expect(bench.part("overdue")).to_contain_text("No answer yet")
    expect(bench.part("word-input")).to_have_value("electrician")
    notebook.run("gate.set()")
    expect(bench.part("overdue")).to_have_count(0)
    bench.settle()
    assert differences(bench.shown(), notebook.result(bench, word="electrician")) == {}


def test_without_a_kernel_the_notebook_shows_a_picture(
    notebook: NotebookHost, browser: Browser
) -> None:
    bench = notebook.show().settle()
    verdict = bench.shown().verdict or ""
    notebook.page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
    saved = nbformat.read(notebook.notebook, as_version=4)
    (output,) = saved.cells[0].outputs
    assert WIDGET_VIEW in output.data
    assert "".join(output.data["image/svg+xml"]).startswith("<svg")
    assert "widgets" not in saved.metadata

    html, _ = nbconvert.HTMLExporter().from_notebook_node(saved)
    page = WatchedPage(browser, java_script_enabled=False)
    try:
        page.page.set_content(html)
        picture = page.page.locator("img[src^='data:image/svg+xml']")
        expect(picture).to_be_visible()
        source = picture.get_attribute("src") or ""
        svg = base64.b64decode(source.partition("base64,")[2]).decode()
        assert verdict in html_text.unescape(svg)
        box = picture.bounding_box()
        assert box is not None
        assert box["width"] > 300
    finally:
        page.close()
