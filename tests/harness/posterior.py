"""The posterior bench as a person sees it, and its two hosts behind one face."""

from __future__ import annotations

from typing import Any, ClassVar

from playwright.sync_api import expect

from biaslab.probes.posterior import PosteriorOverview
from harness.bench_hosts import AppBench, BenchHost, NotebookBench
from harness.bench_page import BenchPage

RUN_MS = 120_000
"""How long a short run may take on a machine that does other work as well."""
FEW: dict[str, Any] = {"chains": 8, "draws": 100}
"""A run that is soon over."""
MANY: dict[str, Any] = {"chains": 8, "draws": 20_000}
"""A run that is never over before it is stopped."""


class Posterior(BenchPage):
    """One posterior bench on a page."""

    answer_ms = RUN_MS

    def ended(self) -> Posterior:
        """Wait until the run has ended and everything is answered."""
        expect(self.part("run")).to_have_text("Run again", timeout=RUN_MS)
        expect(self.root).not_to_have_attribute("data-running", "", timeout=RUN_MS)
        return self.settle()


class Host(BenchHost[Posterior, PosteriorOverview]):
    """A page that shows the posterior bench over the bundled classifier."""

    viewport: ClassVar[Any] = {"width": 1280, "height": 1000}
    few = FEW
    at_first = "empty"
    bench_page = Posterior
    result_type = PosteriorOverview


class NotebookHost(NotebookBench[Posterior, PosteriorOverview], Host):
    """JupyterLab with a posterior bench."""

    setup = "from biaslab_widgets import PosteriorBench\nsubject = bl.load('imdb-sentiment')"
    made = "PosteriorBench(subject)"


class AppHost(AppBench[Posterior, PosteriorOverview], Host):
    """The app's page of posteriors."""

    path = "/posterior?seed=0"
    own_input = "shown_dimensions"
