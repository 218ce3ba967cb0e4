"""The occupations view as a person sees it, and its two hosts behind one face."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Locator, Page, expect

import biaslab as bl
from biaslab.probes.occupations import OccupationsResult
from biaslab.results import Result
from harness.jupyter_lab import JupyterLab
from harness.served_app import ServedApp
from harness.watched_page import WatchedPage

ANSWER_MS = 30_000
VIEWPORT: Any = {"width": 1440, "height": 1000}
SUBJECT = "wiki-bootstraps"
WORDS = [
    *("nurse", "engineer", "teacher", "secretary", "lawyer", "chef", "janitor", "librarian"),
    *("carpenter", "doctor", "firefighter", "therapist"),
]

_READ = """root => {
    const part = name => root.querySelector(`[data-testid="${name}"]`);
    const number = value => value === undefined ? null : Number(value);
    const numbers = data => [data.value, data.low, data.high].map(number);
    const read = name => part(name) ? numbers(part(name).dataset) : null;
    return {
        state: root.dataset.state,
        verdict: part("verdict")?.textContent ?? null,
        rows: Object.fromEntries(
            [...root.querySelectorAll('[data-testid="row"]')].map(row => [
                row.dataset.word,
                { numbers: numbers(row.dataset), lean: Number(row.dataset.lean),
                  label: row.getAttribute("aria-label") },
            ])),
        order: [...root.querySelectorAll('[data-testid="row"]')].map(row => row.dataset.word),
        pearson: read("pearson"),
        spearman: read("spearman"),
    };
}"""


@dataclass(frozen=True)
class Shown:
    """What one moment of the screen says; numbers are value, low and high."""

    state: str
    verdict: str | None
    rows: dict[str, dict[str, Any]]
    order: list[str]
    pearson: list[float | None] | None
    spearman: list[float | None] | None


class Occupations:
    """One occupations view on a page.

    Parameters
    ----------
    root : Locator
        Its outermost element, of test id ``bench``.
    """

    def __init__(self, root: Locator) -> None:
        self.root = root

    @property
    def page(self) -> Page:
        """The page that it is on."""
        return self.root.page

    def part(self, testid: str) -> Locator:
        """A part by its test id."""
        return self.root.get_by_test_id(testid)

    def row(self, word: str) -> Locator:
        """The row of a word."""
        return self.root.locator(f'[data-testid="row"][data-word="{word}"]')

    def settle(self, state: str = "ready") -> Occupations:
        """Wait until everything sent is answered and the state is as named."""
        expect(self.root).to_have_attribute("data-state", state, timeout=ANSWER_MS)
        expect(self.root).not_to_have_attribute("data-waiting", "", timeout=ANSWER_MS)
        return self

    def shown(self) -> Shown:
        """What the screen says now, all read at one moment."""
        return Shown(**self.root.evaluate(_READ))

    def generation(self) -> int:
        """The number of the answer on the screen."""
        return int(self.root.get_attribute("data-generation") or -1)

    def wait_for_generation(self, least: int) -> None:
        """Wait until an answer to this generation or a later one is on the screen."""
        self.page.wait_for_function(
            "([root, least]) => Number(root.dataset.generation) >= least",
            arg=[self.root.element_handle(), least],
            timeout=ANSWER_MS,
        )


class Host(ABC):
    """A page that shows the occupations view over the bundled ensemble."""

    name: str

    def __init__(self, browser: Browser) -> None:
        self.watched = WatchedPage(browser, viewport=VIEWPORT)

    @property
    def page(self) -> Page:
        """The page."""
        return self.watched.page

    def show(self, **inputs: Any) -> Occupations:
        """A fresh view of a few occupations, with these inputs, answered."""
        view = self._show()
        view.settle()
        self.set(view, **{"words": WORDS, **inputs})
        return view

    @abstractmethod
    def _show(self) -> Occupations:
        """A fresh view."""

    @abstractmethod
    def set(self, view: Occupations, **inputs: Any) -> None:
        """Set inputs from outside, and wait for the answer, whatever it is."""

    @abstractmethod
    def input(self, name: str) -> Any:
        """An input as the host's state holds it."""

    @abstractmethod
    def result(self) -> OccupationsResult:
        """Python's result of what is asked."""


class NotebookHost(Host):
    """JupyterLab with one notebook, whose one cell is written anew for each view."""

    name = "jupyterlab"

    def __init__(self, browser: Browser, lab: JupyterLab) -> None:
        super().__init__(browser)
        self.lab = lab
        lab.open(self.page, lab.write_notebook("occupations.ipynb", [""]))
        self.run(
            "import biaslab as bl\nimport ipywidgets as widgets\n"
            f"from biaslab_widgets import OccupationsBench\nsubject = bl.load({SUBJECT!r})"
        )

    def run(self, source: str) -> str:
        """Run code in the kernel and return what it printed."""
        return self.lab.run_cell(self.page, source)

    def value(self, expression: str) -> Any:
        """The value of an expression in the kernel, by way of JSON."""
        return json.loads(self.run(f"import json; print(json.dumps({expression}))"))

    def show_cell(self, source: str) -> None:
        """Make the notebook's one cell this code, and run it."""
        self.run("widgets.Widget.close_all()")
        self.page.evaluate(
            """source => {
                const { content } = window.jupyterapp.shell.currentWidget;
                content.activeCellIndex = 0;
                content.model.cells.get(0).sharedModel.setSource(source);
                content.scrollToItem(0);
            }""",
            source,
        )
        self.lab.run_all(self.page)

    def _show(self) -> Occupations:
        self.show_cell("bench = OccupationsBench(subject); bench")
        return Occupations(self.page.get_by_test_id("bench").first)

    def set(self, view: Occupations, **inputs: Any) -> None:
        self.run(
            "with bench.hold_trait_notifications():\n"
            f"    for name, value in {inputs!r}.items():\n"
            "        setattr(bench, name, value)\n"
            "bench.generation += 1"
        )
        view.wait_for_generation(int(self.value("bench.generation")))

    def input(self, name: str) -> Any:
        return self.value(f"bench.{name}")

    def result(self) -> OccupationsResult:
        result = Result.from_json(self.run("print(bench.result.to_json())"))
        assert isinstance(result, OccupationsResult)
        return result


_STATE = """() => {
    for (const model of Bokeh.documents[0]._all_models.values())
        if (model.data?.attributes && "outside_options" in model.data.attributes) return model.data;
}"""


class AppHost(Host):
    """The app's page of occupations, loaded afresh for each view."""

    name = "app"

    def __init__(self, browser: Browser, served: ServedApp) -> None:
        super().__init__(browser)
        self.served = served
        self.loaded = bl.load(SUBJECT)

    def _show(self) -> Occupations:
        self.page.goto(f"{self.served.url}/occupations")
        return Occupations(self.page.get_by_test_id("bench"))

    def set(self, view: Occupations, **inputs: Any) -> None:
        generation: int = self.page.evaluate(
            f"""inputs => {{
                const data = ({_STATE})();
                data.setv({{ ...inputs, generation: data.attributes.generation + 1 }});
                return data.attributes.generation;
            }}""",
            inputs,
        )
        view.wait_for_generation(generation)

    def input(self, name: str) -> Any:
        return self.page.evaluate(f"name => ({_STATE})().attributes[name]", name)

    def result(self) -> OccupationsResult:
        groups = {group["name"]: group["terms"] for group in self.input("groups")}
        options = {n: self.input(n) for n in ("pairing", "pairs_as", "curve", "jnd", "scoring")}
        asked = bl.specs.get("occupations")
        key = self.input("outside")
        table = bl.OutsideTable.from_spec(*key.split("/")) if key and key[:4] != "own/" else None
        words = [w for w in self.input("words") if w.strip()]
        assert asked is not None
        return bl.occupations(self.loaded, words, groups, outside=table, **options)


def expected_rows(
    result: OccupationsResult, measure: str = "pse", contrast: int = 0
) -> dict[str, tuple[list[float | None], int]]:
    """What each row must hold: value, low and high, and which way it leans."""
    found = result.contrasts[contrast].pooled
    interval = found.corpus if measure == "pse" else found.jnd_interval
    values = found.pse if measure == "pse" else found.jnd
    told = [bool(np.isfinite(ends).all()) for ends in found.corpus]
    return {
        word: (
            [_number(v) for v in (values[i], *interval[i])],
            int(found.lean[i]) if told[i] else 2,
        )
        for i, word in enumerate(result.words)
    }


def _number(value: float) -> float | None:
    return round(float(value), 5) if np.isfinite(value) else None


def home_file(folder: Path, name: str, text: str) -> Path:
    """A file to choose in a page's file dialog."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
