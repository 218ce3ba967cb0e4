"""The occupations view as a person sees it, and its two hosts behind one face."""

from __future__ import annotations

from typing import Any, ClassVar

from playwright.sync_api import Locator

from biaslab.probes.occupations import OccupationsResult
from harness.bench_hosts import AppBench, BenchHost, NotebookBench
from harness.bench_page import BenchPage

SUBJECT = "wiki-bootstraps"


class Occupations(BenchPage):
    """One occupations view on a page."""

    def row(self, word: str) -> Locator:
        """The row of a word."""
        return self.root.locator(f'[data-testid="row"][data-word="{word}"]')

    def order(self) -> list[str]:
        """The words of the rows, from top to bottom."""
        found: list[str] = self.part("row").evaluate_all("rows => rows.map(r => r.dataset.word)")
        return found


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
