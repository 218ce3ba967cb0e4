"""Leans against the other words, or control words: what a cue pair does to all is taken off."""

from __future__ import annotations

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import QueryError, SpecError
from biaslab.probes.occupations.questions import relative
from biaslab.probes.psychometrics.curves import pooled
from biaslab.records.result import Result

JOBS = ["nurse", "clerk", "baker", "plumber", "judge", "cook"]


@pytest.mark.parametrize("reference", ["words", "manzini-gender", ["table", "river", "stone"]])
def test_the_correlation_is_the_same_whatever_words_are_compared_with(
    reference: str | list[str],
) -> None:
    """One constant a replicate and pair moves all words alike."""
    plain = bl.occupations("wiki-bootstraps")
    other = bl.occupations("wiki-bootstraps", reference=reference)
    assert other.agreement().pearson == pytest.approx(plain.agreement().pearson, abs=1e-6)
    assert other.contrasts[0].pse.mean() != pytest.approx(plain.contrasts[0].pse.mean(), abs=1e-4)
    assert Result.from_json(other.to_json()) == other


def test_a_pull_that_all_words_share_is_taken_off() -> None:
    pse = dict.fromkeys(JOBS, 0.6) | {"nurse": 0.7, "cook": 0.5}
    truth = bl.observers.embedding(pse, jnd=0.01, replicates=32, seed=1)
    groups = {"female": ["female"], "male": ["male"]}
    plain = bl.occupations(truth, JOBS, groups, outside=None)
    assert (plain.leans() == [1, 1, 1, 1, 1, 0]).all()
    other = bl.occupations(truth, JOBS, groups, outside=None, reference="words")
    assert (other.leans() == [1, 0, 0, 0, 0, -1]).all()
    others = np.mean([0.6, 0.6, 0.6, 0.6, 0.5])
    assert other.contrasts[0].pse[0] == pytest.approx(0.5 + 0.7 - others, abs=0.01)
    assert other.headline.startswith("Compared with the other occupations, 1 of 6 occupations lean")


def test_controls_are_asked_and_not_listed_among_the_words() -> None:
    found = bl.occupations("wiki-bootstraps", JOBS, reference=["table", "river", "electrixian"])
    assert found.controls == ("table", "river")
    assert len(found.to_frame()) == len(found.words)
    assert [(d.term, d.role) for d in found.dropped if d.role == "control"] == [
        ("electrixian", "control")
    ]
    assert "50 % is the mean of 2 control words" in found.caveat()
    assert "1 of 3 control words left out" in found.caveat()


@pytest.mark.parametrize("reference", ["words", "controls"])
def test_words_without_a_lean_of_their_own_seldom_get_one(reference: str) -> None:
    """Pairs pull by 0.1, corpora by 0.05, and words differ between pairs, but not in the mean."""
    rng = np.random.default_rng(3)
    leaning = []
    for _ in range(20):
        pull = 0.1 * rng.standard_normal((1, 1, 8)) + 0.05 * rng.standard_normal((32, 1, 8))
        own, controls = (
            0.5
            + pull
            + 0.1 * rng.standard_normal((1, n, 8))
            + 0.02 * rng.standard_normal((32, n, 8))
            for n in (55, 30)
        )
        switch = relative(own, controls if reference == "controls" else None)
        weights = np.full(8, 1 / 8)
        found = pooled(switch, 0.0, "normal", "quartile", 0.95, "resampled", weights)
        leaning.append(np.mean(found.lean != 0))
    assert np.mean(leaning) < 0.065


def test_a_black_box_is_compared_with_its_other_words() -> None:
    pse = {"nurse": 0.7, "cook": 0.6}
    truth = bl.observers.binomial(pse, 0.05, observers=5, spread=0.01, seed=1)
    groups = {"female": ["she"], "male": ["he"]}
    found = bl.occupations(
        truth, ["nurse", "cook"], groups, outside=None, reference="words", observers=5
    )
    assert found.contrasts[0].pse == pytest.approx([0.6, 0.4], abs=0.02)


def test_what_cannot_be_compared_says_what_to_do() -> None:
    groups = {"female": ["she"], "male": ["he"]}
    with pytest.raises(QueryError, match="Add words"):
        bl.occupations("wiki-bootstraps", ["nurse"], reference="words")
    with pytest.raises(SpecError):
        bl.occupations("wiki-bootstraps", reference="nothing-like-it")
    truth = bl.observers.binomial({"nurse": 0.7}, 0.05)
    with pytest.raises(QueryError, match="Put them among the words"):
        bl.occupations(truth, ["nurse"], groups, outside=None, reference=["table"])

    def graded(_item, _one, _two, alpha, observer):  # type: ignore[no-untyped-def]
        return np.where(observer == 1, 0.3, 0.1 + 0.8 * (alpha > 0.5))

    with pytest.raises(QueryError, match="graded"):
        bl.occupations(
            graded, ["nurse", "cook"], groups, outside=None, reference="words", observers=2
        )
