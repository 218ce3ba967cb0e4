"""Gauges and impact ratios, which take longer than curves: computed beside the answers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from biaslab.jobs import JobGroup
from biaslab.probes.decisions import DecisionsResult, gauges, trait_effects
from biaslab.probes.decisions.secondary import NOT_READ
from biaslab_widgets.benches.decisions.picture_fields import (
    Estimate,
    GaugeState,
    GroupPoint,
    MainEffect,
)
from biaslab_widgets.core.background import Background

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


NOTHING = SideNumbers([], [], [], [], [], {"value": None, "low": None, "high": None})


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
            self._work.begin(whole, self._jobs.start_waiting(side_numbers, result))
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
    ratio = [estimate(*result.impact_ratio(float(level))) for level in levels]
    return SideNumbers(shown, levels.tolist(), ratio, points, effects, undecided)


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


def finite(value: float) -> float | None:
    """Return a finite number, else None."""
    return float(value) if math.isfinite(value) else None
