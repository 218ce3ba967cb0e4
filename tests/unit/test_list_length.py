"""Lengths of word lists: prediction, suggested words, and what they change."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.probes.association.list_length import ListLength, _settles, list_length
from biaslab.probes.association.lists import AssociationLists, units
from biaslab.probes.association.weat import WeatResult
from biaslab.probes.association.word_draws import difference_over_words
from biaslab.probes.association.word_suggestions import _closeness, _cluster_means
from biaslab.records.result import Interval

SPREADS = (0.06, 0.03, 0.08)
"""SDs over target words, attribute words and single cosines."""


def cosines(rng: np.random.Generator, n: int, effect: float) -> Any:
    """Cosines of two lists of n target words with two of n attribute words."""
    group, side = np.repeat([0.5, -0.5], n), np.repeat([1.0, -1.0], n)
    words = effect * group + SPREADS[0] * rng.standard_normal(2 * n)
    attributes = SPREADS[1] * rng.standard_normal(2 * n)
    table = np.outer(words, side / 2) + np.outer(np.sign(group), attributes / 2)
    return (0.1 + table + SPREADS[2] * rng.standard_normal((2 * n, 2 * n)))[None]


def interval(rng: np.random.Generator, table: Any, n: int) -> Interval:
    return difference_over_words(table, [n, n], (n, n), 0.95, 1000, rng)[1]


@pytest.fixture(scope="module")
def base() -> WeatResult:
    return bl.weat(bl.load("wiki-bootstraps").replicate(0), "weat-6", resamples=20)


def measured(base: WeatResult, rng: np.random.Generator, n: int, effect: float) -> WeatResult:
    table = cosines(rng, n, effect)
    lists = AssociationLists(
        groups={g: tuple(f"{g}{i}" for i in range(n)) for g in "xy"},
        attributes={a: tuple(f"{a}{i}" for i in range(n)) for a in "ab"},
    )
    now = (interval(rng, table, n),)
    return replace(base, lists=lists, cosines=table, statistic_intervals=now)


def test_longer_lists_narrow_the_interval_as_predicted(base: WeatResult) -> None:
    rng = np.random.default_rng(1)
    one = list_length(measured(base, rng, 24, 0.1), repeats=4)
    now, longer = np.interp(np.log([1, 4]), np.log(one.growth), one.half_width)
    assert now == pytest.approx((one.interval.high - one.interval.low) / 2, rel=0.15)
    assert longer == pytest.approx(now / 2, rel=0.15)
    found = [interval(rng, cosines(rng, 96, 0.1), 96) for _ in range(4)]
    assert longer == pytest.approx(np.mean([i.high - i.low for i in found]) / 2, rel=0.4)
    assert one.is_settled
    assert one.settled_at(0.15) < 0.8 < one.settled_at(1)
    assert one.lengths(one.needed)["groups.x"] < 24
    assert one.shares_settled[0] <= one.shares_settled[-1] == 1


def test_without_a_clear_effect_no_length_is_given_but_with_a_margin(base: WeatResult) -> None:
    nothing = measured(base, np.random.default_rng(2), 8, 0.0)
    one = list_length(nothing, repeats=2)
    assert math.isnan(one.needed)
    assert one.least > 0.1
    assert "may be 0" in one.reason
    assert np.isnan(one.settled).all()
    assert "Probability" not in one.summary()
    assert one.headline.startswith("No length is sure to do")
    planned = list_length(nothing, repeats=2, margin=0.05)
    assert planned.needed > 1
    assert planned.settled_at(planned.needed) == pytest.approx(0.8, abs=0.02)
    only = list_length(nothing, repeats=2, margin=0.05, grow="groups")
    assert only.lengths(4)["attributes.a"] == 8
    assert only.settled_at(16) < planned.settled_at(16)


def test_distance_models_are_halved_and_predicted() -> None:
    emb = bl.load("wiki-bootstraps").replicate(0)
    r = bl.distance_model(emb, "manzini-religion", draws=400)
    one = list_length(r, repeats=1, contrast=("none", "associated"))
    assert one.measure == "none − associated"
    assert one.interval == r.contrast("none", "associated").interval
    assert (one.high - one.low).mean(axis=1)[0] > (one.high - one.low).mean(axis=1)[-1]
    with pytest.raises(QueryError, match="grow='all'"):
        list_length(r, grow="groups")
    with pytest.raises(QueryError, match=r"bl\.weat"):
        list_length(bl.mac(emb, "manzini-religion"))  # type: ignore[arg-type]


def test_suggestions_do_not_see_what_is_tested() -> None:
    emb = bl.load("wiki-bootstraps").replicate(0)
    one = bl.association.suggest_words(emb, "weat-7", "groups.math", limit=10)
    assert {"theorem", "mathematical"} & set(one.words)
    assert one.reject(["theorem"]).words == tuple(w for w in one.words if w != "theorem")
    assert one.accept(["theorem"]).words == ("theorem",)
    with pytest.raises(QueryError, match="Not suggested"):
        one.accept(["banana"])
    lists = AssociationLists.of("weat-7").known_to(emb)
    female, male = (emb.vectors(words)[0] for words in lists.attributes.values())
    tested = units(female).mean(axis=0) - units(male).mean(axis=0)
    words = [*one.words, "nurse", "engineer"]
    before, _ = _closeness(emb, lists, "groups.math", words)
    # Candidates that lean far to one side or the other are as close as they were.
    shift = np.linspace(-0.3, 0.3, len(words))[:, None] * units(tested)
    moved = dict(zip(emb._words_by_row, np.asarray(emb.vectors(emb._words_by_row)[0]), strict=True))
    plain = units(emb.vectors(words)[0])
    moved |= dict(zip(words, plain + shift, strict=True))
    after, _ = _closeness(bl.load(moved), lists, "groups.math", words)
    assert np.allclose(before, after, atol=1e-5)


def test_neighbours_count_with_the_word_they_stand_beside() -> None:
    emb = bl.load("wiki-bootstraps").replicate(0)
    near = bl.association.suggest_words(emb, "weat-7", "attributes.male terms", limit=12)
    assert "" in near.beside
    assert any(near.beside)
    grown = bl.association.list_growth(emb, "weat-7", near, resamples=400)
    alone = bl.weat(emb, "weat-7", resamples=400)
    assert grown.estimate[0] == pytest.approx(alone.statistic)
    assert grown.own.tolist() == [not beside for beside in near.beside]
    added = [("groups.x", "c", "a"), ("groups.x", "d", "")]
    weights, sizes = _cluster_means({"groups.x": ("a", "b")}, added, 4)
    assert sizes == [3]
    assert weights.tolist() == [[0.5, 0, 0.5, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
    with pytest.raises(QueryError, match="other words"):
        bl.association.list_growth(emb, "weat-8", replace(near, list_words=("he",)))


@pytest.mark.validate
def test_lists_of_the_needed_length_settle_four_of_five_verdicts(base: WeatResult) -> None:
    rng = np.random.default_rng(3)
    settled, given = [], []
    for _ in range(900):
        effect = rng.normal(0, 0.3)
        one: ListLength = list_length(measured(base, rng, 8, effect), repeats=1, rng=rng)
        given.append(math.isfinite(one.needed))
        if given[-1]:
            n = one.lengths(one.needed)["groups.x"]
            found = interval(rng, cosines(rng, n, effect), n)
            settled.append(bool(_settles(found.low, found.high, None)))
    assert np.mean(settled) == pytest.approx(0.8, abs=0.05)
    nothing = [
        list_length(measured(base, rng, 8, 0.0), repeats=1, rng=rng).needed for _ in range(300)
    ]
    assert np.isfinite(nothing).mean() < 0.05


@pytest.mark.validate
def test_random_lists_grown_by_their_neighbours_show_no_bias() -> None:
    emb = bl.load("wiki-bootstraps").replicate(0)
    attributes = bl.specs.get("weat-8").attributes
    taken = {word for words in attributes.values() for word in words}
    pool = [w for w in emb._words_by_row if w.isalpha() and w.islower() and w not in taken]
    rng = np.random.default_rng(5)
    clear = []
    for _ in range(400):
        words = rng.choice(pool, 16, replace=False).tolist()
        groups = {"x": tuple(words[:8]), "y": tuple(words[8:])}
        lists = AssociationLists(groups=groups, attributes=attributes)
        both = [bl.association.suggest_words(emb, lists, f"groups.{g}", limit=16) for g in groups]
        grown = bl.association.list_growth(emb, lists, both, resamples=800)
        clear.append(bool(grown.clear[-1]))
    assert np.mean(clear) <= 0.05
