"""Ask a decider where a reply is expected to say most about the gap."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from biaslab.probes.decisions.asking import Asking
from biaslab.probes.decisions.design import Design
from biaslab.probes.decisions.remaining import TIMES
from biaslab.probes.decisions.trials import CANNOT_SAY, DecisionTrials, Flags, Floats, Indices
from biaslab.stats.decisions.placement import DecisionPlacement

MOST_TRIALS: Final = 400
"""Questions where no number was given."""
OUT_OF_REACH: Final = (
    "More answers would not have brought the interval where it was wanted, since these cues and"
    " wordings differ too much: add others."
)


@dataclass(frozen=True)
class Aim:
    """When to stop.

    Attributes
    ----------
    width : float or None
        Of the gap's interval, in the case's unit.
    margin : float
        Without a width: stop when the interval lies within plus and minus this, or beyond.
    budget : int
        Questions at most.
    level : float
        Of the interval.
    """

    width: float | None
    margin: float
    budget: int
    level: float


def ask_adaptively(
    asking: Asking,
    design: Design,
    aim: Aim,
    batch: int,
    seed: int,
    interval: Callable[[DecisionTrials], tuple[float, float]],
) -> tuple[str, ...]:
    """Put questions where replies say most, until the aim is reached or a stop.

    Levels, groups and orders are chosen by the placement; cues and wordings take turns, each pair
    of them once before any comes again.

    Parameters
    ----------
    interval : callable
        Returns the gap's interval for other cues and wordings from the trials so far. It is asked
        for once the interval for just these is where it was wanted.

    Returns
    -------
    tuple of str
        Notes on how it ended.
    """
    rng = np.random.default_rng(seed)
    sign = design.case.quality.sign
    groups = len(design.groups) if design.form == "yes or no" else 1
    asking.most = aim.budget
    margin = (-aim.margin, aim.margin) if aim.width is None and aim.margin > 0 else None
    placement = DecisionPlacement(
        groups, np.sort(sign * design.axis), orders=design.both_orders,
        indecision=asking.cannot_say and design.form == "which of two",
        width=aim.width, margin=margin, budget=aim.budget, level=aim.level,
    )  # fmt: skip
    turns = [_Turns(design, place, rng) for place in range(groups)]
    while not asking.should_stop:
        if stop := placement.stopped():
            if stop == "budget" or asking.trials is None:
                break
            ends = interval(asking.trials)
            if placement.stopped(ends):
                break
            enough = placement.asked >= TIMES * sum(turn.count for turn in turns)
            if enough and math.isinf(placement.remaining(ends)):
                return (OUT_OF_REACH,)
        count = min(batch, aim.budget - placement.asked)
        group, level, first = placement.next_questions(count)
        people, wordings = zip(*(turns[place].next() for place in group), strict=True)
        rows = design.rows(np.array(people), sign * level, np.array(wordings), first, rng)
        part = asking.put(rows)
        if part is None:
            break
        told = len(part)
        placement.update(group[:told], level[:told], first[:told], **_counts(part))
        asking.show(placement.ridge()[:, ::sign])
    return ()


def _counts(part: DecisionTrials) -> dict[str, Floats | Flags]:
    """Return of each trial whether it was a yes, was answered, was "cannot say" or nothing."""
    silent = part.outcome == CANNOT_SAY
    return {
        "yes": np.nan_to_num(part.yes),
        "n": part.answered,
        "undecided": silent,
        "refused": ~part.answered & ~silent,
    }


class _Turns:
    """Candidates and wordings of a group in turns: all pairs once in random order, then again."""

    def __init__(self, design: Design, group: int, rng: np.random.Generator) -> None:
        people = design.candidates
        if design.form == "yes or no":
            people = people[people[:, 0] == design.groups[group]]
        self._pairs = [(person, wording) for person in people for wording in design.wordings]
        self.count = len(self._pairs)
        self._rng = rng
        self._left: list[int] = []

    def next(self) -> tuple[Indices, int]:
        """Return who is asked about next, and in which wording."""
        if not self._left:
            self._left = self._rng.permutation(len(self._pairs)).tolist()
        return self._pairs[self._left.pop()]
