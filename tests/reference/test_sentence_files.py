"""Files of pairs that were not made here load, and what is odd in them is told."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from biaslab.probes.sentences.exchange import read_pairs


def test_all_crows_pairs_load(shared_data: Path) -> None:
    pairs = read_pairs(shared_data / "sentences" / "crows-pairs.csv")
    assert len(pairs) + len(pairs.rejected) == 1_508
    assert pairs.rejected == ()
    # Nangia et al. 2020, table 1: pairs by type of bias
    assert Counter(p.bias_type for p in pairs) == {
        "race-color": 516, "gender": 262, "socioeconomic": 172, "nationality": 159,
        "religion": 105, "age": 87, "sexual-orientation": 84, "physical-appearance": 63,
        "disability": 60,
    }  # fmt: skip
    assert sum(p.groups == ("disadvantaged", "other") for p in pairs) == 1_290
    for pair in pairs:
        assert pair.stereotyped != pair.against
        for text, span in zip(pair.versions, pair.terms, strict=True):
            assert span is None or text[slice(*span)].strip()


def test_biastestgpt_pairs_load(shared_data: Path) -> None:
    pairs = read_pairs(shared_data / "sentences" / "biastestgpt-pairs-sample.csv")
    assert len(pairs) == 802
    assert pairs.rejected == ()
    located = [pair for pair in pairs if None not in pair.terms]
    assert len(located) == 792  # ten have another form of the term: "tearfulness", "virus-like"
    for pair in pairs:
        assert None not in pair.terms or "not found" in pair.remark
    changed = sum("It differs in more than the term" in pair.remark for pair in pairs)
    assert 0 < changed < 200
