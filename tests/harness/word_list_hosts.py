"""The word-list editor in its two hosts, behind one face, so that one test runs in both."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Locator, Page, expect

from harness import embedding_files
from harness.jupyter_lab import JupyterLab
from harness.served_app import ServedApp
from harness.server import wait_until
from harness.watched_page import WatchedPage

KNOWN = ("nurse", "electrician", "electric", "electron", "teacher", "chef", "she", "he", "fire")
MANY = 5000
"""The subject knows also ``w0`` to ``w4999``."""
ANSWER_MS = 30_000
VIEWPORT: Any = {"width": 1400, "height": 1000}
CLIPBOARD = ["clipboard-read", "clipboard-write"]
Lists = Sequence[dict[str, Any]]


def write_subject(folder: Path) -> Path:
    """A small embedding file that both hosts open."""
    words = [*KNOWN, *(f"w{i}" for i in range(MANY))]
    vectors = np.random.default_rng(1).normal(size=(len(words), 3)).astype(np.float32)
    text = embedding_files.word2vec_text(words, vectors)
    return embedding_files.write(folder / "small.txt", text)


def words(*terms: str, name: str = "words", **more: Any) -> dict[str, Any]:
    """A list as the state holds it."""
    return {"name": name, "terms": list(terms), **more}


class Editor:
    """One editor on a page.

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

    def list(self, number: int = 0) -> Locator:
        """One of its lists."""
        return self.part("word-list").nth(number)

    def box(self, number: int = 0) -> Locator:
        """The chips' box of a list, which takes the keys."""
        return self.list(number).get_by_test_id("chips")

    def chips(self, number: int = 0) -> Locator:
        """The chips of a list that are drawn."""
        return self.list(number).get_by_test_id("chip")

    def chip(self, term: str, number: int = 0) -> Locator:
        """The chip of a term."""
        return self.chips(number).filter(has_text=term).first

    def add(self, *terms: str, number: int = 0) -> None:
        """Type terms, each ended with Enter."""
        field = self.list(number).get_by_test_id("add-word")
        for term in terms:
            field.fill(term)
            field.press("Enter")

    def copy(self, text: str) -> None:
        """Put text on the clipboard, as copying a column in a spreadsheet does."""
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)

    def settle(self, state: str = "ready") -> Editor:
        """Wait until everything sent is answered and the state is as named."""
        expect(self.root).to_have_attribute("data-state", state, timeout=ANSWER_MS)
        expect(self.root).not_to_have_attribute("data-waiting", "", timeout=ANSWER_MS)
        return self


class Host(ABC):
    """A page that shows editors over the small subject."""

    name: str

    def __init__(self, browser: Browser, context: dict[str, Any] | None = None) -> None:
        options = {"viewport": VIEWPORT, "permissions": CLIPBOARD, **(context or {})}
        self.watched = WatchedPage(browser, **options)

    @property
    def page(self) -> Page:
        """The page."""
        return self.watched.page

    @abstractmethod
    def show(self, *lists: dict[str, Any], fixed: bool = False) -> Editor:
        """A fresh editor of these lists, settled."""

    @abstractmethod
    def lists(self) -> Lists:
        """The lists as the host's state holds them."""

    @abstractmethod
    def home(self) -> Path:
        """The folder where the host keeps specs."""

    def terms(self, number: int = 0) -> Sequence[str]:
        """The terms of a list in the host's state."""
        found: Sequence[str] = self.lists()[number]["terms"]
        return found

    def wait_for_terms(self, *terms: str, number: int = 0) -> None:
        """Wait until the host's state holds these terms."""
        wait_until(lambda: list(self.terms(number)) == list(terms), f"terms {terms}")


class NotebookHost(Host):
    """JupyterLab with one notebook, whose one cell is written anew for each editor."""

    name = "jupyterlab"

    def __init__(self, browser: Browser, lab: JupyterLab, subject: Path) -> None:
        super().__init__(browser)
        self.lab = lab
        lab.open(self.page, lab.write_notebook("word-lists.ipynb", [""]))
        self.run(
            "import biaslab as bl\nimport ipywidgets as widgets\n"
            "from biaslab_widgets import WordListEditor\n"
            f"subject = bl.load({str(subject)!r})"
        )

    def run(self, source: str) -> str:
        """Run code in the kernel and return what it printed."""
        return self.lab.run_cell(self.page, source)

    def value(self, expression: str) -> Any:
        """The value of an expression in the kernel, by way of JSON."""
        return json.loads(self.run(f"import json; print(json.dumps({expression}))"))

    def show_cell(self, source: str) -> None:
        """Make the notebook's one cell this code, and run it."""
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

    def show(self, *lists: dict[str, Any], fixed: bool = False) -> Editor:
        self.run(f"lists = {list(lists)!r}")
        self.show_cell(f"editor = WordListEditor(subject, lists, fixed={fixed}); editor")
        return Editor(self.page.get_by_test_id("bench")).settle()

    def lists(self) -> Lists:
        found: Lists = self.value("editor.lists")
        return found

    def home(self) -> Path:
        return Path(self.value("__import__('os').environ['BIASLAB_HOME']"))


_STATE = """() => {
    for (const model of Bokeh.documents[0]._all_models.values())
        if (model.data?.attributes && "lists" in model.data.attributes) return model.data;
}"""


class AppHost(Host):
    """The app's page of word lists, loaded afresh for each editor."""

    name = "app"

    def __init__(
        self, browser: Browser, served: ServedApp, context: dict[str, Any] | None = None
    ) -> None:
        super().__init__(browser, context)
        self.served = served

    def show(self, *lists: dict[str, Any], fixed: bool = False) -> Editor:
        self.page.goto(f"{self.served.url}/words")
        editor = Editor(self.page.get_by_test_id("bench")).settle()
        self.page.evaluate(
            f"""state => {{
                const data = ({_STATE})();
                data.setv({{ ...state, generation: data.attributes.generation + 1 }});
            }}""",
            {"lists": list(lists), "fixed": fixed},
        )
        expect(editor.part("word-list")).to_have_count(len(lists))
        self.page.wait_for_function(
            "root => Number(root.dataset.generation) > 0",
            arg=editor.root.element_handle(),
            timeout=ANSWER_MS,
        )
        return editor.settle()

    def lists(self) -> Lists:
        found: Lists = self.page.evaluate(f"() => ({_STATE})().attributes.lists")
        return found

    def home(self) -> Path:
        return self.served.log.parent / "home" / "biaslab"
