"""The numbers of the image bench are those of its results, in both hosts."""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ET
from functools import partial
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from biaslab.probes.images.result import ImageAssociation
from biaslab.stats.rounding import SINGLE
from harness.heavy import pd
from harness.images import CLIP, COUNT, TRUTH, Host, Images

approx = partial(pytest.approx, abs=2e-4)
"""As close as what is sent to the screen is rounded."""


def same_score(shown: dict[str, Any], score: Any) -> None:
    """A score on the screen is that of a record."""
    assert shown["score"] == approx(score.score)
    assert shown["low"] == approx(score.interval.low)
    assert shown["high"] == approx(score.interval.high)
    assert shown["images"] == score.n_images
    assert shown["stereotyped"] == score.stereotyped


def same_as(view: Images, results: dict[str, ImageAssociation]) -> None:
    """Every number of the third step is that of a result."""
    shown = view.shown()
    assert set(shown.scores) == set(results) == set(shown.tones)
    for name, result in results.items():
        same_score(shown.scores[name], result.overall)
        rows = {term: score for model, term, score in shown.terms if model == name}
        assert set(rows) == {term.name for term in result.terms}
        for term in result.terms:
            same_score(rows[term.name], term)
        for letters, has in (
            ("ABC", result.scores > 0.5 + SINGLE),
            ("abc", result.scores < 0.5 - SINGLE),
            ("t", np.abs(result.scores - 0.5) <= SINGLE),
        ):
            squares = sum(tone in letters for tone in shown.tones[name])
            assert squares == int(has.sum()), (name, letters)


def number_of(result: ImageAssociation, image: str) -> int:
    """Which of a result's pictures an id of the screen is."""
    (number,) = [
        i for i, record in enumerate(result.images) if record.hash.startswith(image.split("-")[0])
    ]
    return number


@pytest.mark.both_hosts
def test_scores_intervals_and_squares_equal_python(host: Host) -> None:
    view = host.tested()
    results = host.results(view)
    same_as(view, results)
    shown = view.shown()
    assert all(len(tones) == COUNT for tones in shown.tones.values())
    assert "helpers" in shown.verdict
    for outcome, letters in (("with", "ABC"), ("against", "abc"), ("t", "t")):
        count = sum(tone in letters for tones in shown.tones.values() for tone in tones)
        label = view.root.locator("label", has=view.page.get_by_test_id(f"outcome-{outcome}"))
        expect(label).to_contain_text(str(count))


@pytest.mark.parametrize("aggregate", ["mean", "any"])
def test_another_aggregation_scores_at_once_without_a_test(host: Host, aggregate: str) -> None:
    view = host.tested()
    before = view.shown().scores
    view.go(1).part(f"aggregate-{aggregate}").check(force=True)
    view.settle().go(3).settle()
    results = host.results(view)
    assert {result.aggregate for result in results.values()} == {aggregate}
    same_as(view, results)
    if aggregate == "any":
        assert view.shown().scores != before


def test_the_card_equals_python_and_names_the_tied_list_first(host: Host) -> None:
    view = host.tested()
    results = host.results(view)
    for keys in ((), ("ArrowRight",), ("PageDown", "End")):
        shown = view.point(CLIP, *keys)
        result = results[CLIP]
        number = number_of(result, shown.image)
        record = result.images[number]
        group = int(result.group_of[number])
        assert list(shown.probabilities) == [
            result.concept_lists[group],
            result.concept_lists[1 - group],
        ]
        first = float(result.first[number])
        assert shown.probabilities["helpers"] == approx(first)
        assert shown.probabilities["experts"] == approx(1 - first)
        assert len(shown.by_template) == len(result.templates)
        assert np.mean(shown.by_template) == approx(float(result.scores[number]))
        pooled = np.mean(result.probabilities[number], axis=0)
        assert sorted(shown.by_concept) == approx(sorted(map(float, pooled)))
        other = results[TRUTH]
        assert shown.others == {TRUTH: approx(float(other.scores[number_of(other, shown.image)]))}
        expect(view.part("card-alt")).to_have_text(record.description)
        expect(view.part("card-place")).to_contain_text(record.term)
        expect(view.part("card").locator("img")).to_have_attribute("alt", record.description)


def test_the_pointer_shows_what_the_keys_show_and_a_click_holds_it(host: Host) -> None:
    view = host.tested()
    by_keys = view.point(CLIP)
    view.part("search").focus()
    assert view.shown().image == ""
    row = view.squares(CLIP).get_by_test_id("squares-row").first.bounding_box()
    box = view.squares(CLIP).bounding_box()
    assert row is not None
    assert box is not None
    view.squares(CLIP).hover(position={"x": 4, "y": row["y"] - box["y"] + 4})
    assert view.looked().image == by_keys.image
    view.page.mouse.down()
    view.page.mouse.up()
    view.page.mouse.move(2, 2)
    assert view.looked().image == by_keys.image, "it is held"
    host.holds("image", by_keys.image)
    view.part("next-picture").click()
    assert view.looked().image not in ("", by_keys.image)
    view.page.keyboard.press("Escape")
    view.settle()
    assert view.shown().image == ""
    host.holds("image", "")


def test_filter_and_search_fade_the_squares_that_they_leave_out(host: Host) -> None:
    view = host.show().made().tested()
    everything = view.squares(CLIP).locator("path.faded").count()
    assert everything == 0
    view.part("search").fill("male scientist")
    expect(view.squares(CLIP).locator("path.faded").first).to_be_attached()
    shown = view.point(CLIP)
    expect(view.part("card-place")).to_contain_text("male scientist")
    assert shown.image != ""
    view.part("search").fill("")
    view.part("order").select_option("name score")
    rows = view.squares(CLIP).get_by_test_id("squares-row")
    names = [rows.nth(i).get_attribute("data-row") or "" for i in range(rows.count())]
    assert [name.split(" / ")[1] for name in names] == sorted(
        ["female nurse", "female scientist", "male nurse", "male scientist"]
    )


@pytest.mark.both_hosts
def test_what_is_taken_along_is_what_is_on_the_screen(host: Host) -> None:
    view = host.tested()
    results = host.results(view)
    name, content = view.export("export-csv", "csv-images")
    assert name.endswith(".csv")
    table = pd.read_csv(io.BytesIO(content))
    assert set(table["model"]) == {TRUTH, CLIP}
    assert len(table) == sum(len(r.images) for r in results.values())
    thumbnails = [
        c for c in table.columns if table[c].astype(str).str.startswith("data:image/").all()
    ]
    assert len(thumbnails) == 1, "each picture is in the table"
    terms = pd.read_csv(io.BytesIO(view.export("export-csv", "csv-terms")[1]))
    assert len(terms) >= 2 * 4
    models = pd.read_csv(io.BytesIO(view.export("export-csv", "csv-models")[1]))
    assert set(models["model"]) == {TRUTH, CLIP}
    assert set(json.loads(view.export("export-json")[1])["results"]) == {TRUTH, CLIP}
    name, content = view.export("export-svg")
    assert name == "images-portrait-clip-simulated-vision.svg"
    text = content.decode()
    assert ET.fromstring(text).tag.endswith("svg")
    for part in ("neutral 50", "female nurse", "tied to “experts”", CLIP, "Which word does"):
        assert part in text
    assert view.export("export-png")[1].startswith(b"\x89PNG")
    view.part("save-run").click()
    expect(view.part("notice")).to_contain_text("aved")
