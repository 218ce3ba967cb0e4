"""The word-list editor in its two hosts, behind one face, so that one test runs in both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from playwright.sync_api import Locator

from biaslab.records.result import Result
from harness.bench_hosts import AppBench, BenchHost, NotebookBench
from harness.bench_page import BenchPage
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


class Host(BenchHost[Editor, Result]):
    """A page that shows editors."""

    permissions: ClassVar[list[str]] = ["clipboard-read", "clipboard-write"]
    bench_page = Editor
    result_type = Result

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


class NotebookHost(NotebookBench[Editor, Result], Host):
    """JupyterLab with an editor."""

    setup = "from biaslab_widgets import WordListEditor\nsubject = bl.load('wiki-bootstraps')"
    made = "WordListEditor(subject)"
    variable = "editor"


class AppHost(AppBench[Editor, Result], Host):
    """The app's page of word lists."""

    path = "/word-lists"
    own_input = "lists"
