"""The association bench as a person sees it, and its two hosts behind one face."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from playwright.sync_api import Browser

import biaslab as bl
from biaslab.probes.association import AssociationLists, AssociationResult
from biaslab_widgets.benches.association.fields import COMPONENT
from harness.bench_hosts import AppBench, BenchHost, NotebookBench
from harness.bench_page import BenchPage
from harness.jupyter_lab import JupyterLab
from harness.served_app import ServedApp

SUBJECT = "wiki-bootstraps"
_READ = """root => {
    const all = (name, from = root) => [...from.querySelectorAll(`[data-testid="${name}"]`)];
    const number = value => value === undefined ? null : Number(value);
    const numbers = data => [data.value, data.low, data.high].map(number);
    const words = name => all(name).map(box => {
        const [d0, d1] = box.dataset.domain.split(" ").map(Number);
        const [r0, r1] = box.dataset.range.split(" ").map(Number);
        const distance = px => d0 + (px - r0) / (r1 - r0) * (d1 - d0);
        const lanes = {};
        for (const lane of all("lane", box)) {
            const at = [...lane.getAttribute("d").matchAll(/M(-?[\\d.]+) /g)];
            (lanes[lane.dataset.word] ??= {})[lane.dataset.connection] = {
                count: Number(lane.dataset.count),
                at: at.map(found => distance(Number(found[1]))),
            };
        }
        return { lanes, domain: [d0, d1], pixel: (d1 - d0) / (r1 - r0) };
    });
    const estimates = all("posterior").map(box => {
        const found = {};
        for (const one of all("estimate", box))
            (found[one.dataset.word] ??= {})[one.dataset.connection] = numbers(one.dataset);
        return found;
    });
    const contrasts = {};
    for (const one of all("contrast")) {
        const { model, first, second } = one.dataset;
        (contrasts[model] ??= {})[`${first} ${second}`] ??= numbers(one.dataset);
    }
    return {
        state: root.dataset.state,
        verdict: all("verdict")[0]?.textContent ?? null,
        points: words("points"),
        estimates,
        contrasts,
        weat: all("weat").map(({ dataset }) => ({
            ...Object.fromEntries(
                ["statistic", "p", "exceed", "partitions", "effect", "low", "high", "ceiling"].map(
                    name => [name, number(dataset[name])])),
            exact: dataset.exact === "true",
        })),
    };
}"""


@dataclass(frozen=True)
class Shown:
    """What one moment of the screen says; of each part first the subject's, then debiased."""

    state: str
    verdict: str | None
    points: list[dict[str, Any]]
    estimates: list[dict[str, dict[str, list[float]]]]
    contrasts: dict[str, dict[str, list[float]]]
    weat: list[dict[str, Any]]


class Association(BenchPage):
    """One association bench on a page."""

    answer_ms = 60_000

    def shown(self) -> Shown:
        """What the screen says now, all read at one moment."""
        return Shown(**self.root.evaluate(_READ))


class Host(BenchHost):
    """A page that shows the association bench over the bundled ensemble."""

    viewport: ClassVar[Any] = {"width": 1280, "height": 1000}
    component = COMPONENT

    def show(self, **inputs: Any) -> Association:
        """A fresh bench of one replicate with these inputs, answered."""
        view = self._show().settle()
        self.set(view, **inputs)
        return view

    @abstractmethod
    def _show(self) -> Association:
        """A fresh bench."""

    @abstractmethod
    def result(self) -> AssociationResult:
        """Python's result of what is asked."""


class NotebookHost(NotebookBench, Host):
    """JupyterLab with an association bench."""

    notebook_name = "association.ipynb"

    def __init__(self, browser: Browser, lab: JupyterLab) -> None:
        super().__init__(
            browser,
            lab,
            f"from biaslab_widgets import AssociationBench\nsubject = bl.load({SUBJECT!r})",
        )

    def _show(self) -> Association:
        self.show_bench("AssociationBench(subject, replicate=0)")
        return Association.on(self.page)

    def result(self) -> AssociationResult:
        return self.kernel_result(AssociationResult)


_ASKED = ("model", "level", "weat_groups", "weat_attributes", "ddof", "alternative")


class AppHost(AppBench, Host):
    """The app's page of associations."""

    path = "/association?replicate=0"
    own_input = "debiasing"

    def __init__(self, browser: Browser, served: ServedApp) -> None:
        super().__init__(browser, served)
        loaded = bl.load(SUBJECT)
        assert isinstance(loaded, bl.EmbeddingEnsemble)
        self.loaded = loaded

    def _show(self) -> Association:
        self.load()
        return Association.on(self.page)

    def result(self) -> AssociationResult:
        chosen = self.input("replicate")
        subject = self.loaded if chosen < 0 else self.loaded.replicate(chosen)
        options = {name: self.input(name) for name in _ASKED}
        return bl.association.overview(
            subject,
            asked(self.input("lists")),
            **options,
        )


def asked(lists: list[dict[str, Any]]) -> AssociationLists:
    """The lists of the screen as a probe takes them."""

    def of(kind: str) -> list[dict[str, Any]]:
        return [words for words in lists if words["kind"] == kind]

    return AssociationLists.of(
        targets={words["name"]: words["terms"] for words in of("groups")},
        attributes={words["name"]: words["terms"] for words in of("attributes")},
        attribute_groups={words["name"]: words["of"] for words in of("attributes")},
        controls={words["name"]: words["terms"] for words in of("controls")},
    )
