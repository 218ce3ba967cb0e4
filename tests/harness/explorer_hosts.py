"""The explorer in its two hosts, behind one face, so that one test runs in both."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

import biaslab as bl
from biaslab.results import Result
from biaslab.subjects import ensemble_folder
from biaslab_widgets.controllers.psychometric_fields import GENDER_PAIRS, PSYCHOMETRIC_BENCH
from harness import embedding_files
from harness.explorer import Explorer
from harness.jupyter_lab import JupyterLab
from harness.served_app import ServedApp
from harness.server import wait_until
from harness.watched_page import WatchedPage

PSE = {"nurse": 0.61, "electrician": 0.36, "teacher": 0.5, "librarian": 0.57, "zoologist": 1.04}
"""Known words and where their answers switch; the last lies outside the axis."""

OBSERVERS = f"""
import biaslab as bl
from biaslab_widgets import PsychometricBench
import ipywidgets as widgets
from biaslab_widgets.controllers.psychometric_fields import GENDER_PAIRS
subject = bl.observers.embedding(
    pse={PSE!r}, jnd=0.05, replicates=32, cues=[tuple(p) for p in GENDER_PAIRS],
    cosine=0.95, seed=1,
)
"""


INPUTS = tuple(
    field.name for field in PSYCHOMETRIC_BENCH.inputs if field.name not in ("generation", "command")
)
SEEN_ONLY = ("alpha", "fit_axis")
"""Inputs that change what is seen and not what is asked."""
_BOKEH_STATE = """() => {
    for (const model of Bokeh.documents[0]._all_models.values())
        if (model.data?.attributes && "selected_pairs" in model.data.attributes) return model.data;
}"""


def observers() -> bl.EmbeddingEnsemble:
    """The simulated subject that both hosts show."""
    scope: dict[str, Any] = {}
    exec(OBSERVERS, scope)
    subject: bl.EmbeddingEnsemble = scope["subject"]
    return subject


class Subjects:
    """Files of the simulated subject for the served app.

    Attributes
    ----------
    ensemble, single, truncated : Path
        All replicates; the first one; the first one in a file whose last line is cut off.
    served : tuple of Path
        What the app offers, in this order.
    """

    def __init__(self, folder: Path) -> None:
        subject = observers()
        words = list(subject.words)
        vectors = subject.vectors(words)
        self.ensemble = folder / "observers"
        self.ensemble.mkdir()
        ensemble_folder.write_vocabulary(self.ensemble, words)
        for number, replicate in enumerate(vectors):
            ensemble_folder.write_replicate(self.ensemble, number, replicate)
        recipe = {"replicates": len(vectors), "method": "simulated"}
        ensemble_folder.write_manifest(self.ensemble, recipe)
        text = embedding_files.word2vec_text(words, vectors[0])
        self.single = embedding_files.write(folder / "single.txt", text)
        self.truncated = folder / "truncated.txt"
        self.truncated_line = len(words) + 1
        self.served = (self.ensemble, self.single, self.truncated)
        self.damage()

    def damage(self) -> None:
        """Cut the last line of the truncated file in the middle."""
        self.truncated.write_bytes(self.single.read_bytes()[:-60])

    def repair(self) -> None:
        """Make the truncated file whole."""
        self.truncated.write_bytes(self.single.read_bytes())


class Host(ABC):
    """A page with an explorer that shows the simulated subject."""

    name: str

    def __init__(self, watched: WatchedPage, subjects: Subjects) -> None:
        self.watched = watched
        self.subjects = subjects
        self._start: dict[str, Any] | None = None

    @property
    def page(self) -> Page:
        """The page."""
        return self.watched.page

    def show(self, subject: str = "ensemble") -> Explorer:
        """A fresh explorer of "ensemble", "single" or "truncated", asked about nurse.

        It is not waited for.
        """
        self._start = None
        return self._show(subject)

    def explorer(self) -> Explorer:
        """An explorer of the ensemble, asked about nurse, with nothing else changed.

        The one that is there when the last test left it whole: that is much faster than a new one.
        """
        if self._start is None:
            explorer = self.show().settle()
            self._start = self._inputs()
            return explorer
        explorer = Explorer.on(self.page)
        generation = self._restore(self._start)
        explorer.wait_for_generation_after(generation - 1)
        return explorer.settle()

    @abstractmethod
    def _show(self, subject: str) -> Explorer:
        """See `show`."""

    @abstractmethod
    def _inputs(self) -> dict[str, Any]:
        """The explorer's inputs."""

    @abstractmethod
    def _restore(self, inputs: dict[str, Any]) -> int:
        """Set the inputs, and a new generation, which is returned."""

    @abstractmethod
    def result(self, explorer: Explorer, **inputs: Any) -> bl.TwoAFCResult:
        """Python's result of what was asked; ``inputs`` are those that the test has changed."""

    @abstractmethod
    def home(self) -> Path:
        """The folder where the host saves runs."""


class NotebookHost(Host):
    """JupyterLab with one notebook, whose one cell is written anew for each explorer."""

    name = "jupyterlab"

    def __init__(self, browser: Browser, lab: JupyterLab, subjects: Subjects) -> None:
        super().__init__(WatchedPage(browser, viewport={"width": 1400, "height": 1000}), subjects)
        self.lab = lab
        self.notebook = lab.write_notebook("explorer.ipynb", [""])
        lab.open(self.page, self.notebook)
        self.run(OBSERVERS)

    def run(self, source: str) -> str:
        """Run code in the kernel and return what it printed."""
        return self.lab.run_cell(self.page, source)

    def value(self, expression: str) -> Any:
        """The value of an expression in the kernel, by way of JSON."""
        return json.loads(self.run(f"import json; print(json.dumps({expression}))"))

    def wait_for(self, expression: str, value: Any) -> None:
        """Wait until an expression in the kernel has a value."""
        wait_until(lambda: bool(self.value(expression) == value), f"{expression} == {value!r}")

    def show_cell(self, source: str) -> None:
        """Make the notebook's one cell this code, and run it."""
        self._start = None
        self.run("widgets.Widget.close_all()")
        self.page.evaluate(
            """source => {
                const { content } = window.jupyterapp.shell.currentWidget;
                content.activeCellIndex = 0;
                content.model.cells.get(0).sharedModel.setSource(source);
                content.scrollToItem(0);
            }""",
            source,
        )
        self.lab.run_all(self.page)

    def _show(self, subject: str) -> Explorer:
        given = {
            "ensemble": "subject",
            "single": "subject.replicate(0)",
            "truncated": f"[{str(self.subjects.truncated)!r}, subject]",
        }
        self.show_cell(f'bench = PsychometricBench({given[subject]}, word="nurse"); bench')
        return Explorer.on(self.page)

    def _inputs(self) -> dict[str, Any]:
        inputs: dict[str, Any] = self.value(f"{{n: getattr(bench, n) for n in {INPUTS!r}}}")
        return inputs

    def _restore(self, inputs: dict[str, Any]) -> int:
        self.run(
            "with bench.hold_trait_notifications():\n"
            f"    for name, value in {inputs!r}.items():\n"
            "        setattr(bench, name, value)\n"
            "bench.generation += 1"
        )
        return int(self.value("bench.generation"))

    def result(self, explorer: Explorer, **inputs: Any) -> bl.TwoAFCResult:
        for name, value in inputs.items():
            if (found := self.value(f"bench.{name}")) != value:
                raise AssertionError(f"bench.{name} is {found!r} and not {value!r}.")
        result = Result.from_json(self.run("print(bench.result.to_json())"))
        assert isinstance(result, bl.TwoAFCResult)
        return result

    def home(self) -> Path:
        return Path(self.value("__import__('os').environ['BIASLAB_HOME']"))


class AppHost(Host):
    """The served app, loaded afresh for each explorer."""

    name = "app"

    def __init__(self, browser: Browser, served: ServedApp, subjects: Subjects) -> None:
        super().__init__(WatchedPage(browser, viewport={"width": 1400, "height": 1000}), subjects)
        self.served = served
        self.loaded = bl.load(subjects.ensemble)

    def _show(self, subject: str) -> Explorer:
        self.page.goto(self.served.url)
        explorer = Explorer.on(self.page).settle()
        if subject != "ensemble":
            number = self.subjects.served.index(getattr(self.subjects, subject))
            explorer.part("subject-select").select_option(index=number)
        return explorer

    def _inputs(self) -> dict[str, Any]:
        inputs: dict[str, Any] = self.page.evaluate(
            f"""names => {{
                const {{ attributes }} = ({_BOKEH_STATE})();
                return Object.fromEntries(names.map(name => [name, attributes[name]]));
            }}""",
            list(INPUTS),
        )
        return inputs

    def _restore(self, inputs: dict[str, Any]) -> int:
        generation: int = self.page.evaluate(
            f"""inputs => {{
                const state = ({_BOKEH_STATE})();
                state.setv(inputs);
                state.setv({{ generation: state.attributes.generation + 1 }});
                return state.attributes.generation;
            }}""",
            inputs,
        )
        return generation

    def result(self, explorer: Explorer, **inputs: Any) -> bl.TwoAFCResult:
        names = {"word": "items", "noise": "perception"}
        asked = {name: value for name, value in inputs.items() if name not in SEEN_ONLY}
        options = {names.get(name, name): value for name, value in asked.items()}
        selected = options.pop("selected_pairs", [GENDER_PAIRS.index(["woman", "man"])])
        options.setdefault("items", "nurse")
        pairs = [tuple(GENDER_PAIRS[i]) for i in selected]
        return bl.two_afc(self.loaded, cues=pairs, **options)

    def home(self) -> Path:
        return self.served.log.parent / "home" / "biaslab"
