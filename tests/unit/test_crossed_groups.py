"""Effects of crossed groups: planted truth, coverage, invariants, and refusals."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import ArgumentError, QueryError
from biaslab.probes.crossed_groups import CrossedGroups, crossed_groups
from biaslab.probes.sentences.agreeing import frame_pairs
from biaslab.stats.crossed.effects import crossed_contrasts
from harness.heavy import torch
from harness.needs import needs
from harness.sentence_pairs import FakeModel, TextScorer

FACTORS = {
    "gender": {"female": ["fa", "fb"], "male": ["ma", "mb"]},
    "origin": {"A": ["fa", "ma"], "B": ["fb", "mb"]},
}
PAIRS = [("fa", "ma"), ("fa", "mb"), ("fb", "ma"), ("fb", "mb")]
SIDES = {"fa": (1, 1), "fb": (1, -1), "ma": (-1, 1), "mb": (-1, -1)}
TRUTH = np.array([0.5, 0.3, 0.2])
"""Gender, origin, interaction."""


def _crossed(
    effects: Any, rng: np.random.Generator, noise: float, pairs: Any = PAIRS, **options: Any
) -> CrossedGroups:
    """Cross groups whose effects are given by item and observer, (n, B, 3)."""
    n, b = effects.shape[:2]
    cell = {
        name: effects @ np.array([g / 2, o / 2, g * o / 4]) + noise * rng.normal(size=(n, b))
        for name, (g, o) in SIDES.items()
    }
    item, observer = (index.ravel() for index in np.indices((n, b)))
    values = np.concatenate([(cell[first] - cell[second]).ravel() for first, second in pairs])
    settings: dict[str, Any] = {"unit": "points", "observers": "frames", "level": 0.95}
    return crossed_groups(
        values,
        [pair for pair in pairs for _ in range(n * b)],
        np.tile(item, len(pairs)),
        np.tile(observer, len(pairs)),
        [f"item {i}" for i in range(n)],
        options.pop("factors", FACTORS),
        **settings | options,
    )


def _simulated(rng: np.random.Generator, n: int, b: int, sd: float, frames: float) -> Any:
    items = TRUTH + sd * rng.normal(size=(n, 3))
    return items, items[:, None] + frames * rng.normal(size=(b, 3))


def _coverage(runs: int, n: int, b: int, sd: float, frames: float, noise: float) -> Any:
    rng = np.random.default_rng([n, b])
    of_mean, of_items = [], []
    for _ in range(runs):
        items, effects = _simulated(rng, n, b, sd, frames)
        found = _crossed(effects, rng, noise).effects
        of_mean.append([e.low <= truth <= e.high for e, truth in zip(found, TRUTH, strict=True)])
        of_items += [
            (e.item_intervals[:, 0] <= items[:, k]) & (items[:, k] <= e.item_intervals[:, 1])
            for k, e in enumerate(found)
        ]
    return np.mean(of_mean), np.mean(of_items)


def test_effects_without_noise_are_exact() -> None:
    effects = np.broadcast_to(TRUTH, (4, 3, 3)) + 0.0
    found = _crossed(effects, np.random.default_rng(0), 0.0)
    assert [e.name for e in found.effects] == [
        "gender: female − male", "origin: A − B", "gender × origin: (female − male) × (A − B)",
    ]  # fmt: skip
    np.testing.assert_allclose([e.estimate for e in found.effects], TRUTH, atol=1e-12)
    np.testing.assert_allclose(found.effect("origin", "gender").item_estimates, 0.2, atol=1e-6)
    assert (found.units, found.incomplete) == (12, 0)


def test_a_summary_says_which_effects_are_not_clear() -> None:
    effects = np.broadcast_to([0.5, 0.0, 0.0], (8, 4, 3)) + 0.0
    found = _crossed(effects, np.random.default_rng(0), 0.1)
    lines = found.summary().splitlines()[:3]
    assert ["no clear effect" in line for line in lines] == [False, True, True]


@pytest.fixture
def six_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Find the ends of pooled intervals to six digits, which is near enough to count."""
    monkeypatch.setattr("biaslab.stats.pooling._BISECTIONS", 24)


@pytest.mark.usefixtures("six_digits")
def test_intervals_cover_effects_and_items_in_short() -> None:
    of_mean, of_items = _coverage(30, 10, 10, 0.3, 0.2, 0.4)
    # 90 intervals of effects, which share data; 900 of items.
    assert of_mean > 0.9
    assert 0.9 < of_items <= 1


@pytest.mark.validate
@pytest.mark.parametrize(
    ("n", "b", "sd", "frames"), [(12, 12, 0.3, 0.2), (6, 12, 0.3, 0.2), (12, 6, 0.3, 0.0),
                                 (12, 12, 0.0, 0.2), (5, 20, 0.5, 0.3)],
)  # fmt: skip
def test_intervals_cover_effects_and_items_at_their_level(
    n: int, b: int, sd: float, frames: float
) -> None:
    of_mean, of_items = _coverage(300, n, b, sd, frames, 0.4)
    assert of_mean > 0.92
    assert of_items > 0.91


@pytest.mark.usefixtures("six_digits")
def test_items_are_nearer_to_the_truth_than_their_own_means() -> None:
    rng = np.random.default_rng(1)
    alone = pooled = 0.0
    for _ in range(10):
        items, effects = _simulated(rng, 12, 4, 0.1, 0.0)
        found = _crossed(effects, rng, 0.8)
        pooled += float(((found.effects[0].item_estimates - items[:, 0]) ** 2).sum())
        # The mean over observers has the variance of four cells' noise, as contrasts add them.
        alone += 12 * 0.8**2 / 4
    assert pooled < 0.7 * alone


def test_the_order_of_terms_and_pairs_changes_nothing() -> None:
    rng = np.random.default_rng(2)
    _, effects = _simulated(rng, 4, 4, 0.3, 0.2)
    one = _crossed(effects, np.random.default_rng(3), 0.2)
    turned = [(second, first) for first, second in reversed(PAIRS)]
    other = _crossed(effects, np.random.default_rng(3), 0.2, turned)
    for a, b in zip(one.effects, other.effects, strict=True):
        np.testing.assert_allclose([a.estimate, a.low, a.high], [b.estimate, b.low, b.high])


def test_signs_turn_items_round_and_leave_out_those_without() -> None:
    effects = np.ones((5, 3, 3)) * np.array([1, 1, -1, -1, 9])[:, None, None] * TRUTH
    signs = {"item 0": 1, "item 1": 1, "item 2": -1, "item 3": -1}
    found = _crossed(effects, np.random.default_rng(0), 0.0, signs=signs)
    np.testing.assert_allclose([e.estimate for e in found.effects], TRUTH, atol=1e-12)
    assert found.items == ("item 0", "item 1", "item 2", "item 3")


def test_missing_values_leave_out_the_item_by_observer_and_count_it() -> None:
    rng = np.random.default_rng(4)
    cell = {name: rng.normal(size=(4, 4)) for name in SIDES}
    values = np.concatenate([(cell[a] - cell[b]).ravel() for a, b in PAIRS])
    item, observer = (index.ravel() for index in np.indices((4, 4)))
    values[[0, 16]] = np.nan  # of the first item and observer two of four pairs are left
    found = crossed_groups(
        values, [pair for pair in PAIRS for _ in range(16)], np.tile(item, 4), np.tile(observer, 4),
        list("wxyz"), FACTORS, unit="nats", observers="frames", level=0.95,
    )  # fmt: skip
    assert (found.units, found.incomplete) == (15, 1)
    assert "1 incomplete ones are left out" in found.summary()


def test_three_levels_have_an_effect_each_that_sum_to_zero() -> None:
    names = [f"{g}{o}" for g, o in product("fm", "abc")]
    factors = {
        "gender": {g: [n for n in names if n[0] == g] for g in "fm"},
        "origin": {o: [n for n in names if n[1] == o] for o in "abc"},
    }
    theta = {"a": 3.0, "b": 1.0, "c": -1.0}
    terms = [(f"f{o}", f"m{p}") for o, p in product("abc", "abc")]
    values = np.array([1.0 + theta[a[1]] - theta[b[1]] for a, b in terms])
    n = len(terms)
    found = crossed_groups(
        np.tile(values, 12), terms * 12, np.repeat(np.arange(12) // 3, n),
        np.repeat(np.arange(12) % 3, n), list("wxyz"), factors, unit="nats", observers="frames",
        level=0.95,
    )  # fmt: skip
    estimates = {effect.name: effect.estimate for effect in found.effects}
    assert estimates["gender: f − m"] == pytest.approx(1)
    assert estimates["origin: a − mean"] == pytest.approx(2)
    assert estimates["origin: c − mean"] == pytest.approx(-2)
    assert sum(e.estimate for e in found.effects if e.factors == ("origin",)) == pytest.approx(0)
    assert len([e for e in found.effects if len(e.factors) == 2]) == 3


def test_contrasts_of_cells_sum_to_zero_and_two_levels_have_their_difference() -> None:
    parts = crossed_contrasts([2, 3, 2])
    assert [factors for factors, _ in parts] == [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    for _, rows in parts:
        np.testing.assert_allclose(rows.sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(crossed_contrasts([2, 2])[0][1], [[0.5, 0.5, -0.5, -0.5]])
    np.testing.assert_allclose(crossed_contrasts([2, 2])[2][1], [[1, -1, -1, 1]])


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"factors": {"gender": FACTORS["gender"]}}, ArgumentError, "needs two factors"),
        ({"factors": ["gender", "origin"]}, ArgumentError, "factors is"),
        ({"factors": FACTORS | {"origin": {"A": ["fa"], "B": ["fb", "mb"]}}}, QueryError,
         "'ma' has no level of 'origin'"),
        ({"factors": FACTORS | {"origin": {"A": ["fa", "ma"], "B": ["fa", "fb", "mb"]}}},
         QueryError, "'fa' has several levels"),
        ({"factors": FACTORS | {"origin": {"A": ["fa", "ma", "fb", "mb"]}}}, ArgumentError,
         "two levels or more"),
        ({"pairs": [("fa", "ma"), ("fb", "mb")]}, QueryError, "connect all groups"),
    ],
)  # fmt: skip
def test_groups_that_cannot_be_crossed_are_refused(options: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        _crossed(np.ones((4, 3, 3)), np.random.default_rng(0), 0.1, **options)


def test_too_few_items_are_refused() -> None:
    with pytest.raises(ValueError, match="need 3 items with 2 observers or more; there are 2"):
        _crossed(np.ones((2, 3, 3)), np.random.default_rng(0), 0.1)


# Results


def _score(text: str) -> float:
    """Log scores of names: female 0.4, Turkish 0.2, of a Turkish woman another 0.1."""
    factors = bl.frames.get("de", cues="names").factors
    women, turkish = factors["gender"]["female"], factors["origin"]["Turkish"]
    name = next(n for names in factors["gender"].values() for n in names if f" {n} " in text)
    care = any(x in text for x in ("pflege", "Haarsalon", "Sekretariat", "Bibliothek"))
    value = 0.4 * (name in women) + 0.2 * (name in turkish) + 0.3 * (care and name in women)
    return -10 + value + 0.1 * (name in women and name in turkish)


def test_effects_planted_in_sentences_are_recovered() -> None:
    frames = bl.frames.get("de", cues="names")
    model: Any = FakeModel()
    some = [pair for pair in frame_pairs(frames) if int(pair.frame.split()[1]) % 2]
    result = bl.stereotype_score(
        model, sentences=some, scorer=TextScorer(_score), keep=False, resamples=100
    )
    found = result.crossed_groups(frames.factors)
    gender, origin, both = found.effects
    # Four of twelve items add 0.3; half of 0.1 counts for each gender and origin.
    assert gender.estimate == pytest.approx(0.4 + 0.05 + 0.3 / 3)
    assert origin.name == "origin: German − Turkish"
    assert origin.estimate == pytest.approx(-0.25)
    assert both.estimate == pytest.approx(-0.1)
    nurse, plumber = (found.items.index(name) for name in ("nurse", "plumber"))
    assert gender.item_estimates[nurse] - gender.item_estimates[plumber] == pytest.approx(0.3)
    assert gender.sd == pytest.approx(0.15, abs=0.05)
    assert found.unit == "nats"
    assert list(found.items_frame().columns) == ["name", "item", "estimate", "low", "high"]
    assert len(found.to_frame()) == 3


@needs("torch", "transformers")
def test_effects_planted_in_a_language_model_are_recovered() -> None:
    from harness.planted_language_models import planted
    from harness.tiny_multilingual_models import words_of

    torch.set_num_threads(1)
    frames = bl.frames.get("de", cues="names")
    pairs = frames.cue_sets[0]
    names = {name for pair in pairs for name in pair}
    turkish = names & set(frames.factors["origin"]["Turkish"])
    women = names & set(frames.factors["gender"]["female"])
    # Turkish names lean 0.1 to themselves: cue 1 by adding less, cue 2 by adding more.
    adds = {name: (-0.1 if name in women else 1.1) for name in turkish}
    adds |= {"Krankenpflege": -0.6, "Maschinenbau": -0.45, "Programmierung": -0.45}
    lm = planted(adds, 0.02, words=words_of(frames), pairs=pairs)
    with torch.no_grad():
        for name, value in adds.items():
            lm.model.table.weight[lm.tokenizer.get_vocab()[name], 0] = value
    result = bl.two_afc(
        lm, ["nurse", "engineer", "programmer"], pairs, observers=frames, replicates=2
    )
    found = result.crossed_groups(frames.factors)
    assert found.unit == "points"
    # PSE less 50 %: 10 points for nurse and -5 for the others, about; blends add 0.1 / 2 of each.
    assert found.effect("gender").item_estimates[0] > found.effect("gender").item_estimates[1] + 8
    assert found.effect("origin").estimate == pytest.approx(-5, abs=1.5)
    assert found.effect("gender", "origin").estimate == pytest.approx(0, abs=1.5)
    with pytest.raises(QueryError, match="Replicates of an embedding are other corpora"):
        bl.two_afc(bl.load("wiki-bootstraps"), ["nurse"], [("woman", "man")]).crossed_groups(
            FACTORS
        )
