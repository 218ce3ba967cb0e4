"""Words are typed, pasted, changed, moved, dragged and brought back by mouse, finger and keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

import biaslab as bl
from biaslab_widgets.core.word_lists import catalogue
from harness.stage import Stage, state_of
from harness.word_list_hosts import Editor, words

MANY = 5000
MOST_NODES = 3000
"""Elements of the whole editor; each chip drawn has about six."""


class StagedEditor(Editor):
    """An editor on the stage."""

    def __init__(self, stage: Stage, *lists: dict[str, Any], **fields: Any) -> None:
        answer = {**state_of("word_lists")["answer"], "marks": fields.pop("marks", [])}
        self.staged = stage.mount("word_lists", lists=list(lists), answer=answer, **fields)
        super().__init__(self.staged.root)

    @property
    def lists(self) -> list[dict[str, Any]]:
        """The lists as the host's state holds them."""
        found: list[dict[str, Any]] = self.staged.input("lists")
        return found

    def holds(self, *terms: str, number: int = 0) -> None:
        """Wait until the host's state holds these terms."""
        lists = [{**one} for one in self.lists]
        lists[number]["terms"] = list(terms)
        self.staged.holds("lists", lists)

    def keys(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        for key in keys:
            self.page.keyboard.press(key)


def test_the_paste_card_counts_before_it_adds(stage: Stage) -> None:
    editor = StagedEditor(stage, words("nurse"), words("he", name="other"))
    editor.part("tool-paste").click()
    expect(editor.part("paste-text")).to_be_focused()
    editor.copy('she; "Smith, John"\nteacher')
    editor.keys("Control+v")
    expect(editor.part("paste-add")).to_have_text("Add 3")
    editor.part("summary").click()  # beside the card, which closes it
    expect(editor.part("card-paste")).to_have_count(0)
    editor.part("tool-paste").click()
    expect(editor.part("paste-add")).to_have_text("Add 3")
    editor.part("paste-list").select_option("1")
    editor.part("paste-add").click()
    expect(editor.part("card-paste")).to_have_count(0)
    editor.holds("he", "she", "Smith, John", "teacher", number=1)
    expect(editor.part("tool-paste")).to_be_focused()


def test_undo_and_redo_by_keyboard_and_by_button(stage: Stage) -> None:
    editor = StagedEditor(stage, words("nurse", "chef", "teacher"))
    editor.chip("chef").get_by_test_id("chip-remove").click()
    expect(editor.chips()).to_have_text(["nurse", "teacher"])
    editor.keys("Delete")
    expect(editor.chips()).to_have_text(["nurse"])
    editor.keys("Control+z", "Control+z")
    expect(editor.chips()).to_have_text(["nurse", "chef", "teacher"])
    expect(editor.part("redo")).to_have_attribute("title", "Redo: removed chef")
    editor.keys("Control+Shift+z")
    expect(editor.chips()).to_have_text(["nurse", "teacher"])
    editor.part("redo").click()
    editor.part("undo").click()
    editor.holds("nurse", "teacher")
    expect(editor.part("words-live")).to_have_text("Undone: removed teacher.")


def test_a_word_is_changed_in_place(stage: Stage) -> None:
    editor = StagedEditor(stage, words("nurse", "chef"))
    editor.box().focus()
    editor.keys("ArrowRight", "F2")
    expect(editor.part("chip-edit")).to_be_focused()
    stage.page.keyboard.type("head chef")
    editor.keys("Enter")
    editor.holds("nurse", "head chef")
    expect(editor.box()).to_be_focused()
    editor.chip("nurse").locator("bdi").dblclick()
    stage.page.keyboard.type("gone")
    editor.keys("Escape")
    expect(editor.chips()).to_have_text(["nurse", "head chef"])


def test_words_are_moved_by_keyboard_within_and_between_lists(stage: Stage) -> None:
    editor = StagedEditor(stage, words("nurse", "chef", "she"), words("he", name="men"))
    editor.box().focus()
    editor.keys("Alt+ArrowRight")
    editor.holds("chef", "nurse", "she")
    expect(editor.part("words-live")).to_have_text("Moved nurse to 2 of 3.")
    editor.keys("Shift+ArrowRight", "Alt+ArrowDown")
    expect(editor.part("words-live")).to_have_text("Moved 2 terms to men, 2 of 3.")
    expect(editor.box(1)).to_be_focused()
    editor.holds("he", "nurse", "she", number=1)
    editor.keys("Alt+ArrowUp")
    editor.holds("chef", "nurse", "she")


def middle(part: Locator, share: float = 0.5) -> tuple[float, float]:
    """A point of an element in the window, from left to right."""
    box = part.bounding_box()
    assert box is not None
    return box["x"] + share * box["width"], box["y"] + box["height"] / 2


def test_words_are_dragged_within_and_between_lists(stage: Stage) -> None:
    editor = StagedEditor(stage, words("nurse", "chef", "she"), words("he", "w1", name="men"))
    mouse = stage.page.mouse
    mouse.move(*middle(editor.chip("she"), 0.3))
    mouse.down()
    mouse.move(*middle(editor.chip("chef"), 0.5), steps=4)
    mouse.move(*middle(editor.chip("nurse"), 0.2), steps=4)
    expect(editor.chip("nurse")).to_contain_class("drop-before")
    mouse.up()
    editor.holds("she", "nurse", "chef")
    editor.chip("she").click(position={"x": 8, "y": 8})
    editor.chip("nurse").click(position={"x": 8, "y": 8}, modifiers=["Control"])
    editor.chip("she").click(position={"x": 8, "y": 8}, modifiers=["Control"])
    mouse.move(*middle(editor.chip("nurse"), 0.3))
    mouse.down()
    mouse.move(*middle(editor.chip("he", 1), 0.9), steps=6)
    mouse.up()
    expect(editor.chips(1)).to_have_text(["he", "she", "nurse", "w1"])
    editor.holds("he", "she", "nurse", "w1", number=1)
    editor.holds("chef")


def test_several_words_are_selected_cut_and_pasted_elsewhere(stage: Stage) -> None:
    editor = StagedEditor(stage, words("nurse", "fire fighter", "she"), words("he", name="men"))
    editor.box().focus()
    editor.keys("Shift+ArrowRight", "Control+x")
    editor.holds("she")
    editor.box(1).focus()
    editor.keys("Control+v")
    editor.holds("he", "nurse", "fire fighter", number=1)


def test_lists_are_sorted_renamed_added_cleared_and_removed(stage: Stage) -> None:
    editor = StagedEditor(stage, words("Nurse", "chef", "w10", "w9"))
    editor.part("list-menu").click()
    editor.part("menu-sort").click()
    editor.holds("chef", "Nurse", "w9", "w10")
    expect(editor.part("list-menu")).to_be_focused()
    editor.part("list-name").fill("jobs")
    editor.part("list-name").press("Enter")
    editor.part("tool-add").click()
    editor.part("add-groups").click()
    expect(editor.part("word-list")).to_have_count(2)
    editor.add("she", number=1)
    jobs = {"name": "jobs", "terms": ["chef", "Nurse", "w9", "w10"]}
    group = {"name": "group", "terms": ["she"], "kind": "groups"}
    editor.staged.holds("lists", [jobs, group])
    editor.part("list-menu").first.click()
    editor.part("menu-clear").click()
    expect(editor.list().locator(".none")).to_contain_text("No words yet")
    editor.part("list-menu").first.click()
    editor.part("menu-remove-list").click()
    expect(editor.part("word-list")).to_have_count(1)
    for _ in range(2):
        editor.part("undo").click()
    editor.staged.holds("lists", [jobs, group])


def test_fixed_lists_keep_number_and_names(stage: Stage) -> None:
    editor = StagedEditor(stage, words("nurse"), words("he", name="men"), fixed=True)
    expect(editor.part("tool-add")).to_have_count(0)
    expect(editor.part("list-name")).to_have_count(0)
    editor.part("list-menu").first.click()
    expect(editor.part("menu-remove-list")).to_have_count(0)


def test_duplicates_and_words_in_several_lists_are_told_and_kept(stage: Stage) -> None:
    marks = state_of("word_lists", "groups and attributes")["answer"]["marks"]
    kinds = {"duplicate", "overlap"}
    assert kinds <= {mark["kind"] for mark in marks}
    lists = state_of("word_lists", "groups and attributes")["lists"]
    editor = StagedEditor(stage, *lists, marks=marks)
    editor.box().focus()
    editor.keys("End")
    expect(editor.part("help-duplicate")).to_contain_text("she: is already in this list.")
    editor.keys("ArrowLeft", "ArrowLeft")
    expect(editor.part("help-overlap")).to_contain_text("woman: also in craft. It stays in each.")
    editor.list().get_by_test_id("count-duplicate").click()
    expect(editor.chips()).to_have_text(["she"])
    editor.part("show-all").click()
    expect(editor.chips()).to_have_count(4)


def test_one_list_of_a_spec_is_added_to_a_list_by_keyboard(stage: Stage) -> None:
    editor = StagedEditor(stage, words("nurse"), words(name="other"), fixed=True)
    editor.box(1).focus()
    editor.part("tool-load").press("Enter")
    editor.staged.commanded("catalogue")
    editor.staged.reply(content=json.dumps({"entries": catalogue()}))
    expect(editor.part("catalogue-search")).to_be_focused()
    stage.page.keyboard.type("weat-6")
    expect(editor.part("catalogue-entry").first).to_have_attribute("data-name", "weat-6")
    editor.keys("Enter")
    for number in (0, 1, 2):
        editor.part(f"catalogue-list-{number}").press("Space")
    editor.part("catalogue-into").select_option("add-1")
    editor.part("catalogue-load").press("Enter")
    assert editor.staged.commanded("load-spec")["name"] == "weat-6"
    spec = bl.specs.get("weat-6")
    lists = [words(*terms, name=name) for name, terms in spec.lists.items()]
    editor.staged.reply(content=json.dumps({"lists": lists}))
    editor.holds(*spec.attributes["family"], number=1)
    assert editor.lists[0]["terms"] == ["nurse"]


def test_every_one_of_5000_words_is_reached_and_few_are_drawn(stage: Stage) -> None:
    known = [f"w{i}" for i in range(MANY)]
    editor = StagedEditor(stage, words(*known, "zzz"))
    expect(editor.part("counts")).to_contain_text("5,001")
    nodes = "root => root.querySelectorAll('*').length"
    assert editor.root.evaluate(nodes) < MOST_NODES
    editor.box().focus()
    editor.keys("End")
    last = editor.chip("zzz")
    expect(last).to_be_in_viewport()
    expect(last).to_have_attribute("aria-posinset", "5001")
    editor.keys("Delete")
    expect(last).to_have_count(0)
    editor.keys("Home")
    expect(editor.chip("w0")).to_be_in_viewport()
    editor.part("find-word").fill("w4321")
    expect(editor.chips()).to_have_text(["w4321"])
    editor.part("show-all").click()
    expect(editor.chip("w0")).to_be_in_viewport()
    editor.box().hover()
    stage.page.mouse.wheel(0, 20_000)
    expect(editor.chip("w0")).to_have_count(0)
    assert editor.root.evaluate(nodes) < MOST_NODES


CUT = """root => [...root.querySelectorAll('[data-testid="chip"]')].filter(chip => {
    const text = chip.querySelector(".term-text");
    const box = chip.closest(".chips").getBoundingClientRect();
    const cut = text.scrollWidth > text.clientWidth + 1;
    return cut || chip.getBoundingClientRect().right > box.right + 1;
}).map(chip => chip.textContent)"""


def test_chips_fill_their_rows_and_no_short_word_is_cut(stage: Stage) -> None:
    """Rows are packed by measured text, for marked words too."""
    many, odd = [f"w{i}" for i in range(1000)], [f"odd{i}" for i in range(500)]
    marks = [
        {"list": 0, "position": 1000 + i, "term": term, "kind": "unknown", "reason": "odd"}
        for i, term in enumerate(odd)
    ]
    editor = StagedEditor(stage, words(*many, *odd), marks=marks)
    expect(editor.part("count-unknown")).to_have_text("500 unknown")
    for key in ("Home", "PageDown", "End"):
        editor.box().press(key)
        assert editor.root.evaluate(CUT) == []
    room, row = editor.box().bounding_box(), editor.chips().first.locator("..").bounding_box()
    assert room is not None
    assert row is not None
    assert row["width"] > 0.8 * room["width"]


@pytest.fixture
def touched(browser: Browser) -> Iterator[Stage]:
    """A stage that is touched with fingers."""
    with Stage(browser, has_touch=True, is_mobile=True) as opened:
        yield opened
        assert opened.watched.problems() == []


def test_a_tap_picks_a_word_and_only_its_cross_takes_it_out(touched: Stage) -> None:
    editor = StagedEditor(touched, words("nurse", "chef", "she"))
    editor.chip("chef").tap()
    expect(editor.chip("chef")).to_have_attribute("data-active", "")
    expect(editor.chips()).to_have_count(3)
    editor.chip("chef").get_by_test_id("chip-remove").tap()
    editor.holds("nurse", "she")


def test_a_resting_finger_drags_a_word_to_the_other_list(touched: Stage) -> None:
    editor = StagedEditor(touched, words("nurse", "chef"), words("he", "w1", name="men"))
    session = touched.page.context.new_cdp_session(touched.page)

    def touch(kind: str, *points: dict[str, float]) -> None:
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    start, end = editor.chip("nurse").bounding_box(), editor.chip("w1", 1).bounding_box()
    assert start is not None
    assert end is not None
    touch("touchStart", {"x": start["x"] + 15, "y": start["y"] + 12})
    expect(editor.root.locator(".carried")).to_have_text("nurse")
    touch("touchMove", {"x": start["x"] + 15, "y": start["y"] + 40})
    touch("touchMove", {"x": end["x"] + 4, "y": end["y"] + 12})
    touch("touchEnd")
    expect(editor.chips(1)).to_have_text(["he", "nurse", "w1"])
    editor.holds("he", "nurse", "w1", number=1)
    editor.holds("chef")
