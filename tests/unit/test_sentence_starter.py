"""Sentences for a spec: those that ship, templates for others, and those that a person keeps."""

from __future__ import annotations

from collections import Counter

import pytest

import biaslab as bl
from biaslab.probes.sentences.checks import check
from biaslab.probes.sentences.pairing import vocabulary
from biaslab.probes.sentences.pairs import Located, TestSentence
from biaslab.probes.sentences.sources import (
    default_pairs,
    find_starter,
    keep_sentences,
    kept_sentences,
    saved_sentences,
)
from biaslab.probes.sentences.templates import template_sentences
from biaslab.probes.sentences.terms import kind_of
from biaslab.specs import Spec
from biaslab.store import Store


@pytest.mark.parametrize("name", ["biastest-math-arts", "biastest-names-3", "biastest-disease"])
def test_starter_sentences_serve_the_other_pairing_too(name: str) -> None:
    pairs = default_pairs(bl.specs.get(name), pairing="attribute")
    assert not [r for r in pairs.rejected if r.text]
    assert {pair.pairing for pair in pairs} == {"attribute"}
    assert {pair.remark for pair in pairs} == {""}


def test_attributes_of_no_group_are_listed() -> None:
    pairs = default_pairs(bl.specs.get("biastest-professions"))
    assert {r.code for r in pairs.rejected} == {"no-stereotype"}
    assert len(pairs.rejected) == 20
    assert pairs.source == "starter"


def test_starter_sentences_are_found_by_group_term_and_attribute() -> None:
    found = find_starter(["Man", "woman"], ["algebra"])
    assert found
    assert {s.attribute for s in found} == {"algebra"}
    assert {s.term for s in found} <= {"man", "woman"}
    assert find_starter(["martian"], ["algebra"]) == ()


OWN = Spec(
    name="own",
    title="Own",
    source="test",
    groups={"immigrants": ["immigrant", "refugee"], "locals": ["local", "citizen", "native"]},
    attributes={"bad": ["lazy", "crime", "glazier", "zzyx", "dig holes"], "good": ["diligent"]},
    attribute_groups={"bad": ["immigrants"], "good": ["locals"]},
)


def test_templates_serve_any_spec() -> None:
    pairs = default_pairs(OWN, per_attribute=5)
    assert pairs.source == "templates"
    assert Counter(p.attribute for p in pairs) == dict.fromkeys(
        ["lazy", "crime", "glazier", "zzyx", "dig holes", "diligent"], 5
    )
    assert pairs.rejected == ()
    assert {kind_of(a) for a in ("glazier", "zzyx", "dig holes")} == {"occupation", "any"}


def test_a_template_with_a_word_of_the_lists_is_not_used() -> None:
    spec = Spec(
        name="own",
        title="Own",
        source="test",
        groups={"a": ["teacher"], "b": ["doctor"]},
        attributes={"x": ["math"]},
        attribute_groups={"x": ["a"]},
    )
    words = vocabulary(spec)
    sentences = template_sentences(spec)
    assert sentences
    assert all(isinstance(check(s, words), Located) for s in sentences)
    assert not any("teacher praised" in s.text for s in sentences)


def test_kept_sentences_are_found_again_by_another_spec(tmp_path: object) -> None:
    store = Store(str(tmp_path))
    assert kept_sentences(["man"], ["math"], store=store) == ()
    mine = TestSentence("The man sat in the math room.", "man", "math", "me")
    other = TestSentence("My aunt paints.", "aunt", "paints", "me")
    assert keep_sentences([mine, other, mine], store=store) == 2
    assert keep_sentences([mine], store=store) == 0
    found = saved_sentences(bl.specs.get("biastest-math-arts"), store=store)
    assert found[0] == mine
    assert other not in found
    assert len(found) > 100
    assert kept_sentences(["MAN"], ["Math"], store=Store(str(tmp_path))) == (mine,)


def test_a_sentence_that_could_not_be_found_again_is_refused(tmp_path: object) -> None:
    store = Store(str(tmp_path))
    with pytest.raises(ValueError, match="has no group term"):
        keep_sentences([TestSentence("The man sings.")], store=store)
