"""Simulated observers hold the truth that was put into them."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import biaslab as bl
from biaslab import observers
from biaslab.errors import ObserverError
from biaslab.probes.opinion import ChoicesResult
from biaslab.subjects import EmbeddingSubject
from harness.heavy import optimize, stats

PAIRS = (("female", "male"), ("woman", "man"), ("she", "he"))
CURVES = {
    "normal": lambda: stats.norm(),
    "logistic": lambda: stats.logistic(),
    "skewed": lambda: stats.expon(loc=-math.log(2)),
}


def switch_points(
    subject: EmbeddingSubject, item: str, cues: tuple[str, str]
) -> NDArray[np.float64]:
    """alpha* by the closed form of Liang and Acuna (2020), eq. 8, written out independently."""
    w, c1, c2 = subject.vectors([item, *cues]).astype(np.float64).transpose(1, 0, 2)

    def cosine(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
        norms = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
        return np.asarray((a * b).sum(axis=1) / norms)

    return 0.5 - (cosine(w, c2) - cosine(w, c1)) / (2 * (1 - cosine(c1, c2)))


@pytest.mark.parametrize("distribution", CURVES)
def test_closed_form_finds_each_switch_point(distribution: str) -> None:
    subject = observers.embedding(
        {"nurse": 0.61, "chef": [0.4, 0.5, 1.2]},
        {"nurse": 0.05, "chef": [0.1, 0, 0.02]},
        cues=PAIRS,
        distribution=distribution,  # type: ignore[arg-type]
        cosine=0.95,
        seed=3,
    )
    truth = subject.truth
    assert truth.alpha_star.shape == (32, 2, 3)
    assert (truth.items, truth.cues) == (("nurse", "chef"), PAIRS)
    np.testing.assert_array_equal(truth.pse, [[0.61] * 3, [0.4, 0.5, 1.2]])
    for i, item in enumerate(truth.items):
        for k, pair in enumerate(PAIRS):
            found = switch_points(subject, item, pair)
            np.testing.assert_allclose(found, truth.alpha_star[:, i, k], atol=2e-5)
    np.testing.assert_allclose(truth.alpha_star[:, 1, 1], 0.5)


def test_bisection_over_the_stimulus_finds_the_same() -> None:
    """Without the closed form: the response of eq. 8 as a step in alpha."""
    subject = observers.embedding(0.3, 0.05, replicates=4, seed=5)
    w, c1, c2 = subject.vectors(["item", "female", "male"]).astype(np.float64).transpose(1, 0, 2)
    for b in range(4):
        u1, u2, uw = (v[b] / np.linalg.norm(v[b]) for v in (c1, c2, w))

        def leaning(alpha: float, u1: object = u1, u2: object = u2, uw: object = uw) -> float:
            # Similarity of stimulus and item to cue 2, less that to cue 1.
            stimulus = (1 - alpha) * np.asarray(u1) + alpha * np.asarray(u2)
            return float((stimulus + np.asarray(uw)) @ (np.asarray(u2) - np.asarray(u1)))

        root = optimize.brentq(leaning, -5, 5)
        assert root == pytest.approx(subject.truth.alpha_star[b, 0, 0], abs=1e-5)


@pytest.mark.parametrize("convention", ["quartile", "eq6", "sd"])
@pytest.mark.parametrize("distribution", CURVES)
def test_jnd_of_unit_scale_follows_its_definition(distribution: str, convention: str) -> None:
    curve = CURVES[distribution]()
    assert curve.median() == pytest.approx(0, abs=1e-12)
    if convention == "quartile":
        expected = curve.ppf(0.75) - curve.ppf(0.5)
    elif convention == "sd":
        expected = curve.std()
    else:
        expected = optimize.brentq(lambda d: curve.cdf(d / 2) - curve.cdf(-d / 2) - 0.5, 0, 20)
    unit = observers.JND_OF_UNIT_SCALE[distribution][convention]
    assert unit == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("convention", ["quartile", "eq6", "sd"])
@pytest.mark.parametrize("distribution", CURVES)
def test_draws_follow_the_distribution(distribution: str, convention: str) -> None:
    subject = observers.embedding(
        0.55,
        0.04,
        replicates=4000,
        distribution=distribution,  # type: ignore[arg-type]
        jnd_convention=convention,  # type: ignore[arg-type]
        cosine=0.99,
        seed=11,
    )
    scale = 0.04 / observers.JND_OF_UNIT_SCALE[distribution][convention]
    drawn = (subject.truth.alpha_star[:, 0, 0] - 0.55) / scale
    # A sound draw falls below once in a thousand seeds; this seed is fixed.
    assert stats.kstest(drawn, CURVES[distribution]().cdf).pvalue > 1e-3


@given(
    pse=st.floats(-0.2, 1.2),
    jnd=st.floats(0, 0.05),
    cosine=st.floats(0.9, 0.999),
    seed=st.integers(0, 2**32),
)
def test_switch_points_are_found_wherever_they_are(
    pse: float, jnd: float, cosine: float, seed: int
) -> None:
    subject = observers.embedding(pse, jnd, replicates=3, cosine=cosine, seed=seed)
    found = switch_points(subject, "item", ("female", "male"))
    np.testing.assert_allclose(found, subject.truth.alpha_star[:, 0, 0], atol=2e-3)
    swapped = switch_points(subject, "item", ("male", "female"))
    np.testing.assert_allclose(found + swapped, 1, atol=1e-6)


def test_correlation_between_pairs() -> None:
    def correlation(value: float) -> float:
        subject = observers.embedding(
            0.5, 0.02, replicates=3000, cues=PAIRS[:2], correlation=value, cosine=0.99, seed=2
        )
        return float(np.corrcoef(subject.truth.alpha_star[:, 0].T)[0, 1])

    assert correlation(0) == pytest.approx(0, abs=0.06)
    assert correlation(0.6) == pytest.approx(0.6, abs=0.06)
    assert correlation(1) == pytest.approx(1)


def test_seed_makes_it_reproducible_and_nothing_global_is_touched() -> None:
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, second = (observers.embedding(0.6, 0.1, seed=1) for _ in range(2))
    assert first.content_hash == second.content_hash
    assert observers.embedding(0.6, 0.1, seed=2).content_hash != first.content_hash
    assert observers.embedding(0.6, 0.1).content_hash != first.content_hash
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_replicates_look_nothing_alike_but_for_their_cosines() -> None:
    subject = observers.embedding(0.6, 0.1, replicates=2, seed=1)
    first, second = subject.vectors(["female"])[:, 0]
    assert abs(float(first @ second)) < 0.98 * float(np.linalg.norm(first) * np.linalg.norm(second))
    lengths = np.linalg.norm(subject.vectors(["female", "male", "item"]), axis=2)
    assert np.ptp(lengths) > 0.1


def test_kind_and_words() -> None:
    subject = observers.embedding({"nurse": 0.6}, 0.1, cues=PAIRS[:2])
    assert (subject.kind, subject.n_replicates) == ("observer", 32)
    assert list(subject.words) == ["female", "male", "woman", "man", "nurse"]


def test_what_cannot_be_built_says_what_to_relax() -> None:
    with pytest.raises(ObserverError, match=r"Use cosine=0\.\d+ or nearer to 1") as caught:
        observers.embedding({"nurse": 2.5}, 0.1, cues=PAIRS, cosine=0.2, seed=1)
    assert "'nurse'" in str(caught.value)
    assert "fewer cue pairs" in str(caught.value)
    enough = float(str(caught.value).split("Use cosine=")[1].split()[0])
    observers.embedding({"nurse": 2.5}, 0.1, cues=PAIRS, cosine=enough, seed=1)


EMBEDDING = functools.partial(observers.embedding, pse=0.5, jnd=0.1)
BINOMIAL = functools.partial(observers.binomial, pse=0.5, jnd=0.1)
CHOOSING = observers.binomial(0.5, 0.1).choosing


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (EMBEDDING, {"pse": {}}, "pse is empty"),
        (EMBEDDING, {"pse": math.nan}, "finite"),
        (EMBEDDING, {"jnd": -0.1}, "at least 0"),
        (EMBEDDING, {"jnd": {"other": 0.1}}, "jnd lacks item"),
        (EMBEDDING, {"pse": {"item": [0.1, 0.2]}}, "one per cue pair"),
        (EMBEDDING, {"replicates": 0}, "at least one"),
        (EMBEDDING, {"cues": ()}, "pass pairs"),
        (EMBEDDING, {"cues": ("fe", "ma")}, "pass pairs"),
        (EMBEDDING, {"cues": (("a", "b", "c"),)}, "pass pairs"),
        (EMBEDDING, {"cues": (("a", "b"), ("b", "c"))}, "b: a cue can be in one pair only"),
        (EMBEDDING, {"cues": (("item", "b"),)}, "cannot be a cue"),
        (EMBEDDING, {"distribution": "cauchy"}, "choose one of normal"),
        (EMBEDDING, {"jnd_convention": "fwhm"}, "choose one of quartile"),
        (EMBEDDING, {"cosine": 1.0}, "below 1"),
        (EMBEDDING, {"correlation": 2}, "from 0 to 1"),
        (EMBEDDING, {"dim": 2}, "need at least 3"),
        (BINOMIAL, {"jnd": 0}, "above 0"),
        (BINOMIAL, {"guess": 0.6, "lapse": 0.5}, "below 1"),
        (BINOMIAL, {"guess": -0.1}, "at least 0"),
        (BINOMIAL, {"observers": 0}, "at least 1"),
        (BINOMIAL, {"spread": -1}, "at least 0"),
        (CHOOSING, {"overdispersion": 1.0}, "below 1"),
        (CHOOSING, {"cannot_say": -0.1}, "at least 0"),
        (CHOOSING, {"cues": (("a", "b"), ("b", "a"))}, "each once"),
        (CHOOSING, {"order_effect": math.nan}, "a number in units of alpha"),
    ],
)
def test_wrong_parameters(
    make: Callable[..., object], options: dict[str, object], message: str
) -> None:
    with pytest.raises(ObserverError, match=message):
        make(**options)


@pytest.mark.parametrize("distribution", CURVES)
def test_binomial_observers_answer_by_their_curve(distribution: str) -> None:
    who = observers.binomial(
        0.6,
        0.1,
        guess=0.05,
        lapse=0.02,
        distribution=distribution,  # type: ignore[arg-type]
    )
    alpha = np.linspace(0, 1, 11)
    scale = 0.1 / observers.JND_OF_UNIT_SCALE[distribution]["quartile"]
    expected = 0.05 + 0.93 * CURVES[distribution]().cdf((alpha - 0.6) / scale)
    np.testing.assert_allclose(who("item", "female", "male", alpha, 0), expected, rtol=1e-9)
    assert who("item", "a", "b", 0.6) == pytest.approx(0.05 + 0.93 / 2)


def test_binomial_arguments_are_broadcast() -> None:
    who = observers.binomial({"nurse": 0.6, "chef": 0.4}, 0.1, observers=5, spread=0.05, seed=1)
    items = np.array(["nurse", "chef"])[:, None, None]
    alpha = np.linspace(0, 1, 7)[None, :, None]
    observer = np.arange(5)[None, None, :]
    answers = who.respond(items, "female", "male", alpha, observer)
    assert answers.shape == (2, 7, 5)
    single = who.respond("chef", "female", "male", alpha[0, 3, 0], 4)
    assert answers[1, 3, 4] == pytest.approx(float(single))
    assert np.all(np.diff(answers, axis=1) > 0)
    own = who.pse["nurse"]
    assert own.shape == (5,)
    assert np.ptp(own) > 0
    at_own = who.respond("nurse", "a", "b", own, np.arange(5))
    np.testing.assert_allclose(at_own, 0.5)


def test_binomial_unknown_item_or_observer() -> None:
    who = observers.binomial({"nurse": 0.6}, 0.1, observers=2)
    with pytest.raises(ObserverError, match="chef: unknown items"):
        who("chef", "a", "b", 0.5)
    with pytest.raises(ObserverError, match="numbered 0 to 1"):
        who("nurse", "a", "b", 0.5, 2)


def test_choosing_observers_answer_at_their_rates() -> None:
    who = observers.binomial({"nurse": 0.6}, 0.1).choosing(order_effect=0.1, cannot_say=0.2, seed=1)
    trials = np.full(100_000, 0.6)
    first, second = (
        who("nurse", *cues, alpha) for cues, alpha in (
            (("female", "male"), trials), (("male", "female"), 1 - trials)
        )
    )  # fmt: skip
    for answers in (first, second):
        assert set(np.unique(answers[~np.isnan(answers)])) == {0.0, 1.0}
        assert np.isnan(answers).mean() == pytest.approx(0.2, abs=0.01)
        # Either time the PSE is half the effect farther from the first of the cues.
        expected = stats.norm.cdf(-0.05 / (0.1 / 0.6745))
        assert np.nanmean(answers) == pytest.approx(expected, abs=0.01)


def test_an_overdispersed_observer_keeps_its_probability_for_a_question() -> None:
    who = observers.binomial({"nurse": 0.5}, 0.1, observers=400)
    answering = who.choosing(overdispersion=0.3, seed=1)
    asked = np.full((200, 400), 0.5), np.arange(400)
    one, two = (answering("nurse", "female", "male", *asked).mean(axis=0) for _ in range(2))
    assert np.corrcoef(one, two)[0, 1] > 0.95
    assert one.var() == pytest.approx(0.25 * 0.3, rel=0.2)


def test_unknown_cues_are_named() -> None:
    with pytest.raises(ObserverError, match="she / he: unknown cues"):
        observers.binomial(0.5, 0.1).choosing()("item", "she", "he", 0.5)


def test_rankings_have_the_preferences_that_were_planted(tmp_path: Path) -> None:
    likes = {"clerk": {"women": math.log(2)}, "nurse": {}}
    path = observers.rankings(tmp_path / "r.jsonl", likes, n=2_000, seed=1)
    result = bl.opinion(path, permutations=199)
    assert isinstance(result, ChoicesResult)
    clerk, nurse = result.cells
    (women,) = [one for split in clerk.splits for one in split.shares if one.name == "women"]
    # Four women with odds of 2 beside four men with 1: two of three.
    assert women.interval.low < 2 / 3 < women.interval.high
    assert clerk.groups.differs
    assert not nurse.groups.differs
    again = observers.rankings(tmp_path / "s.jsonl", likes, n=2_000, seed=1)
    assert again.read_bytes() == path.read_bytes()


def test_rankings_follow_places_and_lists(tmp_path: Path) -> None:
    groups, odds = ("women", "men"), math.log(3)
    path = observers.rankings(
        tmp_path / "r.jsonl", groups=groups, listed={"women": odds}, place=odds
    )
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    # Odds of 3 to 1, four standard deviations wide.
    first = np.mean([line["groups"][0] == "women" for line in lines])
    place = np.mean([line["reply"].startswith(f"1. {line['order'][0]}") for line in lines])
    assert (first, place) == pytest.approx((0.75, 0.75), abs=4 * math.sqrt(0.1875 / 1_000))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"groups": ["women"]}, "at least two"),
        ({"n": 0}, "at least 1 ranking"),
        ({"names": 100}, "1 to 99 names"),
        ({"likes": {"clerk": {"robots": 1.0}}}, "no such group"),
    ],
)
def test_rankings_of_no_use_are_refused(tmp_path: Path, options: dict[str, Any], says: str) -> None:
    with pytest.raises(ObserverError, match=says):
        observers.rankings(tmp_path / "r.jsonl", **options)
