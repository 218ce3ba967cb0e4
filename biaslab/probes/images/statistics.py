"""Statistics of concept probabilities: scores, intervals, effect size and p-value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.arguments import renamed
from biaslab.images import ImageRecord
from biaslab.probes.images.scores import (
    NEUTRAL,
    WITHIN_GROUPS,
    WITHIN_TERMS,
    ImageDesign,
    ImageScore,
    first_list,
)
from biaslab.records.result import Interval
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.permutation import exceedances
from biaslab.stats.reproducibility import SINGLE, levelled, seed_number
from biaslab.stats.significance import check_level
from biaslab.stats.stratified_mean import LogitNormalSamples, StratifiedBootstrap

_DRAWN_UP_TO = 250
"""Largest smaller group for which splits are drawn; for larger ones, the normal limit holds."""


def split_test(
    first: Floats, design: ImageDesign, permutations: int, seed: int
) -> tuple[float, str]:
    """Return how rarely random splits differ as much as the two groups do.

    - `first`, ndarray, shape (n,): P(the first list) of each image.
    - `permutations`: number of random splits if there are too many to enumerate.
    - Returns `p`: two-sided, of the difference of the groups' means, in (0, 1]. Not below 1 /
      (permutations + 1) unless all splits were looked at.
    - Returns `of`: the reference set, in words.
    """
    values, sides = first[design.order], design.group_of[design.order]
    lead = sides[0]  # by the terms' names: swapping the groups changes nothing
    values = np.concatenate([values[sides == lead], values[sides != lead]])
    n, n_1 = len(values), int((sides == lead).sum())
    smaller = min(n_1, n - n_1)
    if smaller > _DRAWN_UP_TO:
        centred = values - values.mean()
        sd = math.sqrt(float(centred @ centred) / (n - 1) * n / (n_1 * (n - n_1)))
        distance = abs(float(centred[:n_1].mean() - centred[n_1:].mean()))
        p = 2 * float(special.ndtr(-distance / sd)) if sd > 1e-12 else 1.0
        return max(p, 1 / (permutations + 1)), "random splits, in their normal limit"
    exceed, looked_at, exact = exceedances(
        values[None], n_1, alternative="two-sided", permutations=permutations, seed=seed
    )
    if exact:
        return float(exceed[0]) / looked_at, f"all {looked_at:,} splits"
    return (float(exceed[0]) + 1) / (looked_at + 1), f"{looked_at:,} random splits"


_FLAT = 1e-9
"""A spread below this is rounding."""


@dataclass(frozen=True)
class _Drawn:
    """Resamples of images within strata, and samples of a model of graded scores."""

    bootstrap: StratifiedBootstrap
    model: LogitNormalSamples | None


class ResampledScores:
    """Scores of images and their resamples.

    Parameters
    ----------
    design : ImageDesign
    by_template : ndarray, shape (n, K)
        P(the first list) of each image in each template.
    counted : bool
        Whether images count 0 or 1 (``aggregate="any"``): if they all agree, Wilson's interval
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
        self.kind = WITHIN_TERMS if design.strata_are_terms else WITHIN_GROUPS
        self.first = np.asarray(by_template.mean(axis=1))
        self.sign = np.where(design.group_of == 0, 1.0, -1.0)
        first = self.first[:, None]
        self.columns = np.concatenate([first, by_template], axis=1)
        options = {"resamples": resamples, "seed": seed}
        self._terms = self._bootstrap(design.term_of, design.terms, **options)
        self._strata = self._terms
        if not design.strata_are_terms:
            self._strata = self._bootstrap(design.strata, design.labels, **options)

    def _bootstrap(
        self, strata: NDArray[np.int64], labels: tuple[str, ...], **options: int
    ) -> _Drawn:
        order = self.design.order
        values, strata = self.columns[order], strata[order]
        bootstrap = StratifiedBootstrap(values, strata, labels, **options)
        if self.counted:
            return _Drawn(bootstrap, None)
        return _Drawn(bootstrap, LogitNormalSamples(values, strata, labels, bootstrap, **options))

    def term(self, number: int) -> ImageScore:
        """Score one term."""
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
        """Score one group, with equal weight for every image."""
        sizes = self._strata.bootstrap.sizes * (self.design.group_of_stratum == side)
        return self._whole(
            self.design.groups[side], self.design.group_of == side, sizes / sizes.sum()
        )

    def all_images(self, name: str = "all images", column: int = 0) -> ImageScore:
        """Score all images with equal weight: the paper's score.

        - `name`: name of the score.
        - `column`: 0 for the mean over templates, 1 + k for template k.
        """
        sizes = self._strata.bootstrap.sizes
        return self._whole(name, np.ones(len(self.first), dtype=bool), sizes / sizes.sum(), column)

    def groups_alike(self) -> ImageScore:
        """Score all images with equal weight for groups."""
        weights = np.zeros(len(self._strata.bootstrap.sizes))
        for side in (0, 1):
            group_sizes = self._strata.bootstrap.sizes * (self.design.group_of_stratum == side)
            weights += group_sizes / group_sizes.sum() / 2
        return self._whole("groups alike", np.ones(len(self.first), dtype=bool), weights)

    def template(self, number: int, name: str) -> ImageScore:
        """Compute the paper's score of one template.

        - `number`: which one, from 0.
        - `name`: the template text.
        """
        return self.all_images(name, 1 + number)

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
        drawn: _Drawn,
        weights: Floats,
        signs: Floats,
        column: int = 0,
    ) -> ImageScore:
        # P of the second list is 1 less that of the first.
        offset = float(weights @ (signs < 0))
        estimate = drawn.bootstrap.combined(weights, column, signs)
        estimate = replace(estimate, estimate=offset + estimate.estimate)
        n = int(mask.sum())
        if self.counted:
            low, high = estimate.share_limits(self.level, n)
        else:
            samples = None if drawn.model is None else drawn.model.combined(weights, column, signs)
            beside = None if samples is None else samples.studentised()
            low, high = estimate.limits(self.level, share=True, beside=beside)
        towards = self.sign[mask] * (self.columns[mask, column] - NEUTRAL)
        return ImageScore(
            name=name,
            part_of=part_of,
            n_images=n,
            score=estimate.estimate,
            interval=Interval(low, high, self.level, WITHIN_TERMS if part_of else self.kind),
            stereotyped=int((towards > SINGLE).sum()),
        )

    def effect(self) -> tuple[float, Interval]:
        """Compute Cohen's d of P(the first list) between the groups' images.

        Student's t with the variance, within terms, of each image's influence on d: it covers
        better than resampled values of d, whose denominator makes them skewed (see the docs).
        """
        nothing = Interval(math.nan, math.nan, self.level, self.kind)
        order = self.design.order  # so that sums do not depend on the order given
        first, strata = self.first[order], self.design.strata[order]
        sides = [self.design.group_of[order] == side for side in (0, 1)]
        sizes = [int(side.sum()) for side in sides]
        if min(sizes) < 2:
            return math.nan, nothing
        means = [float(first[side].mean()) for side in sides]
        deviations = first - np.where(sides[0], *means)
        n = len(deviations)
        within = float(deviations @ deviations) / (n - 2)
        if within <= _FLAT**2:
            return math.nan, nothing
        sd = math.sqrt(within)
        d = (means[0] - means[1]) / sd
        influence = self.sign[order] * deviations / (sd * np.where(sides[0], *sizes))
        influence -= d / 2 * (deviations**2 / within - 1) / n
        parts, free = [], []
        for stratum in range(len(self.design.labels)):
            stratum_influence = influence[strata == stratum]
            if len(stratum_influence) < 2:
                return d, nothing
            parts.append(len(stratum_influence) * float(stratum_influence.var(ddof=1)))
            free.append(len(stratum_influence) - 1)
        variance = sum(parts)
        if variance <= _FLAT**2:  # images of a term have equal answers: nothing is resampled
            return d, Interval(d, d, self.level, self.kind)
        df = variance**2 / sum(part**2 / f for part, f in zip(parts, free, strict=True))
        reach = float(special.stdtrit(df, (1 + self.level) / 2)) * math.sqrt(variance)
        return d, Interval(d - reach, d + reach, self.level, self.kind)


RESAMPLES, PERMUTATIONS = 2000, 10_000


@renamed(seed="rng")
def image_statistics(
    images: Sequence[ImageRecord],
    group_of: ArrayLike,
    probabilities: ArrayLike,
    *,
    list_of: ArrayLike,
    groups: tuple[str, str],
    templates: Sequence[str],
    aggregate: str = "sum",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    permutations: int = PERMUTATIONS,
    rng: int | np.random.Generator = 0,
) -> dict[str, Any]:
    """Compute the fields of `ImageAssociation` that follow from the model's answers.

    The resampling weights do not depend on the answers and are cached:
    so a concept can be edited with every number following at once.

    Parameters
    ----------
    images : sequence of ImageRecord, length n
        Their terms and hashes count.
    group_of : array_like of int, shape (n,)
        Group of each image: 0 or 1.
    probabilities : array_like, shape (n, K, C)
        Of C concepts in K templates.
    list_of : array_like of int, shape (C,)
        List of each concept: 0 for the one tied to the first group, 1 for the second's.
    groups : (str, str)
        Names of the groups.
    templates : sequence of str, length K
    aggregate, level, resamples, permutations, rng
        As of `image_association`.

    Returns
    -------
    dict
        ``overall``, ``balanced``, ``by_group``, ``terms``, ``by_template``, ``first``, ``effect``,
        ``effect_interval``, ``p`` and ``p_of``.

    Raises
    ------
    ValueError
        If an option is out of range, shapes do not fit, or a group or list is empty.
    """
    check_level(level)
    if resamples < 100:
        raise ValueError(f"resamples is {resamples}; use at least 100, such as {RESAMPLES}.")
    if permutations < 100:
        raise ValueError(
            f"permutations is {permutations}; use at least 100, such as {PERMUTATIONS:,}."
        )
    # Equal answers may differ by rounding, which is no difference.
    by_template = levelled(first_list(probabilities, list_of, aggregate))
    if by_template.shape != (len(images), len(templates)):
        raise ValueError(
            f"Probabilities of shape {np.shape(probabilities)} do not fit {len(images)} images and "
            f"{len(templates)} templates."
        )
    design, seed = ImageDesign.of(images, group_of, groups), seed_number(rng)
    resampled = ResampledScores(
        design, by_template, counted=aggregate == "any", level=level, resamples=resamples, seed=seed
    )
    effect, effect_interval = resampled.effect()
    p, p_of = split_test(resampled.first, design, permutations, seed)
    return {
        "overall": resampled.all_images(),
        "balanced": resampled.groups_alike(),
        "by_group": (resampled.group(0), resampled.group(1)),
        "terms": tuple(resampled.term(i) for i in range(len(design.terms))),
        "by_template": tuple(resampled.template(i, name) for i, name in enumerate(templates)),
        "first": resampled.first,
        "effect": effect,
        "effect_interval": effect_interval,
        "p": p,
        "p_of": p_of,
    }
