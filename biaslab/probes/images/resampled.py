"""Scores and effect size of a design, with intervals over images within terms."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.images.design import ImageDesign
from biaslab.probes.images.scores import WITHIN_TERMS, ImageScore
from biaslab.results import Interval
from biaslab.stats.cluster_bootstrap import ClusterBootstrap
from biaslab.stats.proportions import wilson
from biaslab.stats.sigmoids import Floats
from biaslab.stats.stratified_bootstrap import StratifiedBootstrap

_FLAT = 1e-9
"""A spread below this is rounding."""


class ResampledScores:
    """Numbers of images and what resampling makes of them.

    Parameters
    ----------
    design : ImageDesign
    by_template : ndarray, shape (n, K)
        P(the first list) of each image in each template.
    counted : bool
        Whether images count 0 or 1 (``aggregate="any"``): where they all agree, Wilson's interval
        says how sure that is.
    level, resamples, seed
        Of the intervals.
    """

    def __init__(
        self,
        design: ImageDesign,
        by_template: Floats,
        *,
        counted: bool,
        level: float,
        resamples: int,
        seed: int,
    ) -> None:
        self.design, self.counted, self.level = design, counted, level
        self.first = np.asarray(by_template.mean(axis=1))
        self.sign = np.where(design.group_of == 0, 1.0, -1.0)
        first = self.first[:, None]
        self.columns = np.concatenate([first, first**2, by_template], axis=1)
        options = {"resamples": resamples, "seed": seed}
        self._terms = self._drawn(design.term_of, design.terms, **options)
        self._strata = self._terms
        if not design.strata_are_terms:
            self._strata = self._drawn(design.strata, design.labels, **options)

    def _drawn(
        self, strata: NDArray[np.int64], labels: tuple[str, ...], **options: int
    ) -> StratifiedBootstrap:
        order = self.design.order
        return StratifiedBootstrap(self.columns[order], strata[order], labels, **options)

    def term(self, number: int) -> ImageScore:
        """One term's score."""
        side = self.design.group_of_term[number]
        weights = np.zeros(len(self.design.terms))
        weights[number] = 1
        signs = np.where(np.array(self.design.group_of_term) == 0, 1.0, -1.0)
        return self._score(
            self.design.terms[number],
            self.design.groups[side],
            self.design.term_of == number,
            self._terms,
            weights,
            signs,
        )

    def group(self, side: int) -> ImageScore:
        """One group's score: every image counts alike."""
        sizes = self._strata.sizes * (self.design.group_of_stratum == side)
        return self._whole(
            self.design.groups[side], self.design.group_of == side, sizes / sizes.sum()
        )

    def all_images(self, name: str = "all images", column: int = 0) -> ImageScore:
        """Every image counts alike: the paper's score."""
        sizes = self._strata.sizes
        return self._whole(name, np.ones(len(self.first), dtype=bool), sizes / sizes.sum(), column)

    def groups_alike(self) -> ImageScore:
        """Either group counts one half, however many images it has."""
        weights = np.zeros(len(self._strata.sizes))
        for side in (0, 1):
            own = self._strata.sizes * (self.design.group_of_stratum == side)
            weights += own / own.sum() / 2
        return self._whole("groups alike", np.ones(len(self.first), dtype=bool), weights)

    def template(self, number: int, name: str) -> ImageScore:
        """The paper's score of one template."""
        return self.all_images(name, 2 + number)

    def _whole(
        self, name: str, mask: NDArray[np.bool_], weights: Floats, column: int = 0
    ) -> ImageScore:
        signs = np.where(self.design.group_of_stratum == 0, 1.0, -1.0)
        return self._score(name, "", mask, self._strata, weights, signs, column)

    def _score(
        self,
        name: str,
        part_of: str,
        mask: NDArray[np.bool_],
        drawn: StratifiedBootstrap,
        weights: Floats,
        signs: Floats,
        column: int = 0,
    ) -> ImageScore:
        first = drawn.means[:, column]
        own = np.where(signs > 0, first, 1 - first)
        score = float(weights @ own)
        values = self.columns[mask, column]
        towards = self.sign[mask] * (values - 0.5)
        used = weights > 0
        deviations = (weights * signs)[used] @ drawn.deviations[used, :, column]
        parts = weights[used] ** 2 * drawn.variances[used, column] / drawn.sizes[used]
        return ImageScore(
            name=name,
            part_of=part_of,
            n_images=int(mask.sum()),
            score=score,
            interval=self._interval(score, deviations, parts, drawn.sizes[used], int(mask.sum())),
            stereotyped=int((towards > _FLAT).sum()),
        )

    def _interval(
        self, score: float, deviations: Floats, parts: Floats, sizes: NDArray[np.int64], n: int
    ) -> Interval:
        variance = float(parts.sum())
        if not math.isfinite(variance):  # one image
            return Interval(math.nan, math.nan, self.level, WITHIN_TERMS)
        if variance <= _FLAT**2:
            low, high = score, score
            if self.counted:
                low, high = (float(end) for end in wilson(score * n, n, self.level))
            return Interval(low, high, self.level, WITHIN_TERMS)
        df = variance**2 / float((parts**2 / (sizes - 1)).sum())
        found = ClusterBootstrap(score, deviations, variance, df, ())
        return Interval(*found.limits(self.level, share=True), self.level, WITHIN_TERMS)

    def effect(self) -> tuple[float, Interval]:
        """Cohen's d of P(the first list) between the groups' images, with its interval."""
        nothing = Interval(math.nan, math.nan, self.level, WITHIN_TERMS)
        sizes = [int((self.design.group_of == side).sum()) for side in (0, 1)]
        if min(sizes) < 2:
            return math.nan, nothing
        groups = [self.first[self.design.group_of == side] for side in (0, 1)]
        within = sum(float(((g - g.mean()) ** 2).sum()) for g in groups) / (sum(sizes) - 2)
        if within <= _FLAT**2:
            return math.nan, nothing
        d = float(groups[0].mean() - groups[1].mean()) / math.sqrt(within)
        means, squares = [], []
        for side in (0, 1):
            own = self._strata.sizes * (self.design.group_of_stratum == side)
            weights = own / own.sum()
            means.append(weights @ self._moments(0))
            squares.append(weights @ self._moments(1))
        spread = sum(
            n * np.maximum(square - mean**2, 0)
            for n, mean, square in zip(sizes, means, squares, strict=True)
        ) / (sum(sizes) - 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn = (means[0] - means[1]) / np.sqrt(spread)
        deviations = np.where(np.isfinite(drawn), drawn - d, 0.0)
        variance = float(deviations @ deviations) / len(deviations)
        df = float(sum(sizes) - len(self._strata.sizes))
        limits = ClusterBootstrap(d, deviations, variance, df, ()).limits(self.level)
        return d, Interval(*limits, self.level, WITHIN_TERMS)

    def _moments(self, column: int) -> Floats:
        drawn = self._strata
        return np.asarray(drawn.means[:, column, None] + drawn.deviations[:, :, column])
