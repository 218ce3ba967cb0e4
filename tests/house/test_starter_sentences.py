"""The sentences that ship: all of them pass the checks, and read as they should."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest

import biaslab as bl
from biaslab.probes.sentences.pairing import PairSet, make_pairs, vocabulary
from biaslab.probes.sentences.sources import starter_sentences, starter_specs
from biaslab.probes.sentences.swap import extra_differences
from biaslab.probes.sentences.terms import shipped
from biaslab.records.wording import article

READS = ("biaslab",)

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
