"""Balance point of a value's share in the input, as a psychometric curve.

The input's share of "he" (among the two values) is the stimulus, and the output of a
mention is the answer: the point of subjective equality (PSE) is the input with a balanced output,
and the just noticeable difference (JND) measures how fast the output follows (Liang and Acuna 2020,
eqs. 5 and 6). A faithful service has its PSE at 50 %; one that always says "he" has none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from biaslab.errors import RatingError
from biaslab.probes.rating.output_statistics import Floats
from biaslab.probes.rating.result import RatingResult
from biaslab.records.record import Record
from biaslab.records.result import Interval, Worded
from biaslab.stats.intervals import interval as curve_interval
from biaslab.stats.psychometric import fit


@dataclass(frozen=True)
class Balance(Record, Worded):
    """Balance of the output between two values.

    Attributes
    ----------
    values : (str, str)
        The value whose share is the stimulus, and the other one.
    shares : ndarray, shape (L,)
        Its share among the two in the input, ascending: one level per block.
    answers, mentions : ndarray, shape (L,)
        Mentions returned as the first value, and as either of the two.
    pse, jnd : float
        Of a logistic curve; NaN if there is a `reason`. A JND of 0: one level turns
        the output from one value to the other.
    pse_interval : Interval or None
        By profile likelihood; None without a PSE, or if the JND is 0.
    line : float
        PSE of the straight line that a service of fixed rates follows: the input at which
        ``x P(he | he) + (1 - x) P(he | she)`` is half of the kept mentions; NaN if there is none in
        0 to 1.
    reason : str
        Why there is no curve; empty if there is one.
    """

    values: tuple[str, str]
    shares: Floats
    answers: Floats
    mentions: Floats
    pse: float
    jnd: float
    pse_interval: Interval | None
    line: float
    reason: str


def balance(
    result: RatingResult,
    language: str = "",
    *,
    values: tuple[str, str] | None = None,
    level: float = 0.95,
) -> Balance:
    """Find the share of a value in the input at which the output is balanced.

    Parameters
    ----------
    result : RatingResult
        With three blocks of different shares or more.
    language : str
        As for `RatingResult.rating`.
    values : (str, str), optional
        By default the attribute's first two.
    level : float
        Of the interval.

    Raises
    ------
    RatingError
        If a value is unknown.
    """
    known = result.design.attribute.values
    value, other_value = values or (known[0], known[1])
    if value not in known or other_value not in known or value == other_value:
        raise RatingError(f"Give two different values of {', '.join(known)}.")
    i, j = known.index(value), known.index(other_value)
    place = result.place(language)
    counts = result.codes.counts(len(known) + 1)[place]
    inputs = counts.sum(-1)
    of_two = inputs[:, [i, j]].sum(-1)
    used = of_two > 0
    x = inputs[used, i] / of_two[used]
    came = counts[used][:, [i, j]].sum(1)
    answers, mentions = came[:, i], came[:, [i, j]].sum(-1)
    order = np.argsort(x, kind="stable")
    x, answers, mentions = x[order], answers[order], mentions[order]
    details: dict[str, Any] = {
        "values": (value, other_value),
        "shares": x,
        "answers": answers,
        "mentions": mentions,
        "line": _line(counts[:, [i, j]][:, :, [i, j]].sum(0)),
    }
    nothing: dict[str, Any] = {"pse": math.nan, "jnd": math.nan, "pse_interval": None}
    answered = mentions > 0
    if not answered.any():
        return Balance(**details, **nothing, reason="no mention came back as either value")
    curve = fit(x[answered], answers[answered], mentions[answered], family="logistic")
    pse, jnd = float(curve.pse()), float(curve.jnd())
    at_once = math.isfinite(pse) and jnd == 0
    if not (bool(curve.converged) or at_once) or not math.isfinite(pse):
        return Balance(**details, **nothing, reason=_why(answers, mentions, value, other_value))
    if at_once:
        if not ((answers > 0) & (answers < mentions)).any():
            return Balance(
                **details, **nothing, reason=_turn(x, answers, mentions, value, other_value)
            )
        return Balance(**details, pse=pse, jnd=0.0, pse_interval=None, reason="")
    if not 0 <= pse <= 1:
        reason = f"the curve is balanced outside 0 to 100 %, at {100 * pse:.0f} %"
        return Balance(**details, **nothing, reason=reason)
    limits = curve_interval(curve, "pse", level=level)
    low, high = (float(np.asarray(end)) for end in (limits.low, limits.high))
    bound = None if math.isnan(low + high) else Interval(low, high, level, "mentions")
    return Balance(**details, pse=pse, jnd=jnd, pse_interval=bound, reason="")


def _why(answers: Floats, mentions: Floats, value: str, other_value: str) -> str:
    if (answers == mentions).all():
        return f"every mention comes back as {value.casefold()}"
    if (answers == 0).all():
        return f"every mention comes back as {other_value.casefold()}"
    rates = answers[mentions > 0] / mentions[mentions > 0]
    if np.ptp(rates) < 1e-9:
        return f"it is {100 * rates[0]:.0f} % {value.casefold()} whatever the input"
    if (np.diff(rates) <= 0).all():
        return f"it falls as the share of {value.casefold()} in the input rises"
    return f"it does not rise with the share of {value.casefold()} in the input"


def _turn(x: Floats, answers: Floats, mentions: Floats, value: str, other_value: str) -> str:
    low, high = x[(answers == 0) & (mentions > 0)].max(), x[answers > 0].min()
    return (
        f"it switches abruptly from {other_value.casefold()} to {value.casefold()}, somewhere from "
        f"{100 * low:.0f} to {100 * high:.0f} %; inputs in between would narrow this down"
    )


def _line(channel: Floats) -> float:
    """Solve x (a - b) + (1 - x) (c - d) = 0, for rates a, b, c, d of two rows."""
    inputs = channel.sum(-1)
    if (inputs <= 0).any():
        return math.nan
    rates = channel / inputs[:, None]
    at_one, at_other = rates[0, 0] - rates[0, 1], rates[1, 0] - rates[1, 1]
    if at_one == at_other:
        return math.nan
    x = float(-at_other / (at_one - at_other))
    return x if 0 <= x <= 1 else math.nan
