"""Posteriors and words in a plane, and the ratio of evidence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import special

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.probes.posterior.axes import evidence_ratio, fit_axes
from harness.posteriors import Drawn, Logistic, embedding, of_draws, posterior

pytestmark = pytest.mark.numeric

Floats = NDArray[np.float64]
SDS = np.array([4.0, 2.0, 1.0, 0.5, 0.2])


def long_draws(seed: int, shift: float = 0.0, n: int = 200) -> Floats:
    """Draws whose principal axes are the coordinate axes."""
    found = np.random.default_rng(seed).standard_normal((8, n, 5)) * SDS
    found[..., 2] += shift
    return found


def pair(shift: float = 1.0, seed: int = 0, n: int = 200) -> dict[str, Drawn]:
    return {
        "positive": of_draws(long_draws(seed, shift, n)),
        "negative": of_draws(long_draws(seed + 1, -shift, n), "negative"),
    }


def test_the_axes_are_the_principal_components_of_the_pooled_draws() -> None:
    both = pair()
    found = bl.posterior.plane(both)
    pooled = np.concatenate([p.draws.reshape(-1, 5) for p in both.values()]).astype(float)
    _, values, vectors = np.linalg.svd(pooled - pooled.mean(axis=0), full_matrices=False)
    assert np.abs(np.diag(found.basis.T @ vectors[:2].T)) == pytest.approx(1, abs=1e-5)
    assert found.explained == pytest.approx((values**2 / (values**2).sum())[:2], rel=1e-4)
    assert found.origin == pytest.approx(pooled.mean(axis=0), abs=1e-5)
    assert found.even_share == 0.2
    assert found.warning == ""


def test_each_posterior_counts_alike_however_many_draws_it_has() -> None:
    both = pair()
    more = {**both, "negative": of_draws(np.tile(both["negative"].draws, (1, 3, 1)), "negative")}
    one, two = bl.posterior.plane(both), bl.posterior.plane(more)
    assert two.basis == pytest.approx(one.basis, abs=1e-4)
    assert two.origin == pytest.approx(one.origin, abs=1e-5)


def test_the_difference_is_the_first_axis_and_the_second_stands_at_right_angles() -> None:
    both = pair(shift=2.0)
    found = bl.posterior.plane(both, axes="difference")
    means = [p.draws.reshape(-1, 5).mean(axis=0, dtype=float) for p in both.values()]
    away = means[0] - means[1]
    assert found.basis[:, 0] == pytest.approx(away / np.linalg.norm(away), abs=1e-5)
    assert found.basis.T @ found.basis == pytest.approx(np.eye(2), abs=1e-9)
    assert abs(found.basis[0, 1]) > 0.95
    centres = {c.label: c.mean for c in found.clouds}
    assert centres["positive"][0] > centres["negative"][0]
    assert centres["positive"][1] == pytest.approx(centres["negative"][1], abs=1e-4)


@given(seed=st.integers(0, 999))
@settings(max_examples=15, deadline=None)
def test_a_turned_space_shows_the_same_picture(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.standard_normal((5, 5)))
    words = embedding(10, 5, seed)
    turned = bl.WordEmbedding(
        list(words.words), (words.vectors(list(words.words))[0] @ turn).astype(np.float32)
    )
    both = pair(shift=3.0)
    other = {k: of_draws(p.draws @ turn, k) for k, p in both.items()}
    one = bl.posterior.plane(both, words)
    two = bl.posterior.plane(other, turned)
    assert two.explained == pytest.approx(one.explained, rel=1e-3)
    for axis in range(2):  # which way up an axis is drawn may turn
        a, b = one.word_points[:, axis], two.word_points[:, axis]
        assert np.abs(b - a).max() < 5e-3 or np.abs(b + a).max() < 5e-3


def test_points_and_words_lie_where_they_project_to() -> None:
    words = embedding(10, 5)
    found = bl.posterior.plane(pair(), words, ["w2", "nobody"])
    vector = words.vectors(["w2"])[0, 0]
    assert found.word("w2")[0] == pytest.approx(found.project(vector), abs=1e-6)
    assert found.project(found.origin) == pytest.approx([0, 0])
    assert [d.term for d in found.dropped] == ["nobody"]
    with pytest.raises(KeyError, match="terms="):
        found.word("w3")


def test_nearly_round_draws_are_warned_of() -> None:
    rng = np.random.default_rng(0)
    shape = (16, 200, 40)
    apart = np.zeros(40)
    apart[0] = 0.6
    both = {
        "positive": of_draws(rng.standard_normal(shape) + apart),
        "negative": of_draws(rng.standard_normal(shape) - apart, "negative"),
    }
    by_pca = bl.posterior.plane(both)
    assert by_pca.arbitrary[1]
    assert "nearly arbitrary" in by_pca.warning
    assert by_pca.warning in by_pca.summary()
    by_difference = bl.posterior.plane(both, axes="difference")
    assert by_difference.arbitrary == (False, True)
    assert "the first axis is reliable" in by_difference.warning
    alike = {**both, "positive": of_draws(rng.standard_normal(shape) - apart)}
    assert "disagree about the direction" in bl.posterior.plane(alike, axes="difference").warning


def test_the_outline_holds_the_share_of_draws_that_a_normal_has_there() -> None:
    found = bl.posterior.plane(pair(n=2000), shown=100_000)
    cloud = found.clouds[0]
    away = np.linalg.solve(np.linalg.cholesky(cloud.covariance), (cloud.points - cloud.mean).T)
    assert ((away**2).sum(axis=0) < 4).mean() == pytest.approx(1 - np.exp(-2), abs=0.02)
    ends = np.linalg.solve(np.linalg.cholesky(cloud.covariance), (cloud.outline(2) - cloud.mean).T)
    assert (ends**2).sum(axis=0) == pytest.approx(4)


def test_the_picture_keeps_draws_of_every_chain() -> None:
    draws = np.random.default_rng(0).standard_normal((8, 100, 5)) * SDS
    draws[..., 0] += 100 * np.arange(8)[:, None]
    found = bl.posterior.plane([of_draws(draws)], shown=80)
    cloud = found.clouds[0]
    assert len(cloud.points) == 80
    levels = np.round((cloud.points[:, 0] - cloud.points[:, 0].min()) / 100)
    assert len(set(levels.tolist())) == 8


@pytest.mark.parametrize(("length", "bias"), [(1.0, 0.0), (3.0, 1.0), (8.0, -4.0)])
def test_the_ratio_of_evidence_is_that_of_the_quadrature(length: float, bias: float) -> None:
    classifier = Logistic([length, 0, 0], bias)
    truth = classifier.log_evidence_ratio()
    covered = 0
    for seed in range(40):
        plus = posterior(classifier, "positive", draws=250, seed=2 * seed)
        minus = posterior(classifier, "negative", draws=250, seed=2 * seed + 1)
        found = evidence_ratio(plus.logit, -minus.logit)
        assert found.log_ratio == pytest.approx(truth, abs=0.5)
        covered += truth in found.interval
    assert covered >= 34  # of 40: 95 % but for 3 standard errors


def test_swapped_labels_turn_the_ratio_around() -> None:
    classifier = Logistic([2.0, 1.0], 0.7)
    plus, minus = posterior(classifier, "positive"), posterior(classifier, "negative")
    one = evidence_ratio(plus.logit, -minus.logit)
    two = evidence_ratio(minus.logit, -plus.logit)
    assert two.log_ratio == pytest.approx(-one.log_ratio, abs=1e-9)
    assert two.interval.low == pytest.approx(-one.interval.high, abs=1e-9)


def test_words_get_the_difference_of_their_log_densities() -> None:
    words = embedding(30, 3)
    classifier = Logistic([2.0, -1.0, 0.5], 0.4, words)
    both = {k: posterior(classifier, k, chains=32) for k in ("positive", "negative")}
    found = bl.posterior.plane(both, classifier)
    vectors = words.vectors(list(found.terms))[0].astype(float)
    value = vectors @ classifier.weight + classifier.bias
    # log p(w|a) = log p(a|w) + log prior(w) - log p(a); the prior cancels.
    ratio = classifier.log_evidence_ratio()
    truth = (special.log_expit(value) - special.log_expit(-value)) - ratio
    assert found.log_density_difference == pytest.approx(truth, abs=0.1)
    assert found.word("w0")[1] == found.log_density_difference[0]
    assert "most positive" in found.summary()
    assert bl.Result.from_json(found.to_json()) == found
    assert "log_density_difference" in found.to_frame()
    without = bl.posterior.plane(both, words)
    assert len(without.log_density_difference) == 0
    assert np.isnan(without.word("w0")[1])


def test_three_labels_ask_the_classifier_at_the_draws() -> None:
    classifier = Logistic([2.0, -1.0, 0.5], 0.4, embedding(30, 3))
    both = {k: posterior(classifier, k) for k in ("positive", "negative")}
    third = {
        k: Drawn(p.label, p.draws, np.full_like(p.logit, np.nan), p.provenance, ("a", "b", "c"))
        for k, p in both.items()
    }
    one, two = bl.posterior.plane(both, classifier), bl.posterior.plane(third, classifier)
    assert one.evidence is not None
    assert two.evidence is not None
    assert two.evidence.log_ratio == pytest.approx(one.evidence.log_ratio, abs=1e-5)
    assert bl.posterior.plane(third, classifier.words).evidence is None


def test_a_black_box_without_logits_has_no_evidence_unless_it_can_be_asked() -> None:
    classifier = Logistic([2.0, -1.0, 0.5], 0.4, embedding(30, 3))
    both = {k: posterior(classifier, k) for k in ("positive", "negative")}
    silent = {
        k: Drawn(p.label, p.draws, np.full_like(p.logit, np.nan), p.provenance)
        for k, p in both.items()
    }
    assert bl.posterior.plane(silent, classifier.words).evidence is None
    asked, told = bl.posterior.plane(silent, classifier), bl.posterior.plane(both, classifier)
    assert asked.evidence is not None
    assert told.evidence is not None
    assert asked.evidence.log_ratio == pytest.approx(told.evidence.log_ratio, abs=1e-5)


def test_one_posterior_has_a_plane_and_a_table() -> None:
    found = bl.posterior.plane(pair()["positive"])
    assert found.labels == ("positive",)
    assert found.evidence is None
    assert found.to_frame()["label"].tolist() == ["positive"]
    assert "PC 1" in found.figure().below[0].axis_label


ELSEWHERE = of_draws(np.zeros((1, 1, 1)), content_hash="another").provenance


def _other(**change: Any) -> dict[str, Drawn]:
    both = pair()
    held = {**both["negative"].__dict__, **change}
    return {"positive": both["positive"], "negative": Drawn(**held)}


@pytest.mark.parametrize(
    ("posteriors", "more", "message"),
    [
        ({}, {}, "one or two posteriors"),
        ({"negative": pair()["positive"]}, {}, "is the posterior of 'positive'"),
        ([pair()["positive"], pair()["positive"]], {}, "the same label"),
        (_other(prior="widened"), {}, "different priors"),
        (_other(provenance=ELSEWHERE), {}, "different classifiers"),
        (_other(draws=np.zeros((8, 50, 4))), {}, "different dimensions"),
        ([pair()["positive"]], {"axes": "difference"}, "needs two posteriors"),
        (pair(), {"axes": "umap"}, "choose pca or difference"),
        (pair(), {"words": embedding(5, 6)}, "6 dimensions, but the draws have 5"),
    ],
)  # fmt: skip
def test_what_has_no_plane_says_what_to_do(
    posteriors: Any, more: dict[str, Any], message: str
) -> None:
    with pytest.raises(QueryError, match=message):
        bl.posterior.plane(posteriors, **more)


def test_one_dimension_has_no_plane() -> None:
    with pytest.raises(QueryError, match="two dimensions"):
        fit_axes([np.zeros((2, 20, 1))], "pca")


def test_an_axis_with_equal_loadings_points_up_by_its_first() -> None:
    rng = np.random.default_rng(0)
    one, two = rng.standard_normal((2, 8, 200))
    for unit in np.linspace(0.1, 3, 30):
        # Mirrored draws: both dimensions have just the same variance, and vary against each other.
        half = unit * np.stack([2 * one + two, -2 * one + two], axis=-1)
        axes = fit_axes([np.concatenate([half, half[..., ::-1]])], "pca")
        assert axes.basis[0, 0] > 0
