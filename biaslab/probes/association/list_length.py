"""``bl.association.list_length``: how a verdict depends on the length of its word lists."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.errors import QueryError
from biaslab.probes.association.distance_model import distance_model
from biaslab.probes.association.distance_model_result import DistanceModelResult
from biaslab.probes.association.distance_parameters import Contrast, pairs_of
from biaslab.probes.association.distances import DistanceTable
from biaslab.probes.association.lists import Floats
from biaslab.probes.association.overview_probe import AssociationResult
from biaslab.probes.association.weat import WeatResult
from biaslab.probes.association.word_draws import Parts, difference_over_words, parts_of
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.result import Interval, Result
from biaslab.threads.leaving import leave_if_cancelled

if TYPE_CHECKING:
    import pandas as pd

Growing = Literal["all", "groups", "attributes"]
FRACTIONS = (0.25, 0.5, 0.75, 1.0)
"""Lengths of the drawn sublists, as shares of the lists."""
MOST_GROWTH = 64.0
"""Longest lists looked at, in multiples of these."""
_FEWEST = 2
_STEPS = 49
_DRAWS = 400
"""Draws behind the interval of a sublist."""
_PREDICTED = 1000
"""Draws of the effect and its variances behind a prediction."""


@dataclass(frozen=True, kw_only=True)
class ListLength(Result):
    """How a verdict changes with shorter lists, and how long lists would have to be.

    A verdict is *settled* if its interval excludes 0, or lies within the margin.

    Attributes
    ----------
    measure : str
        ``difference of means`` (WEAT), or a contrast such as ``different − associated``.
    lists : mapping of str to tuple of str
        Known words of each list.
    grow : str
        Lists that the prediction lengthens: ``all``, ``groups`` or ``attributes``.
    estimate : float
    interval : Interval
        Of the estimate, with these lists.
    margin : float or None
        Largest effect that does not matter.
    share : float
        Probability with which the needed lists settle the verdict.
    fractions : ndarray, shape (F,)
        Lengths of sublists, as shares of the lists.
    estimates, low, high : ndarray, shape (F, R)
        Estimate and ends of the interval of R random sublists of each length.
    growth, settled : ndarray, shape (G,)
        Lengths in multiples of these lists, and the probability that other lists as long settle
        the verdict; NaN while the effect may be 0 and there is no margin.
    at_most : ndarray, shape (G,)
        The same probability if the effect were as large as the interval allows.
    half_width : ndarray, shape (G,)
        Half the expected width of the interval at these lengths.
    needed : float
        Multiple of these lengths at which that probability is `share`; NaN if there is a `reason`.
    least : float
        The same if the effect were as large as the interval allows; infinite beyond
        `MOST_GROWTH`.
    reason : str
        Why no length is given; empty if one is.
    """

    schema: ClassVar[str] = "list-length/1"

    measure: str
    lists: Mapping[str, tuple[str, ...]]
    grow: str
    estimate: float
    interval: Interval
    margin: float | None
    share: float
    fractions: Floats
    estimates: Floats
    low: Floats
    high: Floats
    growth: Floats
    settled: Floats
    at_most: Floats
    half_width: Floats
    needed: float
    least: float
    reason: str

    @property
    def is_settled(self) -> bool:
        """Whether these lists settle the verdict."""
        return bool(_settles(self.interval.low, self.interval.high, self.margin))

    @cached_property
    def shares_settled(self) -> Floats:
        """Share of the sublists of each length that settle the verdict, shape (F,)."""
        return np.asarray(_settles(self.low, self.high, self.margin).mean(axis=1))

    @cached_property
    def shares_agreeing(self) -> Floats:
        """Share of the sublists of each length with the sign of the whole lists, shape (F,)."""
        return np.asarray((np.sign(self.estimates) == np.sign(self.estimate)).mean(axis=1))

    def lengths(self, growth: float) -> dict[str, int]:
        """Return the length of each list at a multiple of these, rounded up."""
        return {
            name: math.ceil(len(words) * (growth if self.grows(name) else 1) - 1e-9)
            for name, words in self.lists.items()
        }

    def settled_at(self, growth: float) -> float:
        """Return the probability that other lists, this many times as long, settle the verdict."""
        return float(np.interp(math.log(growth), np.log(self.growth), self.settled))

    def grows(self, name: str) -> bool:
        """Whether a list gets longer in the prediction."""
        return self.grow == "all" or name.startswith(self.grow)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per length of sublists, then one per predicted length.

        Columns: what (``sublists`` or ``other lists``), growth, settled, half_width, agreeing
        (sign of the whole lists).
        """
        import pandas as pd

        half = (self.high - self.low).mean(axis=1) / 2
        sublists = {"growth": self.fractions, "settled": self.shares_settled, "half_width": half}
        sublists["agreeing"] = self.shares_agreeing
        others = {"growth": self.growth, "settled": self.settled, "half_width": self.half_width}
        tables = {"sublists": pd.DataFrame(sublists), "other lists": pd.DataFrame(others)}
        return pd.concat(tables, names=["what", None]).reset_index(level="what")

    def raw_frame(self) -> pd.DataFrame:
        """One row per sublist: fraction, estimate, low, high."""
        import pandas as pd

        return pd.DataFrame(
            {
                "fraction": np.repeat(self.fractions, self.low.shape[1]),
                "estimate": self.estimates.ravel(),
                "low": self.low.ravel(),
                "high": self.high.ravel(),
            }
        )


@recorded
def list_length(
    result: WeatResult | DistanceModelResult | AssociationResult,
    *,
    contrast: tuple[str, str] | None = None,
    margin: float | None = None,
    share: float = 0.8,
    grow: Growing = "all",
    repeats: int = 50,
    rng: int | np.random.Generator = 0,
) -> ListLength:
    r"""Show how a verdict moves with shorter lists, and predict how long lists must be.

    Sublists of a quarter, half and three quarters of each list are drawn again and again, and
    measured as the lists were. The prediction is for *other* words like these: the variance of a
    difference over words of either side falls with their number, and that over single cosines with
    both, while that between corpora stays:

    .. math:: Var(f) = V_{groups} / f + V_{attributes} / f + V_{cosines} / f^2 + V_{corpora}

    The effect and its variances are drawn as for the interval (`biaslab.weat`), so the probability
    counts how little few words tell about either.

    Parameters
    ----------
    result : WeatResult, DistanceModelResult or AssociationResult
        Of an association result the distance model.
    contrast : tuple of str, optional
        Two connection types of a distance model; by default its first headline contrast.
    margin : float, optional
        Largest effect that does not matter, above 0, in the unit of the estimate. An interval
        within it settles the verdict, too.
    share : float
        Probability with which lists of the needed length settle the verdict, in (0, 1).
    grow : str
        ``all`` lists get longer by the same factor, or only ``groups`` or ``attributes`` (WEAT).
    repeats : int
        Sublists of each length.
    rng : int or numpy.random.Generator

    Returns
    -------
    ListLength
        Without a margin, there is no length while the interval includes 0: the effect may be 0,
        and then no list settles it. `ListLength.least` is what the largest effect within the
        interval would need.

    Raises
    ------
    QueryError
        When the result has no interval over words.
    ValueError
        When an option is out of range.

    Notes
    -----
    "larger word lists are needed" is the conclusion of "A Bayesian method of cosine-based word2vec
    bias estimation", a manuscript that names no authors.
    """
    if isinstance(result, AssociationResult):
        result = result.distance_model
    if not isinstance(result, WeatResult | DistanceModelResult):
        raise QueryError(
            f"A {type(result).__name__} has no lists of words to lengthen. Give a result of"
            " bl.weat, bl.distance_model or bl.association.overview."
        )
    if margin is not None and not margin > 0:
        raise ValueError(f"margin is {margin}: give a size above 0, such as 0.02.")
    if not 0 < share < 1:
        raise ValueError(f"share is {share}: give a probability between 0 and 1, such as 0.8.")
    if grow not in get_args(Growing):
        raise ValueError(f"grow is {grow!r}: choose one of {', '.join(get_args(Growing))}.")
    if repeats < 1:
        raise ValueError(f"repeats is {repeats}: use at least 1, such as 50.")
    parameters = {
        "of": result.provenance.probe, "contrast": contrast, "margin": margin, "share": share,
        "grow": grow, "repeats": repeats,
    }  # fmt: skip
    with measured(
        probe="list_length",
        subject=result.provenance.subject,
        spec_hash=result.provenance.spec_hash,
        seed=rng,
        parameters=parameters,
    ) as run:
        rng = np.random.default_rng(rng)
        if isinstance(result, WeatResult):
            one: _OfWeat | _OfDistances = _OfWeat(result, rng)
        elif grow != "all":
            raise QueryError("A distance model lengthens all lists at once: use grow='all'.")
        else:
            one = _OfDistances(result, contrast, rng)
        interval = one.interval
        if not math.isfinite(interval.low):
            raise QueryError(
                "There is no interval over words, as a list has one known word: add words."
            )
        drawn = np.stack([_sublists(one, f, repeats, rng) for f in FRACTIONS])
        shortest = max(_FEWEST / min(map(len, one.lists.values())), 1 / MOST_GROWTH)
        growth = np.geomspace(min(shortest, 1.0), MOST_GROWTH, _STEPS)
        chance = int(rng.integers(2**63))

        def predicted(parts: Parts) -> tuple[Floats, Floats]:
            options = grow, margin, interval.level, chance
            _, now = _predicted(parts, 1.0, *options, 1.0)
            scale = (interval.high - interval.low) / 2 / now if one.scaled else 1.0
            settled, width = np.array([_predicted(parts, f, *options, scale) for f in growth]).T
            return np.maximum.accumulate(settled), width

        settled, width = predicted(one.parts)
        needed, reason = _first(growth, settled, share), ""
        if margin is None and 0 in interval:
            # What would believe an estimate that may be chance promises far too much.
            settled = np.full_like(settled, math.nan)
            needed, reason = math.nan, "the effect may be 0, which no length would show"
        elif not math.isfinite(needed):
            needed, reason = math.nan, f"even lists {MOST_GROWTH:g} times as long would not do"
            reason += ": corpora differ as well" if one.parts.corpus > 0 else ""
        far = max(interval.low, interval.high, key=abs)
        at_most, _ = predicted(replace(one.parts, centre=np.full_like(one.parts.centre, far)))
    return ListLength(
        measure=one.measure,
        lists=one.lists,
        grow=grow,
        estimate=one.estimate,
        interval=interval,
        margin=margin,
        share=share,
        fractions=np.array(FRACTIONS),
        estimates=drawn[:, 0],
        low=drawn[:, 1],
        high=drawn[:, 2],
        growth=growth,
        settled=settled,
        at_most=at_most,
        half_width=width,
        needed=needed,
        least=_first(growth, at_most, share),
        reason=reason,
        dropped=result.dropped,
        provenance=replace(run.provenance, subject_hash=result.provenance.subject_hash),
    )


def _sublists(
    one: _OfWeat | _OfDistances, fraction: float, repeats: int, rng: np.random.Generator
) -> Floats:
    """Return estimates and ends of the intervals of random sublists, (3, repeats)."""
    if fraction == 1:
        now = [one.estimate, one.interval.low, one.interval.high]
        return np.repeat(np.array(now)[:, None], repeats, axis=1)
    found = []
    for _ in range(repeats):
        chosen = [
            np.sort(rng.permutation(len(words))[: max(_FEWEST, round(fraction * len(words)))])
            for words in one.lists.values()
        ]
        found.append(one.of(chosen, rng))
        leave_if_cancelled()
    return np.array(found).T


def _settles(low: Floats | float, high: Floats | float, margin: float | None) -> Floats:
    clear = (np.asarray(low) > 0) | (np.asarray(high) < 0)
    if margin is not None:
        clear |= (np.asarray(low) > -margin) & (np.asarray(high) < margin)
    return np.asarray(clear)


def _first(growth: Floats, settled: Floats, share: float) -> float:
    """Return where a rising probability reaches a share; infinite if it never does."""
    at = int(np.searchsorted(settled, share))
    if at == len(settled):
        return math.inf
    if at == 0:
        return float(growth[0])
    return float(
        np.exp(np.interp(share, settled[at - 1 : at + 1], np.log(growth[at - 1 : at + 1])))
    )


def _predicted(
    parts: Parts,
    growth: float,
    grow: Growing,
    margin: float | None,
    level: float,
    seed: int,
    scale: float,
) -> tuple[float, float]:
    """Return the probability that other lists settle the verdict, and the expected half width."""
    rng = np.random.default_rng(seed)  # the same at every length, for a smooth curve
    by_rows = growth if grow in ("all", "groups") else 1.0
    by_columns = growth if grow in ("all", "attributes") else 1.0
    per = 1 / np.array([by_rows, by_columns, by_rows * by_columns])[:, None]
    words = np.array([n * by for n, by in zip(parts.words, (by_rows, by_columns), strict=True)])
    df = np.maximum(words - parts.n_lists, 1.0)
    df = np.array([*df, df[0] * df[1]])[:, None]
    true = parts.variances * per
    draws = true.shape[1]
    # What the new words will show of these variances, and what the interval will allow for that.
    shown = parts.ratio[:, None] * true * rng.chisquare(df, (3, draws)) / df
    typical = np.median(shown, axis=1, keepdims=True)
    doubt = rng.standard_normal(draws) * np.sqrt(
        (typical * df / rng.chisquare(df, (3, draws))).sum(axis=0) + parts.corpus
    )
    reach = np.quantile(np.abs(doubt), level) / math.sqrt(float(typical.sum()) + parts.corpus)
    half = scale * reach * np.sqrt(shown.sum(axis=0) + parts.corpus)
    sd = np.sqrt(true.sum(axis=0))

    def below(limit: Floats) -> Floats:
        return np.asarray(special.ndtr((limit - parts.centre) / sd))

    settled = below(-half) + 1 - below(half)
    if margin is not None:
        inside = np.maximum(below(margin - half) - below(half - margin), 0)
        both = np.maximum(  # within the margin, and clear of 0
            below(margin - half) - below(half), 0
        ) + np.maximum(below(-half) - below(half - margin), 0)
        settled += inside - both
    return float(settled.mean()), float(np.median(half))


class _OfWeat:
    """WEAT's difference of means, of sublists and of its parts."""

    measure = "difference of means"
    scaled = False

    def __init__(self, result: WeatResult, rng: np.random.Generator) -> None:
        self._result = result
        self.lists = {k: w for k, w in result.lists.named.items() if not k.startswith("controls")}
        self.estimate = result.statistic
        self.interval = result.statistic_intervals[-1]
        if math.isfinite(self.interval.low):
            lengths, columns = self._lengths
            self.parts = parts_of(result.cosines, lengths, columns, _PREDICTED, rng)

    @property
    def _lengths(self) -> tuple[list[int], tuple[int, int]]:
        first, second = map(len, self._result.lists.attributes.values())
        return [len(words) for words in self._result.lists.groups.values()], (first, second)

    def of(
        self, chosen: Sequence[NDArray[np.intp]], rng: np.random.Generator
    ) -> tuple[float, float, float]:
        groups, attributes = self._lengths
        ends = np.cumsum([0, *groups]), np.cumsum([0, *attributes])
        n = len(groups)
        rows = np.concatenate([c + e for c, e in zip(chosen[:n], ends[0], strict=False)])
        columns = np.concatenate([c + e for c, e in zip(chosen[n:], ends[1], strict=False)])
        table = self._result.cosines[:, rows][:, :, columns]
        sizes = [len(c) for c in chosen]
        value, over = difference_over_words(
            table, sizes[:n], (sizes[n], sizes[n + 1]), self._result.level, _DRAWS, rng
        )
        return value, over.low, over.high


class _OfDistances:
    """A contrast of a distance model, of sublists and of its parts."""

    scaled = True

    def __init__(
        self,
        result: DistanceModelResult,
        contrast: tuple[str, str] | None,
        rng: np.random.Generator,
    ) -> None:
        whole = result.headline_contrasts[0] if contrast is None else result.contrast(*contrast)
        if whole not in result.contrasts:
            whole = result.contrast(whole.minus, whole.of)
        self._result, self._pair = result, (whole.of, whole.minus)
        self.measure, self.estimate, self.interval = whole.name, whole.mean, whole.interval
        table = result.table
        groups, lists = np.array(table.groups), np.array(table.lists)
        # Sublists of the mean distances: one fit each, widened by what replicates differ by.
        self._mean = replace(table, distance=table.distance.mean(axis=0, keepdims=True))
        self._rows = [np.flatnonzero(groups == g) for g in dict.fromkeys(table.groups)]
        self._columns = [np.flatnonzero(lists == g) for g in dict.fromkeys(table.lists)]
        names = [f"groups.{g}" for g in dict.fromkeys(table.groups)]
        names += [f"attributes.{g}" for g in dict.fromkeys(table.lists)]
        words = [tuple(table.words[i] for i in rows) for rows in self._rows]
        words += [tuple(table.attributes[j] for j in columns) for columns in self._columns]
        self.lists = dict(zip(names, words, strict=True))
        within = self._fitted(self._mean, rng).sd ** 2
        self._corpus, ratio = 0.0, 1.0
        if table.n_replicates > 1:  # as in `parts_of`
            between = result.by_replicate[:, pairs_of(result.connections).index(self._pair)]
            of_one = max(whole.sd**2 - float(between.var(ddof=1)), within)
            self._corpus = max(float(between.var(ddof=1)) - (of_one - within), 0.0)
            ratio = 2 * of_one / within - 1
        self._wider = ratio, self._corpus
        variances = np.zeros((3, _PREDICTED))
        variances[0] = within
        self.parts = Parts(
            centre=whole.mean + math.sqrt(within) * rng.standard_normal(_PREDICTED),
            variances=variances,
            ratio=np.array([ratio, 1.0, 1.0]),
            corpus=self._corpus,
            words=(table.n, table.n),
            n_lists=(len(self._rows), len(self._columns)),
        )

    def of(
        self, chosen: Sequence[NDArray[np.intp]], rng: np.random.Generator
    ) -> tuple[float, float, float]:
        n = len(self._rows)
        rows = np.concatenate([r[list(c)] for r, c in zip(self._rows, chosen[:n], strict=True)])
        columns = np.concatenate(
            [r[list(c)] for r, c in zip(self._columns, chosen[n:], strict=True)]
        )
        found = self._fitted(_subtable(self._mean, rows, columns), rng)
        ratio, corpus = self._wider
        wider = math.sqrt(ratio + corpus / found.sd**2)
        low, high = (
            found.mean + wider * (end - found.mean)
            for end in (found.interval.low, found.interval.high)
        )
        return found.mean, low, high

    def _fitted(self, table: DistanceTable, rng: np.random.Generator) -> Contrast:
        made = self._result
        return distance_model(
            table,
            model=made.model,  # type: ignore[arg-type]
            priors=made.priors,
            level=made.level,
            draws=_DRAWS,
            rng=rng,
        ).contrast(*self._pair)


def _subtable(
    table: DistanceTable, rows: NDArray[np.intp], columns: NDArray[np.intp]
) -> DistanceTable:
    return replace(
        table,
        words=tuple(table.words[i] for i in rows),
        groups=tuple(table.groups[i] for i in rows),
        attributes=tuple(table.attributes[j] for j in columns),
        lists=tuple(table.lists[j] for j in columns),
        connection=table.connection[np.ix_(rows, columns)],
        distance=table.distance[:, rows][:, :, columns],
    )
