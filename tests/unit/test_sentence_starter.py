"""The sentences that ship: all of them pass the checks, and read as they should."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest

import biaslab as bl
from biaslab.probes.sentences.attribute_kinds import kind_of, shipped
from biaslab.probes.sentences.checks import check
from biaslab.probes.sentences.difference import extra_differences
from biaslab.probes.sentences.pairing import PairSet, make_pairs, vocabulary
from biaslab.probes.sentences.sentence import Located, TestSentence
from biaslab.probes.sentences.sources import default_pairs, saved_sentences
from biaslab.probes.sentences.starter import find_starter, starter_sentences, starter_specs
from biaslab.probes.sentences.stored_sentences import keep_sentences, kept_sentences
from biaslab.probes.sentences.templates import template_sentences
from biaslab.probes.sentences.words import article
from biaslab.specs import Spec
from biaslab.store import Store

SPECS = starter_specs()
sentences_of = cache(starter_sentences)


@cache
def pairs_of(name: str) -> PairSet:
    return make_pairs(sentences_of(name), bl.specs.get(name))


def test_all_predefined_specs_have_starter_sentences() -> None:
    assert len(SPECS) == 19


@pytest.mark.parametrize("name", SPECS)
def test_starter_sentences_pass_every_check(name: str) -> None:
    spec = bl.specs.get(name)
    words = vocabulary(spec)
    counts = Counter(sentence.attribute for sentence in sentences_of(name))
    wanted = {a for n in words.stereotype_of for a in words.attributes[n]}
    assert counts == dict.fromkeys(wanted, 12)
    pairs = pairs_of(name)
    assert pairs.rejected == ()
    for pair in pairs:
        assert pair.remark == "", pair
        assert extra_differences(*pair.versions, pair.terms) == (), pair


@pytest.mark.parametrize("name", SPECS)
def test_starter_sentences_are_well_formed_english(name: str) -> None:
    for pair in pairs_of(name):
        for text in pair.versions:
            assert re.match(r"[\"“A-Z].*[.!?]$", text), text
            assert not re.search(r"[{}]|  | [.,]|\b(\w+) \1\b", text), text
            for match in re.finditer(r"\b([Aa]n?) (\"?[\w'’-]+)", text):
                assert match.group(1).lower() == article(match.group(2)), text


@pytest.mark.parametrize("name", SPECS)
def test_every_term_of_both_groups_is_used(name: str) -> None:
    spec = bl.specs.get(name)
    used = {term for s in sentences_of(name) for term in (s.term, s.other)}
    for group in vocabulary(spec).groups:
        assert {term.text for term in group.terms} <= used


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


def test_every_template_has_its_slots() -> None:
    for family, slot in (("person", r"\{[SOPH]\}"), ("thing", r"\{T\}"), ("mention", r"\{T\}")):
        for templates in shipped(family).values():
            for template in templates:
                assert len(re.findall(slot, template)) == 1, template
                assert template.count("{A}") == 1, template
    for family in ("person", "thing"):
        for attribute, templates in shipped("attributes")["own"][family].items():
            for template in templates:
                assert len(re.findall(r"\{[SOPHT]\}", template)) == 1, template
                assert len(re.findall(rf"\b{attribute}\b", template)) == 1, template


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
