"""Estimates of each group and of differences, with intervals for these and for other names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy import special

from biaslab.probes.sensitivity.columns import Observed, categories_of
from biaslab.probes.sensitivity.result import (
    CueRates,
    Cut,
    DetectionEstimate,
    FitCheck,
    Floats,
    GroupDifference,
    GroupSensitivity,
    SensitivityTrials,
    Whole,
)
from biaslab.records.result import Interval
from biaslab.stats.choices.differences import clustered_variance
from biaslab.stats.classification import auc
from biaslab.stats.sdt.model import Correction, Detection, FitTest, Spreads, detect

_AREA: Final = math.sqrt(2)


@dataclass(frozen=True, eq=False)
class _Data:
    """Answers with their weight in each category, (n, K)."""

    observed: Observed
    weights: Floats
    own: int
    labels: tuple[str, ...]
    clusters: Whole | None
    crossed: tuple[Whole, ...]
    over: str

    def of(self, group: int) -> Any:
        return self.observed.group == group


def fields_of(
    observed: Observed,
    *,
    spreads: Spreads,
    correction: Correction,
    level: float,
    rng: np.random.Generator,
    draws: int = 20_000,
) -> dict[str, Any]:
    """Return the fields of a `SensitivityResult` that are computed from answers."""
    data = _data(observed)
    fits = [
        detect(
            _counts(data, group), data.own, spreads=spreads, correction=correction, draws=draws,
            rng=rng,
        )
        for group in range(len(observed.names))
    ]  # fmt: skip
    intervals = _Intervals(data, fits, level)
    yes = data.weights[:, data.own + 1 :].sum(axis=1)
    return {
        "groups": tuple(_group(data, fits, group, intervals, yes) for group in range(len(fits))),
        "differences": tuple(_difference(data, group, intervals) for group in range(1, len(fits))),
        "unequal": _check([fit.unequal for fit in fits]),
        "shares": _check([fit.shares for fit in fits]),
        "over": data.over,
        "trials": SensitivityTrials(
            row=observed.row, group=observed.group, cue=observed.cue, wording=observed.wording,
            is_signal=observed.is_signal, answer=observed.answer, yes=yes,
        ),
    }  # fmt: skip


def _data(observed: Observed) -> _Data:
    if observed.answering == "yes or no":
        weights, own = np.column_stack([1 - observed.answer, observed.answer]), 0
        labels: tuple[str, ...] = (observed.outcome,)
    else:
        category, edges = categories_of(observed)
        weights = np.eye(len(edges) + 1)[category]
        own = int(np.flatnonzero(edges == observed.cut)[0])
        labels = tuple(f"{edge:.3g} or more" for edge in edges)
    kinds = {}
    if (observed.cue >= 0).all():
        kinds[observed.cues_are] = observed.group * (observed.cue.max() + 1) + observed.cue
    if len(np.unique(observed.wording)) > 1:
        kinds[observed.wordings_are] = observed.wording
    first = next(iter(kinds), "answers")
    return _Data(
        observed, weights, own, labels, kinds.get(first),
        tuple(kind for name, kind in kinds.items() if name != first), first,
    )  # fmt: skip


def _counts(data: _Data, group: int) -> Floats:
    own = data.of(group)
    signal = data.observed.is_signal
    return np.array(
        [data.weights[own & ~signal].sum(axis=0), data.weights[own & signal].sum(axis=0)]
    )


class _Intervals:
    """Intervals of numbers of one group, or of a difference of two."""

    def __init__(self, data: _Data, fits: list[Detection], level: float) -> None:
        self.data, self.fits, self.level = data, fits, level

    def widening(self, measure: str, groups: Mapping[int, int], level: float) -> float:
        """Return how much wider the interval for other names is than for just these.

        Where the standard error by clusters exceeds that of independent answers: their ratio times
        that of Student's quantile to the normal one; else 1. For normal estimates of 4 names, and
        of 4 and 4, 95 % intervals then cover 94 to 97 %, however much names vary.

        - `groups`: 1 or -1 by group.
        """
        if self.data.clusters is None:
            return 1.0
        observed = self.data.observed
        rows = np.isin(observed.group, list(groups))
        group, kind = observed.group[rows], observed.is_signal[rows].astype(int)
        weights = self.data.weights[rows]
        table = np.zeros((len(self.fits), *self.fits[0].influence[measure].shape))
        for place, sign in groups.items():
            table[place] = sign * self.fits[place].influence[measure]
        each = table[group, kind]
        of_answers = float((weights * each**2).sum())
        influence = (weights * each).sum(axis=1)
        side = (group == max(groups)).astype(np.int64) if len(groups) > 1 else np.zeros_like(group)
        variance, df = clustered_variance(
            influence, side, self.data.clusters[rows], [one[rows] for one in self.data.crossed]
        )
        if math.isnan(variance):
            return math.nan
        ratio = math.sqrt(variance / of_answers) if of_answers > 0 else 1.0
        if ratio <= 1:
            return 1.0
        tail = (1 + level) / 2
        return ratio * float(special.stdtrit(df, tail) / special.ndtri(tail))

    def estimate(
        self,
        draws: Floats,
        measure: str,
        groups: Mapping[int, int],
        shown: Callable[[Any], Any] = float,
        limits: tuple[float, float] = (-math.inf, math.inf),
    ) -> DetectionEstimate:
        """Return the median of draws with its intervals.

        - `measure`: whose influence says how much names spread it.
        - `shown`: an increasing function of the draws, whose values are shown.
        """
        middle = float(np.median(draws))

        def ends(level: float, *, wide: bool) -> Interval:
            low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
            factor = self.widening(measure, groups, level) if wide else 1.0
            outer = [middle + factor * (end - middle) for end in (float(low), float(high))]
            low, high = (float(np.clip(shown(end), *limits)) for end in outer)
            return Interval(low, high, level, self.data.over if wide else "answers")

        return DetectionEstimate(
            value=float(shown(middle)),
            interval=ends(self.level, wide=True),
            these=ends(self.level, wide=False),
            alike=ends(round(2 * self.level - 1, 12), wide=True),
        )


def _group(
    data: _Data, fits: list[Detection], group: int, intervals: _Intervals, yes: Floats
) -> GroupSensitivity:
    observed, fit, own = data.observed, fits[group], data.of(group)
    only = {group: 1}
    signal, noise = own & observed.is_signal, own & ~observed.is_signal
    area, of_area = _area(observed, own, intervals.level)

    def of(measure: str, shown: Callable[[Any], Any] = float) -> DetectionEstimate:
        return intervals.estimate(fit.draws[measure], measure, only, shown)

    return GroupSensitivity(
        name=observed.names[group],
        n_signal=int(signal.sum()), n_noise=int(noise.sum()),
        n_hits=float(yes[signal].sum()), n_false_alarms=float(yes[noise].sum()),
        hits=of("z_hits", special.ndtr), false_alarms=of("z_false_alarms", special.ndtr),
        d_prime=of("d_prime"), criterion=of("criterion"),
        area=of("d_prime", lambda value: special.ndtr(value / _AREA)),
        slope=of("log_slope", np.exp),
        empirical_area=area,
        cuts=_cuts(data, fit, group),
        cues=tuple(
            _cue(name, yes, signal & (observed.cue == place), noise & (observed.cue == place))
            for place, name in enumerate(observed.cues[group])
        ),
        is_extreme=fit.extreme,
        empirical_interval=of_area,
    )  # fmt: skip


def _area(observed: Observed, own: Any, level: float) -> tuple[float, Interval]:
    """Return the empirical area with its interval."""
    signal, answer = observed.is_signal[own], observed.answer[own]
    if min(signal.sum(), (~signal).sum()) > 1:
        area = auc(signal, answer, level)
        return float(area.value), Interval(float(area.low), float(area.high), level, "answers")
    pairs = np.sign(answer[signal][:, None] - answer[~signal])
    return float(pairs.mean() / 2 + 0.5), Interval(math.nan, math.nan, level, "answers")


def _cue(name: str, yes: Floats, signal: Any, noise: Any) -> CueRates:
    hits, false_alarms = (
        float(yes[one].mean()) if one.any() else math.nan for one in (signal, noise)
    )
    return CueRates(name, int(signal.sum()), int(noise.sum()), hits, false_alarms)


def _cuts(data: _Data, fit: Detection, group: int) -> tuple[Cut, ...]:
    counts = _counts(data, group)
    above = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1] / counts.sum(axis=1)[:, None]
    cuts = [
        Cut(data.labels[j], float(above[1, j + 1]), float(above[0, j + 1]), float(fit.cuts[j]),
            j == data.own)
        for j in range(len(data.labels))
    ]  # fmt: skip
    return tuple(cuts[::-1])


def _difference(data: _Data, group: int, intervals: _Intervals) -> GroupDifference:
    second, first = intervals.fits[group].draws, intervals.fits[0].draws
    both = {group: 1, 0: -1}
    names = data.observed.names

    def of(measure: str) -> DetectionEstimate:
        return intervals.estimate(second[measure] - first[measure], measure, both)

    def of_rates(measure: str) -> DetectionEstimate:
        draws = special.ndtr(second[measure]) - special.ndtr(first[measure])
        return intervals.estimate(draws, measure, both, limits=(-1.0, 1.0))

    return GroupDifference(
        name=names[group], reference=names[0], d_prime=of("d_prime"), criterion=of("criterion"),
        hits=of_rates("z_hits"), false_alarms=of_rates("z_false_alarms"),
    )  # fmt: skip


def _check(tests: list[FitTest]) -> FitCheck:
    test = FitTest(sum(one.statistic for one in tests), sum(one.df for one in tests))
    return FitCheck(test.statistic if test.df else math.nan, test.df, test.p)
