"""The rating bench as a person sees it, and its two hosts behind one face."""

from __future__ import annotations

from typing import Any, ClassVar

from playwright.sync_api import Locator, expect

from biaslab.probes.rating.result import RatingResult
from harness.bench_hosts import AppBench, BenchHost, NotebookBench
from harness.bench_page import BenchPage

RUN_MS = 120_000
"""How long a short run may take on a machine that does other work as well."""
BLOCKS: list[dict[str, Any]] = [
    {"name": "50/50", "kind": "unbiased", "shares": [0.5, 0.5, 0.0]},
    {"name": "10/90", "kind": "biased", "shares": [0.1, 0.9, 0.0]},
    {"name": "90/10", "kind": "biased", "shares": [0.9, 0.1, 0.0]},
]
FEW: dict[str, Any] = {"attribute": "gender", "distributions": BLOCKS, "texts": 40, "seed": 1}
"""A design that is soon run, and large enough for the corrected rule."""
TRUE = {"es": "DSBS", "tr": "BS", "eo": "UCS", "ca": "not rateable"}
"""Ratings of the simulated translator by middle language."""


class Rating(BenchPage):
    """One rating bench on a page."""

    answer_ms = RUN_MS

    def ratings(self) -> dict[str, str]:
        """The rating of each language by the corrected rule."""
        found: dict[str, str] = self.root.evaluate(
            """root => Object.fromEntries([...root.querySelectorAll('[data-testid="row"]')]
                .map(({ dataset: d }) => [d.language, d.corrected]))"""
        )
        return found

    def shares(self, block: int) -> list[float]:
        """The shares of a block's input."""
        point = self.part("input-point").nth(block)
        return [float(share) for share in (point.get_attribute("data-shares") or "").split(",")]

    def ran(self) -> Rating:
        """Press Run, and wait for the end."""
        run = int(self.root.get_attribute("data-run") or 0)
        expect(self.part("run")).to_be_enabled(timeout=RUN_MS)
        self.part("run").click()
        return self.ended(run + 1)

    def ended(self, least: int = 1) -> Rating:
        """Wait until a run, this one or a later, has ended and everything is answered."""
        self.waited("(root, least) => Number(root.dataset.run) >= least", least)
        expect(self.root).not_to_have_attribute("data-running", "", timeout=RUN_MS)
        expect(self.part("tree-corrected")).to_be_visible(timeout=RUN_MS)
        return self.settle()

    def row(self, language: str) -> Locator:
        """A language's line of the matrix."""
        return self.root.locator(f'[data-testid="row"][data-language="{language}"]')

    def chosen(self, language: str) -> None:
        """Choose a language, and wait for what is known of it."""
        self.row(language).locator("th").click()
        expect(self.root).to_have_attribute("data-language", language)
        self.settle()
        title = self.row(language).locator("th").evaluate("th => th.firstChild.textContent.trim()")
        caption = self.part("tree-corrected").locator("figcaption")
        expect(caption).to_contain_text("corrected rule" if not language else title)

    def predicted(self, block: int) -> None:
        """Wait until a block's answers are predicted ones."""
        self.settle()
        cell = self.root.locator(f'[data-testid="cell"][data-block="{block}"][data-predicted]')
        expect(cell.first).to_be_attached(timeout=RUN_MS)


class Host(BenchHost[Rating, RatingResult]):
    """A page that shows the rating bench over simulated services."""

    viewport: ClassVar[Any] = {"width": 1280, "height": 1000}
    few = FEW
    bench_page = Rating
    result_type = RatingResult

    def show(self, **inputs: Any) -> Rating:
        """A fresh bench of a simulated service, not run yet."""
        view = self.fresh()
        expect(view.part("run")).to_be_enabled(timeout=RUN_MS)
        self.set(view, **{**self.few, **inputs})
        expect(view.part("run")).to_be_enabled(timeout=RUN_MS)
        return view.answered()


class NotebookHost(NotebookBench[Rating, RatingResult], Host):
    """JupyterLab with a rating bench."""

    setup = "from biaslab_widgets import RatingBench"
    made = "RatingBench()"


class AppHost(AppBench[Rating, RatingResult], Host):
    """The app's page of ratings."""

    path = "/rating?seed=0"
    own_input = "similar_to"
