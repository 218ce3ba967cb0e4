"""The word-list editor in its two hosts, behind one face, so that one test runs in both."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from playwright.sync_api import Browser, Locator, expect

from harness.bench_hosts import AppBench, BenchHost, NotebookBench
from harness.bench_page import BenchPage
from harness.jupyter_lab import JupyterLab
from harness.server import wait_until

Lists = Sequence[dict[str, Any]]


def words(*terms: str, name: str = "words", **more: Any) -> dict[str, Any]:
    """A list as the state holds it."""
    return {"name": name, "terms": list(terms), **more}


class Editor(BenchPage):
    """One editor on a page."""

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


class Host(BenchHost):
    """A page that shows editors."""

    permissions: ClassVar[list[str]] = ["clipboard-read", "clipboard-write"]

    @abstractmethod
    def show(self, *lists: dict[str, Any], fixed: bool = False) -> Editor:
        """A fresh editor of these lists, settled."""

    def lists(self) -> Lists:
        """The lists as the host's state holds them."""
        found: Lists = self.input("lists")
        return found

    def terms(self, number: int = 0) -> Sequence[str]:
        """The terms of a list in the host's state."""
        found: Sequence[str] = self.lists()[number]["terms"]
        return found

    def wait_for_terms(self, *terms: str, number: int = 0) -> None:
        """Wait until the host's state holds these terms."""
        wait_until(lambda: list(self.terms(number)) == list(terms), f"terms {terms}")


class NotebookHost(NotebookBench, Host):
    """JupyterLab with an editor."""

    notebook_name = "word-lists.ipynb"
    variable = "editor"

    def __init__(self, browser: Browser, lab: JupyterLab) -> None:
        setup = "from biaslab_widgets import WordListEditor\nsubject = bl.load('wiki-bootstraps')"
        super().__init__(browser, lab, setup)

    def show(self, *lists: dict[str, Any], fixed: bool = False) -> Editor:
        self.run(f"lists = {list(lists)!r}")
        self.show_bench(f"WordListEditor(subject, lists, fixed={fixed})")
        return Editor.on(self.page).settle()


class AppHost(AppBench, Host):
    """The app's page of word lists."""

    path = "/word-lists"
    own_input = "lists"

    def show(self, *lists: dict[str, Any], fixed: bool = False) -> Editor:
        self.load()
        editor = Editor.on(self.page).settle()
        generation = self.set_inputs({"lists": list(lists), "fixed": fixed})
        expect(editor.part("word-list")).to_have_count(len(lists))
        editor.wait_for_generation(generation)
        return editor.settle()
