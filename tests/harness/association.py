"""The association bench as a person sees it, and its two hosts behind one face."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect

import biaslab as bl
from biaslab.probes.association import AssociationLists, AssociationResult
from biaslab.results import Result
from biaslab_widgets.controllers.association import LIVE_RESAMPLES
from harness.jupyter_lab import JupyterLab
from harness.served_app import ServedApp
from harness.watched_page import WatchedPage

ANSWER_MS = 60_000
VIEWPORT: Any = {"width": 1280, "height": 1000}
SUBJECT = "wiki-bootstraps"
LISTS: list[dict[str, Any]] = [
    {
        "name": "women",
        "terms": ["woman", "girl", "mother", "daughter", "sister"],
        "kind": "groups",
    },
    {"name": "men", "terms": ["man", "boy", "father", "son", "brother"], "kind": "groups"},
    {
        "name": "family",
        "terms": ["home", "parents", "children", "marriage"],
        "kind": "attributes",
        "of": ["women"],
    },
    {
        "name": "career",
        "terms": ["business", "office", "professional", "career"],
        "kind": "attributes",
        "of": ["men"],
    },
    {"name": "human", "terms": ["walk", "eat", "sleep", "hand", "voice"], "kind": "controls"},
    {
        "name": "neutral",
        "terms": ["box", "line", "road", "wall", "paper", "stone", "river"],
        "kind": "controls",
    },
]

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
        means: all("mean").map(
            ({ dataset: d }) => [d.word, d.connection, number(d.value)]),
        macs: Object.fromEntries(
            all("mac").map(({ dataset: d }) => [d.connection, number(d.value)])),
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
    means: list[list[Any]]
    macs: dict[str, float]
    weat: list[dict[str, Any]]


class Association:
    """One association bench on a page.

    Parameters
    ----------
    root : Locator
        Its outermost element, of test id ``bench``.
    """

    def __init__(self, root: Locator) -> None:
        self.root = root

    @property
    def page(self) -> Page:
        """The page that it is on."""
        return self.root.page

    def part(self, testid: str) -> Locator:
        """A part by its test id."""
        return self.root.get_by_test_id(testid)

    def settle(self, state: str = "ready") -> Association:
        """Wait until everything sent is answered and the state is as named."""
        expect(self.root).to_have_attribute("data-state", state, timeout=ANSWER_MS)
        expect(self.root).not_to_have_attribute("data-waiting", "", timeout=ANSWER_MS)
        return self

    def shown(self) -> Shown:
        """What the screen says now, all read at one moment."""
        return Shown(**self.root.evaluate(_READ))

    def step(self, number: int) -> Association:
        """Take a step of throwing the data away, and wait until the picture has arrived."""
        self.part(f"step-{number}").check(force=True)
        arrived = {1: "lane", 2: "mean", 3: "mac", 4: "effect-mark"}
        for other, name in arrived.items():
            if other != number:
                expect(self.part(name)).to_have_count(0)
        expect(self.part(arrived[number]).first).to_be_attached()
        return self.settle()

    def wait_for_generation(self, least: int) -> None:
        """Wait until an answer to this generation or a later one is on the screen."""
        self.page.wait_for_function(
            "([root, least]) => Number(root.dataset.generation) >= least",
            arg=[self.root.element_handle(), least],
            timeout=ANSWER_MS,
        )


class Host(ABC):
    """A page that shows the association bench over the bundled ensemble."""

    name: str

    def __init__(self, browser: Browser) -> None:
        self.watched = WatchedPage(browser, viewport=VIEWPORT)

    @property
    def page(self) -> Page:
        """The page."""
        return self.watched.page

    def show(self, **inputs: Any) -> Association:
        """A fresh bench of short lists and one replicate, with these inputs, answered."""
        view = self._show()
        view.settle()
        self.set(view, **{"lists": LISTS, "replicate": 0, **inputs})
        return view

    @abstractmethod
    def _show(self) -> Association:
        """A fresh bench."""

    @abstractmethod
    def set(self, view: Association, **inputs: Any) -> None:
        """Set inputs from outside, and wait for the answer, whatever it is."""

    @abstractmethod
    def input(self, name: str) -> Any:
        """An input as the host's state holds it."""

    @abstractmethod
    def result(self) -> AssociationResult:
        """Python's result of what is asked."""


class NotebookHost(Host):
    """JupyterLab with one notebook, whose one cell is written anew for each bench."""

    name = "jupyterlab"

    def __init__(self, browser: Browser, lab: JupyterLab) -> None:
        super().__init__(browser)
        self.lab = lab
        lab.open(self.page, lab.write_notebook("association.ipynb", [""]))
        self.run(
            "import biaslab as bl\nimport ipywidgets as widgets\n"
            f"from biaslab_widgets import AssociationBench\nsubject = bl.load({SUBJECT!r})"
        )

    def run(self, source: str) -> str:
        """Run code in the kernel and return what it printed."""
        return self.lab.run_cell(self.page, source)

    def value(self, expression: str) -> Any:
        """The value of an expression in the kernel, by way of JSON."""
        return json.loads(self.run(f"import json; print(json.dumps({expression}))"))

    def _show(self) -> Association:
        self.run("widgets.Widget.close_all()")
        self.page.evaluate(
            """source => {
                const { content } = window.jupyterapp.shell.currentWidget;
                content.activeCellIndex = 0;
                content.model.cells.get(0).sharedModel.setSource(source);
                content.scrollToItem(0);
            }""",
            "bench = AssociationBench(subject, replicate=0); bench",
        )
        self.lab.run_all(self.page)
        return Association(self.page.get_by_test_id("bench").first)

    def set(self, view: Association, **inputs: Any) -> None:
        self.run(
            "with bench.hold_trait_notifications():\n"
            f"    for name, value in {inputs!r}.items():\n"
            "        setattr(bench, name, value)\n"
            "bench.generation += 1"
        )
        view.wait_for_generation(int(self.value("bench.generation")))

    def input(self, name: str) -> Any:
        return self.value(f"bench.{name}")

    def result(self) -> AssociationResult:
        result = Result.from_json(self.run("print(bench.result.to_json())"))
        assert isinstance(result, AssociationResult)
        return result


_STATE = """() => {
    for (const model of Bokeh.documents[0]._all_models.values())
        if (model.data?.attributes && "debiasing" in model.data.attributes) return model.data;
}"""
_ASKED = ("model", "level", "weat_groups", "weat_attributes", "ddof", "alternative")


class AppHost(Host):
    """The app's page of associations, loaded afresh for each bench."""

    name = "app"

    def __init__(self, browser: Browser, served: ServedApp) -> None:
        super().__init__(browser)
        self.served = served
        loaded = bl.load(SUBJECT)
        assert isinstance(loaded, bl.EmbeddingEnsemble)
        self.loaded = loaded

    def _show(self) -> Association:
        self.page.goto(f"{self.served.url}/association")
        return Association(self.page.get_by_test_id("bench"))

    def set(self, view: Association, **inputs: Any) -> None:
        generation: int = self.page.evaluate(
            f"""inputs => {{
                const data = ({_STATE})();
                data.setv({{ ...inputs, generation: data.attributes.generation + 1 }});
                return data.attributes.generation;
            }}""",
            inputs,
        )
        view.wait_for_generation(generation)

    def input(self, name: str) -> Any:
        return self.page.evaluate(f"name => ({_STATE})().attributes[name]", name)

    def result(self) -> AssociationResult:
        chosen = self.input("replicate")
        subject = self.loaded if chosen < 0 else self.loaded.replicate(chosen)
        options = {name: self.input(name) for name in _ASKED}
        return bl.association(
            subject, asked(self.input("lists")), resamples=LIVE_RESAMPLES, **options
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
