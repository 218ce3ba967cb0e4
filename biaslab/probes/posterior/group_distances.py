"""``bl.posterior.groups``: which group's names lie closer to a posterior.

After Liang and Acuna (2020), Fig. 7.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import special

from biaslab.arguments import lists_by_name, renamed, strings
from biaslab.errors import QueryError
from biaslab.probes.posterior.reading import (
    NEUTRAL,
    Centre,
    Distance,
    Floats,
    Posterior,
    batch_error,
)
from biaslab.probes.posterior.word_distances import MONTE_CARLO, WordDistances
from biaslab.probes.posterior.word_distances import distances as posterior_distances
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.record import Record
from biaslab.records.result import Dropped, Interval, Result
from biaslab.specs import Spec, get
from biaslab.stats.permutation import PermutationTest, permutation_test
from biaslab.stats.significance import check_level

if TYPE_CHECKING:
    import pandas as pd

NAMES = "names"
"""Kind of an interval: over other names of these groups."""
PERSONS = "eec-persons"


@dataclass(frozen=True)
class GroupMean(Record):
    """Distances of one group's names.

    Attributes
    ----------
    name : str
        The group.
    terms : tuple of str
        Its n known names.
    distances : ndarray, shape (n,)
        Mean distance of each name to the draws.
    mean : float
        Over the names.
    interval : Interval
        Over names: of the group's mean, over other names.
    monte_carlo : Interval
        Of the same mean, from the draws alone.
    """

    name: str
    terms: tuple[str, ...]
    distances: Floats
    mean: float
    interval: Interval
    monte_carlo: Interval


@dataclass(frozen=True, kw_only=True)
class GroupDistances(Result):
    """Two groups' distances to one posterior, and their difference.

    Attributes
    ----------
    label : str
        Of the posterior p(s | label).
    distance : str
        Kind of distance.
    centre : str
        Centre of angles: ``prior`` (its mean) or ``origin``.
    groups : tuple of GroupMean
        Two.
    difference : float
        Mean of group 1 minus mean of group 2: above 0, group 2 is closer.
    interval : Interval
        Of the difference over names (Welch's), with the Monte Carlo error of the draws added.
    monte_carlo : Interval
        Of the difference from the draws alone, for just these names.
    effect_size : float
        Cohen's d: the difference over the pooled SD (ddof 1) of names within groups; NaN if
        there is a `reason`.
    effect_size_interval : Interval
        Of d, over names: Hedges and Olkin's large-sample one.
    test : PermutationTest
        Two-sided, of names over groups.
    reason : str
        Why there is no effect size and no interval over names; empty if there is one.
    """

    schema: ClassVar[str] = "posterior-groups/1"

    label: str
    distance: str
    centre: Centre
    groups: tuple[GroupMean, ...]
    difference: float
    interval: Interval
    monte_carlo: Interval
    effect_size: float
    effect_size_interval: Interval
    test: PermutationTest
    reason: str = ""

    @property
    def p(self) -> float:
        """Two-sided p-value of the permutation test, exact if all splits were enumerated."""
        return self.test.p

    @property
    def neutral(self) -> float | None:
        """Distance of a name at right angles; None for the Euclidean distance."""
        return NEUTRAL.get(self.distance)

    @property
    def closer(self) -> str:
        """The group with the smaller mean distance; empty if they are equal."""
        if self.difference == 0:
            return ""
        return self.groups[1 if self.difference > 0 else 0].name

    @property
    def excludes_null(self) -> bool:
        """Whether the interval of the difference excludes 0."""
        interval = self.interval
        return bool(np.isfinite([interval.low, interval.high]).all() and 0 not in interval)

    def raw_frame(self) -> pd.DataFrame:
        """One row per name: group, term, distance (mean over the draws)."""
        import pandas as pd

        rows = [
            (group.name, term, distance)
            for group in self.groups
            for term, distance in zip(group.terms, group.distances.tolist(), strict=True)
        ]
        return pd.DataFrame(rows, columns=["group", "term", "distance"])

    def to_frame(self) -> pd.DataFrame:
        """Return one row for the difference, one for each group, and one per name.

        Columns: group, term (empty but for a name), distance, names_low, names_high,
        monte_carlo_low, monte_carlo_high, and for the difference effect_size, p, exact.
        """
        import pandas as pd

        group_1, group_2 = self.groups
        rows: list[dict[str, Any]] = [
            {
                "group": f"{group_1.name} - {group_2.name}",
                "term": "",
                "distance": self.difference,
                **_ends(self.interval, self.monte_carlo),
                "effect_size": self.effect_size,
                "effect_size_low": self.effect_size_interval.low,
                "effect_size_high": self.effect_size_interval.high,
                "p": self.p,
                "exact": self.test.exact,
            }
        ]
        rows += [
            {"group": g.name, "term": "", "distance": g.mean, **_ends(g.interval, g.monte_carlo)}
            for g in self.groups
        ]
        for g in self.groups:
            rows += [
                {"group": g.name, "term": term, "distance": float(d)}
                for term, d in zip(g.terms, g.distances, strict=True)
            ]
        return pd.DataFrame(rows)


@renamed(splits="permutations")
@recorded
def groups(
    distances: WordDistances | Posterior,
    groups: str | Spec | Mapping[str, Sequence[str]] = PERSONS,
    *,
    words: object = None,
    names: Sequence[str] | None = None,
    distance: Distance = "angular",
    centre: Centre = "prior",
    level: float = 0.95,
    exact_up_to: int = 100_000,
    permutations: int = 10_000,
    rng: int | np.random.Generator = 0,
) -> GroupDistances:
    """Compare two groups' distances to the draws of p(s | label).

    Parameters
    ----------
    distances : PosteriorResult or WordDistances
        Draws; or distances of at most 1,000 words that include the names.
    groups : str, Spec or mapping of str to sequence of str
        Two groups of names or relations: a spec or its name (default: the persons of the Equity
        Evaluation Corpus), or the lists outright.
    words : Classifier or EmbeddingSubject, optional
        Source of word vectors; needed with draws.
    names : sequence of str, optional
        Two of the groups, in this order; by default the first two.
    distance, centre : str
        With draws, as of `biaslab.posterior.distances`.
    level : float
        Of the intervals, in (0, 1).
    exact_up_to, permutations : int
        Of the permutation test: all splits are enumerated up to this number, else
        this many are drawn.
    rng : int or numpy.random.Generator
        Of the splits drawn.

    Returns
    -------
    GroupDistances

    Raises
    ------
    QueryError
        When there are not two groups, a group has no known name, or words are missing.
    SpecError
        When no spec has this name.
    ValueError
        When an option is out of range.

    Notes
    -----
    Names are the units: the interval of the difference is Welch's over names, its variance
    increased by the variance of the draws shared by all names. A name in both groups is dropped
    from both.
    """
    check_level(level)
    requested, spec_hash = _requested_groups(groups, names)
    shared = set.intersection(*(set(held) for held in requested.values()))
    dropped = [Dropped(t, NAMES, "is in both groups") for t in sorted(shared)]
    lists = {
        g: list(dict.fromkeys(t for t in held if t not in shared)) for g, held in requested.items()
    }
    parameters: dict[str, Any] = {
        "groups": {g: tuple(held) for g, held in requested.items()},
        "distance": distance,
        "centre": centre,
        "level": level,
        "exact_up_to": exact_up_to,
        "permutations": permutations,
    }
    subject: object = words
    if isinstance(distances, WordDistances):
        subject = distances.provenance.subject
        parameters |= {
            "distance": distances.distance,
            "centre": distances.centre,
            "posterior": distances.provenance.parameters.get("posterior"),
        }
    with measured(
        probe="posterior_groups",
        subject=subject,
        spec_hash=spec_hash,
        parameters=parameters,
        seed=rng,
    ) as run:
        table, more = _measured(distances, lists, words, distance, centre, level)
        dropped += more
        held = {g: [t for t in terms if t in table] for g, terms in lists.items()}
        for g, terms in held.items():
            if not terms:
                raise QueryError(
                    f"No name of the group {g!r} is known. Add names that the embedding knows;"
                    " .dropped lists the unknown ones.",
                    tuple(dropped),
                )
        comparisons = _compared(table, held, level)
        values = np.concatenate([g.distances for g in comparisons[0]])
        test = permutation_test(
            values,
            len(comparisons[0][0].terms),
            alternative="two-sided",
            exact_up_to=exact_up_to,
            permutations=permutations,
            seed=rng,
        )
    of_groups, difference, interval, monte_carlo, size, of_size, reason = comparisons
    return GroupDistances(
        label=table.label,
        distance=table.distance,
        centre=table.centre,
        groups=of_groups,
        difference=difference,
        interval=interval,
        monte_carlo=monte_carlo,
        effect_size=size,
        effect_size_interval=of_size,
        test=test,
        reason=reason,
        dropped=tuple(dropped),
        provenance=run.provenance,
    )


def _requested_groups(
    groups: str | Spec | Mapping[str, Sequence[str]], names: Sequence[str] | None
) -> tuple[dict[str, Sequence[str]], str | None]:
    spec = None if isinstance(groups, Mapping) else get(groups)
    lists = lists_by_name(groups, "groups") if spec is None else spec.groups
    chosen = list(lists)[:2] if names is None else list(strings(names, "names"))
    if len(chosen) != 2 or len(set(chosen)) != 2 or any(g not in lists for g in chosen):
        raise QueryError(
            f"Two groups are compared; got {chosen} of {list(lists)}. Choose two: "
            f"names={tuple(list(lists)[:2])}."
        )
    spec_hash = getattr(spec, "content_hash", None)
    return {g: lists[g] for g in chosen}, spec_hash


def _measured(
    distances: WordDistances | Posterior,
    lists: Mapping[str, Sequence[str]],
    words: object,
    distance: Distance,
    centre: Centre,
    level: float,
) -> tuple[WordDistances, list[Dropped]]:
    """Return a table with the names, and the missing ones."""
    of = {term: g for g, terms in lists.items() for term in terms}
    if not isinstance(distances, WordDistances):
        if words is None:
            raise QueryError(
                "Draws have no words: pass words=<the sampled classifier or its embedding>."
            )
        table = posterior_distances(
            distances, words, list(of), distance=distance, centre=centre, level=level
        )
        return table, [Dropped(d.term, of[d.term], d.reason, d.suggestions) for d in table.dropped]
    if distances.batches.shape[1] == 0:
        raise QueryError(
            f"These distances of {len(distances.terms):,} words no longer contain the covariance of"
            " the words over the draws. Pass the posterior itself with words=<the classifier>, or"
            " distances of the names alone."
        )
    why = {d.term: d for d in distances.dropped}
    lost = []
    for term, g in of.items():
        if term not in distances:
            known = why.get(term)
            reason = known.reason if known else "was not measured"
            lost.append(Dropped(term, g, reason, known.suggestions if known else ()))
    return distances, lost


def _compared(
    table: WordDistances, lists: Mapping[str, Sequence[str]], level: float
) -> tuple[tuple[GroupMean, ...], float, Interval, Interval, float, Interval, str]:
    means, batches = [], []
    for g, terms in lists.items():
        rows = [table.terms.index(t) for t in terms]
        batches.append(np.asarray(table.batches, dtype=np.float64)[rows].mean(axis=0))
        values = table.mean[rows]
        n, mean = len(values), float(values.mean())
        common = float(batch_error(batches[-1][None], table.weights)[0])
        variance = float(values.var(ddof=1)) / n if n > 1 else math.nan
        means.append(
            GroupMean(
                g,
                tuple(terms),
                values,
                mean,
                _interval(mean, math.sqrt(variance), n - 1, level, NAMES),
                _interval(mean, common, table.df, level, MONTE_CARLO),
            )
        )
    mean_1, mean_2 = means
    n_1, n_2 = len(mean_1.terms), len(mean_2.terms)
    difference = mean_1.mean - mean_2.mean
    noise = float(batch_error((batches[0] - batches[1])[None], table.weights)[0])
    monte_carlo = _interval(difference, noise, table.df, level, MONTE_CARLO)
    none = Interval(math.nan, math.nan, level, NAMES)
    if min(n_1, n_2) < 2:
        few = next(g for g in means if len(g.terms) < 2)
        reason = f"“{few.name}” has one known name, but a spread needs at least two: add names"
        return (mean_1, mean_2), difference, none, monte_carlo, math.nan, none, reason
    v_1, v_2 = (float(g.distances.var(ddof=1)) for g in means)
    parts = [(v_1 / n_1, n_1 - 1), (v_2 / n_2, n_2 - 1)]
    if math.isfinite(noise):
        parts.append((noise**2, table.df))
    interval = _summed(difference, parts, level)
    pooled = ((n_1 - 1) * v_1 + (n_2 - 1) * v_2) / (n_1 + n_2 - 2)
    if pooled <= 0:
        reason = "all names of each group are equal, so there is no spread to standardise by"
        return (mean_1, mean_2), difference, interval, monte_carlo, math.nan, none, reason
    d = difference / math.sqrt(pooled)
    error = math.sqrt((n_1 + n_2) / (n_1 * n_2) + d**2 / (2 * (n_1 + n_2)))
    half = float(special.ndtri((1 + level) / 2)) * error
    return (
        (mean_1, mean_2),
        difference,
        interval,
        monte_carlo,
        d,
        Interval(d - half, d + half, level, NAMES),
        "",
    )


def _summed(value: float, parts: Sequence[tuple[float, int]], level: float) -> Interval:
    """Return an interval from a sum of variances (Welch-Satterthwaite)."""
    total = sum(v for v, _ in parts)
    if total <= 0:
        return Interval(value, value, level, NAMES)
    df = total**2 / sum(v**2 / k for v, k in parts if v > 0)
    half = float(special.stdtrit(df, (1 + level) / 2)) * math.sqrt(total)
    return Interval(value - half, value + half, level, NAMES)


def _interval(value: float, error: float, df: int, level: float, kind: str) -> Interval:
    if df < 1 or not math.isfinite(error):
        return Interval(math.nan, math.nan, level, kind)
    half = float(special.stdtrit(df, (1 + level) / 2)) * error
    return Interval(value - half, value + half, level, kind)


def _ends(over_names: Interval, monte_carlo: Interval) -> dict[str, float]:
    return {
        "names_low": over_names.low,
        "names_high": over_names.high,
        "monte_carlo_low": monte_carlo.low,
        "monte_carlo_high": monte_carlo.high,
    }
