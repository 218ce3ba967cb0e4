r"""The mixed model of decisions: coefficients, parameters and random effects.

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
from biaslab.stats.curves.curve_fit import HIGHEST_RATE
from biaslab.stats.curves.sigmoids import Floats, get_sigmoid
from biaslab.stats.decisions.answers import DecisionAnswers, Indices
from biaslab.stats.decisions.likelihood import DecisionCurve, DecisionLikelihood, DecisionSettings

Kind = Literal["sd", "yes", "no", "lapse", "position", "indecision", "sensitivity"]

LEAST_RATE: Final = 0.001
"""A rate that counts as 0. At 0 itself the information of far levels changes without bound."""
RATES: Final = ("yes", "no", "lapse", "position")
"""Kinds that are shares of the answers."""
_HIGHEST_POSITION: Final = 0.9
_SD_BOUNDS: Final = (-5.0, 3.0)
_INDECISION_BOUNDS: Final = (-8.0, 2.5)
_SENSITIVITY_BOUNDS: Final = (-2.0, 2.0)
_RARE: Final = {"yes": 9.0, "no": 9.0, "lapse": 18.0}
"""Lapses have a Beta(1, 10) density, the usual one (Schütt et al. 2016, psignifit 4)."""
_LARGE: Final = 2.0**2
"""Variance of effects on the scale of z beyond which a density falls like Cauchy's."""
_AVOID: Final = 0.25
"""Power of the density that keeps SDs from 0. At 1 that of a factor with few levels and answers is
read twice too large, and nominal 95 % intervals of the gap hold 99 %."""
SENSITIVITY_SD: Final = 0.5
"""SD of the density of a group's log sensitivity: slopes of two groups differ by a factor of 2 in a
third of the cases."""


@dataclass(frozen=True)
class Parameter:
    """One that is searched by its logarithm.

    Attributes
    ----------
    kind : str
    name : str
        Unique in a model; of an SD that of its factor.
    group : int or None
        Whose it is; None where it is that of all groups. Of a sensitivity: which contrast.
    """

    kind: Kind
    name: str
    group: int | None = None

    @property
    def is_rate(self) -> bool:
        """Whether it is a share of the answers."""
        return self.kind in RATES

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of its logarithm."""
        if self.kind == "sd":
            return _SD_BOUNDS
        if self.kind == "indecision":
            return _INDECISION_BOUNDS
        if self.kind == "sensitivity":
            return _SENSITIVITY_BOUNDS
        highest = _HIGHEST_POSITION if self.kind == "position" else HIGHEST_RATE
        return float(np.log(LEAST_RATE)), float(np.log(highest))

    def start(self, preference: float) -> float:
        """Return where a search begins that knows nothing.

        Parameters
        ----------
        preference : float
            Share of the answers for one position less that for the other.
        """
        if self.kind == "position":
            # Of answers that a share b decides by position, (1 + b) / 2 take the preferred one.
            return float(np.log(np.clip(preference, 0.02, 0.8)))
        if self.is_rate:
            return float(np.log(0.02))
        return {"indecision": -1.0, "sensitivity": 0.0}.get(self.kind, float(np.log(0.4)))

    def density(self, value: float, floor: float = 0.0) -> tuple[float, float]:
        """Return the logarithm of its density, and the derivative by the parameter's logarithm.

        Parameters
        ----------
        value : float
            The logarithm.
        floor : float
            Sampling error of an effect, on the scale of z; for an SD.
        """
        if self.kind == "sd":
            variance, least = float(np.exp(2 * value)), floor**2
            log = _AVOID * (value - float(np.log(variance + least)) / 2)
            slope = _AVOID * (1 - variance / (variance + least))
            return log - float(np.log1p(variance / _LARGE)), slope - 2 * variance / (
                variance + _LARGE
            )
        if self.kind == "sensitivity":
            return -((value / SENSITIVITY_SD) ** 2) / 2, -value / SENSITIVITY_SD**2
        if self.kind not in _RARE:
            return 0.0, 0.0
        rate, power = float(np.exp(value)), _RARE[self.kind]
        return power * float(np.log1p(-rate)), -power * rate / (1 - rate)


def contrasts(groups: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return orthonormal contrasts of groups, (G, G - 1): deviations that sum to 0."""
    columns = np.zeros((groups, groups - 1))
    for j in range(groups - 1):
        columns[: j + 1, j] = -1 / (j + 1)
        columns[j + 1, j] = 1
    return np.asarray(columns / np.linalg.norm(columns, axis=0))


@dataclass(frozen=True)
class Factor:
    """A random effect.

    Attributes
    ----------
    name : str
        ``cue``, ``other_cue``, ``wording``, ``wording by group``, ``detail`` or ``group``.
    numbers : ndarray of int, shape (L,)
        What its levels are numbered in the answers.
    place : ndarray of int, shape (R,)
        Level of each row.
    """

    name: str
    numbers: Indices
    place: Indices

    @property
    def sd_name(self) -> str:
        """The SD that it has, which both candidates' cues share."""
        return "cue" if self.name == "other_cue" else self.name


def intercepts_of(groups: int, traits: Sequence[ArrayLike] | None) -> Floats:
    """Return how each group's intercept follows from coefficients, shape (G, K)."""
    if traits is None:
        return np.eye(groups)
    columns = [np.ones(groups)]
    for trait in traits:
        labels, inverse = np.unique(np.asarray(trait), return_inverse=True)
        if inverse.shape != (groups,):
            raise PsychometricError(
                f"a trait has {inverse.size} labels for {groups} groups: give one for each group"
            )
        columns += [(inverse == level).astype(float) for level in range(1, len(labels))]
    rows = np.column_stack(columns)
    if np.linalg.matrix_rank(rows) < rows.shape[1]:
        raise PsychometricError(
            "the traits of the groups do not vary independently: leave one trait out"
        )
    return rows


def factors_of(answers: DecisionAnswers, *, pooled: bool) -> list[Factor]:
    """Return the random effects that the answers can show."""
    groups = len(np.unique(answers.group))
    factors = []
    for name, numbers, fewest in (
        ("cue", answers.cue, groups + 1),
        ("other_cue", answers.other_cue, 2),
        ("wording", answers.wording, 2),
        ("detail", answers.detail, 2),
        ("group", answers.group if pooled else None, 3),
    ):
        if numbers is None:
            continue
        unique, inverse = np.unique(numbers, return_inverse=True)
        if len(unique) >= fewest:
            factors.append(Factor(name, unique, inverse))
    if groups > 1 and any(factor.name == "wording" for factor in factors):
        cell = answers.wording * answers.n_groups + answers.group
        unique, inverse = np.unique(cell, return_inverse=True)
        factors.append(Factor("wording by group", unique, inverse))
    return factors


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
