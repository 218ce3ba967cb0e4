"""The psychometric bench in JupyterLab and in the app: one visit, from no word to a saved run."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect

from biaslab.files.csv_text import frame_text
from biaslab.probes.psychometrics import TwoAFCResult
from harness.psychometric import AppHost, Host, NotebookHost, PsychometricPage, differences, says
from harness.story import colours, drawing, eventually, hosts, saved, themes_are_those_of_the_host

LIBRARY_MS = 120_000
"""The first language model that a server opens brings its library with it."""
host = hosts(NotebookHost, AppHost)


def test_story(host: Host) -> None:
    view = host.show(word="")
    a_misspelt_word_is_mended_by_keys(host, view)
    options_are_chosen_by_keys(host, view)
    eventually(lambda: the_screen_is(host.result(), view))
    files_hold(host.result(), view)
    themes_are_those_of_the_host(host, view)
    a_saved_run_opens_beside_it_and_neither_disturbs_the_other(host, view)
    if isinstance(host, NotebookHost):
        python_sees_what_a_person_does(host, view)
        a_second_view_and_a_linked_slider_stay_in_step(host, view)
    else:
        a_language_model_is_asked(view)


def a_misspelt_word_is_mended_by_keys(host: Host, view: PsychometricPage) -> None:
    view.settle("empty")
    view.part("word-input").focus()
    # Without the field these letters are commands of JupyterLab.
    host.page.keyboard.type("librarien")
    host.page.keyboard.press("Enter")
    view.settle("error")
    expect(view.part("message-title")).to_contain_text("librarien")
    expect(view.part("message-action").first).to_have_text("librarian")
    view.part("message-action").first.press("Enter")
    view.settle()
    expect(view.part("word-input")).to_have_value("librarian")
    if isinstance(host, NotebookHost):
        cells = "window.jupyterapp.shell.currentWidget.content.model.cells.length"
        eventually(lambda: _is(host.page.evaluate(cells), 1))


def options_are_chosen_by_keys(host: Host, view: PsychometricPage) -> None:
    for part, *keys in (
        ("noise", *["ArrowRight"] * 5),
        ("curve-normal", "ArrowRight"),
        ("pair-picker", "Enter"),
        ("pairs-all", "Enter", "Escape"),
        ("alpha-handle", "ArrowRight", "Shift+ArrowRight"),
        ("residuals-switch", "Space"),
    ):
        view.part(part).focus()
        for key in keys:
            host.page.keyboard.press(key)
    expect(view.part("pair-picker")).not_to_have_attribute("aria-expanded", "true")
    view.settle()
    host.holds("alpha", 0.61)
    host.holds("noise", 0.05)


def the_screen_is(result: TwoAFCResult, view: PsychometricPage) -> None:
    """Estimates, intervals, counts, raw responses and residuals are those of the result."""
    assert (result.fit.family, len(result.pairs), result.noise) == ("logistic", 8, 0.05)
    assert differences(view.shown(), result) == {}
    check = result.fit_check
    assert check is not None
    drawn = view.part("residual").evaluate_all("all => all.map(e => Number(e.dataset.value))")
    assert drawn == pytest.approx(check.residual[0], abs=6e-6)


def files_hold(result: TwoAFCResult, view: PsychometricPage) -> None:
    again = view.exported_result(TwoAFCResult)
    assert again.summary() == result.summary()
    assert np.array_equal(again.switch, result.switch)
    for what, frame in (("estimates", again.to_frame()), ("responses", again.raw_frame())):
        name, content = view.export("export-csv", f"csv-{what}")
        assert (name, content.decode()) == ("two-afc-librarian.csv", frame_text(frame))
    assert "librarian" in drawing(view)
    assert colours(view) > 10


def a_saved_run_opens_beside_it_and_neither_disturbs_the_other(
    host: Host, view: PsychometricPage
) -> None:
    before = _said(view)
    with host.beside(view, saved(view)) as again:
        eventually(lambda: _is(_said(again.settle()), before))
        again.type_word("engineer")
        again.settle()
        eventually(lambda: _is(_said(view), before))
        again.slide("noise", 0.3)  # on its way when the bench leaves
    view.type_word("teacher")
    view.settle()
    expect(view.part("verdict")).to_contain_text("teacher")


def _said(view: PsychometricPage) -> dict[str, object]:
    """All that the screen says, whatever it was answered before and however wide it is."""
    return {**vars(view.shown()), "generation": 0, "chips": {}}


def _is(found: object, expected: object) -> None:
    assert found == expected


def python_sees_what_a_person_does(host: NotebookHost, view: PsychometricPage) -> None:
    host.run(
        "seen = []\n"
        "look = lambda change: seen.append([change.name, change.new, bench.result.items[0]])\n"
        "bench.observe(look, names=['word', 'alpha'])"
    )
    view.part("alpha-handle").focus()
    host.page.keyboard.press("End")
    view.settle()
    view.type_word("nurse")
    view.settle()
    host.wait_for("seen", [["alpha", 1, "teacher"], ["word", "nurse", "nurse"]])
    host.run("bench.word = 'lawyer'; bench.curve = 'gumbel'; bench.alpha = 0.4")
    expect(view.part("word-input")).to_have_value("lawyer")
    expect(view.part("curve-gumbel")).to_be_checked()
    expect(view.part("alpha-value")).to_have_attribute("data-value", "0.4")
    expect(view.part("verdict")).to_contain_text("lawyer")


def a_second_view_and_a_linked_slider_stay_in_step(
    host: NotebookHost, view: PsychometricPage
) -> None:
    host.run(
        "slider = widgets.FloatSlider(min=0, max=1, step=0.01)\n"
        "link = widgets.jslink((bench, 'alpha'), (slider, 'value'))\n"
        "below.children = [widgets.HBox([bench, slider])]"
    )
    second = PsychometricPage.on(host.page, 1).settle()
    slider = host.page.locator(".widget-slider [role=slider]")
    slider.focus()
    host.page.keyboard.press("ArrowRight")
    for one in (view, second):
        expect(one.part("alpha-value")).to_have_attribute("data-value", "0.41")
    second.part("alpha-handle").focus()
    host.page.keyboard.press("Home")
    expect(view.part("alpha-value")).to_have_attribute("data-value", "0")
    expect(slider).to_have_attribute("aria-valuenow", "0.0")
    host.wait_for("[bench.alpha, slider.value]", [0, 0])
    second.type_word("nurse")
    second.settle()
    eventually(lambda: _is(_said(view), _said(second)))


def a_language_model_is_asked(view: PsychometricPage) -> None:
    view.type_word("nurse")
    view.part("pair-picker").click()
    view.part("pair-only-1").click()
    view.page.keyboard.press("Escape")
    view.part("subject-select").select_option("wiki-clm")
    view.settle(timeout=LIBRARY_MS)
    result = view.exported_result(TwoAFCResult)
    eventually(lambda: the_screen_is_of_the_model(result, view))
    view.part("raw-chip").first.hover()
    expect(view.part("readout")).to_contain_text("Frame 1")
    expect(view.part("frame")).to_have_text(result.observer_names[0])


def the_screen_is_of_the_model(result: TwoAFCResult, view: PsychometricPage) -> None:
    shown, word = view.shown(), result.items[0]
    assert shown.verdict == " ".join(result.verdict(word))
    pse, jnd = float(result.pse[0]), float(result.jnd[0])
    assert (shown.pse, shown.jnd) == pytest.approx((pse, jnd), abs=1e-6)
    assert says(shown.pse_text, 100 * pse)
    ends = np.clip(result.pooled.corpus[0], -1e9, 1e9)  # what a page is sent for infinity
    assert shown.corpus == pytest.approx(tuple(ends), abs=1e-6)
    second = float(result.responses([shown.alpha], item=word).sum())
    rows = result.answers.shape[0] * result.answers.shape[2]
    assert shown.rows == rows
    assert shown.counts == pytest.approx((rows - second, second), abs=0.051)
