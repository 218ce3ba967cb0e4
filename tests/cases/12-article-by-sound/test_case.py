from __future__ import annotations

import pytest

import biaslab as bl
from biaslab.probes.sentences.pairing import make_pairs
from biaslab.subjects.vision_language.questions import fill


@pytest.mark.parametrize(
    ("groups", "sentence", "right"),
    [
        (("80-year-old", "25-year-old"), "We hired a 25-year-old who was slow.", "an 80-year-old"),
        (("18-year-old", "85-year-old"), "We met an 85-year-old who was slow.", "an 18-year-old"),
        (("Ugandan", "Iranian"), "I met an Iranian who was slow.", "a Ugandan"),
    ],
)
def test_both_versions_are_grammatical(groups: tuple[str, str], sentence: str, right: str) -> None:
    spec = bl.specs.Spec(
        name="mine", title="t", source="s", groups={"one": [groups[0]], "two": [groups[1]]},
        attributes={"slow": ["slow"], "quick": ["quick"]},
        attribute_groups={"slow": ["one"], "quick": ["two"]},
    )  # fmt: skip
    [pair] = make_pairs([sentence], spec)
    assert right in f"{pair.stereotyped} {pair.against}"
    assert fill("a {concept} at work", right.partition(" ")[2]) == f"{right} at work"
