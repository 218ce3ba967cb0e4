"""Fit decisions: the gap between groups, in the unit of a quality.

An answer about group g at level x is yes with a probability that rises with x between asymptotes
(`biaslab.stats.decisions.likelihood`); cues, wordings and details shift it at random
(`biaslab.stats.decisions.model`). The PSE of a group is the level :math:`m_g` at which the curve
without lapses and position is 1/2, so that neither is part of the gap :math:`m_b - m_a`.

SDs, rates and the indecision maximise a restricted likelihood (Laplace's approximation), with the
densities of `biaslab.stats.mixed.hierarchical`. Intervals of PSE and gap are Fieller's, with
Satterthwaite's degrees of freedom, and have one of two scopes:

``"population"``
    other cues and wordings like these: their SDs are part of the uncertainty, and where groups
    have unlike numbers of cues that of each group (`biaslab.stats.decisions.cues`);
``"these"``
    just these cues and wordings, equally weighted, in other questions about them: what single
    prompts add is part of the uncertainty (`biaslab.stats.decisions.prompts`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from biaslab.errors import PsychometricError
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.decisions.answers import FEWEST, DecisionAnswers, missing, one_sided
from biaslab.stats.decisions.gap import FittedDecisions, Scope
from biaslab.stats.decisions.model import (
    DecisionModel,
    Indecision,
    Lapses,
    Position,
    Slopes,
    decision_model,
    intercepts_of,
)
from biaslab.stats.decisions.rates import FittedRates, Rate
from biaslab.stats.decisions.search import DecisionSearch, rate_derivatives
from biaslab.stats.mixed.fitted_curves import LevelResiduals, residuals_by_level

__all__ = ["DecisionFit", "Rate", "Scope", "fit_decisions"]

_PASSES: Final = 6
_SAME: Final = 0.02
"""Relative change of the dispersion at which it is settled."""
_LEAST_DISPERSION: Final = 1e-4


def estimated(
    answers: DecisionAnswers,
    model_of: Callable[[float], DecisionModel],
    before: FittedDecisions | None,
    dispersion: float,
) -> tuple[FittedDecisions, float]:
    """Search the maximum; for probabilities, in turns with their dispersion.

    Parameters
    ----------
    answers : DecisionAnswers
        Pooled.
    model_of : callable
        Returns their model, given the weight of an answer.
    before : FittedDecisions or None
        Of similar answers: the search begins there.
    dispersion : float
        With which the search begins; 1 for answers that are no probabilities.

    Returns
    -------
    FittedDecisions, float
        With the dispersion that it was fitted with.
    """
    dispersion = dispersion if answers.probabilities else 1.0
    for _ in range(_PASSES if answers.probabilities else 1):
        model = model_of(1 / dispersion)
        search = DecisionSearch(model)
        point, converged = search.best(*_begin(search, before))
        fitted = FittedDecisions(model, search, point, search.marginal(point), converged)
        if not answers.probabilities:
            return fitted, 1.0
        before, last = fitted, dispersion
        dispersion = _dispersion(fitted)
        if abs(dispersion / last - 1) < _SAME:
            break
    return fitted, last


def _begin(
    search: DecisionSearch, before: FittedDecisions | None
) -> tuple[Floats | None, Floats | None]:
    """Return where a search begins after a fit of similar answers."""
    if before is None:
        return None, None
    names, known = search.model.names, before.model.names
    free, hessian = search.start(), None
    shared = [(i, known.index(name)) for i, name in enumerate(names) if name in known]
    for i, j in shared:
        free[i] = before.point.free[j]
    if "spread" in before.__dict__ and shared:
        one, two = np.array(shared).T
        hessian = np.eye(len(names))
        hessian[np.ix_(one, one)] = before.spread.hessian[np.ix_(two, two)]
    return free, hessian


def _dispersion(fitted: FittedDecisions) -> float:
    """Return Pearson's chi-square over its degrees of freedom."""
    model, curve, point = fitted.model, fitted.model.curve, fitted.point
    answers = model.answers
    z, _ = curve.predictor(point.mode.x, fitted.settings)
    p = model.likelihood.probabilities(z, fitted.settings)
    counts = model.likelihood.counts
    expected = counts.sum(axis=0) * p
    square = float(np.sum((counts - expected) ** 2 / np.maximum(expected, 1e-12)))
    used = curve.size - float(np.diag(point.covariance) @ curve.ridge)
    df = (len(counts) - 1) * len(answers) - used - len(model.names) + len(model.sd_names)
    return max(square / max(df, 1.0), _LEAST_DISPERSION)


def curve_residuals(fitted: FittedDecisions, dispersion: float) -> LevelResiduals:
    """Compare the mean answers of each group at each level with its curve.

    Parameters
    ----------
    fitted : FittedDecisions
    dispersion : float
        Variance of the answers over the binomial one.
    """
    model, settings = fitted.model, fitted.settings
    curve, answers = model.curve, model.answers
    some = answers.n > 0
    z, _ = curve.predictor(fitted.x, settings)
    cats = model.likelihood.categories(z, settings)
    yes, no = cats.p[0][some], cats.p[1][some]
    p = yes / (yes + no)

    def of_answered(by: Floats) -> Floats:
        """Derivative of P(yes) of those who answer."""
        return np.asarray((by[0][some] * no - by[1][some] * yes) / (yes + no) ** 2)

    by_z = of_answered(cats.slope)
    columns = [(curve.columns(settings) * curve.scale(settings))[some] * by_z[:, None]]
    for m, parameter in enumerate(model.parameters):
        if parameter.kind == "sd" or fitted.spread.of_free[m, m] <= 0:
            continue
        if parameter.kind == "sensitivity":
            own = model.contrasts[:, parameter.group][answers.group]
            columns.append((own * z)[some, None] * by_z[:, None])
            continue
        value = float(np.exp(fitted.point.free[m]))
        columns.append(of_answered(rate_derivatives(model, parameter, cats, value))[:, None])
    by, n = np.hstack(columns), answers.n[some]
    return residuals_by_level(
        (answers.levels + 2 * answers.group * np.ptp(answers.levels))[some],
        answers.yes[some], n, p, by, dispersion * p * (1 - p),
        np.r_[curve.ridge, np.zeros(by.shape[1] - curve.size)],
        slice(curve.n_fixed, curve.size),
    )  # fmt: skip


_UNCLEAR: Final = 0.05


@dataclass(frozen=True)
class DecisionFit(FittedRates):
    """The fitted model: estimates with intervals, in units of the levels; NaN where there is none.

    Attributes
    ----------
    answers : DecisionAnswers
        Pooled.
    sides : tuple of str
        For each group ``below`` where it has yes at every level, so that its PSE lies below the
        levels, ``above`` where it never has, and otherwise nothing.
    reason : str
        Why there is no estimate; empty where there is one, of the gap and all else.
    dispersion : float
        Variance of the answers over the binomial one; fitted where they are probabilities.
    options : dict
        Of the fit, to make it again.
    """

    @cached_property
    def residuals(self) -> LevelResiduals | None:
        """Mean answers of each group at each level against its curve; None without a fit.

        Levels of a group follow those of the one before it, so they are those of the answers in the
        first group only. Its `p_value` says whether the curves fit: see
        `biaslab.stats.mixed.fitted_curves`.
        """
        return None if self._fitted is None else curve_residuals(self._fitted, self.dispersion)


def fit_decisions(
    answers: DecisionAnswers,
    *,
    family: str = "logistic",
    lapses: Lapses = "free",
    slopes: Slopes = "free",
    position: Position = "both",
    indecision: Indecision | None = None,
    traits: Sequence[ArrayLike] | None = None,
    start: DecisionFit | None = None,
) -> DecisionFit:
    """Fit decisions by restricted maximum likelihood.

    Parameters
    ----------
    answers : DecisionAnswers
    family : str
        A symmetrical one of `biaslab.stats.curves.sigmoids`: ``logistic``, ``normal``, ``t5``.
    lapses : str
        Answers yes or no whatever the level: ``free`` (each group has shares of its own),
        ``shared`` (by all groups), ``equal`` (also as many of either), ``none``.
    slopes : str
        ``free``: each group has a sensitivity of its own, by which all that shifts decisions
        about it counts as well; ``shared``.
    position : str
        ``both``: a share of answers by position alone and a shift of the curve; ``shift``: only
        that; ``none``.
    indecision : str, optional
        ``threshold``: the subject cannot say where its impression is within a range around
        indifference; ``apart``: such answers say nothing about the curve. By default
        ``threshold`` in the which-of-two form, where "cannot say" is offered as a third answer
        between the two, and ``apart`` for yes or no, where it may be a refusal for any reason.
    traits : sequence of array_like of shape (G,), optional
        Labels of crossed groups, an array for each trait: ``[["A", "A", "B", "B"], ["f", "m",
        "f", "m"]]``. Traits have main effects, and each group's deviation from their sum is
        pooled toward 0 as far as the answers allow.
    start : DecisionFit, optional
        A fit of similar answers: the search begins there.

    Returns
    -------
    DecisionFit
        With a `reason` and NaN in place of estimates where there are none.

    Raises
    ------
    PsychometricError
        If an option is unknown.
    """
    _check(lapses, slopes, position, indecision)
    pooled = answers.pooled()
    chosen: Indecision = indecision or ("threshold" if pooled.is_which_of_two else "apart")
    options: dict[str, object] = {
        "family": family, "lapses": lapses, "slopes": slopes, "position": position,
        "indecision": chosen, "traits": traits,
    }  # fmt: skip
    sides = one_sided(pooled)
    empty = DecisionFit(pooled, sides, "", 1.0, options, None, (None,) * len(sides))
    if chosen == "apart":
        pooled = pooled.take(pooled.n > 0)
    two_sided = [g for g in range(len(sides)) if sides[g] == "" and (pooled.group == g).any()]
    reason = missing(pooled, sides, two_sided)
    if not two_sided or pooled.n.sum() < FEWEST or len(np.unique(pooled.levels)) < 2:
        return replace(empty, reason=reason)
    place = tuple(two_sided.index(g) if g in two_sided else None for g in range(len(sides)))
    if len(two_sided) < len(sides):
        rows = np.isin(pooled.group, two_sided)
        pooled = pooled.take(rows)
        kept = np.searchsorted(two_sided, pooled.group)
        pooled = replace(pooled, group=kept, groups=len(two_sided))
        traits = traits and _of_groups(traits, two_sided)
    fitted, dispersion = estimated(
        pooled,
        lambda weight: decision_model(
            pooled, family=family, lapses=lapses, slopes=slopes, position=position,
            indecision=chosen, traits=traits, weight=weight,
        ),
        None if start is None else start._fitted,
        1.0 if start is None else start.dispersion,
    )  # fmt: skip
    fit = replace(empty, reason=reason, dispersion=dispersion, _fitted=fitted, _place=place)
    if fitted.x[0] <= 0 or fitted.slope_p > _UNCLEAR:
        unclear = "the answers do not clearly follow the quality, so no level makes yes and no even"
    elif not fitted.converged:
        unclear = "the curves could not be fitted: put more questions, or choose lapses='none'"
    else:
        return fit
    return replace(empty, reason=reason or unclear, dispersion=dispersion)


def _of_groups(traits: Sequence[ArrayLike], groups: list[int]) -> Sequence[ArrayLike] | None:
    """Return the traits of some groups; None if they do not vary independently there."""
    some = [np.asarray(trait)[groups] for trait in traits]
    try:
        intercepts_of(len(groups), some)
    except PsychometricError:
        return None
    return some


def _check(lapses: str, slopes: str, position: str, indecision: str | None) -> None:
    for name, value, known in (
        ("lapses", lapses, ("free", "shared", "equal", "none")),
        ("slopes", slopes, ("free", "shared")),
        ("position", position, ("both", "shift", "none")),
        ("indecision", indecision, (None, "threshold", "apart")),
    ):
        if value not in known:
            choices = ", ".join(str(choice) for choice in known if choice)
            raise PsychometricError(f"{name} is {value!r}: choose one of {choices}")
