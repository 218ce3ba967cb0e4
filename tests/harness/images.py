"""The image bench as a person sees it, and its two hosts behind one face."""

from __future__ import annotations

import io
import json
import re
import zipfile
from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from playwright.sync_api import Browser, Locator, expect

from biaslab.probes.images.result import ImageAssociation
from biaslab.results import Result
from harness.bench_hosts import AppBench, BenchHost, NotebookBench
from harness.bench_page import BenchPage
from harness.jupyter_lab import JupyterLab

RUN_MS = 120_000
"""How long a short test may take on a machine that does other work as well."""
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


class Images(BenchPage):
    """One image bench on a page."""

    answer_ms = RUN_MS

    def shown(self) -> Shown:
        """What the third step says now, all read at one moment."""
        return Shown(**self.root.evaluate(_READ))

    def go(self, step: int) -> Images:
        """Press a step's head, and wait until it is on the screen."""
        head = self.part(f"step-{step}")
        expect(head).not_to_have_attribute("data-state", "closed", timeout=RUN_MS)
        head.click()
        expect(self.root).to_have_attribute("data-step", str(step))
        # Before the first test the third step is empty.
        told = re.compile("ready|empty")
        expect(self.root).to_have_attribute("data-state", told, timeout=RUN_MS)
        return self.answered()

    def made(self, count: int = COUNT) -> Images:
        """Go to the second step, and wait until all portraits are drawn."""
        self.go(2)
        expect(self.part("picture-count")).to_contain_text(f"{count:,} pictures", timeout=RUN_MS)
        expect(self.part("making")).to_have_count(0, timeout=RUN_MS)
        return self

    def tested(self) -> Images:
        """Go to the third step, press Test, and wait for the end."""
        self.go(3)
        run = int(self.root.get_attribute("data-run") or 0)
        self.part("test").click()
        self.ended(run + 1)
        return self.filled()

    def filled(self) -> Images:
        """Wait until every square has its outcome."""
        self.page.wait_for_function(
            """root => [...root.querySelectorAll('[data-testid="squares-row"]')]
                .every(row => !row.dataset.tones.includes("-"))""",
            arg=self.root.element_handle(),
            timeout=RUN_MS,
        )
        return self

    def ended(self, run: int = 1) -> Images:
        """Wait until a test has ended and everything is answered."""
        expect(self.root).to_have_attribute("data-run", str(run), timeout=RUN_MS)
        expect(self.root).not_to_have_attribute("data-running", "", timeout=RUN_MS)
        return self.settle()

    def squares(self, model: str) -> Locator:
        """The grid of a model's squares."""
        return self.root.locator(f'[data-testid="squares"][data-name="{model}"]')

    def looked(self) -> Shown:
        """Wait until the card says what is known of the picture that is looked at."""
        self.settle()
        self.page.wait_for_function(
            """root => {
                const card = root.querySelector('[data-testid="card"]').dataset;
                return root.dataset.image !== "" && card.detailed === root.dataset.image;
            }""",
            arg=self.root.element_handle(),
            timeout=RUN_MS,
        )
        return self.shown()

    def point(self, model: str, *keys: str) -> Shown:
        """Lead the keys through a model's squares, and wait for the card of the picture."""
        grid = self.squares(model)
        grid.focus()
        for key in keys:
            grid.press(key)
        return self.looked()

    def morphed(self) -> Shown:
        """Ask about the morphs, and wait for the curve."""
        ask = self.part("morph-ask")
        if ask.count():
            ask.click()
        expect(self.part("morph")).to_have_attribute("data-state", "ready", timeout=RUN_MS)
        return self.answered().shown()

    def answered(self) -> Images:
        """Wait until everything sent is answered, whether there is a result or not."""
        expect(self.root).not_to_have_attribute("data-waiting", "", timeout=RUN_MS)
        return self

    def blended(self, alpha: float) -> Shown:
        """Wait until the portrait of a blend is there."""
        self.answered()
        expect(self.part("morph-at")).to_have_attribute("data-alpha", f"{alpha:g}", timeout=RUN_MS)
        return self.shown()

    def export(self, opener: str, choice: str = "") -> tuple[str, bytes]:
        """Press a button that gives a file; its name and its content."""
        with self.page.expect_download(timeout=RUN_MS) as arriving:
            self.part(opener).click()
            if choice:
                self.part(choice).click()
        return arriving.value.suggested_filename, Path(arriving.value.path()).read_bytes()


class Host(BenchHost):
    """A page that shows the image bench over the bundled model and a simulated one."""

    viewport: ClassVar[Any] = {"width": 1280, "height": 1000}

    def show(self, **inputs: Any) -> Images:
        """A fresh bench with these inputs, at its first step."""
        view = self._show().settle()
        self.set(view, **{**FEW, **inputs})
        return view.settle()

    @abstractmethod
    def _show(self) -> Images:
        """A fresh bench."""

    @abstractmethod
    def results(self, view: Images) -> dict[str, ImageAssociation]:
        """Python's result of every model."""


class NotebookHost(NotebookBench, Host):
    """JupyterLab with an image bench."""

    notebook_name = "images.ipynb"

    def __init__(self, browser: Browser, lab: JupyterLab) -> None:
        super().__init__(browser, lab, "from biaslab_widgets import ImageBench")

    def _show(self) -> Images:
        self.show_cell("bench = ImageBench(); bench")
        return Images.on(self.page)

    def results(self, view: Images) -> dict[str, ImageAssociation]:
        del view
        found = self.value("{name: r.to_json() for name, r in bench.results.items()}")
        return {name: _score(text) for name, text in found.items()}


class AppHost(AppBench, Host):
    """The app's page of pictures; its results are what it exports."""

    path = "/images"
    own_input = "morph_observer"

    def _show(self) -> Images:
        self.load()
        return Images.on(self.page)

    def results(self, view: Images) -> dict[str, ImageAssociation]:
        found = json.loads(view.export("export-json")[1])["results"]
        return {name: _score(json.dumps(one)) for name, one in found.items()}


def _score(text: str) -> ImageAssociation:
    result = Result.from_json(text)
    assert isinstance(result, ImageAssociation)
    return result


def photograph(colour: tuple[int, int, int], kind: str = "PNG", side: int = 64) -> bytes:
    """A picture of one colour, as a file."""
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (side, side), colour).save(out, kind)
    return out.getvalue()


def many_photographs(per_term: int) -> bytes:
    """A zip file of small pictures, each of another colour, in a folder for each term of `LISTS`.

    Thousands come in within seconds, where as many portraits take a busy machine minutes to draw.
    """
    terms = [term for words in LISTS if words["kind"] == "groups" for term in words["terms"]]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for place, term in enumerate(terms):
            for number in range(per_term):
                colour = (60 * place, number % 256, number // 256)
                archive.writestr(f"{term}/{number:04}.png", photograph(colour, side=16))
    return out.getvalue()
