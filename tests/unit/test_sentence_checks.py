"""What is rejected, why, and what is only remarked."""

from __future__ import annotations

import pytest

import biaslab as bl
from biaslab.errors import SentenceError
from biaslab.probes.sentences.checks import CODES, check
from biaslab.probes.sentences.pairing import make_pairs, vocabulary
from biaslab.probes.sentences.pairs import (
    Located,
    PairSet,
    RejectedSentence,
    SentencePair,
    TestSentence,
)
from biaslab.probes.sentences.swap import compared, only_difference
from biaslab.specs import Spec

MATH = bl.specs.get("biastest-math-arts")
WORDS = vocabulary(MATH)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("Boys math", "too-short"),
        ("The man likes\nmath.", "line-break"),
        ("The man likes math. " * 500, "too-long"),
        ("The cat likes math.", "no-group-term"),
        ("The man likes gardens.", "no-attribute"),
        ("The man and my man like math.", "group-term-twice"),
        ("The man and the boy like math.", "two-group-terms"),
        ("The man and the woman like math.", "other-group-term"),
        ("The man told her about math.", "other-group-term"),
        ("The man told herself about math.", "other-group-term"),
        ("The man likes math and more math.", "attribute-twice"),
        ("The man likes math and algebra.", "two-attributes"),
        ("The postman likes math.", "no-group-term"),
        ("The man likes math-free days.", "no-attribute"),
    ],
)
def test_each_reason_has_its_code_and_says_what_to_do(text: str, code: str) -> None:
    found = check(text, WORDS)
    assert isinstance(found, RejectedSentence)
    assert found.code == code
    assert found.code in CODES
    assert found.text == text.strip()
    assert len(found.reason) > 20


def test_named_words_must_be_in_the_lists() -> None:
    for named, code in (
        (TestSentence("The man likes math.", attribute="cooking"), "unknown-attribute"),
        (TestSentence("The man likes math.", term="wizard"), "unknown-term"),
        (TestSentence("The man likes math.", term="boy"), "no-group-term"),
    ):
        found = check(named, WORDS)
        assert isinstance(found, RejectedSentence)
        assert found.code == code


@pytest.mark.parametrize(
    "text",
    [
        "The man 😀 likes math.",
        "The man wrote שלום in his math book.",
        "The <b>man</b> likes math.",
        "Das math der man ist gut.",
    ],
)
def test_emoji_other_scripts_and_markup_are_text(text: str) -> None:
    found = check(text, WORDS)
    assert isinstance(found, Located)
    assert found.text == text
    assert ("HTML" in found.remark) == ("<b>" in text)


def test_pronouns_that_agree_with_the_term_may_follow() -> None:
    found = check("The man taught himself math in his room.", WORDS)
    assert isinstance(found, Located)
    assert (found.term, found.attribute) == ("man", "math")


def test_an_attribute_of_the_other_list_is_remarked() -> None:
    sentence = TestSentence("The man likes math and poetry.", attribute="math")
    found = check(sentence, WORDS)
    assert isinstance(found, Located)
    assert "'poetry'" in found.remark


def test_the_longest_term_counts() -> None:
    words = vocabulary(bl.specs.get("biastest-health-behaviours"))
    found = check("The Black patient gave up heavy smoking.", words)
    assert isinstance(found, Located)
    assert (found.term, found.attribute) == ("Black patient", "heavy smoking")


@pytest.mark.parametrize("term", ["Black American", "American patient"])
def test_a_term_may_contain_one_of_the_other_group(term: str) -> None:
    groups = {"one": (term,), "two": ("American",)}
    spec = Spec(name="x", title="x", source="x", groups=groups,
                attributes={"a": ("tea",), "b": ("milk",)})  # fmt: skip
    found = check(f"The {term} likes tea.", vocabulary(spec))
    assert isinstance(found, Located)
    assert found.term == term


def test_names_are_found_by_their_capitals() -> None:
    words = vocabulary(bl.specs.get("biastest-career-family"))
    found = check("The bill for the office came late.", words)
    assert isinstance(found, RejectedSentence)
    assert found.code == "no-group-term"
    assert isinstance(check("Bill loves the office.", words), Located)


def test_a_duplicate_is_listed_even_from_the_other_side() -> None:
    pairs = make_pairs(
        ["The man likes math.", "The woman likes math.", "The  man likes math!"], MATH
    )
    assert len(pairs) == 1
    assert [r.code for r in pairs.rejected] == ["duplicate", "duplicate"]


def test_nothing_is_lost_between_pairs_and_rejected() -> None:
    texts = ["The man likes math.", "nonsense here now", "A girl won a dance prize.", ""]
    pairs = make_pairs(texts, MATH)
    assert len(pairs) + len(pairs.rejected) == len(texts)


def test_a_list_of_no_group_has_no_stereotyped_version() -> None:
    pairs = make_pairs(["The man is a judge."], bl.specs.get("biastest-professions"))
    assert [r.code for r in pairs.rejected] == ["no-stereotype"]


def test_which_version_is_stereotyped_follows_the_list_not_the_sentence() -> None:
    one, two = make_pairs(["The woman likes math.", "The boy likes dance."], MATH)
    assert one.stereotyped == "The man likes math."
    assert one.against == "The woman likes math."
    assert one.groups == ("male terms", "female terms")
    assert two.stereotyped == "The girl likes dance."
    assert two.groups == ("female terms", "male terms")


def test_attributes_can_be_swapped_instead() -> None:
    pairs = make_pairs(
        ["The man likes math.", "The girl likes algebra."], MATH, pairing="attribute"
    )
    assert pairs[0].stereotyped == "The man likes math."
    assert pairs[0].against == "The man likes poetry."
    assert pairs[1].stereotyped == "The girl likes art."
    assert pairs[1].attribute_list == "arts"
    assert pairs[0].term_texts() == ("math", "poetry")


def test_a_spec_without_attributes_is_refused() -> None:
    spec = Spec(name="x", title="x", source="x", groups={"a": ["man"], "b": ["woman"]})
    with pytest.raises(SentenceError, match="0 attribute lists"):
        make_pairs(["The man sings."], spec)
    with pytest.raises(SentenceError, match="pairing"):
        make_pairs([], MATH, pairing="both")


def test_a_version_that_changed_more_than_its_term_is_flagged() -> None:
    first, second = "The man lost his red hat.", "The woman lost her blue hat."
    references, remark = compared(first, second, ((4, 7), (4, 9)))
    assert [first[slice(*s)] for s in references[0]] == ["his"]
    assert "'red' and 'blue'" in remark
    assert compared("A man sang.", "An aunt sang.", ((2, 5), (3, 7)))[1] == ""
    # A mark that touches the term is not part of it.
    assert "'(' and '['" in compared("(Man) sang.", "[Aunt) sang.", ((1, 4), (1, 5)))[1]
    assert "')' and ']'" in compared("(Man) sang.", "(Aunt] sang.", ((1, 4), (1, 5)))[1]


def test_the_one_difference_is_found_or_none() -> None:
    assert only_difference("The poor man left.", "The rich man left.") == ((4, 8), (4, 8))
    assert only_difference("A man and a cat.", "A boy and a dog.") == (None, None)


def test_a_pair_is_whole() -> None:
    with pytest.raises(SentenceError, match="empty"):
        SentencePair("The man sings.", " ")
    with pytest.raises(SentenceError, match="not inside"):
        SentencePair("The man.", "The cat.", terms=((4, 99), (4, 7)))
    pair = SentencePair("The man sings.", "The woman sings.")
    with pytest.raises(SentenceError, match="Two pairs have the id"):
        PairSet((pair, pair))
    assert PairSet((pair,)).content_hash != PairSet(()).content_hash
    assert list(PairSet(()).to_frame().columns)[:2] == ["id", "attribute"]
