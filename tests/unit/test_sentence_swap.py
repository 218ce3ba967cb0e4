"""A sentence's other version: pronouns by case, articles, number, capitals; and back again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab.errors import SentenceError
from biaslab.probes.sentences.swap import swap, swap_word
from biaslab.probes.sentences.terms import Group, Kind, Term, counterpart, find, term_pairs
from biaslab.probes.sentences.words import Case, plural, reading
from biaslab.records.wording import article

MALE = Group.of("male terms", ["he", "him", "his", "man", "boy", "brother", "son", "male", "uncle"])
FEMALE = Group.of(
    "female terms", ["she", "her", "hers", "woman", "girl", "sister", "daughter", "female", "aunt"]
)


def swapped(text: str, term: str, other: str, place: int = 0) -> str:
    one, two = Term.of(term), Term.of(other)
    span = find(text, one.forms)[place].span
    return swap(text, span, one, two).text


@pytest.mark.parametrize(
    ("text", "term", "other", "expected"),
    [
        ("He cut himself.", "he", "she", "She cut herself."),
        ("The man lost his keys.", "man", "woman", "The woman lost her keys."),
        ("Her art is loved.", "her", "him", "His art is loved."),
        ("They thanked her.", "her", "his", "They thanked him."),
        ("They gave her a book.", "her", "him", "They gave him a book."),
        ("The garden is hers.", "hers", "his", "The garden is his."),
        ("The garden was his.", "his", "her", "The garden was hers."),
        ("His own garden grew.", "his", "hers", "Her own garden grew."),
        ("They made her happy.", "her", "him", "They made him happy."),
        ("A boy sang.", "boy", "aunt", "An aunt sang."),
        ("An uncle sang.", "uncle", "woman", "A woman sang."),
        ("The men and their dogs.", "man", "woman", "The women and their dogs."),
        ("The boy's hat fell.", "boy", "girl", "The girl's hat fell."),
        ("THE BOY WON.", "boy", "girl", "THE GIRL WON."),
        ("My brother said she left.", "brother", "sister", "My sister said she left."),
        ("Women vote.", "woman", "man", "Men vote."),
        ("“He left,” they said.", "he", "she", "“She left,” they said."),
        ("A Black patient waits.", "Black patient", "White patient", "A White patient waits."),
        ("The ant slept.", "ant", "rose", "The rose slept."),
        ("An ant slept.", "ant", "rose", "A rose slept."),
        ("Two lilies fell.", "lily", "fly", "Two flies fell."),
    ],
)
def test_grammar_follows_the_term(text: str, term: str, other: str, expected: str) -> None:
    assert swapped(text, term, other) == expected


def test_what_was_swapped_is_located_in_both_versions() -> None:
    text = "An uncle taught himself algebra in his room."
    result = swap(text, (3, 8), Term.of("uncle"), Term.of("woman"))
    assert result.text == "A woman taught herself algebra in her room."
    assert [text[slice(*s)] for s in result.references[0]] == ["himself", "his"]
    assert [result.text[slice(*s)] for s in result.references[1]] == ["herself", "her"]
    assert result.text[slice(*result.terms[1])] == "woman"
    assert result.remark == ""


def test_a_case_that_cannot_be_told_is_remarked() -> None:
    result = swap("We saw her dance.", (7, 10), Term.of("her"), Term.of("him"))
    assert result.text == "We saw him dance."
    assert "check" in result.remark


def test_a_pronoun_of_nobody_known_is_left_and_remarked() -> None:
    zed, yara = Term("Zed", Kind.NAME), Term("Yara", Kind.NAME)
    result = swap("Zed lost his keys.", (0, 3), zed, yara)
    assert result.text == "Yara lost his keys."
    assert "his" in result.remark


def test_a_noun_for_a_pronoun_keeps_the_sentence_whole() -> None:
    assert swapped("His dog slept.", "his", "girl") == "The girl's dog slept."
    assert swapped("The girl's dog slept.", "girl", "he") == "His dog slept."
    assert swapped("We saw him.", "him", "aunt") == "We saw my aunt."


def test_a_term_that_is_not_there_is_refused() -> None:
    with pytest.raises(SentenceError, match="not a form of 'man'"):
        swap("The cat slept.", (4, 7), Term.of("man"), Term.of("woman"))


def test_an_attribute_takes_its_article_along() -> None:
    text = "She became an engineer."
    assert swap_word(text, (14, 22), "nurse").text == "She became a nurse."


NOUNS = st.sampled_from(
    [
        ("man", "woman"),
        ("boy", "girl"),
        ("brother", "sister"),
        ("uncle", "aunt"),
        ("male", "female"),
    ]
)
FRAMES = st.sampled_from(
    [
        "{A} {T} taught {himself} algebra.",
        "We met {a} {T} and {his} dog.",
        "When we saw {the} {T}, {he} waved.",
        "It was {the} {T}'s idea, and the money was {his_alone}.",
        "“{The} {T} left,” they said to {him}.",
        "Is {the} {T} here? We need {him} today.",
        "{The} {Ts} sang in the hall.",
        "THE {TT} WON.",
    ]
)
MALE_FORMS = {"himself": "himself", "his": "his", "he": "he", "him": "him", "his_alone": "his"}
FEMALE_FORMS = {"himself": "herself", "his": "her", "he": "she", "him": "her", "his_alone": "hers"}


@given(pair=NOUNS, frame=FRAMES, turned=st.booleans())
def test_swapping_back_gives_the_sentence_again(
    pair: tuple[str, str], frame: str, turned: bool
) -> None:
    term, other = (pair[1], pair[0]) if turned else pair
    forms = FEMALE_FORMS if turned else MALE_FORMS
    a = article(term)
    text = frame.format(
        T=term, Ts=plural(term), TT=term.upper(), A=a.capitalize(), a=a, the="the", The="The",
        **forms,
    )  # fmt: skip
    one, two = Term.of(term), Term.of(other)
    there = swap(text, find(text, one.forms)[0].span, one, two)
    assert there.text != text
    back = swap(there.text, there.terms[1], two, one)
    assert back.text == text
    assert back.references == there.references[::-1]


PRONOUN_FRAMES = st.sampled_from(
    [
        ("{} left early.", "he", "she"),
        ("We thanked {}.", "him", "her"),
        ("They gave {} a hat.", "him", "her"),
        ("We spoke with {} about math.", "him", "her"),
        ("{} math book fell.", "his", "her"),
        ("We like {} own songs.", "his", "her"),
        ("The choice was {}.", "his", "hers"),
        ("{} is the best one.", "his", "hers"),
        ("We saw {} yesterday.", "him", "her"),
        ("The dog bit {}, and we ran.", "him", "her"),
    ]
)


@given(frame=PRONOUN_FRAMES, turned=st.booleans())
def test_a_pronoun_in_either_case_goes_there_and_back(
    frame: tuple[str, str, str], turned: bool
) -> None:
    text, male, female = frame
    one, two = (female, male) if turned else (male, female)
    start = text.index("{}")
    before, after = (text.format(word.capitalize() if start == 0 else word) for word in (one, two))
    there = swap(before, (start, start + len(one)), Term.of(one), Term.of(two))
    assert there.text == after
    assert swap(after, there.terms[1], Term.of(two), Term.of(one)).text == before


@given(st.text(max_size=30), st.text(max_size=30))
def test_nothing_but_the_term_changes_where_nothing_agrees(left: str, right: str) -> None:
    text = f"{left} the rose {right}"
    places = [f.span for f in find(text, ["rose"])]
    span = next(s for s in places if s[0] >= len(left) + 5)
    result = swap(text, span, Term.of("rose"), Term.of("fly"))
    assert result.text[: span[0]] == text[: span[0]]
    assert result.text[result.terms[1][1] :] == text[span[1] :]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("hour", "an"), ("house", "a"), ("uniform", "a"), ("uncle", "an"), ("European", "a"),
        ("FBI", "an"), ("NASA", "a"), ("unintelligent", "an"), ("one-time", "a"), ("heir", "an"),
        ("ugly", "an"), ("uneducated", "an"), ("unicorn", "a"), ("X-ray", "an"), ("honest", "an"),
    ],
)  # fmt: skip
def test_a_or_an_goes_by_the_sound(word: str, expected: str) -> None:
    assert article(word) == expected


@pytest.mark.parametrize(
    ("text", "case"),
    [
        ("her book", Case.DETERMINER),
        ("trusted her completely.", Case.OBJECT),
        ("with her family", Case.DETERMINER),
        ("told her that", Case.OBJECT),
        ("her, and", Case.OBJECT),
    ],
)
def test_the_case_of_her(text: str, case: Case) -> None:
    start = text.index("her")
    assert reading(text, start, start + 3).case is case


def test_every_term_has_a_counterpart_and_none_is_dropped() -> None:
    assert counterpart(MALE.term("his"), MALE, FEMALE).text in {"her", "hers"}
    assert counterpart(MALE.term("uncle"), MALE, FEMALE).text == "aunt"
    few = Group.of("few", ["rose", "lily"])
    many = Group.of("many", ["ant", "bee", "fly", "moth", "wasp"])
    pairs = term_pairs(few, many)
    assert {t.text for t, _ in pairs} == {"rose", "lily"}
    assert {t.text for _, t in pairs} == {"ant", "bee", "fly", "moth", "wasp"}


def test_a_name_is_swapped_for_one_of_the_same_gender() -> None:
    one = Group.of("names", ["Adam", "Emily", "Greg"])
    two = Group.of("other names", ["Aisha", "Jamal", "Leroy"])
    assert {(a.text, b.text) for a, b in term_pairs(one, two)} == {
        ("Adam", "Jamal"), ("Greg", "Leroy"), ("Emily", "Aisha"),
    }  # fmt: skip
