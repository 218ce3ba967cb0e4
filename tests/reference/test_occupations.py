"""Occupations against numbers that were not made here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.probes.occupations.agreement import ALL, MATCHED, SETS
from biaslab.probes.occupations.leans import difference_of_means


@pytest.fixture(scope="module")
def googlenews(shared_data: Path) -> bl.probes.occupations.OccupationsResult:
    return bl.occupations(bl.load(shared_data / "embeddings" / "googlenews_8000x300.npz"))


def test_correlations_are_those_of_the_mockup(
    googlenews: bl.probes.occupations.OccupationsResult,
) -> None:
    """Real numbers of the mockup: r = -0.747, Spearman -0.773, n = 30."""
    found = googlenews.agreement()
    assert found.n == 30
    assert found.pearson == pytest.approx(-0.747, abs=5e-4)
    assert found.spearman == pytest.approx(-0.773, abs=5e-4)
    assert found.pearson_interval.low < -0.8 < -0.6 < found.pearson_interval.high
    assert found.pearson_p < 1e-5


def test_leans_are_those_of_the_mockup(googlenews: bl.probes.occupations.OccupationsResult) -> None:
    assert googlenews.lean_counts() == (9, 5, 16, 0)
    assert googlenews.headline.startswith(
        "6 of 30 occupations lean female, 2 lean male, 22 show no clear lean; 14 points or "
        "more would show in half of them. Corrected for 30 words (Holm); "
        "uncorrected, 9 female and 5 male. "
        "The more men work in an occupation, the less maleness the model needs: r = −0.75, between"
    )
    nurse = googlenews.contrasts[0].pooled
    i = googlenews.words.index("nurse")
    assert round(100 * nurse.pse[i]) == 80
    assert np.round(100 * nurse.corpus[i]).tolist() == [71, 89]


def test_averaging_leaves_no_gap_that_can_be_told(
    googlenews: bl.probes.occupations.OccupationsResult,
) -> None:
    rows = {row.measure: row for row in googlenews.comparison()}
    for name in (MATCHED, ALL, SETS):
        gap = rows[name].pearson_gap_interval
        assert gap.low < 0 < gap.high
        assert gap.high < 0.25


def test_difference_of_means_sums_to_weats_statistic(shared_data: Path) -> None:
    """Outside number: female/male terms x family/career on GoogleNews, test statistic 0.4634388."""
    path = shared_data / "association" / "wefe-weat-sets.json"
    sets = json.loads(path.read_text(encoding="utf-8"))
    subject = bl.load(shared_data / "embeddings" / "googlenews-weat-347x300.txt")

    def associations(words: list[str]) -> np.ndarray:
        groups = {"family": sets["family"], "career": sets["career"]}
        result = bl.occupations(subject, words, groups, pairing="sets", outside=None)
        assert len(result.words) == len(words)
        return result.association(measure="difference")[0]

    female, male = associations(sets["female_terms"]), associations(sets["male_terms"])
    assert female.sum() - male.sum() == pytest.approx(0.4634388, abs=2e-6)
    both = np.concatenate([female, male])
    effect = (female.mean() - male.mean()) / both.std()
    assert effect == pytest.approx(0.4507653, abs=2e-6)
    assert difference_of_means(np.ones((2, 3)), np.zeros((2, 4))).tolist() == [1, 1]
