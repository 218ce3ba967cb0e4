"""Which group is chosen, apart from which place in the prompt is.

Each prompt lists candidates of several groups, and one of them is chosen: the first of a ranking.
A model may like a place in the prompt more than any name, so the null hypothesis is a ranker that
ignores groups and likes the same places. Its runs keep the places that were chosen, and shuffle
the orders among the prompts. That keeps how often each place was chosen and how often each group
stood there, and is exact where orders were drawn at random.

Choices that belong together form a unit: a prompt put several times, or one set of candidates
listed in several orders. A unit with one order keeps it for all its choices. In a unit with
several orders one candidate may be chosen again and again for what is behind the name, so the
groups are dealt out anew to the candidates of each unit instead.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.clustered_mean import ClusteredMean
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.significance import check_level

Whole = NDArray[np.int64]

_AT_ONCE: Final = 1_000_000
"""Numbers that are in memory at a time."""
_SHUFFLED: Final = 100_000_000
"""Most prompts that are shuffled in all runs; beyond, runs are drawn from their normal limit."""
_MANY: Final = 5_000
"""More choices than that are drawn from the limit too."""
_FEW: Final = 60
"""Degrees of freedom below which the kurtosis counts."""
_ROUNDING: Final = 1e-9
_FEWEST_NAMES: Final = 5
"""With fewer names in a group these names count as given and not as drawn."""


@dataclass(frozen=True, eq=False)
class Choices:
    """Prompts with candidates of groups, and the place of the chosen one.

    Attributes
    ----------
    group : ndarray of int, shape (n, K)
        Group of each candidate, from 0, in the order of the prompt; -1 behind the last candidate.
    chosen : ndarray of int, shape (n,)
        Place of the chosen candidate, from 0.
    names : ndarray of int, shape (n, K), optional
        Name of each candidate, as a number.
    unit : ndarray of int, shape (n,), optional
        Choices that belong together; by default each is by itself.
    """

    group: Whole
    chosen: Whole
    names: Whole | None = None
    unit: Whole | None = None

    def __len__(self) -> int:
        return len(self.chosen)

    @cached_property
    def k(self) -> int:
        """Number of groups."""
        return int(self.group.max()) + 1

    @cached_property
    def listed(self) -> Whole:
        """How often each group stood in a prompt, shape (k,)."""
        return np.bincount(self.group[self.group >= 0], minlength=self.k)

    @cached_property
    def counts(self) -> Whole:
        """How often each group was chosen, shape (k,)."""
        return np.bincount(self.group[np.arange(len(self)), self.chosen], minlength=self.k)

    @cached_property
    def by_place(self) -> Whole:
        """How often each place of the prompt was chosen, shape (K,)."""
        return np.bincount(self.chosen, minlength=self.group.shape[1])

    @cached_property
    def _name(self) -> tuple[Whole, int]:
        """Number of each candidate's name within its group, and fewest names of a group."""
        if self.names is None:
            return np.zeros(0, dtype=np.int64), 0
        there, most = self.group >= 0, int(self.names.max()) + 1
        keys, number = np.unique(self.group[there] * most + self.names[there], return_inverse=True)
        return number.ravel(), int(np.bincount(keys // most, minlength=self.k).min())

    @property
    def names_each(self) -> int:
        """Fewest names of a group; 0 where names are not known."""
        return self._name[1]

    @cached_property
    def has_names(self) -> bool:
        """Whether names recur, and each group has enough of them to stand for others like them."""
        number, fewest = self._name
        return fewest >= _FEWEST_NAMES and int(number.max()) + 1 < len(number)

    @cached_property
    def _unit(self) -> Whole:
        """Unit of each choice, numbered without gaps."""
        if self.unit is None:
            return np.arange(len(self))
        return np.asarray(np.unique(self.unit, return_inverse=True)[1].ravel())

    @cached_property
    def _parts(self) -> list[_Orders | _Labels]:
        """Sets of units within which orders, or groups, are exchangeable."""
        rows = np.arange(len(self))
        unit = self._unit
        first = np.unique(unit, return_index=True)[1]
        with_one = (self.group == self.group[first[unit]]).all(axis=1)
        if self.names is not None:
            with_one &= (self.names == self.names[first[unit]]).all(axis=1)
        is_mixed = np.bincount(unit, ~with_one) > 0
        parts: list[_Orders | _Labels] = []
        kept = ~is_mixed[unit]
        for size in np.unique(self._size[kept]):
            chosen = rows[kept & (self._size == size)]
            of, place = np.unique(unit[chosen], return_inverse=True)
            orders = self.group[first[of], :size]
            parts.append(_Orders(orders, place.ravel(), self.chosen[chosen], self.k))
        if is_mixed.any():
            parts.append(self._relabelled(rows[~kept], unit))
        return parts

    def _relabelled(self, rows: Whole, unit: Whole) -> _Labels:
        group = self.group[rows]
        label = group if self.names is None else self.names[rows]
        there = group >= 0
        of = np.broadcast_to(unit[rows][:, None], group.shape)
        keys = np.stack([of[there], group[there], label[there]])
        candidates, index = np.unique(keys, axis=1, return_inverse=True)
        at = np.full(group.shape, -1)
        at[there] = index.ravel()
        picked = at[np.arange(len(rows)), self.chosen[rows]]
        tally = np.bincount(picked, minlength=candidates.shape[1])
        return _Labels(candidates[0], candidates[1], tally, self.k)

    @cached_property
    def expected(self) -> Floats:
        """How often a ranker that ignores groups would choose each, shape (k,)."""
        return np.asarray(sum(part.expected for part in self._parts))

    @property
    def even(self) -> Floats:
        """Share of each group if all candidates were chosen equally often, shape (k,)."""
        return np.asarray(self.listed / self.listed.sum())

    def fair_runs(self, runs: int, rng: np.random.Generator) -> Floats:
        """Counts of a ranker that ignores groups and likes the same places.

        Parameters
        ----------
        runs : int
            R.
        rng : numpy.random.Generator

        Returns
        -------
        ndarray, shape (R, k)
        """
        if len(self) > _MANY or len(self) * runs > _SHUFFLED:
            covariance = sum(part.covariance for part in self._parts)
            drawn = rng.multivariate_normal(self.expected, covariance, runs, method="eigh")
            return np.asarray(np.maximum(drawn, 0))
        total = np.zeros((runs, self.k))
        for part in self._parts:
            step = max(1, _AT_ONCE // part.width)
            for begin in range(0, runs, step):
                some = min(step, runs - begin)
                total[begin : begin + some] += part.shuffled(some, rng)
        return total

    def share(self, groups: Collection[int], level: float = 0.95) -> tuple[float, float, float]:
        """Share of choices that go to some groups, with its interval.

        What a candidate gains by its place in the prompt is taken out of the share: it is that of
        prompts in which every group stands at each place equally often. The interval is over
        units, and over names where there are enough.

        Parameters
        ----------
        groups : collection of int
        level : float
            In (0, 1).

        Returns
        -------
        share, low, high : float
            The ends are NaN with fewer than two units.
        """
        check_level(level)
        inside = np.isin(np.arange(self.k), list(groups))
        n, items = len(self), int(self.listed.sum())
        part = self.listed[inside].sum() / items
        # Each choice is a gain of one candidate and a loss of the others in its prompt.
        weights = np.where(inside, 1 - part, -part)
        gains, of_units = self._gains
        variance, df = _variance(of_units @ weights)
        if self.has_names:
            # A name that is liked takes from all others, those of its own group included.
            others = items / (items - n)
            by_name, owner, squares = self._within
            of_items = float(weights**2 @ squares) * others**2 * items / (items - 1)
            of_names, free = _variance(by_name * weights[owner] * others)
            if of_names > of_items:
                unsure = variance**2 / df + of_names**2 / free
                variance += of_names - of_items
                df = variance**2 / unsure
        share = float(min(max(part + float(gains @ weights), 0.0), 1.0))
        mean = ClusteredMean(share, variance / n**2, max(df, 1.0), float(self._unit.max() + 1))
        low, high = mean.share_limits(level)
        return share, low, high

    @cached_property
    def _gains(self) -> tuple[Floats, Floats]:
        """Mean gain of each group in a prompt, (k,), and sums beyond it by unit, (units, k)."""
        there, n = self.group >= 0, len(self)
        at = np.nonzero(there)[0] * self.k + self.group[there]
        gains = np.bincount(at, self._residual[there], minlength=n * self.k).reshape(n, self.k)
        mean = gains.mean(axis=0)
        columns = [np.bincount(self._unit, column) for column in (gains - mean).T]
        return mean, np.stack(columns, axis=1)

    @cached_property
    def _within(self) -> tuple[Floats, Whole, Floats]:
        """Gains beyond those of the group: sums by name, the group of each, squares by group."""
        there = self.group >= 0
        group, gains, name = self.group[there], self._residual[there], self._name[0]
        within = gains - (np.bincount(group, gains) / self.listed)[group]
        owner = np.zeros(int(name.max()) + 1, dtype=np.int64)
        owner[name] = group
        sums, squares = np.bincount(name, within), np.bincount(group, within**2)
        return np.asarray(sums, dtype=float), owner, np.asarray(squares, dtype=float)

    @cached_property
    def _size(self) -> Whole:
        return np.asarray((self.group >= 0).sum(axis=1))

    @cached_property
    def _residual(self) -> Floats:
        """1 for the chosen candidate and 0 for others, less the share of its place."""
        n, most = self.group.shape
        residual = np.zeros((n, most))
        residual[np.arange(n), self.chosen] = 1
        for size in np.unique(self._size):
            rows = self._size == size
            residual[rows] -= np.bincount(self.chosen[rows], minlength=most) / rows.sum()
        return residual


@dataclass(frozen=True, eq=False)
class _Orders:
    """Units with one order each, of prompts of one length: orders are shuffled among them."""

    orders: Whole
    of: Whole
    chosen: Whole
    k: int

    @property
    def width(self) -> int:
        return len(self.chosen)

    @cached_property
    def _standing(self) -> Floats:
        """Whether a group stands at a place of a unit, shape (units, K, k)."""
        return np.asarray(self.orders[:, :, None] == np.arange(self.k), dtype=float)

    @cached_property
    def _picks(self) -> Floats:
        """How often a unit chose each place, shape (units, K)."""
        m, most = self.orders.shape
        flat = np.bincount(self.of * most + self.chosen, minlength=m * most)
        return np.asarray(flat.reshape(m, most), dtype=float)

    @cached_property
    def expected(self) -> Floats:
        return np.asarray(self._picks.sum(axis=0) @ self._standing.mean(axis=0))

    @cached_property
    def covariance(self) -> Floats:
        """Of the counts over all shuffles (Hoeffding 1951, a combinatorial central limit)."""
        m, most = self.orders.shape
        if m < 2:
            return np.zeros((self.k, self.k))
        picks = self._picks - self._picks.mean(axis=0)
        standing = (self._standing - self._standing.mean(axis=0)).reshape(m, -1)
        both = (standing.T @ standing).reshape(most, self.k, most, self.k)
        return np.asarray(np.einsum("pq,pgqh->gh", picks.T @ picks, both) / (m - 1))

    def shuffled(self, runs: int, rng: np.random.Generator) -> Floats:
        m, most = self.orders.shape
        begins = np.tile(np.arange(0, m * most, most, dtype=np.int32), (runs, 1))
        begins = rng.permuted(begins, axis=1)
        if len(self.of) > m:
            begins = begins[:, self.of]
        begins += self.chosen.astype(np.int32)
        groups = self.orders.astype(np.int8 if self.k < 128 else np.int32).ravel().take(begins)
        counts = [np.count_nonzero(groups == group, axis=1) for group in range(self.k)]
        return np.stack(counts, axis=1)


@dataclass(frozen=True, eq=False)
class _Labels:
    """Units of one set of candidates each: groups are dealt out anew within each of them."""

    unit: Whole
    group: Whole
    tally: Whole
    k: int

    @property
    def width(self) -> int:
        return 2 * len(self.unit)

    @cached_property
    def _each(self) -> list[tuple[Floats, Floats]]:
        """Tallies and group memberships of each unit's candidates."""
        cuts = np.flatnonzero(np.diff(self.unit)) + 1
        member = np.asarray(self.group[:, None] == np.arange(self.k), dtype=float)
        return list(
            zip(np.split(self.tally.astype(float), cuts), np.split(member, cuts), strict=True)
        )

    @cached_property
    def expected(self) -> Floats:
        return np.asarray(sum(tally.sum() * member.mean(axis=0) for tally, member in self._each))

    @cached_property
    def covariance(self) -> Floats:
        total = np.zeros((self.k, self.k))
        for tally, member in self._each:
            if len(tally) > 1:
                centred = member - member.mean(axis=0)
                spread = ((tally - tally.mean()) ** 2).sum() / (len(tally) - 1)
                total += spread * centred.T @ centred
        return total

    def shuffled(self, runs: int, rng: np.random.Generator) -> Floats:
        # Units are contiguous and numbered, so a random fraction shuffles within them.
        order = np.argsort(self.unit + rng.random((runs, len(self.unit))), axis=1)
        groups = self.group[order] + np.arange(runs)[:, None] * self.k
        tally = np.broadcast_to(self.tally, groups.shape)
        counts = np.bincount(groups.ravel(), tally.ravel(), minlength=runs * self.k)
        return np.asarray(counts.reshape(runs, self.k))


def _variance(sums: Floats) -> tuple[float, float]:
    """Variance of a total by the centred sums of its clusters, and its degrees of freedom.

    Where one place takes nearly all choices, the few others carry the variance: the degrees are
    those of a chi-square with the variance that the kurtosis of the sums implies (Satterthwaite
    1946). From 60 on Student's quantile is nearly the normal one, and there is one less than
    clusters.
    """
    squares = sums**2
    m, total = len(sums), float(squares.sum())
    if m < 2:
        return math.nan, 1.0
    spread = m * float((squares**2).sum()) / total**2 - 1 if total else 0.0
    few = 2 * m / spread if spread > 0 else math.inf
    return total * m / (m - 1), float(min(few, m - 1) if few < _FEW else m - 1)


def merged(counts: Floats, into: Whole) -> Floats:
    """Counts of sets of groups, from those of groups along the last axis.

    Parameters
    ----------
    counts : ndarray, shape (..., k)
    into : ndarray of int, shape (k,)
        Set of each group, from 0.
    """
    return np.asarray(counts @ (into[:, None] == np.arange(into.max() + 1)))


def chi_square(counts: Floats, expected: Floats) -> Floats:
    """Sum of squared differences from expected counts, each over its expectation.

    Parameters
    ----------
    counts : ndarray, shape (..., k)
    expected : ndarray, shape (k,)
        Groups that cannot be chosen (0) are left out.
    """
    able = expected > 0
    return np.asarray((((counts - expected) ** 2)[..., able] / expected[able]).sum(axis=-1))


def p_value(choices: Choices, runs: Floats, into: Whole | None = None) -> float:
    """Share of runs of a ranker that ignores groups that lie as far off: the mid-p value.

    Runs that are just as far off count half, and so does the observed one: counts of few groups
    have many ties, which would make the test conservative (Lancaster 1961).

    Parameters
    ----------
    choices : Choices
    runs : ndarray, shape (R, k)
        Of `Choices.fair_runs`.
    into : ndarray of int, shape (k,), optional
        Sets of groups to test, as of `merged`; by default each group by itself.
    """
    into = np.arange(choices.k) if into is None else into
    expected = merged(choices.expected, into)
    observed = chi_square(merged(choices.counts.astype(float), into), expected)
    drawn = chi_square(merged(runs, into), expected)
    beyond = float((drawn > observed * (1 + _ROUNDING)).sum())
    reached = float((drawn >= observed * (1 - _ROUNDING)).sum())
    return (beyond + reached + 1) / 2 / (len(runs) + 1)


def lowest_ratio(counts: Floats | Whole, listed: Whole, into: Whole | None = None) -> Floats:
    """Lowest over highest rate of being chosen when listed: the four-fifths rule's ratio.

    Parameters
    ----------
    counts : ndarray, shape (..., k)
    listed : ndarray of int, shape (k,)
    into : ndarray of int, shape (k,), optional
        As of `p_value`.

    Returns
    -------
    ndarray, shape (...)
        NaN where nothing was chosen.
    """
    into = np.arange(len(listed)) if into is None else into
    rates = merged(np.asarray(counts, dtype=float), into) / merged(listed.astype(float), into)
    highest = rates.max(axis=-1)
    return np.asarray(
        np.divide(rates.min(axis=-1), highest, out=np.full_like(highest, np.nan), where=highest > 0)
    )
