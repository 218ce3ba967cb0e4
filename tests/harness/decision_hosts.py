"""The decision bench as a person sees it, and its two hosts behind one face."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from playwright.sync_api import expect

from biaslab.probes.decisions import DecisionsResult
from harness.bench_hosts import AppBench, BenchHost, NotebookBench
from harness.bench_page import BenchPage

RUN_MS = 120_000
"""How long a run may take on a machine that does other work as well."""
INPUTS: dict[str, Any] = {"subject": "simulated decider", "method": "fixed"}
ENDLESS: dict[str, Any] = {
    "method": "adaptive", "trials": 20_000, "stop_width": 0.001, "lapses": "none",
    "slopes": "shared",
}  # fmt: skip
"""A run that is never over before it is stopped, with a fit that is soon made."""


class Decisions(BenchPage):
    """One decision bench on a page."""

    answer_ms = RUN_MS

    def ended(self) -> Decisions:
        """Wait for the end of the first run and for the numbers beside the picture."""
        expect(self.root).to_have_attribute("data-run", "1", timeout=RUN_MS)
        expect(self.root).not_to_have_attribute("data-running", "", timeout=RUN_MS)
        expect(self.root).to_have_attribute("data-settled", "", timeout=RUN_MS)
        return self.settle()

    def begin(self) -> Decisions:
        """Press Start, and wait until new answers are on the screen."""
        old = re.compile(f"^(0|{self.trials()})$")
        self.part("run").click()
        expect(self.root).to_have_attribute("data-running", "", timeout=RUN_MS)
        expect(self.part("trials")).not_to_have_attribute("data-count", old, timeout=RUN_MS)
        return self

    def stop(self) -> Decisions:
        """Press Stop, and wait until the run has ended and all of it is on the screen."""
        self.part("run").click()
        expect(self.root).not_to_have_attribute("data-running", "", timeout=RUN_MS)
        expect(self.root).to_have_attribute("data-settled", "", timeout=RUN_MS)
        return self.settle()

    def gap(self) -> tuple[float, float, float]:
        """The gap on the screen with its interval."""
        names = ("value", "low", "high")
        found = [self.part("gap").get_attribute(f"data-{name}") for name in names]
        one, two, three = (float(value or "nan") for value in found)
        return one, two, three

    def trials(self) -> int:
        """How many marks there are."""
        return int(self.part("trials").get_attribute("data-count") or 0)

    def x(self) -> float:
        """The level at the handle."""
        return float(self.part("x-handle").get_attribute("aria-valuenow") or "nan")


class Host(BenchHost[Decisions, DecisionsResult]):
    """A page that shows the decision bench over the simulated decider."""

    viewport: ClassVar[Any] = {"width": 1280, "height": 1000}
    few = INPUTS
    at_first = "empty"
    bench_page = Decisions
    result_type = DecisionsResult


class NotebookHost(NotebookBench[Decisions, DecisionsResult], Host):
    """JupyterLab with a decision bench."""

    setup = "from biaslab_widgets import DecisionBench"
    made = "DecisionBench()"


class AppHost(AppBench[Decisions, DecisionsResult], Host):
    """The app's page of decisions."""

    path = "/decisions?seed=0"
    own_input = "case_text"
