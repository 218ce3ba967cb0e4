"""Measures of other tools, for completeness: `rnd`, `ect`, `ripa`, `rnsb`.

The first three use the stored vectors, as the reference implementations do (WEFE), so that the
lengths of the vectors count: of two subjects with the same directions they may differ.

Each is only a formula; `biaslab.probes.association.word_measures.measure` adds the rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal, get_args

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.association.draws import rank_correlation
from biaslab.probes.association.lists import AssociationLists, SpecSource, Words, units
from biaslab.probes.association.word_measures import (
    Draw,
    ListVectors,
    Measure,
    MeasureResult,
    Rng,
    Row,
    measure,
)
from biaslab.records.calls import recorded
from biaslab.stats.classification import logistic_regression, probabilities
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.needs import Named


def _reads_rnd(lists: AssociationLists) -> str:
    group_1, group_2 = lists.groups
    return f"Below 0: closer to the words of {group_1}; above 0: closer to those of {group_2}."


@measure(_reads_rnd)
def rnd(embedded: ListVectors, draw: Draw) -> list[Row]:
    r"""Compute the relative norm distance (Garg, Schiebinger, Jurafsky and Zou 2018).

    See PNAS 115:E3635.

    .. math:: RND = \frac{1}{|A|} \sum_{a \in A}
        \left( \lVert \bar x - a \rVert - \lVert \bar y - a \rVert \right)

    with the means of the vectors of both target lists. Below 0: the attribute words are nearer to
    the first list. Garg et al. sum over the words; the mean, as in WEFE, does not grow with the
    list. One number per attribute list. The interval is for other attribute words; target words
    stay.

    Parameters
    ----------
    subject, spec, targets, attributes, groups, level, resamples, replicates, rng
        As of `biaslab.weat`; two target lists, one attribute list or more.

    Returns
    -------
    MeasureResult
        A value per attribute word: the difference of its two distances.
    """
    means = [embedded[f"groups.{g}"].mean(axis=1, keepdims=True) for g in embedded.lists.groups]
    estimates = []
    for name, words in embedded.lists.attributes.items():
        vectors = embedded[f"attributes.{name}"]
        distances_1, distances_2 = (np.linalg.norm(mean - vectors, axis=2) for mean in means)
        values = distances_1 - distances_2
        estimates.append(Row(name, values.mean(axis=1), draw.mean(values), words, values))
    return estimates


def _reads_ect(_: AssociationLists) -> str:
    return "1: both groups rank the words in the same order; −1: in the opposite order."


@measure(_reads_ect, neutral=1.0, ends=(-1, 1))
def ect(embedded: ListVectors, draw: Draw) -> list[Row]:
    r"""Compute the embedding coherence test (Dev and Phillips 2019, arXiv:1901.07656).

    Spearman's correlation, over the attribute words, of their cosines to the mean vector of the
    first target list and of those to the mean vector of the second. 1: both groups stand in the
    same order to the attribute words, no bias; -1: in the opposite one. One number per attribute
    list of three words or more. The interval is for other attribute words, four or more; target
    words stay.

    Parameters
    ----------
    subject, spec, targets, attributes, groups, level, resamples, replicates, rng
        As of `biaslab.weat`; two target lists, one attribute list or more.

    Returns
    -------
    MeasureResult
        A value per attribute word: its cosine to the first mean less that to the second.
    """
    means = [units(embedded[f"groups.{g}"].mean(axis=1)) for g in embedded.lists.groups]
    estimates = []
    for name, words in embedded.lists.attributes.items():
        vectors = units(embedded[f"attributes.{name}"])
        cosines_1, cosines_2 = (np.einsum("bnd,bd->bn", vectors, mean) for mean in means)
        between = cosines_1 - cosines_2
        if len(words) < 3:
            nothing = np.full(len(between), np.nan)
            why = "a rank correlation needs at least three known words"
            estimates.append(Row(name, nothing, None, words, between, why))
            continue
        correlation = rank_correlation(cosines_1, cosines_2)
        if np.isnan(correlation).any():
            why = "all words have the same cosine to a group, and so no order"
            estimates.append(Row(name, correlation, None, words, between, why))
            continue
        drawn = draw.correlation(cosines_1, cosines_2)
        estimates.append(Row(name, correlation, drawn, words, between))
    return estimates


def _reads_ripa(lists: AssociationLists) -> str:
    a, b = lists.groups
    return f"Above 0: toward the words of {a}; below 0: toward those of {b}."


def _same_length(lists: AssociationLists) -> None:
    first, second = lists.groups.values()
    if len(first) != len(second):
        a, b = lists.groups
        raise QueryError(
            f"RIPA pairs the words of {a!r} ({len(first)}) and {b!r} ({len(second)}) in order:"
            " give lists of the same length."
        )


@measure(_reads_ripa, check=_same_length, over="attribute words and pairs")
def ripa(embedded: ListVectors, draw: Draw) -> list[Row]:
    r"""Compute the relational inner product association (Ethayarajh et al. 2019).

    See Ethayarajh, Duvenaud and Hirst, ACL P19-1166.

    .. math:: RIPA = \mathrm{mean}_{a, k}\; \left\langle a,
        \frac{x_k - y_k}{\lVert x_k - y_k \rVert} \right\rangle

    over attribute words a and pairs (x_k, y_k): the first word of either target list, the second
    of either, and so on. Above 0: toward the first list. One number per attribute list. The
    interval is for other attribute words and pairs.

    Parameters
    ----------
    subject, spec, targets, attributes, groups, level, resamples, replicates, rng
        As of `biaslab.weat`; two target lists of the same length, one attribute list or more.

    Returns
    -------
    MeasureResult
        A value per attribute word: the mean over the pairs. A pair with an unknown word is left
        out, and so is one whose words have the same vector.

    Raises
    ------
    QueryError
        When the lists differ in length, or no pair is left.
    """
    pairs = embedded.pairs(list(zip(*embedded.requested.groups.values(), strict=True)))
    estimates = []
    for name, words in embedded.lists.attributes.items():
        products = embedded[f"attributes.{name}"] @ pairs.transpose(0, 2, 1)
        values = products.mean(axis=2)
        estimates.append(Row(name, values.mean(axis=1), draw.table(products), words, values))
    return estimates


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
    def rnsb(embedded: ListVectors, draw: Draw) -> list[Row]:
        return _rows(embedded, draw, intercept)

    return rnsb


def _rows(embedded: ListVectors, draw: Draw, intercept: Intercept) -> list[Row]:
    good, bad = (embedded[f"attributes.{name}"] for name in embedded.lists.attributes)
    words = embedded.lists.words
    labels = np.repeat([0.0, 1.0], [good.shape[1], bad.shape[1]])
    vectors = np.concatenate([embedded[f"groups.{g}"] for g in embedded.lists.groups], axis=1)
    negative = np.empty(vectors.shape[:2])
    for b in range(len(vectors)):
        points = np.concatenate([good[b], bad[b]])
        fitted = logistic_regression(points, labels, penalise_intercept=intercept == "penalised")
        negative[b] = probabilities(fitted, vectors[b])
    values = negative / negative.mean(axis=1, keepdims=True)
    estimate = (values * np.log(values)).mean(axis=1)
    return [Row("all targets", estimate, draw.divergence(estimate, len(words)), words, values)]


_BY_INTERCEPT: Final[dict[str, Measure]] = {one: _measure(one) for one in get_args(Intercept)}
