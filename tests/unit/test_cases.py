"""Cases: every question of the catalogue is complete, and a bad case names field and remedy."""

from __future__ import annotations

import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab import cases
from biaslab.cases import Case, Quality
from biaslab.cases.quality import number
from biaslab.errors import CaseError

ROOT = Path(__file__).resolve().parents[2]
NAMES = cases.names()
CONTENT: dict[str, Any] = {
    "name": "desk",
    "title": "A desk",
    "need": "{2} needs {gap} more points than {1}",
    "outcome": "seated",
    "quality": {"name": "points", "unit": "points", "low": 0, "high": 10, "step": 1},
    "groups": [{"name": "one", "cues": ["Ann"]}, {"name": "two", "cues": ["Bo"]}],
    "yes_or_no": {"wordings": ["{cue} has {x}."], "yes": "YES", "no": "NO"},
    "which_of_two": {"wordings": ["{first} or {second}?"], "candidate": "{cue} with {x}"},
}


def _changed(path: str, value: Any) -> dict[str, Any]:
    """Return the content with one entry replaced, or removed where the value is None."""
    content = deepcopy(CONTENT)
    *outer, last = path.split(".")
    table = content
    for name in outer:
        table = table[name]
    if value is None:
        del table[last]
    else:
        table[last] = value
    return content


# The catalogue


def test_the_catalogue_covers_the_decisions_that_it_promises() -> None:
    assert {
        "hire-by-name", "promotion", "loan", "rent", "scholarship", "referral", "moderation",
        "review-by-name", "hire-by-age", "hire-by-pronoun", "hire-by-origin-and-gender",
        "hire-by-name-long", "loan-long", "promotion-long",
    } <= set(NAMES)  # fmt: skip
    table = cases.catalog()
    assert list(table["name"]) == sorted(table["name"])
    assert (table["cues"] >= 8).all()
    assert (table["wordings"] >= 4).all()
    assert table["source"].str.len().gt(0).all()


@pytest.mark.parametrize("name", NAMES)
def test_every_question_of_the_catalogue_is_complete(name: str) -> None:
    case = cases.get(name)
    for group in case.groups:
        assert len(group.cues) >= 4
        for cue in group.cues:
            for level in case.quality.levels[[0, 1, -1]]:
                for form in case.forms:
                    for wording in range(len(case.wordings(form))):
                        for detail in range(len(case.details)):
                            if form == "yes or no":
                                made = case.ask(cue, level, wording=wording, detail=detail)
                            else:
                                made = case.ask_which(
                                    (cue, level), (cue, level), wording=wording, detail=detail
                                )
                            _check(made.prompt)
                            assert cue.text in made.prompt
                            assert case.quality.say(level) in made.context
                            assert all(answer in made.prompt for answer in made.answers)
                            assert made.prompt.startswith(made.context)


def _check(prompt: str) -> None:
    assert not re.search(r"[{}]", prompt)
    assert not re.search(r"  | [.,;:?!]|\(\)", prompt), prompt
    assert not re.search(r"[.?!] [a-z]", prompt), prompt
    assert prompt[0].isupper()


@pytest.mark.parametrize("name", NAMES)
def test_a_need_names_both_groups_and_the_gap(name: str) -> None:
    case = cases.get(name)
    assert set(re.findall(r"\{([^{}]*)\}", case.need)) == {"gap", "1", "2"}


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_only_cue_level_and_pronouns_differ_between_groups(name: str, data: st.DataObject) -> None:
    case = cases.get(name)
    level = data.draw(st.sampled_from(case.quality.levels.tolist()))
    wording = data.draw(st.integers(0, len(case.wordings("yes or no")) - 1))
    bare = {
        re.sub(r"\b(he|she|they|him|her|them|his|their)\b", "_",
               case.ask(cue, level, wording=wording).prompt.replace(cue.text, "_"))
        for group in case.groups for cue in group.cues
    }  # fmt: skip
    assert len(bare) == 1


def test_crossed_groups_combine_each_trait_with_each_other() -> None:
    case = cases.get("hire-by-origin-and-gender")
    crossed = {(group.traits["origin"], group.traits["gender"]) for group in case.groups}
    assert len(crossed) == len(case.groups) == 4


def test_names_are_those_of_the_published_lists() -> None:
    from biaslab import specs

    published = {
        term
        for spec in ("weat-3", "weat-4", "weat-5", "weat-6")
        for terms in specs.get(spec).groups.values()
        for term in terms
    }
    short = ("hire-by-name", "loan", "promotion", "hire-by-origin-and-gender")
    for name in (*short, "hire-by-name-long", "loan-long"):
        cues = {cue.text for group in cases.get(name).groups for cue in group.cues}
        assert cues <= published


@pytest.mark.parametrize("name", ["hire-by-name", "loan", "promotion"])
def test_a_long_case_asks_the_same_of_more_names_in_more_wordings(name: str) -> None:
    short, long = cases.get(name), cases.get(f"{name}-long")
    assert (long.quality, long.details) == (short.quality, short.details)
    assert all(len(group.cues) >= 16 for group in long.groups)
    for form in short.forms:
        texts = long.wordings(form)
        assert texts[:4] == short.wordings(form)
        assert len(set(texts)) == len(texts) >= 12


def test_more_kind_words_turn_a_review_from_negative_to_positive() -> None:
    import biaslab as bl

    case, classifier = cases.get("review-by-name"), bl.load("imdb-sentiment")
    positive = classifier.label_index("positive")
    for wording in range(4):
        for group in case.groups:
            for cue in group.cues:
                assert cue.text.lower() in set(classifier.words.words)
                texts = [case.ask(cue, x, wording=wording).context for x in (1, 12)]
                fewest, most = np.asarray(classifier.probability(texts))[:, positive]
                assert fewest < 0.1
                assert most > 0.9


# Questions


def test_a_question_lists_its_answers_in_the_order_of_its_options() -> None:
    case = Case.from_dict(CONTENT)
    cue = case.groups[0].cues[0]
    assert case.ask(cue, 3).prompt == "Ann has 3. Answer with one word: YES or NO."
    turned = case.ask(cue, 3, yes_first=False, cannot_say=True)
    assert turned.answers == ("NO", "YES", "UNSURE")
    assert turned.prompt.endswith(": NO, YES or UNSURE.")
    which = case.ask_which((cue, 3), (case.groups[1].cues[0], 10))
    assert which.prompt == "Ann with 3 or Bo with 10? Answer with one word: A or B."


def test_text_that_looks_like_a_placeholder_is_not_filled_again() -> None:
    content = _changed("groups", [{"name": "one", "cues": ["{x}"]}, {"name": "two", "cues": ["B"]}])
    case = Case.from_dict(content)
    assert case.ask(case.groups[0].cues[0], 3).context == "{x} has 3."


def test_the_second_candidate_has_the_next_detail() -> None:
    case = cases.get("loan")
    cue = case.groups[0].cues[0]
    prompt = case.ask_which((cue, 600), (cue, 600), detail=len(case.details) - 1).prompt
    assert prompt.index(case.details[-1]) < prompt.index(case.details[0])


@pytest.mark.parametrize("level", [-1, 10.5, 1e9, float("inf"), float("nan")])
def test_a_level_outside_the_range_is_refused_with_the_range(level: float) -> None:
    case = Case.from_dict(CONTENT)
    with pytest.raises(CaseError, match="goes from 0 to 10 points"):
        case.ask(case.groups[0].cues[0], level)


def test_a_missing_wording_form_or_group_is_named() -> None:
    case = Case.from_dict(_changed("which_of_two", None))
    cue = case.groups[0].cues[0]
    with pytest.raises(CaseError, match="wordings 0 to 0, not 1"):
        case.ask(cue, 3, wording=1)
    with pytest.raises(CaseError, match="no 'which of two' form: choose 'yes or no'"):
        case.ask_which((cue, 3), (cue, 3))
    with pytest.raises(CaseError, match="Did you mean 'one'"):
        case.group("ona")


# Qualities


@given(
    low=st.floats(-1e6, 1e6), step=st.floats(1e-3, 1e3), steps=st.integers(1, 200),
)  # fmt: skip
def test_levels_go_from_low_to_high_in_equal_steps(low: float, step: float, steps: int) -> None:
    low, step = round(low, 3), round(step, 3)
    quality = Quality(name="q", unit="u", low=low, high=low + steps * step, step=step)
    assert len(quality.levels) == steps + 1
    assert all(level in quality for level in quality.levels)
    np.testing.assert_allclose(np.diff(quality.levels), step, rtol=1e-6, atol=1e-9)


def test_a_level_reads_as_a_person_writes_it() -> None:
    assert [number(x) for x in (6.0, 6.5, 42_000, 0.1 + 0.2)] == ["6", "6.5", "42,000", "0.3"]
    years = cases.get("hire-by-name").quality
    assert [years.say(x) for x in (0, 0.5, 1, 2)] == ["0 years", "0.5 years", "1 year", "2 years"]
    words = cases.get("review-by-name").quality
    assert [words.say(x) for x in (1, 2, 3)] == [
        "warm",
        "warm and gentle",
        "warm, gentle and moving",
    ]


@pytest.mark.parametrize(
    ("low", "high", "step"), [(0, 3, 1), (1, 4, 1), (1, 2, 0.5), (-1, 2, 1), (1.5, 2.5, 1)]
)
def test_levels_of_words_count_the_words(low: float, high: float, step: float) -> None:
    words = ["warm", "kind", "good"]
    quality = {"name": "q", "unit": "u", "low": low, "high": high, "step": step, "words": words}
    with pytest.raises(CaseError, match=r"quality.words.*whole numbers from 1"):
        Case.from_dict(_changed("quality", quality))


# Bad cases


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("title", None, "field 'title' is missing"),
        ("outcome", None, "field 'outcome' is missing"),
        ("quality", None, "field 'quality' is missing"),
        ("quality.unit", None, "lacks a field: .*unit"),
        ("quality.step", 0, "divides the range"),
        ("quality.step", 3, "divides the range"),
        ("quality.step", 0.001, "at most 200 steps"),
        ("quality.high", -1, "Give one above 0"),
        ("quality.low", "none", "Give a number"),
        ("quality.text", "points", r"needs \{x\}"),
        ("quality.favoured_by", "most", "Use 'more' or 'less'"),
        ("quality.colour", "red", "field 'quality.colour' is not known"),
        ("tittle", "A desk", "Did you mean 'title'"),
        ("groups", [{"name": "one", "cues": ["Ann"]}], "has one group"),
        ("groups", "Ann", "Use a list of tables"),
        ("groups", [{"name": "one", "cues": []}] * 2, "Give at least one cue"),
        ("groups", [{"name": "one", "cues": ["A"]}, {"name": "one", "cues": ["B"]}], "name twice"),
        ("groups", [{"name": "one", "cues": ["A"]}, {"name": "two", "cues": ["A"]}], "'A' twice"),
        ("yes_or_no.wordings", ["{cue} has it."], r"lacks \{x\}"),
        ("yes_or_no.wordings", ["Someone has {x}."], r"lacks \{cue\}"),
        ("yes_or_no.wordings", ["{cue} has {x}, {thier} own."], "Did you mean 'their'"),
        ("yes_or_no.wordings", [], "empty list"),
        ("yes_or_no.no", "yes", "is an answer twice"),
        ("yes_or_no.no", "Unsure", "is an answer twice"),
        ("yes_or_no.no", None, "lacks a field: no"),
        ("which_of_two.wordings", ["{first} only?"], r"lacks \{second\}"),
        ("which_of_two.candidate", "{cue}", r"lacks \{x\}"),
        ("which_of_two.second", "A", "is an answer twice"),
        ("details", ["a hat"], r"lacks \{detail\}"),
        ("instruction", "Answer.", r"needs \{answers\}"),
        ("name", "My desk", "such as 'my-desk'"),
    ],
)  # fmt: skip
def test_a_bad_case_names_the_field_and_the_remedy(path: str, value: Any, message: str) -> None:
    with pytest.raises(CaseError, match=message) as raised:
        Case.from_dict(_changed(path, value), "my.toml")
    assert str(raised.value).startswith("my.toml: field ")


def test_a_case_without_a_form_is_refused() -> None:
    content = _changed("yes_or_no", None)
    del content["which_of_two"]
    with pytest.raises(CaseError, match="Describe yes_or_no or which_of_two"):
        Case.from_dict(content)


_PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)


@given(value=st.recursive(_PLAIN, _nested, max_leaves=6), field=st.sampled_from(sorted(CONTENT)))
def test_whatever_a_field_holds_there_is_a_case_or_an_error_that_names_it(
    value: Any, field: str
) -> None:
    try:
        Case.from_dict({**deepcopy(CONTENT), field: value})
    except CaseError as raised:
        error = str(raised)
    else:
        error = field
    assert field in error


# Files


def _write(path: Path, old: str = "", new: str = "") -> Path:
    text = Path(cases.__file__).with_name("catalogue").joinpath("loan.toml").read_text("utf-8")
    path.write_text(text.replace(old, new) if old else text, encoding="utf-8")
    return path


def test_a_file_of_ones_own_is_the_same_as_the_predefined_one(tmp_path: Path) -> None:
    assert cases.get(_write(tmp_path / "mine.toml")) == cases.get("loan")


def test_the_example_of_the_docs_is_a_case(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "guide" / "cases.md").read_text(encoding="utf-8")
    (tmp_path / "desk.toml").write_text(page.split("```toml\n")[1].split("```")[0], "utf-8")
    case = cases.get(tmp_path / "desk.toml")
    assert case.forms == ("yes or no", "which of two")
    for name in NAMES:
        assert f"| `{name}` |" in page


def test_bad_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    path = _write(tmp_path / "mine.toml", 'title = "Loan', "title = Loan")
    with pytest.raises(CaseError, match=r"mine\.toml: is not valid TOML: .*line 2"):
        cases.get(path)


def test_a_file_that_is_missing_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match=r"none\.toml: cannot be read"):
        cases.get(tmp_path / "none.toml")
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CaseError, match="UTF-8"):
        cases.get(tmp_path / "mine.toml")


def test_an_unknown_name_offers_the_nearest() -> None:
    with pytest.raises(CaseError, match="Did you mean 'loan'"):
        cases.get("laon")


def test_a_case_in_the_folder_of_ones_own_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))
    (tmp_path / "cases").mkdir()
    _write(tmp_path / "cases" / "mine.toml", 'name = "loan"', 'name = "mine"')
    assert cases.names()[-1] == "mine"
    assert cases.get("mine").name == "mine"
