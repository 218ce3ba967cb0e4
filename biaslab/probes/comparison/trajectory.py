"""Runs of one probe in an order: years, versions, checkpoints."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from scipy import special

from biaslab.errors import ArgumentError, NoRawFrameError, QueryError
from biaslab.probes.comparison.probe import compare, opened
from biaslab.probes.comparison.result import Comparison
from biaslab.probes.comparison.rows import Floats, Measure
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.result import Interval, Result
from biaslab.stats.significance import Adjust, holm
from biaslab.stats.trend import rank_trend, slope

if TYPE_CHECKING:
    import pandas as pd

FEWEST: Final = 3
MOST: Final = 40


@dataclass(frozen=True, kw_only=True)
class Trajectory(Result):
    """One number of k runs in their order.

    Attributes
    ----------
    kind : str
        Schema name of the results, such as ``"weat"``.
    of : str
        The number: a total of the comparison, such as ``"difference of means"``, or a row.
    unit : str
        ``"points"`` where the numbers are shares; else empty.
    labels : tuple of str
        Of the runs.
    per : str
        What the labels count, such as ``"year"``.
    positions : ndarray, shape (k,)
        Labels as numbers; NaN where they only have an order.
    level : float
        Of all intervals.
    values, intervals : ndarray, shapes (k,) and (k, 2)
        Of the runs; NaN where there is no interval.
    slope : float
        Change of the number for one step of the positions; NaN where labels have only an order.
    slope_interval : Interval
    tau, p : float
        Kendall's tau with the order, and its exact two-sided p.
    steps, step_intervals : ndarray, shapes (k - 1,) and (k - 1, 2)
        Each run less the one before.
    step_p : ndarray, shape (k - 1,)
        Of no change, corrected for their number (Holm).
    change : float
    change_interval : Interval
        Last run less the first.
    paired : bool
        Whether all runs share their observations, such as words.
    """

    schema: ClassVar[str] = "trajectory/1"

    kind: str
    of: str
    unit: str
    labels: tuple[str, ...]
    per: str
    positions: Floats
    level: float
    values: Floats
    intervals: Floats
    slope: float
    slope_interval: Interval
    tau: float
    p: float
    steps: Floats
    step_intervals: Floats
    step_p: Floats
    change: float
    change_interval: Interval
    paired: bool

    @property
    def has_numbers(self) -> bool:
        """Whether the labels are numbers, so that there is a slope."""
        return bool(np.isfinite(self.positions).all())

    @property
    def excludes_null(self) -> bool:
        """Whether there is a trend: of the slope, or of the ranks."""
        if self.has_numbers:
            return 0 not in self.slope_interval
        return self.p <= 1 - self.level

    @property
    def has_changed(self) -> bool:
        """Whether any step has a change, corrected for their number."""
        return bool((self.step_p <= 1 - self.level).any())

    def to_frame(self) -> pd.DataFrame:
        """Return one row per run: label, position, value, low, high; step, its ends and p."""
        import pandas as pd

        none = [np.nan]
        return pd.DataFrame(
            {
                "label": self.labels,
                "position": self.positions,
                "value": self.values,
                "low": self.intervals[:, 0],
                "high": self.intervals[:, 1],
                "step": [*none, *self.steps],
                "step_low": [*none, *self.step_intervals[:, 0]],
                "step_high": [*none, *self.step_intervals[:, 1]],
                "step_p": [*none, *self.step_p],
            }
        )

    def raw_frame(self) -> pd.DataFrame:
        """Refuse: the observations are those of the runs.

        Raises
        ------
        NoRawFrameError
            Always.
        """
        raise NoRawFrameError("A trajectory keeps no observations: use raw_frame() of its runs.")


@recorded
def trajectory(
    runs: Sequence[Result | str],
    labels: Sequence[float | str],
    *,
    of: str | None = None,
    per: str = "step",
    measure: Measure = "pse",
    adjust: Adjust = "holm",
    rng: int = 0,
) -> Trajectory:
    """Follow one number over runs of one probe: over years, versions, or checkpoints.

    Each two runs are compared as `biaslab.compare` does, so what they share narrows the intervals.

    Parameters
    ----------
    runs : sequence of Result or str
        3 to 40 results of one kind, or ids of runs in the person's own store, in order.
    labels : sequence of float or str
        One a run. Rising numbers, such as years, give a slope; other labels only an order, whose
        trend is tested by ranks.
    of : str, optional
        A total of the comparison, or a row such as a word; by default the headline number.
    per : str
        What one step of the labels is: ``"year"``.
    measure, adjust, rng
        As of `biaslab.compare`.

    Returns
    -------
    Trajectory

    Raises
    ------
    QueryError
        When two runs cannot be compared, or have no such number in common.
    ArgumentError
        When the number of runs or labels does not fit, a run or a label occurs twice, a label is
        empty, or numbers do not rise.

    Notes
    -----
    The slope's interval holds for other runs like these: see `biaslab.stats.trend.slope`. A step
    and the change from first to last are about these runs alone.
    """
    k = len(runs)
    if not FEWEST <= k <= MOST:
        raise ArgumentError(f"runs has {k} results: give {FEWEST} to {MOST}; bl.compare takes two.")
    if len(labels) != k:
        raise ArgumentError(f"labels has {len(labels)} entries for {k} runs: give one a run.")
    if len({one if isinstance(one, str) else id(one) for one in runs}) < k:
        raise ArgumentError("The same run stands in runs twice: give each once.")
    names = tuple(map(str, labels))
    if "" in names or len(set(names)) < k:
        shown = ", ".join(name or "(empty)" for name in names)
        raise ArgumentError(f"labels are {shown}: give each run a label of its own.")
    positions = _positions(labels)
    results = [opened(one, "runs") for one in runs]
    with measured(
        probe="trajectory",
        subject=", ".join(dict.fromkeys(one.provenance.subject for one in results)),
        parameters={"labels": names, "of": of, "per": per, "measure": measure, "adjust": adjust},
        seed=rng,
    ) as run:
        compared = {
            (i, j): compare(results[i], results[j], measure=measure, adjust=adjust, rng=rng)
            for i, j in itertools.combinations(range(k), 2)
        }
        fields = _fields(compared, k, of, positions)
    return Trajectory(
        kind=compared[0, 1].kind,
        labels=names,
        per=per,
        positions=positions,
        **fields,
        provenance=run.provenance,
    )


def _positions(labels: Sequence[float | str]) -> Floats:
    try:
        positions = np.array([float(label) for label in labels])
    except ValueError:
        return np.full(len(labels), np.nan)
    if not (np.isfinite(positions).all() and (np.diff(positions) > 0).all()):
        shown = ", ".join(map(str, labels))
        raise ArgumentError(f"labels are {shown}, which do not rise: put the runs in order.")
    return positions


def _fields(
    compared: dict[tuple[int, int], Comparison], k: int, of: str | None, positions: Floats
) -> dict[str, Any]:
    """The numbers of the runs, and what follows from the differences of each two."""
    first = compared[0, 1]
    of = of or _headline(first)
    values, intervals = np.full(k, np.nan), np.full((k, 2), np.nan)
    half, paired = np.zeros((k, k)), True
    for (i, j), one in compared.items():
        pair, ends, change, is_paired = _number(one, of)
        for run, value, own in zip((i, j), pair, ends, strict=True):
            if np.isfinite(values[run]) and not np.isclose(values[run], value, rtol=1e-9):
                raise QueryError(
                    f"The {of} of a run depends on the run that it is compared with, as the runs"
                    " do not share all rows. Ask all runs the same, or name a row in of=."
                )
            values[run], intervals[run] = value, own
        half[i, j] = half[j, i] = (change[1] - change[0]) / 2
        paired = paired and is_paired
    if not (np.isfinite(half).all() and np.isfinite(values).all()):
        raise QueryError(f"Some changes of the {of} have no interval. Name another number in of=.")
    level = first.level
    errors = half / special.ndtri((1 + level) / 2)
    steps, reach = np.diff(values), np.diag(half, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(steps == 0, 0.0, steps / np.diag(errors, 1))
    rate, around = np.nan, np.nan
    if np.isfinite(positions).all():
        rate, around = slope(positions, values, errors**2, level, paired=paired)
    tau, p = rank_trend(values)
    is_row = of in first.labels and of not in {total.name for total in first.totals}
    change = float(values[-1] - values[0])
    kind = "words, paired" if paired else "runs"
    return {
        "of": f"{first.measure} of “{of}”" if is_row else of,
        "unit": _unit(first, of),
        "level": level,
        "values": values,
        "intervals": intervals,
        "slope": rate,
        "slope_interval": Interval(rate - around, rate + around, level, "runs"),
        "tau": tau,
        "p": p,
        "steps": steps,
        "step_intervals": np.stack([steps - reach, steps + reach], axis=1),
        "step_p": holm(2 * special.ndtr(-np.abs(z))),
        "change": change,
        "change_interval": Interval(change - half[0, -1], change + half[0, -1], level, kind),
        "paired": paired,
    }


def numbers_of(one: Comparison) -> list[str]:
    """Return the totals, then the rows, that a trajectory can follow: their change has ends."""
    totals = [
        total.name
        for total in one.totals
        if total.interval is not None and np.isfinite(total.interval.low)
    ]
    rows = [
        label
        for label, ends in zip(one.labels, one.change_intervals, strict=True)
        if np.isfinite(ends).all()
    ]
    return list(dict.fromkeys([*totals, *rows]))


def _headline(one: Comparison) -> str:
    """The first total with an interval, or the only row."""
    numbers = numbers_of(one)
    if numbers and (len(one.labels) == 1 or numbers[0] not in one.labels):
        return numbers[0]
    rows = ", ".join(one.labels[:5])
    raise QueryError(f"These runs have no number over all rows: name a row in of=, such as {rows}.")


def _number(one: Comparison, of: str) -> tuple[Any, Any, Any, bool]:
    """The number in both runs with their intervals, the ends of its change, and whether paired."""
    total = next((each for each in one.totals if each.name == of), None)
    if total is not None:
        none = (np.nan, np.nan)
        ends = [
            none if each is None else (each.low, each.high)
            for each in (total.a_interval, total.b_interval, total.interval)
        ]
        return (total.a, total.b), ends[:2], ends[2], total.paired
    if of not in one.labels:
        known = ", ".join([*(each.name for each in one.totals), *one.labels][:8])
        raise QueryError(f"The runs have no {of!r} in common. They have: {known}.")
    i = one.labels.index(of)
    return one.values[i], one.intervals[i], one.change_intervals[i], one.paired


def _unit(one: Comparison, of: str) -> str:
    return next((total.unit for total in one.totals if total.name == of), one.unit)
