"""Relative negative sentiment bias, a measure of other tools: `rnsb`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal, get_args

import numpy as np

from biaslab.calls import recorded
from biaslab.errors import QueryError
from biaslab.probes.association.lists import AssociationLists, SpecSource, Words
from biaslab.probes.association.measure_result import MeasureResult
from biaslab.probes.association.word_measures import (
    Draw,
    ListVectors,
    Measure,
    Rng,
    Row,
    measure,
)
from biaslab.stats.classification import logistic_regression, probabilities
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.needs import Named

Intercept = Literal["free", "penalised"]


@recorded
def rnsb(
    subject: EmbeddingSubject | Named,
    spec: SpecSource | None = None,
    *,
    intercept: Intercept = "free",
    targets: Words | None = None,
    attributes: Words | Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    replicates: int | None = None,
    rng: Rng = 0,
) -> MeasureResult:
    r"""Compute the relative negative sentiment bias (Sweeney and Najafian 2019).

    See ACL P19-1162.

    A logistic regression learns to tell the second attribute list (negative) from the first; with
    the probability p(t) of being negative of each of n target words,

    .. math:: RNSB = \sum_t f(t) \log \left( n f(t) \right), \qquad f(t) = p(t) / \sum_u p(u),

    the Kullback-Leibler divergence from all words being alike, in nats: 0 or more. The regression
    is fitted to all attribute words with a penalty of half the squared length of its weights. The
    source does not say whether the intercept is penalised too, and few words make that matter.
    The interval is for other target words; the regression stays. A divergence of few words is
    smaller than that of many like them, and above 0 by chance alone: compare lists of one length.

    Parameters
    ----------
    subject, spec, targets, attributes, groups, level, resamples, replicates, rng
        As of `biaslab.weat`; any number of target lists, two attribute lists.
    intercept : str
        ``free`` (default): without a penalty, so that moving the vectors' origin changes nothing.
        ``penalised``: with that of a weight, as in WEFE, whose number this is where it holds no
        words out (``holdout=False``).

    Returns
    -------
    MeasureResult
        One number; a value per target word: n f(t), 1 where it is as negative as the mean.

    Raises
    ------
    ValueError
        When the intercept is neither.
    """
    if intercept not in _BY_INTERCEPT:
        known = " or ".join(map(repr, _BY_INTERCEPT))
        raise ValueError(f"intercept is {intercept!r}; choose {known}.")
    return _BY_INTERCEPT[intercept](
        subject,
        spec,
        targets=targets,
        attributes=attributes,
        groups=groups,
        level=level,
        resamples=resamples,
        replicates=replicates,
        rng=rng,
    )


def _reads(lists: AssociationLists) -> str:
    return (
        f"0: all words are equally close to {list(lists.attributes)[1]}; above 0: some are closer."
    )


def _two_lists(lists: AssociationLists) -> None:
    if len(lists.attributes) != 2:
        raise QueryError(
            f"RNSB learns from two attribute lists; got {len(lists.attributes)}. Choose two: "
            "attributes=[positive, negative]."
        )


def _measure(intercept: Intercept) -> Measure:
    @measure(
        _reads,
        count=None,
        check=_two_lists,
        over="target words",
        ends=(0, math.inf),
        parameters={"intercept": intercept},
    )
    def rnsb(held: ListVectors, draw: Draw) -> list[Row]:
        return _rows(held, draw, intercept)

    return rnsb


def _rows(held: ListVectors, draw: Draw, intercept: Intercept) -> list[Row]:
    good, bad = (held[f"attributes.{name}"] for name in held.lists.attributes)
    words = held.lists.words
    labels = np.repeat([0.0, 1.0], [good.shape[1], bad.shape[1]])
    vectors = np.concatenate([held[f"groups.{g}"] for g in held.lists.groups], axis=1)
    negative = np.empty(vectors.shape[:2])
    for b in range(len(vectors)):
        points = np.concatenate([good[b], bad[b]])
        fitted = logistic_regression(points, labels, penalise_intercept=intercept == "penalised")
        negative[b] = probabilities(fitted, vectors[b])
    values = negative / negative.mean(axis=1, keepdims=True)
    estimate = (values * np.log(values)).mean(axis=1)
    return [Row("all targets", estimate, draw.divergence(estimate, len(words)), words, values)]


_BY_INTERCEPT: Final[dict[str, Measure]] = {one: _measure(one) for one in get_args(Intercept)}
