"""``bl.weat``: the Word Embedding Association Test (Caliskan et al. 2017)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biaslab.calls import recorded
from biaslab.errors import QueryError
from biaslab.probes.association.cosines import cosines, n_replicates
from biaslab.probes.association.effect_size import (
    ceiling,
    check_ddof,
    difference_of_means,
    effect_size,
)
from biaslab.probes.association.lists import AssociationLists, SpecSource, Words
from biaslab.probes.association.spreads import check_resampling, within
from biaslab.probes.association.weat_result import WeatResult, compared
from biaslab.probes.association.word_draws import weat_intervals, word_draws
from biaslab.provenance import measured
from biaslab.stats.permutation import Alternative, exceedances, permutation_test
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.needs import WORD_VECTORS, Named, opened


@recorded
def weat(
    subject: EmbeddingSubject | Named,
    spec: SpecSource | None = None,
    *,
    targets: Words | None = None,
    attributes: Words | Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
    ddof: int = 1,
    alternative: Alternative = "greater",
    exact_up_to: int = 100_000,
    splits: int = 10_000,
    level: float = 0.95,
    resamples: int = 2000,
    replicates: int | None = None,
    rng: int | np.random.Generator = 0,
) -> WeatResult:
    r"""Measure the association of two target lists X, Y with two attribute lists A, B.

    .. math::
        s(t, A, B) &= \mathrm{mean}_{a \in A} \cos(t, a) - \mathrm{mean}_{b \in B} \cos(t, b) \\
        d &= \frac{\mathrm{mean}_{x \in X} s(x, A, B) - \mathrm{mean}_{y \in Y} s(y, A, B)}
                  {\mathrm{SD}_{w \in X \cup Y} s(w, A, B)}

    The test statistic is the numerator, a difference of means; ``statistic_sum`` is Caliskan's sum
    form. With *one* target list it is the single-category test (WEFAT, SC-WEAT), which compares
    attribute words, each by its mean cosine to the target words.

    Parameters
    ----------
    subject : EmbeddingSubject, or name of one
        An embedding, or an ensemble: then everything is also given per replicate.
    spec : Spec, AssociationLists, or name of a spec, optional
        Groups are the targets, attributes the attribute lists, in the spec's order.
    targets : mapping of str to sequence of str, optional
        One or two lists outright.
    attributes : mapping of str to sequence of str, or sequence of str, optional
        Two lists outright, or the names of two of the spec's.
    groups : sequence of str, optional
        One or two of the spec's groups, in this order.
    ddof : int
        Of the SD: 1 or 0.
    alternative : str
        Of the permutation test. ``greater``: X is nearer to A (one-sided, as in the source);
        ``less``; ``two-sided``: the difference is as far from 0. The mean of the null
        distribution is 0 for lists of any length, so that this is also the distance from its
        mean.
    exact_up_to : int
        All splits of the words into lists of these lengths are enumerated if there are at most
        this many.
    splits : int
        Else this many are drawn; p is then (k + 1) / (n + 1).
    level : float
        Of the intervals, in (0, 1).
    resamples : int
        Draws behind the intervals over words.
    replicates : int, optional
        How many of an ensemble's replicates, from the first.
    rng : int or numpy.random.Generator
        Of drawn splits and intervals.

    Returns
    -------
    WeatResult
        Of an ensemble: means over the replicates; the permutation test is of each word's mean
        association, and `p_by_replicate` has that of each replicate.

    Raises
    ------
    QueryError
        When there are not one or two groups and two attribute lists, two of them hold the same
        words, or all words of one are unknown.
    SpecError
        When a name is no spec's, no group's or no list's.
    ValueError
        When an option is out of range.

    Notes
    -----
    A split whose difference is equal to the observed one up to 1e-12 of the sum of all absolute
    associations (the rounding of double precision) counts as reaching it. An association below
    1e-6 (the rounding of single precision) is none.

    References
    ----------
    Caliskan, Bryson and Narayanan (2017), "Semantics derived automatically from language corpora
    contain human-like biases", Science 356, 183-186, doi:10.1126/science.aal4230. The formula is
    as written in "A Bayesian method of cosine-based word2vec bias estimation" (eq. WEAT), a
    manuscript that names no authors.
    """
    subject = opened(subject, WORD_VECTORS, "bl.weat")
    # Control words have no part in it, and none of them is listed as dropped.
    requested = AssociationLists.of(
        spec, groups=groups, targets=targets, attributes=attributes, controls={}
    )
    _check(requested, level, resamples)
    check_ddof(ddof)
    parameters = {
        "spec": requested.spec,
        "ddof": ddof,
        "alternative": alternative,
        "exact_up_to": exact_up_to,
        "splits": splits,
        "level": level,
        "resamples": resamples,
        "replicates": replicates,
    }
    with measured(
        probe="weat",
        subject=subject,
        spec_hash=requested.content_hash,
        seed=rng,
        parameters=parameters,
    ) as run:
        known = requested.known_to(subject)
        b = n_replicates(subject, replicates)
        table = cosines(subject, known.words, known.attribute_words, b)
        values, n_1 = compared(table, known)
        rng = np.random.default_rng(rng)
        of_splits = int(rng.integers(2**63))
        test = permutation_test(
            values.mean(axis=0),
            n_1,
            alternative=alternative,
            exact_up_to=exact_up_to,
            splits=splits,
            seed=of_splits,
        )
        exceed = np.array([test.exceed])
        if b > 1:
            exceed, _, _ = exceedances(
                values,
                n_1,
                alternative=alternative,
                exact_up_to=exact_up_to,
                splits=splits,
                seed=of_splits,
            )
        enough = min(n_1, values.shape[1] - n_1) > 1
        lengths = [len(words) for words in known.groups.values()]
        m_a, m_b = (len(words) for words in known.attributes.values())
        drawn = word_draws(table, lengths, (m_a, m_b), ddof, resamples, rng)
        size = effect_size(values, n_1, ddof) if enough else np.full(b, np.nan)
        difference = difference_of_means(values, n_1)
        of_statistic, of_size = weat_intervals(difference, size, drawn, level, rng)
        top = ceiling(n_1, values.shape[1] - n_1, ddof)
    return WeatResult(
        lists=known,
        cosines=table,
        ddof=ddof,
        level=level,
        test=test,
        exceed_by_replicate=exceed,
        statistic_intervals=of_statistic,
        effect_size_intervals=within(of_size, -top, top),
        dropped=known.dropped,
        provenance=run.provenance,
    )


def _check(lists: AssociationLists, level: float, resamples: int) -> None:
    if len(lists.groups) not in (1, 2):
        names = list(lists.groups)
        raise QueryError(
            f"WEAT compares two groups; got {len(names)} ({', '.join(map(repr, names))}). Choose"
            f" two: groups=({names[0]!r}, {names[1]!r}); or one, for the single-category test."
        )
    if len(lists.attributes) != 2:
        names = list(lists.attributes)
        chosen = ", ".join(map(repr, names[:2])) if len(names) > 1 else "..."
        raise QueryError(
            f"WEAT compares two attribute lists; got {len(names)} ({', '.join(map(repr, names))})."
            f" Choose two: attributes=[{chosen}]."
        )
    check_resampling(level, resamples)
