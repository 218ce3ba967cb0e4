"""Step 2 of the sentence bench: sentences found, made, typed, brought in, edited and set aside."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.probes.sentences.pairs import PairSet, SentencePair, TestSentence
from biaslab.probes.sentences.sources import keep_sentences
from biaslab_widgets.benches.sentences.set import SentenceSet
from biaslab_widgets.benches.sentences.sources import LARGEST_MB
from harness.sentence_controller import LISTS, Bench

pytestmark = pytest.mark.usefixtures("own_home")


@pytest.fixture
def bench() -> Bench:
    made = Bench()
    made.answer(step=2)
    return made


def texts(bench: Bench) -> list[str]:
    return [pair["stereotyped"] for pair in bench.pairs]


def with_lists(*changed: dict[str, Any]) -> list[dict[str, Any]]:
    by_name = {one["name"]: one for one in changed}
    return [by_name.get(str(one["name"]), one) for one in LISTS]


def test_saved_sentences_are_counted_and_found(bench: Bench) -> None:
    kept = [
        TestSentence("The man hid his algebra book.", "man", "algebra", "a server"),
        TestSentence("My sister taught poetry to sailors.", "sister", "poetry", "a server"),
        TestSentence("The pilot spoke of dance.", "pilot", "dance", "a server"),
    ]
    keep_sentences(kept)
    anew = Bench()
    anew.answer(step=2)
    counted = anew.emitted.until(lambda s: s.get("sentences", {}).get("saved", 0) > 0)
    reply = anew.reply("retrieve")
    assert reply["ok"]
    added = len(anew.pairs) - 48
    assert counted["sentences"]["saved"] == added
    assert {"The man hid his algebra book.", "My sister taught poetry to sailors."} <= set(
        texts(anew)
    )
    assert f"{added} pairs added" in reply["message"]
    assert "0 pairs added" in anew.reply("retrieve")["message"]
    anew.answer()
    assert anew.state["sentences"]["saved"] == 0


def test_the_predefined_spec_begins_with_starter_sentences() -> None:
    bench = Bench(spec="biastest-math-arts")
    bench.answer(step=2)
    assert len(bench.pairs) == 192
    assert {pair["source"] for pair in bench.pairs} == {"starter"}
    assert bench.state["spec"] == "biastest-math-arts"
    assert bench.state["sentences"]["source"] == "starter"


def test_templates_again_add_what_was_taken_out_with_all_but_not_what_was_rejected(
    bench: Bench,
) -> None:
    first = bench.pairs[0]
    bench.reply("reject", pairs=[first["id"]])
    bench.reply("clear")
    assert bench.pairs == []
    assert len(bench.rejected) == 48
    reply = bench.reply("templates")
    assert "47 pairs put back" in reply["message"]
    assert len(bench.pairs) == 47
    assert [(r["id"], r["code"]) for r in bench.rejected] == [(first["id"], "rejected")]


def test_more_sentences_per_attribute_can_be_asked_for(bench: Bench) -> None:
    bench.answer(per_attribute=14)
    assert bench.reply("templates")["ok"]
    assert min(row["pairs"] for row in bench.state["sentences"]["attributes"]) >= 14


def test_typed_sentences_are_checked_and_their_pairs_made(bench: Bench) -> None:
    text = "The woman loved her geometry.\n\n  My brother read poetry aloud to himself.  \n"
    reply = bench.reply("add", text=text)
    assert reply["ok"]
    assert "2 pairs added" in reply["message"]
    one, two = bench.pairs[-2:]
    assert (one["stereotyped"], one["against"]) == (
        "The man loved his geometry.",
        "The woman loved her geometry.",
    )
    assert one["groups"] == (0, 1)
    assert two["stereotyped"] == "My sister read poetry aloud to herself."
    assert one["changes"] == [((4, 7), (4, 9)), ((14, 17), (16, 19))]
    assert "already there" in bench.reply("add", text="The man loved his geometry.")["message"]


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("The pilot likes algebra a lot.", "no-group-term", "It contains no term of either group"),
        ("The man and his brother like algebra.", "two-group-terms", "Keep only one"),
        ("The man and the woman like algebra.", "other-group-term", "of the other group"),
        ("The man saw the man of algebra.", "group-term-twice", "2 times"),
        ("The man likes chess a lot.", "no-attribute", "No attribute of the lists"),
        ("The man likes algebra and poetry.", "two-attributes", "several attributes"),
        ("man algebra", "too-short", "at least 3"),
        ("The man likes algebra. " * 500, "too-long", "at most 100 words"),
        ("man algebra " + "word " * 2000, "too-long", "2,002 words"),
        ("The man\tlikes algebra.", "line-break", "control character"),
    ],
)
def test_what_cannot_be_used_is_listed_with_the_reason(
    bench: Bench, text: str, code: str, told: str
) -> None:
    reply = bench.reply("add", text=text)
    assert told in reply["message"]
    assert len(bench.pairs) == 48
    assert [(r["id"], r["code"], r["text"]) for r in bench.rejected] == [("", code, text.strip())]
    assert told in bench.rejected[0]["reason"]


def test_nothing_typed_is_told(bench: Bench) -> None:
    assert "one per line" in bench.refused("add", text=" \n ")


def test_without_adequate_lists_nothing_is_made_and_the_reason_is_told() -> None:
    bench = Bench()
    bench.answer(lists=LISTS[:2])
    for command in ("templates", "retrieve"):
        assert "no attribute list" in bench.refused(command)


def test_pairs_of_the_lists_follow_them_after_an_import_and_others_stay(bench: Bench) -> None:
    own = bench.reply("export", format="json")["content"]
    crows = (
        "id,sent_more,sent_less,stereo_antistereo,bias_type,annotations,anon_writer,"
        "anon_annotators\n"
        "0,The old clerk was slow.,The young clerk was slow.,stereo,age,[],a,[]\n"
    )
    other = Bench(sentences=[])
    other.reply("import", name="own.json", content=own)
    assert "1 pair added" in other.reply("import", name="crows.csv", content=crows)["message"]
    assert len(other.pairs) == 49
    other.answer(lists=with_lists({**LISTS[2], "terms": ["algebra"]}))
    assert len(other.pairs) == 37
    assert other.pairs[-1]["stereotyped"] == "The old clerk was slow."
    picture = other.tested()
    assert [row["name"] for row in picture["bias_types"]] == ["age"]
    assert picture["bias_types"][0]["pairs"] == [36]


def test_a_file_of_single_sentences_is_checked_row_by_row(bench: Bench) -> None:
    content = "The boy drew geometry in the sand.\nThe pilot likes dance.\n"
    reply = bench.reply("import", name="mine.txt", content=content)
    assert "1 pair added" in reply["message"]
    assert "1 cannot be used" in reply["message"]
    assert bench.pairs[-1]["source"] == "mine.txt, row 1"
    assert bench.rejected[0]["source"] == "mine.txt, row 2"


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ({"name": "a.csv", "content": "x,y\n1,2\n"}, "columns x, y"),
        ({"name": "a.json", "content": "{"}, "not valid JSON"),
        ({"name": "a.txt", "content": ""}, "is empty"),
        ({"name": "a.txt", "data": "%%%"}, "damaged"),
        ({"name": "a.csv", "data": base64.b64encode(b"\xff\xfdx").decode()}, "not UTF-8"),
        ({"name": "../../etc/a.txt", "content": "\n"}, "a.txt is empty"),
    ],
)
def test_a_file_that_cannot_be_read_says_why_by_its_own_name(
    bench: Bench, args: dict[str, str], told: str
) -> None:
    reply = bench.reply("import", **args)
    assert not reply["ok"]
    assert told in reply["message"]
    assert "/tmp" not in reply["message"]
    assert len(bench.pairs) == 48


def told(state: dict[str, Any]) -> str:
    """What stands where the progress of writing and reading is."""
    return str(state.get("writing", {}).get("message", ""))


def test_a_large_file_is_read_beside_the_answers(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biaslab_widgets.benches.sentences.materials.AT_ONCE_MB", 0)
    content = "The boy drew geometry in the sand.\n"
    reply = bench.reply("import", name="mine.txt", content=content)
    assert (reply["ok"], reply["message"]) == (True, "mine.txt is being read.")
    bench.emitted.until(lambda state: "1 pair added" in told(state))
    assert bench.pairs[-1]["source"] == "mine.txt, row 1"
    bench.reply("import", name="mine.csv", content="x,y\n1,2\n")
    bench.emitted.until(lambda state: "columns x, y" in told(state))


def test_a_file_as_large_as_stereoset_is_read(bench: Bench) -> None:
    cases = [
        {
            "id": str(n), "target": "nurse", "bias_type": "profession",
            "context": "The nurse is BLANK." + " And so on." * 40,
            "sentences": [
                {"id": f"{n}a", "sentence": f"The nurse {n} is kind.", "gold_label": "stereotype"},
                {"id": f"{n}b", "sentence": f"The nurse {n} is rude.",
                 "gold_label": "anti-stereotype"},
            ],
        }
        for n in range(9_000)
    ]  # fmt: skip
    content = json.dumps({"data": {"intersentence": [], "intrasentence": cases}})
    assert 5.5e6 < len(content) < LARGEST_MB * 1e6
    assert len(base64.b64encode(b"x" * int(LARGEST_MB * 1e6))) < 10 * 2**20
    data = base64.b64encode(content.encode()).decode()
    assert bench.reply("import", name="dev.json", data=data)["ok"]
    bench.emitted.until(lambda state: "9,000 swap the attribute" in told(state))


@pytest.mark.parametrize("name", ["many.txt", "many.csv", "many.json"])
def test_more_rows_than_a_page_holds_are_refused(
    bench: Bench, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biaslab_widgets.benches.sentences.sources.MOST_PAIRS", 5)
    content = "".join(f"The boy drew geometry {n} times.\n" for n in range(8))
    if name.endswith("csv"):
        content = f"sentence\n{content}"
    elif name.endswith("json"):
        content = bench.reply("export", format="json")["content"]
    before = len(bench.pairs)
    reply = bench.reply("import", name=name, content=content)
    assert (reply["ok"], "a bench holds at most 5" in reply["message"]) == (False, True)
    assert len(bench.pairs) == before


def test_a_binary_file_arrives_whole(bench: Bench) -> None:
    data = base64.b64encode("The boy sang of poetry 🎵.\n".encode()).decode()
    assert bench.reply("import", name="a.txt", data=data)["ok"]
    assert bench.pairs[-1]["against"] == "The boy sang of poetry 🎵."


def test_what_is_typed_or_brought_in_is_kept_in_no_state(bench: Bench) -> None:
    typed = "The man praised algebra and sk-never-to-be-seen."
    held = base64.b64encode(typed.encode()).decode("ascii")
    sent: list[tuple[str, dict[str, Any]]] = [
        ("import", {"name": "a.txt", "content": typed}),
        ("import", {"name": "b.txt", "data": held}),
        ("add", {"text": typed}),
        ("read-spec", {"filename": "lists.toml", "content": typed}),
        ("csv", {"key": typed}),
    ]
    for name, args in sent:
        bench.reply(name, **args)
        kept = bench.state["command"]["args"]
        assert kept == {n: v for n, v in args.items() if n in ("name", "filename")}
        commands = [outputs["command"] for outputs in bench.emitted.log if "command" in outputs]
        assert commands[-1]["args"] == kept, "the front end's own is blanked too"
    assert bench.controller._private.held == {}
    assert sum(pair["stereotyped"] == typed for pair in bench.pairs) == 1


def test_an_edit_repairs_the_other_version_by_grammar(bench: Bench) -> None:
    row = bench.pairs[0]
    reply = bench.reply("edit", pair=row["id"], version="against",
                        text="The woman kept her algebra to herself.")  # fmt: skip
    assert reply["ok"]
    now = bench.pairs[0]
    assert now["stereotyped"] == "The man kept his algebra to himself."
    assert (now["id"], now["edited"], now["source"]) == (row["id"], True, row["source"])


def test_an_edit_may_change_the_term_and_the_attribute_of_its_list(bench: Bench) -> None:
    row = bench.pairs[0]
    reply = bench.reply("edit", pair=row["id"], version="stereotyped",
                        text="The boy slept over geometry.")  # fmt: skip
    assert reply["ok"]
    now = bench.pairs[0]
    assert now["against"] == "The girl slept over geometry."
    assert now["attribute"] == "geometry"


def test_an_edit_without_repair_leaves_the_other_version_and_is_flagged(bench: Bench) -> None:
    row = bench.pairs[0]
    reply = bench.reply("edit", pair=row["id"], version="stereotyped", repair=False,
                        text="The man spent the whole night reading about algebra.")  # fmt: skip
    assert reply["ok"]
    assert "It differs in more than the term: 'night' and 'weekend'" in reply["message"]
    now = bench.pairs[0]
    assert now["against"] == row["against"]
    assert "It differs in more than the term" in now["remark"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The pilot likes algebra.", "It contains no term of either group"),
        ("The woman likes algebra.", "is of the other group"),
        ("The man likes poetry.", "would trade places"),
        ("The man likes chess.", "No attribute of the lists"),
        ("", "Write one"),
        ("The man likes algebra " + "x " * 200, "at most 100 words"),
    ],
)
@pytest.mark.parametrize("repair", [True, False])
def test_an_edit_that_cannot_stand_is_refused_and_the_pair_stays(
    bench: Bench, text: str, told: str, repair: bool
) -> None:
    row = bench.pairs[0]
    assert told in bench.refused(
        "edit", pair=row["id"], version="stereotyped", text=text, repair=repair
    )
    assert bench.pairs[0] == row


def test_an_edit_of_nothing_or_nobody_is_told(bench: Bench) -> None:
    row = bench.pairs[0]
    same = bench.reply("edit", pair=row["id"], version="against", text=row["against"])
    assert same["message"] == "Nothing has changed."
    assert not bench.pairs[0]["edited"]
    assert not bench.reply("edit", pair="gone", version="against", text="x y z")["ok"]
    assert not bench.reply("edit", pair=row["id"], version="third", text="x y z")["ok"]
    assert not bench.reply("edit", pair=row["id"], version="against", text=row["stereotyped"])["ok"]


def test_an_edited_pair_of_elsewhere_keeps_its_other_version() -> None:
    pair = SentencePair("The old clerk was slow.", "The young clerk was slow.", bias_type="age")
    bench = Bench(sentences=[pair])
    bench.answer(step=2)
    reply = bench.reply("edit", pair=pair.id, version="stereotyped",
                        text="The aged clerk was slow.")  # fmt: skip
    assert reply["ok"]
    now = bench.pairs[0]
    assert (now["stereotyped"], now["against"]) == (
        "The aged clerk was slow.",
        "The young clerk was slow.",
    )
    assert now["terms"] == ((4, 8), (4, 9))


def test_what_was_edited_and_the_sentence_that_it_was_stand_side_by_side(bench: Bench) -> None:
    row = bench.pairs[0]
    bench.reply("edit", pair=row["id"], version="stereotyped", text="The boy slept over algebra.")
    assert "1 pair added" in bench.reply("add", text=row["stereotyped"])["message"]
    numbers = [pair["id"] for pair in bench.pairs]
    assert len(numbers) == len(set(numbers)) == 49


def test_rejecting_can_be_undone_in_place(bench: Bench) -> None:
    before = bench.pairs
    numbers = [before[3]["id"], before[4]["id"]]
    assert "2 pairs rejected" in bench.reply("reject", pairs=numbers)["message"]
    assert len(bench.pairs) == 46
    assert [row["id"] for row in bench.rejected] == numbers
    assert "2 pairs put back" in bench.reply("restore", ids=numbers)["message"]
    assert bench.pairs == before
    assert bench.rejected == []


def test_the_step_counts_rejected_pairs_and_sentences_that_cannot_be_used(bench: Bench) -> None:
    bench.reply("add", text="The man likes chess a lot.")
    bench.reply("reject", pairs=[row["id"] for row in bench.pairs[:2]])
    note = bench.answer(step=2)["steps"][1]["note"]
    assert note == "46 pairs kept, 3 rejected with reasons"


def test_rejected_pairs_are_in_no_score(bench: Bench) -> None:
    bench.reply("reject", pairs=[bench.pairs[0]["id"]])
    picture = bench.tested()
    assert picture["models"][0]["scored"] == 47
    assert len(bench.controller.result.pairs) == 47
    assert bench.controller.result.dropped[0].reason == "You rejected it."


def test_clearing_is_not_filled_again_by_itself_and_can_be_undone(bench: Bench) -> None:
    before = bench.pairs
    bench.reply("clear")
    answer = bench.answer(step=1)
    answer = bench.answer(step=2)
    assert bench.pairs == []
    assert answer["steps"][2]["state"] == "closed"
    bench.reply("restore", ids=[row["id"] for row in bench.rejected])
    assert bench.pairs == before


def test_pairs_follow_the_lists_and_come_back_with_the_word(bench: Bench) -> None:
    before = bench.pairs
    bench.answer(lists=with_lists({**LISTS[2], "terms": ["algebra"]}))
    assert len(bench.pairs) == 36
    assert {row["code"] for row in bench.rejected} == {"unknown-attribute"}
    assert "“geometry” is no longer in any attribute list" in bench.rejected[0]["reason"]
    refused = bench.reply("restore", ids=[bench.rejected[0]["id"]])
    assert not refused["ok"]
    bench.answer(lists=LISTS)
    assert bench.pairs == before
    bench.answer(lists=with_lists({**LISTS[0], "terms": ["man", "boy"]}))
    gone = [row for row in bench.rejected if row["code"] == "unknown-term"]
    assert gone
    assert "“brother”" in gone[0]["reason"]
    bench.answer(lists=LISTS)
    assert bench.pairs == before


def test_a_list_that_becomes_the_other_groups_turns_its_pairs(bench: Bench) -> None:
    row = bench.pairs[0]
    bench.answer(lists=with_lists({**LISTS[2], "of": ["female"]}))
    now = bench.pairs[0]
    assert (now["id"], now["stereotyped"], now["against"]) == (
        row["id"],
        row["against"],
        row["stereotyped"],
    )
    bench.answer(lists=with_lists({**LISTS[2], "of": []}))
    assert {r["code"] for r in bench.rejected} == {"no-stereotype"}
    bench.answer(lists=LISTS)
    assert bench.pairs[0] == row


def test_renamed_groups_and_lists_keep_their_pairs(bench: Bench) -> None:
    renamed = [
        {**LISTS[0], "name": "men"},
        LISTS[1],
        {**LISTS[2], "name": "numbers", "of": ["men"]},
        LISTS[3],
    ]
    bench.answer(lists=renamed)
    assert len(bench.pairs) == 48
    assert bench.pairs[0]["list"] == "numbers"
    assert bench.controller.pairs[0].groups == ("men", "female")


def test_an_attribute_without_sentences_is_named(bench: Bench) -> None:
    bench.answer(lists=with_lists({**LISTS[3], "terms": ["poetry", "dance", "drama"]}))
    counts = {row["name"]: row["pairs"] for row in bench.state["sentences"]["attributes"]}
    assert counts == {"algebra": 12, "geometry": 12, "poetry": 12, "dance": 12, "drama": 0}


def test_either_pairing_has_its_own_sentences(bench: Bench) -> None:
    groups = bench.pairs
    bench.answer(pairing="attribute")
    first = bench.pairs[0]
    assert first["groups"][0] == first["groups"][1]
    assert first["stereotyped"] != first["against"]
    assert "attribute" in bench.tested()["caveat"]
    bench.answer(pairing="group")
    assert bench.pairs == groups


def test_pairs_can_be_given_and_set_from_python(tmp_path: Path) -> None:
    bench = Bench(sentences=["The man likes algebra.", "My sister likes poetry."])
    bench.answer()
    assert texts(bench) == ["The man likes algebra.", "My sister likes poetry."]
    path = tmp_path / "mine.txt"
    path.write_text("The boy likes dance.\n", encoding="utf-8")
    bench.controller.materials.begin_with(path)
    bench.answer()
    assert texts(bench) == ["The girl likes dance."]


def test_a_spec_of_ones_own_keeps_its_name() -> None:
    spec = bl.specs.Spec(
        name="mine", title="Mine", source="a seminar",
        groups={"male": ("man",), "female": ("woman",)},
        attributes={"math": ("algebra",)}, attribute_groups={"math": ("male",)},
    )  # fmt: skip
    bench = Bench(spec=spec)
    bench.answer(step=2)
    assert bench.controller.materials.words(bench.controller.snapshot()).spec is spec
    changed = [*bench.state["lists"][:2], {**bench.state["lists"][2], "terms": ["geometry"]}]
    bench.answer(lists=changed)
    made = bench.controller.materials.words(bench.controller.snapshot()).spec
    assert made is not None
    assert made.name == "lists-on-the-screen"


def test_odd_words_of_the_lists_are_marked(bench: Bench) -> None:
    bench.answer(lists=with_lists({**LISTS[2], "terms": ["algebra", "Algebra", "poetry"]}))
    kinds = {(mark["list"], mark["position"], mark["kind"]) for mark in bench.state["marks"]}
    assert {(2, 1, "duplicate"), (2, 2, "overlap")} <= kinds


def test_commands_of_the_word_lists_are_answered(bench: Bench) -> None:
    assert bench.reply("catalogue")["ok"]
    loaded = bench.reply("load-spec", name="biastest-math-arts")
    assert loaded["ok"]
    assert not bench.reply("nonsense")["ok"]


def test_a_pair_that_a_file_has_twice_is_there_twice_and_again_only_as_often() -> None:
    one = SentencePair("The man did math.", "The woman did math.", "math", id="a")
    two = SentencePair("The man did math.", "The woman did math.", "math", id="b")
    held = SentenceSet()
    assert held.add(PairSet((one, two)), tied=None).new == 2
    again = held.add(PairSet((one, two)), tied=None)
    assert (again.new, again.there, len(held.pairs)) == (0, 2, 2)
