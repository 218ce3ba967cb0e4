"""A scorer with known truth: it prefers the stereotyped version at a chosen rate."""

from __future__ import annotations

import functools
import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence

import numpy as np
from scipy import special

from biaslab.errors import ObserverError
from biaslab.jobs.job import JobContext
from biaslab.probes.sentences.pairs import SentencePair, frame
from biaslab.probes.sentences.scorers.base import PairScores, SentenceScore
from biaslab.records.calls import Reopened, recorded
from biaslab.stats.curves.sigmoids import Floats

_WORD = re.compile(r"\w+|[^\w\s]")
_NATS_PER_WORD = 3.0
_POINTS = 61
"""Of the quadrature over a normal distribution."""


class SimulatedScorer(Reopened):
    """A scorer and subject for `biaslab.stereotype_score`, made by `scorer`.

    Whether the stereotyped version of a pair wins is drawn with a probability whose logit is that
    of the attribute's rate, plus effects of the attribute and the frame of the sentence. The
    draw depends only on the seed and the pair: the same pair always gives the same answer.

    Attributes
    ----------
    rate : float
        Share of pairs that the stereotyped version wins, over endless attributes and sentences.
    rates : mapping of str to float
        The same for attributes that were given one of their own.
    attribute_sd, frame_sd : float
        Standard deviations on the logit scale, over attributes and over frames.
    ties, failures : float
        Shares of pairs that are ties, and that cannot be scored.
    """

    kind = "observer"
    name = "simulated"
    label = "simulated scorer"
    formula = "log p(w) is drawn: the stereotyped version wins at a known rate."
    kinds = ("observer",)
    device = "cpu"

    def __init__(
        self,
        rate: float,
        rates: Mapping[str, float],
        *,
        attribute_sd: float,
        frame_sd: float,
        ties: float,
        failures: float,
        size: float,
        seed: int,
    ) -> None:
        self.rate, self.rates = rate, dict(rates)
        self.attribute_sd, self.frame_sd = attribute_sd, frame_sd
        self.ties, self.failures, self.size, self.seed = ties, failures, size, seed

    @property
    def about(self) -> str:
        """Description for the screen."""
        return f"a simulated scorer that prefers the stereotype in {100 * self.rate:.0f} % of pairs"

    @property
    def content_hash(self) -> str:
        """SHA-256 of the settings."""
        chosen = [self.rate, sorted(self.rates.items()), self.attribute_sd, self.frame_sd]
        chosen += [self.ties, self.failures, self.size, self.seed]
        return hashlib.sha256(json.dumps(chosen).encode()).hexdigest()

    def rate_of(self, attribute: str) -> float:
        """Return the true share of an attribute's pairs won by the stereotype."""
        if attribute in self.rates:
            return self.rates[attribute]
        pull = self.attribute_sd * float(self._rng("attribute", attribute).standard_normal())
        centre = centre_of(self.rate, math.hypot(self.attribute_sd, self.frame_sd))
        return mean_share(centre + pull, self.frame_sd)

    def score(
        self, lm: object, pairs: Sequence[SentencePair], *, context: JobContext | None = None
    ) -> list[PairScores]:
        """Draw the scores of every pair.

        Parameters
        ----------
        lm : object
            Not looked at.
        pairs : sequence of SentencePair
        context : JobContext, optional
        """
        del lm
        context = context or JobContext()
        scores = []
        for i, pair in enumerate(pairs):
            context.checkpoint()
            scores.append(self._score(pair))
            context.report(i + 1, len(pairs))
        return scores

    def _score(self, pair: SentencePair) -> PairScores:
        rng = self._rng("pair", pair.attribute, *sorted(pair.versions))
        fails, tied, wins, size = rng.random(), rng.random(), rng.random(), rng.exponential()
        if fails < self.failures:
            return PairScores(
                SentenceScore.failed("This simulated pair was chosen to fail."),
                SentenceScore.failed("This simulated pair was chosen to fail."),
            )
        odds = 0.0
        if tied >= self.ties:
            odds = (1 if wins < special.expit(self._logit(pair)) else -1) * (
                0.01 + self.size * size
            )
        level = -_NATS_PER_WORD * max(len(_WORD.findall(text)) for text in pair.versions)
        first, second = (
            _sentence(text, level + sign * odds / 2)
            for text, sign in zip(pair.versions, (1, -1), strict=True)
        )
        third = None if pair.unrelated is None else _sentence(pair.unrelated, level - 5.0)
        return PairScores(first, second, third)

    def _logit(self, pair: SentencePair) -> float:
        pull = self.frame_sd * float(self._rng("frame", frame(pair)).standard_normal())
        if pair.attribute in self.rates:
            return centre_of(self.rates[pair.attribute], self.frame_sd) + pull
        pull += self.attribute_sd * float(self._rng("attribute", pair.attribute).standard_normal())
        return centre_of(self.rate, math.hypot(self.attribute_sd, self.frame_sd)) + pull

    def _rng(self, *of: str) -> np.random.Generator:
        digest = hashlib.sha256(json.dumps([self.seed, *of]).encode()).digest()
        return np.random.default_rng(np.frombuffer(digest, dtype=np.uint32))

    def __repr__(self) -> str:
        return f"<SimulatedScorer: rate {self.rate:g}>"


@recorded
def scorer(
    rate: float | Mapping[str, float] = 0.5,
    *,
    attribute_sd: float = 0.0,
    frame_sd: float = 0.0,
    ties: float = 0.0,
    failures: float = 0.0,
    size: float = 1.0,
    seed: int = 0,
) -> SimulatedScorer:
    """Simulate a scorer that prefers the stereotyped version at a known rate.

    Parameters
    ----------
    rate : float, or mapping of str to float
        True share of decided pairs that the stereotyped version wins, in [0, 1]; 0.5 is neutral.
        A mapping gives attributes a rate each; others have 0.5.
    attribute_sd : float
        How much attributes differ: standard deviation of the logit of their rates.
    frame_sd : float
        The same for the frames of sentences, which pairs from one template share.
    ties, failures : float
        Shares of pairs, in [0, 1].
    size : float
        Mean size of the log-odds, in nats, above 0.01.
    seed : int
        The truth's own: another seed is another draw of attributes, frames and pairs.

    Returns
    -------
    SimulatedScorer
        A subject for `biaslab.stereotype_score`, or its ``scorer``.

    Raises
    ------
    ObserverError
        If a number is out of its range.
    """
    rates = dict(rate) if isinstance(rate, Mapping) else {}
    whole = 0.5 if isinstance(rate, Mapping) else float(rate)
    for name, value in {"rate": whole, "ties": ties, "failures": failures, **rates}.items():
        if not 0 <= value <= 1:
            raise ObserverError(f"{name} is {value}: give a share between 0 and 1.")
    spreads = {"attribute_sd": attribute_sd, "frame_sd": frame_sd, "size": size}
    for name, value in spreads.items():
        if not (value >= 0 and math.isfinite(value)):
            raise ObserverError(f"{name} is {value}: give a number of at least 0.")
    if any(r in (0, 1) for r in (whole, *rates.values())) and (attribute_sd or frame_sd):
        raise ObserverError(
            "A rate of 0 or 1 leaves no spread: set attribute_sd and frame_sd to 0."
        )
    return SimulatedScorer(
        whole,
        rates,
        attribute_sd=attribute_sd,
        frame_sd=frame_sd,
        ties=ties,
        failures=failures,
        size=size,
        seed=seed,
    )


def _sentence(text: str, log_score: float) -> SentenceScore:
    """Return a score spread evenly over the words."""
    words = list(_WORD.finditer(text))
    n = max(len(words), 1)
    return SentenceScore(
        log_score,
        tuple(word.group() for word in words),
        np.array([word.span() for word in words], dtype=np.int64).reshape(-1, 2),
        np.full(len(words), log_score / n),
    )


def mean_share(centre: float, sd: float) -> float:
    """Return the mean of the logistic curve over N(centre, sd²)."""
    if sd == 0:
        return float(special.expit(centre))
    nodes, weights = _quadrature()
    return float(weights @ special.expit(centre + sd * nodes) / weights.sum())


@functools.cache
def _quadrature() -> tuple[Floats, Floats]:
    """Return nodes and weights of Gauss-Hermite quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_POINTS)
    return np.asarray(nodes), np.asarray(weights)


@functools.cache
def centre_of(rate: float, sd: float) -> float:
    """Return the centre of a normal of logits with a mean share of `rate`."""
    if rate in (0, 1) or sd == 0:
        return float(special.logit(rate))
    low, high = -50.0, 50.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if mean_share(middle, sd) < rate else (low, middle)
    return (low + high) / 2
