"""A report in a real browser: on paper no row is cut, and nothing is asked of the network."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

import biaslab as bl

JOBS = ("nurse", "clerk", "pilot", "smith", "cook", "judge", "poet", "maid")
MORE = tuple(f"job{i}" for i in range(60))
GROUPS = {"women": ("she", "woman", "mother"), "men": ("he", "man", "father")}
MARGINS = (34, 34)
"""Of a printed page, left and right, top and bottom together, in millimetres."""
PAPERS = {"A4": (210, 297), "Letter": (215.9, 279.4)}


def _subject(seed: int = 1) -> Any:
    words = (*JOBS, *MORE, *GROUPS["women"], *GROUPS["men"])
    vectors = np.random.default_rng(seed).standard_normal((len(words), 8)).astype(np.float32)
    return bl.WordEmbedding(words, vectors, name="random")


@cache
def _report() -> str:
    lists = {"care": JOBS[:4], "craft": JOBS[4:]}
    return bl.report(
        [
            bl.occupations(_subject(), (*JOBS, *MORE), GROUPS),
            bl.weat(_subject(), targets=lists, attributes=GROUPS, resamples=50),
            bl.compare(*(bl.occupations(_subject(seed), JOBS, GROUPS) for seed in (1, 2))),
        ]
    )


@pytest.mark.parametrize("paper", PAPERS)
def test_no_row_and_no_chart_is_cut_on_paper(page: Page, paper: str) -> None:
    sides = zip(PAPERS[paper], MARGINS, strict=True)
    width, height = (round((side - margin) * 96 / 25.4) for side, margin in sides)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": width, "height": height})
    page.set_content(_report())
    parts = page.evaluate(
        """() => [...document.querySelectorAll("tr, figure")].map((one) => {
            const place = one.getBoundingClientRect();
            return [place.height, place.right, getComputedStyle(one).breakInside];
        })"""
    )
    assert len(parts) > 60
    assert {inside for *_, inside in parts} == {"avoid"}
    assert max(tall for tall, *_ in parts) < height
    assert max(right for _, right, _ in parts) <= width + 1


def test_a_narrow_window_scrolls_tables_and_not_the_page(page: Page) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    page.set_content(_report())
    page.wait_for_function("document.documentElement.scrollWidth <= 400")
