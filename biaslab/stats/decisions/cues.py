r"""Spread of the cues of each group, where one SD for all would misjudge the gap.

The fit has one SD for the cues of all groups. With as many cues in each group it gives the right
variance of a gap whatever the groups' own SDs are. With 2 and 8 it does not, if the 2 differ more.
Then, with the estimated effects b of cues in units of that SD, their posterior covariance C, and
:math:`T = 1 - C`, by which they follow the true ones, the variances of each group's cues,
:math:`\tau_g`, sampling noise included, solve

.. math:: \sum_{c \in g} b_c^2 = \sum_h \tau_h \, \|T_{gh}\|^2 .

That is the sample variance of the group's cues, with one degree of freedom less than there are, as
in Welch's t. In place of these the fit has :math:`1 + \nu_h`, where the right sides with
:math:`\nu_h` are the traces of :math:`T - T T` over each group. Sampling noise is not taken out of
the sample variance: two cues that are alike by chance would leave nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.decisions.answers import Indices
from biaslab.stats.decisions.model import DecisionModel
from biaslab.stats.decisions.search import Covariance, Point, Spread, moment_variances

_TINY: Final = 1e-300
_SHOWN: Final = 0.1
"""Least share of a degree of freedom from which a group's own spread is estimated."""


@dataclass(frozen=True)
class CueVariances:
    """Variances of each group's cues.

    Attributes
    ----------
    places : list of ndarray of int
        Of the effects of each group's cues among coefficients and effects.
    ratios, dfs : ndarray, shape (groups,)
        Variance, sampling noise included, over that of all cues, with its degrees of freedom.
    taken : ndarray, shape (groups,)
        The same of which the fit has taken them.
    sd : int
        Place of the SD of all cues among the free parameters.
    """

    places: list[Indices]
    ratios: Floats
    dfs: Floats
    taken: Floats
    sd: int

    def covariance(self, spread: Spread, rows: Floats) -> Covariance:
        """Return the covariance of combinations over other cues of these groups."""
        moved = rows @ spread.covariance
        whole, change = moved @ rows.T, spread.changed(rows[0])
        # By stationarity a combination has as much of a cue's effect as their covariance.
        of_group = [moved[:, place] @ moved[:, place].T for place in self.places]
        for more, one in zip(self.ratios - self.taken, of_group, strict=True):
            whole = whole + more * one
        alike = np.array([one[0, 0] for one in of_group])
        change[self.sd] -= 2 * alike.sum()
        own = self.ratios * alike
        whole[0, 0] = max(whole[0, 0], own.sum())
        return Covariance(whole, change, [], apart=(float(own.sum()), self._df(own, alike)))

    def _df(self, own: Floats, alike: Floats) -> float:
        """Return the degrees of freedom of a sum of the groups' variances.

        Few cues may be alike by chance. The degrees of freedom are no more than if groups had one
        SD, so that such a chance does not make the others count for them.

        Parameters
        ----------
        own, alike : ndarray, shape (groups,)
            Variances, and what they would be if groups had one SD.
        """
        both = [part.sum() ** 2 / max(np.sum(part**2 / self.dfs), _TINY) for part in (own, alike)]
        return float(max(min(both), 1.0))


def cue_variances(model: DecisionModel, point: Point) -> CueVariances | None:
    """Estimate the variances of each group's cues; None where groups have as many."""
    places = _places(model)
    if len({len(place) for place in places}) < 2:
        return None
    every = np.concatenate(places)
    owner = np.repeat(np.arange(len(places)), [len(place) for place in places])
    follow = np.eye(len(every)) - point.covariance[np.ix_(every, every)]
    member = (owner == np.arange(len(places))[:, None]).astype(float)
    squares = member @ point.mode.x[every] ** 2
    by_ratio = member @ follow**2 @ member.T
    shown = np.diag(by_ratio) > _SHOWN
    inside = np.ix_(shown, shown)
    ratios, taken = np.ones((2, len(places)))
    ratios[shown] = moment_variances(by_ratio[inside], squares[shown])
    noise = member @ np.diag(follow - follow @ follow)
    taken[shown] += moment_variances(by_ratio[inside], noise[shown])
    scatter = np.diag(member @ (follow @ follow.T) ** 2 @ member.T)
    dfs = np.diag(by_ratio) ** 2 / np.maximum(scatter, _TINY)
    dfs = np.maximum(np.where(shown, dfs, dfs[shown].sum()), 1.0)
    return CueVariances(places, ratios, dfs, taken, model.names.index("cue"))


def _places(model: DecisionModel) -> list[Indices]:
    """Return the places of each group's cues among coefficients and effects."""
    places = []
    answers = model.answers
    for factor, start in zip(model.factors, model.curve.starts, strict=False):
        if factor.name == "other_cue":
            places.append(start + np.arange(len(factor.numbers)))
        if factor.name == "cue":
            group = np.zeros(len(factor.numbers), dtype=np.intp)
            group[factor.place] = answers.group
            places += [start + np.flatnonzero(group == g) for g in np.unique(group)]
    return places
