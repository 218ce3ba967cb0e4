"""What a person gets wrong is told, kept, and repaired with one button."""

from __future__ import annotations

from playwright.sync_api import expect

from harness.explorer import Explorer, differences
from harness.explorer_hosts import Host

GREY = """root => {
    const tint = getComputedStyle(root.querySelector(".tint1")).fill;
    return tint === getComputedStyle(root.querySelector(".tint2")).fill;
}"""


def in_grey(explorer: Explorer) -> bool:
    """Whether a picture is there, without the two groups' colours."""
    grey: bool = explorer.root.evaluate(GREY)
    return grey


def test_an_unknown_word_keeps_the_picture_in_grey_and_a_button_repairs_it(host: Host) -> None:
    explorer = host.explorer()
    assert not in_grey(explorer)
    explorer.part("word-input").fill("electrixian")
    explorer.part("word-input").press("Enter")
    explorer.settle("error")
    expect(explorer.part("message-title")).to_contain_text("electrixian")
    expect(explorer.part("word-input")).to_have_value("electrixian")
    expect(explorer.part("word-input")).to_have_attribute("aria-invalid", "true")
    assert in_grey(explorer)
    assert explorer.shown().rows == 32
    repair = explorer.part("message-action").first
    expect(repair).to_have_text("electrician")
    repair.click()
    explorer.settle()
    assert not in_grey(explorer)
    expect(explorer.part("word-input")).to_have_value("electrician")
    assert differences(explorer.shown(), host.result(explorer, word="electrician")) == {}


def test_the_field_itself_offers_the_nearest_known_words(host: Host) -> None:
    explorer = host.explorer()
    field = explorer.part("word-input")
    field.fill("nurze")
    explorer.settle("error")
    suggestion = explorer.part("unknown").get_by_test_id("suggestion").first
    expect(suggestion).to_have_text("nurse")
    suggestion.click()
    explorer.settle()
    expect(field).to_have_value("nurse")


def test_html_in_a_word_is_text(host: Host) -> None:
    explorer = host.explorer()
    word = "<img src=x onerror=\"document.title='broken'\"><script>alert(1)</script>"
    elements = explorer.root.locator("img, script")
    before = host.page.locator("img, script").count()
    explorer.type_word(word)
    explorer.settle("error")
    expect(explorer.part("message-title")).to_contain_text("<img src=x onerror=")
    expect(explorer.part("question")).to_contain_text("“<img src=x onerror=")
    expect(explorer.part("word-input")).to_have_value(word)
    assert in_grey(explorer)
    expect(elements).to_have_count(0)
    assert host.page.locator("img, script").count() == before
    assert host.page.title() != "broken"


def test_an_empty_word_says_what_to_do_and_a_button_does_it(host: Host) -> None:
    explorer = host.explorer()
    explorer.type_word("")
    explorer.settle("empty")
    expect(explorer.part("message-title")).to_have_text("Choose a word to ask about")
    offers = explorer.part("message-action")
    expect(offers).to_have_text(["nurse", "electrician", "teacher"])
    offers.nth(2).click()
    explorer.settle()
    assert differences(explorer.shown(), host.result(explorer, word="teacher")) == {}


def test_an_own_cue_pair_is_asked_and_an_unknown_cue_is_told(host: Host) -> None:
    explorer = host.explorer()
    explorer.part("pair-picker").click()
    for cue_1, cue_2, state in (("her", "man", "ready"), ("her", "unheard", "error")):
        explorer.part("own-cue-1").fill(cue_1)
        explorer.part("own-cue-2").fill(cue_2)
        explorer.part("own-pair-add").click()
        explorer.settle(state)
    expect(explorer.part("message-text")).to_contain_text("unheard")
    explorer.part("pair-only-8").click()
    explorer.settle()
    host.page.keyboard.press("Escape")
    expect(explorer.part("question")).to_contain_text("blend of her and man")
    assert "before it answers man for nurse" in (explorer.shown().verdict or "")


def test_one_embedding_cannot_say_and_two_buttons_lead_on(host: Host) -> None:
    explorer = host.show("single").settle("cannot-say")
    shown = explorer.shown()
    assert shown.title == "One embedding: no corpus interval"
    assert shown.corpus == shown.monte_carlo == (None, None)
    assert shown.rows == 1
    offers = explorer.part("message-action")
    expect(offers).to_have_text(["Use 8 cue pairs", "State a noise"])
    offers.nth(0).click()
    explorer.settle()
    assert explorer.shown().rows == 8
    assert "8 cue pairs" in (explorer.shown().verdict or "")
    explorer.part("pair-picker").click()
    explorer.part("pair-only-0").click()
    host.page.keyboard.press("Escape")
    explorer.settle("cannot-say")
    offers.nth(1).click()
    explorer.settle()
    expect(explorer.part("noise")).to_have_value("0.05")
    assert explorer.shown().corpus == (None, None)
    assert "1 of 1" not in (explorer.shown().verdict or "")


def test_a_damaged_file_is_told_by_its_line_and_the_input_is_kept(host: Host) -> None:
    host.subjects.damage()
    explorer = host.show("truncated").settle("error")
    expect(explorer.part("message-title")).to_contain_text("could not be opened")
    expect(explorer.part("message-text")).to_contain_text(f"line {host.subjects.truncated_line}")
    expect(explorer.part("word-input")).to_have_value("nurse")
    # The safest way on comes first: a subject that is open.
    offers = explorer.part("message-action")
    expect(offers.first).to_contain_text("Use ")
    expect(offers.last).to_have_text("Try again")
    host.subjects.repair()
    offers.last.click()
    explorer.settle("cannot-say")
    assert explorer.shown().rows == 1
    host.subjects.damage()
