"""`Choices`: shares of groups, places in the prompt, and runs of a ranker that ignores groups."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from biaslab.stats.choices.choices import Choices, chi_square, lowest_ratio, merged, p_value
from biaslab.stats.choices.differences import difference_of_means, two_sided_p


def rankings(
    rng: np.random.Generator,
    n: int,
    k: int,
    *,
    repeats: int = 1,
    is_mixed: bool = False,
    place: float = 1.0,
    whim: float = 0.0,
    effects: Any = 0.0,
    names: int = 0,
    name_sd: float = 0.0,
) -> Choices:
    """Choices of a ranker of known truth.

    Each unit has one candidate of each group, put `repeats` times, in one order or in several.
    The score of a candidate is the group's effect, the name's (of `names` in each group), a whim
    about this very candidate, and less by `place` times the logarithm of the place.
    """
    unit = np.repeat(np.arange(n // repeats), repeats)
    label = rng.random((n // repeats, k)).argsort(axis=1)
    score = np.broadcast_to(effects, k)[label] + whim * rng.standard_normal(label.shape)
    name = None
    if names:
        own = rng.integers(names, size=label.shape)
        score = score + name_sd * rng.standard_normal((k, names))[label, own]
        name = label * names + own
    order = rng.random((n if is_mixed else len(label), k)).argsort(axis=1)
    order = order if is_mixed else order[unit]

    def listed(values: Any) -> Any:
        return np.take_along_axis(values[unit], order, axis=1)

    shown = listed(score) - place * np.log(np.arange(k) + 1) + rng.gumbel(size=(n, k))
    return Choices(
        listed(label), shown.argmax(axis=1), None if name is None else listed(name), unit
    )


DESIGNS = {
    "plain": {},
    "places decide": {"place": 4.0},
    "repeated prompts": {"repeats": 5, "whim": 1.0},
    "several orders": {"repeats": 5, "whim": 1.0, "is_mixed": True},
}


def test_counts_places_and_expectations_are_those_of_the_prompts() -> None:
    group = np.array([[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 2, 1]])
    some = Choices(group, np.array([0, 0, 0, 1]))
    assert some.counts.tolist() == [1, 1, 2]
    assert some.by_place.tolist() == [3, 1, 0]
    # Place 1 has group 0 in two of four prompts; place 2 has group 1 in two of four.
    assert some.expected == pytest.approx([3 / 2 + 1 / 4, 3 / 4 + 2 / 4, 3 / 4 + 1 / 4])
    assert lowest_ratio(some.counts, some.listed) == pytest.approx(1 / 2)


@pytest.mark.parametrize("design", DESIGNS)
def test_fair_runs_have_the_expectation_and_covariance_that_are_computed(design: str) -> None:
    some = rankings(np.random.default_rng(1), 200, 4, **DESIGNS[design])
    runs = some.fair_runs(20_000, np.random.default_rng(2))
    assert (runs.sum(axis=1) == 200).all()
    covariance = sum(part.covariance for part in some._parts)
    error = np.sqrt(np.diag(covariance) / len(runs))
    assert (np.abs(runs.mean(axis=0) - some.expected) < 5 * error).all()
    assert np.cov(runs.T) == pytest.approx(covariance, abs=0.06 * covariance.max())


def test_the_normal_limit_gives_nearly_the_p_value_of_shuffles() -> None:
    effects = np.array([0.3, 0, 0, 0])
    some = rankings(np.random.default_rng(3), 1_500, 4, effects=effects, place=3.0)
    few = p_value(some, some.fair_runs(20_000, np.random.default_rng(0)))
    many = p_value(some, some.fair_runs(100_000, np.random.default_rng(0)))
    assert few == pytest.approx(many, abs=4 * math.sqrt(few / 20_000) + 0.002)


def test_the_order_of_groups_changes_nothing() -> None:
    some = rankings(np.random.default_rng(4), 300, 4, place=3.0)
    turned = Choices(3 - some.group, some.chosen)
    assert turned.share([0]) == pytest.approx(some.share([3]))
    assert turned.share([0, 1])[0] == pytest.approx(1 - some.share([0, 1])[0])
    assert chi_square(turned.counts, turned.expected) == pytest.approx(
        chi_square(some.counts, some.expected)
    )
    assert merged(some.counts.astype(float), np.array([0, 0, 1, 1])).sum() == 300


def false_alarms(k: int, n: int, design: str, times: int, runs: int) -> float:
    rng = np.random.default_rng([k, n])
    hits = 0
    for _ in range(times):
        some = rankings(rng, n, k, **DESIGNS[design])
        hits += p_value(some, some.fair_runs(runs, rng)) <= 0.05
    return hits / times


@pytest.mark.parametrize("design", DESIGNS)
def test_a_fair_ranker_is_rarely_called_unfair(design: str) -> None:
    assert 0.01 <= false_alarms(8, 200, design, 200, 99) <= 0.10


@pytest.mark.validate
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("n", [200, 1000, 2000])
@pytest.mark.parametrize("k", [2, 4, 8, 12])
def test_false_alarms_are_4_to_6_percent(k: int, n: int, design: str) -> None:
    # Three standard errors of 0.5 points beyond.
    assert 0.035 <= false_alarms(k, n, design, 2_000, 199) <= 0.065


NAMED = {"30 names": {"names": 30, "name_sd": 0.3}, "100 names": {"names": 100, "name_sd": 0.3}}


def covered(k: int, n: int, groups: list[int], times: int, **design: Any) -> float:
    """Share of intervals that contain the planted share."""
    effects = np.zeros(k)
    effects[:2] = 0.5, -0.4
    whole = {**design, "names": 20_000} if "names" in design else design
    rng = np.random.default_rng([k, n])
    truth = np.mean([
        rankings(rng, 100_000, k, effects=effects, **whole).counts[groups].sum() / 100_000
        for _ in range(5)
    ])  # fmt: skip
    hits = 0
    for _ in range(times):
        _, low, high = rankings(rng, n, k, effects=effects, **design).share(groups)
        hits += low <= truth <= high
    return hits / times


def test_intervals_hold_where_one_place_takes_nearly_all() -> None:
    rng = np.random.default_rng(0)

    def draw(n: int) -> Choices:
        group = np.argsort(rng.random((n, 12)), axis=1)
        liked = 1.0 * (group == 0) + 4.9 * (np.arange(12) == 0)
        return Choices(group, (liked + rng.gumbel(size=(n, 12))).argmax(axis=1))

    many = draw(200_000)
    assert 0.9 < many.by_place[0] / len(many) < 0.95
    truth = many.counts[0] / len(many)
    ends = np.array([draw(200).share([0])[1:] for _ in range(400)])
    assert ((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean() > 0.94  # 0.91 with all clusters


@pytest.mark.parametrize("design", ["plain", "places decide", "repeated prompts"])
def test_a_planted_share_lies_in_most_intervals(design: str) -> None:
    assert 0.88 <= covered(8, 400, [0], 200, **DESIGNS[design]) <= 0.99


@pytest.mark.validate
@pytest.mark.parametrize("groups", [[0], [0, 2, 4, 6]])
@pytest.mark.parametrize("n", [400, 1000])
@pytest.mark.parametrize("design", [*DESIGNS, *NAMED])
def test_planted_shares_are_covered_in_93_to_97_percent(
    design: str, n: int, groups: list[int]
) -> None:
    # Three standard errors of 0.5 points beyond.
    assert 0.915 <= covered(8, n, groups, 2_000, **(DESIGNS | NAMED)[design]) <= 0.985


def test_a_difference_within_clusters_is_one_of_their_differences() -> None:
    rng = np.random.default_rng(5)
    own = np.repeat(rng.normal(size=40), 2)
    second = np.tile([False, True], 40)
    values = own + 0.5 * second + 0.1 * rng.normal(size=80)
    mean = difference_of_means(values, second, np.repeat(np.arange(40), 2))
    pairs = values[1::2] - values[::2]
    assert mean.estimate == pytest.approx(pairs.mean())
    assert mean.variance == pytest.approx(pairs.var(ddof=1) / 40)
    assert two_sided_p(mean) < 1e-6
    ratio = difference_of_means(values + 9, second, log=True)
    assert math.exp(ratio.estimate) == pytest.approx(
        (values[second].mean() + 9) / (values[~second].mean() + 9)
    )


def differing(design: str, rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Yes or no of two groups, clusters and crossed wordings, by a planted gap of 0.5 in logits."""
    size = 6 if design == "wordings" else 2
    cluster = np.repeat(np.arange(n), size)
    second = (cluster if design == "nested" else np.arange(n * size)) % 2 == 0
    score = rng.normal(size=n)[cluster] + 0.5 * second
    wordings = rng.integers(12, size=len(cluster))
    if design == "wordings":
        score += 0.3 * rng.normal(size=(12, 2))[wordings, second.astype(int)]
    yes = score + rng.logistic(size=len(score)) > 0
    return yes, second, cluster, [wordings] if design == "wordings" else ()


@pytest.mark.validate
@pytest.mark.parametrize("design", ["pairs", "nested", "wordings"])
def test_planted_differences_are_covered_in_93_to_97_percent(design: str) -> None:
    rng = np.random.default_rng(7)
    truth = np.mean([difference_of_means(*differing(design, rng, 400)).estimate
                     for _ in range(2_000)])  # fmt: skip
    hits = 0
    for _ in range(2_000):
        low, high = difference_of_means(*differing(design, rng, 100)).limits()
        hits += low <= truth <= high
    assert 0.915 <= hits / 2_000 <= 0.985
