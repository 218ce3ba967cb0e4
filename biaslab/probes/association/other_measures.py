"""Measures of other tools, for completeness: ``bl.rnd``, ``bl.ect``, ``bl.ripa``, ``bl.rnsb``.

They take the vectors as they are stored, as the reference implementations do (WEFE), so that the
lengths of the vectors count: of two subjects with the same directions they may differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.association.cosines import Floats, n_replicates, units
from biaslab.probes.association.lists import Asked, AssociationLists, Words
from biaslab.probes.association.measure_result import MeasureResult
from biaslab.probes.association.resampling import weights
from biaslab.probes.association.spreads import intervals, within
from biaslab.provenance import measured
from biaslab.results import Dropped, Interval
from biaslab.stats.logistic import logistic_regression, probabilities
from biaslab.subjects.base import EmbeddingSubject

Seed = int | np.random.Generator
_WORDS = "attribute words"


@dataclass(frozen=True)
class Row:
    """A list's number in each replicate (B,), resampled (B, R) or not, and its words' values."""

    name: str
    estimate: Floats
    resampled: Floats | None
    words: tuple[str, ...]
    values: Floats
    reason: str = ""


def rnd(
    subject: EmbeddingSubject,
    spec: Asked | None = None,
    *,
    targets: Words | None = None,
    attributes: Words | Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    replicates: int | None = None,
    seed: Seed = 0,
) -> MeasureResult:
    r"""Relative norm distance (Garg, Schiebinger, Jurafsky and Zou 2018, PNAS 115:E3635).

    .. math:: RND = \frac{1}{|A|} \sum_{a \in A}
        \left( \lVert \bar x - a \rVert - \lVert \bar y - a \rVert \right)

    with the means of the vectors of both target lists. Below 0: the attribute words are nearer to
    the first list. Garg et al. sum over the words; the mean, as in WEFE, does not grow with the
    list. One number per attribute list. Attribute words are resampled, target words stay.

    Parameters
    ----------
    subject, spec, targets, attributes, groups, level, resamples, replicates, seed
        As of `biaslab.weat`; two target lists, one attribute list or more.

    Returns
    -------
    MeasureResult
        A value per attribute word: the difference of its two distances.
    """
    asked = _asked(spec, groups, targets, attributes, 2)

    def rows(held: _Held, draw: _Draw) -> list[Row]:
        means = [held[f"groups.{g}"].mean(axis=1, keepdims=True) for g in held.lists.groups]
        found = []
        for name, words in held.lists.attributes.items():
            vectors = held[f"attributes.{name}"]
            one, two = (np.linalg.norm(mean - vectors, axis=2) for mean in means)
            found.append(_mean_row(name, words, one - two, draw))
        return found

    one, two = asked.groups
    reads = f"Below 0: nearer to the words of {one}; above: to those of {two}."
    return _measure("RND", subject, asked, rows, reads, level, resamples, replicates, seed)


def ect(
    subject: EmbeddingSubject,
    spec: Asked | None = None,
    *,
    targets: Words | None = None,
    attributes: Words | Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    replicates: int | None = None,
    seed: Seed = 0,
) -> MeasureResult:
    r"""Embedding coherence test (Dev and Phillips 2019, arXiv:1901.07656).

    Spearman's correlation, over the attribute words, of their cosines to the mean vector of the
    first target list and of those to the mean vector of the second. 1: both groups stand in the
    same order to the attribute words, no bias; -1: in the opposite one. One number per attribute
    list of three words or more. Attribute words are resampled, target words stay.

    Parameters
    ----------
    subject, spec, targets, attributes, groups, level, resamples, replicates, seed
        As of `biaslab.weat`; two target lists, one attribute list or more.

    Returns
    -------
    MeasureResult
        A value per attribute word: its cosine to the first mean less that to the second.
    """
    asked = _asked(spec, groups, targets, attributes, 2)

    def rows(held: _Held, draw: _Draw) -> list[Row]:
        means = [units(held[f"groups.{g}"].mean(axis=1)) for g in held.lists.groups]
        found = []
        for name, words in held.lists.attributes.items():
            vectors = units(held[f"attributes.{name}"])
            one, two = (np.einsum("bnd,bd->bn", vectors, mean) for mean in means)
            if len(words) < 3:
                nothing = np.full(len(one), np.nan)
                why = "a rank correlation needs three known words or more"
                found.append(Row(name, nothing, None, words, one - two, why))
                continue
            drawn = draw.places(len(words))
            resampled = np.stack([_spearman(a[drawn], b[drawn]) for a, b in zip(one, two)])  # noqa: B905
            found.append(Row(name, _spearman(one, two), resampled, words, one - two))
        return found

    reads = "1: both groups stand in the same order to the words; −1: in the opposite one."
    return _measure(
        "ECT",
        subject,
        asked,
        rows,
        reads,
        level,
        resamples,
        replicates,
        seed,
        neutral=1.0,
        ends=(-1, 1),
    )


def ripa(
    subject: EmbeddingSubject,
    spec: Asked | None = None,
    *,
    targets: Words | None = None,
    attributes: Words | Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    replicates: int | None = None,
    seed: Seed = 0,
) -> MeasureResult:
    r"""Relational inner product association (Ethayarajh, Duvenaud and Hirst 2019, ACL P19-1166).

    .. math:: RIPA = \mathrm{mean}_{a, k}\; \left\langle a,
        \frac{x_k - y_k}{\lVert x_k - y_k \rVert} \right\rangle

    over attribute words a and pairs (x_k, y_k): the first word of either target list, the second
    of either, and so on. Above 0: toward the first list. One number per attribute list. Attribute
    words and pairs are resampled.

    Parameters
    ----------
    subject, spec, targets, attributes, groups, level, resamples, replicates, seed
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
    asked = _asked(spec, groups, targets, attributes, 2)
    one, two = asked.groups.values()
    if len(one) != len(two):
        a, b = asked.groups
        raise QueryError(
            f"RIPA pairs the words of {a!r} ({len(one)}) and {b!r} ({len(two)}) in their order: "
            "give lists of the same length."
        )

    def rows(held: _Held, draw: _Draw) -> list[Row]:
        pairs = held.pairs(list(zip(one, two, strict=True)))
        found = []
        for name, words in held.lists.attributes.items():
            products = held[f"attributes.{name}"] @ pairs.transpose(0, 2, 1)
            over_pairs, over_words = draw.weights(products.shape[2]), draw.weights(len(words))
            resampled = np.stack(
                [
                    np.einsum("rn,nk,rk->r", over_words, p, over_pairs, optimize=True)
                    for p in products
                ]
            )
            enough = min(products.shape[1:]) > 1
            values = products.mean(axis=2)
            found.append(
                Row(name, values.mean(axis=1), resampled if enough else None, words, values)
            )
        return found

    a, b = asked.groups
    reads = f"Above 0: toward the words of {a}; below: toward those of {b}."
    return _measure(
        "RIPA",
        subject,
        asked,
        rows,
        reads,
        level,
        resamples,
        replicates,
        seed,
        over="attribute words and pairs",
    )


def rnsb(
    subject: EmbeddingSubject,
    spec: Asked | None = None,
    *,
    targets: Words | None = None,
    attributes: Words | Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    replicates: int | None = None,
    seed: Seed = 0,
) -> MeasureResult:
    r"""Relative negative sentiment bias (Sweeney and Najafian 2019, ACL P19-1162).

    A logistic regression learns to tell the second attribute list (negative) from the first; with
    the probability p(t) of being negative of each of n target words,

    .. math:: RNSB = \sum_t f(t) \log \left( n f(t) \right), \qquad f(t) = p(t) / \sum_u p(u),

    the Kullback-Leibler divergence from all words being alike, in nats: 0 or more. The regression
    is fitted to all attribute words with a penalty of half the squared length of its weights and
    an intercept without one; sources that set words apart at random get another number each time.
    Target words are resampled, the regression stays. A divergence of few words is above 0 by
    chance alone: compare lists of one length only.

    Parameters
    ----------
    subject, spec, targets, attributes, groups, level, resamples, replicates, seed
        As of `biaslab.weat`; any number of target lists, two attribute lists.

    Returns
    -------
    MeasureResult
        One number; a value per target word: n f(t), 1 where it is as negative as the mean.
    """
    asked = _asked(spec, groups, targets, attributes, None)
    if len(asked.attributes) != 2:
        raise QueryError(
            f"RNSB learns from two attribute lists; here are {len(asked.attributes)}. Choose two: "
            "attributes=[positive, negative]."
        )

    def rows(held: _Held, draw: _Draw) -> list[Row]:
        good, bad = (held[f"attributes.{name}"] for name in held.lists.attributes)
        words = held.lists.words
        labels = np.repeat([0.0, 1.0], [good.shape[1], bad.shape[1]])
        vectors = np.concatenate([held[f"groups.{g}"] for g in held.lists.groups], axis=1)
        negative = np.empty(vectors.shape[:2])
        for b in range(len(vectors)):
            fitted = logistic_regression(np.concatenate([good[b], bad[b]]), labels)
            negative[b] = probabilities(fitted, vectors[b])
        every = np.ones((1, len(words))) / len(words)
        resampled = None
        if len(words) > 1:
            over = draw.weights(len(words))
            resampled = np.stack([_divergence(p, over) for p in negative])
        estimate = np.concatenate([_divergence(p, every) for p in negative])
        values = negative / negative.mean(axis=1, keepdims=True)
        return [Row("all targets", estimate, resampled, words, values)]

    reads = f"0: all words are as near to {list(asked.attributes)[1]}; more: some are nearer."
    return _measure(
        "RNSB",
        subject,
        asked,
        rows,
        reads,
        level,
        resamples,
        replicates,
        seed,
        over="target words",
        ends=(0, math.inf),
    )


@dataclass(frozen=True)
class _Draw:
    draws: int
    rng: np.random.Generator

    def weights(self, n: int) -> Floats:
        return weights(n, self.draws, self.rng)

    def places(self, n: int) -> NDArray[np.int64]:
        return self.rng.integers(0, n, size=(self.draws, n))


class _Held:
    """Known lists and their vectors, as stored, float64."""

    def __init__(self, subject: EmbeddingSubject, lists: AssociationLists, b: int) -> None:
        self._subject, self._b, self.lists = subject, b, lists
        self.dropped: list[Dropped] = []

    def __getitem__(self, name: str) -> Floats:
        return self._vectors(self.lists.named[name])

    def _vectors(self, words: Sequence[str]) -> Floats:
        return self._subject.vectors(words)[: self._b].astype(np.float64)

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """Unit differences of pairs, shape (B, K, d); pairs that have none are dropped."""
        groups = list(self.lists.groups)
        known = [set(self._subject.resolve(list(side)).known) for side in zip(*pairs, strict=True)]
        kept = [p for p in pairs if p[0] in known[0] and p[1] in known[1]]
        lost = [(p, "one of the two is unknown or listed before") for p in pairs if p not in kept]
        if not kept:
            raise QueryError(f"No pair of {groups[0]} and {groups[1]} is known whole.")
        one, two = (self._vectors(side) for side in zip(*kept, strict=True))
        between = one - two
        lengths = np.linalg.norm(between, axis=2, keepdims=True)
        apart = (lengths[..., 0] > 0).all(axis=0)
        lost += [
            (p, "both words have one vector") for p, ok in zip(kept, apart, strict=True) if not ok
        ]
        self.dropped += [Dropped(" - ".join(p), "pair", why) for p, why in lost]
        if not apart.any():
            raise QueryError(
                f"Both words of every pair of {groups[0]} and {groups[1]} have one vector: there "
                "is no direction between them."
            )
        return np.asarray(between[:, apart] / lengths[:, apart])


def _asked(
    spec: Asked | None,
    groups: Sequence[str] | None,
    targets: Words | None,
    attributes: Words | Sequence[str] | None,
    count: int | None,
) -> AssociationLists:
    asked = AssociationLists.of(
        spec, groups=groups, targets=targets, attributes=attributes, controls={}
    )
    if count is not None and len(asked.groups) != count:
        names = list(asked.groups)
        raise QueryError(
            f"This measure compares {count} groups and there are {len(names)} "
            f"({', '.join(map(repr, names))}). Choose with groups=(one, two)."
        )
    return asked


def _measure(
    measure: str,
    subject: EmbeddingSubject,
    asked: AssociationLists,
    rows: Callable[[_Held, _Draw], list[Row]],
    reads: str,
    level: float,
    resamples: int,
    replicates: int | None,
    seed: Seed,
    *,
    neutral: float = 0.0,
    over: str = _WORDS,
    ends: tuple[float, float] = (-math.inf, math.inf),
) -> MeasureResult:
    parameters = {"spec": asked.spec, "level": level, "resamples": resamples}
    check_resampling(level, resamples)
    with measured(
        probe=measure.lower(),
        subject=subject,
        spec_hash=asked.content_hash,
        seed=seed,
        parameters={**parameters, "replicates": replicates},
    ) as run:
        known = asked.known_to(subject)
        held = _Held(subject, known, n_replicates(subject, replicates))
        rng = np.random.default_rng(seed)
        found = rows(held, _Draw(resamples, rng))
        spread = tuple(
            within(intervals(row.estimate, row.resampled, level, rng), *ends) for row in found
        )
    return made_of(
        found,
        spread,
        measure=measure,
        reads=reads,
        neutral=neutral,
        level=level,
        over=over,
        dropped=(*known.dropped, *held.dropped),
        run=run,
    )


def made_of(
    rows: Sequence[Row],
    spread: tuple[tuple[Interval, ...], ...],
    *,
    measure: str,
    reads: str,
    neutral: float,
    level: float,
    over: str,
    dropped: tuple[Dropped, ...],
    run: measured,
) -> MeasureResult:
    """The result of a measure from its rows."""
    return MeasureResult(
        measure=measure,
        reads=reads,
        neutral=neutral,
        level=level,
        over=over,
        names=tuple(row.name for row in rows),
        estimates=np.stack([row.estimate for row in rows], axis=1),
        intervals=spread,
        reasons=tuple(row.reason for row in rows),
        words=tuple(word for row in rows for word in row.words),
        of_list=tuple(row.name for row in rows for _ in row.words),
        values=np.concatenate([row.values for row in rows], axis=1),
        dropped=dropped,
        provenance=run.provenance,
    )


def check_resampling(level: float, resamples: int) -> None:
    """Refuse options out of range.

    Raises
    ------
    ValueError
        If one is.
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; use a share between 0 and 1, such as 0.95.")
    if resamples < 1:
        raise ValueError(f"resamples is {resamples}; draw 1 or more, 2,000 is usual.")


def _mean_row(name: str, words: tuple[str, ...], values: Floats, draw: _Draw) -> Row:
    resampled = values @ draw.weights(len(words)).T if len(words) > 1 else None
    return Row(name, values.mean(axis=1), resampled, words, values)


def _spearman(one: Floats, two: Floats) -> Floats:
    """Rank correlation of rows; NaN where one side is constant."""
    from scipy.stats import rankdata

    a, b = (rankdata(x, axis=-1) for x in (one, two))
    a -= a.mean(axis=-1, keepdims=True)
    b -= b.mean(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (a * b).sum(axis=-1) / np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1))
    return np.asarray(found)


def _divergence(p: Floats, over: Floats) -> Floats:
    """Divergence from uniform of p weighted by each row of shares: (n,), (R, n) -> (R,)."""
    relative = p / (over @ p)[:, None]
    return np.asarray((over * relative * np.log(relative)).sum(axis=1))
