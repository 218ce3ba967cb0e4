"""One live story of a bench, in both hosts: what only a real page with Python behind it shows.

A story goes from an empty bench by keys to a result, finds the result on the screen, edits,
exports, saves and reopens. Its module says in which hosts, and has one test of named steps::

    host = hosts(NotebookHost, AppHost)


    def test_story(host: Host) -> None:
        view = host.show()
        by_keys_to_a_result(view)
        says(view, " ".join(host.result().verdict()))

Each story loads one page. Logic and numbers belong in the controller's tests and in ``js/tests``.
"""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import pytest
from playwright.sync_api import Browser, expect

from harness.bench_hosts import AppBench, BenchHost, NotebookBench, R, V
from harness.bench_page import BenchPage
from harness.heavy import pd
from harness.server import attempts

if TYPE_CHECKING:
    from pandas import DataFrame

_SVG = "{http://www.w3.org/2000/svg}"
_FROM_OUTSIDE = (
    b"<script", b"<foreignObject", b"@import", b"var(--", b"url(http", b'href="http'
)  # fmt: skip
"""What a file that is opened elsewhere would run, fetch or not have."""
_THEMES: tuple[Literal["dark", "light"], ...] = ("dark", "light")
_CHANGE_THEME = """theme => window.jupyterapp.commands
    .execute('apputils:change-theme', { theme })"""
_SAVED = """root => root.querySelector('[data-testid="notice"]')
    ?.textContent.match(/Saved as runs? (\\w+)/)?.[1]"""


def hosts(
    notebook: type[NotebookBench[V, R]], app: type[AppBench[V, R]], *, lab_at_night: bool = False
) -> Any:
    """Make the fixture ``host``: the bench in JupyterLab, then in the served app.

    With `lab_at_night` the long story in JupyterLab belongs to ``make validate``.
    """

    def host(request: pytest.FixtureRequest, browser: Browser) -> Iterator[BenchHost[V, R]]:
        kind = request.param
        server = request.getfixturevalue("_lab_server" if kind is notebook else "app")
        failed = request.session.testsfailed
        opened = kind(browser, server)
        opened.begin()
        yield opened
        opened.end(failed=request.session.testsfailed > failed)

    marks = [pytest.mark.validate] if lab_at_night else []
    params = [pytest.param(notebook, id=notebook.name, marks=marks), pytest.param(app, id=app.name)]
    return pytest.fixture(params=params)(host)


def eventually(check: Callable[[], object], deadline_s: float = 30) -> None:
    """Repeat a check of a live page until it holds; what it says last fails the test."""
    for last in attempts(deadline_s):
        try:
            check()
        except AssertionError:
            if last:
                raise
        else:
            return


def says(view: BenchPage, verdict: str) -> None:
    """Wait until a bench has a verdict; how numbers are painted, ``js/tests`` try."""
    eventually(lambda: _is(view.said()[-1], verdict))


def still_says(view: BenchPage, before: Sequence[str]) -> None:
    """Wait until a bench has the numbers and the verdict that it, or another one, had before."""
    eventually(lambda: _is(view.said(), before))


def _is(found: object, expected: object) -> None:
    assert found == expected


def table(view: BenchPage, what: str = "") -> DataFrame:
    """A table as it is exported; `what` names one of several."""
    name, content = view.export("export-csv", f"csv-{what}" if what else "")
    assert name.endswith(".csv"), name
    return pd.read_csv(io.BytesIO(content))


def drawing(view: BenchPage) -> str:
    """All text of the picture exported as SVG, which needs nothing from outside."""
    name, content = view.export("export-svg")
    assert name.endswith(".svg"), name
    svg = ET.fromstring(content)
    assert svg.tag == f"{_SVG}svg"
    assert not any(part in content for part in _FROM_OUTSIDE)
    return " ".join("".join(text.itertext()) for text in svg.iter(f"{_SVG}text"))


def colours(view: BenchPage) -> int:
    """How many colours the picture exported as PNG has."""
    from PIL import Image

    name, content = view.export("export-png")
    assert name.endswith(".png"), name
    with Image.open(io.BytesIO(content)) as image:
        return len(image.convert("RGB").getcolors(image.width * image.height) or [])


def saved(view: BenchPage) -> str:
    """Save the run; its id."""
    view.part("save-run").click()
    return str(view.waited(_SAVED))


def obeyed(view: BenchPage) -> None:
    """Wait until Python has obeyed what was pressed, once in a story.

    It takes one command after the other, so it has when it tells how the bench works.
    """
    view.part("how-open").click()
    expect(view.part("how-about")).to_be_visible(timeout=view.answer_ms)
    view.part("how-open").click()


def themes_are_those_of_the_host(
    host: BenchHost[V, R], view: V, also: Callable[[str], object] = str, *, by_command: bool = False
) -> None:
    """The bench turns dark and light with its host, and what else is asserted of a theme holds.

    ``by_command`` switches JupyterLab's own theme, which takes it a second; else its page only says
    that it has another one.
    """
    for theme in _THEMES:
        if not isinstance(host, NotebookBench):
            host.page.emulate_media(color_scheme=theme)
        elif by_command:
            host.page.evaluate(_CHANGE_THEME, f"JupyterLab {theme.capitalize()}")
            # It covers the page while a theme loads, and trips over the next before it is gone.
            expect(host.page.locator("#jupyterlab-splash")).to_have_count(0)
        else:
            host.page.evaluate("light => { document.body.dataset.jpThemeLight = light; }",
                               theme == "light")  # fmt: skip
        expect(view.root).to_have_attribute("data-theme", theme)
        eventually(partial(also, theme))
