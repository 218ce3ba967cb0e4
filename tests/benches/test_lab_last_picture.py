"""A saved notebook keeps the last picture of a bench, and a bench says when its kernel is gone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from harness.decision_hosts import ENDLESS, INPUTS, Decisions
from harness.heavy import nbconvert, nbformat
from harness.jupyter_lab import JupyterLab
from harness.server import wait_until
from harness.watched_page import WatchedPage

SUBJECT = (
    "import biaslab as bl\n"
    "from biaslab_widgets import PsychometricBench\n"
    'pse = {"nurse": 0.6, "teacher": 0.5, "clerk": 0.4}\n'
    "subject = bl.observers.embedding(pse=pse, jnd=0.05, replicates=8, seed=1)"
)
BENCH = 'bench = PsychometricBench(subject, word="nurse")\nbench'
PICTURE = "image/svg+xml"
GONE = "The kernel is gone; this is the last result"


def holds(page: Page, notebook: Path, word: str) -> None:
    """Save the notebook when the picture shows a word, and wait until the file has it."""
    page.wait_for_function(
        """([type, word]) => {
            const { cells } = window.jupyterapp.shell.currentWidget.content.model;
            return cells.get(1).outputs.toJSON().some(one => `${one.data?.[type]}`.includes(word));
        }""",
        arg=[PICTURE, word],
    )
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save').then(() => null)")

    def is_written() -> bool:
        (output,) = json.loads(notebook.read_text(encoding="utf-8"))["cells"][1]["outputs"]
        return word in "".join(output["data"][PICTURE])

    wait_until(is_written, f"A picture of {word}")


def restart(page: Page) -> None:
    """Restart the kernel, as its button does."""
    page.evaluate(
        "window.jupyterapp.shell.currentWidget.context.sessionContext.restartKernel()"
        ".then(() => null)"
    )


def test_the_saved_notebook_has_the_last_picture_and_the_view_stays(
    lab: JupyterLab, page: Page, watch: WatchedPage
) -> None:
    watch.allow("widget model not found")  # ipywidgets says so of each view without a kernel
    notebook = lab.write_notebook("last.ipynb", [SUBJECT, BENCH])
    lab.open(page, notebook)
    lab.run_all(page)
    bench = page.get_by_test_id("bench")
    expect(bench).to_have_attribute("data-state", "ready")
    bench.evaluate("bench => { bench.dataset.planted = 'yes'; }")
    lab.run_cell(page, "bench.word = 'teacher'")
    holds(page, notebook, "teacher")
    expect(bench).to_have_attribute("data-planted", "yes")

    html, _ = nbconvert.HTMLExporter().from_filename(str(notebook))
    assert "data:image/svg+xml;base64," in html

    # The outputs of a notebook that was opened again are known to no front end.
    page.reload()
    page.wait_for_function("window.jupyterapp !== undefined")
    page.evaluate("window.jupyterapp.restored.then(() => null)")
    expect(bench).to_have_attribute("data-state", "ready")
    lab.run_cell(page, "bench.word = 'clerk'")
    holds(page, notebook, "clerk")

    # Without its kernel it shows the last picture.
    lab.close(page)
    lab.open(page, notebook)
    picture = page.get_by_test_id("last-picture")
    expect(picture).to_contain_text(GONE)
    expect(picture).to_contain_text("clerk, simulated observers")
    shows_an_image(picture)


def shows_an_image(picture: Locator) -> None:
    """Wait until the image of a picture is there, as large as it was drawn."""
    image = picture.get_by_role("img")
    expect(image).to_have_js_property("complete", True)
    wait_until(lambda: bool(image.evaluate("image => image.naturalWidth") > 300), "An image")


def test_benches_whose_kernel_is_gone_say_so_and_settings_come_back(
    lab: JupyterLab, page: Page, watch: WatchedPage
) -> None:
    watch.allow("widget model not found")
    run = f"from biaslab_widgets import DecisionBench\nDecisionBench(**{INPUTS | ENDLESS!r})"
    notebook = lab.write_notebook("gone.ipynb", [SUBJECT, BENCH, run])
    page.set_viewport_size({"width": 1280, "height": 2000})  # JupyterLab renders what is in sight
    lab.open(page, notebook)
    lab.run_all(page)
    bench = page.get_by_test_id("bench").first
    expect(bench).to_have_attribute("data-state", "ready")
    lab.run_cell(page, "bench.word = 'teacher'; bench.noise = 0.1")
    holds(page, notebook, "teacher")
    field = page.get_by_test_id("word-input")
    expect(field).to_have_value("teacher")
    decisions = Decisions.on(page, 1).settle("empty").begin()

    # A run keeps its answers, in grey.
    restart(page)
    expect(page.get_by_test_id("kernel-gone")).to_contain_text([GONE, GONE])
    assert decisions.trials() > 0
    expect(field).to_have_value("teacher")
    for part in (field, decisions.part("run")):
        # once: the kernel is known to be gone
        assert part.evaluate("part => part.closest('[inert]') !== null")

    lab.run_cell(page, SUBJECT)
    page.get_by_role("button", name="Run this cell again").first.click()
    expect(page.get_by_test_id("kernel-gone")).to_have_count(1)
    expect(field).to_have_value("teacher")
    expect(bench).to_have_attribute("data-state", "ready")
    assert lab.run_cell(page, "print(bench.word, bench.noise, bench.result.items)").split() == [
        "teacher",
        "0.1",
        "('teacher',)",
    ]


HOSTILE = "window.parent.harmed = window.harmed = true"
HOSTILE_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    f' width="400" height="200" onload="{HOSTILE}"><script>{HOSTILE}</script>'
    f'<image xlink:href="x" onerror="{HOSTILE}"/><text x="9" y="20">hostile</text>'
    f'<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="x" onerror="{HOSTILE}"/>'
    "</body></foreignObject></svg>"
)


@pytest.mark.parametrize("trusted", [False, True])
def test_a_notebook_from_somebody_else_runs_nothing_when_it_is_opened(
    lab: JupyterLab, page: Page, watch: WatchedPage, trusted: bool
) -> None:
    watch.allow("widget model not found")
    notebook = lab.write_notebook(f"foreign-{trusted}.ipynb", ["open('it-ran', 'w').close()", ""])
    script = f'<img src="x" onerror="{HOSTILE}"><script>{HOSTILE}</script>'
    record = {
        "id": "b1",
        "model_id": "m1",
        "bench": script,
        "kernel": "k",
        "made_of": "x",
        "about": f"hostile {script}",
        "time": script,
        "code": HOSTILE,
        "settings": {"word": script, "command": {"id": 9, "name": "run", "args": {}}},
    }
    data = {
        "application/vnd.jupyter.widget-view+json": {
            "version_major": 2,
            "version_minor": 0,
            "model_id": "m1",
        },
        PICTURE: HOSTILE_SVG,
        "application/vnd.biaslab.bench+json": record,
        "text/plain": "<PsychometricBench>",
    }
    written = nbformat.read(notebook, 4)
    written.cells[1].outputs = [nbformat.v4.new_output("display_data", data)]
    if trusted:
        for cell in written.cells:
            cell.metadata["trusted"] = True
    nbformat.write(written, notebook)
    lab.open(page, notebook)
    picture = page.get_by_test_id("last-picture")
    expect(picture).to_contain_text("hostile <img")
    shows_an_image(picture)
    assert page.evaluate("window.harmed") is None  # once: the picture is there
    assert not (notebook.parent / "it-ran").exists()
    assert lab.run_cell(page, "print('it runs when it is asked to')").startswith("it runs")
    assert not (notebook.parent / "it-ran").exists()
