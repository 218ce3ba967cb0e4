"""The module of a bench loads and answers in the widget managers of other programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import biaslab_widgets
from front_ends import FRONT_ENDS
from harness.emitted import observers
from harness.heavy import ipywidgets
from harness.server import wait_until
from harness.widget_page import Kernel, widget_page

pytestmark = pytest.mark.skipif(
    not all(one.path.exists() for one in FRONT_ENDS),
    reason="The front ends are not here: make front-ends fetches them.",
)


@pytest.fixture
def bench() -> Iterator[Any]:
    made = biaslab_widgets.PsychometricBench(observers(), word="nurse")
    assert made.result.items == ("nurse",)
    yield made
    ipywidgets.Widget.close_all()


@pytest.mark.parametrize(
    "manager", [pytest.param("vscode", id="vs-code"), pytest.param("html", id="html-manager")]
)
def test_a_bench_answers_in_both_directions(
    page: Page, tmp_path: Path, bench: Any, manager: str
) -> None:
    with widget_page(tmp_path) as address:
        page.goto(address)
        page.wait_for_function("window.show !== undefined")
        kernel = Kernel(page, bench)
        kernel.show(manager)
        verdict = page.get_by_role("region", name="Verdict")
        expect(verdict).to_contain_text("nurse")

        # A word that is typed reaches Python, and its answer the page.
        field = page.get_by_role("combobox", name="Word")
        field.fill("teacher")
        field.press("Enter")
        wait_until(lambda: _shows(page, bench, "teacher"), "The word in Python")
        kernel.send()
        expect(verdict).to_contain_text("teacher")

        # A trait that is set in Python reaches the page.
        bench.word = "nurse"
        wait_until(lambda: _shows(page, bench, "nurse"), "The answer")
        kernel.send()
        expect(field).to_have_value("nurse")
        expect(verdict).to_contain_text("nurse")


def _shows(page: Page, bench: Any, word: str) -> bool:
    page.evaluate("null")  # lets the page's messages arrive
    picture = bench.answer["picture"]
    return picture is not None and picture["word"] == word
