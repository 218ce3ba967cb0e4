"""Lists of the association probes: of a spec, given outright, and what a subject knows of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import QueryError, SpecError
from biaslab.probes.association import AssociationLists, cosines


def test_a_specs_lists_and_parts_of_them() -> None:
    lists = AssociationLists.of("manzini-religion")
    assert list(lists.groups) == ["Judaism", "Christianity", "Islam"]
    assert list(lists.controls) == ["human", "neutral"]
    two = AssociationLists.of("manzini-religion", groups=["Islam", "Judaism"])
    assert list(two.groups) == ["Islam", "Judaism"]
    assert list(two.attributes) == ["stereotypes about Jews", "stereotypes about Muslims"]
    one = AssociationLists.of("manzini-religion", groups=["Judaism"])
    assert len(one.attributes) == 3
    assert one.connection("Judaism", "stereotypes about Muslims") == "different"
    without = AssociationLists.of("manzini-religion", controls={})
    assert without.controls == {}
    assert without.content_hash != lists.content_hash
    assert AssociationLists.of(lists).content_hash == lists.content_hash


def test_what_is_given_takes_the_specs_place() -> None:
    lists = AssociationLists.of("weat-6", targets={"a": ["one"], "b": ["two"]})
    assert lists.words == ("one", "two")
    assert list(lists.attributes) == ["career", "family"]
    lists = AssociationLists.of("weat-6", attributes=["family"])
    assert list(lists.attributes) == ["family"]
    assert list(lists.attribute_groups) == ["family"]


def test_connections() -> None:
    lists = AssociationLists.of(
        targets={"one": ["a"], "two": ["b"]},
        attributes={"of one": ["c"], "of nobody": ["d"]},
        attribute_groups={"of one": ["one"]},
    )
    assert lists.connection("one", "of one") == "associated"
    assert lists.connection("two", "of one") == "different"
    assert lists.connection("one", "of nobody") == "none"


def test_names_that_are_not_there_are_told() -> None:
    with pytest.raises(SpecError, match="no group 'cats'"):
        AssociationLists.of("weat-6", groups=["cats", "dogs"])
    with pytest.raises(SpecError, match=r"no attribute list 'cats'\. It has: 'career', 'family'"):
        AssociationLists.of("weat-6", attributes=["cats"])
    with pytest.raises(SpecError, match="named twice"):
        AssociationLists.of("weat-6", groups=["male names", "male names"])
    with pytest.raises(TypeError, match="attributes is a single string: pass a list"):
        AssociationLists.of("weat-6", attributes="career")
    with pytest.raises(QueryError, match="There is no attribute list"):
        AssociationLists.of("places-of-worship")


def test_overlaps_and_unknown_words() -> None:
    subject = bl.WordEmbedding(["a", "b", "c"], np.eye(3, dtype=np.float32), name="made")
    lists = AssociationLists.of(
        targets={"one": ["a", "z", "A"], "two": ["b"]}, attributes={"of": ["c", "a"]}
    )
    assert lists.overlaps == ("groups.one and attributes.of share: a.",)
    known = lists.known_to(subject)
    assert known.groups == {"one": ("a",), "two": ("b",)}
    assert [(d.term, d.role, d.reason) for d in known.dropped] == [
        ("z", "groups.one", "not in the vocabulary"),
        ("A", "groups.one", "is the same word as one already listed"),
    ]
    found = cosines(subject, known.words, known.attribute_words)
    assert found.tolist() == [[[0, 1], [0, 0]]]
    with pytest.raises(QueryError, match="use 1 to 1, or None for all"):
        cosines(subject, known.words, known.attribute_words, 0)


@pytest.mark.parametrize(
    "probe",
    [bl.weat, bl.mac, bl.association.distances, bl.association.overview, bl.association.ect],
)
def test_lists_of_the_same_words_are_refused_by_name(probe: Any) -> None:
    subject = bl.load("wiki-bootstraps")
    same = {"women": ["she", "her"], "ladies": ["Her", "she", "she"]}
    other = {"work": ["office", "salary"], "home": ["family", "kitchen"]}
    with pytest.raises(QueryError, match="The groups 'women' and 'ladies' hold the same words, so"):
        probe(subject, targets=same, attributes=other)
    lists = {"work": ["office"], "jobs": ["office"]}
    with pytest.raises(QueryError, match="The attribute lists 'work' and 'jobs' hold the same"):
        probe(subject, targets={"a": ["she"], "b": ["he"]}, attributes=lists)


def test_lists_that_are_the_same_in_a_vocabulary_are_refused() -> None:
    subject = bl.WordEmbedding(["a", "b", "c"], np.eye(3, dtype=np.float32), name="made")
    lists = AssociationLists.of(
        targets={"one": ["a", "zz"], "two": ["a", "yy"]}, attributes={"of": ["c"]}
    )
    with pytest.raises(QueryError, match="'one' and 'two' hold the same words that 'made' knows"):
        lists.known_to(subject)
