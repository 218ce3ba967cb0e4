"""What the decision bench draws of a result: curves, gap, gauges and impact ratios."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.cases import Form
from biaslab.deciders import OUTCOMES
from biaslab.jobs.job import JobGroup
from biaslab.probes.decisions import DecisionsResult, gauges, ratio_is_known, trait_effects
from biaslab.probes.decisions.result import more_questions
from biaslab.probes.decisions.secondary import NOT_READ
from biaslab.reports.decisions.words import beyond, named
from biaslab.stats.significance import wilson
from biaslab_widgets.benches.decisions.fields import (
    Counts,
    Curve,
    Estimate,
    Gap,
    GaugeState,
    GroupPoint,
    MainEffect,
    Picture,
    RunState,
    Sensitivity,
)
from biaslab_widgets.core.answers.background import Background
from biaslab_widgets.core.state.fields import empty
from biaslab_widgets.core.state.records import Span, finite

_RATIOS = 41


@dataclass(frozen=True)
class SideNumbers:
    """What stands beside the picture.

    Attributes
    ----------
    gauges : list of GaugeState
    ratio_levels : list of float
        Levels at which there is an impact ratio; between them the page interpolates.
    ratio : list of Estimate
    points : list of GroupPoint
    effects : list of MainEffect
    indecision : Estimate
        In the case's unit.
    """

    gauges: list[GaugeState]
    ratio_levels: list[float]
    ratio: list[Estimate]
    points: list[GroupPoint]
    effects: list[MainEffect]
    indecision: Estimate


NOTHING = SideNumbers([], [], [], [], [], empty(Estimate))


class NewestNumbers:
    """The numbers of the newest result; until they are there, those of the one before.

    Parameters
    ----------
    jobs : JobGroup
    changed : callable
        Lets the bench answer again.
    """

    def __init__(self, jobs: JobGroup, changed: Any) -> None:
        self._jobs = jobs
        self._work: Background[SideNumbers] = Background(changed)
        self._last: tuple[object, SideNumbers] = (None, NOTHING)

    def of(self, run: int, key: object, result: DecisionsResult) -> tuple[SideNumbers, bool]:
        """Return numbers, and whether they are of this result.

        Parameters
        ----------
        run : int
            Of whose other results the numbers may stand there meanwhile.
        key : object
            Of the result.
        result : DecisionsResult
            Fitted already.
        """
        whole = (run, key)
        if not self._work.running:
            if self._work.result is not None:
                self._last = (self._work.key, self._work.result)
            if self._work.key == whole:
                return self._last[1] if self._last[0] == whole else NOTHING, True
            self._work.begin(whole, self._jobs.start_beside(side_numbers, result))
        of, numbers = self._last
        is_same_run = isinstance(of, tuple) and of[0] == run
        return (numbers if is_same_run else NOTHING), False


def side_numbers(result: DecisionsResult) -> SideNumbers:
    """Return gauges, the points of all groups, and impact ratios, of many levels at some."""
    shown = [_gauge(result, one) for one in gauges(result) if one.of in ("", *result.groups[:2])]
    points, effects = _points(result), _effects(result)
    undecided = estimate(*result.indecision)
    if result.reason or result.form == "which of two":
        return SideNumbers(shown, [], [], points, effects, undecided)
    levels = result.case.quality.levels
    levels = levels[:: max(1, math.ceil(len(levels) / _RATIOS))]
    ratios = [_ratio(result, float(level)) for level in levels]
    return SideNumbers(shown, levels.tolist(), ratios, points, effects, undecided)


def _ratio(result: DecisionsResult, level: float) -> Estimate:
    ratio = result.impact_ratio(level)
    return estimate(ratio.value if ratio_is_known(ratio) else math.nan, ratio.low, ratio.high)


def _points(result: DecisionsResult) -> list[GroupPoint]:
    if len(result.groups) < 3:
        return []
    return [
        {
            "name": name,
            "pse": estimate(*result.pse(place)),
            "gap": estimate(*result.gap_between(0, place))
            if place
            else {"value": 0.0, "low": None, "high": None},
            "neither": estimate(*result.rate(NOT_READ, place)),
        }
        for place, name in enumerate(result.groups)
    ]


def _effects(result: DecisionsResult) -> list[MainEffect]:
    return [
        {"trait": one.trait, "one": one.one, "two": one.two, "effect": estimate(*one.estimate)}
        for one in trait_effects(result)
    ]


def _gauge(result: DecisionsResult, gauge: Any) -> GaugeState:
    group = 1 + result.groups.index(gauge.of) if gauge.of else 0
    value, low, high = (0.0 if math.isnan(v) else float(v) for v in gauge.estimate)
    return {"name": gauge.name, "group": group, "value": value, "low": low, "high": high}


def estimate(value: float, low: float, high: float) -> Estimate:
    """Return a number with its interval; what is not finite is None."""
    return {"value": finite(value), "low": finite(low), "high": finite(high)}


_POINTS = 120
"""Of a curve, at least."""


def levels_of(result: DecisionsResult) -> NDArray[np.float64]:
    """Return the levels at which curves are drawn: all of the case, and some between them."""
    quality = result.case.quality
    low, high = float(quality.levels[0]), float(quality.levels[-1])
    steps = len(quality.levels) - 1
    if result.form == "which of two":
        steps -= steps % 2
        low, high = -steps / 2 * quality.step, steps / 2 * quality.step
    return np.round(np.linspace(low, high, steps * math.ceil(_POINTS / steps) + 1), 10)


def curves_of(result: DecisionsResult, levels: NDArray[np.float64]) -> list[Curve]:
    """Return the lines of the two groups, or that of the difference; none where nothing is known.

    Parameters
    ----------
    result : DecisionsResult
    levels : ndarray, shape (L,)
    """
    places = range(2 if result.form == "yes or no" else 1)
    curves = [_curve(result, levels, place) for place in places]
    return curves if any(curve["share"] for curve in curves) else []


def _curve(result: DecisionsResult, levels: NDArray[np.float64], group: int) -> Curve:
    shares = result.curve(levels, group)
    if result.fit.sides[group]:
        shares = np.repeat([[share] for share in _flat(result, group)], len(levels), axis=1)
    share, low, high = np.round(shares, 4) if np.isfinite(shares).all() else ([], [], [])
    return {
        "share": [float(one) for one in share],
        "low": [float(one) for one in low],
        "high": [float(one) for one in high],
        "pse": estimate(*result.pse(group)),
        "beyond": beyond(result, group),
    }


def _flat(result: DecisionsResult, group: int) -> tuple[float, float, float]:
    """Return the share of yes of a group that answers alike at every level, with its interval.

    Answers that are words are a sample, with Wilson's interval; probabilities are none, and the
    ends are the least and the greatest of them.
    """
    trials = result.trials
    own = trials.answered
    if result.form == "yes or no":
        own = own & (trials.group == result.places[group])
    yes = trials.yes[own]
    if trials.gives_probabilities:
        return float(yes.mean()), float(yes.min()), float(yes.max())
    low, high = wilson(float(yes.sum()), len(yes), result.level)
    return float(yes.mean()), float(low), float(high)


_WAITING: Span = {"text": "The first answers are on their way.", "role": "quiet"}
_EARLY: Span = {"text": "There are too few answers for a gap yet.", "role": "quiet"}


def waiting_picture(form: Form, run: RunState) -> Picture:
    """Return the picture of a run that has no answers yet."""
    return {**empty(Picture), "run": run, "form": form, "verdict": [_WAITING]}


def picture_of(
    result: DecisionsResult, run: RunState, numbers: SideNumbers, *, settled: bool
) -> Picture:
    """Return the picture of a result.

    Parameters
    ----------
    result : DecisionsResult
    run : RunState
    numbers : SideNumbers
        What stands beside it.
    settled : bool
        Whether these numbers are of this result.
    """
    levels = levels_of(result)
    has_gap = not result.reason
    early = run["running"] and has_gap and _is_beyond_the_range(result)
    return {
        "run": {
            **run,
            "left": more_questions(result, run["wanted"] if run["running"] else None)
            if has_gap and not early
            else None,
            "width": None if early else run["width"],
        },
        "form": result.form,
        "verdict": [_EARLY]
        if early
        else [Span(text=text, role=role) for text, role in result.verdict_spans()],
        "caveat": " ".join([result.caveat(), *result.notes]),
        "footer": _footer(result),
        "levels": levels.tolist(),
        "curves": curves_of(result, levels),
        "ratio_levels": numbers.ratio_levels,
        "ratio": numbers.ratio,
        "ridge": _ridge(result, levels) if run["running"] else [],
        "gap": _gap(result) if has_gap and not early else None,
        "jnd": estimate(*result.jnd),
        "indecision": numbers.indecision,
        "gauges": numbers.gauges,
        "points": numbers.points,
        "effects": numbers.effects,
        "counts": _counts(result),
        "names": [named(result, place) for place in (0, 1)],
        "decision": result.decision,
        "reason": result.reason,
        "level": result.level,
        "settled": settled,
        "sensitivity": empty(Sensitivity),
    }


def _is_beyond_the_range(result: DecisionsResult) -> bool:
    """Return whether the first few answers say nothing of a gap within the case's range."""
    quality, ends = result.case.quality, result.gap_interval()
    span = quality.high - quality.low
    return not (abs(result.gap) <= span and ends.high - ends.low <= 2 * span)


def _ridge(result: DecisionsResult, levels: NDArray[np.float64]) -> list[list[float]]:
    """Return where the next questions go."""
    coarse = np.linspace(levels[0], levels[-1], result.next_levels.shape[1])
    return [np.round(np.interp(levels, coarse, one), 4).tolist() for one in result.next_levels]


def _gap(result: DecisionsResult) -> Gap:
    wide, narrow = result.gap_interval(), result.gap_interval("these")
    return {
        "value": finite(result.gap),
        "low": finite(wide.low),
        "high": finite(wide.high),
        "these_low": finite(narrow.low),
        "these_high": finite(narrow.high),
        "margin": result.margin,
    }


def _counts(result: DecisionsResult) -> Counts:
    """Return what the marks add up to: those of the two groups that are compared."""
    trials = result.trials
    shown = np.isin(trials.group, result.places[:2])
    answered = trials.answered & shown
    yes = int((trials.yes[answered] >= 0.5).sum())

    def count(name: str) -> int:
        return int((shown & (trials.outcome == OUTCOMES.index(name))).sum())

    return {
        "yes": yes,
        "no": int(answered.sum()) - yes,
        "cannot_say": count("cannot say"),
        "refused": count("refused"),
        "unreadable": count("unreadable"),
        "other_language": count("other language"),
    }


def _footer(result: DecisionsResult) -> list[str]:
    seed = result.provenance.seed
    parts = [f"seed {seed}"] if seed is not None else []
    return [*parts, f"case {result.case.name}", f"{result.method} placement"]
