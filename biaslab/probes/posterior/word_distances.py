"""``bl.posterior.distances``: how far words lie from a posterior.

After Liang and Acuna (2020), Table 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.errors import NoRawFrameError, QueryError
from biaslab.probes.posterior.reading import (
    FORMULAS,
    NEUTRAL,
    SEEN_FROM,
    Centre,
    Distance,
    Floats,
    MeanDistances,
    Posterior,
    centre_of,
    checked_draws,
    described,
    mean_distances,
    same_space,
    words_of,
)
from biaslab.probes.unknown_words import as_dropped, list_dropped, with_suggestions
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.record import Record
from biaslab.records.result import Interval, Result
from biaslab.stats.reproducibility import order
from biaslab.stats.significance import check_level

if TYPE_CHECKING:
    import pandas as pd

BATCHES_KEPT_UP_TO = 1000
"""Largest number of words for which batch means are stored, so that groups can be compared."""
MONTE_CARLO = "Monte Carlo"
_SHOWN = 10
_EQUAL = 1e-9
"""Relative tolerance of equal distances, as of words with the same vector."""


@dataclass(frozen=True)
class WordDistance(Record):
    """One word's mean distance to the posterior.

    Attributes
    ----------
    term : str
        The word, as it was given.
    distance : float
        Mean over the draws.
    interval : Interval
        Monte Carlo: how far this mean may be from the posterior mean of the distance.
    rank : int
        From 1, the closest.
    of : int
        How many words were ranked.
    """

    term: str
    distance: float
    interval: Interval
    rank: int
    of: int


@dataclass(frozen=True, kw_only=True)
class WordDistances(Result):
    """Mean distances of words to the draws of one posterior.

    Attributes
    ----------
    label : str
        Of the posterior p(s | label).
    distance : str
        ``angular``, ``half-cosine``, ``cosine`` or ``euclidean``.
    centre : str
        Centre of angles: ``prior`` (its mean) or ``origin``.
    level : float
        Of the intervals.
    terms : tuple of str
        N words.
    mean, mcse : ndarray, shape (N,)
        Mean distance over the draws, and its Monte Carlo standard error by batch means.
    df : int
        Degrees of freedom of the standard errors: batches less 1.
    draws, used : int
        Draws, and those whose curved part was computed (see `biaslab.probes.posterior
        .mean_distances`).
    batches : ndarray, shape (N, B) or (N, 0)
        Means over batches of draws; stored for up to `BATCHES_KEPT_UP_TO` words.
    weights : ndarray, shape (B,)
        Share of the draws in each batch.
    """

    schema: ClassVar[str] = "posterior-distances/1"

    label: str
    distance: str
    centre: Centre
    level: float
    terms: tuple[str, ...]
    mean: Floats
    mcse: Floats
    df: int
    draws: int
    used: int
    batches: NDArray[np.floating]
    weights: Floats

    @property
    def neutral(self) -> float | None:
        """Distance of a word at right angles to all draws; None if Euclidean."""
        return NEUTRAL.get(self.distance)

    @property
    def formula(self) -> str:
        """The distance as a formula, such as ``arccos(cos)/π``."""
        return FORMULAS[self.distance]

    @property
    def seen_from(self) -> str:
        """Centre of angles, in words; empty for the Euclidean distance."""
        return "" if self.neutral is None else SEEN_FROM[self.centre]

    @cached_property
    def half_width(self) -> Floats:
        """Half the Monte Carlo interval of each mean, shape (N,); NaN if undefined."""
        if self.df < 1:
            return np.full(len(self.terms), np.nan)
        return np.asarray(float(special.stdtrit(self.df, (1 + self.level) / 2)) * self.mcse)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Places of the words from the closest to the most distant, shape (N,)."""
        return order(self.mean, rounding=_EQUAL)

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        """Rank of each word from 1, the closest, shape (N,)."""
        ranks = np.empty(len(self.terms), dtype=np.int64)
        ranks[self.order] = np.arange(1, len(ranks) + 1)
        return ranks

    @cached_property
    def _places(self) -> dict[str, int]:
        return {term: i for i, term in enumerate(self.terms)}

    def __contains__(self, term: object) -> bool:
        """Whether the word was measured."""
        return term in self._places

    def word(self, term: str) -> WordDistance:
        """Return one word's distance.

        Raises
        ------
        KeyError
            When the word was not measured.
        """
        if term not in self._places:
            raise KeyError(f"{term!r} was not measured: add it to terms=[...].")
        return self._at(self._places[term])

    def closest(self, k: int = _SHOWN) -> tuple[WordDistance, ...]:
        """Return the k closest words, closest first (Liang and Acuna 2020, Table 1a, c)."""
        return tuple(self._at(i) for i in self.order[: max(k, 0)].tolist())

    def most_distant(self, k: int = _SHOWN) -> tuple[WordDistance, ...]:
        """Return the k most distant words, farthest first (Table 1b, d)."""
        return tuple(self._at(i) for i in self.order[::-1][: max(k, 0)].tolist())

    def _at(self, i: int) -> WordDistance:
        mean, half = float(self.mean[i]), float(self.half_width[i])
        interval = Interval(mean - half, mean + half, self.level, MONTE_CARLO)
        return WordDistance(self.terms[i], mean, interval, int(self.rank[i]), len(self.terms))

    def raw_frame(self) -> pd.DataFrame:
        """One row per word and batch of draws: term, batch, draws (a share), distance.

        Raises
        ------
        NoRawFrameError
            For more than `BATCHES_KEPT_UP_TO` words, of which only the means are kept.
        """
        import pandas as pd

        n, b = self.batches.shape
        if not b:
            raise NoRawFrameError(
                f"The batches of draws are kept for up to {BATCHES_KEPT_UP_TO:,} words, and these"
                f" are {n:,}. Measure fewer with terms=[...], or use to_frame()."
            )
        return pd.DataFrame(
            {
                "term": np.repeat(np.array(self.terms, dtype=str), b),
                "batch": np.tile(np.arange(b), n),
                "draws": np.tile(self.weights, n),
                "distance": self.batches.ravel(),
            }
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per word, closest first.

        Columns: rank, term, distance, monte_carlo_low, monte_carlo_high, mcse.
        """
        import pandas as pd

        at = self.order
        return pd.DataFrame(
            {
                "rank": self.rank[at],
                "term": [self.terms[i] for i in at.tolist()],
                "distance": self.mean[at],
                "monte_carlo_low": (self.mean - self.half_width)[at],
                "monte_carlo_high": (self.mean + self.half_width)[at],
                "mcse": self.mcse[at],
            }
        )


@recorded
def distances(
    posterior: Posterior,
    words: object,
    terms: Sequence[str] | None = None,
    *,
    distance: Distance = "angular",
    centre: Centre = "prior",
    level: float = 0.95,
    every_draw: bool = False,
) -> WordDistances:
    r"""Measure the mean distance of words to the draws of p(s | label).

    Parameters
    ----------
    posterior : PosteriorResult
        Draws of p(s | label).
    words : Classifier or EmbeddingSubject
        Source of word vectors: the classifier of the posterior, or an embedding of the same
        space.
    terms : sequence of str, optional
        Words or phrases; by default all words of the embedding.
    distance : str
        ``angular`` (default): :math:`\arccos(\cos)/\pi`, from 0 to 1, a right angle at 0.5;
        ``half-cosine``: (1 - cos)/2, likewise; ``cosine``: 1 - cos; ``euclidean``. Liang and
        Acuna (2020) do not say which they take; their values near 0.49 to 0.51 (Table 1) are of
        ``angular`` or ``half-cosine``. Angular is the default as it is a metric.
    centre : str
        Centre of angles. ``prior`` (default): the mean of the prior, so that an angle
        is a direction from the typical stimulus. ``origin``: the zero of the space.
        Both are one under N(0, I). Averages of word vectors share a direction; seen from the
        origin, a prior fitted to them favours words along that direction, of any
        meaning. Of a prior without a known mean it is the origin. The Euclidean distance has none.
    level : float
        Of the intervals, in (0, 1).
    every_draw : bool
        Use every draw even for more than 50 million pairs of word and draw. By default only the
        linear part of the distance is then averaged over all draws, and the remainder over 8,000
        of them. The difference is far below the Monte Carlo error.

    Returns
    -------
    WordDistances
        Unknown words are in ``dropped``.

    Raises
    ------
    QueryError
        When no word is known, the spaces differ, or the draws cannot be read.
    ValueError
        When the level is out of range.

    Notes
    -----
    The interval of a mean is a Monte Carlo one, from the spread of the means of batches of
    successive draws (with 32 chains or more, of chains) and Student's t.
    """
    check_level(level)
    draws = checked_draws(posterior)
    seen_from, origin = centre_of(posterior, centre)
    embedding = words_of(words)
    same_space(embedding, draws.shape[2])
    requested = list(embedding.words) if terms is None else list(terms)
    parameters = {
        "posterior": described(posterior),
        "words": len(requested) if len(requested) > BATCHES_KEPT_UP_TO else requested,
        "distance": distance,
        "centre": seen_from,
        "level": level,
        "every_draw": every_draw,
    }
    with measured(probe="posterior_distances", subject=embedding, parameters=parameters) as run:
        resolution = embedding.resolve(requested, suggest=False)
        unknown = with_suggestions(embedding, resolution.unknown)
        dropped = tuple(as_dropped(term, "word") for term in unknown)
        if not resolution.known:
            raise QueryError(
                f"{embedding.name} knows none of the words:"
                f" {list_dropped(dropped) or 'none was given'}.",
                dropped,
            )
        vectors = embedding.vectors(resolution.known)[0]
        if distance != "euclidean" and seen_from != "origin":
            vectors, draws = vectors - origin, np.subtract(draws, origin, dtype=np.float32)
        means = mean_distances(vectors, draws, distance, every_draw=every_draw)
    return WordDistances(
        label=posterior.label,
        distance=distance,
        centre=seen_from,
        level=level,
        terms=tuple(resolution.known),
        mean=means.mean,
        mcse=means.mcse,
        df=means.df,
        draws=draws.shape[0] * draws.shape[1],
        used=means.used,
        batches=_batch_means(means),
        weights=means.weights,
        dropped=dropped,
        provenance=run.provenance,
    )


def _batch_means(means: MeanDistances) -> NDArray[np.floating]:
    few = len(means.mean) <= BATCHES_KEPT_UP_TO
    return np.asarray(means.batches if few else means.batches[:, :0], dtype=np.float64)
