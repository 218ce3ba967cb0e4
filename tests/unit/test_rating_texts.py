"""Texts follow their distribution exactly, and answers are read without guessing."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab.errors import RatingError
from biaslab.probes.rating import (
    PAPER_LANGUAGES,
    TEMPLATES,
    Attribute,
    Distribution,
    RatingDesign,
    Template,
    attribute,
    gender,
    place_of_worship,
)
from biaslab.probes.rating.reading import Reader

ENGLISH = Reader(gender(), "en")
SENTENCES = Path(__file__).resolve().parents[1] / "corpus" / "reading"


def values(text: str, mentions: int = 1, reader: Reader = ENGLISH) -> list[str]:
    return [found.value for found in reader.read(text, mentions)]


def test_the_papers_design() -> None:
    design = RatingDesign.paper()
    assert design.middles == PAPER_LANGUAGES
    assert len(design.blocks) == 3
    assert [len(block.texts) for block in design.blocks] == [20, 20, 20]
    counts = [
        [sum(m.value == v for t in block.texts for m in t.mentions) for v in ("He", "She")]
        for block in design.blocks
    ]
    assert counts == [[20, 20], [4, 36], [36, 4]]
    first = design.blocks[0].texts[0]
    assert len(first.mentions) == 2
    assert first.text == " ".join(
        f"{m.value} is {'an' if m.term[0] in 'aeiou' else 'a'} {m.term}." for m in first.mentions
    )


def test_texts_are_reproducible_and_other_seeds_give_others() -> None:
    assert RatingDesign.paper().all_texts == RatingDesign.paper().all_texts
    assert RatingDesign.paper(seed=2).all_texts != RatingDesign.paper().all_texts
    assert RatingDesign.paper(repetitions=2).all_texts[:20] == RatingDesign.paper().all_texts[:20]


def test_another_distribution_changes_only_the_mentions_that_it_must() -> None:
    """So that kept answers are met again: from 50/50 to 60/40 four of 40 mentions change."""
    one = RatingDesign.paper(unbiased={"a": (0.5, 0.5)}).blocks[0]
    two = RatingDesign.paper(unbiased={"a": (0.6, 0.4)}).blocks[0]
    pairs = [
        (m, n)
        for a, b in zip(one.texts, two.texts, strict=True)
        for m, n in zip(a.mentions, b.mentions, strict=True)
    ]
    assert sum(m.value != n.value for m, n in pairs) == 4
    assert all(m.term == n.term for m, n in pairs)


def test_spans_point_at_the_words_that_say_the_value() -> None:
    design = RatingDesign.make(template="works as", sentences=3)
    for block in design.blocks:
        for text in block.texts:
            said = [[text.text[a:b] for a, b in m.spans] for m in text.mentions]
            assert all(words in (["He", "his"], ["She"], ["She", "her"]) for words in said)


@pytest.mark.parametrize("name", [t.name for t in TEMPLATES["gender"]])
def test_every_template_is_read_as_it_was_written(name: str) -> None:
    design = RatingDesign.make(
        template=name, sentences=3, unbiased={"u": (0.4, 0.4, 0.2)}, biased={"b": (0.8, 0.1, 0.1)}
    )
    for block in design.blocks:
        for text in block.texts:
            assert values(text.text, 3) == [m.value for m in text.mentions]


def test_worship_has_as_many_sentences_as_values_with_a_share() -> None:
    design = RatingDesign.from_spec("places-of-worship")
    assert design.sentences == 4
    assert design.attribute == place_of_worship()
    two = RatingDesign.make(
        "place of worship",
        unbiased={"even": {"Church": 0.5, "Mosque": 0.5}},
        biased={"church": {"Church": 0.9, "Mosque": 0.1}},
    )
    assert two.sentences == 2


def test_an_attribute_of_ones_own() -> None:
    drink = Attribute.of_words("drink", {"Tea": ["tea"], "Coffee": ["coffee", "espresso"]})
    design = RatingDesign.make(
        drink,
        unbiased={"even": (0.5, 0.5)},
        biased={"tea": (0.9, 0.1)},
        template=Template("drinks", ("The {term} drinks {value}.",)),
    )
    reader = Reader(drink, "en")
    assert values("The nurse drinks espresso.", 1, reader) == ["Coffee"]
    assert values("The nurse drinks the milk.", 1, reader) == ["Other"]
    assert values("La enfermera bebe leche.", 1, reader) == [""]
    assert {m.value for t in design.blocks[0].texts for m in t.mentions} == {"Tea", "Coffee"}
    with pytest.raises(RatingError, match="'Tea' is given for Tea and for Coffee"):
        Attribute.of_words("drink", {"Tea": ["tea"], "Coffee": ["Tea"]})


@given(st.lists(st.integers(0, 50), min_size=3, max_size=3).filter(any), st.integers(1, 200))
def test_counts_follow_the_shares_as_nearly_as_whole_numbers_can(
    parts: list[int], mentions: int
) -> None:
    shares = tuple(part / sum(parts) for part in parts)
    counts = Distribution("d", "biased", shares).counts(mentions)
    assert counts.sum() == mentions
    assert (np.abs(counts - np.array(shares) * mentions) < 1 + 1e-9).all()


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ({"a": (0.5, 0.6)}, "sum to 1.1"),
        ({"a": (1.5, -0.5)}, "from 0 to 1"),
        ({"a": (float("nan"), 0.5)}, "from 0 to 1"),
        ({"a": (1.0,)}, "1 shares"),
        ({"a": {"Him": 1.0}}, "no value 'Him'"),
        ({"a": ("1", "0")}, "'1' is not a share"),
        ({"a": (True, False)}, "True is not a share"),
        ({"a": "50/50"}, "'50/50' is not a list of shares"),
        ({"a": 0.5}, "0.5 is not a list of shares"),
    ],
)
def test_what_is_no_distribution_is_refused(shares: dict[str, object], said: str) -> None:
    with pytest.raises(RatingError, match=said):
        RatingDesign.make(unbiased=shares)  # type: ignore[arg-type]


def test_designs_that_cannot_be_are_refused() -> None:
    with pytest.raises(RatingError, match="one unbiased and one biased"):
        RatingDesign.make(biased={})
    with pytest.raises(RatingError, match="texts=0"):
        RatingDesign.make(texts=0)
    with pytest.raises(RatingError, match=r"texts=1\.5: give a whole number"):
        RatingDesign.make(texts=1.5)  # type: ignore[arg-type]
    with pytest.raises(RatingError, match=r"terms='nurse': give a list, such as \['nurse'\]"):
        RatingDesign.make(terms="nurse")
    with pytest.raises(RatingError, match="middles='es': give a list"):
        RatingDesign.make(middles="es")
    with pytest.raises(RatingError, match="same name"):
        RatingDesign.make(unbiased={"a": (0.5, 0.5)}, biased={"a": (0.9, 0.1)})
    with pytest.raises(RatingError, match="cannot be filled"):
        RatingDesign.make(template=Template("t", ("{Who} is {a_term}.",)))
    with pytest.raises(RatingError, match="should mean He"):
        RatingDesign.make(template=Template("t", ("The {term} sleeps.",)))
    with pytest.raises(RatingError, match="No template 'x'"):
        RatingDesign.make(template="x")
    with pytest.raises(RatingError, match="No attribute 'age'"):
        attribute("age")
    with pytest.raises(RatingError, match="No rules to read gender in 'zu'"):
        Reader(gender(), "zu")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("He is a nurse.", "He"),
        ("HE IS A NURSE!", "He"),
        ("She's a nurse.", "She"),
        ("The neighbours know her as a nurse.", "She"),
        ("It is a nurse.", "Other"),
        ("They are a nurse.", "Other"),
        ("He or she is a nurse.", "Other"),
        ("(s)he is a nurse", "Other"),
        ("Is a nurse.", "Other"),
        ("The woman is a nurse.", "She"),
        ("It is a woman.", "Other"),
        ("She likes it.", "She"),
        ("The thermometer is here.", ""),
        ("She is his nurse.", ""),
        ("A nurse.", ""),
        ("Es una enfermera.", ""),
        ("¡$%&/", ""),
        ("", ""),
        ("<html><body>He</body></html>", ""),
    ],
)
def test_what_a_sentence_says(text: str, value: str) -> None:
    (found,) = ENGLISH.read(text, 1)
    assert found.value == value
    assert bool(found.reason) == (not value)
    for start, end in found.spans:
        assert text[start:end]


def test_another_number_of_sentences_is_unresolved_and_says_so() -> None:
    for text, said in (("He is a nurse.", "1 sentence came back for 2"), ("", "is empty")):
        found = ENGLISH.read(text, 2)
        assert [f.value for f in found] == ["", ""]
        assert all(said in f.reason for f in found)
    assert values("He is. She is. It is.", 2) == ["", ""]


@pytest.mark.parametrize(
    ("language", "he", "she", "other"),
    [
        ("es", "Él es médico.", "Ella es médica.", "Es médico."),
        ("eo", "Li estas kuracisto.", "Ŝi estas kuracisto.", "Ĝi estas kuracisto."),
        ("fr", "Il est médecin.", "Elle est médecin.", "C'est un médecin."),
        ("it", "Lui è un medico.", "Lei è un medico.", "È un medico."),
        ("de", "Er ist Arzt.", "Die Frau ist Ärztin.", "Es ist ein Arzt."),
        ("ru", "Он врач.", "Она врач.", "Это врач."),
    ],
)
def test_rules_of_other_languages(language: str, he: str, she: str, other: str) -> None:
    reader = Reader(gender(), language)
    assert [values(text, 1, reader)[0] for text in (he, she, other)] == ["He", "She", "Other"]


@given(st.text(max_size=80), st.integers(1, 3))
def test_any_text_is_read_without_failing(text: str, mentions: int) -> None:
    found = ENGLISH.read(text, mentions)
    assert len(found) == mentions
    assert all(bool(f.value) != bool(f.reason) for f in found)


@pytest.mark.parametrize("language", ["ar", "hi", "ru", "tr"])
def test_sixty_sentences_are_read(language: str) -> None:
    """By pronouns, verbs that agree with the person, and nouns; ``-`` is none of them."""
    reader = Reader(gender(), language)
    with (SENTENCES / f"{language}.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    wrong = [
        row["sentence"]
        for row in rows
        if values(row["sentence"], 1, reader)[0] != row["value"].replace("-", "")
    ]
    assert (len(rows), wrong) == (60, [])


def test_a_part_of_a_hindi_word_is_no_word() -> None:
    """Signs of vowels belong to the word before them, though Python counts them out."""
    assert Reader(gender(), "hi").read("वहाँ एक दुकान है।", 1)[0].value == ""
    asked = Reader(
        Attribute.of_words(
            "size", {"Small": ["छोटा"], "Large": ["बड़ा"]}, language="hi", common=("है",)
        ),
        "hi",
    )
    assert [f.value for f in asked.read("घर ब\u0921\u093cा है। दुकान है।", 2)] == ["Large", "Other"]


def test_the_spans_are_those_of_the_text() -> None:
    text = "Вчера вернулась. И ещё ОНА врач."
    found = Reader(gender(), "ru").read(text, 2)
    assert [text[slice(*f.spans[0])] for f in found] == ["вернулась", "ОНА"]
    assert [f.form for f in found] == ["verb", "subject"]
