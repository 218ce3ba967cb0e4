"""Simulate deciders with a known gap between groups."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from biaslab.calls import recorded
from biaslab.cases import Case, get
from biaslab.deciders.simulated import SimulatedDecider
from biaslab.deciders.simulated_truth import SCALE_OF_JND, DeciderTruth, Family
from biaslab.errors import ObserverError


@recorded
def decider(
    case: str | Case = "hire-by-name",
    *,
    pse: float | None = None,
    gap: float | Sequence[float] = 0.0,
    jnd: float | None = None,
    position_bias: float = 0.0,
    position_shift: float = 0.0,
    lapse: float | Sequence[float] = 0.0,
    lapse_yes: float = 0.5,
    indecision: float = 0.0,
    cannot_say: float | Sequence[float] = 0.0,
    refusal: float | Sequence[float] = 0.0,
    cue_sd: float = 0.0,
    wording_sd: float = 0.0,
    wording_by_group_sd: float = 0.0,
    cue_effects: Mapping[str, float] | None = None,
    family: Family = "logistic",
    reasoning: bool = False,
    probabilities: bool = False,
    seed: int = 1,
) -> SimulatedDecider:
    """Simulate a decider with a known gap between groups.

    It reads group, cue, level, wording and order from the prompt. With z the distance of the level
    from the PSE in units of the scale, positive where more speaks for a yes, F the curve, l the
    lapses, b the position bias and o = +1/2 where the yes is listed first, else -1/2,
    ``P(yes) = (1 - l - |b|) F(z + position_shift o) + l lapse_yes``, plus ``|b|`` where the
    position that the bias favours is that of the yes. In "which of two", z is that of the first
    candidate less that of the second, o is +1/2, and the first stands for the yes.
    Refusals, and then "cannot say" where it is offered, come before all this, at rates of their
    own. With an interval of indecision of half-width d, the decider is undecided between
    ``F(z - d/scale)`` and ``1 - F(-z - d/scale)`` (García-Pérez and Alcalá-Quintana 2013): it
    cannot say where that is offered, and guesses elsewhere. Rates of two candidates are averaged.

    Parameters
    ----------
    case : str or Case
        Asked in either of its forms.
    pse : float, optional
        PSE of the first group, in the unit of the quality; by default the middle of its range.
    gap : float or sequence of float
        PSE of the second group, and of each further one, less that of the first. Groups beyond a
        sequence have a gap of 0.
    jnd : float, optional
        From the PSE to 75 % yes, above 0, in that unit; by default a tenth of the range.
    position_bias : float
        Share of answers that the position alone gives, in [-1, 1]: above 0 to the first answer.
    position_shift : float
        Difference between the orders in units of the scale.
    lapse, cannot_say, refusal : float or sequence of float
        Rates in [0, 1), of all groups or of each.
    lapse_yes : float
        Share of lapses that say yes, in [0, 1].
    indecision : float
        Half-width, at least 0, in the unit of the quality.
    cue_sd, wording_sd, wording_by_group_sd : float
        Standard deviations of what a cue, a wording, and a wording for one group add to the PSE,
        normally distributed.
    cue_effects : mapping of str to float, optional
        What cues add to the PSE, in place of draws.
    family : {"logistic", "normal"}
        Of the curve F.
    reasoning : bool
        Whether it thinks between ``<think>`` and ``</think>`` before it replies.
    probabilities : bool
        Whether it gives the probabilities of the answers instead of one of them.
    seed : int
        Of all draws: equal seeds, prompts and repetitions bring equal replies.

    Returns
    -------
    SimulatedDecider

    Raises
    ------
    ObserverError
        If a parameter is out of its range.
    CaseError
        If there is no such case.

    Examples
    --------
    >>> import biaslab as bl
    >>> observer = bl.observers.decider("hire-by-name", pse=6, gap=2, jnd=1.5, lapse=0.05)
    >>> observer.truth.pse
    (6.0, 8.0)
    """
    of = get(case) if isinstance(case, str) else case
    quality, count = of.quality, len(of.groups)
    span = quality.high - quality.low
    middle = float(quality.low + span / 2 if pse is None else pse)
    width = float(span / 10 if jnd is None else jnd)
    gaps = _gaps(gap, count)
    lapses = _rates("lapse", lapse, count)
    texts = [cue.text for group in of.groups for cue in group.cues]
    if unknown := [text for text in cue_effects or () if text not in texts]:
        raise ObserverError(f"cue_effects has {unknown[0]!r}, which is no cue of {of.name}.")
    numbers = [middle, position_shift, *gaps, *(cue_effects or {}).values()]
    if not all(math.isfinite(number) for number in numbers) or not 0 < width < math.inf:
        raise ObserverError("pse, gap, position_shift and cue_effects: finite; jnd: above 0.")
    spreads = (cue_sd, wording_sd, wording_by_group_sd, indecision)
    if not all(0 <= one < math.inf for one in spreads):
        raise ObserverError("cue_sd, wording_sd, wording_by_group_sd, indecision: at least 0.")
    if not 0 <= lapse_yes <= 1 or not abs(position_bias) + max(lapses) <= 1:
        raise ObserverError(
            f"position_bias={position_bias}, lapse={lapse}, lapse_yes={lapse_yes}: the size of the"
            " bias and the lapses sum to at most 1, and lapse_yes is a share."
        )
    if family not in SCALE_OF_JND:
        raise ObserverError(f"family={family!r}: choose 'logistic' or 'normal'.")
    rng = np.random.default_rng(seed)
    drawn = dict(zip(texts, rng.normal(0, cue_sd, len(texts)).tolist(), strict=True))
    rows = max(len(of.wordings(form)) for form in of.forms)
    truth = DeciderTruth(
        case=of.name, groups=tuple(group.name for group in of.groups),
        pse=tuple(middle + one for one in (0.0, *gaps)), jnd=width,
        scale=width * SCALE_OF_JND[family], family=family, position_bias=float(position_bias),
        position_shift=float(position_shift), lapse=lapses, lapse_yes=float(lapse_yes),
        cannot_say=_rates("cannot_say", cannot_say, count),
        refusal=_rates("refusal", refusal, count), indecision=float(indecision),
        cues=drawn | {text: float(value) for text, value in (cue_effects or {}).items()},
        wordings=tuple(rng.normal(0, wording_sd, rows).tolist()),
        wordings_by_group=rng.normal(0, wording_by_group_sd, (rows, count)).tolist(),
    )  # fmt: skip
    return SimulatedDecider(
        of, truth, reasoning=reasoning, probabilities=probabilities, seed=int(seed)
    )


def _gaps(gap: float | Sequence[float], count: int) -> list[float]:
    given = [gap] if isinstance(gap, int | float) else list(gap)
    if len(given) > count - 1:
        raise ObserverError(f"gap has {len(given)} numbers, for {count - 1} groups but the first.")
    return [float(one) for one in given] + [0.0] * (count - 1 - len(given))


def _rates(name: str, rate: float | Sequence[float], count: int) -> tuple[float, ...]:
    rates = [rate] * count if isinstance(rate, int | float) else list(rate)
    if len(rates) != count or not all(0 <= one < 1 for one in rates):
        raise ObserverError(
            f"{name}={rate}: give one rate, or one for each of {count} groups, at least 0, below 1."
        )
    return tuple(map(float, rates))
