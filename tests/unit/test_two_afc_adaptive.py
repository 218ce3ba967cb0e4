"""Adaptive trials are placed by earlier answers, kept, stopped and found again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

import biaslab as bl
from biaslab.errors import ArgumentError, PsychometricError, QueryError, StoreError
from biaslab.jobs.context import reporting_to
from biaslab.probes.psychometrics import Adaptive, OneByOne, adaptive_trials, curve_posteriors
from biaslab.store import Store
from harness.watched_context import Watched

CUES = ("female", "male")
PSE = {"nurse": 0.68, "clerk": 0.35}


class Chooser:
    """Chooses along a known curve; the n-th answer to a question is always the same."""

    def __init__(self, identity: str = "", silent: float = 0.0) -> None:
        self.identity = identity
        self.calls: list[tuple[Any, ...]] = []
        self._silent = silent

    def __call__(self, item: Any, cue_1: Any, cue_2: Any, alpha: Any, observer: Any) -> Any:
        columns = np.broadcast_arrays(item, cue_1, cue_2, alpha, observer)
        answers = [self._one(*row) for row in zip(*(c.ravel() for c in columns), strict=True)]
        return np.reshape(answers, columns[0].shape) if columns[0].shape else answers[0]

    def _one(self, item: Any, cue_1: Any, cue_2: Any, alpha: Any, observer: Any) -> float:
        question = (str(item), str(cue_1), round(float(alpha), 9), str(observer))
        self.calls.append(question)
        times = self.calls.count(question)
        rng = np.random.default_rng([*"|".join(map(str, question)).encode(), times])
        of_male = alpha if cue_2 == "male" else 1 - alpha
        if rng.random() < self._silent:
            return np.nan
        is_male = rng.random() < 0.02 + 0.95 * ndtr((of_male - PSE[str(item)]) / 0.08)
        return float(is_male if cue_2 == "male" else not is_male)


def test_trials_gather_where_the_answer_switches() -> None:
    result = bl.two_afc(Chooser(), list(PSE), CUES, observers=2, trials=Adaptive(60))
    trials = result.trials
    assert trials.n.sum() == 2 * 2 * 60
    for item, pse in PSE.items():
        rows = trials.item == item
        assert np.median(np.repeat(trials.alpha[rows], trials.n[rows])) == pytest.approx(
            pse, abs=0.15
        )
    assert result.notes[0].endswith("60 trials a curve.")
    assert result.provenance.parameters["levels"] == 101
    assert result.provenance.parameters["method"] == "adaptive"


def test_every_two_trials_of_a_curve_have_both_orders_at_random() -> None:
    subject = Chooser()
    bl.two_afc(subject, ["nurse"], CUES, levels=21, trials=Adaptive(40))
    first = np.array([cue == "female" for _, cue, *_ in subject.calls]).reshape(20, 2)
    assert (first.sum(axis=1) == 1).all()
    assert 0 < first[:, 0].sum() < 20
    given = bl.two_afc(Chooser(), ["nurse"], CUES, trials=Adaptive(6, orders="given")).trials
    assert given.cue_1_first.all()


def test_the_same_seed_gives_the_same_trials() -> None:
    one, same, other = (
        bl.two_afc(Chooser(), list(PSE), CUES, rng=seed, trials=Adaptive(30)).trials
        for seed in (3, 3, 4)
    )
    assert one == same
    assert one != other


def test_a_curve_is_asked_until_its_interval_is_as_narrow_as_was_wanted() -> None:
    result = bl.two_afc(Chooser(), ["nurse"], CUES, trials=Adaptive(width=0.15))
    used = result.trials.n.sum()
    assert 10 < used < 400
    assert "1 of 1 curves reached the wanted width" in result.notes[1]
    both = bl.two_afc(Chooser(), ["nurse"], CUES, trials=Adaptive(width=(0.15, 0.1)))
    assert both.trials.n.sum() > used
    spent = bl.two_afc(Chooser(), ["nurse"], CUES, trials=Adaptive(12, width=0.15))
    assert spent.trials.n.sum() == 12
    assert "0 of 1 curves" in spent.notes[1]


def test_a_batch_puts_several_trials_of_a_curve_at_a_time() -> None:
    sizes = []

    def respond(item: Any, cue_1: Any, cue_2: Any, alpha: Any, observer: Any) -> Any:
        sizes.append(len(item))
        return (alpha > 0.5) * 1.0

    trials = bl.two_afc(respond, ["nurse"], CUES, observers=3, trials=Adaptive(10, batch=4)).trials
    assert sizes == [12, 12, 6]
    assert trials.n.sum() == 30


def test_cannot_say_uses_up_the_budget() -> None:
    result = bl.two_afc(Chooser(silent=0.4), ["nurse"], CUES, trials=Adaptive(50))
    trials = result.trials
    assert trials.n.sum() == 50
    assert 5 < trials.n_cannot_say.sum() < 40
    never = bl.two_afc(OneByOne(lambda *_: np.nan), ["nurse"], CUES, trials=Adaptive(8))
    assert never.trials.n_cannot_say.sum() == 8


def test_an_answer_in_the_store_is_not_asked_for_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    whole = Chooser("model 1")
    expected = bl.two_afc(
        OneByOne(whole), list(PSE), CUES, trials=Adaptive(30, store=store, keep=False)
    ).trials

    first = Chooser("model 1")
    bl.two_afc(OneByOne(first), list(PSE), CUES, trials=Adaptive(20, store=store))
    second = Chooser("model 1")
    second.calls = list(first.calls)  # it would answer as if it had been asked these before
    again = bl.two_afc(OneByOne(second), list(PSE), CUES, trials=Adaptive(30, store=store))
    assert again.trials == expected
    assert len(second.calls) == len(whole.calls) == 60
    assert "40 of 60 answers were in the store." in again.notes

    other = Chooser("model 2")
    bl.two_afc(OneByOne(other), list(PSE), CUES, trials=Adaptive(5, store=store))
    assert len(other.calls) == 10


def test_the_store_knows_a_subject_by_the_name_that_keep_gives_it(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for keep, calls in ((True, 6), (True, 6), ("chat", 6), ("chat", 0), ("chat 2", 6)):
        subject = Chooser()
        bl.two_afc(subject, ["nurse"], CUES, trials=Adaptive(6, store=store, keep=keep))
        assert len(subject.calls) == calls


def test_answers_of_a_run_that_failed_are_kept(tmp_path: Path) -> None:
    store = Store(tmp_path)

    class Breaks(Chooser):
        def _one(self, *question: Any) -> float:
            if len(self.calls) == 7:
                raise ConnectionError("the service hung up")
            return super()._one(*question)

    broken = Breaks("model")
    with pytest.raises(ConnectionError):
        bl.two_afc(OneByOne(broken), ["nurse"], CUES, trials=Adaptive(12, store=store))
    again = Chooser("model")
    result = bl.two_afc(OneByOne(again), ["nurse"], CUES, trials=Adaptive(12, store=store))
    assert len(again.calls) == 5
    assert result.trials.n.sum() == 12


def test_the_first_answer_is_stored_before_the_second_question(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    subject, stored, plain = Chooser("model"), list[int](), Store.keep_values

    def keeps(self: Store, kind: str, values: Any) -> None:
        stored.append(len(subject.calls))
        plain(self, kind, values)

    monkeypatch.setattr(Store, "keep_values", keeps)
    bl.two_afc(OneByOne(subject), list(PSE), CUES, trials=Adaptive(6, store=Store(tmp_path)))
    assert stored[0] == 1


def test_a_store_that_cannot_be_used_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise StoreError("the disk is full")

    monkeypatch.setattr(Store, "kept_values", fails)
    result = bl.two_afc(Chooser("model"), ["nurse"], CUES, trials=Adaptive(5))
    assert result.notes[-1] == "Trials are not stored: the disk is full"


def test_an_aborted_run_keeps_the_trials_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = Chooser()
    context = Watched(lambda _: len(subject.calls) >= 13)
    with reporting_to(context):
        result = bl.two_afc(OneByOne(subject), list(PSE), CUES, trials=Adaptive(10))
    assert len(subject.calls) == result.trials.n.sum() == 13
    assert context.reports[0][:2] == (2, 20)
    assert context.reports[-1][:2] == (13, 20)
    monkeypatch.setattr(adaptive_trials, "AT_ONCE", 1)
    subject = Chooser()
    with reporting_to(Watched(lambda _: len(subject.calls) >= 8)):
        result = bl.two_afc(OneByOne(subject), list(PSE), CUES, trials=Adaptive(10))
    assert result.items == ("nurse",)
    assert [(d.term, d.reason) for d in result.dropped] == [
        ("clerk", "was not reached: the run was stopped")
    ]


def test_many_curves_are_asked_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    together = bl.two_afc(Chooser(), list(PSE), CUES, trials=Adaptive(12)).trials
    monkeypatch.setattr(adaptive_trials, "AT_ONCE", 1)
    apart = bl.two_afc(Chooser(), list(PSE), CUES, trials=Adaptive(12)).trials
    assert together.n.sum() == apart.n.sum() == 24
    assert together.items == apart.items


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "does not know when to stop"),
        ({"trials": 0}, "allow at least 1"),
        ({"trials": 5, "batch": 0}, "batch is 0"),
        ({"width": -0.1}, "widths above 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Adaptive(**options)


def test_a_curve_on_a_logarithmic_axis_and_a_width_in_words_are_refused() -> None:
    with pytest.raises(PsychometricError, match="choose normal"):
        bl.two_afc(Chooser(), ["nurse"], CUES, family="weibull", trials=Adaptive(5))
    with pytest.raises(ArgumentError, match="width is 'narrow'"):
        bl.two_afc(Chooser(), ["nurse"], CUES, trials=Adaptive(width="narrow"))  # type: ignore[arg-type]


def test_simulated_observers_can_be_asked_adaptively() -> None:
    subject = bl.observers.binomial({"item": 0.4}, 0.05, lapse=0.02).choosing(
        cues=[CUES], cannot_say=0.1, seed=1
    )
    trials = bl.two_afc(subject, "item", CUES, trials=Adaptive(50)).trials
    again = np.repeat(trials.alpha, trials.n)
    assert abs(np.median(again) - 0.4) < 0.15


def test_every_curve_has_a_posterior_of_its_own() -> None:
    result = bl.two_afc(
        Chooser(silent=0.1), list(PSE), CUES, observers=2, trials=Adaptive(width=0.25)
    )
    frame = curve_posteriors(result)
    assert list(zip(frame["item"], frame["observer"], strict=True)) == [
        ("nurse", "0"), ("nurse", "1"), ("clerk", "0"), ("clerk", "1")
    ]  # fmt: skip
    # Those by which the placement stopped, on a grid laid in other steps.
    assert ((frame["pse_high"] - frame["pse_low"]) <= 0.27).all()
    assert (frame["pse_low"] < frame["pse"]).all()
    assert frame["n_trials"].sum() == result.trials.n.sum()
    assert frame["n_cannot_say"].sum() > 0
    collected = curve_posteriors(bl.two_afc(result.trials))
    np.testing.assert_allclose(frame["pse"], collected["pse"], atol=0.02)
    with pytest.raises(QueryError, match="no trials"):
        curve_posteriors(bl.two_afc(bl.observers.binomial(0.5, observers=2), "item", CUES))


@pytest.mark.parametrize("seed", [1, 4])
def test_few_trials_of_one_observer_have_an_honest_interval(seed: int) -> None:
    # Placement avoids the ends, so that little is known of the rates there.
    truth = bl.observers.binomial({"nurse": 0.4}, 0.1)
    result = bl.two_afc(
        truth.choosing(seed=seed), ["nurse"], [("female", "male")], trials=Adaptive(80, keep=False)
    )
    low, high = result.pooled.corpus[0]
    assert low <= 0.4 <= high
    assert np.isfinite(result.pooled.pse[0])
    assert result.summary()
