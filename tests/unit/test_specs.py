"""Specs: the catalogue loads, and a malformed spec names the file, the field and the fix."""

from __future__ import annotations

import pytest

import biaslab as bl
from biaslab.errors import SpecError
from biaslab.specs import Spec

GOOD = {"name": "x", "title": "X", "source": "someone", "cue_pairs": [["a", "b"]]}


def test_the_catalogue_lists_every_spec_with_its_source() -> None:
    table = bl.specs.catalog().set_index("name")
    assert table.loc["gender-pairs", "cue_pairs"] == 8
    assert table.loc["occupations", "items"] == 60
    assert table["source"].str.len().min() > 10


def test_gender_pairs_are_those_of_the_paper_with_the_female_cue_first() -> None:
    pairs = bl.specs.get("gender-pairs").cue_pairs
    assert pairs[0] == ("female", "male")
    assert ("daughter", "son") in pairs
    assert len(set(pairs)) == 8


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"name": ""}, "'name'"),
        ({"source": None}, "'source'"),
        ({"colour": "red"}, "'colour'"),
        ({"cue_pairs": [["a", "b", "c"]]}, "two cues"),
        ({"cue_pairs": [["a", " "]]}, "not empty"),
        ({"items": "nurse"}, "list of texts"),
        ({"groups": {"one": [1]}}, "groups.one"),
    ],
)
def test_a_malformed_spec_is_refused_with_the_field_named(
    change: dict[str, object], says: str
) -> None:
    with pytest.raises(SpecError, match=says) as caught:
        Spec.from_dict({**GOOD, **change}, "file.toml")
    assert "file.toml" in str(caught.value)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(SpecError, match="love-hate"):
        bl.specs.get("nothing")
