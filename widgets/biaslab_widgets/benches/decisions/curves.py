"""Lines of the decision bench: fitted curves, or flat ones where all answers agree."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.decisions import DecisionsResult
from biaslab.reports.decisions.words import beyond
from biaslab.stats.significance import wilson
from biaslab_widgets.benches.decisions.picture_fields import Curve
from biaslab_widgets.benches.decisions.side_numbers import estimate

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
    found = [_curve(result, levels, place) for place in places]
    return found if any(curve["share"] for curve in found) else []


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
