"""The trials on the screen: a mark for each, and the chosen one word for word."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from biaslab.cases.quality import number
from biaslab.deciders import OUTCOMES
from biaslab.probes.decisions import DecisionsResult
from biaslab.reports.decisions.words import as_sent
from biaslab_widgets.benches.decisions.case import Asked
from biaslab_widgets.benches.decisions.fields import DecisionBenchState, TrialDetail, Trials
from biaslab_widgets.benches.decisions.run import Run, paired
from biaslab_widgets.core.answers.cache import Latest
from biaslab_widgets.core.state.fields import empty
from biaslab_widgets.core.state.records import Span

_KIND = {"cannot say": 2, "refused": 3, "unreadable": 4, "other language": 5}
_READ = {
    "cannot say": "read as “cannot say”",
    "refused": "read as a refusal",
    "unreadable": "no answer could be read",
    "other language": "answered in another language than the question’s",
}


def is_kept(
    result: DecisionsResult, cues: Collection[str], wordings: Collection[int]
) -> NDArray[np.bool_]:
    """Return which trials have neither a cue nor a wording that is left out, shape (T,).

    Parameters
    ----------
    result : DecisionsResult
    cues : collection of str
    wordings : collection of int
        From 1.
    """
    trials = result.trials
    kept = ~np.isin(trials.wording + 1, list(wordings))
    for at, group in enumerate(result.case.groups):
        places = [place for place, cue in enumerate(group.cues) if cue.text in cues]
        kept &= (trials.group != at) | ~np.isin(trials.cue, places)
        kept &= (trials.other_group != at) | ~np.isin(trials.other_cue, places)
    return np.asarray(kept)


def marks_of(result: DecisionsResult, kept: NDArray[np.bool_]) -> Trials:
    """Return a mark for each trial.

    Parameters
    ----------
    result : DecisionsResult
        With all trials.
    kept : ndarray of bool, shape (T,)
        Which of them are not left out.
    """
    rows = np.flatnonzero(kept)
    trials = result.trials.take(rows)
    one, two = result.places[:2]
    alone = result.form == "yes or no"
    at = trials.level if alone else trials.level - trials.other_level
    yes = np.nan_to_num(trials.yes) >= 0.5
    kinds = yes.astype(int)
    for place, name in enumerate(OUTCOMES):
        if name in _KIND:
            kinds = np.where(trials.outcome == place, _KIND[name], kinds)
    group = (trials.group == two).astype(int) if alone else yes.astype(int)
    if alone:
        drawn = (trials.group == one) | (trials.group == two)
        rows, at, kinds, group = rows[drawn], at[drawn], kinds[drawn], group[drawn]
        trials = trials.take(drawn)
    return {
        "number": (rows + 1).tolist(),
        "at": np.round(at, 9).tolist(),
        "group": group.tolist(),
        "kind": kinds.tolist(),
        "first": trials.yes_first.astype(int).tolist(),
        "cue": trials.cue.tolist(),
        "other": trials.other_cue.tolist(),
        "wording": trials.wording.tolist(),
    }


def detail_of(
    result: DecisionsResult, number_: int, *, cannot_say: bool, qualified: float = math.nan
) -> TrialDetail:
    """Return one trial word for word; of a number that there is not, nothing.

    Parameters
    ----------
    result : DecisionsResult
    number_ : int
        From 1.
    cannot_say : bool
        Whether the answer of who cannot decide was offered.
    qualified : float
        Level from which an applicant counts as qualified; NaN for none.
    """
    count = len(result.trials)
    if not 1 <= number_ <= count:
        return empty(TrialDetail)
    trials = result.trials.take(slice(number_ - 1, number_))
    (question,) = trials.of(result.case, cannot_say=cannot_say)
    tokens = int(trials.tokens_in[0]), int(trials.tokens_out[0])
    seconds = float(trials.seconds[0])
    cost = []
    if any(tokens):
        cost.append(f"{tokens[0]} + {tokens[1]} tokens")
    if seconds > 0:
        cost.append(f"{1000 * seconds:.0f} ms" if seconds < 10 else f"{seconds:.0f} s")
    first = trials.yes_option(question, 0)
    listed = "first" if trials.yes_first[0] else "second"
    sent = as_sent(result, question)
    return {
        "number": number_,
        "of": count,
        "who": _who(result, number_ - 1),
        "about": f"wording {trials.wording[0] + 1}, “{first}” listed {listed}",
        "prompt": sent.text,
        "before": [f"{role}: {text}" for role, text in sent.before],
        "settings": sent.settings,
        "reply": trials.reply[0],
        "reasoning": trials.reasoning[0],
        "read_as": _read_as(result, number_ - 1),
        "counts_as": _counts_as(result, number_ - 1, qualified),
        "cost": ", ".join(cost),
        "model": trials.model[0],
    }


def _who(result: DecisionsResult, row: int) -> list[Span]:
    trials, quality = result.trials, result.case.quality
    roles: dict[int, Literal["group1", "group2"]] = dict(
        zip(result.places, ("group1", "group2"), strict=False)
    )

    def person(group: int, cue: int, level: float) -> list[Span]:
        name = result.case.groups[group].cues[cue].text
        return [
            {"text": name, "role": roles.get(group, "strong")},
            {"text": f", {number(level)} {quality.unit}", "role": "plain"},
        ]

    spans = person(int(trials.group[row]), int(trials.cue[row]), float(trials.level[row]))
    if trials.other_cue[row] >= 0:
        spans.append({"text": "; ", "role": "plain"})
        spans += person(
            int(trials.other_group[row]), int(trials.other_cue[row]), float(trials.other_level[row])
        )
    return spans


def _read_as(result: DecisionsResult, row: int) -> str:
    trials = result.trials
    outcome = OUTCOMES[trials.outcome[row]]
    if outcome in _READ:
        why = trials.reason[row].rstrip(".") if trials.reason else ""
        return f"{_READ[outcome]}: {why[0].lower()}{why[1:]}" if why else _READ[outcome]
    yes = float(trials.yes[row])
    if result.form == "yes or no":
        said = result.case.outcome if yes >= 0.5 else f"not {result.case.outcome}"
    else:
        group, cue = (
            (trials.group, trials.cue) if yes >= 0.5 else (trials.other_group, trials.other_cue)
        )
        said = f"{result.case.groups[group[row]].cues[cue[row]].text} chosen"
    if np.isfinite(trials.mass[row]):
        return f"read as {said}: {100 * max(yes, 1 - yes):.0f} % of the two answers"
    return f"read as {said}"


def _counts_as(result: DecisionsResult, row: int, qualified: float) -> str:
    """Return how signal detection counts a yes or a no; of anything else nothing."""
    trials, quality = result.trials, result.case.quality
    if result.form != "yes or no" or not trials.answered[row] or math.isnan(qualified):
        return ""
    is_qualified = quality.sign * (trials.level[row] - qualified) >= 0
    who = "qualified" if is_qualified else "not qualified"
    names = ("a hit", "a miss") if is_qualified else ("a false alarm", "a correct rejection")
    return f"{who}: {names[0 if trials.yes[row] >= 0.5 else 1]}"


class ShownTrials:
    """The last marks and the last chosen trial: what has not changed is not sent again."""

    def __init__(self) -> None:
        self._marks: Latest[Trials] = Latest()
        self._detail: Latest[TrialDetail] = Latest()

    def of(
        self, run: Run | None, asked: Asked | None, snapshot: DecisionBenchState
    ) -> dict[str, Any]:
        """Return the outputs ``marks`` and ``detail``; empty ones before the first answer.

        Parameters
        ----------
        run : Run or None
            The one on the screen.
        asked : Asked or None
            Its question.
        snapshot : DecisionBenchState
        """
        if run is None or run.result is None or asked is None:
            return {"marks": empty(Trials), "detail": empty(TrialDetail)}
        whole = paired(run.result, asked.pair)
        out = (tuple(snapshot.without_cues), tuple(snapshot.without_wordings))
        key = (run.number, len(whole.trials), out, asked.pair)
        marks = self._marks.of(key, lambda: marks_of(whole, is_kept(whole, *out)))
        place = (
            run.number, asked.pair, snapshot.trial, len(whole.trials), snapshot.qualified,
        )  # fmt: skip
        offered = run.settings.cannot_say
        detail = self._detail.of(
            place,
            lambda: detail_of(
                whole, snapshot.trial, cannot_say=offered, qualified=snapshot.qualified
            ),
        )
        return {"marks": marks, "detail": detail}
