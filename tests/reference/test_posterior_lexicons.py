"""The opinion lexicon of Liang and Acuna (2020), section 5.2, as it is distributed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import biaslab as bl

LEXICONS = Path(__file__).resolve().parents[3] / "shared" / "data" / "lexicons"
pytestmark = pytest.mark.skipif(
    not LEXICONS.is_dir(), reason="the lexicons are not beside the repository"
)


def test_the_lexicon_has_the_papers_number_of_words() -> None:
    found = bl.posterior.Lexicon.read(LEXICONS)
    # The paper counts 6,789: 2,006 + 4,783, three of which stand in both lists.
    assert {d.term for d in found.dropped} == {"envious", "enviously", "enviousness"}
    assert len(found) + 2 * len(found.dropped) == 6789
    assert (found.polarity > 0).sum() == 2006 - 3
    of = dict(zip(found.terms, found.polarity, strict=True))
    for word, sign in (("wonderful", 1), ("cherished", 1), ("mess", -1), ("na\u00efve", -1)):
        assert of[word] == sign


def test_the_names_of_the_corpus_are_those_of_the_spec() -> None:
    rows = [line.split(",") for line in (LEXICONS / "eec-persons.csv").read_text().splitlines()[1:]]
    spec = bl.specs.get("eec-persons")
    for gender in ("female", "male"):
        assert set(spec.groups[gender]) == {row[0] for row in rows if row[1] == gender}


def test_both_lexicons_agree_on_the_words_they_share() -> None:
    pytest.importorskip("vaderSentiment")
    one, two = bl.posterior.Lexicon.read(LEXICONS), bl.posterior.Lexicon.vader()
    mine = dict(zip(one.terms, one.polarity, strict=True))
    shared = [(mine[t], v) for t, v in zip(two.terms, two.polarity, strict=True) if t in mine]
    agree = np.mean([np.sign(a) == np.sign(b) for a, b in shared])
    assert len(shared) > 2000
    assert agree > 0.97
