"""Distance models against the published distances and coefficients of their authors.

Both belong to "A Bayesian method of cosine-based word2vec bias estimation".
"""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.probes.association import nuts_engine
from harness.needs import needs

PARTS = ("associated", "different", "human", "none")


@pytest.fixture(scope="module")
def religion(shared_data: Path) -> bl.association.DistanceTable:
    return bl.association.DistanceTable.read_csv(
        shared_data / "association" / "bayes-religion-reddit.csv"
    )


def test_the_table_is_the_papers(religion: bl.association.DistanceTable) -> None:
    assert dict(religion.counts) == {"associated": 55, "different": 110, "human": 405, "none": 3630}
    assert (len(religion.words), len(religion.attributes), religion.n) == (15, 280, 4200)
    assert set(religion.groups) == {"jew", "christian", "muslim"}
    assert religion.of("judaism", "associated")[0, 0] == pytest.approx(1.00261719655005)


def test_neighbouring_contrasts_are_the_published_ones(
    religion: bl.association.DistanceTable, shared_data: Path
) -> None:
    """co[1..4] of the authors' own fit, by NUTS in Stan with an effective size of about 290."""
    path = shared_data / "association" / "bayes-religion-reddit-published-coefficients.csv"
    with path.open(encoding="utf-8", newline="") as file:
        co = [float(row["mean"]) for row in csv.DictReader(file)]
    found = bl.distance_model(religion, model="pooled", draws=8000)
    neighbours = found.neighbouring
    assert [(c.minus, c.of) for c in neighbours] == list(pairwise(PARTS))
    for contrast, left, right in zip(neighbours, co, co[1:], strict=False):
        assert contrast.mean == pytest.approx(right - left, abs=0.005)


def test_the_crossed_model_is_less_certain_on_the_papers_own_data(
    religion: bl.association.DistanceTable,
) -> None:
    found = bl.distance_model(religion)
    assert found.narrower == pytest.approx(2.85, abs=0.2)
    paper = {c.name: c for c in found.beside["pooled"]}
    for contrast in found.contrasts:
        other = paper[contrast.name]
        # Who is right about the size is not in question, only how sure one may be.
        assert contrast.mean == pytest.approx(other.mean, abs=0.006)
        assert contrast.width > other.width
    assert not found.contrast("human", "associated").excludes_null
    assert paper["human − associated"].excludes_null
    assert "The models disagree: only the paper’s model" in found.verdict()[1]
    # The spread of attribute words: 0.140 was measured, 0.047 would be expected were there none.
    for name in ("stereotype", "human", "none"):
        mean, low, high = found.spreads[f"attribute_{name}"]
        assert low < 0.140 < high
        assert mean > 0.1


def test_kinds_of_words_differ_on_the_papers_own_data(
    religion: bl.association.DistanceTable, shared_data: Path
) -> None:
    gender = bl.association.DistanceTable.read_csv(
        shared_data / "association" / "bayes-gender-google.csv"
    )
    own = bl.distance_model(gender).spreads
    for name, measured in (("stereotype", 0.075), ("human", 0.034), ("none", 0.045)):
        _, low, high = own[f"attribute_{name}"]
        assert low < measured < high
    assert own["attribute_human"][2] < own["attribute_stereotype"][0]
    # Human words' single distances spread less than those of both others, in both tables.
    for found in (own, bl.distance_model(religion).spreads):
        assert found["sigma_human"][2] < found["sigma_stereotype"][0]
        assert found["sigma_human"][2] < found["sigma_none"][0]


@needs("arviz")
def test_leave_one_out_prefers_spreads_by_kind_on_religion(
    religion: bl.association.DistanceTable,
) -> None:
    both = bl.association.compare_models(religion, models=("crossed", "crossed-equal"))
    best, other = bl.association.model_scores(both)
    assert (best.model, other.model) == ("crossed", "crossed-equal")
    assert other.behind == pytest.approx(15, abs=5)
    assert other.behind > 2 * other.behind_se


def test_gender_on_googlenews_is_told_by_both_models(shared_data: Path) -> None:
    path = shared_data / "association" / "bayes-gender-google.csv"
    found = bl.distance_model(bl.association.DistanceTable.read_csv(path))
    assert found.contrast("different", "associated").excludes_null
    assert found.headline.startswith("A group’s words stand 0.15 closer to its own stereotypes")
    assert found.contrast("none", "associated").mean == pytest.approx(0.151, abs=0.003)


@pytest.mark.validate
@needs("pyro", "arviz")
def test_nuts_and_the_exact_engine_agree_on_all_of_the_papers_distances(
    religion: bl.association.DistanceTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nuts_engine, "CHAINS", 2)
    monkeypatch.setattr(nuts_engine, "WARMUP", 80)
    walked = bl.distance_model(religion, engine="nuts", draws=200, rng=2)
    exact = bl.distance_model(religion, draws=8000)
    assert walked.diagnostics["R-hat"] < 1.1
    assert walked.diagnostics["divergences"] == 0
    effective = walked.diagnostics["ESS bulk"]
    assert effective > 40
    for one, other in zip(walked.contrasts, exact.contrasts, strict=True):
        assert one.name == other.name
        assert abs(one.mean - other.mean) < 4 * other.sd / np.sqrt(effective)
        assert one.width == pytest.approx(other.width, rel=0.35)
