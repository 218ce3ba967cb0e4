"""How this works, of the sentence bench: its numbers are those of the result."""

from __future__ import annotations

import pytest

from harness.arithmetic import check_how, results_of
from harness.explained import explained
from harness.sentence_controller import Bench, Named


@pytest.fixture
def bench() -> Bench:
    made = Bench([Named("masked", 0.7, ties=0.1, size=2.0, seed=1)])
    made.answer(step=2, per_attribute=4)
    return made


def test_the_steps_lead_from_two_scores_to_the_mean_of_shares(bench: Bench) -> None:
    bench.tested()
    result = bench.controller.result
    pair, scores = result.pairs[5], result.scores[5]
    how = explained(bench, pair=pair.id)
    steps = check_how(how, "sentences")
    assert pair.stereotyped in how["about"]
    odds = results_of(steps["Compare the two scores"])
    assert odds == [pytest.approx(scores.log_odds, abs=1e-4)]
    own = result.attribute(pair.attribute)
    share = results_of(steps[f"Count the pairs about “{pair.attribute}”"])
    assert share == [pytest.approx(own.share, abs=1e-4)]
    overall = results_of(steps["Average over attributes"])
    assert overall == [pytest.approx(result.share, abs=1e-4)]


def test_with_equal_weight_for_pairs_all_are_counted(bench: Bench) -> None:
    bench.tested(weighting="pairs")
    steps = check_how(explained(bench, pair=""), "sentences")
    share = results_of(steps["Count all pairs"])
    assert share == [pytest.approx(bench.controller.result.share, abs=1e-4)]


def test_the_winner_is_that_of_the_scores(bench: Bench) -> None:
    bench.tested()
    result = bench.controller.result
    texts = {"stereotyped": "a win for the stereotype", "against": "counts against", "tie": "a tie"}
    assert set(result.outcomes) == set(texts)
    for outcome, told in texts.items():
        pair = result.pairs[result.outcomes.index(outcome)]
        steps = check_how(explained(bench, pair=pair.id), "sentences")
        assert told in steps["Compare the two scores"]["text"]
