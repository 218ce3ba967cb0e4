"""The occupations view as a person sees it, and its two hosts behind one face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from playwright.sync_api import Locator

from biaslab.probes.occupations import OccupationsResult
from harness.bench_hosts import AppBench, BenchHost, NotebookBench
from harness.bench_page import BenchPage

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


class Host(BenchHost[Occupations, OccupationsResult]):
    """A page that shows the occupations view over the bundled ensemble."""

    viewport: ClassVar[Any] = {"width": 1440, "height": 1000}
    bench_page = Occupations
    result_type = OccupationsResult


class NotebookHost(NotebookBench[Occupations, OccupationsResult], Host):
    """JupyterLab with an occupations view."""

    setup = f"from biaslab_widgets import OccupationsBench\nsubject = bl.load({SUBJECT!r})"
    made = "OccupationsBench(subject)"


class AppHost(AppBench[Occupations, OccupationsResult], Host):
    """The app's page of occupations."""

    path = "/occupations"
    own_input = "outside_options"


def expected_rows(result: OccupationsResult) -> dict[str, tuple[list[float | None], int]]:
    """What each row must hold: PSE, low and high, and which way it leans."""
    found, leans = result.contrasts[0].pooled, result.leans(adjust="holm")
    told = [bool(np.isfinite(ends).all()) for ends in found.corpus]
    return {
        word: (
            [_number(v) for v in (found.pse[i], *found.corpus[i])],
            int(leans[i]) if told[i] else 2,
        )
        for i, word in enumerate(result.words)
    }


def _number(value: float) -> float | None:
    return round(float(value), 5) if np.isfinite(value) else None
