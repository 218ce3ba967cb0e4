"""``bl.weat``: the Word Embedding Association Test (Caliskan et al. 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import renamed
from biaslab.errors import QueryError
from biaslab.probes.association.draws import check_resampling, within
from biaslab.probes.association.effect_size import (
    ceiling,
    check_ddof,
    difference_of_means,
    effect_size,
)
from biaslab.probes.association.lists import (
    AssociationLists,
    Floats,
    SpecSource,
    Words,
    cosines,
    cosines_frame,
    n_replicates,
)
from biaslab.probes.association.word_draws import SHORTEST, weat_intervals, word_draws
from biaslab.probes.occupations import leans as single
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.result import Interval, Result
from biaslab.stats.permutation import Alternative, PermutationTest, exceedances, permutation_test
from biaslab.stats.reproducibility import levelled
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.needs import WORD_VECTORS, Named, opened

if TYPE_CHECKING:
    import pandas as pd


@renamed(splits="permutations")
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
    permutations: int = 10_000,
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
    permutations : int
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
    check_two_lists(requested, level, resamples)
    check_ddof(ddof)
    parameters = {
        "spec": requested.spec,
        "ddof": ddof,
        "alternative": alternative,
        "exact_up_to": exact_up_to,
        "permutations": permutations,
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
            permutations=permutations,
            seed=of_splits,
        )
        exceed = np.array([test.exceed])
        if b > 1:
            exceed, _, _ = exceedances(
                values,
                n_1,
                alternative=alternative,
                exact_up_to=exact_up_to,
                permutations=permutations,
                seed=of_splits,
            )
        enough = min(n_1, values.shape[1] - n_1) > 1
        lengths = [len(words) for words in known.groups.values()]
        m_a, m_b = (len(words) for words in known.attributes.values())
        drawn = word_draws(table, lengths, (m_a, m_b), ddof, resamples, rng)
        size = effect_size(values, n_1, ddof) if enough else np.full(b, np.nan)
        difference = difference_of_means(values, n_1)
        of_statistic, of_size, endless = weat_intervals(difference, size, drawn, level, rng)
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
        endless_intervals=endless,
        dropped=known.dropped,
        provenance=run.provenance,
    )


def check_two_lists(lists: AssociationLists, level: float, resamples: int) -> None:
    """Refuse lists and options that WEAT cannot take."""
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


@dataclass(frozen=True, kw_only=True)
class WeatResult(Result):
    """WEAT of one or two target lists with two attribute lists.

    Attributes
    ----------
    lists : AssociationLists
        Known words of the request: ``groups`` are the targets X, Y (or X alone), ``attributes``
        A and B.
    cosines : ndarray, shape (B, n, m)
        Of every target word with every attribute word, lists one after another, per replicate.
    ddof : int
        Of the effect size's SD.
    level : float
        Of the intervals.
    test : PermutationTest
        Of the mean associations over replicates: p, k and n, and a histogram of the null.
    exceed_by_replicate : ndarray, shape (B,)
        Splits that reach each replicate's own difference.
    statistic_intervals, effect_size_intervals : tuple of Interval
        By kind: ``words``; for an ensemble also ``corpus`` and ``words and corpora``. That of the
        effect size is for lists as long as these.
    endless_intervals : tuple of Interval
        Of the effect size for endless lists: ``words``; for an ensemble also ``words and corpora``.
        Empty in a result of before, whose `effect_size_intervals` include them.
    """

    schema: ClassVar[str] = "weat/2"

    lists: AssociationLists
    cosines: Floats
    ddof: int
    level: float
    test: PermutationTest
    exceed_by_replicate: NDArray[np.int64]
    statistic_intervals: tuple[Interval, ...]
    effect_size_intervals: tuple[Interval, ...]
    endless_intervals: tuple[Interval, ...]

    @classmethod
    def upgrade(cls, content: dict[str, Any], version: int) -> dict[str, Any]:
        """Read an interval that includes both truths of the effect size as it is."""
        return {**content, "endless_intervals": ()} if version < 2 else content

    @property
    def single(self) -> bool:
        """Whether this is the single-category test (one target list)."""
        return len(self.lists.groups) == 1

    @property
    def names(self) -> tuple[str, ...]:
        """Names of X, Y (or X), A and B."""
        return (*self.lists.groups, *self.lists.attributes)

    @property
    def words(self) -> tuple[str, ...]:
        """The target words, list by list."""
        return self.lists.words

    @property
    def n_replicates(self) -> int:
        """Number B of replicates."""
        return len(self.cosines)

    @property
    def sizes(self) -> tuple[int, int]:
        """Lengths of the two compared lists: targets, or attributes for one target list."""
        values, n_1 = self._compared
        return n_1, values.shape[1] - n_1

    @cached_property
    def association(self) -> Floats:
        """s(t, A, B) of each target word in each replicate, shape (B, n)."""
        m_a = len(next(iter(self.lists.attributes.values())))
        return single.difference_of_means(self.cosines[..., :m_a], self.cosines[..., m_a:])

    @cached_property
    def word_effect_size(self) -> Floats:
        """WEFAT of each target word in each replicate."""
        m_a = len(next(iter(self.lists.attributes.values())))
        cosines_1, cosines_2 = self.cosines[..., :m_a], self.cosines[..., m_a:]
        return single.effect_size(cosines_1, cosines_2, self.ddof)

    @cached_property
    def _compared(self) -> tuple[Floats, int]:
        return compared(self.cosines, self.lists)

    @cached_property
    def statistic_by_replicate(self) -> Floats:
        """Difference of means in each replicate, shape (B,)."""
        return difference_of_means(*self._compared)

    @cached_property
    def effect_size_by_replicate(self) -> Floats:
        """Effect size in each replicate, shape (B,); NaN if there is a `reason`."""
        if min(self.sizes) < 2:
            return np.full(self.n_replicates, np.nan)
        return effect_size(*self._compared, self.ddof)

    @property
    def statistic(self) -> float:
        """Mean of s over X minus mean of s over Y; the mean over replicates."""
        return float(self.statistic_by_replicate.mean())

    @property
    def statistic_sum(self) -> float:
        """Caliskan's form of the test statistic: sum of s over X less sum of s over Y."""
        values, n_1 = self._compared
        mean = values.mean(axis=0)
        return float(mean[:n_1].sum() - mean[n_1:].sum())

    @property
    def effect_size(self) -> float:
        """The effect size d; the mean over replicates, NaN if there is a `reason`."""
        return float(self.effect_size_by_replicate.mean())

    @property
    def ceiling(self) -> float:
        """Largest effect size that lists of these lengths can have with this ddof."""
        return ceiling(*self.sizes, self.ddof)

    @property
    def reason(self) -> str:
        """Why there is no effect size; empty if there is one."""
        size_1, size_2 = self.sizes
        if min(size_1, size_2) < 2:
            lists = self.lists.attributes if self.single else self.lists.groups
            short = next(name for name, words in lists.items() if len(words) < 2)
            return (
                f"“{short}” has one known word, but an effect size needs at least two in each"
                " list: add words"
            )
        if np.isnan(self.effect_size_by_replicate).any():
            return (
                "all associations are equal, so there is no spread to standardise a difference by"
            )
        return ""

    @property
    def interval_reason(self) -> str:
        """Reason for missing intervals over words; empty if there are some."""
        lists = {**self.lists.groups, **self.lists.attributes}
        short = next((name for name, words in lists.items() if len(words) < SHORTEST), None)
        if short is None:
            return ""
        return f"“{short}” has one known word, which does not show how other words would vary"

    @property
    def p(self) -> float:
        """p-value of the permutation test."""
        return self.test.p

    @property
    def exceed(self) -> int:
        """Splits that reach the observed difference (k)."""
        return self.test.exceed

    @property
    def partitions(self) -> int:
        """Splits that were looked at (n)."""
        return self.test.partitions

    @property
    def exact(self) -> bool:
        """Whether all splits were looked at: then p = k / n, else (k + 1) / (n + 1)."""
        return self.test.exact

    @property
    def p_by_replicate(self) -> Floats:
        """p-value in each replicate, shape (B,)."""
        more = 0 if self.exact else 1
        return (self.exceed_by_replicate + more) / (self.partitions + more)

    def interval(self, of: str = "effect_size", kind: str = "words") -> Interval:
        """Return an interval of ``effect_size``, ``statistic`` or ``endless`` by kind.

        Raises
        ------
        KeyError
            When there is no interval of that kind, such as ``corpus`` of a single embedding.
        """
        intervals: tuple[Interval, ...] = getattr(self, f"{of}_intervals")
        return {i.kind: i for i in intervals}[kind]

    def raw_frame(self) -> pd.DataFrame:
        """One row per cosine: word, group, attribute, list, replicate, cosine."""
        return cosines_frame(self.cosines, self.lists)

    def to_frame(self) -> pd.DataFrame:
        """Return one row for the whole test, then one per target word.

        Columns: word (empty for the whole), group, association (s, or the difference of means of
        the whole), effect_size (d of the whole, WEFAT of a word), their spread over replicates
        association_sd, and for the whole p, exceed, partitions, exact, ceiling, ddof, and the
        ends of each interval, such as statistic_words_low, effect_size_words_low (for lists as
        long as these) and endless_words_low (of the effect size, for endless lists).
        """
        import pandas as pd

        whole: dict[str, Any] = {
            "word": "",
            "group": " - ".join(self.lists.groups),
            "association": self.statistic,
            "association_sd": _sd(self.statistic_by_replicate),
            "effect_size": self.effect_size,
            "p": self.p,
            "exceed": self.exceed,
            "partitions": self.partitions,
            "exact": self.exact,
            "ceiling": self.ceiling,
            "ddof": self.ddof,
        }
        for of in ("statistic", "effect_size", "endless"):
            for interval in getattr(self, f"{of}_intervals"):
                name = f"{of}_{interval.kind.replace(' ', '_')}"
                whole |= {f"{name}_low": interval.low, f"{name}_high": interval.high}
        of_word = [name for name, words in self.lists.groups.items() for _ in words]
        rows = [
            {
                "word": word,
                "group": group,
                "association": float(self.association[:, i].mean()),
                "association_sd": _sd(self.association[:, i]),
                "effect_size": float(self.word_effect_size[:, i].mean()),
            }
            for i, (word, group) in enumerate(zip(self.words, of_word, strict=True))
        ]
        return pd.DataFrame([whole, *rows])


def compared(cosines: Floats, lists: AssociationLists) -> tuple[Floats, int]:
    """Return the values of the two compared lists, (B, N), and the first length.

    Associations of target words; with one target list the mean cosines of attribute words to it.
    Values that differ only by single-precision rounding become equal.
    """
    m_a = len(next(iter(lists.attributes.values())))
    if len(lists.groups) == 1:
        return levelled(cosines.mean(axis=1).T).T, m_a
    values = single.difference_of_means(cosines[..., :m_a], cosines[..., m_a:])
    return values, len(next(iter(lists.groups.values())))


def _sd(values: Floats) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")
