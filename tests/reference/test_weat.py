"""WEAT, MAC and other tools' measures against numbers that were not made here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.probes.association import PAPER_ROWS
from biaslab.subjects.embedding.base import EmbeddingSubject

pytestmark = pytest.mark.numeric

EXACT = pytest.approx
Lists = dict[str, list[str]]


@pytest.fixture(scope="module")
def googlenews(shared_data: Path) -> EmbeddingSubject:
    return bl.load(shared_data / "embeddings" / "googlenews-weat-347x300.txt")


@pytest.fixture(scope="module")
def sets(shared_data: Path) -> Lists:
    path = shared_data / "association" / "wefe-weat-sets.json"
    loaded: Lists = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def asked(sets: Lists, targets: list[str], attributes: list[str]) -> dict[str, Any]:
    return {
        "targets": {name: sets[name] for name in targets},
        "attributes": {name: sets[name] for name in attributes},
    }


def test_gender_terms_and_family(googlenews: EmbeddingSubject, sets: Lists) -> None:
    query = asked(sets, ["female_terms", "male_terms"], ["family", "career"])
    found = bl.weat(googlenews, **query)
    assert found.statistic_sum == EXACT(0.4634388, abs=1e-6)
    assert found.statistic == EXACT(0.0579299, abs=1e-6)
    assert found.effect_size == EXACT(0.4364516, abs=1e-6)
    assert bl.weat(googlenews, **query, ddof=0).effect_size == EXACT(0.4507653, abs=1e-6)
    assert found.exact
    assert (found.exceed, found.partitions) == found.test.fraction == (2537, 12870)


def test_names_and_career(googlenews: EmbeddingSubject, sets: Lists) -> None:
    query = asked(sets, ["male_names", "female_names"], ["career", "family"])
    found = bl.weat(googlenews, **query)
    assert found.effect_size == EXACT(1.889868, abs=1e-6)
    assert found.test.fraction == (1, 12870)


def test_math_and_arts(googlenews: EmbeddingSubject, sets: Lists) -> None:
    query = asked(sets, ["math", "arts"], ["male_terms", "female_terms"])
    found = bl.weat(googlenews, **query)
    assert found.effect_size == EXACT(0.966414, abs=1e-6)
    assert found.test.fraction == (292, 12870)


def test_the_catalogue_holds_the_same_lists(googlenews: EmbeddingSubject) -> None:
    assert bl.weat(googlenews, "weat-6").test.fraction == (1, 12870)
    assert bl.weat(googlenews, "weat-7").test.fraction == (292, 12870)


def test_mac_as_distance_and_as_similarity(googlenews: EmbeddingSubject, sets: Lists) -> None:
    query = asked(sets, ["female_terms", "male_terms"], ["family", "career"])
    assert bl.mac(googlenews, **query).mac == EXACT(0.8416415, abs=1e-6)
    assert bl.mac(googlenews, scale="similarity", **query).mac == EXACT(1 - 0.8416415, abs=1e-6)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (bl.association.rnd, 0.0303818),
        (bl.association.ect, 0.6190476),
        (bl.association.ripa, 0.1996923),
    ],
)
def test_other_tools_measures(
    googlenews: EmbeddingSubject, sets: Lists, measure: Any, expected: float
) -> None:
    query = asked(sets, ["female_terms", "male_terms"], ["family"])
    assert measure(googlenews, **query).value == EXACT(expected, abs=1e-6)


def test_the_papers_simulation_needs_ddof_0() -> None:
    """1.82 and -1.93 of the manuscript lie above the ceiling 1.732 of 2 + 2 words with ddof 1.

    The draws of its other two rows are within what the simulation gives under either. The
    manuscript is "A Bayesian method of cosine-based word2vec bias estimation".
    """
    assert bl.association.ceiling(2, 2) == EXACT(1.7320508, abs=1e-6)
    assert bl.association.ceiling(2, 2, ddof=0) == 2
    for row in PAPER_ROWS:
        drawn = {
            ddof: bl.association.weat_simulation(row.means, row.sd, ddof=ddof) for ddof in (0, 1)
        }
        possible = {ddof: abs(row.effect_size) <= drawn[ddof].ceiling for ddof in (0, 1)}
        assert possible[0]
        assert possible[1] == (row.means != (0, 0, 0, 0))
        if row.means == (0, 0, 0, 0):
            assert drawn[0].share_reaching(row.effect_size) > 0.03
            assert drawn[1].share_reaching(row.effect_size) == 0
        else:
            assert drawn[0].effect_size.min() < row.effect_size < drawn[0].effect_size.max()
