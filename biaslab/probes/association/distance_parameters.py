"""Parameters of the distance models: priors, spreads, and contrasts of connection types."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.association.lists import CONNECTIONS, KIND_OF, KINDS
from biaslab.records.record import Record
from biaslab.records.result import Interval
from biaslab.stats.chains import hpdi
from biaslab.stats.crossed.layout import Draws, Layout, Moments, Spreads


@dataclass(frozen=True)
class Priors(Record):
    """Priors of `biaslab.distance_model`, in units of cosine distance.

    The first five are the manuscript's. The other four are the spreads of the crossed models:
    half-normal, wide compared with the spreads of 0.02 to 0.2 of embeddings, and almost 0 above
    1/2, which the range of a distance, 0 to 2, hardly allows.

    Attributes
    ----------
    word_mean, word_sd : float
        Normal prior of a protected word's mean m; in the crossed model of the mean over them, μ.
    connection_mean, connection_sd : float
        Normal prior of a connection type's coefficient.
    sigma_scale : float
        Half-Cauchy prior of σ, of each kind of attribute words.
    word_spread : float
        Scale of the half-normal prior of the SD of protected words.
    slope_spread : float
        The same of the SD of connection effects over protected words.
    attribute_spread : float
        The same of the SD of attribute words, of each kind.
    pairing_spread : float
        The same of the SD of stereotype words over groups.

    Raises
    ------
    ValueError
        When a mean is not finite or a scale is not above 0.
    """

    word_mean: float = 1.0
    word_sd: float = 0.5
    connection_mean: float = 0.0
    connection_sd: float = 1.0
    sigma_scale: float = 1.0
    word_spread: float = 0.25
    slope_spread: float = 0.25
    attribute_spread: float = 0.25
    pairing_spread: float = 0.25

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"The prior's {field.name} is {value!r}. Use a number.")
            if not math.isfinite(value):
                raise ValueError(f"The prior's {field.name} is {value}. Use a finite number.")
            if not field.name.endswith("_mean") and value <= 0:
                raise ValueError(f"The prior's {field.name} is {value}. A scale must be above 0.")


Model = Literal["crossed", "pooled", "per-word", "crossed-equal"]
MODELS: Final[tuple[Model, ...]] = get_args(Model)
CROSSED: Final[tuple[Model, ...]] = ("crossed", "crossed-equal")
"""Models in which protected words and attribute words are at random."""
_GUESS: Final = np.array([0.4, 0.15, 0.4])
"""SDs of protected words, of their connection effects and of pairings, in that of a distance."""
_SHARE_OF_ALL: Final = 0.9
_SMALLEST_GUESS: Final = 0.1


@dataclass(frozen=True)
class DrawnSpreads:
    """Places of a model's n standard deviations, in the order in which they are drawn and stored.

    Attributes
    ----------
    names : tuple of str
        Such as ``sigma_human``: what it is the SD of, and of which kind of attribute words.
    sigma, attribute : tuple of int
        Place of a single distance's SD, and of attribute words', by kind. Kinds without distances
        have that of another.
    word, slope, pairing : int
        Place of the SD of protected words, of connection effects over them, and of attribute words
        over groups; 0 in models without.
    """

    names: tuple[str, ...]
    sigma: tuple[int, ...]
    attribute: tuple[int, ...]
    word: int = 0
    slope: int = 0
    pairing: int = 0

    @classmethod
    def of(cls, model: Model, counts: Floats) -> DrawnSpreads:
        """Return the spreads of a model.

        - `counts`, ndarray, shape (..., C): distances of each connection type; kinds of words that
          have none have no SD.
        """
        alike = (0,) * len(KINDS)
        if model not in CROSSED:
            return cls(("sigma",), alike, alike)
        present = [KIND_OF[c] for c in np.flatnonzero(counts.reshape(-1, len(KIND_OF)).sum(axis=0))]
        kinds = [""] if model == "crossed-equal" else [f"_{KINDS[k]}" for k in sorted(set(present))]
        place = [kinds.index(f"_{k}") if f"_{k}" in kinds else 0 for k in KINDS]
        names = (
            *(f"sigma{kind}" for kind in kinds),
            "word",
            "slope",
            *(f"attribute{kind}" for kind in kinds),
            "pairing",
        )
        after = len(kinds)
        attribute = tuple(after + 2 + p for p in place)
        return cls(names, tuple(place), attribute, after, after + 1, len(names) - 1)

    def __len__(self) -> int:
        return len(self.names)

    def every(self, what: str) -> tuple[int, ...]:
        """Return the places of all spreads of one sort, such as ``sigma``."""
        return tuple(k for k, name in enumerate(self.names) if name.partition("_")[0] == what)

    def scales(self, priors: Priors) -> Floats:
        """Return prior scales, shape (n,): half-Cauchy of ``sigma``, half-normal of others."""
        of = {
            "sigma": priors.sigma_scale,
            "word": priors.word_spread,
            "slope": priors.slope_spread,
            "attribute": priors.attribute_spread,
            "pairing": priors.pairing_spread,
        }
        return np.array([of[name.partition("_")[0]] for name in self.names])

    def log_prior(self, priors: Priors, points: Floats) -> Floats:
        """Return the log prior density of log SDs, up to a constant: (H, n) -> (H,)."""
        scaled = (np.exp(points) / self.scales(priors)) ** 2
        sigma = list(self.every("sigma"))
        log_density = points - 0.5 * scaled
        log_density[:, sigma] = points[:, sigma] - np.log1p(scaled[:, sigma])
        return np.asarray(log_density.sum(axis=1))

    def first_guess(self, layout: Layout, moments: Moments) -> Floats:
        """Return log SDs from which a search may begin, near those of the distances."""
        sd = max(moments.sd, 1e-6)
        if len(self) == 1:
            return np.log([_SHARE_OF_ALL * sd])
        single, attribute = (
            np.maximum(np.sqrt(variances), _SMALLEST_GUESS * sd)
            for variances in moments.variances(layout)
        )
        guess = np.empty(len(self))
        # Kinds of one SD follow each other: the last is that of neutral words, the most of all.
        guess[list(self.sigma)], guess[list(self.attribute)] = single, attribute
        guess[[self.word, self.slope, self.pairing]] = _GUESS * guess[list(self.sigma)].min()
        return np.log(guess)

    def spreads(self, model: Model, priors: Priors, values: Floats) -> Spreads:
        """Return the arguments of a model's posterior at points of shape (H, n).

        Spreads that the model does not draw are their prior's SD, or 0.
        """
        sigma = np.ascontiguousarray(values[:, list(self.sigma)])
        if model in CROSSED:
            attribute = np.ascontiguousarray(values[:, list(self.attribute)])
            rest = np.ascontiguousarray(values[:, [self.word, self.slope, self.pairing]].T)
            return Spreads(sigma, rest[0], rest[1], attribute, rest[2])
        none = np.zeros(len(values))
        word, slope = known_spreads(model, priors)
        return Spreads(sigma, none + word, none + slope, np.zeros_like(sigma), none)


def known_spreads(model: Model, priors: Priors) -> tuple[float, float]:
    """Return the SDs of protected words and of connection effects over them in other models."""
    return priors.word_sd, priors.connection_sd if model == "per-word" else 0.0


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Contrast(Record):
    """Difference in mean distance between two connection types of attribute words.

    Attributes
    ----------
    of, minus : str
        Connection types.
    mean, sd : float
        Of the posterior of the difference in distance.
    interval : Interval
        Highest posterior density interval.
    above : float
        Posterior probability that the difference is above 0.
    """

    of: str
    minus: str
    mean: float
    sd: float
    interval: Interval
    above: float

    @property
    def name(self) -> str:
        """Such as ``none − associated``."""
        return f"{self.of} − {self.minus}"

    @property
    def excludes_null(self) -> bool:
        """Whether the interval excludes 0."""
        return 0 not in self.interval

    @property
    def width(self) -> float:
        """Of the interval."""
        return self.interval.high - self.interval.low


def pairs_of(connections: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return every pair of connection types, the later one first, by the earlier one."""
    return tuple((later, earlier) for earlier, later in combinations(connections, 2))


def contrast_draws(draws: Draws, model: Model, connections: Sequence[str]) -> Floats:
    """Return draws of every contrast, shape (S, number of pairs).

    Of the model's coefficients where all protected words share them; with separate coefficients
    the mean over the protected words that have both types.
    """
    if model != "per-word":
        return connection_contrasts(draws.connection, connections)
    rows = []
    for of, minus in _places(connections):
        gap = draws.cells[:, :, of] - draws.cells[:, :, minus]
        both = np.isfinite(gap[0])
        rows.append(gap[:, both].mean(axis=1) if both.any() else np.full(len(gap), np.nan))
    return np.stack(rows, axis=1)


def connection_contrasts(connection: Floats, connections: Sequence[str]) -> Floats:
    """Return draws of every contrast of connection effects: (S, C) -> (S, number of pairs)."""
    of, minus = np.transpose(_places(connections))
    return np.asarray(connection[:, of] - connection[:, minus])


def _places(connections: Sequence[str]) -> list[tuple[int, int]]:
    return [(CONNECTIONS.index(a), CONNECTIONS.index(b)) for a, b in pairs_of(connections)]


def contrasts(
    drawn: Floats, connections: Sequence[str], level: float, kind: str
) -> tuple[Contrast, ...]:
    """Summarise draws of contrasts; pairs that no protected word has are left out.

    - `drawn`: ndarray, shape (S, number of pairs).
    - `kind`: source of variation of the interval.
    """
    intervals = hpdi(drawn, level)
    return tuple(
        Contrast(
            of,
            minus,
            float(column.mean()),
            float(column.std()),
            Interval(float(low), float(high), level, kind),
            float((column > 0).mean()),
        )
        for (of, minus), column, (low, high) in zip(
            pairs_of(connections), drawn.T, intervals, strict=True
        )
        if np.isfinite(column).all()
    )
