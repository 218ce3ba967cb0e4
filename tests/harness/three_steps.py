"""Benches in three steps as a person sees them, and what is tried with each of them."""

from __future__ import annotations

import json
import re
from typing import Any, ClassVar, Self, TypeVar

from playwright.sync_api import Locator, expect

from biaslab.records.result import Result
from harness.bench_hosts import BenchHost, NotebookBench
from harness.bench_page import BenchPage

RUN_MS = 120_000
"""How long a short test may take on a machine that does other work as well."""
R = TypeVar("R", bound=Result)


class ThreeStepsPage(BenchPage):
    """A bench in three steps on a page: words, things made of them, and a test of models."""

    answer_ms = RUN_MS

    def opened(self, step: int) -> Self:
        """Wait until a step may be entered."""
        head = self.part(f"step-{step}")
        expect(head).not_to_have_attribute("data-state", "closed", timeout=RUN_MS)
        return self

    def go(self, step: int) -> Self:
        """Press a step's head, and wait until it is on the screen."""
        self.opened(step).part(f"step-{step}").click()
        expect(self.root).to_have_attribute("data-step", str(step))
        # Before the first test the third step is empty.
        told = re.compile("ready|empty")
        expect(self.root).to_have_attribute("data-state", told, timeout=RUN_MS)
        return self.answered()

    def tested(self) -> Self:
        """Go to the third step, press Test, and wait for the end."""
        self.go(3)
        run = int(self.root.get_attribute("data-run") or 0)
        self.part("test").click()
        self.ended(run + 1)
        return self.filled()

    def filled(self) -> Self:
        """Wait until every square has its outcome."""
        self.waited(
            """root => [...root.querySelectorAll('[data-testid="squares-row"]')]
                .every(row => !row.dataset.tones.includes("-"))"""
        )
        return self

    def ended(self, run: int = 1) -> Self:
        """Wait until a test has ended and everything is answered."""
        expect(self.root).to_have_attribute("data-run", str(run), timeout=RUN_MS)
        expect(self.root).not_to_have_attribute("data-running", "", timeout=RUN_MS)
        return self.settle()

    def squares(self, model: str) -> Locator:
        """The grid of a model's squares."""
        return self.root.locator(f'[data-testid="squares"][data-name="{model}"]')

    def score(self, model: str, name: str) -> float:
        """A number of a model's score, such as ``share``."""
        score = self.root.locator(f'[data-testid="score"][data-model="{model}"]')
        return float(score.get_attribute(f"data-{name}") or "nan")

    def tones(self, model: str) -> str:
        """The outcomes of a model's squares, a letter each."""
        rows = self.squares(model).get_by_test_id("squares-row")
        return "".join(rows.evaluate_all("rows => rows.map(row => row.dataset.tones)"))

    def lead(self, model: str, *keys: str) -> None:
        """Lead the keys through a model's squares."""
        grid = self.squares(model)
        grid.focus()
        for key in keys:
            grid.press(key)

    def exported(self, kind: type[R]) -> dict[str, R]:
        """The results of all models, of this kind, as they are exported."""
        found = json.loads(self.export("export-json")[1])["results"]
        return {name: _result(kind, json.dumps(one)) for name, one in found.items()}


V = TypeVar("V", bound=ThreeStepsPage)


class ThreeStepsHost(BenchHost[V, R]):
    """A page that shows benches in three steps."""

    viewport: ClassVar[Any] = {"width": 1280, "height": 1000}

    def results(self) -> dict[str, R]:
        """The results of all models, as the kernel has them or the app exports them."""
        if not isinstance(self, NotebookBench):
            return self.bench_page.on(self.page).exported(self.result_type)
        found = self.value("{n: r.to_json() for n, r in bench.results.items()}")
        return {name: _result(self.result_type, text) for name, text in found.items()}


def _result(kind: type[R], text: str) -> R:
    result = Result.from_json(text)
    assert isinstance(result, kind)
    return result
