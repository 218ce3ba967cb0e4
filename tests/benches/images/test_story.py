"""The image bench from nothing to a saved run, in both hosts."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import FilePayload, expect

from biaslab.probes.images.result import ImageAssociation
from harness.images import CLIP, COUNT, TRUTH, AppHost, Host, Images, NotebookHost, photograph
from harness.story import (
    colours,
    drawing,
    eventually,
    hosts,
    saved,
    says,
    still_says,
    table,
    themes_are_those_of_the_host,
)
from harness.three_steps import RUN_MS

host = hosts(NotebookHost, AppHost, lab_at_night=True)
ENDLESS = 1000
"""Drawing so many portraits of each term is never over before it is stopped."""


def test_story(host: Host) -> None:
    view = host.show()
    by_keys_to_a_result(view)
    results = another_aggregation_scores_at_once(host, view)
    files_are_those_of(view, results)
    themes_are_those_of_the_host(host, view)
    reopened_beside_it(host, view, results)
    files_come_and_go(view)
    drawing_is_stopped_and_goes_on(host, view)


def by_keys_to_a_result(view: Images) -> None:
    view.part("step-1").focus()
    seen = view.tab_to("onward")
    assert {"predefined", f"model-{CLIP}", "caption", "add-caption", "aggregate-sum"} <= set(seen)
    view.page.keyboard.press("Enter")
    expect(view.root).to_have_attribute("data-step", "2")
    expect(view.part("picture-count")).to_contain_text(f"{COUNT} pictures", timeout=RUN_MS)
    expect(view.part("making")).to_have_count(0, timeout=RUN_MS)
    expect(view.part("step-2")).to_be_focused()
    seen = view.tab_to("pictures")
    assert {"draw", "upload-open", "make-open", "import", "search-pictures"} <= set(seen)
    view.page.keyboard.press("ArrowRight")
    expect(view.part("picture-place")).to_contain_text("picture 2 of")
    view.tab_to("onward")
    view.page.keyboard.press("Enter")
    expect(view.root).to_have_attribute("data-step", "3")
    view.tab_to("test")
    view.page.keyboard.press("Enter")
    view.ended().filled()
    seen = view.tab_to("squares")
    assert {"outcome-all", "search", "order"} <= set(seen)
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        view.page.keyboard.press(key)
    view.looked()
    seen = view.tab_to("morph-ask")
    assert {"next-picture", "morph-item", "alpha-handle"} <= set(seen)


def another_aggregation_scores_at_once(host: Host, view: Images) -> dict[str, ImageAssociation]:
    view.go(1).part("aggregate-any").check(force=True)
    view.settle().go(3).settle()
    results = host.results()
    assert {result.aggregate for result in results.values()} == {"any"}
    for name, result in results.items():
        assert view.score(name, "score") == pytest.approx(result.score, abs=1e-4)
    expect(view.root).to_have_attribute("data-run", "1")
    return results


def files_are_those_of(view: Images, results: dict[str, ImageAssociation]) -> None:
    assert view.exported(ImageAssociation) == results
    images = table(view, "images")
    assert len(images) == len(results) * COUNT
    assert images["thumbnail"].str.startswith("data:image/").all()
    scores = [score for result in results.values() for score in result.scores]
    assert images["score"].tolist() == pytest.approx(scores)
    assert set(table(view, "terms")["model"]) == {CLIP, TRUTH}
    assert table(view, "models")["model"].tolist() == [CLIP, TRUTH]
    text = drawing(view)
    for part in ("neutral 50", "female nurse", "tied to “experts”", CLIP, "Which word does"):
        assert part in text
    assert colours(view) > 1000, "the pictures are in it"


def reopened_beside_it(host: Host, view: Images, results: dict[str, ImageAssociation]) -> None:
    before = view.said()
    with host.beside(view, saved(view)) as other:
        # Each model is a run of its own; the first one's is reopened.
        says(other, " ".join(results[CLIP].verdict()))
        other.part("alpha-handle").press("End")
        expect(other.part("morph-at")).to_have_attribute("data-alpha", "1", timeout=RUN_MS)
        still_says(view, before)
        expect(view.part("alpha-handle")).to_have_attribute("data-value", "0.5")


def files_come_and_go(view: Images) -> None:
    view.go(2)
    noise = np.random.default_rng(1).integers(0, 256, (640, 640, 3), dtype=np.uint8)
    view.part("upload-open").click()
    view.part("upload-term").select_option("male nurse")
    view.part("upload").set_input_files(
        [
            file("red.png", photograph((200, 30, 30))),
            file("large.png", png(noise)),
            file("evil.svg", b'<svg xmlns="http://www.w3.org/2000/svg"/>'),
        ]
    )
    expect(view.part("picture")).to_have_count(COUNT + 2, timeout=RUN_MS)
    expect(view.part("notice")).to_contain_text("evil.svg")
    eventually(lambda: thumbnails_are_there(view))
    _, content = view.export("export-pictures", "dataset")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        pictures = [one for one in archive.namelist() if one.endswith((".png", ".jpg", ".webp"))]
        assert len(pictures) == COUNT + 2
        assert any(one.endswith("metadata.jsonl") for one in archive.namelist())


def thumbnails_are_there(view: Images) -> None:
    widths = view.root.locator('[data-testid="picture"] img').evaluate_all(
        "images => images.map(image => image.naturalWidth)"
    )
    assert len(widths) == COUNT + 2
    assert min(widths) >= 56


def png(pixels: Any) -> bytes:
    """A picture of these pixels, as a file."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def file(name: str, content: bytes) -> FilePayload:
    """A file as a person chooses it."""
    return {"name": name, "mimeType": "application/octet-stream", "buffer": content}


def drawing_is_stopped_and_goes_on(host: Host, view: Images) -> None:
    host.set(view, per_term=ENDLESS)
    kept = drawn_and_stopped(view, COUNT + 2)
    drawn_and_stopped(view, kept)


def drawn_and_stopped(view: Images, before: int) -> int:
    """Draw more portraits than there were, and stop; how many there are then."""

    def count() -> int:
        return int(view.part("picture-count").inner_text().split()[0].replace(",", ""))

    def grown() -> None:
        assert count() > before

    view.part("draw").click()
    eventually(grown)
    view.part("cancel-making").click()
    expect(view.part("making")).to_have_count(0, timeout=RUN_MS)
    kept = count()
    assert kept < 4 * ENDLESS
    return kept
