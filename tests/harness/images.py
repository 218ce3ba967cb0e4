"""The image bench as a person sees it, and its two hosts behind one face."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import expect

from biaslab.probes.images.result import ImageAssociation
from harness.bench_hosts import AppBench, NotebookBench
from harness.three_steps import RUN_MS, ThreeStepsHost, ThreeStepsPage

TRUTH, CLIP = "simulated vision", "portrait-clip"
EACH = 4
LISTS: list[dict[str, Any]] = [
    {"name": "women", "terms": ["female nurse", "female scientist"], "kind": "groups"},
    {"name": "men", "terms": ["male nurse", "male scientist"], "kind": "groups"},
    {"name": "helpers", "terms": ["helper", "assistant"], "kind": "attributes", "of": ["women"]},
    {"name": "experts", "terms": ["expert", "specialist"], "kind": "attributes", "of": ["men"]},
]
FEW: dict[str, Any] = {"lists": LISTS, "spec": "", "models": [CLIP, TRUTH], "per_term": EACH}
"""A test that is soon over."""
COUNT = 4 * EACH

_READ = """root => {
    const all = (name, from = root) => [...from.querySelectorAll(`[data-testid="${name}"]`)];
    const number = value => value === undefined ? null : Number(value);
    const text = name => all(name)[0]?.textContent ?? "";
    const data = name => all(name)[0]?.dataset ?? {};
    const score = ({ dataset: d }) => ({
        score: number(d.score), low: number(d.low), high: number(d.high),
        images: number(d.images), stereotyped: number(d.stereotyped),
    });
    const values = from => from
        ? [...from.querySelectorAll("[data-value]")].map(n => number(n.dataset.value)) : [];
    return {
        run: Number(root.dataset.run),
        verdict: text("verdict"),
        scores: Object.fromEntries(all("score").map(n => [n.dataset.model, score(n)])),
        terms: all("term-score").map(n => [n.dataset.model, n.dataset.name, score(n)]),
        tones: Object.fromEntries(all("squares").map(grid => [
            grid.dataset.name,
            all("squares-row", grid).map(row => row.dataset.tones).join(""),
        ])),
        image: root.dataset.image,
        probabilities: Object.fromEntries(
            all("probability").map(({ dataset: d }) => [d.name, number(d.value)])),
        by_template: values(all("by-template")[0]),
        by_concept: values(all("by-concept")[0]),
        others: Object.fromEntries(
            all("other").map(n => [n.dataset.model, values(n)[0] ?? null])),
        morph: {
            state: data("morph").state,
            item: data("morph").item,
            pse: number(data("pse").value),
            low: number(data("pse-interval").low),
            high: number(data("pse-interval").high),
            jnd: number(data("jnd").value),
            portraits: number(data("portrait-curves").count),
            alpha: number(data("alpha-handle").value),
            at: number(data("morph-at").alpha),
            answer: number(data("morph-at").answer),
            picture: all("morph-at")[0]?.querySelector("img")?.src ?? "",
        },
    };
}"""


@dataclass(frozen=True)
class Shown:
    """What one moment of the third step says."""

    run: int
    verdict: str
    scores: dict[str, dict[str, float | None]]
    terms: list[list[Any]]
    tones: dict[str, str]
    image: str
    probabilities: dict[str, float]
    by_template: list[float]
    by_concept: list[float]
    others: dict[str, float | None]
    morph: dict[str, Any]


class Images(ThreeStepsPage):
    """One image bench on a page."""

    def shown(self) -> Shown:
        """What the third step says now, all read at one moment."""
        return Shown(**self.root.evaluate(_READ))

    def looked(self) -> Shown:
        """Wait until the card says what is known of the picture that is looked at."""
        self.settle()
        self.waited(
            """root => {
                const card = root.querySelector('[data-testid="card"]').dataset;
                return root.dataset.image !== "" && card.detailed === root.dataset.image;
            }"""
        )
        return self.shown()

    def point(self, model: str, *keys: str) -> Shown:
        """Lead the keys through a model's squares, and wait for the card of the picture."""
        self.lead(model, *keys)
        return self.looked()

    def blended(self, alpha: float) -> Shown:
        """Wait until the portrait of a blend is there."""
        self.answered()
        expect(self.part("morph-at")).to_have_attribute("data-alpha", f"{alpha:g}", timeout=RUN_MS)
        return self.shown()


class Host(ThreeStepsHost[Images, ImageAssociation]):
    """A page that shows the image bench over the bundled model and a simulated one."""

    few = FEW
    bench_page = Images
    result_type = ImageAssociation


class NotebookHost(NotebookBench[Images, ImageAssociation], Host):
    """JupyterLab with an image bench."""

    setup = "from biaslab_widgets import ImageBench"
    made = "ImageBench()"


class AppHost(AppBench[Images, ImageAssociation], Host):
    """The app's page of pictures."""

    path = "/images"
    own_input = "morph_observer"


def photograph(colour: tuple[int, int, int], kind: str = "PNG", side: int = 64) -> bytes:
    """A picture of one colour, as a file."""
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (side, side), colour).save(out, kind)
    return out.getvalue()
