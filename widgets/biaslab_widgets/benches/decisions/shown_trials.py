"""The trials on the screen: a mark for each, and the chosen one word for word."""

from __future__ import annotations

from typing import Any

from biaslab_widgets.benches.decisions.choice import Asked
from biaslab_widgets.benches.decisions.fields import DecisionBenchState
from biaslab_widgets.benches.decisions.marks import detail_of, is_kept, marks_of
from biaslab_widgets.benches.decisions.refit import paired
from biaslab_widgets.benches.decisions.run import Run
from biaslab_widgets.benches.decisions.trial_fields import (
    NO_DETAIL,
    NO_TRIALS,
    TrialDetail,
    Trials,
)
from biaslab_widgets.core.latest import Latest


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
            return {"marks": NO_TRIALS, "detail": NO_DETAIL}
        whole = paired(run.result, asked.pair)
        out = (tuple(snapshot.without_cues), tuple(snapshot.without_wordings))
        key = (run.number, len(whole.trials), out, asked.pair)
        marks = self._marks.of(key, lambda: marks_of(whole, is_kept(whole, *out)))
        place = (run.number, asked.pair, snapshot.trial, len(whole.trials))
        offered = run.settings.cannot_say
        detail = self._detail.of(
            place, lambda: detail_of(whole, snapshot.trial, cannot_say=offered)
        )
        return {"marks": marks, "detail": detail}
