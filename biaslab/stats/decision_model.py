r"""The mixed model of decisions: coefficients, and effects of cues, wordings and details.

The decision variable of a question at level x about group g is

.. math:: z = k_g\,(s\,(x - m_g) + b\,o + u_{\text{cue}} + v_{\text{wording}}
              + w_{\text{wording}, g} + d_{\text{detail}}),

with o = 1/2 where yes is listed first and -1/2 where it is second, and normal u, v, w, d with SDs
of their own. k is the sensitivity to one group, whose mean logarithm is 0: all that shifts a
decision shifts it by as much of the quality, in whichever group. Groups that cross traits
(`traits`) have main effects of the traits as coefficients, and a normal effect of each group, by
which the deviations from these are partially pooled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from biaslab.errors import PsychometricError
from biaslab.stats.decision_answers import DecisionAnswers
from biaslab.stats.decision_curve import DecisionCurve
from biaslab.stats.decision_factors import Factor, factors_of, intercepts_of
from biaslab.stats.decision_likelihood import DecisionLikelihood, DecisionSettings
from biaslab.stats.decision_parameters import Kind, Parameter, contrasts
from biaslab.stats.sigmoids import Floats, get_sigmoid

Lapses = Literal["free", "shared", "equal", "none"]
Slopes = Literal["free", "shared"]
Indecision = Literal["threshold", "apart"]
Position = Literal["both", "shift", "none"]

_STEEPEST: Final = 6.0
"""Rise of z over the smallest step of the levels from which on a slope becomes improbable."""
_FINEST: Final = 0.01
"""Smallest step of the levels that counts, as a share of their range."""
_INTERCEPT: Final = 30.0
"""SD of a normal density of intercepts, on the scale of z. A group whose answers position and
lapses could explain alone has a point at infinity as well, where a flat density has no end."""
_STEEPNESS: Final = (float(np.log(3.0)), 1.0)
"""Mean and SD of the density of the log slope, per SD of the levels."""


@dataclass(frozen=True)
class DecisionModel:
    """Pooled answers with their model.

    Attributes
    ----------
    answers : DecisionAnswers
    curve : DecisionCurve
    likelihood : DecisionLikelihood
    factors : tuple of Factor
    intercepts : ndarray, shape (G, K)
        How each group's intercept follows from the K intercept coefficients.
    has_order : bool
        Whether both orders occur; then the last coefficient is b.
    centre, unit : float
        z is linear in (x - centre) / unit.
    parameters : tuple of Parameter
        Free ones, by their logarithm: SDs, rates, the indecision, sensitivities.
    prefers_first : bool
        Which position the share of answers by position goes to.
    preference : float
        Share of the answers for that position less that for the other.
    """

    answers: DecisionAnswers
    curve: DecisionCurve
    likelihood: DecisionLikelihood
    factors: tuple[Factor, ...]
    intercepts: Floats
    has_order: bool
    centre: float
    unit: float
    parameters: tuple[Parameter, ...]
    prefers_first: bool
    preference: float

    @property
    def sd_names(self) -> list[str]:
        """Names of the distinct SDs, in the order of `names`."""
        return list(dict.fromkeys(factor.sd_name for factor in self.factors))

    def turned(self) -> DecisionModel:
        """Return the model with the share of answers by position at the other position."""
        return replace(self, prefers_first=not self.prefers_first)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the free parameters."""
        return tuple(parameter.name for parameter in self.parameters)

    def bounds(self) -> tuple[Floats, Floats]:
        """Return the bounds of the free parameters, each of shape (M,)."""
        both = np.array([parameter.bounds for parameter in self.parameters])
        low, high = both.reshape(-1, 2).T
        return low, high

    def settings(self, free: Floats) -> DecisionSettings:
        """Return the settings that free parameters mean."""
        value = dict(zip(self.names, np.exp(free).tolist(), strict=True))
        yes, no = np.zeros((2, self.answers.n_groups))
        log_sensitivity = np.zeros(self.answers.n_groups)
        for parameter, at in zip(self.parameters, free.tolist(), strict=True):
            group = slice(None) if parameter.group is None else parameter.group
            if parameter.kind in ("yes", "lapse"):
                yes[group] = np.exp(at)
            if parameter.kind in ("no", "lapse"):
                no[group] = np.exp(at)
            if parameter.kind == "sensitivity":
                log_sensitivity += at * self.contrasts[:, parameter.group]
        return DecisionSettings(
            sds=tuple(value[factor.sd_name] for factor in self.factors),
            yes=tuple(yes.tolist()),
            no=tuple(no.tolist()),
            sensitivity=tuple(np.exp(log_sensitivity).tolist()),
            position=value.get("position", 0.0),
            prefers_first=self.prefers_first,
            indecision=value.get("indecision", 0.0),
        )

    @cached_property
    def contrasts(self) -> Floats:
        """How the groups' log sensitivities follow from the contrasts, (G, G - 1)."""
        return contrasts(self.answers.n_groups)


def decision_model(
    answers: DecisionAnswers,
    *,
    family: str,
    lapses: Lapses,
    slopes: Slopes,
    position: Position,
    indecision: Indecision,
    traits: Sequence[ArrayLike] | None,
    weight: float,
) -> DecisionModel:
    """Set the model of pooled answers up; see `fit_decisions` for the options.

    Raises
    ------
    PsychometricError
        If the family is not symmetrical, or the traits do not fit the groups.
    """
    sigmoid = get_sigmoid(family)
    if sigmoid.log_axis or abs(sigmoid.median) > 1e-9:
        raise PsychometricError(
            f"decisions need a symmetrical curve, not {family}: choose logistic, normal or t5"
        )
    t = answers.levels
    every = answers.n + answers.undecided
    centre = float(np.average(t, weights=every))
    unit = float(np.sqrt(np.average((t - centre) ** 2, weights=every))) or 1.0
    has_order = bool(np.ptp(answers.order) > 0) and position != "none"
    rows = intercepts_of(answers.n_groups, traits)
    columns = [rows[answers.group]]
    columns += [answers.order[:, None]] if has_order else []
    design = np.hstack(columns)
    factors = tuple(factors_of(answers, pooled=traits is not None))
    counts = [answers.yes, answers.n - answers.yes]
    undecided = indecision == "threshold" and bool(answers.undecided.any())
    counts += [answers.undecided] if undecided else []
    likelihood = DecisionLikelihood(
        sigmoid, np.maximum(np.stack(counts), 0.0), answers.order > 0, answers.group, weight
    )
    ridge = np.zeros(1 + design.shape[1])
    ridge[1 : 1 + rows.shape[1]] = _INTERCEPT**-2
    steps = np.diff(np.unique(t))
    if len(steps):
        step = max(float(steps.min()), _FINEST * float(np.ptp(t)))
        ridge[0] = (step / unit / _STEEPEST) ** 2
    levels = [(factor.place, len(factor.numbers)) for factor in factors]
    curve = DecisionCurve(likelihood, (t - centre) / unit, design, levels, ridge, _STEEPNESS)
    parameters = [Parameter("sd", name) for name in dict.fromkeys(f.sd_name for f in factors)]
    parameters += _lapses(lapses, answers.n_groups)
    if has_order and position == "both":
        parameters.append(Parameter("position", "position"))
    if undecided:
        parameters.append(Parameter("indecision", "indecision"))
    if slopes == "free":
        parameters += [
            Parameter("sensitivity", f"sensitivity {j + 1}", j) for j in range(answers.n_groups - 1)
        ]
    first = float(np.where(answers.order > 0, answers.yes, answers.n - answers.yes).sum())
    preference = 2 * first / max(float(answers.n.sum()), 1.0) - 1
    return DecisionModel(
        answers, curve, likelihood, factors, rows, has_order, centre, unit,
        tuple(parameters),
preference >= 0, abs(preference),
    )  # fmt: skip


def _lapses(lapses: Lapses, groups: int) -> list[Parameter]:
    """Return the parameters of the lapses."""
    if lapses == "none":
        return []
    if lapses == "equal":
        return [Parameter("lapse", "lapse")]
    kinds: tuple[Kind, Kind] = ("yes", "no")
    if lapses == "shared" or groups == 1:
        return [Parameter(kind, kind) for kind in kinds]
    return [Parameter(kind, f"{kind} {g + 1}", g) for g in range(groups) for kind in kinds]
