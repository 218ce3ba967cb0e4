"""From trials to the fit of their curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from biaslab.cases import Case
from biaslab.probes.decisions.trials import CANNOT_SAY, DecisionTrials, Flags
from biaslab.stats.decisions.answers import DecisionAnswers


def answers_of(case: Case, groups: Sequence[int], trials: DecisionTrials) -> DecisionAnswers:
    """Return the answers that are fitted: refused and unreadable replies are left out.

    Parameters
    ----------
    case : Case
    groups : sequence of int
        Places in the case of the groups that were asked about, in the order of the fit.
    trials : DecisionTrials
    """
    # Texts of the replies are left behind: taking them along costs more than all else here.
    told = replace(trials, reply=(), reasoning=(), model=(), reason=()).take(usable(trials))
    sign = case.quality.sign
    alone = told.form == "yes or no"
    cues = cue_places(told)
    place = {group: number for number, group in enumerate(groups)}
    spoken = np.where(told.outcome == CANNOT_SAY, 0.0, np.nan_to_num(told.yes, nan=0.0))
    silent = np.where(np.isfinite(told.silent), told.silent, 0.0)
    silent = np.where((told.outcome == CANNOT_SAY) & ~np.isfinite(told.mass), 1.0, silent)
    return DecisionAnswers(
        levels=sign * (told.level if alone else told.level - told.other_level),
        yes=spoken * (1 - silent),
        n=1 - silent,
        undecided=silent,
        group=np.array([place[one] if alone else 0 for one in told.group.tolist()], dtype=np.intp),
        cue=_numbered(cues, told.group, told.cue),
        other_cue=None if alone else _numbered(cues, told.other_group, told.other_cue),
        wording=told.wording.astype(np.intp),
        detail=told.detail.astype(np.intp),
        order=np.where(told.yes_first, 0.5, -0.5),
        probabilities=told.gives_probabilities,
    )


def usable(trials: DecisionTrials) -> Flags:
    """Return which trials say something about the curve."""
    return np.asarray(trials.answered | (trials.outcome == CANNOT_SAY))


def cue_places(trials: DecisionTrials) -> tuple[tuple[int, int], ...]:
    """Return (group, cue) of each cue that the trials are about, in the order of their numbers."""
    asked = set(zip(trials.group.tolist(), trials.cue.tolist(), strict=True))
    if trials.form == "which of two":
        asked |= set(zip(trials.other_group.tolist(), trials.other_cue.tolist(), strict=True))
    return tuple(sorted(asked))


def _numbered(places: Sequence[tuple[int, int]], group: Any, cue: Any) -> Any:
    number = {place: at for at, place in enumerate(places)}
    asked = zip(group.tolist(), cue.tolist(), strict=True)
    return np.array([number[place] for place in asked], dtype=np.intp)
