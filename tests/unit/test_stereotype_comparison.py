"""Two models on the same sentences, or one on others: differences of shares, and their bounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.probes.comparison.of_sentences import paired_change
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.simulated_scorer import centre_of
from harness.sentence_pairs import FakeModel, TextScorer


def _pairs(number: int) -> list[SentencePair]:
    return [
        SentencePair(f"He did sum {i}.", f"She did sum {i}.", attribute=f"sum {i % 3}")
        for i in range(number)
    ]


def _score(rate: float, number: int, seed: int) -> bl.probes.sentences.StereotypeScore:
    return bl.stereotype_score(
        bl.observers.scorer(rate=rate, seed=seed), sentences=_pairs(number), keep=False
    )


@pytest.mark.parametrize("number", [2, 3, 5])
@pytest.mark.parametrize("seed", range(5))
def test_a_difference_of_shares_lies_within_what_shares_can_differ_by(
    number: int, seed: int
) -> None:
    found = _score(0.9, number, seed).compared_with(_score(0.2, number, seed + 100))
    low, high = found.interval.low, found.interval.high
    if abs(found.difference) == 1:  # every pair says the same: nothing tells how sure that is
        assert math.isnan(low)
        assert math.isnan(high)
        assert found.lean == 0
    else:
        assert -1 <= low <= found.difference <= high <= 1


def test_the_difference_is_that_of_the_shares_and_turns_round_with_the_models() -> None:
    one, two = _score(0.9, 120, 1), _score(0.3, 120, 2)
    found, back = one.compared_with(two), two.compared_with(one)
    assert found.n_pairs == 120
    assert found.difference == pytest.approx(one.share - two.share)
    assert found.lean == 1
    assert back.difference == pytest.approx(-found.difference)
    assert back.interval.low == pytest.approx(-found.interval.high, abs=1e-12)


def test_other_sentences_cannot_be_compared() -> None:
    with pytest.raises(QueryError, match="same sentences"):
        _score(0.9, 12, 1).compared_with(
            bl.stereotype_score(
                bl.observers.scorer(rate=0.5),
                sentences=[SentencePair("A man sang.", "A woman sang.")],
                keep=False,
            )
        )


WORDS = {
    "math": ("algebra", "geometry", "numbers", "sums"),
    "arts": ("poetry", "dance", "drama", "art"),
}
FRAMES = tuple(f"The {{}} {verb} {{}}." for verb in ("likes", "sees", "fears", "skips", "plans"))
WRITTEN = tuple(
    f"{start} the {{}} {verb} {{}} {end}."
    for start, verb, end in (
        ("Once", "taught", "abroad"), ("Later", "gave up", "for good"), ("Today", "tried", "twice"),
        ("Alone,", "met", "at home"), ("Still,", "chose", "anew"), ("Often", "mixed up", "in May"),
    )
)  # fmt: skip


def _of(frames: tuple[str, ...], source: str, words: Any = None) -> list[SentencePair]:
    """Each attribute in each frame; math goes with men, arts with women."""
    made = []
    for name, attributes in (words or WORDS).items():
        order = ("man", "woman") if name == "math" else ("woman", "man")
        for attribute in attributes:
            for frame in frames:
                first, second = (frame.format(term, attribute) for term in order)
                made.append(
                    SentencePair(
                        first, second, attribute=attribute, attribute_list=name, groups=order,
                        source=source,
                    )
                )  # fmt: skip
    return made


def _asked(sentences: list[SentencePair], of_written: float) -> Any:
    """A model whose preference for the stereotype is another one on written sentences."""

    def log_score(text: str) -> float:
        fits = ("woman" in text) == any(word in text for word in WORDS["arts"])
        strength = of_written if text.split()[0] != "The" else 0.2
        return strength * fits + np.random.default_rng(list(text.encode())).normal(0, 1)

    model: Any = FakeModel()
    return bl.stereotype_score(
        model, None, sentences, scorer=TextScorer(log_score), keep=False, resamples=100
    )


def test_generated_sentences_that_amplify_a_bias_are_told_from_templates() -> None:
    templates = _asked(_of(FRAMES, "templates"), 3.0)
    written = _asked(_of(WRITTEN, "a-model"), 3.0)
    found, back = bl.compare(templates, written), bl.compare(written, templates)
    lead = found.totals[0]
    assert (lead.a, lead.b) == pytest.approx((templates.share, written.share))
    assert lead.excludes_null
    assert lead.interval is not None
    assert lead.paired
    assert not found.paired
    assert not any("distance" in one.name for one in found.totals)
    assert back.totals[0].interval is not None
    assert back.totals[0].interval.low == pytest.approx(-lead.interval.high)
    assert found.labels == (*WORDS["math"], *WORDS["arts"])
    assert "higher on sentences of “a-model” than on templates" in found.headline
    more = (
        "So sentences of “a-model” bring out more of the stereotype in this model than templates."
    )
    assert more in found.summary()
    assert "templates bring out less" in back.summary()
    assert bl.Result.from_json(found.to_json()) == found
    same = bl.compare(templates, _asked(_of(WRITTEN, "a-model"), 0.2))
    assert "No clear difference" in same.headline
    assert "bring out" not in same.summary()


def test_attributes_of_one_run_only_are_left_out_and_shown() -> None:
    fewer = {"math": WORDS["math"][:3], "arts": (*WORDS["arts"], "music")}
    found = bl.compare(
        _asked(_of(FRAMES, "templates"), 3.0), _asked(_of(WRITTEN, "a-model", fewer), 3.0)
    )
    assert {(one.run, one.label) for one in found.only} == {("a", "sums"), ("b", "music")}
    assert found.totals[0].a_interval is None
    other = {"math": ("logic", "proofs"), "arts": ("opera", "verse")}
    with pytest.raises(QueryError, match=r"neither sentences nor attributes.*Score both on one"):
        bl.compare(
            _asked(_of(FRAMES, "templates"), 3.0), _asked(_of(WRITTEN, "a-model", other), 3.0)
        )


def _drawn(
    rng: np.random.Generator, rates: tuple[float, float], k: int, own: float, sd: float
) -> Any:
    """Twelve templates for all attributes, and two to eight sentences that a model wrote for each.

    Attributes differ in both runs alike by SD 0.7, and in each by `own`; frames and terms by `sd`.
    """
    side = np.arange(k) % 2
    both, terms = 0.7 * rng.standard_normal(k), sd * rng.standard_normal(8)
    parts = []
    for run, rate in enumerate(rates):
        sizes = rng.integers(2, 9, k) if run else np.full(k, 12)
        cell = np.repeat(np.arange(k), sizes)
        frame = np.arange(len(cell)) + 12 if run else np.tile(np.arange(12), k)
        term = rng.integers(0, 8, len(cell))
        logit = centre_of(rate, math.hypot(0.7, own, sd, sd)) + both[cell]
        logit = logit + (own * rng.standard_normal(k))[cell]
        logit = logit + (sd * rng.standard_normal(frame.max() + 1))[frame]
        logit = logit + terms[term] * (1 - 2 * side[cell])
        won = rng.random(len(cell)) < expit(logit)
        parts.append((won, cell, np.full(len(cell), run), frame, term))
    joined: Any = map(np.concatenate, zip(*parts, strict=True))
    won, of, run_of, *crossed = joined
    return paired_change(won, of, run_of, side, crossed, by_side=False)[1]


@pytest.mark.validate
@pytest.mark.parametrize(
    ("rates", "k", "own", "sd"),
    [
        ((0.5, 0.5), 16, 0.0, 0.0),
        ((0.55, 0.65), 16, 0.3, 0.5),
        ((0.6, 0.8), 16, 0.5, 0.5),
        ((0.5, 0.6), 40, 0.5, 0.5),
        ((0.55, 0.55), 26, 0.5, 1.0),
    ],
)
def test_the_interval_covers_a_planted_amplification(
    rates: tuple[float, float], k: int, own: float, sd: float
) -> None:
    rng = np.random.default_rng(5)
    ends = np.array([_drawn(rng, rates, k, own, sd).limits(0.95) for _ in range(2000)])
    covered = np.mean((ends[:, 0] <= rates[1] - rates[0]) & (rates[1] - rates[0] <= ends[:, 1]))
    found = np.mean(ends[:, 0] > 0)
    print(rates, k, own, sd, covered, found)  # noqa: T201
    assert 0.93 <= covered <= 0.98
