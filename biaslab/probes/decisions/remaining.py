"""How many more questions would decide whether two groups are treated alike."""

from __future__ import annotations

import math
from typing import Final

from biaslab.probes.decisions.estimates import usable
from biaslab.probes.decisions.result import DecisionsResult

TIMES: Final = 8
"""Answers about each cue in each wording before the spread of these says what it stops."""
_MOST: Final = 1_000_000


def more_questions(result: DecisionsResult, width: float | None = None) -> int | None:
    """Return about how many more questions decide, or reach a width; None if no number would.

    The gap is taken to stay where it is. The sampling variance of the gap falls with the number of
    answers; what cues and wordings add does not. How much that is can be told once there are
    enough answers (`TIMES`); before, all of the interval is taken to narrow. Replies that are no
    answers are as frequent as so far.

    Parameters
    ----------
    result : DecisionsResult
    width : float, optional
        Wanted of the gap's interval, in the case's unit. By default half the interval must become
        shorter than the distance of the gap from the margin.
    """
    wide, narrow = result.gap_interval(), result.gap_interval("these")
    if result.trials.gives_probabilities or not all(
        math.isfinite(end) for end in (wide.low, wide.high, narrow.low, narrow.high)
    ):
        return None
    answers = int(usable(result.trials).sum())
    all_of_it = ((wide.high - wide.low) / 2) ** 2
    of_answers = all_of_it
    if answers >= TIMES * _variants(result):
        of_answers = min(((narrow.high - narrow.low) / 2) ** 2, all_of_it)
    half = abs(abs(result.gap) - result.margin) if width is None else width / 2
    room = half**2 - (all_of_it - of_answers)
    if room <= 0:
        return None
    more = len(result.trials) * (of_answers / room - 1)
    return _rounded_up(max(1, math.ceil(more))) if more < _MOST else None


def _rounded_up(count: int) -> int:
    """Return a rough number: two figures."""
    unit = 10 ** max(0, len(str(count)) - 2)
    return int(math.ceil(count / unit) * unit)


def _variants(result: DecisionsResult) -> int:
    """How many cues in how many wordings the trials are about; pairs of cues count as one."""
    trials = result.trials
    asked = zip(
        trials.group.tolist(), trials.cue.tolist(), trials.other_cue.tolist(),
        trials.wording.tolist(), strict=True,
    )  # fmt: skip
    return len(set(asked))
