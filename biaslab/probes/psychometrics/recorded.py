"""Recorded answers as trials of a two-alternative task."""

from __future__ import annotations

from biaslab.answers import RecordedAnswers
from biaslab.errors import AnswersError
from biaslab.probes.psychometrics.trials import Trials


def recorded_trials(record: RecordedAnswers) -> Trials:
    """Return the trials that recorded answers are: an item, a level from 0 to 1, and an answer.

    Cues are those of the columns ``cue_1`` and ``cue_2``, or else the answers that count as a no
    and a yes. What belongs together (`cluster`) is the observer. Rows that were refused or cannot
    be read count as "cannot say".

    Raises
    ------
    AnswersError
        If a column is missing, or the level is no share.
    TrialsError
        As of `Trials.from_frame`.
    """
    import pandas as pd

    record.require("item", "level", "answer")
    has_cues = {"cue_1", "cue_2"} <= set(record.values)
    if not has_cues and record.kind != "yes or no":
        raise AnswersError(
            f"{record.name} has no columns cue_1 and cue_2, the two possible answers, and its"
            " answers are no yes or no. Add both columns."
        )
    levels = record.column("level", used=False)
    if any(level is None or not 0 <= level <= 1 for level in levels):
        raise AnswersError(
            f"{record.roles['level']} is no share from 0 to 1 in every row of {record.name}, as"
            " bl.two_afc needs. For a quality in another unit, with groups, use bl.decisions."
        )
    rows = [row for row, outcome in enumerate(record.outcomes) if outcome not in _NO_TRIALS]
    table = {
        "item": record.column("item", used=False), "alpha": levels,
        "answer": record.column("answer", used=False) if has_cues else record.readings,
        "cue_1": [record.options[0]] * len(record) if not has_cues else record.values["cue_1"],
        "cue_2": [record.options[1]] * len(record) if not has_cues else record.values["cue_2"],
    }  # fmt: skip
    if "cluster" in record.roles:
        table["observer"] = record.column("cluster", used=False)
    if "cue_1_first" in record.values:
        table["cue_1_first"] = record.values["cue_1_first"]
    return Trials.from_frame(pd.DataFrame(table).iloc[rows])


_NO_TRIALS = ("left out", "copy")
