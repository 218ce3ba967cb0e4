"""The association bench as a person sees it, and its two hosts behind one face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from biaslab.probes.association import AssociationResult
from harness.bench_hosts import AppBench, BenchHost, NotebookBench
from harness.bench_page import BenchPage

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


class Host(BenchHost[Association, AssociationResult]):
    """A page that shows the association bench over one replicate of the bundled ensemble."""

    viewport: ClassVar[Any] = {"width": 1280, "height": 1000}
    bench_page = Association
    result_type = AssociationResult


class NotebookHost(NotebookBench[Association, AssociationResult], Host):
    """JupyterLab with an association bench."""

    setup = f"from biaslab_widgets import AssociationBench\nsubject = bl.load({SUBJECT!r})"
    made = "AssociationBench(subject, replicate=0)"


class AppHost(AppBench[Association, AssociationResult], Host):
    """The app's page of associations."""

    path = "/association?replicate=0"
    own_input = "debiasing"
