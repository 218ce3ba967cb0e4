"""A person brings an embedding file to the app, and asks it in a bench."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

import biaslab as bl
from harness import embedding_files
from harness.served_app import ServedApp
from harness.watched_page import WatchedPage


def test_an_own_file_is_named_added_and_asked(
    app: ServedApp, page: Page, watch: WatchedPage, tmp_path: Path
) -> None:
    watch.allow(r"400 \(Bad Request\).*api/subjects/inspect")
    embedding = bl.load("wiki-bootstraps").replicate(0)
    words = ["nurse", "woman", "man", "female", "male", "engineer", "she", "he"]
    file = tmp_path / "my-glove.txt"
    file.write_bytes(embedding_files.glove_text(words, embedding.vectors(words)[0]))

    page.goto(f"{app.url}/subjects#add")
    path = page.get_by_label("Path of a file or folder")
    path.fill("/nowhere/model")
    path.blur()
    expect(page.get_by_role("alert").first).to_contain_text("no file or folder")
    expect(path).to_have_value("/nowhere/model")

    page.get_by_label("Choose an embedding file").set_input_files(file)
    expect(page.get_by_test_id("found")).to_contain_text("8 words, 100 dimensions")
    page.get_by_role("button", name="Add my-glove").click()
    card = page.get_by_role("complementary", name="my-glove")
    expect(card).to_contain_text("needs a classifier")
    card.get_by_role("button", name="Load now").click()
    expect(card.get_by_role("button", name="Unload")).to_be_visible()

    card.get_by_role("link", name="Ask it in Psychometric").click()
    expect(page.get_by_role("heading", name="nurse")).to_be_visible()
    expect(page.get_by_label("Subject", exact=True)).to_have_value("my-glove")
    expect(page.get_by_text(re.compile(r"PSE \d+ %"))).to_be_visible()


def test_removing_is_undone_from_the_status_line(
    app: ServedApp, page: Page, tmp_path: Path
) -> None:
    file = tmp_path / "to-remove.txt"
    file.write_bytes(b"she 1.0 0.0\nhe 0.0 1.0\n")
    page.goto(f"{app.url}/subjects")
    page.get_by_label("Choose an embedding file").set_input_files(file)
    page.get_by_role("button", name="Add to-remove").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_role("button", name="to-remove")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="to-remove")).to_be_visible()


def test_the_page_fits_a_phone_and_obeys_keys(app: ServedApp, page: Page) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(f"{app.url}/subjects?name=wiki-clm")
    expect(page.get_by_role("complementary", name="wiki-clm")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    page.keyboard.press("/")
    search = page.get_by_label("Search subjects")
    expect(search).to_be_focused()
    search.fill("wiki")
    search.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("complementary")).not_to_have_attribute("aria-label", "wiki-clm")
