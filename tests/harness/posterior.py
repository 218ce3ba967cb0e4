"""The posterior bench as a person sees it, and its two hosts behind one face."""

from __future__ import annotations

from dataclasses import dataclass
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

_READ = """root => {
    const all = (name, from = root) => [...from.querySelectorAll(`[data-testid="${name}"]`)];
    const number = value => value === undefined ? null : Number(value);
    const text = name => all(name)[0]?.textContent ?? "";
    return {
        run: Number(root.dataset.run),
        verdict: text("verdict"),
        trust: all("trust")[0]?.dataset.trust ?? "",
        status: text("run-status"),
        traces: Object.fromEntries(all("trace").map(row => [row.dataset.name, {
            rhat: number(all("rhat", row)[0].dataset.value),
            ess_bulk: number(all("ess-bulk", row)[0].dataset.value),
            ess_tail: number(all("ess-tail", row)[0].dataset.value),
            mcse: number(all("mcse", row)[0].dataset.value),
            chains: all("chain", row).length,
        }])),
        words: all("word-mark").map(({ dataset: d }) =>
            [d.word, Number(d.distance), Number(d.low), Number(d.high), Number(d.rank)]),
        groups: all("group").map(({ dataset: d }) => [d.name, Number(d.mean)]),
        difference: number(root.querySelector("[data-difference]")?.dataset.difference),
        correlations: Object.fromEntries(
            all("correlation").map(({ dataset: d }) => [d.label, Number(d.value)])),
        draws: all("plane")[0].dataset.points.split(" ").filter(Boolean).map(Number),
        axes: all("plane")[0].dataset.axes ?? "",
        card: text("word-card"),
    };
}"""


@dataclass(frozen=True)
class Shown:
    """What one moment of the screen says."""

    run: int
    verdict: str
    trust: str
    status: str
    traces: dict[str, dict[str, float | None]]
    words: list[list[Any]]
    groups: list[list[Any]]
    difference: float | None
    correlations: dict[str, float]
    draws: list[int]
    axes: str
    card: str


class Posterior(BenchPage):
    """One posterior bench on a page."""

    answer_ms = RUN_MS

    def shown(self) -> Shown:
        """What the screen says now, all read at one moment."""
        return Shown(**self.root.evaluate(_READ))

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

    path = "/posterior"
    own_input = "shown_dimensions"
