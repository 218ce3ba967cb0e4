"""Names, places and priors of the standard deviations that a distance model draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.association.lists import KIND_OF, KINDS
from biaslab.probes.association.priors import Priors
from biaslab.stats.crossed.layout import Layout, Moments, Spreads

Floats = NDArray[np.float64]
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

        Parameters
        ----------
        model : str
        counts : ndarray, shape (..., C)
            Distances of each connection type; kinds of words that have none have no SD.
        """
        alike = (0,) * len(KINDS)
        if model not in CROSSED:
            return cls(("sigma",), alike, alike)
        held = [KIND_OF[c] for c in np.flatnonzero(counts.reshape(-1, len(KIND_OF)).sum(axis=0))]
        kinds = [""] if model == "crossed-equal" else [f"_{KINDS[k]}" for k in sorted(set(held))]
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
        found = points - 0.5 * scaled
        found[:, sigma] = points[:, sigma] - np.log1p(scaled[:, sigma])
        return np.asarray(found.sum(axis=1))

    def first_guess(self, layout: Layout, moments: Moments) -> Floats:
        """Return log SDs from which a search may begin, near those of the distances."""
        sd = max(moments.sd, 1e-6)
        if len(self) == 1:
            return np.log([_SHARE_OF_ALL * sd])
        single, attribute = (
            np.maximum(np.sqrt(variances), _SMALLEST_GUESS * sd)
            for variances in moments.variances(layout)
        )
        found = np.empty(len(self))
        # Kinds of one SD follow each other: the last is that of neutral words, the most of all.
        found[list(self.sigma)], found[list(self.attribute)] = single, attribute
        found[[self.word, self.slope, self.pairing]] = _GUESS * found[list(self.sigma)].min()
        return np.log(found)

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
