"""bl.two_afc trial by trial: estimates, words, chart and command, on observers of known truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.probes.psychometrics import CuePairs, Repeated, Trials, TwoAFCResult
from biaslab.probes.psychometrics.trial_estimates import TrialEstimates
from biaslab.records.result import Result
from harness.heavy import pd

CUES = ("female", "male")
PAIRS = [CUES, ("she", "he"), ("woman", "man")]


def chosen(
    *,
    pse: float | dict[str, float] = 0.62,
    observers: int = 8,
    trials: int | Repeated = 10,
    levels: int = 9,
    cues: Any = CUES,
    seed: int = 1,
    levels_off_at: float = 0.0,
    choosing: dict[str, Any] | None = None,
    **options: Any,
) -> TwoAFCResult:
    """What simulated observers choose, whose JND is 0.1 and whose PSEs have an SD of 0.05."""
    names = {"nurse": pse} if isinstance(pse, float) else pse
    who = bl.observers.binomial(
        names,
        0.1,
        observers=observers,
        spread=0.05,
        seed=seed,
        guess=levels_off_at,
        lapse=levels_off_at,
    )
    pairs = [cues] if isinstance(cues[0], str) else cues
    chooses = who.choosing(cues=pairs, seed=seed, **(choosing or {}))
    return bl.two_afc(
        chooses, list(names), cues, trials=trials, observers=observers, levels=levels, **options
    )


def test_the_own_jnd_is_told_from_trials_enough() -> None:
    few, more = chosen(observers=4, trials=2), chosen(observers=8, trials=6)
    assert "own JND takes 200 trials or more to tell." in few.caveat()
    assert np.isnan(of(few).own_jnd_interval).all()
    assert "a typical observer’s own JND is " in more.caveat()
    assert np.isfinite(of(more).own_jnd_interval).all()


def of(result: TwoAFCResult) -> TrialEstimates:
    pooled = result.pooled
    assert isinstance(pooled, TrialEstimates)
    return pooled


def test_the_truth_is_recovered_with_its_bias_and_its_order() -> None:
    result = chosen(
        pse={"nurse": 0.7, "clerk": 0.5}, observers=20, trials=20,
        choosing={"order_effect": 0.1, "cannot_say": 0.1},
    )  # fmt: skip
    found = of(result)
    np.testing.assert_allclose(found.pse, [0.7, 0.5], atol=0.04)
    np.testing.assert_allclose(found.own_jnd, 0.1, atol=0.02)
    np.testing.assert_allclose(found.order_effect, 0.1, atol=0.04)
    assert found.lean.tolist() == [1, 0]
    assert found.order_is_clear.all()
    assert found.n.tolist() == [20 * 20 * 9] * 2
    np.testing.assert_allclose(found.n_cannot_say / found.n, 0.1, atol=0.02)
    said = " ".join(result.verdict("nurse"))
    assert "a bias toward female." in said
    assert "prefers the answer that is offered first" in said
    assert "no clear bias" in " ".join(result.verdict("clerk"))
    assert "were answered “cannot say”; the estimates are about the others" in result.caveat()
    row = result.to_frame().iloc[0]
    assert row["order_effect_low"] < row["order_effect"] < row["order_effect_high"]
    assert row["n_cannot_say"] == found.n_cannot_say[0]
    pd.testing.assert_frame_equal(result.raw_frame(), result.trials.to_frame())


def test_a_curve_that_misses_the_answers_says_so() -> None:
    options: dict[str, Any] = {"trials": 40, "levels_off_at": 0.15}
    wrong, right = chosen(lapses="none", **options), chosen(**options)
    assert wrong.describes.tolist() == [False]
    assert right.describes.tolist() == [True]
    assert "This curve does not describe these answers" in wrong.caveat()
    assert "does not describe" not in right.caveat()
    assert "Mean answers less the curve" in wrong.to_svg()
    table = wrong.residuals()
    assert len(table) == 9
    assert ((table["predicted_low"] <= table["curve"]) & (table["curve"] <= 1)).all()


def test_observers_have_estimates_of_their_own_drawn_together() -> None:
    result = chosen(trials=40)
    own = of(result).observer_pse[0]
    truth = bl.observers.binomial({"nurse": 0.62}, 0.1, observers=8, spread=0.05, seed=1)
    assert own.shape == (8,)
    assert np.corrcoef(own, truth.pse["nurse"])[0, 1] > 0.8


def test_items_are_pooled_partially() -> None:
    truth = dict(zip("abcdefgh", np.linspace(0.4, 0.6, 8).tolist(), strict=True))
    result = chosen(pse=truth, observers=3, trials=2, levels=7, lapses="none")
    found = result.partial_pooling()
    assert found.estimates.shape == (8,)
    known = np.isfinite(found.estimates)
    assert np.ptp(found.estimates[known]) < np.ptp(of(result).pse[known])
    assert found.mean_interval[0] < 0.5 < found.mean_interval[1]


def test_swapping_the_cues_mirrors_the_result() -> None:
    result = chosen(choosing={"order_effect": 0.1})
    mirrored = bl.two_afc(result.trials, cues=CUES[::-1])
    one, two = of(result), of(mirrored)
    np.testing.assert_allclose(two.pse, 1 - one.pse, atol=5e-4)
    np.testing.assert_allclose(two.order_effect, one.order_effect, atol=5e-4)
    assert (two.lean == -one.lean).all()


def test_single_trials_count_as_their_sums_in_any_order() -> None:
    result = chosen(trials=6)
    table = result.trials
    frame = table.to_frame()
    rows = frame.loc[frame.index.repeat(frame["n"])].reset_index(drop=True)
    within = rows.groupby(["alpha", "observer", "cue_1_first"]).cumcount()
    rows["answer"] = np.where(within < rows["n_cue_2"], "male", "female")
    rows = rows.drop(columns=["n", "n_cue_2", "n_cannot_say"]).sample(frac=1, random_state=1)
    again = bl.two_afc(Trials.from_frame(rows))
    np.testing.assert_allclose(of(again).pse, of(result).pse, atol=5e-4)
    np.testing.assert_allclose(of(again).jnd_interval, of(result).jnd_interval, rtol=5e-3)
    np.testing.assert_allclose(of(again).dispersion, of(result).dispersion, atol=2e-3)


def test_cue_pairs_count_as_a_sample_or_as_all_there_are() -> None:
    sample = chosen(cues=PAIRS, observers=4, levels=7, trials=6)
    assert sample.by_pair.pse.shape == (1, 3)
    assert sample.corpus_kind == "resampled observers and cue pairs"
    fixed = bl.two_afc(sample.trials, cues=CuePairs(pairs_as="fixed", prior=[0.5, 0.25, 0.25]))
    assert fixed.corpus_kind == "resampled observers"
    for result in (sample, fixed):
        low, high = result.pooled.corpus[0]
        assert low < result.pse[0] < high
        assert abs(result.pse[0] - 0.62) < 0.08
        assert len(result.to_frame()) == 4


@pytest.mark.parametrize("curve", ["logistic", "weibull", "t5"])
def test_other_families_of_curves(curve: Any) -> None:
    result = chosen(family=curve)
    assert result.pse[0] == pytest.approx(0.62, abs=0.06)
    share, low, high = result.psi("nurse", [0.2, 0.5, 0.8])
    assert (low < share).all()
    assert (share < high).all()
    assert result.to_svg()


def constant(answer: str) -> Any:
    return lambda item, one, two, alpha, observer: np.where(two == answer, 1.0, 0.0)


def random(share: float) -> Any:
    """A subject that answers male at one rate, whatever it is shown."""
    rng = np.random.default_rng(0)
    return lambda item, one, two, alpha, observer: np.where(
        rng.random(alpha.shape) < share, two == "male", two == "female"
    ).astype(float)


@pytest.mark.parametrize(
    ("subject", "lean", "says"),
    [
        (constant("male"), -1, "Whatever the blend, the model answers male for nurse in all 110"),
        (constant("female"), 1, "Whatever the blend, the model answers female for nurse"),
        (random(0.9), -1, "No PSE for nurse: the answers do not clearly follow the blend."),
        (lambda *asked: np.full(asked[3].shape, np.nan), 0, "no trial was answered with a cue"),
    ],
    ids=["all male", "all female", "at random", "silent"],
)
def test_without_a_curve_there_is_a_reason_and_no_number(
    subject: Any, lean: int, says: str
) -> None:
    result = bl.two_afc(subject, ["nurse"], CUES, trials=10, levels=11)
    found = of(result)
    assert not np.isfinite(found.pse).any()
    assert np.isnan(found.jnd).all()
    assert found.lean.tolist() == [lean]
    assert says in " ".join(result.verdict())
    assert result.to_frame()["reason"][0]
    assert result.headline.startswith("nurse: no PSE")
    assert result.summary()
    assert result.to_svg()
    assert Result.from_json(result.to_json()) == result


def test_a_subject_that_switches_at_once_has_a_pse_between_two_stimuli() -> None:
    def switches(item: Any, one: Any, two: Any, alpha: Any, observer: Any) -> Any:
        share = np.where(two == "male", alpha, 1 - alpha)
        return np.where(share > 0.63, two == "male", two == "female").astype(float)

    result = bl.two_afc(switches, ["nurse"], CUES, trials=10, levels=11)
    low, high = result.pooled.corpus[0]
    assert 0.5 < low < 0.6 < result.pse[0] < 0.7 < high < 0.85
    assert result.pooled.lean.tolist() == [1]


def test_one_observer_and_one_order_are_named_as_limits() -> None:
    result = chosen(observers=1, trials=Repeated(20, orders="given"))
    assert result.corpus_kind == "trials"
    assert np.isnan(of(result).pse_sd).all()
    assert np.isnan(of(result).order_effect).all()
    assert "offered in one order only" in result.caveat()
    assert "about its trials, not about others like it" in result.caveat()


def test_rows_of_items_that_lack_a_pair_have_a_reason() -> None:
    one, two = (
        chosen(pse={name: 0.6}, cues=cues, observers=3, levels=7).trials
        for name, cues in (("nurse", CUES), ("clerk", PAIRS[1]))
    )
    assert one is not None
    assert two is not None
    frame = bl.two_afc(Trials.joined([one, two])).to_frame()
    missing = frame[(frame["item"] == "nurse") & (frame["cue_1"] == "she")]
    assert missing["reason"].tolist() == ["no trial was answered with a cue"]
    assert np.isfinite(frame.loc[frame["pooled"], "pse"]).all()


def test_the_command_reads_trials(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = chosen(observers=5, levels=7)
    file, out = tmp_path / "trials.csv", tmp_path / "out.json"
    result.raw_frame().to_csv(file, index=False)
    assert main(["probe", "two-afc", str(file), "--kind", "trials", "--json", str(out)]) == 0
    assert "a bias toward female" in capsys.readouterr().out
    again = Result.from_json(out)
    assert again.to_frame().equals(result.to_frame())


def test_intervals_hold_with_few_trials_where_those_of_single_curves_did_not() -> None:
    """6 studies of ten trials a stimulus."""
    jnd = np.hypot(0.1 / 0.6745, 0.05) * 0.6745
    held = []
    for seed in range(6):
        found = of(chosen(seed=seed, levels=7, lapses="none"))
        low, high = found.jnd_interval[0]
        held.append(low <= jnd <= high)
    assert sum(held) >= 4
