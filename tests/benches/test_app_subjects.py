"""A person brings an embedding file to the app, and asks it in a bench."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import biaslab as bl
from harness import embedding_files, tiny_language_models
from harness.completions_server import completions_of
from harness.needs import needs
from harness.scripted_model_server import scripted_server
from harness.served_app import ServedApp
from harness.watched_page import WatchedPage

LOADED_MS = 120_000
"""The first model that a server opens brings its library with it."""


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
    page.wait_for_function("document.documentElement.scrollWidth <= 400")
    page.keyboard.press("/")
    search = page.get_by_label("Search subjects")
    expect(search).to_be_focused()
    search.fill("wiki")
    search.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("complementary")).not_to_have_attribute("aria-label", "wiki-clm")


@pytest.fixture
def tiny_folder(tmp_path: Path) -> Path:
    """A tiny masked model, as `save_pretrained` writes it."""
    model, tokenizer = tiny_language_models.bert()
    folder = tmp_path / "tiny-bert"
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@needs("torch", "transformers")
def test_a_model_is_added_with_its_options_and_a_refusal_keeps_the_form(
    app: ServedApp, page: Page, watch: WatchedPage, tiny_folder: Path
) -> None:
    watch.allow(r"400 \(Bad Request\).*api/subjects/add")
    page.goto(f"{app.url}/subjects#add")
    path = page.get_by_label("Path of a file or folder")
    path.fill(str(tiny_folder))
    path.press("Enter")
    expect(page.get_by_test_id("found")).to_contain_text("Masked language model")
    form = page.locator("section.panel").filter(has=page.get_by_test_id("found"))
    form.get_by_text("How it is opened").click()
    precision = form.get_by_label("Precision of the computation")
    precision.select_option("bfloat16")
    name = form.get_by_label("Name", exact=True)
    name.fill("wiki-mlm")
    form.get_by_role("button", name="Add wiki-mlm").click()
    expect(form.get_by_role("alert")).to_contain_text("Choose another name")
    expect(path).to_have_value(str(tiny_folder))
    expect(name).to_have_value("wiki-mlm")
    expect(precision).to_have_value("bfloat16")

    name.fill("half-precision")
    form.get_by_role("button", name="Add half-precision").click()
    card = page.get_by_role("complementary", name="half-precision")
    expect(card).to_contain_text("Precisionbfloat16")
    card.get_by_role("button", name="Load now").click()
    expect(card.get_by_role("button", name="Unload")).to_be_visible(timeout=LOADED_MS)


@needs("torch", "transformers", "openai")
def test_a_language_model_on_a_server_is_tried_and_added(app: ServedApp, page: Page) -> None:
    model, tokenizer = tiny_language_models.gpt2()
    with scripted_server(completions_of(model, tokenizer)) as server:
        page.goto(f"{app.url}/subjects#add")
        form = page.locator("section.panel").filter(has_text="A chat or HTTP service")
        form.get_by_label("Kind").select_option("server")
        form.get_by_label("Address").fill("127.0.0.1")
        form.get_by_label("Model, as the server calls it").fill("tiny")
        form.get_by_role("button", name="Try it").click()
        expect(form.get_by_test_id("tried")).to_contain_text("starts with http://")
        form.get_by_label("Address").fill(server.url)
        form.get_by_role("button", name="Try it").click()
        expect(form.get_by_test_id("tried")).to_contain_text(re.compile(r"log-probabilities of \d"))
        form.get_by_label("Name", exact=True).fill("served-tiny")
        form.get_by_role("button", name="Add model").click()
        card = page.get_by_role("complementary", name="served-tiny")
        expect(card).to_contain_text("language model on a server", ignore_case=True)
        expect(card).to_contain_text("Ask it in Sentences")
        expect(card).to_contain_text(f"openai:tiny@{server.url}")
