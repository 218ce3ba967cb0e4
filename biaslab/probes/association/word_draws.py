r"""WEAT's numbers for other words like these: draws from generalised pivots.

Every attribute word meets every target word. A difference of means over such a table varies with
the words of either side and with single cosines, and each of the three has a mean square of its
own. Percentiles of resampled words are too narrow for short lists: they cover 87 % with two words
a list. So the variances are drawn, each as its sum of squares over a chi-square variable with the
same degrees of freedom, and the difference with them (Weerahandi 1993; Hannig, Iyer and Patterson
2006). The effect size is the drawn difference in units of the drawn spread, so that its ceiling is
no wall.

- The lists of a side may vary unequally. The variance of each is drawn from its own words, with one
  degree of freedom borrowed from both lists together: a list of two has only one of its own.
- The spread of heavy-tailed words is less certain than that of normal ones. Its draws are raised to
  the power :math:`\sqrt{1 + \kappa}`, where :math:`\kappa` is the unbiased excess kurtosis. (Normal
  theory has :math:`\kappa / 2`; but a few words hide their tails.)
- Single cosines add to the spread of associations, the more, the shorter the lists of the other
  side. `WordDraws` has the effect size with that part and without.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from biaslab.probes.association.draws import CORPUS, of_draws
from biaslab.probes.association.lists import Floats
from biaslab.records.result import Interval
from biaslab.stats.reproducibility import SINGLE, snapped

SHORTEST = 2
"""Words that each list needs: one shows no spread."""
_BORROWED = 1.0
"""Degrees of freedom that a list's variance borrows from that of both lists."""
_LEAST = 1e-3
"""Least share of a spread that is left without the part of single cosines."""


@dataclass(frozen=True)
class WordDraws:
    """Draws of the difference of means and of the effect size.

    Attributes
    ----------
    statistic : ndarray, shape (R,)
        Of the mean over replicates.
    as_long, endless : ndarray, shape (R,)
        Effect sizes of the mean over replicates: of lists as long as these, and of endless ones.
    statistic_of, as_long_of, endless_of : ndarray, shape (B, R)
        The same in each replicate.
    """

    statistic: Floats
    as_long: Floats
    endless: Floats
    statistic_of: Floats
    as_long_of: Floats
    endless_of: Floats


def word_draws(
    cosines: Floats,
    targets: Sequence[int],
    attributes: tuple[int, int],
    ddof: int,
    draws: int,
    rng: np.random.Generator,
) -> WordDraws | None:
    """Draw WEAT's numbers, with the same random numbers in every replicate.

    Parameters
    ----------
    cosines : ndarray, shape (B, n, m)
        Of target words with attribute words, lists one after another.
    targets : sequence of int
        Lengths of the target lists, one or two.
    attributes : tuple of int
        Lengths of the two attribute lists.
    ddof, draws, rng
        As of `biaslab.weat`.

    Returns
    -------
    WordDraws or None
        None where a list has fewer than `SHORTEST` words.
    """
    if min(*targets, *attributes) < SHORTEST:
        return None
    table, rows, columns = _compared_side(cosines, targets, attributes)
    mean = _squares(table.mean(axis=0, keepdims=True), rows, columns)
    each = _squares(table, rows, columns)
    chance = _Chance.drawn(rows, columns, draws, rng)
    wide = math.sqrt(1 + float(mean.excess[0]))
    of_mean = _variances(mean, rows, columns, chance, wide)
    of_each = _variances(each, rows, columns, chance, wide)
    unit = _unit(rows, ddof)
    over_words = each.difference[:, None] - chance.normal * np.sqrt(of_mean.difference)
    statistic_of = each.difference[:, None] - chance.normal * np.sqrt(of_each.difference)
    return WordDraws(
        statistic=mean.difference[0] - chance.normal * np.sqrt(of_mean.difference[0]),
        as_long=unit * _size(over_words, of_each.spread, rows).mean(axis=0),
        endless=_size(over_words, of_each.words, rows).mean(axis=0),
        statistic_of=statistic_of,
        as_long_of=unit * _size(statistic_of, of_each.spread, rows),
        endless_of=_size(statistic_of, of_each.words, rows),
    )


@dataclass(frozen=True)
class Parts:
    """Draws of a difference and of its variances by source, to predict those of longer lists.

    Attributes
    ----------
    centre : ndarray, shape (R,)
        Of the difference, for endlessly many words like these.
    variances : ndarray, shape (3, R)
        Of the mean over replicates: due to target words, attribute words and single cosines.
    ratio : ndarray, shape (3,)
        The same variances as the interval counts them, over those.
    corpus : float
        Variance between replicates that no number of words takes away.
    words, n_lists : tuple of int
        Words and lists on the side of the targets and on that of the attributes.
    """

    centre: Floats
    variances: Floats
    ratio: Floats
    corpus: float
    words: tuple[int, int]
    n_lists: tuple[int, int]


def parts_of(
    cosines: Floats,
    targets: Sequence[int],
    attributes: tuple[int, int],
    draws: int,
    rng: np.random.Generator,
) -> Parts:
    """Draw WEAT's difference and its variances; as `word_draws`, of lists that are long enough."""
    table, rows, columns = _compared_side(cosines, targets, attributes)
    chance = _Chance.drawn(rows, columns, draws, rng)

    def sources(squares: _Squares) -> Floats:
        of_rows, _ = _of_lists(squares.rows, rows, chance.rows, 1.0)
        of_columns, _ = _of_lists(squares.columns, columns, chance.columns, 1.0)
        single = squares.single[:, None] / chance.single
        single = single * sum(1 / n for n in columns) * sum(1 / n for n in rows)
        parts = [np.maximum(of_rows - single, 0), np.maximum(of_columns - single, 0), single]
        return np.stack([part.mean(axis=0) for part in parts])

    mean = _squares(table.mean(axis=0, keepdims=True), rows, columns)
    variances = sources(mean)
    centre = mean.difference[0] - chance.normal * np.sqrt(variances.sum(axis=0))
    ratio, corpus = np.ones(3), 0.0
    if len(table) > 1:
        each = _squares(table, rows, columns)
        now, of_one = np.median(variances, axis=1), np.median(sources(each), axis=1)
        # What replicates make of single words goes down with their number, twice in the interval:
        # in the variance over words of one replicate, and in that between replicates.
        corpus = max(float(each.difference.var(ddof=1) - (of_one - now).sum()), 0.0)
        ratio = np.where(now > 0, 2 * of_one / np.where(now > 0, now, 1) - 1, 1.0)
    sides = [(sum(rows), len(rows)), (sum(columns), len(columns))]
    if len(targets) == 1:
        sides.reverse()
        variances, ratio = variances[[1, 0, 2]], ratio[[1, 0, 2]]
    words, lists = zip(*sides, strict=True)
    return Parts(centre, variances, np.maximum(ratio, 1.0), corpus, words, lists)


def one_draw_each(
    cosines: Floats,
    targets: tuple[int, int],
    attributes: tuple[int, int],
    ddof: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Draw the effect size once for each table, with random numbers of its own.

    Parameters
    ----------
    cosines, targets, attributes, ddof, rng
        As of `word_draws`; `SHORTEST` words a list or more.

    Returns
    -------
    tuple of ndarray, shapes (B,)
        For lists as long as these, and for endless ones; NaN without any spread.
    """
    b = len(cosines)
    squares = _squares(cosines, targets, attributes)
    mean = _squares(cosines.mean(axis=0, keepdims=True), targets, attributes)
    once = _Chance.drawn(targets, attributes, (b, 1), rng)
    wide = math.sqrt(1 + float(mean.excess[0]))
    drawn = _variances(squares, targets, attributes, once, wide)
    difference = squares.difference[:, None] - once.normal * np.sqrt(drawn.difference)
    as_long = _unit(targets, ddof) * _size(difference, drawn.spread, targets)
    return as_long[:, 0], _size(difference, drawn.words, targets)[:, 0]


def weat_intervals(
    statistic: Floats,
    effect_size: Floats,
    drawn: WordDraws | None,
    level: float,
    rng: np.random.Generator,
) -> tuple[tuple[Interval, ...], tuple[Interval, ...], tuple[Interval, ...]]:
    """Return the intervals of the difference of means and of the effect size.

    The effect size has two truths: that for lists as long as these, of which `effect_size` is an
    estimate, and that for endless lists, which has no interval over corpora alone.

    Parameters
    ----------
    statistic, effect_size : ndarray, shape (B,)
        In each replicate.
    drawn : WordDraws or None
        None if a list is too short: then intervals over words are NaN.
    level : float
    rng : numpy.random.Generator
        Chooses the replicate of each draw.
    """
    if drawn is None:
        unknown = of_draws(effect_size, None, None, level)
        return of_draws(statistic, None, None, level), unknown, _without_corpus(unknown)
    b, draws = drawn.statistic_of.shape
    chosen = rng.integers(0, b, size=draws), np.arange(draws)

    def intervals(estimate: Floats, over_words: Floats, of_each: Floats) -> tuple[Interval, ...]:
        return of_draws(estimate, over_words, of_each[chosen] if b > 1 else None, level)

    return (
        intervals(statistic, drawn.statistic, drawn.statistic_of),
        intervals(effect_size, drawn.as_long, drawn.as_long_of),
        _without_corpus(intervals(effect_size, drawn.endless, drawn.endless_of)),
    )


def _without_corpus(intervals: tuple[Interval, ...]) -> tuple[Interval, ...]:
    return tuple(interval for interval in intervals if interval.kind != CORPUS)


def _compared_side(
    cosines: Floats, targets: Sequence[int], attributes: tuple[int, int]
) -> tuple[Floats, list[int], list[int]]:
    """Return the table whose rows are the words of the two compared lists, and both lengths."""
    if len(targets) == 1:
        return cosines.transpose(0, 2, 1), list(attributes), list(targets)
    return cosines, list(targets), list(attributes)


def difference_over_words(
    cosines: Floats,
    targets: Sequence[int],
    attributes: tuple[int, int],
    level: float,
    draws: int,
    rng: np.random.Generator,
) -> tuple[float, Interval]:
    """Return the difference of means alone, with its widest interval; as `word_draws`."""
    drawn = word_draws(cosines, targets, attributes, 1, draws, rng)
    difference = _squares(*_compared_side(cosines, targets, attributes)).difference
    intervals, _, _ = weat_intervals(difference, difference, drawn, level, rng)
    return float(difference.mean()), intervals[-1]


@dataclass(frozen=True)
class _Squares:
    """Difference, sums of squares by list, and mean square of single cosines, each (B,)."""

    difference: Floats
    rows: tuple[Floats, ...]
    columns: tuple[Floats, ...]
    single: Floats
    excess: Floats


@dataclass(frozen=True)
class _Chance:
    """Random numbers: normal, chi-square of each list, chi-square over df of single cosines."""

    normal: Floats
    rows: tuple[Floats, ...]
    columns: tuple[Floats, ...]
    single: Floats

    @classmethod
    def drawn(
        cls,
        rows: Sequence[int],
        columns: Sequence[int],
        draws: int | tuple[int, int],
        rng: np.random.Generator,
    ) -> _Chance:
        df = _df(rows, columns)
        return cls(
            rng.standard_normal(draws),
            tuple(rng.chisquare(n - 1, draws) for n in rows),
            tuple(rng.chisquare(n - 1, draws) for n in columns),
            rng.chisquare(df, draws) / df,
        )


@dataclass(frozen=True)
class _Variances:
    """Drawn variances (B, R): of the difference; of words with single cosines, and without."""

    difference: Floats
    spread: Floats
    words: Floats


def _unit(rows: Sequence[int], ddof: int) -> float:
    """Return the factor of effect sizes for this divisor of the SD."""
    n = sum(rows)
    return math.sqrt((n - ddof) / n)


def _size(difference: Floats, spread: Floats, rows: Sequence[int]) -> Floats:
    """Return drawn effect sizes; NaN without any spread."""
    share = rows[0] * rows[1] / sum(rows) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        size = difference / np.sqrt(spread + share * difference**2)
    return np.where(spread > SINGLE**2, size, np.nan)


def _df(rows: Sequence[int], columns: Sequence[int]) -> int:
    return (sum(rows) - len(rows)) * (sum(columns) - len(columns))


def _squares(table: Floats, rows: Sequence[int], columns: Sequence[int]) -> _Squares:
    of_rows = [slice(0, rows[0]), slice(rows[0], None)]
    ends = np.cumsum((0, *columns)).tolist()
    of_columns = [slice(a, b) for a, b in pairwise(ends)]
    by_row = table[:, :, of_columns[0]].mean(axis=2)
    if len(columns) == 2:
        by_row = by_row - table[:, :, of_columns[1]].mean(axis=2)
    by_column = table[:, of_rows[0]].mean(axis=1) - table[:, of_rows[1]].mean(axis=1)
    deviations = [_centred(by_row[:, part]) for part in of_rows]
    left = np.zeros(len(table))
    for one in of_rows:
        for two in of_columns:
            block = table[:, one, two]
            block = block - block.mean(axis=1, keepdims=True)
            left += ((block - block.mean(axis=2, keepdims=True)) ** 2).sum(axis=(1, 2))
    return _Squares(
        snapped(by_row[:, of_rows[0]].mean(axis=1) - by_row[:, of_rows[1]].mean(axis=1)),
        tuple((part**2).sum(axis=1) for part in deviations),
        tuple((_centred(by_column[:, part]) ** 2).sum(axis=1) for part in of_columns),
        left / _df(rows, columns),
        _excess_kurtosis(np.concatenate(deviations, axis=1)),
    )


def _centred(values: Floats) -> Floats:
    return np.asarray(values - values.mean(axis=1, keepdims=True))


def _excess_kurtosis(deviations: Floats) -> Floats:
    """Return Fisher's G2, but not below 0; 0 of fewer than five values."""
    n = deviations.shape[1]
    if n < 5:
        return np.zeros(len(deviations))
    second = (deviations**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = n * (deviations**4).sum(axis=1) / second**2 - 3
    unbiased = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * excess + 6)
    return np.where(second > 0, np.maximum(unbiased, 0), 0.0)


def _variances(
    squares: _Squares, rows: Sequence[int], columns: Sequence[int], chance: _Chance, wide: float
) -> _Variances:
    of_rows, spread = _of_lists(squares.rows, rows, chance.rows, wide)
    of_columns, _ = _of_lists(squares.columns, columns, chance.columns, 1.0)
    single = squares.single[:, None] / chance.single
    by_columns = sum(1 / n for n in columns)
    from_single = single * by_columns * sum(1 / n for n in rows)
    return _Variances(
        # What words vary includes what single cosines do, which counts once.
        np.maximum(of_rows, from_single) + np.maximum(of_columns - from_single, 0),
        spread,
        np.maximum(spread - single * by_columns, _LEAST * spread),
    )


def _of_lists(
    sums: Sequence[Floats], sizes: Sequence[int], chance: Sequence[Floats], wide: float
) -> tuple[Floats, Floats]:
    """Return drawn variances (B, R) of the lists' means together, and of a word in its list."""
    df = sum(sizes) - len(sizes)
    pooled = np.sum(sums, axis=0)[:, None] / df
    common = np.sum(chance, axis=0) / df
    of_means = [
        (own[:, None] + _BORROWED * pooled) / (drawn + _BORROWED * common) / n
        for own, drawn, n in zip(sums, chance, sizes, strict=True)
    ]
    return np.sum(of_means, axis=0), pooled / common**wide
