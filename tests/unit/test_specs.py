"""The spec type: what is refused and how it is said, what is told, and the hash."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from biaslab.errors import SpecError, SpecFieldError
from biaslab.records.encoding import decode_fields, encode_fields
from biaslab.specs import Spec

GOOD: dict[str, Any] = {
    "name": "x",
    "title": "X",
    "source": "someone",
    "cue_pairs": [["a", "b"]],
    "items": ["nurse"],
    "groups": {"one": ["a"], "two": ["b"]},
    "attributes": {"kind": ["warm"]},
}
SHARES = {"one": 0.5, "two": 0.5}
COLUMN = {"title": "T", "unit": "percent", "source": "S", "values": {"nurse": 90}}


def spec(**change: Any) -> Spec:
    return Spec.from_dict({**GOOD, **change}, "file.toml")


@pytest.mark.parametrize(
    ("change", "field", "says"),
    [
        ({"name": ""}, "name", "not empty"),
        ({"name": "My Spec!"}, "name", "'my-spec'"),
        ({"name": 3}, "name", "not text"),
        ({"aliases": "other"}, "aliases", "list of names"),
        ({"aliases": ["Other one"]}, "aliases", "'other-one'"),
        ({"source": None}, "source", "not text"),
        ({"title": "two\nlines"}, "title", "line break"),
        ({"notes": 7}, "notes", "not text"),
        ({"notes": "\x1b[31mred"}, "notes", "control character"),
        ({"schema": "spec/2"}, "schema", "Update biaslab"),
        ({"colour": "red"}, "colour", "unknown"),
        ({"attribute": {}}, "attribute", "Did you mean 'attributes'"),
        ({"cue_pairs": "a,b"}, "cue_pairs", "list of pairs"),
        ({"cue_pairs": [["a", "b", "c"]]}, "cue_pairs", "two cues"),
        ({"cue_pairs": [["a", " "]]}, "cue_pairs", "not empty"),
        ({"cue_pairs": [["a", "a "]]}, "cue_pairs", "itself"),
        ({"cue_pairs": []}, "cue_pairs", "leave it out"),
        ({"items": "nurse"}, "items", "list of strings"),
        ({"items": []}, "items", "leave it out"),
        ({"items": ["a\tb"]}, "items", "tab"),
        ({"items": ["\u200b"]}, "items", "not empty"),
        ({"items": ["\ud800"]}, "items", "half a character"),
        ({"groups": ["a", "b"]}, "groups", "table"),
        ({"groups": {}}, "groups", "leave it out"),
        ({"groups": {"one": [1]}}, "groups.one", "not text"),
        ({"groups": {"one": []}}, "groups.one", "empty list"),
        ({"groups": {"one": ["a"], " one": ["b"]}}, "groups", "twice"),
        ({"attributes": {"kind": []}}, "attributes.kind", "empty list"),
        ({"attribute_groups": {"kin": ["one"]}}, "attribute_groups.kin", "'kind'"),
        ({"attribute_groups": {"kind": ["on"]}}, "attribute_groups.kind", "'one'"),
        ({"attribute_groups": {"kind": [1]}}, "attribute_groups.kind", "not in 'groups'"),
        ({"attribute_groups": {"kind": "one"}}, "attribute_groups.kind", "list"),
        ({"attribute_groups": {"kind": ["one", "one"]}}, "attribute_groups.kind", "twice"),
        ({"controls": {"animal": ["cat"]}}, "controls.animal", "human or neutral"),
        ({"controls": {"human": []}}, "controls.human", "empty list"),
        ({"distributions": {"d": 1}}, "distributions.d", "table"),
        ({"distributions": {"d": {"kind": "biased"}}}, "distributions.d", "lacks 'shares'"),
        (
            {"distributions": {"d": {"kind": "fair", "shares": SHARES}}},
            "distributions.d.kind",
            "'unbiased'",
        ),
        (
            {"distributions": {"d": {"kind": "biased", "shares": {"one": 0.5}}}},
            "distributions.d.shares",
            "must sum to 1",
        ),
        (
            {"distributions": {"d": {"kind": "biased", "shares": {"one": 1.5, "two": -0.5}}}},
            "distributions.d.shares.one",
            "between 0 and 1",
        ),
        (
            {"distributions": {"d": {"kind": "biased", "shares": {"one": float("nan")}}}},
            "distributions.d.shares.one",
            "unknown values",
        ),
        (
            {"distributions": {"d": {"kind": "biased", "shares": {"tow": 1}}}},
            "distributions.d.shares",
            "Did you mean 'two'",
        ),
        (
            {
                "distributions": {
                    "d": {"kind": "unbiased", "shares": SHARES},
                    "e": {"kind": "biased", "shares": {"one": 1}},
                }
            },
            "distributions.e.shares",
            "same values",
        ),
        ({"outside": {"c": {**COLUMN, "colour": 1}}}, "outside.c", "unknown 'colour'"),
        ({"outside": {"c": {**COLUMN, "values": {}}}}, "outside.c.values", "at least one"),
        ({"outside": {"c": {**COLUMN, "values": {"nurze": 1}}}}, "outside.c.values", "'nurse'"),
        (
            {"outside": {"c": {**COLUMN, "values": {"nurse": True}}}},
            "outside.c.values.nurse",
            "num",
        ),
    ],
)
def test_a_malformed_spec_names_the_file_the_field_and_the_fix(
    change: dict[str, Any], field: str, says: str
) -> None:
    with pytest.raises(SpecFieldError) as caught:
        spec(**change)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"file.toml: field {field!r} ")
    assert says in str(caught.value)


@pytest.mark.parametrize("name", ["name", "title", "source"])
def test_what_every_spec_needs_is_asked_for(name: str) -> None:
    with pytest.raises(SpecFieldError, match=f"'{name}' is missing"):
        Spec.from_dict({key: value for key, value in GOOD.items() if key != name}, "f")


def test_a_spec_without_any_list_is_refused() -> None:
    with pytest.raises(SpecFieldError, match="Add groups, cue_pairs or items"):
        Spec(name="x", title="X", source="someone")


def test_a_spec_made_in_python_is_checked_too_and_names_itself() -> None:
    with pytest.raises(SpecFieldError, match=r"^spec 'x': field 'groups.a' is an empty list"):
        Spec(name="x", title="X", source="someone", groups={"a": ()})


def test_a_huge_value_is_quoted_in_short() -> None:
    with pytest.raises(SpecFieldError) as caught:
        spec(items="nurse " * 100_000)
    assert len(str(caught.value)) < 300


def test_terms_are_text_and_stay_as_typed() -> None:
    odd = [
        "NASA",
        "Nasa",
        "<b>nurse</b>",
        "ممرضة",
        "אחות",
        "\u200fאח",
        "می\u200cخواهم",
        "l'été & co.",
    ]
    assert spec(items=[f" {term} " for term in odd]).items == tuple(odd)


def test_duplicates_and_overlaps_are_told_and_kept() -> None:
    made = spec(
        items=["nurse", "baker", "nurse", "Baker", "a"],
        groups={"one": ["she", "woman"], "two": ["he", "She"]},
        attributes={"kind": ["woman"]},
        cue_pairs=[["a", "b"], ["b", "a"]],
    )
    told = {(w.kind, w.lists, w.terms) for w in made.warnings}
    assert told == {
        ("duplicate", ("items",), ("nurse",)),
        ("lookalike", ("items",), ("baker", "Baker")),
        ("duplicate", ("cue_pairs",), ("a - b",)),
        ("overlap", ("groups.one", "groups.two"), ("she",)),
        ("overlap", ("groups.one", "attributes.kind"), ("woman",)),
        ("overlap", ("items", "cue_pairs"), ("a",)),
    }
    assert made.items == ("nurse", "baker", "nurse", "Baker", "a")
    said = made.summary()
    assert all(" ".join(str(w).split()) in " ".join(said.split()) for w in made.warnings)


def test_one_letter_in_two_encodings_is_told() -> None:
    (warning,) = spec(items=["caf\u00e9", "cafe\u0301"]).warnings
    assert warning.kind == "lookalike"


def test_a_hundred_thousand_words_are_one_spec() -> None:
    words = [f"word{i}" for i in range(100_000)]
    made = spec(items=words)
    assert made.items == tuple(words)
    assert made.warnings == ()


def test_the_hash_is_of_the_lists_and_not_of_what_is_said_about_them() -> None:
    same = spec(name="y", title="Y", source="other", notes="new", aliases=["z"])
    assert same.content_hash == spec().content_hash
    assert len(same.content_hash) == 64


@pytest.mark.parametrize(
    "change",
    [
        {"items": ["Nurse"]},
        {"items": ["nurse", "nurse"]},
        {"cue_pairs": [["b", "a"]]},
        {"groups": {"two": ["b"], "one": ["a"]}},
        {"groups": {"one": ["a"], "three": ["b"]}},
        {"attribute_groups": {"kind": ["one"]}},
        {"controls": {"human": ["walk"]}},
        {"distributions": {"d": {"kind": "biased", "shares": SHARES}}},
        {"outside": {"c": COLUMN}},
    ],
)
def test_the_hash_changes_with_every_list_and_with_their_order(change: dict[str, Any]) -> None:
    assert spec(**change).content_hash != spec().content_hash


def test_a_spec_is_a_value() -> None:
    made = spec(outside={"c": COLUMN}, distributions={"d": {"kind": "biased", "shares": SHARES}})
    assert made == spec(
        outside={"c": COLUMN}, distributions={"d": {"kind": "biased", "shares": SHARES}}
    )
    assert made != spec()
    assert made.warnings == ()
    assert pickle.loads(pickle.dumps(made)) == made  # workers get specs this way
    assert repr(made) == "<Spec 'x': 2 groups, 1 attribute lists, 1 cue pairs, 1 items>"


def test_a_result_can_hold_a_spec() -> None:
    made = spec(outside={"c": COLUMN}, distributions={"d": {"kind": "biased", "shares": SHARES}})
    assert decode_fields(Spec, encode_fields(made)) == made


def test_outside_numbers_are_a_table_by_item_with_gaps() -> None:
    table = spec(items=["nurse", "baker"], outside={"c": COLUMN}).outside_table()
    assert table.loc["nurse", "c"] == 90
    assert table["c"].isna().to_dict() == {"nurse": False, "baker": True}


THREE = {
    **GOOD,
    "groups": {"jew": ["rabbi"], "christian": ["priest"], "muslim": ["imam"]},
    "attributes": {"a": ["cheap"], "b": ["dirty"], "c": ["loud"], "d": ["odd"]},
    "attribute_groups": {"a": ["jew"], "b": ["muslim"], "c": ["jew", "muslim"]},
    "cue_pairs": [["rabbi", "imam"], ["priest", "rabbi"], ["she", "he"]],
    "distributions": {
        "d": {"kind": "biased", "shares": {"jew": 0.5, "christian": 0.25, "muslim": 0.25}}
    },
}


def test_two_groups_of_three() -> None:
    cut = Spec.from_dict(THREE).two_groups("jew", "christian")
    assert list(cut.groups) == ["jew", "christian"]
    assert list(cut.attributes) == ["a", "c", "d"]
    assert dict(cut.attribute_groups) == {"a": ("jew",), "c": ("jew",)}
    assert cut.cue_pairs == (("rabbi", "priest"), ("she", "he"))
    assert not cut.distributions
    assert cut.items == ("nurse",)
    assert "jew against christian" in cut.title


def test_two_groups_of_two_may_be_left_out_or_turned_round() -> None:
    made = spec(distributions={"d": {"kind": "biased", "shares": SHARES}})
    assert made.two_groups() is made
    turned = made.two_groups("two", "one")
    assert list(turned.groups) == ["two", "one"]
    assert turned.cue_pairs == (("b", "a"),)
    assert turned.distributions == made.distributions
    assert turned.two_groups("one", "two").content_hash == made.content_hash


@pytest.mark.parametrize(
    ("groups", "says"),
    [
        ((), "has 3 groups"),
        (("jew",), r"groups=\('jew', 'christian'\)"),
        (("jew", "jew"), "two different"),
        (("jew", "christain"), "Did you mean 'christian'"),
        (("jew", "christian", "muslim"), "a comparison takes two"),
    ],
)
def test_a_wrong_choice_of_groups_says_which_there_are(groups: tuple[str, ...], says: str) -> None:
    with pytest.raises(SpecError, match=says):
        Spec.from_dict(THREE).two_groups(*groups)


def test_a_spec_without_two_groups_says_so() -> None:
    with pytest.raises(SpecError, match="fewer than two groups"):
        Spec(name="x", title="X", source="s", items=("a",)).two_groups("a", "b")
