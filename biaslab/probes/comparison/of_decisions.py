"""Comparison of decisions: the gap, and the point of each cue, in two runs about one case."""

from __future__ import annotations

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.comparison.compared import Compared, Estimated, Total
from biaslab.probes.comparison.intervals import independent_interval
from biaslab.probes.decisions.result import DecisionsResult
from biaslab.results import Interval


def compared_decisions(a: DecisionsResult, b: DecisionsResult) -> Compared:
    """Compare the gaps of two runs for the cues and wordings that both asked about.

    Both runs have the same cues and wordings, so that only the noise of the answers is in the
    interval of the change.

    Raises
    ------
    QueryError
        If the runs are about different questions.
    """
    if (a.case, a.form, a.groups) != (b.case, b.form, b.groups):
        raise QueryError(
            f"The first run is about {_about(a)}, the second about {_about(b)}. Compare two runs"
            " about the same case, groups and form."
        )
    unit = a.case.quality.unit
    own = [run.gap_interval("these") for run in (a, b)]
    ends = [np.array([each.low, each.high]) for each in own]
    same = a.cues == b.cues and set(a.trials.wording) == set(b.trials.wording)
    change = independent_interval(np.array(a.gap), ends[0], np.array(b.gap), ends[1])
    interval = Interval(float(change[0]), float(change[1]), a.level, "answers")
    total = Total(f"gap in {unit}", "", a.gap, b.gap, own[0], own[1], interval, paired=same)
    return Compared(
        measure=f"point of subjective equality (PSE) in {unit}",
        unit="",
        neutral=float("nan"),
        sides=("higher", "lower"),
        rows_are="cues",
        level=a.level,
        over="answers about the same cues and wordings",
        a=_estimated(a),
        b=_estimated(b),
        totals=(total,),
    )


def _about(run: DecisionsResult) -> str:
    return f"{run.case.name} ({run.form}; {', '.join(run.groups)})"


def _estimated(run: DecisionsResult) -> Estimated:
    rows = run.cue_pses()
    texts = [run.case.groups[group].cues[cue].text for group, cue in run.cues]
    return Estimated(labels=tuple(texts), values=rows[:, 0], intervals=rows[:, 1:])
