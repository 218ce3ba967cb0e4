"""The rating bench from nothing to a saved run, in both hosts."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from biaslab.probes.rating.result import RatingResult
from biaslab_widgets.benches.rating.view import stamp_name
from harness.rating import BLOCKS, FEW, RUN_MS, TRUE, AppHost, Host, NotebookHost, Rating
from harness.service_server import Asked, Says, ServiceServer
from harness.story import (
    colours,
    drawing,
    hosts,
    obeyed,
    saved,
    says,
    table,
    themes_are_those_of_the_host,
)

host = hosts(NotebookHost, AppHost, lab_at_night=True)
SECRET = "not-to-be-seen-5309"
ANSWERED = 50
"""After so many of its 120 texts the described service waits."""


def test_story(host: Host) -> None:
    view = host.show(service="faithful", middles=[])
    by_keys_to_a_result(host, view)
    result = host.result()
    says_ratings_of(view, result)
    every_language_has_its_own(view, result)
    files_are_those_of(view, result)
    other_shares_rate_the_kept_answers(host, view, result)
    themes_are_those_of_the_host(host, view)
    reopened_beside_it(host, view, result)
    started_again_and_brought_back(view, result)
    described_stopped_and_gone_on(host, view)
    a_key_stands_nowhere(host, view)


def by_keys_to_a_result(host: Host, view: Rating) -> None:
    view.part("service").focus()
    view.page.keyboard.press("Enter")
    expect(view.part("service-search")).to_be_focused()
    view.page.keyboard.type("simulated translator")
    view.page.keyboard.press("Enter")
    expect(view.part("service")).to_contain_text("simulated translator")
    expect(view.part("language-tr")).to_be_visible(timeout=RUN_MS)
    expect(view.part("run")).to_be_enabled(timeout=RUN_MS)
    view.part("service").focus()
    seen = view.tab_to("run")
    assert {"attribute", "texts"} <= set(seen)
    view.page.keyboard.press("Enter")
    view.ended()
    seen = view.tab_to("matrix")
    assert {"language-tr", "blocks", "template-open", "power", "rules"} <= set(seen)
    assert seen.count("input-point") == 3
    for key in ("Home", "ArrowDown", "ArrowRight"):
        view.page.keyboard.press(key)
    host.holds("language", "tr")
    host.holds("block", 1)
    view.settle()


def says_ratings_of(view: Rating, result: RatingResult) -> None:
    says(view, " ".join(result.verdict()).strip())
    ratings = {name: stamp_name(result.rating(name).possible) for name in result.languages}
    assert view.ratings() == ratings


def every_language_has_its_own(view: Rating, result: RatingResult) -> None:
    assert view.ratings() == TRUE
    for language in TRUE:
        view.chosen(language)
        why = "".join(text for text, _ in result.explanation(language)).strip()
        expect(view.part("explanation")).to_have_text(why)


def files_are_those_of(view: Rating, result: RatingResult) -> None:
    assert view.exported_result(RatingResult) == result
    texts = table(view, "texts")
    sent = [text.source for text in result.shown_texts("tr", "10/90")]
    of_block = (texts["language"] == "Turkish") & (texts["block"] == "10/90")
    assert texts[of_block & (texts["mention"] == 1)]["source"].tolist() == sent
    ratings = table(view, "ratings")
    assert ratings["corrected"].tolist() == [rating for rating in TRUE.values() for _ in BLOCKS]
    assert json.loads(view.export("card", "card-json")[1]) == json.loads(result.card().to_json())
    assert view.export("card", "card-html")[1].decode() == result.card().to_html()
    assert view.export("card", "card-markdown")[1].decode() == result.card().to_markdown()
    text = drawing(view)
    for part in ("all she", "Turkish", "corrected rule", "Does the translator"):
        assert part in text
    assert colours(view) > 100


def other_shares_rate_the_kept_answers(host: Host, view: Rating, result: RatingResult) -> None:
    point = view.part("input-point").first
    point.focus()
    point.press("Shift+ArrowLeft")
    view.predicted(0)
    again = result.re_rate(unbiased={"50/50": view.shares(0)})
    says_ratings_of(view, again)
    expect(view.part("block-name").first).to_contain_text("predicted")
    view.part("as-run").click()
    says_ratings_of(view, result)
    expect(view.root).to_have_attribute("data-run", "1")


def reopened_beside_it(host: Host, view: Rating, result: RatingResult) -> None:
    with host.beside(view, saved(view)) as other:
        says_ratings_of(other, result)
        other.part("input-point").first.press("Shift+ArrowRight")
        other.predicted(0)
        says_ratings_of(view, result)


def started_again_and_brought_back(view: Rating, result: RatingResult) -> None:
    view.part("start-again").click()
    expect(view.part("tree-corrected")).to_have_count(0)
    expect(view.part("export-json")).to_be_disabled()
    view.part("bring-back").click()
    expect(view.part("tree-corrected")).to_be_visible()
    says_ratings_of(view, result)


def described_stopped_and_gone_on(host: Host, view: Rating) -> None:
    def echo(asked: Asked) -> Says:
        if len(server.asked) > ANSWERED:
            server.released.wait()
        else:
            answered.append(asked.json["text"])
        return Says(asked.json["text"], kind="text/plain")

    answered: list[str] = []
    with ServiceServer(echo) as server:
        described(view, server.url)
        view.part("run").click()
        cells = view.root.get_by_test_id("cell")
        expect(cells.first).to_have_attribute("data-done", str(FEW["texts"]), timeout=RUN_MS)
        expect(view.part("run")).to_contain_text("Cancel, keep")
        expect(view.part("export-json")).to_be_disabled()
        view.part("run").click()
        obeyed(view)
        server.released.set()
        expect(view.root).not_to_have_attribute("data-running", "", timeout=RUN_MS)
        expect(view.part("run")).to_have_text("Go on")
        assert len(server.asked) < 2 * FEW["texts"]
        view.ran()
        texts = [asked.json["text"] for asked in server.asked]
        assert [texts.count(text) for text in answered] == [1] * ANSWERED, (
            "kept, so not asked again"
        )
        result = host.result()
        says_ratings_of(view, result)
        assert str(result.rating().corrected) == "DSBS"


def described(view: Rating, url: str) -> None:
    """Describe a service in TOML; it is chosen then."""
    view.part("service").click()
    view.part("describe-open").click()
    view.part("describe-toml").check(force=True)
    view.part("toml").fill("name = ")
    view.part("describe-add").click()
    expect(view.part("describe-problem")).not_to_be_empty()
    view.part("toml").fill(
        f'name = "Echo"\nversion = "1"\n'
        f'[request]\nurl = "{url}/say"\njson = {{text = "{{text}}"}}\n'
    )
    view.part("describe-add").click()
    expect(view.part("service")).to_contain_text("Echo")
    expect(view.part("run")).to_be_enabled(timeout=RUN_MS)


def a_key_stands_nowhere(host: Host, view: Rating) -> None:
    view.part("service").click()
    view.part("describe-open").click()
    view.part("describe-chat").check(force=True)
    for part, typed in {"chat-model": "small", "chat-name": "chatty", "key": SECRET}.items():
        view.part(part).fill(typed)
    view.part("base-url").fill("http://127.0.0.1:9/v1")
    view.part("describe-add").click()
    expect(view.part("service")).to_contain_text("chatty")
    assert SECRET not in str(host.inputs(["command", "services", "reply"]))
    assert SECRET not in view.root.inner_html()  # once: the service has been added
