"""The occupations view as a person sees it, and its two hosts behind one face."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from playwright.sync_api import Browser, Locator

import biaslab as bl
from biaslab.probes.occupations import OccupationsResult
from biaslab_widgets.benches.occupations.fields import COMPONENT
from harness.bench_hosts import AppBench, BenchHost, NotebookBench
from harness.bench_page import BenchPage
from harness.jupyter_lab import JupyterLab
from harness.served_app import ServedApp

SUBJECT = "wiki-bootstraps"
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


class Occupations(BenchPage):
    """One occupations view on a page."""

    def row(self, word: str) -> Locator:
        """The row of a word."""
        return self.root.locator(f'[data-testid="row"][data-word="{word}"]')

    def shown(self) -> Shown:
        """What the screen says now, all read at one moment."""
        return Shown(**self.root.evaluate(_READ))


class Host(BenchHost):
    """A page that shows the occupations view over the bundled ensemble."""

    viewport: ClassVar[Any] = {"width": 1440, "height": 1000}
    component = COMPONENT

    def show(self, **inputs: Any) -> Occupations:
        """A fresh view with these inputs, answered."""
        view = self._show().settle()
        self.set(view, **inputs)
        return view

    @abstractmethod
    def _show(self) -> Occupations:
        """A fresh view."""

    @abstractmethod
    def result(self) -> OccupationsResult:
        """Python's result of what is asked."""


class NotebookHost(NotebookBench, Host):
    """JupyterLab with an occupations view."""

    notebook_name = "occupations.ipynb"

    def __init__(self, browser: Browser, lab: JupyterLab) -> None:
        super().__init__(
            browser,
            lab,
            f"from biaslab_widgets import OccupationsBench\nsubject = bl.load({SUBJECT!r})",
        )

    def _show(self) -> Occupations:
        self.show_bench("OccupationsBench(subject)")
        return Occupations.on(self.page)

    def result(self) -> OccupationsResult:
        return self.kernel_result(OccupationsResult)


class AppHost(AppBench, Host):
    """The app's page of occupations."""

    path = "/occupations"
    own_input = "outside_options"

    def __init__(self, browser: Browser, served: ServedApp) -> None:
        super().__init__(browser, served)
        self.loaded = bl.load(SUBJECT)

    def _show(self) -> Occupations:
        self.load()
        return Occupations.on(self.page)

    def result(self) -> OccupationsResult:
        groups = {group["name"]: group["terms"] for group in self.input("groups")}
        options = {n: self.input(n) for n in ("pairing", "pairs_as", "curve", "jnd", "scoring")}
        asked = bl.specs.get("occupations")
        key = self.input("outside")
        table = (
            bl.probes.occupations.OutsideTable.from_spec(*key.split("/"))
            if key and key[:4] != "own/"
            else None
        )
        words = [w for w in self.input("words") if w.strip()]
        assert asked is not None
        return bl.occupations(self.loaded, words, groups, outside=table, **options)


def expected_rows(result: OccupationsResult) -> dict[str, tuple[list[float | None], int]]:
    """What each row must hold: PSE, low and high, and which way it leans."""
    found = result.contrasts[0].pooled
    told = [bool(np.isfinite(ends).all()) for ends in found.corpus]
    return {
        word: (
            [_number(v) for v in (found.pse[i], *found.corpus[i])],
            int(found.lean[i]) if told[i] else 2,
        )
        for i, word in enumerate(result.words)
    }


def _number(value: float) -> float | None:
    return round(float(value), 5) if np.isfinite(value) else None
